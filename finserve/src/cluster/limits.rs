//! Limits over all replicas, counted in Valkey or Redis.
//!
//! Each worker of the server has a [`Batcher`] with a connection of its own. Questions that come while an answer is on its
//! way are collected and sent together, so that a busy worker needs one round trip for many requests. While the engine is
//! away or slow, every replica counts in its own memory, which knows all that this replica has admitted before.
use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use fincore::{
    Caller,
    limits::{Limits, Standing},
    plans::WINDOW,
};
use quick_cache::sync::Cache;

mod address;
mod batcher;
mod connection;
mod engine;
mod fault;
mod script;

pub(crate) use address::Address;
pub(crate) use batcher::Batcher;
use connection::Endpoint;
use fault::Fault;
use script::Answer;

/// How long the engine may take to answer, before a replica decides alone.
const ANSWER: Duration = Duration::from_millis(20);

/// How long it may take to connect at the start, while the first requests wait.
const FIRST_CONNECT: Duration = Duration::from_millis(250);

/// How long it may take to connect while no request waits for that.
const CONNECT: Duration = Duration::from_secs(1);

/// The limits of a service that has several replicas.
#[derive(Clone)]
pub(crate) struct SharedLimits(Arc<Shared>);

/// State shared by all batchers.
struct Shared {
    endpoint: Endpoint,
    window: Duration,
    /// All that this replica has admitted, by itself or by the engine; it decides alone while the engine is away.
    memory: Arc<Limits>,
    batchers: Mutex<Vec<Batcher>>,
    /// How many batchers have no connection.
    away: AtomicUsize,
    /// How many requests this replica has decided alone.
    alone: AtomicU64,
    start: Instant,
    /// Callers that had used up their limit when the engine last said so, by their numbers.
    full: Cache<u64, Full>,
    /// When this replica last admitted a request alone or lost a connection, in nanoseconds after a window before the start.
    ///
    /// For a minute after an outage, and after every lost connection, a request needs room in the engine and in
    /// memory: the engine may have come back empty.
    last_alone: AtomicU64,
}

/// A caller that has used up this limit until then, over all replicas.
#[derive(Clone, Copy)]
struct Full {
    limit: u32,
    until: Instant,
}

/// How many of those are known, at some 50 bytes each. Beyond that, some get more than they should while the engine is away.
const MOST_FULL: usize = 64 * 1024;

impl SharedLimits {
    /// Limits that are counted at this address, where no engine need answer yet. Fails, in words, if there are no
    /// certificates for encrypted connections.
    pub(crate) fn start(address: Address, memory: Arc<Limits>) -> Result<SharedLimits, String> {
        SharedLimits::with_window(address, memory, WINDOW)
    }

    fn with_window(
        address: Address,
        memory: Arc<Limits>,
        window: Duration,
    ) -> Result<SharedLimits, String> {
        Ok(SharedLimits(Arc::new(Shared {
            endpoint: Endpoint::new(address)?,
            window,
            memory,
            batchers: Mutex::default(),
            away: AtomicUsize::new(0),
            alone: AtomicU64::new(0),
            full: Cache::new(MOST_FULL),
            start: Instant::now(),
            last_alone: AtomicU64::new(0),
        })))
    }

    /// A new batcher for a worker, which has to [run](Batcher::run) it.
    pub(crate) fn new_batcher(&self) -> Batcher {
        let batcher = Batcher::new(self.0.clone());
        self.0.batchers.lock().unwrap_or_else(PoisonError::into_inner).push(batcher.clone());
        batcher
    }

    /// The standing of a caller, for threads that may wait.
    pub(crate) fn peek(&self, caller: &Caller, now: Instant) -> Standing {
        match self.any_batcher() {
            Some(batcher) => batcher.peek_blocking(caller, now),
            None => self.0.memory.peek(caller, now),
        }
    }

    /// Counts a request, for threads that may wait.
    pub(crate) fn admit(&self, caller: &Caller, now: Instant) -> Result<Standing, Standing> {
        match self.any_batcher() {
            Some(batcher) => batcher.admit_blocking(caller, now),
            None => self.0.admit_alone(caller, now),
        }
    }

    fn any_batcher(&self) -> Option<Batcher> {
        self.0.batchers.lock().unwrap_or_else(PoisonError::into_inner).first().cloned()
    }

    /// Whether requests are decided by this replica alone.
    pub(crate) fn is_away(&self) -> bool {
        self.0.away.load(Ordering::Relaxed) > 0
    }

    /// How many requests this replica has decided alone.
    pub(crate) fn decided_alone(&self) -> u64 {
        self.0.alone.load(Ordering::Relaxed)
    }
}

impl Shared {
    /// Decides without the engine.
    fn admit_alone(&self, caller: &Caller, now: Instant) -> Result<Standing, Standing> {
        self.alone.fetch_add(1, Ordering::Relaxed);
        // A caller over its limit stays refused for as long as the engine said, so that asking again costs nothing.
        let full = self.full.get(&caller.id.number());
        if let Some(Full { until, .. }) = full.filter(|full| full.limit == caller.plan.limit())
            && now < until
        {
            let wait = until - now;
            let free_after = self.memory.peek(caller, now).free_after.max(wait);
            return Err(Standing::new(caller.plan.limit(), caller.plan.limit(), free_after, wait));
        }
        let admitted = self.memory.admit(caller, now);
        if admitted.is_ok() {
            self.doubt(now);
        }
        admitted
    }

    /// Notes that the engine may have forgotten what it knew, or never hears of what is admitted now.
    fn doubt(&self, now: Instant) {
        self.last_alone.fetch_max(self.time(now), Ordering::Relaxed);
    }

    /// Whether there may be requests in the window that the engine does not know: this replica has admitted them alone, or
    /// the engine was lost and may have come back empty. Until they have left it, a caller needs room in both places.
    fn is_settling(&self, now: Instant) -> bool {
        let last = self.last_alone.load(Ordering::Relaxed);
        last > 0 && self.time(now) < last.saturating_add(nanos(self.window))
    }

    fn time(&self, now: Instant) -> u64 {
        nanos(now.saturating_duration_since(self.start)).saturating_add(nanos(self.window))
    }

    /// Decides as the engine has answered, and notes that in memory.
    fn admit_by_answer(
        &self,
        caller: &Caller,
        now: Instant,
        answer: &Answer,
    ) -> Result<Standing, Standing> {
        let limit = caller.plan.limit();
        let standing = answer.standing(limit);
        if !answer.wait.is_zero() {
            self.full.insert(caller.id.number(), Full { limit, until: now + answer.wait });
        }
        if !answer.admitted {
            return Err(standing);
        }
        match self.memory.admit(caller, now) {
            Err(full) if self.is_settling(now) => Err(full),
            // The clocks of two machines differ a little; the engine's is the one that counts.
            Ok(_) | Err(_) => Ok(standing),
        }
    }

    /// The standing of a caller that is refused without the engine: while limits settle, it has no room here.
    fn refuse_at_once(&self, caller: &Caller, now: Instant) -> Option<Standing> {
        if !self.is_settling(now) {
            return None;
        }
        let standing = self.memory.peek(caller, now);
        if standing.remaining > 0 {
            return None;
        }
        self.alone.fetch_add(1, Ordering::Relaxed);
        Some(standing)
    }

    /// A batcher has lost its connection, or could not get one.
    fn report_lost(&self, why: &Fault) {
        self.doubt(Instant::now());
        if self.away.fetch_add(1, Ordering::Relaxed) == 0 {
            tracing::warn!(
                "limits: Valkey at {} is away ({why}); until it is back, this server counts by itself",
                self.endpoint.address
            );
        }
    }

    /// A batcher has its connection again.
    fn report_back(&self) {
        if self.away.fetch_sub(1, Ordering::Relaxed) == 1 {
            tracing::info!("limits: Valkey at {} is back, and counts again", self.endpoint.address);
        }
    }
}

fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
