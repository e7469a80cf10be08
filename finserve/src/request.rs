//! A request as it arrives: what was sent, by whom, and when.
use std::{net::IpAddr, time::Instant};

use chrono::{DateTime, TimeDelta, Utc};
use fincore::{Date, Plan, keys::KeyId, limits::Caller};
use hyper::{body::Bytes, http::request::Parts};

/// The longest body, in bytes.
pub(crate) const MAX_UPLOAD: usize = 16 * 1024;

/// A request that has arrived.
pub(crate) struct Request {
    pub(crate) head: Parts,
    pub(crate) upload: Upload,
    pub(crate) peer: IpAddr,
}

/// The body of a request, as far as it is wanted.
#[derive(Debug)]
pub(crate) enum Upload {
    Whole(Bytes),
    TooLarge,
    /// It did not arrive; the text says why.
    Broken(&'static str),
}

/// A moment by both clocks: one that never jumps, one that people read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Now {
    pub(crate) instant: Instant,
    pub(crate) utc: DateTime<Utc>,
}

impl Now {
    /// The day in Brasília, which has kept UTC−3 all year since 2019.
    pub(crate) fn today(self) -> Date {
        Date::try_from((self.utc - TimeDelta::hours(3)).date_naive()).unwrap_or(Date::MAX)
    }

    /// The day in UTC, by which usage is counted.
    pub(crate) fn utc_day(self) -> Date {
        Date::try_from(self.utc.date_naive()).unwrap_or(Date::MAX)
    }
}

/// Who sent a request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Client {
    pub(crate) plan: Plan,
    pub(crate) key: Option<KeyId>,
    /// The caller that its address makes it, whatever its key.
    pub(crate) address: Caller,
}

impl Client {
    /// Whom its requests are counted on.
    pub(crate) fn caller(&self) -> Caller {
        self.key.map_or(self.address, Caller::key)
    }
}
