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
    task::{Context, Poll},
    time::{Duration, Instant},
};

use fincore::{Caller, CallerId, Plan};
use tokio::task::yield_now;

/// How long one holder may keep the thread busy in a round: some ten answers that are cached.
const SHARE: Duration = Duration::from_micros(200);

/// How many holders a round remembers; more begin a new one.
const MOST_HOLDERS: usize = 1024;

thread_local! {
    static ROUND: RefCell<Round> = RefCell::default();
}

/// From one look for what peers have sent to the next.
#[derive(Default)]
struct Round {
    number: u64,
    used: HashMap<u64, Duration>,
}

impl Round {
    fn begin_next(&mut self) {
        self.number += 1;
        self.used.clear();
    }

    fn is_over_for(&self, holder: u64) -> bool {
        self.used.get(&holder).is_some_and(|used| *used >= SHARE)
    }

    fn charge(&mut self, holder: u64, time: Duration) {
        if self.used.len() >= MOST_HOLDERS {
            self.begin_next();
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
    /// The round in which it last had to wait.
    waited: Option<u64>,
}

impl<F> InTurn<F> {
    pub(crate) fn new(turn: Arc<Turn>, connection: F) -> InTurn<F> {
        InTurn { connection: Box::pin(connection), turn, waited: None }
    }
}

impl<F: Future> Future for InTurn<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let this = self.get_mut();
        let holder = this.turn.0.load(Ordering::Relaxed);
        if holder == Turn::NONE {
            return this.connection.as_mut().poll(context);
        }
        let must_wait = ROUND.with_borrow_mut(|round| {
            // The runtime has looked for what peers sent since, and queued that before this.
            if this.waited.take() == Some(round.number) {
                round.begin_next();
            }
            let is_over = round.is_over_for(holder);
            this.waited = is_over.then_some(round.number);
            is_over
        });
        if must_wait {
            // It wakes this once the runtime has looked again.
            let _ = pin!(yield_now()).poll(context);
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

    /// Keeps the thread busy for more than a share each time it is polled, until it is told to stop.
    async fn greedy(turns: Arc<AtomicU32>, stop: Arc<AtomicBool>) {
        poll_fn(|context| {
            let began = Instant::now();
            while began.elapsed() < SHARE {}
            turns.fetch_add(1, Ordering::Relaxed);
            if stop.load(Ordering::Relaxed) {
                return Poll::Ready(());
            }
            context.waker().wake_by_ref();
            Poll::Pending
        })
        .await;
    }

    /// How often twenty greedy connections of the first address are served while one of this turn looks thirty times
    /// whether it has something to do.
    fn meanwhile(of: Arc<Turn>) -> u32 {
        let (turns, stop) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicBool::new(false)));
        Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
            let greedy: Vec<_> = (0..20)
                .map(|_| tokio::spawn(InTurn::new(turn(1), greedy(turns.clone(), stop.clone()))))
                .collect();
            let counted = turns.clone();
            let patient = tokio::spawn(InTurn::new(of, async move {
                yield_now().await;
                let before = counted.load(Ordering::Relaxed);
                for _ in 0..LOOKS {
                    yield_now().await;
                }
                counted.load(Ordering::Relaxed) - before
            }));
            let meanwhile = patient.await.unwrap();
            stop.store(true, Ordering::Relaxed);
            for connection in greedy {
                connection.await.unwrap();
            }
            meanwhile
        })
    }

    const LOOKS: u32 = 30;

    #[test]
    fn another_holder_waits_for_one_share_and_not_for_all_connections() {
        // Each of them goes on, but not all of them between two looks.
        let other = meanwhile(turn(2));
        assert!((LOOKS / 2..=2 * LOOKS).contains(&other), "{other}");
        // A paying key at the same address has turns of its own, and a free one has not.
        let (paying, free) = (turn(1), turn(1));
        let key = |plan| Caller { plan, ..Caller::at([198, 51, 100, 1].into()) };
        paying.belongs_to(key(Plan::Gold), address(1));
        free.belongs_to(key(Plan::Free), address(1));
        let beside_paying = meanwhile(paying);
        assert!((LOOKS / 2..=2 * LOOKS).contains(&beside_paying), "{beside_paying}");
        let beside_free = meanwhile(free);
        assert!(beside_free > 2 * LOOKS, "{beside_free}");
    }
}
