//! Threads for work that takes long, so that no short request waits for it.
use std::{
    num::NonZero,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::Instant,
};

use tokio::sync::oneshot;

use super::fair_queue::{FairQueue, Pushed, Share};
use crate::{coordination::priority::Priority, observe::log::catch};

/// The most work that waits for the threads of a pool. It takes a second or two; a request that comes after it is better told
/// to come again.
const MOST_WAITING: usize = 256;

/// How many threads may wait for the disk or the network at a time.
const WAITING: usize = 16;

/// The outcome for work that leaves the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// It is done now.
    Run,
    /// The queue is full, or the server stops.
    Refused,
}

type Work = Box<dyn FnOnce(Turn) + Send>;

/// Some threads, for which the callers of the server take turns. They end when this is dropped or closed.
pub(crate) struct Pool(Arc<Shared>);

/// A pool, and in whose turn it works.
#[derive(Clone)]
pub(crate) struct Lane {
    pool: Arc<Pool>,
    share: Share,
}

impl Lane {
    pub(crate) fn new(pool: &Arc<Pool>, share: Share) -> Lane {
        Lane { pool: pool.clone(), share }
    }

    /// Has the work done, as [`Pool::run`] does.
    pub(crate) fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> oneshot::Receiver<T> {
        self.pool.run(self.share, work)
    }
}

/// State shared by the threads.
struct Shared {
    state: Mutex<State>,
    /// Work has come, or has been done, or the pool is closed.
    changed: Condvar,
}

struct State {
    queue: FairQueue<Work>,
    running: usize,
    is_closed: bool,
}

impl Pool {
    /// A thread for each processor, for computing.
    pub(crate) fn start() -> Pool {
        Pool::of(processors(), Priority::Low, MOST_WAITING)
    }

    /// Threads for work that waits for the disk or the network.
    pub(crate) fn for_waiting() -> Pool {
        Pool::of(WAITING, Priority::Usual, MOST_WAITING)
    }

    /// A thread for every other processor, for streams. Each part of a stream may be made by another thread, and every
    /// thread keeps memory for the next part: with many of them, a single stream would take as much as many.
    ///
    /// No part is refused for lack of room, because that would break its stream off: a connection waits for one at a time.
    pub(crate) fn for_streams() -> Pool {
        Pool::of(processors().div_ceil(2), Priority::Low, usize::MAX)
    }

    /// One thread for answers that are not counted: asking for many of them must not slow down others. It also means that
    /// no page is made twice at a time.
    pub(crate) fn for_uncounted_answers() -> Pool {
        Pool::of(1, Priority::Lowest, MOST_WAITING)
    }

    fn of(count: usize, priority: Priority, most: usize) -> Pool {
        let state = State { queue: FairQueue::new(most), running: 0, is_closed: false };
        let shared = Arc::new(Shared { state: Mutex::new(state), changed: Condvar::new() });
        for _ in 0..count {
            let shared = shared.clone();
            thread::spawn(move || {
                priority.take();
                shared.work();
            });
        }
        Pool(shared)
    }

    /// A pool without threads, whose queue only fills.
    #[cfg(test)]
    pub(crate) fn stalled() -> Pool {
        Pool::of(0, Priority::Usual, MOST_WAITING)
    }

    /// Has the work done in the turn of its caller, and hands over what it returns. It learns where it is refused instead,
    /// and is then called on this thread, or on that of the caller for whom it made room.
    pub(crate) fn run_or_refuse<T: Send + 'static>(
        &self,
        share: Share,
        work: impl FnOnce(Turn) -> T + Send + 'static,
    ) -> oneshot::Receiver<T> {
        let (sender, receiver) = oneshot::channel();
        self.submit(share, Box::new(move |turn| deliver(catch(|| work(turn)), sender)));
        receiver
    }

    /// Runs work without a refusal of its own: if the queue is full, its sender is dropped.
    pub(crate) fn run<T: Send + 'static>(
        &self,
        share: Share,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> oneshot::Receiver<T> {
        let (sender, receiver) = oneshot::channel();
        self.submit(
            share,
            Box::new(move |turn| {
                if turn == Turn::Run {
                    deliver(catch(work), sender);
                }
            }),
        );
        receiver
    }

    fn submit(&self, share: Share, work: Work) {
        let refused = {
            let mut state = self.0.lock();
            if state.is_closed { Pushed::Refused(work) } else { state.queue.push(share, work) }
        };
        self.0.changed.notify_one();
        if let Pushed::Refused(work) = refused {
            work(Turn::Refused);
        }
    }

    /// Refuses what is waiting, and everything from now on.
    pub(crate) fn close(&self) {
        let waiting: Vec<Work> = {
            let mut state = self.0.lock();
            state.is_closed = true;
            std::iter::from_fn(|| state.queue.pop()).collect()
        };
        self.0.changed.notify_all();
        waiting.into_iter().for_each(|work| work(Turn::Refused));
    }

    /// Waits for the work that is being done. Returns how much of it has not ended by then, and is left to itself.
    pub(crate) fn finish(&self, until: Instant) -> usize {
        let mut state = self.0.lock();
        loop {
            let left = until.saturating_duration_since(Instant::now());
            if state.running == 0 || left.is_zero() {
                return state.running;
            }
            let waited = self.0.changed.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.close();
    }
}

impl Shared {
    /// Does what comes, until the pool is closed.
    fn work(&self) {
        let mut state = self.lock();
        while !state.is_closed {
            let Some(work) = state.queue.pop() else {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            state.running += 1;
            drop(state);
            // Panics are caught in the work.
            work(Turn::Run);
            state = self.lock();
            state.running -= 1;
            if state.is_closed {
                self.changed.notify_all();
            }
        }
    }

    /// Nothing can panic while it holds this lock, so the state in a poisoned one is right.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Hands over the result of work; a panic is logged, and its receiver sees a dropped sender.
fn deliver<T>(done: Result<T, String>, sender: oneshot::Sender<T>) {
    match done {
        // The client may have gone.
        Ok(done) => drop(sender.send(done)),
        Err(panic) => tracing::error!("{panic}"),
    }
}

fn processors() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use fincore::{Caller, CallerId};

    use super::*;

    fn share(number: u8) -> Share {
        let address = [192, 0, 2, number].into();
        Share::of(Caller::at(address), CallerId::address(address))
    }

    fn soon() -> Instant {
        Instant::now() + Duration::from_secs(60)
    }

    #[test]
    fn work_is_done_even_after_a_panic() {
        let pool = Pool::start();
        let panicked = pool.run(share(1), || panic!("a bug"));
        let done: Vec<_> = (0..100).map(|number| pool.run(share(1), move || number)).collect();
        assert!(<oneshot::Receiver<()>>::blocking_recv(panicked).is_err());
        let done: Vec<_> = done.into_iter().map(|result| result.blocking_recv().unwrap()).collect();
        assert_eq!(done, (0..100).collect::<Vec<_>>());
        pool.close();
        assert!(pool.run(share(1), || 1).blocking_recv().is_err());
        assert_eq!(pool.run_or_refuse(share(1), |turn| turn).blocking_recv(), Ok(Turn::Refused));
        assert_eq!(pool.finish(soon()), 0);
    }

    #[test]
    fn what_waits_is_refused_at_the_end_and_what_runs_is_waited_for() {
        let pool = Pool::of(1, Priority::Usual, MOST_WAITING);
        let (go_on, waits) = std::sync::mpsc::channel::<()>();
        let (started, runs) = oneshot::channel();
        let running = pool.run(share(1), move || {
            started.send(()).unwrap();
            waits.recv().unwrap();
        });
        let waiting: Vec<_> = (0..10).map(|_| pool.run_or_refuse(share(2), |turn| turn)).collect();
        runs.blocking_recv().unwrap();
        pool.close();
        for refused in waiting {
            assert_eq!(refused.blocking_recv(), Ok(Turn::Refused));
        }
        assert_eq!(pool.finish(Instant::now()), 1, "it is cut where it takes too long");
        go_on.send(()).unwrap();
        assert_eq!(pool.finish(soon()), 0);
        assert!(running.blocking_recv().is_ok());
    }

    #[test]
    fn one_address_cannot_fill_the_queue_for_others() {
        let pool = Pool::stalled();
        let many: Vec<_> =
            (0..MOST_WAITING).map(|_| pool.run_or_refuse(share(1), |turn| turn)).collect();
        assert_eq!(pool.run_or_refuse(share(1), |turn| turn).blocking_recv(), Ok(Turn::Refused));
        let mut other = pool.run_or_refuse(share(2), |turn| turn);
        assert!(other.try_recv().is_err(), "it waits");
        let refused = many.into_iter().next_back().unwrap();
        assert_eq!(refused.blocking_recv(), Ok(Turn::Refused), "the newest of the other address");
    }
}
