//! The clock: the time of the system, or the time that a test sets.
use std::{
    fmt,
    sync::Arc,
    time::{Instant, SystemTime},
};

use fincore::{
    Date,
    chrono::{DateTime, Utc},
};

/// A source of the time.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> Now + Send + Sync>);

impl Clock {
    /// The clocks of the system.
    #[must_use]
    pub fn system() -> Clock {
        Clock(Arc::new(Now::read))
    }

    /// A clock whose wall time is what `utc` returns; the monotonic time is still the system's.
    pub fn with_utc(utc: impl Fn() -> DateTime<Utc> + Send + Sync + 'static) -> Clock {
        Clock(Arc::new(move || Now { instant: Instant::now(), utc: utc() }))
    }

    pub(crate) fn now(&self) -> Now {
        (self.0)()
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Clock")
    }
}

/// The current time by the monotonic clock and by the wall clock.
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
