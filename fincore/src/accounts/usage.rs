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
//! let id = keys::authenticate(&accounts, &key)?.key.expect("the caller has a key");
//!
//! let (usage, today) = (Usage::default(), "2026-11-15".parse()?);
//! usage.count(id, today, "/api/v1/market/selic", Outcome::Success);
//! usage.flush(&accounts)?;
//! let report = usage.report(&accounts, id, &UsageQuery::default(), today)?;
//! assert_eq!(report.total.requests, 1);
//! # Ok::<(), fincore::Error>(())
//! ```
use std::{
    borrow::Cow,
    collections::BTreeMap,
    sync::atomic::{AtomicU64, AtomicUsize, Ordering},
};

use chrono::{DateTime, Utc};
use dashmap::DashMap;
use foldhash::fast::RandomState;
use parking_lot::FairMutex;
use serde::{Deserialize, Serialize};

use crate::{
    accounts::{
        Accounts, Batch, Row, Session, Value, busy_error, call_budget, keys, store::values,
    },
    store::WaitBudget,
    values::{Date, DateRange, Error, KeyId, LinkHash, Plan, Result, random_characters},
};

/// The number of days that a report covers by default.
const DAYS: u32 = 30;

/// The most sums in memory, each of one key, day and endpoint: some 20 MiB. A file takes them every second; a database on
/// another machine may be unavailable for long.
const MOST_SLOTS: usize = 200_000;

/// The most sums written in one transaction, so that it is short.
const BATCH: usize = 5_000;

/// Counts requests in memory until they are written to the accounts. `Send` and `Sync`.
///
/// A crash loses what was counted since the last [`flush`](Usage::flush), but nothing is counted twice. While the accounts
/// cannot be written, the counts stay in memory, up to a limit; [`lost_requests`](Usage::lost_requests) is the number that
/// was dropped.
#[derive(Debug, Default)]
pub struct Usage {
    counts: DashMap<KeyId, Vec<Slot>, RandomState>,
    /// The number of slots, including those that are being written.
    slots: AtomicUsize,
    lost: AtomicU64,
    /// Uses of links that are not written yet.
    link_uses: LinkUses,
    /// Locked while counts move from memory to the accounts, so that a report finds each of them in exactly one place.
    /// Fair, so that a report comes before the next flush.
    unwritten: FairMutex<Unwritten>,
}

/// Counts on their way from memory to the accounts. A batch stays the same until it is known to be written, so that it can
/// be recognised if the answer to its commit was lost.
#[derive(Debug, Default)]
struct Unwritten {
    /// The id of this process, once there was something to write.
    writer: Option<String>,
    /// The number of batches written.
    written: u64,
    slots: Vec<(KeyId, Slot)>,
    /// The last use of each link, in seconds since 1970.
    link_uses: Vec<(LinkHash, i64)>,
}

/// The result of writing a batch.
enum WriteResult {
    /// This number of slots is in the accounts now.
    Stored(usize),
    /// These slots are of keys that the accounts do not have any more, as after a backup was restored.
    Dropped(Vec<(KeyId, Slot)>),
}

impl Unwritten {
    /// The id of the next batch.
    fn batch(&mut self) -> Result<Batch> {
        let writer = match &self.writer {
            Some(writer) => writer,
            None => self.writer.insert(random_characters(22)?),
        };
        Ok(Batch { writer: writer.clone(), number: self.written + 1 })
    }

    /// The slots of the next batch: the same ones until they are written.
    fn next(&self) -> &[(KeyId, Slot)] {
        &self.slots[..self.slots.len().min(BATCH)]
    }

    /// Writes the next batch.
    fn write(&mut self, accounts: &Accounts, budget: WaitBudget) -> Result<WriteResult> {
        let batch = self.batch()?;
        let written = accounts.write_batch(budget, &batch, |tx| {
            write(tx, &self.link_uses)?;
            write_counts(tx, self.next())
        });
        match written {
            Ok(()) => {
                self.written += 1;
                self.link_uses.clear();
                Ok(WriteResult::Stored(self.slots.drain(..self.slots.len().min(BATCH)).count()))
            }
            // The database refused it, so nothing of it was written: drop the slots whose key is gone.
            Err(err @ Error::Storage { .. }) => {
                let known = accounts.read_by(budget, keys::ids)?;
                let slots = std::mem::take(&mut self.slots);
                let (kept, dropped): (Vec<_>, Vec<_>) =
                    slots.into_iter().partition(|(key, _)| known.contains(key));
                self.slots = kept;
                if dropped.is_empty() { Err(err) } else { Ok(WriteResult::Dropped(dropped)) }
            }
            Err(err) => Err(err),
        }
    }
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
        self.add(key, Slot { day, endpoint: endpoint.into(), counts: Counts::one(outcome) });
    }

    /// Counts a request that came by a link of `key`, as [`count`](Usage::count) does, and notes the use of the link at this
    /// time.
    pub fn count_by_link(
        &self,
        key: KeyId,
        link: LinkHash,
        day: Date,
        now: DateTime<Utc>,
        endpoint: impl Into<Cow<'static, str>>,
        outcome: Outcome,
    ) {
        let one = Counts::one(outcome);
        let counts = Counts { by_links: one.requests, ..one };
        self.add(key, Slot { day, endpoint: endpoint.into(), counts });
        if counts.by_links > 0 {
            self.link_uses.note(link, now);
        }
    }

    fn add(&self, key: KeyId, slot: Slot) {
        let mut slots = self.counts.entry(key).or_default();
        let same = |known: &&mut Slot| known.day == slot.day && known.endpoint == slot.endpoint;
        match slots.iter_mut().find(same) {
            Some(known) => known.counts += slot.counts,
            None if self.slots.load(Ordering::Relaxed) >= MOST_SLOTS => {
                self.lost.fetch_add(slot.counts.all(), Ordering::Relaxed);
            }
            None => {
                self.slots.fetch_add(1, Ordering::Relaxed);
                slots.push(slot);
            }
        }
    }

    /// Writes the counts to the accounts in one transaction. Call it about once a second, and before
    /// exit.
    ///
    /// If writing fails, nothing is lost: the next call tries again.
    pub fn flush(&self, accounts: &Accounts) -> Result<()> {
        let mut unwritten =
            self.unwritten.try_lock_for(call_budget().remaining()).ok_or_else(busy_error)?;
        // First what could not be written the last time, as it was.
        self.write_all(&mut unwritten, accounts)?;
        unwritten.slots = self.drain();
        unwritten.link_uses = self.link_uses.take();
        self.write_all(&mut unwritten, accounts)
    }

    fn write_all(&self, unwritten: &mut Unwritten, accounts: &Accounts) -> Result<()> {
        // A use may come without a count: of a request between the two, or of a key that is gone.
        while !(unwritten.slots.is_empty() && unwritten.link_uses.is_empty()) {
            let gone = match unwritten.write(accounts, call_budget())? {
                WriteResult::Stored(slots) => slots,
                WriteResult::Dropped(slots) => {
                    let lost = slots.iter().map(|(_, slot)| slot.counts.all()).sum();
                    self.lost.fetch_add(lost, Ordering::Relaxed);
                    slots.len()
                }
            };
            self.slots.fetch_sub(gone, Ordering::Relaxed);
        }
        // The memory of a large batch is not kept.
        unwritten.slots = Vec::new();
        Ok(())
    }

    /// The number of requests, refused ones included, that are counted in memory and not written yet.
    #[must_use]
    pub fn unwritten_requests(&self) -> u64 {
        let of = |slot: &Slot| slot.counts.all();
        let counted: u64 = self.counts.iter().map(|slots| slots.iter().map(of).sum::<u64>()).sum();
        // Counts that are being written right now are not included.
        let unwritten = self.unwritten.try_lock();
        counted
            + unwritten
                .map_or(0, |unwritten| unwritten.slots.iter().map(|(_, slot)| of(slot)).sum())
    }

    /// The number of requests that were not counted because too many sums were in memory.
    #[must_use]
    pub fn lost_requests(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
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
    /// Fails if `from` is after `to`, and with [`Error::Busy`] if another program has the file
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
            let budget = call_budget();
            let mut unwritten =
                self.unwritten.try_lock_for(budget.remaining()).ok_or_else(busy_error)?;
            let batch = unwritten.batch()?;
            let mut add = |slot: &Slot| {
                if range.contains(slot.day) {
                    add_to(&mut days, slot.day, &slot.endpoint, slot.counts);
                }
            };
            if let Some(slots) = self.counts.get(&key) {
                slots.iter().for_each(&mut add);
            }
            accounts.read_at_once(budget, |session| {
                // If the answer to a commit was lost, only the database knows whether the batch was written.
                let is_written = !unwritten.slots.is_empty() && session.has_batch(&batch)?;
                let written = if is_written { unwritten.next().len() } else { 0 };
                let own = unwritten.slots[written..].iter().filter(|(of, _)| *of == key);
                own.for_each(|(_, slot)| add(slot));
                for (day, endpoint, counts) in read_counts(session, key, range)? {
                    add(&Slot { day, endpoint: endpoint.into(), counts });
                }
                keys::get(session, key)
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

/// Adds counts to those of a key, a day and an endpoint.
const ADD_COUNTS: &str =
    "INSERT INTO usage (key, date, endpoint, requests, errors, rate_limited, by_links)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
    ON CONFLICT (key, date, endpoint) DO UPDATE SET requests = usage.requests + excluded.requests,
        errors = usage.errors + excluded.errors,
        rate_limited = usage.rate_limited + excluded.rate_limited,
        by_links = usage.by_links + excluded.by_links";

fn write_counts(session: &dyn Session, batch: &[(KeyId, Slot)]) -> Result<()> {
    let number = |number: u64| Value::Integer(i64::try_from(number).unwrap_or(i64::MAX));
    let days: Vec<String> = batch.iter().map(|(_, slot)| slot.day.to_string()).collect();
    let rows: Vec<Vec<Value<'_>>> = batch
        .iter()
        .zip(&days)
        .map(|((key, Slot { endpoint, counts, .. }), day)| {
            let counts =
                [counts.requests, counts.errors, counts.rate_limited, counts.by_links].map(number);
            let place = vec![key.get().into(), day.into(), (&**endpoint).into()];
            [place, counts.into()].concat()
        })
        .collect();
    session.insert_each(ADD_COUNTS, &rows)
}

fn read_counts(
    session: &dyn Session,
    key: KeyId,
    range: DateRange,
) -> Result<Vec<(Date, String, Counts)>> {
    const SQL: &str = "SELECT date, endpoint, requests, errors, rate_limited, by_links FROM usage
        WHERE key = ?1 AND date BETWEEN ?2 AND ?3";
    let (from, to) = (range.from().to_string(), range.to().to_string());
    let rows = session.query(SQL, values![key.get(), &from, &to])?;
    let read = |row: &Row| {
        let number = |column| row.get(column).map(i64::unsigned_abs);
        let counts = Counts {
            requests: number(2)?,
            errors: number(3)?,
            rate_limited: number(4)?,
            by_links: number(5)?,
        };
        Ok((row.parse(0)?, row.get(1)?, counts))
    };
    rows.iter().map(read).collect()
}

/// The last use of links that were used since the last [`take`](LinkUses::take), in seconds since 1970.
#[derive(Debug, Default)]
pub(crate) struct LinkUses {
    minutes: DashMap<LinkHash, i64, RandomState>,
}

impl LinkUses {
    pub(crate) fn note(&self, link: LinkHash, now: DateTime<Utc>) {
        let seconds = now.timestamp();
        let minute = seconds - seconds.rem_euclid(60);
        let mut known = self.minutes.entry(link).or_insert(minute);
        *known = minute.max(*known);
    }

    /// Takes all out of memory.
    pub(crate) fn take(&self) -> Vec<(LinkHash, i64)> {
        let mut uses = Vec::new();
        self.minutes.retain(|link, minute| {
            uses.push((*link, *minute));
            false
        });
        uses
    }
}

/// Writes the uses that are newer than those that are known. Written again, they change nothing.
pub(crate) fn write(tx: &dyn Session, uses: &[(LinkHash, i64)]) -> Result<()> {
    const SQL: &str = "UPDATE link SET used = ?2 WHERE hash = ?1 AND (used IS NULL OR used < ?2)";
    for (link, minute) in uses {
        tx.execute(SQL, values![&link.0, *minute])?;
    }
    Ok(())
}

/// The outcome of a request.
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
    /// Admitted requests that came by a link. Left out of the JSON if there are none.
    #[serde(skip_serializing_if = "is_zero")]
    pub by_links: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl Counts {
    /// One request that ended so.
    pub(crate) fn one(outcome: Outcome) -> Counts {
        match outcome {
            Outcome::Success => Counts { requests: 1, ..Counts::default() },
            Outcome::Failure => Counts { requests: 1, errors: 1, ..Counts::default() },
            Outcome::RateLimited => Counts { rate_limited: 1, ..Counts::default() },
        }
    }

    /// Admitted or not.
    pub(crate) fn all(self) -> u64 {
        self.requests + self.rate_limited
    }
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, more: Counts) {
        self.requests += more.requests;
        self.errors += more.errors;
        self.rate_limited += more.rate_limited;
        self.by_links += more.by_links;
    }
}

/// The range of a report; by default the last 30 days, up to today. It has all of a summed month or none of it, depending on
/// the first day of the month.
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

/// The requests of a key on a day, or in the month that [`sum_by_month`] has summed on its first day.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct DayReport {
    /// The day, UTC; the first one of a month that was summed.
    pub date: Date,
    /// The sum over all endpoints.
    #[serde(flatten)]
    pub counts: Counts,
    /// Admitted requests by endpoint.
    pub endpoints: BTreeMap<String, u64>,
}

/// The most rows that one call sums, so that other writers do not wait long.
const ROWS: usize = 1_000;

/// The result of a call of [`sum_by_month`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summed {
    /// The number of daily rows added to their month.
    pub rows: usize,
    /// The position from which to call again; `None` if everything is done.
    pub next: Option<UsagePosition>,
}

/// A row of the usage: key, day and endpoint.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UsagePosition {
    key: i64,
    day: String,
    endpoint: String,
}

/// Adds the usage of every day that lies in a month before that of `day` to the first day of its month. Which day it was is
/// lost; keys, endpoints and all counts stay, so that totals over whole months are what they were. One call does a bounded
/// part of it, after a position.
pub fn sum_by_month(accounts: &Accounts, day: Date, after: &UsagePosition) -> Result<Summed> {
    const SQL: &str =
        "SELECT key, date, endpoint, requests, errors, rate_limited, by_links FROM usage
        WHERE (key, date, endpoint) > (?1, ?2, ?3) AND date < ?4 AND substr(date, 9, 2) <> '01'
        ORDER BY key, date, endpoint LIMIT ?5";
    let month = day.first_of_month().to_string();
    accounts.write(|tx| {
        let UsagePosition { key, day, endpoint } = after;
        let rows = tx.query(SQL, values![*key, day, endpoint, &month, ROWS])?;
        rows.iter().try_for_each(|row| add_to_month(tx, row))?;
        let next = match rows.last() {
            Some(last) if rows.len() == ROWS => {
                Some(UsagePosition { key: last.get(0)?, day: last.get(1)?, endpoint: last.get(2)? })
            }
            Some(_) | None => None,
        };
        Ok(Summed { rows: rows.len(), next })
    })
}

fn add_to_month(tx: &dyn Session, row: &Row) -> Result<()> {
    const DAY: &str = "DELETE FROM usage WHERE key = ?1 AND date = ?2 AND endpoint = ?3";
    let (key, day, endpoint) = (row.get::<i64>(0)?, row.text(1)?, row.text(2)?);
    let first = format!("{}-01", day.get(..7).unwrap_or(day));
    let counts = (3..7).map(|column| Ok(Value::Integer(row.get::<i64>(column)?)));
    let counts = counts.collect::<Result<Vec<_>>>()?;
    let sum = [vec![key.into(), (&first).into(), endpoint.into()], counts].concat();
    tx.execute(ADD_COUNTS, &sum)?;
    tx.execute(DAY, values![key, day, endpoint])?;
    Ok(())
}

#[cfg(test)]
mod tests;
