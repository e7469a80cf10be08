//! Forgets keys that were never used, and sums old usage by month: a bounded step at a time.
use std::time::{Duration, Instant};

use fincore::{
    Accounts, Date, Result,
    chrono::TimeDelta,
    keys,
    usage::{self, UsagePosition},
};

use crate::{cli::Retention, coordination::clock::Now};

/// How often it is looked for what is old enough.
const INTERVAL: Duration = Duration::from_secs(3600);

/// The remaining work, and the work done since the last line of the log.
pub(super) struct RetentionSweep {
    retention: Retention,
    /// When the last sweep was over; `None` while one is under way.
    swept: Option<Instant>,
    usage: Option<UsagePosition>,
    revoked: usize,
    removed: usize,
    summed: usize,
}

impl RetentionSweep {
    pub(super) fn new(retention: Retention) -> RetentionSweep {
        let usage = Some(UsagePosition::default());
        RetentionSweep { retention, swept: None, usage, revoked: 0, removed: 0, summed: 0 }
    }

    /// Takes the next step, if it is time for it. If it fails, the next sweep tries again.
    pub(super) fn step(&mut self, accounts: &Accounts, now: Now) -> Result<()> {
        if self.swept.is_some_and(|swept| now.instant.duration_since(swept) < INTERVAL) {
            return Ok(());
        }
        self.swept = None;
        let more = self.forget_keys(accounts, now).and_then(|more| {
            let more_usage = self.sum_usage(accounts, now)?;
            Ok(more || more_usage)
        });
        if !matches!(more, Ok(true)) {
            self.swept = Some(now.instant);
            self.usage = Some(UsagePosition::default());
            self.log();
        }
        more.map(drop)
    }

    fn forget_keys(&mut self, accounts: &Accounts, now: Now) -> Result<bool> {
        let Some(days) = self.retention.unused_keys else { return Ok(false) };
        let before = now.utc - TimeDelta::days(days.into());
        let forgotten = keys::forget_unused(accounts, before, now.utc)?;
        self.revoked += forgotten.revoked;
        self.removed += forgotten.removed;
        Ok(forgotten.more)
    }

    fn sum_usage(&mut self, accounts: &Accounts, now: Now) -> Result<bool> {
        let Some((days, after)) = self.retention.daily_usage.zip(self.usage.take()) else {
            return Ok(false);
        };
        let day: Date = now.utc_day().days_before(days);
        let summed = usage::sum_by_month(accounts, day, &after)?;
        self.summed += summed.rows;
        self.usage = summed.next;
        Ok(self.usage.is_some())
    }

    fn log(&mut self) {
        let (revoked, removed, summed) = (self.revoked, self.removed, self.summed);
        if let (Some(days), true) = (self.retention.unused_keys, revoked + removed > 0) {
            tracing::info!(
                "{revoked} keys were revoked that were never used in {days} days, and {removed} that were revoked so \
                 before were removed"
            );
        }
        if let (Some(days), true) = (self.retention.daily_usage, summed > 0) {
            tracing::info!(
                "{summed} sums of usage that are older than {days} days were added to their months"
            );
        }
        (self.revoked, self.removed, self.summed) = (0, 0, 0);
    }
}

#[cfg(test)]
mod tests {
    use fincore::keys::Registration;

    use super::*;

    #[test]
    fn keys_and_days_go_when_they_are_old_enough() {
        let dir = tempfile::tempdir().unwrap();
        let accounts = Accounts::open(dir.path().join("accounts.db")).unwrap();
        let who =
            Registration { name: "Ana".parse().unwrap(), email: "a@b.example".parse().unwrap() };
        let start = Now::read();
        for _ in 0..1200 {
            keys::register(&accounts, &who, start.utc).unwrap();
        }
        let after = |days: i64| Now {
            utc: start.utc + TimeDelta::days(days),
            instant: start.instant + Duration::from_secs(86_400 * days.unsigned_abs()),
        };
        let count = || keys::list(&accounts).unwrap().len();
        let valid =
            || keys::list(&accounts).unwrap().iter().filter(|key| key.revoked.is_none()).count();
        let never = Retention { unused_keys: None, daily_usage: None };
        RetentionSweep::new(never).step(&accounts, after(1000)).unwrap();
        let mut sweep =
            RetentionSweep::new(Retention { unused_keys: Some(90), daily_usage: Some(400) });
        sweep.step(&accounts, after(90)).unwrap();
        assert_eq!(valid(), 1200);
        // Some at a time; then nothing before the next sweep is due.
        for left in [700, 200, 0, 0] {
            sweep.step(&accounts, after(91)).unwrap();
            assert_eq!((valid(), count()), (left, 1200));
        }
        for left in [700, 200, 0] {
            sweep.step(&accounts, after(93)).unwrap();
            assert_eq!(count(), left);
        }
    }
}
