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
use crate::types::Date;

mod holidays;
mod queries;
#[cfg(test)]
mod tests;

pub use holidays::Holiday;
pub use queries::{BusinessDays, BusinessDaysQuery, Day, DayQuery, business_days, day};

/// Whether banks and the financial market work on this day.
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
