//! The part of a history that a page shows.
use chrono::{Months, NaiveDate};
use fincore::{Date, plans::RECENT_DAYS};

use crate::{
    errors::{BadRequest, Problem, Wanted},
    pages::{chart::Period, language::Language},
};

/// A part of a history, up to its newest day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Range {
    ThreeMonths,
    Year,
    FiveYears,
    All,
}

impl Range {
    pub(crate) const ALL: [Range; 4] =
        [Range::ThreeMonths, Range::Year, Range::FiveYears, Range::All];

    /// The word in addresses.
    pub(crate) fn code(self) -> &'static str {
        match self {
            Range::ThreeMonths => "3m",
            Range::Year => "12m",
            Range::FiveYears => "5y",
            Range::All => "all",
        }
    }

    pub(crate) fn name(self, language: Language) -> &'static str {
        match self {
            Range::ThreeMonths => language.pick("3 months", "3 meses"),
            Range::Year => language.pick("12 months", "12 meses"),
            Range::FiveYears => language.pick("5 years", "5 anos"),
            Range::All => language.pick("All", "Tudo"),
        }
    }

    /// The first day, if there is one: of months, so many whole ones; of days, none that every plan may not read where
    /// the range is a year or less.
    pub(crate) fn start(self, newest: Date, period: Period) -> Option<Date> {
        let months = match self {
            Range::ThreeMonths => 3,
            Range::Year => 12,
            Range::FiveYears => 60,
            Range::All => return None,
        };
        let months_before = |day: Date, months: u32| {
            let before = NaiveDate::from(day).checked_sub_months(Months::new(months))?;
            Date::try_from(before).ok()
        };
        match period {
            Period::Month | Period::Quarter | Period::Year => {
                months_before(newest.first_of_month(), months - 1)
            }
            Period::Day => {
                let start = months_before(newest, months)?;
                Some(if months <= 12 { start.max(newest.days_before(RECENT_DAYS)) } else { start })
            }
        }
    }
}

impl std::str::FromStr for Range {
    type Err = BadRequest;

    fn from_str(text: &str) -> Result<Range, BadRequest> {
        let known = Range::ALL.into_iter().find(|range| range.code() == text);
        known.ok_or_else(|| BadRequest::Value(Problem::value(text, Wanted::Range)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_end_on_the_newest_day() {
        let day = |text: &str| text.parse::<Date>().unwrap();
        let start = |range: Range, newest, period| {
            range.start(day(newest), period).map(|day| day.to_string())
        };
        let cases = [
            (Range::ThreeMonths, "2026-08-01", Period::Month, Some("2026-06-01")),
            (Range::Year, "2026-08-01", Period::Month, Some("2025-09-01")),
            (Range::FiveYears, "2026-08-01", Period::Month, Some("2021-09-01")),
            (Range::ThreeMonths, "2026-05-31", Period::Day, Some("2026-02-28")),
            (Range::Year, "2026-11-13", Period::Day, Some("2025-11-13")),
            // 365 days before: every plan reaches that, and no further.
            (Range::Year, "2024-12-31", Period::Day, Some("2024-01-01")),
            (Range::FiveYears, "2026-11-13", Period::Day, Some("2021-11-13")),
            (Range::All, "2026-11-13", Period::Day, None),
        ];
        for (range, newest, period, wanted) in cases {
            assert_eq!(start(range, newest, period).as_deref(), wanted, "{range:?} {newest}");
        }
        assert!("1m".parse::<Range>().unwrap_err().to_string().contains("3m, 12m, 5y or all"));
    }
}
