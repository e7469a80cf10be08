//! Fewer points for long series: the last one of each week, month, quarter or year.
//!
//! The last figure of a period, not the mean: a mean is a figure that was never published.
use std::ops::Range;

use chrono::{Datelike, NaiveDate};
use fincore::Date;

/// Of what the last point is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Every {
    /// All are kept.
    Point,
    Week,
    Month,
    Quarter,
    Year,
}

impl Every {
    /// The number of the week, month, quarter or year that a day belongs to.
    fn of(self, date: Date) -> (i32, u32) {
        let (day, year, month) =
            (NaiveDate::from(date), i32::from(date.year()), u32::from(date.month()));
        match self {
            Every::Point => (day.num_days_from_ce(), 0),
            Every::Week => (day.iso_week().year(), day.iso_week().week()),
            Every::Month => (year, month),
            Every::Quarter => (year, (month - 1) / 3),
            Every::Year => (year, 0),
        }
    }
}

/// The places of at most `most` of these days, oldest first: all, or the last of each of the first of `steps` that is
/// coarse enough; the last step where none is. The last day of every run is kept, so that lines end where figures do.
pub(crate) fn downsample(
    dates: &[Date],
    runs: &[Range<usize>],
    most: usize,
    steps: &[Every],
) -> (Every, Vec<usize>) {
    let kept = |every: Every| -> Vec<usize> {
        let is_last =
            |at: usize, end: usize| at + 1 == end || every.of(dates[at + 1]) != every.of(dates[at]);
        runs.iter().flat_map(|run| run.clone().filter(|at| is_last(*at, run.end))).collect()
    };
    if dates.len() <= most {
        return (Every::Point, (0..dates.len()).collect());
    }
    let tried = steps.iter().map(|every| (*every, kept(*every)));
    let mut last = (Every::Point, Vec::new());
    for (every, places) in tried {
        let fits = places.len() <= most;
        last = (every, places);
        if fits {
            break;
        }
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEPS: [Every; 4] = [Every::Week, Every::Month, Every::Quarter, Every::Year];

    /// So many days up to the end of 2025, oldest first.
    fn days(count: u32) -> Vec<Date> {
        let last: Date = "2025-12-31".parse().unwrap();
        (0..count).rev().map(|before| last.days_before(before)).collect()
    }

    #[test]
    fn keeps_the_last_day_of_each_period_that_is_coarse_enough() {
        for (count, most, every, kept) in [
            (100, 100, Every::Point, 100),
            (365, 100, Every::Week, 53),
            (365, 20, Every::Month, 12),
            (730, 20, Every::Quarter, 8),
            (730, 3, Every::Year, 2),
            // There is nothing coarser.
            (730, 1, Every::Year, 2),
        ] {
            let dates = days(count);
            let whole = 0..dates.len();
            let (step, places) = downsample(&dates, &[whole], most, &STEPS);
            assert_eq!((step, places.len()), (every, kept), "{count} days, {most}");
            assert_eq!(places.last(), Some(&(dates.len() - 1)), "the newest is always there");
        }
        assert_eq!(downsample(&[], &[], 5, &STEPS), (Every::Point, Vec::new()));
        let (_, places) = downsample(&days(365), &[0..100, 100..365], 20, &STEPS);
        assert!(places.contains(&99), "the newest before a gap: {places:?}");
    }
}
