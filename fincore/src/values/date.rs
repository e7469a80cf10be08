//! Dates and date ranges.
use std::fmt;

use chrono::{DateTime, Datelike, NaiveDate, NaiveTime, TimeDelta, Utc};

use crate::values::{Error, Invalid, Result, Wanted, decimal::whole_number};

/// A calendar date in the years 1 to 9999, written `YYYY-MM-DD`.
///
/// ```
/// let day: fincore::Date = "2026-10-05".parse()?;
/// assert_eq!(day.to_string(), "2026-10-05");
/// assert!("2026-02-30".parse::<fincore::Date>().is_err());
/// # Ok::<(), fincore::Error>(())
/// ```
///
/// It converts to and from the dates of `chrono`, which this library re-exports:
///
/// ```
/// use fincore::{Date, chrono::{Days, NaiveDate}};
///
/// let day: Date = "2026-10-05".parse()?;
/// assert_eq!((day.year(), day.month(), day.day()), (2026, 10, 5));
/// let tomorrow = NaiveDate::from(day) + Days::new(1);
/// assert_eq!(Date::try_from(tomorrow)?.to_string(), "2026-10-06");
/// # Ok::<(), fincore::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date {
    year: u16,
    month: u8,
    day: u8,
}

impl Date {
    /// The earliest date, 0001-01-01.
    pub const MIN: Date = Date { year: 1, month: 1, day: 1 };
    /// The latest date, 9999-12-31.
    pub const MAX: Date = Date { year: 9999, month: 12, day: 31 };

    /// The date with these parts, or `None` if the calendar has no such day.
    #[must_use]
    pub const fn new(year: u16, month: u8, day: u8) -> Option<Date> {
        let leap =
            year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
        let days = match month {
            1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
            4 | 6 | 9 | 11 => 30,
            2 if leap => 29,
            2 => 28,
            _ => 0,
        };
        if 1 <= year && year <= 9999 && 1 <= day && day <= days {
            Some(Date { year, month, day })
        } else {
            None
        }
    }

    fn parse(text: &str) -> Option<Date> {
        match text.as_bytes() {
            [_, _, _, _, b'-', _, _, b'-', _, _] => {
                day_of(text.get(..4)?, text.get(5..7)?, text.get(8..)?)
            }
            _ => None,
        }
    }

    /// The year, 1 to 9999.
    #[must_use]
    pub const fn year(self) -> u16 {
        self.year
    }

    /// The month, 1 to 12.
    #[must_use]
    pub const fn month(self) -> u8 {
        self.month
    }

    /// The day of the month, 1 to 31.
    #[must_use]
    pub const fn day(self) -> u8 {
        self.day
    }

    /// The first day of the same month.
    #[must_use]
    pub const fn first_of_month(self) -> Date {
        Date { day: 1, ..self }
    }

    /// The day in Brasília at a moment. Brazil has kept UTC−3 all year since 2019. Moments before the year 1 are on
    /// [`Date::MIN`], those after the year 9999 on [`Date::MAX`].
    #[must_use]
    pub fn in_brasilia(time: DateTime<Utc>) -> Date {
        time.checked_sub_signed(TimeDelta::hours(3))
            .and_then(|there| Date::try_from(there.date_naive()).ok())
            .unwrap_or(if time < DateTime::UNIX_EPOCH { Date::MIN } else { Date::MAX })
    }

    /// The end of this day in Brasília, which is the beginning of the next. That of [`Date::MAX`] is still in its year: as
    /// text, a year of five digits comes before all others.
    pub(crate) fn end_in_brasilia(self) -> DateTime<Utc> {
        const LAST_SECOND: TimeDelta = TimeDelta::seconds(24 * 60 * 60 - 1);
        let midnight = NaiveDate::from(self).and_time(NaiveTime::MIN).and_utc();
        let length = if self == Date::MAX { LAST_SECOND } else { TimeDelta::hours(27) };
        midnight.checked_add_signed(length).unwrap_or(DateTime::<Utc>::MAX_UTC)
    }

    /// The number of this day; 0001-01-01 is day 1.
    pub(crate) fn day_number(self) -> i32 {
        /// The days of a year before each month, without a leap day.
        const BEFORE: [i32; 12] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
        let (year, month) = (i32::from(self.year), usize::from(self.month));
        // A leap day counts from March on, so January and February see the leap days of the years before.
        let leaps = if month > 2 { year } else { year - 1 };
        let leap_days = leaps / 4 - leaps / 100 + leaps / 400;
        (year - 1) * 365 + leap_days + BEFORE[month - 1] + i32::from(self.day)
    }

    /// The inverse of [`Date::day_number`].
    pub(crate) fn from_day_number(number: i32) -> Option<Date> {
        NaiveDate::from_num_days_from_ce_opt(number).and_then(|day| Date::try_from(day).ok())
    }

    /// This day so many months later; the 28th if that month does not have the day.
    pub(crate) fn months_after(self, months: u32) -> Date {
        let month = u32::from(self.year) * 12 + u32::from(self.month) - 1 + months;
        let parts = u16::try_from(month / 12).ok().zip(u8::try_from(month % 12 + 1).ok());
        let made = parts.and_then(|(year, month)| {
            Date::new(year, month, self.day).or_else(|| Date::new(year, month, 28))
        });
        made.unwrap_or(Date::MAX)
    }

    /// The date this many days earlier, but not before [`Date::MIN`].
    #[must_use]
    pub fn days_before(self, days: u32) -> Date {
        NaiveDate::from(self)
            .checked_sub_signed(TimeDelta::days(days.into()))
            .and_then(|day| Date::try_from(day).ok())
            .unwrap_or(Date::MIN)
    }
}

impl From<Date> for NaiveDate {
    fn from(date: Date) -> NaiveDate {
        NaiveDate::from_ymd_opt(date.year.into(), date.month.into(), date.day.into())
            .expect("chrono covers the years 1 to 9999")
    }
}

impl TryFrom<NaiveDate> for Date {
    type Error = Error;

    /// Fails outside the years 1 to 9999.
    fn try_from(day: NaiveDate) -> Result<Date> {
        let part = |number: u32| u8::try_from(number).ok();
        u16::try_from(day.year())
            .ok()
            .zip(part(day.month()).zip(part(day.day())))
            .and_then(|(year, (month, day))| Date::new(year, month, day))
            .ok_or_else(|| Error::invalid(&day.to_string(), Wanted::Date))
    }
}

/// The date written in these digits, if the calendar has it.
pub(crate) fn day_of(year: &str, month: &str, day: &str) -> Option<Date> {
    Date::new(whole_number(year)?, whole_number(month)?, whole_number(day)?)
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Formatted by hand: `write!` would take a third of the time of a response with a thousand rows.
        let digit = |number: u16| b'0' + u8::try_from(number % 10).unwrap_or_default();
        let (year, month, day) = (self.year, u16::from(self.month), u16::from(self.day));
        let text = [
            digit(year / 1000),
            digit(year / 100),
            digit(year / 10),
            digit(year),
            b'-',
            digit(month / 10),
            digit(month),
            b'-',
            digit(day / 10),
            digit(day),
        ];
        f.pad(str::from_utf8(&text).map_err(|_| fmt::Error)?)
    }
}

super::as_text!(Date, Wanted::Date);

/// A range of dates, both ends included. An open end means [`Date::MIN`] or [`Date::MAX`].
///
/// ```
/// use fincore::{Date, DateRange};
///
/// let since = DateRange::new(Date::new(2026, 1, 1), None)?;
/// assert!(since.contains("2026-10-05".parse()?));
/// assert_eq!(since.to(), Date::MAX);
/// # Ok::<(), fincore::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DateRange {
    from: Date,
    to: Date,
}

impl DateRange {
    /// The range from `from` to `to`. Fails if `from` is after `to`.
    pub fn new(from: Option<Date>, to: Option<Date>) -> Result<DateRange> {
        let (from, to) = (from.unwrap_or(Date::MIN), to.unwrap_or(Date::MAX));
        if from > to {
            return Err(Invalid::Period { from: from.into(), to: to.into() }.into());
        }
        Ok(DateRange { from, to })
    }

    /// The first day.
    #[must_use]
    pub fn from(&self) -> Date {
        self.from
    }

    /// The last day.
    #[must_use]
    pub fn to(&self) -> Date {
        self.to
    }

    /// Whether the range contains `day`.
    #[must_use]
    pub fn contains(&self, day: Date) -> bool {
        (self.from..=self.to).contains(&day)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn reads_real_days_only() {
        let real = ["0001-01-01", "1755-12-09", "2000-02-29", "2024-02-29", "9999-12-31"];
        let wrong = [
            "",
            "2024",
            "2024-1-05",
            "2024-01-5",
            "24-01-05",
            "2023-02-29",
            "1900-02-29",
            "2024-00-10",
            "2024-13-10",
            "2024-04-31",
            "2024-01-00",
            "0000-01-01",
            "+024-01-05",
            "2024/01/05",
            " 2024-01-05",
            "2024-01-05 ",
            "2024-01-05T00:00:00",
            "12024-01-05",
            "２０２４-01-05",
        ];
        for text in real {
            assert_eq!(text.parse::<Date>().unwrap().to_string(), text);
        }
        for text in wrong {
            let message = text.parse::<Date>().unwrap_err().to_string();
            assert_eq!(message, format!("{text:?} is not a date (YYYY-MM-DD)"));
        }
    }

    #[test]
    fn numbers_every_day_as_chrono_does() {
        for number in 1..=Date::MAX.day_number() {
            let day = Date::from_day_number(number).unwrap();
            assert_eq!(
                (day.day_number(), NaiveDate::from(day).num_days_from_ce()),
                (number, number)
            );
        }
        assert_eq!(Date::from_day_number(Date::MAX.day_number() + 1), None);
    }

    #[test]
    fn counts_back_over_leap_days() {
        let day = |text: &str| text.parse::<Date>().unwrap();
        assert_eq!(day("2024-03-01").days_before(1), day("2024-02-29"));
        assert_eq!(day("2026-11-04").days_before(365), day("2025-11-04"));
        assert_eq!(Date::MIN.days_before(1), Date::MIN);
    }

    #[test]
    fn moments_outside_the_calendar_are_on_its_nearest_day() {
        let on = |time: &str| Date::in_brasilia(time.parse().unwrap()).to_string();
        assert_eq!(Date::in_brasilia(DateTime::<Utc>::MIN_UTC), Date::MIN);
        assert_eq!(on("0001-01-01T02:59:59Z"), "0001-01-01");
        assert_eq!(on("0001-01-02T02:59:59Z"), "0001-01-01");
        assert_eq!(on("+10000-01-01T02:59:59Z"), "9999-12-31");
        assert_eq!(Date::in_brasilia(DateTime::<Utc>::MAX_UTC), Date::MAX);
    }

    #[test]
    fn refuses_a_range_that_ends_before_it_starts() {
        let (early, late) = (Date::new(2024, 1, 1), Date::new(2024, 1, 2));
        assert!(DateRange::new(early, late).is_ok());
        assert!(DateRange::new(early, early).is_ok());
        assert!(DateRange::new(late, None).is_ok());
        assert!(DateRange::new(late, early).unwrap_err().to_string().contains("\"from\""));
    }

    proptest! {
        #[test]
        fn agrees_with_chrono(year in 0u16..=10000, month in 0u8..=13, day in 0u8..=32) {
            let ours = Date::new(year, month, day);
            let theirs = NaiveDate::from_ymd_opt(year.into(), month.into(), day.into());
            let theirs = theirs.filter(|_| (1..=9999).contains(&year));
            prop_assert_eq!(ours.map(NaiveDate::from), theirs);
            if let Some(date) = ours {
                prop_assert_eq!(date.to_string().parse::<Date>().unwrap(), date);
            }
        }

        #[test]
        fn no_text_panics(text in "\\PC*") {
            let _ = text.parse::<Date>();
        }
    }
}
