//! Rounds of delivery: what was published goes into the outbox, what is due is called, what came of it is recorded.
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
    webhooks::{self, Call, DeliveryId, Outcome, WebhookId},
};

use super::client::Client;
use crate::{bell::Bell, jitter::jitter};

/// The most calls at a time, so that is how many bodies are in memory.
const MOST_CALLS: usize = 32;
/// The most calls at a time to a host that answered the last one quickly. Others get one at a time,
const MOST_CALLS_PER_HOST: usize = 4;
/// and so many in all: hosts that do not answer cannot keep those waiting that do.
const MOST_DOUBTFUL_CALLS: usize = 16;
/// What quickly means.
const QUICKLY: Duration = Duration::from_secs(3);
/// How often old deliveries are forgotten.
const SWEEP: TimeDelta = TimeDelta::minutes(1);

/// What time it is.
pub(super) type Clock = Arc<dyn Fn() -> DateTime<Utc> + Send + Sync>;

/// Whether the next round should follow at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pace {
    Rest,
    Hurry,
}

/// A call that has ended.
struct Ended {
    outcome: Outcome,
    took: Duration,
}

impl Ended {
    /// Whether the host took the call as it should.
    fn is_quick(&self) -> bool {
        self.took < QUICKLY && matches!(self.outcome.answer, Ok(200..=299))
    }
}

/// One round after the other. They never wait for a receiver: every call has a thread of its own.
pub(super) struct Rounds<'a> {
    accounts: &'a Accounts,
    catalogue: &'a Catalogue,
    client: Arc<Client>,
    clock: Clock,
    /// Rung when a call has ended.
    bell: Arc<Bell>,
    ended: Arc<Mutex<Vec<Ended>>>,
    /// Calls that have not been recorded yet, and the hosts that they go to.
    under_way: HashSet<DeliveryId>,
    hosts: HashMap<DeliveryId, String>,
    /// The hosts that answered their last call quickly.
    quick: HashSet<String>,
    /// The data version up to which everything is in the outbox.
    told: Option<u64>,
    swept: Option<DateTime<Utc>>,
    /// The webhook that was served last: the next round starts after it, so that all get their turn.
    last: Option<WebhookId>,
}

impl<'a> Rounds<'a> {
    pub(super) fn new(
        accounts: &'a Accounts,
        catalogue: &'a Catalogue,
        client: Client,
        clock: Clock,
        bell: Arc<Bell>,
    ) -> Rounds<'a> {
        Rounds {
            accounts,
            catalogue,
            client: Arc::new(client),
            clock,
            bell,
            ended: Arc::default(),
            under_way: HashSet::new(),
            hosts: HashMap::new(),
            quick: HashSet::new(),
            told: None,
            swept: None,
            last: None,
        }
    }

    /// One round. A part that fails does not keep the others from their work; the first failure is returned.
    pub(super) fn round(&mut self) -> Result<Pace> {
        let now = (self.clock)();
        let parts = [self.record(), self.tell(now), self.sweep(now), self.call(now)];
        let mut pace = Pace::Rest;
        for part in parts {
            if part? == Pace::Hurry {
                pace = Pace::Hurry;
            }
        }
        Ok(pace)
    }

    /// Waits for the calls under way, but no longer than this, and records what came of them.
    pub(super) fn finish(&mut self, time: Duration) -> Result<Pace> {
        let started = Instant::now();
        while !self.under_way.is_empty() && started.elapsed() < time {
            self.bell.wait(Duration::from_millis(50));
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
        let outcomes: Vec<Outcome> = ended.iter().map(|ended| ended.outcome.clone()).collect();
        if let Err(err) = webhooks::record(self.accounts, &outcomes) {
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

    /// A step through what was published since.
    fn tell(&mut self, now: DateTime<Utc>) -> Result<Pace> {
        let snapshot = self.catalogue.snapshot(Date::in_brasilia(now))?;
        let version = snapshot.version()?;
        if self.told == Some(version) {
            return Ok(Pace::Rest);
        }
        if webhooks::tell(self.accounts, &snapshot, now)?.more {
            return Ok(Pace::Hurry);
        }
        self.told = Some(version);
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

    /// Starts the calls that are due and have room.
    fn call(&mut self, now: DateTime<Utc>) -> Result<Pace> {
        if self.under_way.len() >= MOST_CALLS {
            return Ok(Pace::Rest);
        }
        let mut waiting = webhooks::waiting(self.accounts, now)?;
        waiting.sort_by(|one, other| one.webhook.cmp(&other.webhook));
        let served = |webhook: &WebhookId| self.last.as_ref().is_some_and(|last| webhook <= last);
        let turn = waiting.partition_point(|waiting| served(&waiting.webhook));
        waiting.rotate_left(turn);
        for waiting in waiting {
            let room = self.room(&waiting.host);
            if room == 0 {
                continue;
            }
            let calls = webhooks::due(self.accounts, &waiting.webhook, now, room, &self.under_way)?;
            for call in calls {
                self.start(call, &waiting.host, now)?;
            }
            self.last = Some(waiting.webhook);
        }
        Ok(Pace::Rest)
    }

    /// How many more calls may go to a host.
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
        let (ended, bell) = (self.ended.clone(), self.bell.clone());
        let work = move || {
            let started = Instant::now();
            let answer = catch_unwind(AssertUnwindSafe(|| client.call(&call, now)))
                .unwrap_or_else(|_| Err("the call failed on our side".into()));
            let Call { delivery, webhook, turn, .. } = call;
            let time = clock();
            let jitter = 2.0 * jitter() - 1.0;
            let outcome = Outcome { delivery, webhook, turn, answer, time, jitter };
            lock(&ended).push(Ended { outcome, took: started.elapsed() });
            bell.ring();
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

/// Nothing can panic while it holds this lock, so what a poisoned one holds is right.
fn lock(ended: &Mutex<Vec<Ended>>) -> MutexGuard<'_, Vec<Ended>> {
    ended.lock().unwrap_or_else(PoisonError::into_inner)
}
