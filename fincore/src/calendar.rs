//! The business days of the Brazilian financial market.
//!
//! Business days are the days from Monday to Friday that are no bank holiday: the national holidays (20 November
//! since 2024), the Monday and Tuesday of Carnival, Good Friday and Corpus Christi. Maundy Thursday was one
//! until 1999, and four single days of 1991 to 1996 are known. So the calendar is exact since 1991, and
//! follows the same rules in all other years; the holidays that were moved to Mondays from 1985 to 1990 are not
//! in it.
//!
//! [`count`] counts as the market does: the first day counts, the last one does not. [`add`] is its inverse.
//!
//! ```
//! use fincore::{Date, calendar};
//!
//! let friday: Date = "2026-11-13".parse()?;
//! let monday: Date = "2026-11-16".parse()?;
//! assert!(calendar::is_business_day(friday));
//! assert_eq!(calendar::next(friday), Some(monday));
//! assert_eq!(calendar::previous(monday), Some(friday));
//! assert_eq!(calendar::count(friday, monday), 1);
//! // Friday, 20 November, is a holiday.
//! assert_eq!(calendar::add(monday, 4), Some("2026-11-23".parse()?));
//! # Ok::<(), fincore::Error>(())
//! ```
use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::{
    answers::table::{Cell, ColumnKind, Table},
    store::snapshot::Snapshot,
    values::{Date, DateRange, error::Result, invalid::Invalid},
};

pub(crate) mod freshness;
mod holidays;

pub(crate) use freshness::PublicationSchedule;
pub use holidays::Holiday;

/// True for days on which banks and the financial market work.
#[must_use]
pub fn is_business_day(day: Date) -> bool {
    !is_weekend(day.day_number()) && holidays::on(day).is_none()
}

/// The bank holiday on this day, if it is one; it may fall on a weekend.
#[must_use]
pub fn holiday(day: Date) -> Option<Holiday> {
    holidays::on(day)
}

/// The first business day after this day, never the day itself; `None` at the end of the calendar.
#[must_use]
pub fn next(day: Date) -> Option<Date> {
    later_days(day).find(|day| is_business_day(*day))
}

/// The last business day before this day, never the day itself; `None` at the start of the calendar.
#[must_use]
pub fn previous(day: Date) -> Option<Date> {
    let earlier = |day: &Date| Date::from_day_number(day.day_number() - 1);
    std::iter::successors(earlier(&day), earlier).find(|day| is_business_day(*day))
}

/// The business day that is `days` business days after this day, or before it where `days` is negative.
///
/// A day that is not a business day stands for the next one, as in contracts: one business day after a Saturday
/// is Tuesday, and none after it is Monday. So [`count`] from the day to the result is always `days`. `None` if
/// the result is beyond the ends of the calendar.
#[must_use]
pub fn add(day: Date, days: i32) -> Option<Date> {
    let (mut at, mut left) = (day, days);
    while left != 0 {
        // The rest of the business days is at least as many calendar days away.
        let nearer = Date::from_day_number(at.day_number().checked_add(left)?)?;
        left -= count(at, nearer);
        at = nearer;
    }
    if is_business_day(at) { Some(at) } else { next(at) }
}

/// The number of business days from the first day, included, to the last, excluded; negative where the last day
/// is earlier.
///
/// This is the number of business days (DU) in market formulas: from Friday to Monday it is 1, because interest
/// runs over Friday night only.
#[must_use]
pub fn count(from: Date, to: Date) -> i32 {
    if to < from {
        return -count(to, from);
    }
    let days = from.day_number()..to.day_number();
    let weekdays = weekdays_before(days.end) - weekdays_before(days.start);
    if weekdays == 0 {
        return 0;
    }
    let holidays = (from.year()..=to.year()).flat_map(holidays::of_year);
    let closed = holidays.filter(|day| days.contains(day) && !is_weekend(*day)).count();
    let closed = i32::try_from(closed).unwrap_or(i32::MAX);
    weekdays - closed
}

/// All later days, in order.
fn later_days(day: Date) -> impl Iterator<Item = Date> {
    let next = |day: &Date| Date::from_day_number(day.day_number() + 1);
    std::iter::successors(next(&day), next)
}

/// Day 1 of the calendar is a Monday, so numbers of Sundays are multiples of seven.
fn is_weekend(number: i32) -> bool {
    matches!(number % 7, 6 | 0)
}

/// The number of days from Monday to Friday before the day with this number.
fn weekdays_before(number: i32) -> i32 {
    let days = number - 1;
    days / 7 * 5 + (days % 7).min(5)
}

/// The longest list of business days.
const MOST_YEARS: u16 = 100;

/// The length of a list whose end is not given, in days.
const USUAL_DAYS: i32 = 30;

/// A query for one day.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct DayQuery {
    /// The day.
    pub date: Date,
}

impl DayQuery {
    /// A query for this day.
    #[must_use]
    pub fn new(date: Date) -> DayQuery {
        DayQuery { date }
    }
}

/// A day of the calendar.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Day {
    /// The day.
    pub date: Date,
    /// False for weekends and bank holidays.
    pub business_day: bool,
    /// The last business day before it.
    pub previous: Option<Date>,
    /// The first business day after it.
    pub next: Option<Date>,
    /// The bank holiday on it, if it is one.
    pub holiday: Option<Holiday>,
}

/// A day with its neighbours and holiday. Never fails; it is a `Result` like all other queries.
pub fn day(_: &Snapshot, query: DayQuery) -> Result<Day> {
    let date = query.date;
    Ok(Day {
        date,
        business_day: is_business_day(date),
        previous: previous(date),
        next: next(date),
        holiday: holiday(date),
    })
}

/// A query for the business days of a range; by default those of the next thirty days.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct BusinessDaysQuery {
    /// The first day, included; by default the snapshot's date.
    pub from: Option<Date>,
    /// The last day, included; by default thirty days after the first.
    pub to: Option<Date>,
}

/// Business days, oldest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct BusinessDays {
    /// The days.
    pub data: Vec<Date>,
    /// Their number.
    pub total: usize,
}

impl Table for BusinessDays {
    fn columns(&self) -> Vec<(Cow<'_, str>, ColumnKind)> {
        vec![("date".into(), ColumnKind::Day)]
    }

    fn cells(&self) -> impl Iterator<Item = Vec<Cell<'_>>> {
        self.data.iter().map(|day| vec![(*day).into()])
    }
}

/// The business days of a range, both ends included.
///
/// Fails if `from` is after `to`, or if there are more than a hundred years between them.
pub fn business_days(snapshot: &Snapshot, query: BusinessDaysQuery) -> Result<BusinessDays> {
    let from = query.from.unwrap_or(snapshot.today());
    let usual = || Date::from_day_number(from.day_number() + USUAL_DAYS).unwrap_or(Date::MAX);
    let to = query.to.unwrap_or_else(usual);
    let range = DateRange::new(Some(from), Some(to))?;
    let parts = |day: Date| (day.year(), day.month(), day.day());
    if parts(to) > (from.year() + MOST_YEARS, from.month(), from.day()) {
        let (from, to) = (from.into(), to.into());
        return Err(Invalid::LongPeriod { from, to, most_years: MOST_YEARS }.into());
    }
    let days = std::iter::once(from).chain(later_days(from)).take_while(|day| range.contains(*day));
    let data: Vec<Date> = days.filter(|day| is_business_day(*day)).collect();
    Ok(BusinessDays { total: data.len(), data })
}

#[cfg(test)]
mod tests;
