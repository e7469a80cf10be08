//! Exact rate limits over a sliding window: no interval as long as the window ever admits more requests
//! than the limit.
//!
//! [`Limits`] counts the requests of every [`Caller`] in memory. [`Limits::admit`] counts one request if
//! it is within the limit of the caller's plan, and returns the caller's [`Standing`] either way. Time is
//! an argument, so that tests need not wait. A [`Limiter`] is anything that does the same, for instance over
//! several servers.
//!
//! The time of every admitted request is kept until it leaves the window. Buckets of a second would be
//! smaller, but a bucket has to count until its *last* request leaves the window, and by then a client
//! that spaces its requests evenly has been refused.
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
    future::{Future, ready},
    time::{Duration, Instant},
};

use dashmap::DashMap;
use foldhash::fast::RandomState;

use crate::values::{Caller, CallerId};

/// The part of its limit that a caller has left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Standing {
    /// The limit.
    pub limit: u32,
    /// The number of further requests that would be admitted now.
    pub remaining: u32,
    /// The time until the whole limit is available again, if nothing more is sent.
    pub free_after: Duration,
    /// Whole seconds after which a request is certainly admitted; 0 if one is admitted now.
    pub retry_after: u64,
}

impl Standing {
    /// The standing of a caller that has sent `used` requests within the window: the last of them leaves it
    /// after `free_after`, and after `wait` another request is admitted.
    #[must_use]
    pub fn new(limit: u32, used: u32, free_after: Duration, wait: Duration) -> Standing {
        Standing {
            limit,
            remaining: limit.saturating_sub(used),
            free_after,
            retry_after: wait.as_secs() + u64::from(wait.subsec_nanos() > 0),
        }
    }
}

/// A rate limiter. The answer may come from another machine, so it is a future; that of [`Limits`] is ready at once, and
/// its own functions do the same without one.
///
/// An implementation runs `fincore_testing::limits` in its tests.
pub trait Limiter {
    /// Counts a request against the limit of the caller's plan, and returns the standing after it. Fails
    /// with the standing if the limit is used up; a refused request does not count.
    ///
    /// A limiter with a clock of its own may disregard `now`, when the request arrived here.
    fn admit(
        &self,
        caller: &Caller,
        now: Instant,
    ) -> impl Future<Output = Result<Standing, Standing>> + Send;

    /// The standing of a caller; counts nothing.
    fn peek(&self, caller: &Caller, now: Instant) -> impl Future<Output = Standing> + Send;
}

/// Counts the requests of any number of callers in memory, over a sliding window. `Send` and `Sync`.
#[derive(Debug)]
pub struct Limits {
    window: u64,
    start: Instant,
    logs: DashMap<CallerId, Log, RandomState>,
}

/// Shards of the table, each with its own lock. A growing shard needs its old and its new memory at once,
/// so few large shards would need too much for a million callers. A sweep locks one at a time.
const SHARDS: usize = 64;

impl Limits {
    /// A limiter without requests; `start` must not be after any later `now`.
    #[must_use]
    pub fn new(window: Duration, start: Instant) -> Limits {
        Limits {
            window: nanos(window),
            start,
            logs: DashMap::with_hasher_and_shard_amount(RandomState::default(), SHARDS),
        }
    }

    /// Counts a request that arrives `now` against the limit of the caller's plan, and returns the
    /// standing after it.
    ///
    /// Fails with the standing if the limit is used up; a refused request does not count.
    pub fn admit(&self, caller: &Caller, now: Instant) -> Result<Standing, Standing> {
        self.admit_up_to(caller.plan.limit(), caller.id, now)
    }

    /// As [`admit`](Limits::admit), with an explicit limit.
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

    /// The standing of a caller; counts nothing.
    pub fn peek(&self, caller: &Caller, now: Instant) -> Standing {
        self.peek_up_to(caller.plan.limit(), caller.id, now)
    }

    fn peek_up_to(&self, limit: u32, id: CallerId, now: Instant) -> Standing {
        let now = self.since_start(now);
        let Some(mut log) = self.logs.get_mut(&id) else {
            return Log::Empty.standing(limit, now, self.window);
        };
        let now = log.not_before_the_last(now);
        log.forget(now, self.window);
        log.standing(limit, now, self.window)
    }

    /// Forgets callers without requests in the window, and frees their memory. Call it from time to time.
    pub fn sweep(&self, now: Instant) {
        let now = self.since_start(now);
        self.logs.retain(|_, log| log.last().is_some_and(|last| last + self.window > now));
        if self.logs.capacity() > 4 * self.logs.len() {
            self.logs.shrink_to_fit();
        }
    }

    /// The number of callers in memory.
    #[must_use]
    pub fn callers(&self) -> usize {
        self.logs.len()
    }

    fn since_start(&self, now: Instant) -> u64 {
        nanos(now.saturating_duration_since(self.start))
    }
}

impl Limiter for Limits {
    fn admit(
        &self,
        caller: &Caller,
        now: Instant,
    ) -> impl Future<Output = Result<Standing, Standing>> + Send {
        ready(Limits::admit(self, caller, now))
    }

    fn peek(&self, caller: &Caller, now: Instant) -> impl Future<Output = Standing> + Send {
        ready(Limits::peek(self, caller, now))
    }
}

/// A `u64` of nanoseconds lasts 584 years.
fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// The times of a caller's admitted requests, oldest first, in nanoseconds since the start. Most callers
/// send a single request, which needs no allocation.
#[derive(Debug)]
enum Log {
    Empty,
    One(u64),
    Many(Box<Times>),
}

/// Never more than the caller's limit, and never empty. The first and the last are copied out: with many callers, each
/// access to the deque's own memory is a cache miss.
#[derive(Debug)]
struct Times {
    all: VecDeque<u64>,
    first: u64,
    last: u64,
}

impl Times {
    fn push(&mut self, time: u64) {
        self.all.push_back(time);
        self.last = time;
    }

    /// Removes the old times; returns `false` if none is left.
    fn forget(&mut self, old: impl Fn(&u64) -> bool) -> bool {
        while old(&self.first) {
            self.all.pop_front();
            match self.all.front() {
                Some(first) => self.first = *first,
                None => return false,
            }
        }
        true
    }
}

impl Log {
    /// A thread reads the clock before it gets the lock, so times can arrive out of order.
    fn not_before_the_last(&self, now: u64) -> u64 {
        self.last().map_or(now, |last| last.max(now))
    }

    fn forget(&mut self, now: u64, window: u64) {
        let old = |time: &u64| time + window <= now;
        let some_left = match self {
            Log::Empty => false,
            Log::One(time) => !old(time),
            Log::Many(times) => times.forget(old),
        };
        if !some_left {
            *self = Log::Empty;
        }
    }

    fn push(&mut self, now: u64) {
        match self {
            Log::Empty => *self = Log::One(now),
            Log::One(first) => {
                let (all, first) = (VecDeque::from([*first, now]), *first);
                *self = Log::Many(Box::new(Times { all, first, last: now }));
            }
            Log::Many(times) => times.push(now),
        }
    }

    fn len(&self) -> usize {
        match self {
            Log::Empty => 0,
            Log::One(_) => 1,
            Log::Many(times) => times.all.len(),
        }
    }

    fn get(&self, index: usize) -> Option<u64> {
        match self {
            Log::Empty => None,
            Log::One(time) => (index == 0).then_some(*time),
            Log::Many(times) => times.all.get(index).copied(),
        }
    }

    fn last(&self) -> Option<u64> {
        match self {
            Log::Empty => None,
            Log::One(time) => Some(*time),
            Log::Many(times) => Some(times.last),
        }
    }

    fn standing(&self, limit: u32, now: u64, window: u64) -> Standing {
        let used = u32::try_from(self.len()).unwrap_or(u32::MAX);
        let wait = |time: u64| Duration::from_nanos((time + window).saturating_sub(now));
        // After a downgrade, more than the limit may be in the window: the excess and one more have to
        // leave it.
        let above = self.len().checked_sub(limit as usize);
        let until_next = above.map_or(Duration::ZERO, |above| wait(self.get(above).unwrap_or(now)));
        Standing::new(limit, used, self.last().map_or(Duration::ZERO, wait), until_next)
    }
}

#[cfg(test)]
mod tests;
