//! When a server synchronises by itself.
use std::time::Duration;

use fincore::{
    Date,
    calendar::is_business_day,
    chrono::{DateTime, NaiveDate, NaiveTime, TimeDelta, Utc},
};

use super::dataset_selection::Content;

/// Datasets that are synchronised together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SyncGroup {
    /// Interest rates, inflation and exchange rates: several a day.
    Rates,
    /// The registry of companies and the calendar of meetings: published once a day or less.
    Registry,
    /// Filings: published once a week, some files more often.
    Filings,
}

impl SyncGroup {
    pub(super) const ALL: [SyncGroup; 3] =
        [SyncGroup::Rates, SyncGroup::Registry, SyncGroup::Filings];

    pub(super) fn includes(self, content: &Content) -> bool {
        match content {
            Content::Series(_) | Content::Fx => self == SyncGroup::Rates,
            // A calendar changes once a year.
            Content::Companies | Content::Meetings => self == SyncGroup::Registry,
            Content::Filings(_) => self == SyncGroup::Filings,
        }
    }
}

/// How the last run of a group went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LastRun {
    Never,
    Succeeded(DateTime<Utc>),
    Failed(DateTime<Utc>),
}

/// Brasília has kept UTC−3 all year since 2019.
const BRASILIA: TimeDelta = TimeDelta::hours(-3);

/// The central bank publishes between these hours of business days, Brasília time.
const OPENING: NaiveTime = NaiveTime::from_hms_opt(12, 0, 0).expect("a time of day");
const CLOSING: NaiveTime = NaiveTime::from_hms_opt(20, 0, 0).expect("a time of day");

const HALF_AN_HOUR: TimeDelta = TimeDelta::minutes(30);
const SIX_HOURS: TimeDelta = TimeDelta::hours(6);
const A_DAY: TimeDelta = TimeDelta::hours(24);

/// How long to wait now for the next run of a group; zero if it is due. `jitter`, from 0 to 1, makes it up to a tenth
/// later.
pub(super) fn time_until_due(
    group: SyncGroup,
    last: LastRun,
    now: DateTime<Utc>,
    jitter: f64,
) -> Duration {
    let (ran, shortest) = match last {
        LastRun::Never => return Duration::ZERO,
        LastRun::Succeeded(ran) => (ran, TimeDelta::MAX),
        LastRun::Failed(ran) => (ran, HALF_AN_HOUR),
    };
    let interval = match group {
        SyncGroup::Rates => rates_interval(ran),
        SyncGroup::Registry => A_DAY,
        SyncGroup::Filings => SIX_HOURS,
    };
    let interval = interval.min(shortest).to_std().unwrap_or_default();
    // After a clock was set back, the last run lies ahead: no wait is longer than the interval.
    let passed = (now - ran).to_std().unwrap_or_default();
    interval.mul_f64(1.0 + jitter.clamp(0.0, 1.0) / 10.0).saturating_sub(passed)
}

/// The time between a run at this moment and the next one: half an hour while the central bank publishes, otherwise
/// six hours, but no longer than until it opens.
fn rates_interval(ran: DateTime<Utc>) -> TimeDelta {
    let local = ran.naive_utc() + BRASILIA;
    let (day, time) = (local.date(), local.time());
    if is_open(day) && (OPENING..CLOSING).contains(&time) {
        return HALF_AN_HOUR;
    }
    let opening = if time < OPENING { Some(day) } else { day.succ_opt() };
    match opening.filter(|day| is_open(*day)) {
        Some(opening) => SIX_HOURS.min(opening.and_time(OPENING) - local),
        None => SIX_HOURS,
    }
}

fn is_open(day: NaiveDate) -> bool {
    Date::try_from(day).is_ok_and(is_business_day)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The minutes until the next run, without jitter.
    fn minutes(group: SyncGroup, last: LastRun, now: &str) -> u64 {
        time_until_due(group, last, now.parse().unwrap(), 0.0).as_secs() / 60
    }

    #[test]
    fn keeps_the_rhythm_of_each_source() {
        // 16 November 2026 is a Monday; Brasília is three hours behind.
        let cases = [
            (SyncGroup::Rates, "2026-11-16T15:00:00Z", 30),
            (SyncGroup::Rates, "2026-11-16T22:59:00Z", 30),
            (SyncGroup::Rates, "2026-11-16T23:00:00Z", 360),
            // Twelve o'clock comes before six hours are over.
            (SyncGroup::Rates, "2026-11-16T11:00:00Z", 240),
            (SyncGroup::Rates, "2026-11-16T14:59:00Z", 1),
            (SyncGroup::Rates, "2026-11-17T02:00:00Z", 360),
            // Friday evening, Saturday noon, late on Sunday and early on Monday.
            (SyncGroup::Rates, "2026-11-13T23:30:00Z", 360),
            (SyncGroup::Rates, "2026-11-14T15:00:00Z", 360),
            (SyncGroup::Rates, "2026-11-16T02:30:00Z", 360),
            (SyncGroup::Rates, "2026-11-16T08:30:00Z", 360),
            (SyncGroup::Registry, "2026-11-16T15:00:00Z", 24 * 60),
            (SyncGroup::Filings, "2026-11-16T15:00:00Z", 360),
        ];
        for (group, ran, wanted) in cases {
            assert_eq!(
                minutes(group, LastRun::Succeeded(ran.parse().unwrap()), ran),
                wanted,
                "{ran}"
            );
        }
    }

    #[test]
    fn starts_at_once_and_repeats_failures_sooner() {
        let ran = "2026-11-14T15:00:00Z";
        let failed = LastRun::Failed(ran.parse().unwrap());
        for group in SyncGroup::ALL {
            assert_eq!(minutes(group, LastRun::Never, ran), 0);
            assert_eq!(minutes(group, failed, ran), 30);
        }
        let opening = LastRun::Failed("2026-11-16T14:50:00Z".parse().unwrap());
        assert_eq!(minutes(SyncGroup::Rates, opening, "2026-11-16T14:50:00Z"), 10);
    }

    #[test]
    fn counts_from_the_last_run() {
        let last = LastRun::Succeeded("2026-11-16T15:00:00Z".parse().unwrap());
        for (now, wanted) in [
            ("2026-11-16T15:10:00Z", 20),
            ("2026-11-16T15:30:00Z", 0),
            ("2026-11-18T15:30:00Z", 0),
            // The clock was set back.
            ("2026-11-10T15:30:00Z", 30),
        ] {
            assert_eq!(minutes(SyncGroup::Rates, last, now), wanted, "{now}");
        }
    }

    #[test]
    fn jitter_makes_it_up_to_a_tenth_later() {
        let now = "2026-11-16T15:00:00Z".parse().unwrap();
        for (jitter, minutes) in [(0.0, 360), (0.5, 378), (1.0, 396), (7.0, 396)] {
            let wait = time_until_due(SyncGroup::Filings, LastRun::Succeeded(now), now, jitter);
            assert_eq!(wait.as_secs() / 60, minutes);
        }
    }
}
