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
    Accounts, Catalogue, Date, Error, KeyId, Result,
    chrono::{DateTime, TimeDelta, Utc},
    events::EventWindow,
    webhooks::{self, Call, CallOutcome, DeliveryId, DueWebhook, WebhookId},
};

use super::client::Client;
use crate::coordination::{jitter::jitter, signal::Signal};

/// The most calls at a time, and so the most bodies in memory; of all keys, and of one.
const MOST_CALLS: usize = 64;
const MOST_CALLS_PER_KEY: usize = 8;
/// The most calls at a time of a key to a host that answered its last call quickly. Other hosts get one call at a time,
const MOST_CALLS_PER_HOST: usize = 4;
/// and no more than this in all, so that hosts that do not answer cannot delay calls to those that do,
const MOST_DOUBTFUL_CALLS: usize = 32;
/// nor more than this of one key, so that they delay only the calls of their owner.
const MOST_DOUBTFUL_CALLS_PER_KEY: usize = 4;
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

/// Where a key's calls go. What one key's receiver does changes nothing for other keys that call the same host.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Lane {
    key: KeyId,
    host: String,
}

/// Runs one round after another. A round never waits for a receiver: every call has a thread of its own.
pub(super) struct Rounds<'a> {
    accounts: &'a Accounts,
    catalogue: &'a Catalogue,
    window: EventWindow,
    client: Arc<Client>,
    clock: Clock,
    /// Woken when a call has ended.
    wake: Arc<Signal>,
    ended: Arc<Mutex<Vec<EndedCall>>>,
    /// Calls that are not made now: those whose outcome is not recorded yet, and those that were set aside.
    held: HashSet<DeliveryId>,
    /// Calls whose outcome is not recorded yet, and where they go.
    under_way: HashMap<DeliveryId, Lane>,
    /// Where the last call was answered quickly.
    quick: HashSet<Lane>,
    /// The catalogue, and its version up to which everything is in the outbox.
    enqueued: Option<(String, u64)>,
    /// How many changes since then were too old to be events.
    left_out: u64,
    swept: Option<DateTime<Utc>>,
    /// The webhook that was called last: the next round starts after it, so that all get their turn.
    last_called: Option<WebhookId>,
}

impl<'a> Rounds<'a> {
    pub(super) fn new(
        accounts: &'a Accounts,
        (catalogue, window): (&'a Catalogue, EventWindow),
        client: Client,
        clock: Clock,
        wake: Arc<Signal>,
    ) -> Rounds<'a> {
        Rounds {
            accounts,
            catalogue,
            window,
            client: Arc::new(client),
            clock,
            wake,
            ended: Arc::default(),
            held: HashSet::new(),
            under_way: HashMap::new(),
            quick: HashSet::new(),
            enqueued: None,
            left_out: 0,
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
        let outcomes: Vec<CallOutcome> = ended.iter().map(|ended| ended.outcome.clone()).collect();
        if webhooks::record_outcomes(self.accounts, &outcomes).is_ok() {
            for call in ended {
                self.end(&call);
                self.held.remove(&call.outcome.delivery);
            }
            return Ok(Pace::Rest);
        }
        // Each by itself, so that one that cannot be recorded does not keep the others from it.
        let mut recorded = Ok(Pace::Rest);
        for call in ended {
            match self.record_one(&call.outcome) {
                Ok(()) => self.end(&call),
                Err(err) => {
                    lock(&self.ended).push(call);
                    recorded = Err(err);
                }
            }
        }
        recorded
    }

    /// Records a call by itself. If only this row is at fault, its delivery is set aside, and not tried again.
    fn record_one(&mut self, outcome: &CallOutcome) -> Result<()> {
        let CallOutcome { delivery, webhook, .. } = outcome;
        match webhooks::record_outcomes(self.accounts, std::slice::from_ref(outcome)) {
            Ok(()) => {
                self.held.remove(delivery);
                Ok(())
            }
            Err(err @ Error::Busy(_)) => Err(err),
            Err(err) => {
                if webhooks::set_aside(self.accounts, outcome)? {
                    self.held.remove(delivery);
                }
                tracing::error!(
                    "the delivery {delivery} of the webhook {webhook} is set aside, because its outcome cannot be recorded: \
                     {err}"
                );
                Ok(())
            }
        }
    }

    /// Frees the slot of a call that has ended.
    fn end(&mut self, call: &EndedCall) {
        match self.under_way.remove(&call.outcome.delivery) {
            Some(lane) if call.is_quick() => self.quick.insert(lane),
            Some(lane) => self.quick.remove(&lane),
            None => false,
        };
    }

    /// Puts some of the events that were published since into the outbox.
    fn enqueue(&mut self, now: DateTime<Utc>) -> Result<Pace> {
        let snapshot = self.catalogue.snapshot(Date::in_brasilia(now))?;
        let newest = Some((snapshot.catalogue_id()?, snapshot.version()?));
        if self.enqueued == newest {
            return Ok(Pace::Rest);
        }
        let enqueued = webhooks::enqueue_events(self.accounts, &snapshot, self.window, now)?;
        self.left_out += enqueued.left_out;
        if enqueued.more {
            return Ok(Pace::Hurry);
        }
        match std::mem::take(&mut self.left_out) {
            0 => (),
            1 => tracing::info!(
                "one change is no event: it was published more than {} days before it came in",
                self.window
            ),
            several => tracing::info!(
                "{several} changes are no events: they were published more than {} days before they came in",
                self.window
            ),
        }
        self.enqueued = newest;
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
        for waiting in self.in_turn(webhooks::due_webhooks(self.accounts, now)?) {
            let lane = Lane { key: waiting.key, host: waiting.host };
            let room = self.room(&lane);
            if room == 0 {
                continue;
            }
            let calls =
                webhooks::due_calls(self.accounts, &waiting.webhook, now, room, &self.held)?;
            for call in calls {
                self.start(call, &lane, now)?;
            }
            self.last_called = Some(waiting.webhook);
        }
        Ok(Pace::Rest)
    }

    /// Webhooks in the order in which they are called: those of the keys with the fewest calls first, and each key's own
    /// one after another.
    fn in_turn(&self, mut waiting: Vec<DueWebhook>) -> Vec<DueWebhook> {
        waiting.sort_by(|one, other| one.webhook.cmp(&other.webhook));
        let had_its_turn =
            |webhook: &WebhookId| self.last_called.as_ref().is_some_and(|last| webhook <= last);
        let next = waiting.partition_point(|waiting| had_its_turn(&waiting.webhook));
        waiting.rotate_left(next);
        let mut calls: HashMap<KeyId, usize> = HashMap::new();
        for lane in self.under_way.values() {
            *calls.entry(lane.key).or_default() += 1;
        }
        let mut with_turns: Vec<(usize, DueWebhook)> = Vec::with_capacity(waiting.len());
        for webhook in waiting {
            let turn = calls.entry(webhook.key).or_default();
            with_turns.push((*turn, webhook));
            *turn += 1;
        }
        with_turns.sort_by_key(|(turn, _)| *turn);
        with_turns.into_iter().map(|(_, webhook)| webhook).collect()
    }

    /// How many more calls of a key may go to a host now.
    fn room(&self, lane: &Lane) -> usize {
        let count = |is_counted: &dyn Fn(&Lane) -> bool| {
            self.under_way.values().filter(|lane| is_counted(lane)).count()
        };
        let is_own = |other: &Lane| other.key == lane.key;
        let is_doubtful = |other: &Lane| !self.quick.contains(other);
        let there = count(&|other| other == lane);
        let free = MOST_CALLS
            .saturating_sub(self.under_way.len())
            .min(MOST_CALLS_PER_KEY.saturating_sub(count(&is_own)));
        if self.quick.contains(lane) {
            return MOST_CALLS_PER_HOST.saturating_sub(there).min(free);
        }
        let own = count(&|other| is_own(other) && is_doubtful(other));
        1_usize
            .saturating_sub(there)
            .min(MOST_DOUBTFUL_CALLS.saturating_sub(count(&is_doubtful)))
            .min(MOST_DOUBTFUL_CALLS_PER_KEY.saturating_sub(own))
            .min(free)
    }

    fn start(&mut self, call: Call, lane: &Lane, now: DateTime<Utc>) -> Result<()> {
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
        self.held.insert(delivery);
        self.under_way.insert(delivery, lane.clone());
        Ok(())
    }
}

/// Nothing can panic while it holds this lock, so the list in a poisoned one is right.
fn lock(ended: &Mutex<Vec<EndedCall>>) -> MutexGuard<'_, Vec<EndedCall>> {
    ended.lock().unwrap_or_else(PoisonError::into_inner)
}
