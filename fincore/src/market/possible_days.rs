//! The days of which a series can have a figure.
use super::series_definitions::{SELIC, TJLP, definition};
use crate::types::Date;

/// No series of the central bank begins earlier.
const FIRST_DAY: Date = Date::new(1900, 1, 1).expect("a day of January");

/// How many days after today a figure may be dated. The Selic target is known up to the next meeting of Copom, at most some
/// 60 days; a figure of next month may be published by mistake, and is not served before its day.
const DAYS_AHEAD: i32 = 70;

/// The TJLP is set for a quarter, up to a month before it begins.
const TJLP_DAYS_AHEAD: i32 = 130;

/// Series that are not known may be forecasts.
const UNKNOWN_DAYS_AHEAD: i32 = 366;

/// Says which of these days is impossible for a series, if any is; `None` as the series means quotes.
pub(crate) fn doubt_days(
    series: Option<u32>,
    days: impl Iterator<Item = Date>,
    today: Date,
) -> Option<String> {
    let known = series.and_then(definition);
    let first = known.map_or(FIRST_DAY, |definition| definition.since);
    let ahead = match series {
        None | Some(SELIC) => DAYS_AHEAD,
        Some(TJLP) => TJLP_DAYS_AHEAD,
        Some(_) if known.is_some() => DAYS_AHEAD,
        Some(_) => UNKNOWN_DAYS_AHEAD,
    };
    let last = today.day_number().saturating_add(ahead);
    let what = series.map_or("a quote".to_owned(), |series| format!("SGS {series}"));
    for day in days {
        if day < first {
            return Some(format!("{what} is dated {day}, but begins on {first} at the earliest"));
        }
        if day.day_number() > last {
            return Some(format!("{what} is dated {day}, more than {ahead} days after today"));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubts_days_that_a_series_cannot_have() {
        let today: Date = "2026-11-15".parse().unwrap();
        let doubt = |series, day: &str| {
            doubt_days(series, [today, day.parse().unwrap()].into_iter(), today)
        };
        let possible = [
            (Some(433), "1980-01-01"),
            (Some(433), "2026-12-01"),
            (Some(432), "2027-01-20"),
            (Some(256), "2027-03-01"),
            (Some(7777), "1900-01-01"),
            (Some(7777), "2027-11-01"),
            (None, "2026-11-16"),
        ];
        for (series, day) in possible {
            assert_eq!(doubt(series, day), None, "{series:?} {day}");
        }
        let impossible = [
            (
                Some(433),
                "0001-01-01",
                "SGS 433 is dated 0001-01-01, but begins on 1980-01-01 at the earliest",
            ),
            (Some(433), "2099-01-01", "SGS 433 is dated 2099-01-01, more than 70 days after today"),
            (
                Some(256),
                "2027-04-01",
                "SGS 256 is dated 2027-04-01, more than 130 days after today",
            ),
            (
                Some(7777),
                "1899-12-31",
                "SGS 7777 is dated 1899-12-31, but begins on 1900-01-01 at the earliest",
            ),
            (None, "2027-02-01", "a quote is dated 2027-02-01, more than 70 days after today"),
        ];
        for (series, day, said) in impossible {
            assert_eq!(doubt(series, day).as_deref(), Some(said));
        }
    }
}
