//! The clock: the time of the system, or the time that a test sets.
use std::{
    fmt,
    sync::Arc,
    time::{Duration, Instant, SystemTime},
};

use fincore::{
    Date,
    chrono::{DateTime, Utc},
};

use super::signal::Signal;

/// A source of the time.
#[derive(Clone)]
pub struct Clock {
    read: Arc<dyn Fn() -> Now + Send + Sync>,
    /// Called instead of waiting between requests to publishers; `None` to wait.
    pause: Option<Arc<dyn Fn(Duration) + Send + Sync>>,
}

impl Clock {
    /// The clocks of the system.
    #[must_use]
    pub fn system() -> Clock {
        Clock { read: Arc::new(Now::read), pause: None }
    }

    /// A clock whose wall time is what `utc` returns; the monotonic time is still the system's.
    pub fn with_utc(utc: impl Fn() -> DateTime<Utc> + Send + Sync + 'static) -> Clock {
        Clock { read: Arc::new(move || Now { instant: Instant::now(), utc: utc() }), pause: None }
    }

    /// Calls `pause` with each pause between requests to publishers instead of waiting for it.
    #[must_use]
    pub fn with_pauses(self, pause: impl Fn(Duration) + Send + Sync + 'static) -> Clock {
        Clock { pause: Some(Arc::new(pause)), ..self }
    }

    pub(crate) fn now(&self) -> Now {
        (self.read)()
    }

    /// Waits for this time, or until it is stopped.
    pub(crate) fn pause(&self, time: Duration, stop: &Signal) {
        match &self.pause {
            Some(pause) => pause(time),
            None => {
                stop.wait(time);
            }
        }
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
