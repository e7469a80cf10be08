//! Exact rate limits: no interval as long as the window ever admits more requests than the limit.
//!
//! [`Limits`] counts the requests of every [`Caller`] in memory; [`Limits::admit`] counts one if it is within the
//! limit of the caller's plan, and gives the caller's [`Standing`] either way. Time comes in as an argument.
//!
//! The time of every admitted request is kept until it is as old as the window. Counting by the second would
//! be smaller, but a bucket must count until its *last* request is old enough, and by then a client that
//! spaces its requests evenly has been refused.
//!
//! ```
//! use std::{net::Ipv4Addr, time::{Duration, Instant}};
//! use fincore::{Caller, limits::Limits, plans::WINDOW};
//!
//! let start = Instant::now();
//! let limits = Limits::new(WINDOW, start);
//! let caller = Caller::at(Ipv4Addr::LOCALHOST.into());
//!
//! for sent in 1..=caller.plan.limit() {
//!     let standing = limits.admit(&caller, start).unwrap();
//!     assert_eq!(standing.remaining, caller.plan.limit() - sent);
//! }
//! assert_eq!(limits.admit(&caller, start).unwrap_err().retry_after, 60);
//! assert!(limits.admit(&caller, start + Duration::from_secs(60)).is_ok());
//! ```
use std::{
    collections::VecDeque,
    time::{Duration, Instant},
};

use dashmap::DashMap;

use crate::types::{Caller, CallerId};

/// How much of its limit a caller has left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Standing {
    /// The limit.
    pub limit: u32,
    /// How many requests are admitted now.
    pub remaining: u32,
    /// The time until the whole limit is free again if nothing more is sent.
    pub free_after: Duration,
    /// Whole seconds after which a request is admitted for certain; 0 where one is admitted now.
    pub retry_after: u64,
}

/// Counts the requests of any number of callers over a window of time, in memory. `Send` and `Sync`.
#[derive(Debug)]
pub struct Limits {
    window: u64,
    start: Instant,
    logs: DashMap<CallerId, Log>,
}

/// Parts of the table with a lock each. A part that grows holds its old and its new memory at once: of
/// a million callers in few parts that would be too much. It also is what a sweep locks at a time.
const SHARDS: usize = 64;

impl Limits {
    /// Nobody has sent anything yet; `start` is not after any later `now`.
    #[must_use]
    pub fn new(window: Duration, start: Instant) -> Limits {
        Limits { window: nanos(window), start, logs: DashMap::with_shard_amount(SHARDS) }
    }

    /// Counts a request of a caller that arrives `now`, up to the limit of its plan, and gives the standing
    /// after it.
    ///
    /// Fails with the standing where the limit is used up; a refused request is not counted.
    pub fn admit(&self, caller: &Caller, now: Instant) -> Result<Standing, Standing> {
        self.admit_up_to(caller.plan.limit(), caller.id, now)
    }

    /// The same up to a limit that is not a plan's.
    pub fn admit_up_to(
        &self,
        limit: u32,
        id: CallerId,
        now: Instant,
    ) -> Result<Standing, Standing> {
        let now = self.since_start(now);
        // Holds the lock of the caller's shard until the request is counted.
        let mut log = self.logs.entry(id).or_insert(Log::Empty);
        let now = log.not_before_the_last(now);
        log.forget(now, self.window);
        if log.len() >= limit as usize {
            return Err(log.standing(limit, now, self.window));
        }
        log.push(now);
        Ok(log.standing(limit, now, self.window))
    }

    /// The standing of a caller, without counting anything.
    pub fn peek(&self, caller: &Caller, now: Instant) -> Standing {
        self.peek_up_to(caller.plan.limit(), caller.id, now)
    }

    /// The same for a limit that is not a plan's.
    pub fn peek_up_to(&self, limit: u32, id: CallerId, now: Instant) -> Standing {
        let now = self.since_start(now);
        let Some(mut log) = self.logs.get_mut(&id) else {
            return Log::Empty.standing(limit, now, self.window);
        };
        let now = log.not_before_the_last(now);
        log.forget(now, self.window);
        log.standing(limit, now, self.window)
    }

    /// Forgets the callers whose requests are all older than the window, and gives back their
    /// memory. To be called now and then.
    pub fn sweep(&self, now: Instant) {
        let now = self.since_start(now);
        self.logs.retain(|_, log| log.last().is_some_and(|last| last + self.window > now));
        if self.logs.capacity() > 4 * self.logs.len() {
            self.logs.shrink_to_fit();
        }
    }

    /// How many callers are remembered.
    #[must_use]
    pub fn callers(&self) -> usize {
        self.logs.len()
    }

    fn since_start(&self, now: Instant) -> u64 {
        nanos(now.saturating_duration_since(self.start))
    }
}

/// Enough for 584 years.
fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// When a caller's requests passed, oldest first, in nanoseconds since the start. Most callers send
/// one request and are gone: that one needs no memory of its own.
#[derive(Debug)]
enum Log {
    Empty,
    One(u64),
    Many(Box<Times>),
}

/// Never longer than the caller's limit.
#[derive(Debug)]
struct Times(VecDeque<u64>);

impl Log {
    /// Threads read the clock before they get their turn, so a later turn may bring an earlier time.
    fn not_before_the_last(&self, now: u64) -> u64 {
        self.last().map_or(now, |last| last.max(now))
    }

    fn forget(&mut self, now: u64, window: u64) {
        let old = |time: &u64| time + window <= now;
        if let Log::Many(times) = self {
            while times.0.front().is_some_and(old) {
                times.0.pop_front();
            }
        }
        if self.last().as_ref().is_none_or(old) {
            *self = Log::Empty;
        }
    }

    fn push(&mut self, now: u64) {
        match self {
            Log::Empty => *self = Log::One(now),
            Log::One(first) => *self = Log::Many(Box::new(Times(VecDeque::from([*first, now])))),
            Log::Many(times) => times.0.push_back(now),
        }
    }

    fn len(&self) -> usize {
        match self {
            Log::Empty => 0,
            Log::One(_) => 1,
            Log::Many(times) => times.0.len(),
        }
    }

    fn get(&self, index: usize) -> Option<u64> {
        match self {
            Log::Empty => None,
            Log::One(time) => (index == 0).then_some(*time),
            Log::Many(times) => times.0.get(index).copied(),
        }
    }

    fn last(&self) -> Option<u64> {
        self.get(self.len().checked_sub(1)?)
    }

    fn standing(&self, limit: u32, now: u64, window: u64) -> Standing {
        let used = u32::try_from(self.len()).unwrap_or(u32::MAX);
        let wait = |time: u64| Duration::from_nanos((time + window).saturating_sub(now));
        // After a change to a smaller plan more than the limit may have passed; all those above it
        // and one more have to grow old.
        let retry_after = self.len().checked_sub(limit as usize).map_or(0, |above| {
            let wait = wait(self.get(above).unwrap_or(now));
            wait.as_secs() + u64::from(wait.subsec_nanos() > 0)
        });
        Standing {
            limit,
            remaining: limit.saturating_sub(used),
            free_after: self.last().map_or(Duration::ZERO, wait),
            retry_after,
        }
    }
}

#[cfg(test)]
mod tests;
