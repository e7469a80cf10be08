//! The time, by both clocks.
use std::time::{Instant, SystemTime};

use fincore::{
    Date,
    chrono::{DateTime, Utc},
};

/// A moment by both clocks: one that never jumps, one that people read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Now {
    pub(crate) instant: Instant,
    pub(crate) utc: DateTime<Utc>,
}

impl Now {
    /// Reads both clocks.
    pub(crate) fn read() -> Now {
        // `Utc::now` panics where a clock is set before 1970.
        Now { instant: Instant::now(), utc: SystemTime::now().into() }
    }

    /// The day in Brasília.
    pub(crate) fn today(self) -> Date {
        Date::in_brasilia(self.utc)
    }

    /// The day in UTC, by which usage is counted.
    pub(crate) fn utc_day(self) -> Date {
        Date::try_from(self.utc.date_naive()).unwrap_or(Date::MAX)
    }
}
