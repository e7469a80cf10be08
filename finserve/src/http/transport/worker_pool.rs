//! Threads for work that takes long, so that no short request waits for it.
use std::{
    num::NonZero,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
        mpsc::{self, Receiver, Sender},
    },
    thread::{self, JoinHandle},
};

use tokio::sync::oneshot;

use crate::{coordination::priority::Priority, observe::log::catch};

/// The most work of requests that waits for a thread. It takes a second or two; a request that comes after it is better
/// told to come again.
const MOST_WAITING: usize = 256;

/// How many threads may wait for the disk or the network at a time.
const WAITING: usize = 16;

type Work = Box<dyn FnOnce() + Send>;

/// Some threads. Work is done in the order in which it came.
pub(crate) struct Pool {
    /// Nothing once the pool is closed.
    queue: Mutex<Option<Sender<Work>>>,
    threads: Mutex<Vec<JoinHandle<()>>>,
    /// How many places in the queue are taken.
    places: Arc<AtomicUsize>,
}

/// A place in the queue, until work begins or this is dropped.
pub(crate) struct Place(Arc<AtomicUsize>);

impl Drop for Place {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Pool {
    /// A thread for each processor, for computing.
    pub(crate) fn start() -> Pool {
        Pool::of(processors(), Priority::Low)
    }

    /// Threads for work that waits for the disk or the network.
    pub(crate) fn for_waiting() -> Pool {
        Pool::of(WAITING, Priority::Usual)
    }

    /// A thread for every other processor, for streams. Each part of a stream may be made by another thread, and every
    /// thread keeps memory for the next part: with many of them, a single stream would take as much as many.
    pub(crate) fn for_streams() -> Pool {
        Pool::of(processors().div_ceil(2), Priority::Low)
    }

    /// One thread for answers that are not counted: asking for many of them must not slow down others.
    pub(crate) fn for_uncounted_answers() -> Pool {
        Pool::of(1, Priority::Lowest)
    }

    fn of(count: usize, priority: Priority) -> Pool {
        let (sender, receiver) = mpsc::channel();
        let receiver = Arc::new(Mutex::new(receiver));
        let threads = (0..count).map(|_| {
            let receiver = receiver.clone();
            thread::spawn(move || work(&receiver, priority))
        });
        let threads = Mutex::new(threads.collect());
        Pool { queue: Mutex::new(Some(sender)), threads, places: Arc::default() }
    }

    /// A place in the queue for the work of a request, if it is not too long already.
    pub(crate) fn place(&self) -> Option<Place> {
        let place = Place(self.places.clone());
        (self.places.fetch_add(1, Ordering::Relaxed) < MOST_WAITING).then_some(place)
    }

    /// Has the work done, and hands over what it returns; nothing if it panics, or if the pool is closed.
    pub(crate) fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> oneshot::Receiver<T> {
        let (sender, receiver) = oneshot::channel();
        let work = Box::new(move || {
            match catch(work) {
                // The client may have gone.
                Ok(done) => drop(sender.send(done)),
                Err(panic) => tracing::error!("{panic}"),
            }
        });
        let queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(queue) = &*queue {
            // The threads take work for as long as there is a queue.
            let _ = queue.send(work);
        }
        receiver
    }

    /// Does what is waiting, and then nothing any more.
    pub(crate) fn close(&self) {
        drop(self.queue.lock().unwrap_or_else(PoisonError::into_inner).take());
        let threads =
            std::mem::take(&mut *self.threads.lock().unwrap_or_else(PoisonError::into_inner));
        for thread in threads {
            // Work that panics does not end its thread.
            let _ = thread.join();
        }
    }
}

fn processors() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get)
}

fn work(queue: &Mutex<Receiver<Work>>, priority: Priority) {
    priority.take();
    loop {
        let next = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(work) = next else { return };
        work();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_done_even_after_a_panic_and_before_the_end() {
        let pool = Pool::start();
        let panicked: Vec<_> = (0..20).map(|_| pool.run(|| panic!("a bug"))).collect();
        let done: Vec<_> = (0..100).map(|number| pool.run(move || number)).collect();
        pool.close();
        assert!(
            panicked
                .into_iter()
                .all(|result: oneshot::Receiver<()>| result.blocking_recv().is_err())
        );
        let done: Vec<_> = done.into_iter().map(|result| result.blocking_recv().unwrap()).collect();
        assert_eq!(done, (0..100).collect::<Vec<_>>());
        assert!(pool.run(|| 1).blocking_recv().is_err());
    }
}
