//! Turns on the thread of a worker: how long the connections of one holder keep it busy before those of others go on.
//!
//! All that a worker does at once takes microseconds, but many connections can ask for it again and again, and what they ask
//! for need not be counted against a limit. So an address has a share of the thread's time in each round, and so has a key on
//! a paid plan; once it is used up, its connections wait until those of others that have something to do have been served.
//! Where there are no others, they go on at once.
use std::{
    cell::RefCell,
    collections::HashMap,
    pin::{Pin, pin},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    task::{Context, Poll, Waker},
    time::{Duration, Instant},
};

use fincore::{Caller, CallerId, Plan};
use tokio::task::yield_now;

/// How long one holder may keep the thread busy in a round: some ten answers that are cached.
const SHARE: Duration = Duration::from_micros(200);

/// How many holders a round remembers.
const MOST_HOLDERS: usize = 4096;

thread_local! {
    static ROUND: RefCell<Round> = RefCell::default();
}

/// From one look for what peers have sent to the next.
#[derive(Default)]
struct Round {
    number: u64,
    used: HashMap<u64, Duration>,
    /// Connections that wait for the next round, in order. The first to wait is not among them: it begins that round.
    waiting: Vec<Waker>,
    is_followed: bool,
}

impl Round {
    /// Begins the next round, for those that are returned.
    #[must_use]
    fn begin_next(&mut self) -> Vec<Waker> {
        self.number += 1;
        self.used.clear();
        self.is_followed = false;
        std::mem::take(&mut self.waiting)
    }

    fn is_over_for(&self, holder: u64) -> bool {
        self.used.get(&holder).is_some_and(|used| *used >= SHARE)
    }

    fn charge(&mut self, holder: u64, time: Duration) {
        // Where no holder uses up its share, a round lasts long, and most of those in it have gone.
        if self.used.len() >= MOST_HOLDERS {
            self.used.clear();
        }
        *self.used.entry(holder).or_default() += time;
    }
}

/// In whose turn a connection is served: that of the last request on it. Before the first one it is the peer's, or that of
/// nothing where the peer is a proxy.
#[derive(Debug, Default)]
pub(crate) struct Turn(AtomicU64);

impl Turn {
    /// A connection without a turn, which is served whenever it has something to do.
    const NONE: u64 = 0;

    pub(crate) fn of(peer: Option<CallerId>) -> Turn {
        Turn(AtomicU64::new(peer.map_or(Turn::NONE, CallerId::number)))
    }

    /// Notes who has sent a request: a key on a paid plan, or else the address.
    pub(crate) fn belongs_to(&self, caller: Caller, address: CallerId) {
        let holder = if caller.plan == Plan::Free { address } else { caller.id };
        self.0.store(holder.number(), Ordering::Relaxed);
    }
}

/// A connection that is served in turns.
pub(crate) struct InTurn<F> {
    connection: Pin<Box<F>>,
    turn: Arc<Turn>,
    /// The round whose end it waits for.
    waits_for: Option<u64>,
    /// Whether it is the one that then begins the next.
    begins_next: bool,
}

impl<F> InTurn<F> {
    pub(crate) fn new(turn: Arc<Turn>, connection: F) -> InTurn<F> {
        InTurn { connection: Box::pin(connection), turn, waits_for: None, begins_next: false }
    }

    /// Begins the next round, if that is up to this one: all others then go on behind it.
    fn begin_next(&mut self) {
        if std::mem::take(&mut self.begins_next) {
            let waiting = ROUND.with_borrow_mut(Round::begin_next);
            waiting.into_iter().for_each(Waker::wake);
        }
    }
}

impl<F> Drop for InTurn<F> {
    fn drop(&mut self) {
        self.begin_next();
    }
}

impl<F: Future> Future for InTurn<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let this = self.get_mut();
        // The runtime has looked for what peers sent since, and queued that before this.
        this.begin_next();
        let holder = this.turn.0.load(Ordering::Relaxed);
        let must_wait = holder != Turn::NONE
            && ROUND.with_borrow_mut(|round| {
                let is_over = round.is_over_for(holder);
                if is_over && this.waits_for != Some(round.number) {
                    this.waits_for = Some(round.number);
                    this.begins_next = !std::mem::replace(&mut round.is_followed, true);
                    if !this.begins_next {
                        round.waiting.push(context.waker().clone());
                    }
                }
                is_over
            });
        if must_wait {
            if this.begins_next {
                // It wakes this once the runtime has looked again.
                let _ = pin!(yield_now()).poll(context);
            }
            return Poll::Pending;
        }
        let began = Instant::now();
        let polled = this.connection.as_mut().poll(context);
        ROUND.with_borrow_mut(|round| round.charge(holder, began.elapsed()));
        polled
    }
}

#[cfg(test)]
mod tests {
    use std::{
        future::poll_fn,
        sync::{
            Arc,
            atomic::{AtomicBool, AtomicU32, Ordering},
        },
    };

    use tokio::runtime::Builder;

    use super::*;

    fn address(number: u8) -> CallerId {
        CallerId::address([192, 0, 2, number].into())
    }

    fn turn(number: u8) -> Arc<Turn> {
        Arc::new(Turn::of(Some(address(number))))
    }

    /// Keeps the thread busy for a share each time it is polled, until it is told to stop.
    async fn greedy(served: Arc<AtomicU32>, stop: Arc<AtomicBool>) {
        poll_fn(|context| {
            let began = Instant::now();
            while began.elapsed() < SHARE {}
            served.fetch_add(1, Ordering::Relaxed);
            if stop.load(Ordering::Relaxed) {
                return Poll::Ready(());
            }
            context.waker().wake_by_ref();
            Poll::Pending
        })
        .await;
    }

    #[test]
    fn another_holder_waits_for_one_share_and_not_for_all_connections() {
        const LOOKS: u32 = 100;
        let stop = Arc::new(AtomicBool::new(false));
        let served: Vec<_> = (0..20).map(|_| Arc::new(AtomicU32::new(0))).collect();
        let counts = |served: &[Arc<AtomicU32>]| -> Vec<u32> {
            served.iter().map(|count| count.load(Ordering::Relaxed)).collect()
        };
        Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
            let spawn = |count: &Arc<AtomicU32>| {
                tokio::spawn(InTurn::new(turn(1), greedy(count.clone(), stop.clone())))
            };
            let greedy: Vec<_> = served.iter().map(spawn).collect();
            // One of those that wait goes away.
            let gone = tokio::spawn(InTurn::new(turn(1), std::future::pending::<()>()));
            let before = served.clone();
            let patient = tokio::spawn(InTurn::new(turn(2), async move {
                yield_now().await;
                let before: u32 = counts(&before).iter().sum();
                for _ in 0..LOOKS {
                    yield_now().await;
                }
                before
            }));
            gone.abort();
            let before = patient.await.unwrap();
            let counts = counts(&served);
            // Each of them goes on, but not all of them between two looks.
            let meanwhile = counts.iter().sum::<u32>() - before;
            assert!((LOOKS / 2..=3 * LOOKS).contains(&meanwhile), "{meanwhile}");
            // They take turns.
            let (least, most) = (counts.iter().min().unwrap(), counts.iter().max().unwrap());
            assert!(*least > 0 && most - least <= 3, "{counts:?}");
            stop.store(true, Ordering::Relaxed);
            for connection in greedy {
                connection.await.unwrap();
            }
        });
    }

    #[test]
    fn a_paying_key_has_turns_of_its_own() {
        let holder = |turn: &Turn| turn.0.load(Ordering::Relaxed);
        let turn = turn(1);
        assert_eq!(holder(&turn), address(1).number());
        let caller = |plan| Caller { plan, ..Caller::at([198, 51, 100, 1].into()) };
        turn.belongs_to(caller(Plan::Gold), address(1));
        assert_eq!(holder(&turn), caller(Plan::Gold).id.number());
        turn.belongs_to(caller(Plan::Free), address(2));
        assert_eq!(holder(&turn), address(2).number());
    }
}
