//! Rounds of delivery: each puts new events into the outbox, calls the webhooks that are due, and records the outcomes of
//! calls.
use std::{
    collections::{HashMap, HashSet},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

use fincore::{
    Accounts, Catalogue, Date, Error, Result,
    chrono::{DateTime, TimeDelta, Utc},
    webhooks::{self, Call, CallOutcome, DeliveryId, WebhookId},
};

use super::client::Client;
use crate::coordination::{jitter::jitter, signal::Signal};

/// The most calls at a time, and so the most bodies in memory.
const MOST_CALLS: usize = 32;
/// The most calls at a time to a host that answered its last call quickly. Other hosts get one call at a time,
const MOST_CALLS_PER_HOST: usize = 4;
/// and no more than this in all, so that hosts that do not answer cannot delay calls to those that do.
const MOST_DOUBTFUL_CALLS: usize = 16;
/// A host that takes longer than this is not quick.
const QUICKLY: Duration = Duration::from_secs(3);
/// How often old deliveries are removed.
const SWEEP: TimeDelta = TimeDelta::minutes(1);

/// Tells the time.
pub(super) type Clock = Arc<dyn Fn() -> DateTime<Utc> + Send + Sync>;

/// Whether the next round should follow at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pace {
    Rest,
    Hurry,
}

/// A call that has ended.
struct EndedCall {
    outcome: CallOutcome,
    took: Duration,
}

impl EndedCall {
    /// Whether the host accepted the call in good time.
    fn is_quick(&self) -> bool {
        self.took < QUICKLY && matches!(self.outcome.answer, Ok(200..=299))
    }
}

/// Runs one round after another. A round never waits for a receiver: every call has a thread of its own.
pub(super) struct Rounds<'a> {
    accounts: &'a Accounts,
    catalogue: &'a Catalogue,
    client: Arc<Client>,
    clock: Clock,
    /// Woken when a call has ended.
    wake: Arc<Signal>,
    ended: Arc<Mutex<Vec<EndedCall>>>,
    /// Calls that have not been recorded yet, and the hosts that they go to.
    under_way: HashSet<DeliveryId>,
    hosts: HashMap<DeliveryId, String>,
    /// The hosts that answered their last call quickly.
    quick: HashSet<String>,
    /// The data version up to which everything is in the outbox.
    enqueued: Option<u64>,
    swept: Option<DateTime<Utc>>,
    /// The webhook that was called last: the next round starts after it, so that all get their turn.
    last_called: Option<WebhookId>,
}

impl<'a> Rounds<'a> {
    pub(super) fn new(
        accounts: &'a Accounts,
        catalogue: &'a Catalogue,
        client: Client,
        clock: Clock,
        wake: Arc<Signal>,
    ) -> Rounds<'a> {
        Rounds {
            accounts,
            catalogue,
            client: Arc::new(client),
            clock,
            wake,
            ended: Arc::default(),
            under_way: HashSet::new(),
            hosts: HashMap::new(),
            quick: HashSet::new(),
            enqueued: None,
            swept: None,
            last_called: None,
        }
    }

    /// Runs one round. A step that fails does not keep the next ones from running; the first failure is returned.
    pub(super) fn round(&mut self) -> Result<Pace> {
        let now = (self.clock)();
        let steps = [self.record(), self.enqueue(now), self.sweep(now), self.call(now)];
        let mut pace = Pace::Rest;
        for step in steps {
            if step? == Pace::Hurry {
                pace = Pace::Hurry;
            }
        }
        Ok(pace)
    }

    /// Waits for the calls under way, but no longer than `timeout`, and records their outcomes.
    pub(super) fn finish(&mut self, timeout: Duration) -> Result<Pace> {
        let started = Instant::now();
        while !self.under_way.is_empty() && started.elapsed() < timeout {
            self.wake.wait(Duration::from_millis(50));
            self.record()?;
        }
        Ok(Pace::Rest)
    }

    /// Records the calls that have ended. Until that has succeeded they count as under way, and are not made again.
    fn record(&mut self) -> Result<Pace> {
        let ended = std::mem::take(&mut *lock(&self.ended));
        if ended.is_empty() {
            return Ok(Pace::Rest);
        }
        let outcomes: Vec<CallOutcome> = ended.iter().map(|ended| ended.outcome.clone()).collect();
        if let Err(err) = webhooks::record_outcomes(self.accounts, &outcomes) {
            lock(&self.ended).extend(ended);
            return Err(err);
        }
        for ended in ended {
            self.under_way.remove(&ended.outcome.delivery);
            match self.hosts.remove(&ended.outcome.delivery) {
                Some(host) if ended.is_quick() => self.quick.insert(host),
                Some(host) => self.quick.remove(&host),
                None => false,
            };
        }
        Ok(Pace::Rest)
    }

    /// Puts some of the events that were published since into the outbox.
    fn enqueue(&mut self, now: DateTime<Utc>) -> Result<Pace> {
        let snapshot = self.catalogue.snapshot(Date::in_brasilia(now))?;
        let version = snapshot.version()?;
        if self.enqueued == Some(version) {
            return Ok(Pace::Rest);
        }
        if webhooks::enqueue_events(self.accounts, &snapshot, now)?.more {
            return Ok(Pace::Hurry);
        }
        self.enqueued = Some(version);
        Ok(Pace::Rest)
    }

    fn sweep(&mut self, now: DateTime<Utc>) -> Result<Pace> {
        if self.swept.is_some_and(|swept| now >= swept && now - swept < SWEEP) {
            return Ok(Pace::Rest);
        }
        if webhooks::sweep(self.accounts, now)? {
            return Ok(Pace::Hurry);
        }
        self.swept = Some(now);
        Ok(Pace::Rest)
    }

    /// Starts the calls that are due, as far as the limits allow.
    fn call(&mut self, now: DateTime<Utc>) -> Result<Pace> {
        if self.under_way.len() >= MOST_CALLS {
            return Ok(Pace::Rest);
        }
        let mut waiting = webhooks::due_webhooks(self.accounts, now)?;
        waiting.sort_by(|one, other| one.webhook.cmp(&other.webhook));
        let had_its_turn =
            |webhook: &WebhookId| self.last_called.as_ref().is_some_and(|last| webhook <= last);
        let next = waiting.partition_point(|waiting| had_its_turn(&waiting.webhook));
        waiting.rotate_left(next);
        for waiting in waiting {
            let room = self.room(&waiting.host);
            if room == 0 {
                continue;
            }
            let calls =
                webhooks::due_calls(self.accounts, &waiting.webhook, now, room, &self.under_way)?;
            for call in calls {
                self.start(call, &waiting.host, now)?;
            }
            self.last_called = Some(waiting.webhook);
        }
        Ok(Pace::Rest)
    }

    /// How many more calls may go to a host now.
    fn room(&self, host: &str) -> usize {
        let there = self.hosts.values().filter(|other| *other == host).count();
        let free = MOST_CALLS - self.under_way.len();
        if self.quick.contains(host) {
            return MOST_CALLS_PER_HOST.saturating_sub(there).min(free);
        }
        let doubtful = self.hosts.values().filter(|other| !self.quick.contains(*other)).count();
        1_usize.saturating_sub(there).min(MOST_DOUBTFUL_CALLS.saturating_sub(doubtful)).min(free)
    }

    fn start(&mut self, call: Call, host: &str, now: DateTime<Utc>) -> Result<()> {
        let delivery = call.delivery;
        let (client, clock) = (self.client.clone(), self.clock.clone());
        let (ended, wake) = (self.ended.clone(), self.wake.clone());
        let work = move || {
            let started = Instant::now();
            let answer = catch_unwind(AssertUnwindSafe(|| client.call(&call, now)))
                .unwrap_or_else(|_| Err("the call failed on our side".into()));
            let Call { delivery, webhook, token, .. } = call;
            let time = clock();
            let jitter = 2.0 * jitter() - 1.0;
            let outcome = CallOutcome { delivery, webhook, token, answer, time, jitter };
            lock(&ended).push(EndedCall { outcome, took: started.elapsed() });
            wake.wake();
        };
        let thread = thread::Builder::new().name("webhook".into()).spawn(work);
        let no_thread = |err| Error::Storage {
            context: "no thread can be started".into(),
            source: Box::new(err),
        };
        thread.map_err(no_thread)?;
        self.under_way.insert(delivery);
        self.hosts.insert(delivery, host.to_owned());
        Ok(())
    }
}

/// Nothing can panic while it holds this lock, so the list in a poisoned one is right.
fn lock(ended: &Mutex<Vec<EndedCall>>) -> MutexGuard<'_, Vec<EndedCall>> {
    ended.lock().unwrap_or_else(PoisonError::into_inner)
}
