//! Usage: requests per key, day and endpoint.
//!
//! [`Usage::count`] counts in memory, [`Usage::flush`] writes the counts to the accounts file, and
//! [`Usage::report`] adds up both.
//!
//! ```
//! use fincore::{Accounts, Plan, keys, usage::{Outcome, Usage, UsageQuery}};
//!
//! # let dir = tempfile::tempdir().unwrap();
//! # let now = chrono::DateTime::UNIX_EPOCH;
//! let accounts = Accounts::open(dir.path().join("accounts.db"))?;
//! let who = keys::Registration { name: "Ana".parse()?, email: "ana@example.com".parse()? };
//! let key = keys::issue(&accounts, &who, Plan::Gold, now)?;
//! let id = keys::authenticate(&accounts, &key)?.id.key().expect("the caller has a key");
//!
//! let (usage, today) = (Usage::default(), "2026-11-15".parse()?);
//! usage.count(id, today, "/api/v1/market/selic", Outcome::Success);
//! usage.flush(&accounts)?;
//! let report = usage.report(&accounts, id, &UsageQuery::default(), today)?;
//! assert_eq!(report.total.requests, 1);
//! # Ok::<(), fincore::Error>(())
//! ```
use std::{borrow::Cow, collections::BTreeMap};

use dashmap::DashMap;
use foldhash::fast::RandomState;
use parking_lot::FairMutex;
use serde::{Deserialize, Serialize};

use crate::{
    accounts::{Accounts, waited, waiting},
    deadline::Patience,
    error::Result,
    keys,
    plans::Plan,
    sqlite::parsed,
    types::{Date, DateRange, KeyId},
};

/// The number of days that a report covers by default.
const DAYS: u32 = 30;

/// How a request ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Admitted, and answered successfully.
    Success,
    /// Admitted, and answered with an error.
    Failure,
    /// Refused by the rate limit.
    RateLimited,
}

/// Numbers of requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Counts {
    /// Admitted requests.
    pub requests: u64,
    /// Admitted requests that ended in an error.
    pub errors: u64,
    /// Requests that the rate limit refused.
    pub rate_limited: u64,
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, more: Counts) {
        self.requests += more.requests;
        self.errors += more.errors;
        self.rate_limited += more.rate_limited;
    }
}

/// The range of a report; by default the last 30 days, up to today.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UsageQuery {
    /// The first day.
    pub from: Option<Date>,
    /// The last day.
    pub to: Option<Date>,
}

/// The requests of a key over a range of days.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Report {
    /// The prefix of the key and an ellipsis: `fin_AbCdEfGh…`.
    pub key: String,
    /// Its plan.
    pub plan: Plan,
    /// Requests per minute on that plan.
    pub rate_limit: u32,
    /// The first day of the report.
    pub from: Date,
    /// The last day of the report.
    pub to: Date,
    /// The sum over all days.
    pub total: Counts,
    /// The days with requests, newest first.
    pub data: Vec<DayReport>,
}

/// The requests of a key on a day.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct DayReport {
    /// The day, UTC.
    pub date: Date,
    /// The sum over all endpoints.
    #[serde(flatten)]
    pub counts: Counts,
    /// Admitted requests by endpoint.
    pub endpoints: BTreeMap<String, u64>,
}

/// Counts requests in memory until they are written to the accounts file. `Send` and `Sync`.
///
/// A crash loses what was counted since the last [`flush`](Usage::flush), but nothing ever counts twice.
#[derive(Debug, Default)]
pub struct Usage {
    counts: DashMap<KeyId, Vec<Slot>, RandomState>,
    /// Held while counts move from memory to the file, so that a report finds each of them in exactly one
    /// place. Fair, so that a report comes before the next flush.
    moving: FairMutex<()>,
}

/// The requests of one key to one endpoint on one day. A key has few of these between two flushes, so a
/// linear search finds them.
#[derive(Debug)]
struct Slot {
    day: Date,
    endpoint: Cow<'static, str>,
    counts: Counts,
}

impl Usage {
    /// Counts a request of `key` to `endpoint` on the UTC day `day`. An endpoint is any name; a constant
    /// is not copied.
    pub fn count(
        &self,
        key: KeyId,
        day: Date,
        endpoint: impl Into<Cow<'static, str>>,
        outcome: Outcome,
    ) {
        let one = match outcome {
            Outcome::Success => Counts { requests: 1, ..Counts::default() },
            Outcome::Failure => Counts { requests: 1, errors: 1, ..Counts::default() },
            Outcome::RateLimited => Counts { rate_limited: 1, ..Counts::default() },
        };
        self.add(key, Slot { day, endpoint: endpoint.into(), counts: one });
    }

    fn add(&self, key: KeyId, slot: Slot) {
        let mut slots = self.counts.entry(key).or_default();
        let same = |known: &&mut Slot| known.day == slot.day && known.endpoint == slot.endpoint;
        match slots.iter_mut().find(same) {
            Some(known) => known.counts += slot.counts,
            None => slots.push(slot),
        }
    }

    /// Writes the counts to the accounts file in one transaction. Call it about once a second, and before
    /// exit.
    ///
    /// If writing fails, nothing is lost: the next call tries again.
    pub fn flush(&self, accounts: &Accounts) -> Result<()> {
        let patience = waiting();
        let _moving = self.moving.try_lock_for(patience.left()).ok_or_else(waited)?;
        let batch = self.drain();
        if batch.is_empty() {
            return Ok(());
        }
        let written = store(accounts, patience, &batch);
        if written.is_err() {
            batch.into_iter().for_each(|(key, slot)| self.add(key, slot));
        }
        written
    }

    /// How many requests are counted in memory and not yet written, those that were refused included.
    #[must_use]
    pub fn unwritten(&self) -> u64 {
        let of = |slot: &Slot| slot.counts.requests + slot.counts.rate_limited;
        self.counts.iter().map(|slots| slots.iter().map(of).sum::<u64>()).sum()
    }

    /// Takes all counts out of memory, and shrinks the table if it was much larger than needed.
    fn drain(&self) -> Vec<(KeyId, Slot)> {
        let (mut batch, mut keys) = (Vec::new(), 0);
        self.counts.retain(|key, slots| {
            batch.extend(slots.drain(..).map(|slot| (*key, slot)));
            keys += 1;
            false
        });
        if self.counts.capacity() > 4 * keys {
            self.counts.shrink_to_fit();
        }
        batch
    }

    /// The usage of `key` until now; `today` is the current UTC day.
    ///
    /// Fails if `from` is after `to`, and with [`Error::Busy`](crate::Error::Busy) if another program has the file
    /// locked for two seconds.
    pub fn report(
        &self,
        accounts: &Accounts,
        key: KeyId,
        query: &UsageQuery,
        today: Date,
    ) -> Result<Report> {
        let to = query.to.unwrap_or(today);
        let range = DateRange::new(query.from.or(Some(to.days_before(DAYS - 1))), Some(to))?;
        let mut days = BTreeMap::new();
        let record = {
            let patience = waiting();
            let _moving = self.moving.try_lock_for(patience.left()).ok_or_else(waited)?;
            if let Some(slots) = self.counts.get(&key) {
                for slot in slots.iter().filter(|slot| range.contains(slot.day)) {
                    add_to(&mut days, slot.day, &slot.endpoint, slot.counts);
                }
            }
            accounts.read_by(patience, |connection| {
                for (date, endpoint, counts) in stored(connection, key, range)? {
                    add_to(&mut days, date, &endpoint, counts);
                }
                keys::get(connection, key)
            })?
        };
        let mut total = Counts::default();
        days.values().for_each(|day| total += day.counts);
        Ok(Report {
            key: format!("{}…", record.prefix),
            plan: record.plan,
            rate_limit: record.plan.limit(),
            from: range.from(),
            to: range.to(),
            total,
            data: days.into_values().rev().collect(),
        })
    }
}

fn add_to(days: &mut BTreeMap<Date, DayReport>, date: Date, endpoint: &str, counts: Counts) {
    let day = days.entry(date).or_insert_with(|| DayReport {
        date,
        counts: Counts::default(),
        endpoints: BTreeMap::new(),
    });
    day.counts += counts;
    if counts.requests > 0 {
        *day.endpoints.entry(endpoint.to_owned()).or_default() += counts.requests;
    }
}

fn store(accounts: &Accounts, patience: Patience, batch: &[(KeyId, Slot)]) -> Result<()> {
    const SQL: &str = "INSERT INTO usage (key, date, endpoint, requests, errors, rate_limited)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6)
        ON CONFLICT DO UPDATE SET requests = requests + excluded.requests,
            errors = errors + excluded.errors, rate_limited = rate_limited + excluded.rate_limited";
    accounts.write_by(patience, |tx| {
        let mut statement = tx.prepare_cached(SQL)?;
        for (key, Slot { day, endpoint, counts }) in batch {
            let numbers = [counts.requests, counts.errors, counts.rate_limited];
            let [requests, errors, refused] =
                numbers.map(|number| i64::try_from(number).unwrap_or(i64::MAX));
            let row = (key.get(), day.to_string(), &**endpoint, requests, errors, refused);
            statement.execute(row)?;
        }
        Ok(())
    })
}

fn stored(
    connection: &rusqlite::Connection,
    key: KeyId,
    range: DateRange,
) -> Result<Vec<(Date, String, Counts)>> {
    const SQL: &str = "SELECT date, endpoint, requests, errors, rate_limited FROM usage
        WHERE key = ?1 AND date BETWEEN ?2 AND ?3";
    let mut statement = connection.prepare_cached(SQL)?;
    let (from, to) = (range.from().to_string(), range.to().to_string());
    let rows = statement.query_map((key.get(), from, to), |row| {
        let number = |column| row.get(column).map(i64::unsigned_abs);
        let counts = Counts { requests: number(2)?, errors: number(3)?, rate_limited: number(4)? };
        Ok((parsed(row, 0)?, row.get(1)?, counts))
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

#[cfg(test)]
mod tests;
