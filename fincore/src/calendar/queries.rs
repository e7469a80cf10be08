//! The queries of the calendar.
use serde::{Deserialize, Serialize};

use super::{Holiday, holiday, is_business_day, later_days, next, previous};
use crate::{
    catalogue::Snapshot,
    error::{Invalid, Result},
    types::{Date, DateRange},
};

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
    /// Whether it is a business day.
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
