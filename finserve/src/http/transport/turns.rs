//! Turns on the thread of a worker: how long the connections of one address keep it busy before those of others go on.
//!
//! All that a worker does at once takes microseconds, but many connections can ask for it again and again, and what they ask
//! for need not be counted against a limit. So an address has a share of the thread's time in each round; once it is used
//! up, its connections wait until those of others that have something to do have been served. Where there are no others,
//! they go on at once.
use std::{
    cell::RefCell,
    collections::HashMap,
    pin::{Pin, pin},
    task::{Context, Poll},
    time::{Duration, Instant},
};

use fincore::CallerId;
use tokio::task::yield_now;

/// How long an address may keep the thread busy in a round: some ten answers that are cached.
const SHARE: Duration = Duration::from_micros(200);

/// How many addresses a round remembers; more begin a new one.
const MOST_ADDRESSES: usize = 1024;

thread_local! {
    static ROUND: RefCell<Round> = RefCell::default();
}

/// From one look for what peers have sent to the next.
#[derive(Default)]
struct Round {
    number: u64,
    used: HashMap<CallerId, Duration>,
}

impl Round {
    fn begin_next(&mut self) {
        self.number += 1;
        self.used.clear();
    }

    fn is_over_for(&self, address: CallerId) -> bool {
        self.used.get(&address).is_some_and(|used| *used >= SHARE)
    }

    fn charge(&mut self, address: CallerId, time: Duration) {
        if self.used.len() >= MOST_ADDRESSES {
            self.begin_next();
        }
        *self.used.entry(address).or_default() += time;
    }
}

/// A connection that is served in the turns of its address.
pub(crate) struct InTurn<F> {
    connection: Pin<Box<F>>,
    /// Nothing where it has no turn, and is served whenever it has something to do.
    address: Option<CallerId>,
    /// The round in which it last had to wait.
    waited: Option<u64>,
}

impl<F> InTurn<F> {
    pub(crate) fn new(address: Option<CallerId>, connection: F) -> InTurn<F> {
        InTurn { connection: Box::pin(connection), address, waited: None }
    }
}

impl<F: Future> Future for InTurn<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let this = self.get_mut();
        let Some(address) = this.address else { return this.connection.as_mut().poll(context) };
        let must_wait = ROUND.with_borrow_mut(|round| {
            // The runtime has looked for what peers sent since, and queued that before this.
            if this.waited.take() == Some(round.number) {
                round.begin_next();
            }
            let is_over = round.is_over_for(address);
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
        ROUND.with_borrow_mut(|round| round.charge(address, began.elapsed()));
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

    fn address(number: u8) -> Option<CallerId> {
        Some(CallerId::address([192, 0, 2, number].into()))
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

    #[test]
    fn another_address_waits_for_one_share_and_not_for_all_connections() {
        const LOOKS: u32 = 30;
        let (turns, stop) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicBool::new(false)));
        Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
            let greedy: Vec<_> = (0..20)
                .map(|_| {
                    let connection = greedy(turns.clone(), stop.clone());
                    tokio::spawn(InTurn::new(address(1), connection))
                })
                .collect();
            let counted = turns.clone();
            let patient = tokio::spawn(InTurn::new(address(2), async move {
                yield_now().await;
                let before = counted.load(Ordering::Relaxed);
                for _ in 0..LOOKS {
                    yield_now().await;
                }
                counted.load(Ordering::Relaxed) - before
            }));
            let meanwhile = patient.await.unwrap();
            // Each of them goes on, but not all of them between two looks.
            assert!((LOOKS / 2..=2 * LOOKS).contains(&meanwhile), "{meanwhile}");
            stop.store(true, Ordering::Relaxed);
            for connection in greedy {
                connection.await.unwrap();
            }
        });
    }
}
