//! Where a line is broken: where figures are missing between two neighbours. The one rule for charts and small curves.
use std::ops::Range;

use fincore::{
    Date, Decimal,
    market::{Rhythm, missing_between},
};

use super::{Period, Shape};

/// Business days in a row that may lack a figure within a line: a bridge day, a strike, a late file. No holidays are longer.
const MOST_MISSING_DAYS: i32 = 5;

/// Whether so many figures are missing between two neighbours that no line joins them: more than five business days,
/// or a month.
fn is_gap(period: Period, earlier: Date, later: Date) -> bool {
    match period {
        Period::Day => missing_between(Rhythm::BusinessDays, earlier, later) > MOST_MISSING_DAYS,
        Period::Month => missing_between(Rhythm::Monthly, earlier, later) > 0,
        Period::Quarter => missing_between(Rhythm::Monthly, earlier, later) > 2,
        Period::Year => missing_between(Rhythm::Monthly, earlier, later) > 11,
    }
}

/// Days, oldest first, cut where figures are missing: the places of each part.
pub(crate) fn runs(dates: &[Date], period: Period) -> Vec<Range<usize>> {
    let mut starts: Vec<usize> = dates
        .windows(2)
        .enumerate()
        .filter(|(_, pair)| is_gap(period, pair[0], pair[1]))
        .map(|(at, _)| at + 1)
        .collect();
    if dates.is_empty() {
        return Vec::new();
    }
    starts.insert(0, 0);
    let ends = starts.iter().skip(1).copied().chain([dates.len()]);
    starts.iter().copied().zip(ends).map(|(start, end)| start..end).collect()
}

/// The places of the points that each unbroken stroke goes through: those of `kept`. Steps go through every change instead,
/// because a change belongs to its day.
pub(super) fn strokes(
    points: &[(Date, Decimal)],
    runs: &[Range<usize>],
    shape: Shape,
    kept: &[usize],
) -> Vec<Vec<usize>> {
    let stroke = |run: &Range<usize>| -> Vec<usize> {
        match shape {
            Shape::Line | Shape::Bars => {
                kept.iter().copied().filter(|at| run.contains(at)).collect()
            }
            Shape::Steps => run
                .clone()
                .filter(|at| {
                    *at == run.start
                        || at + 1 == run.end
                        || points[*at].1.to_f64() != points[at - 1].1.to_f64()
                })
                .collect(),
        }
    };
    runs.iter().map(stroke).collect()
}

/// A stroke as the attribute of a polyline: straight from place to place, or level until the next one.
pub(super) fn path(places: &[(f64, f64)], shape: Shape) -> String {
    let mut path = Vec::new();
    for (nth, (x, y)) in places.iter().enumerate() {
        if shape == Shape::Steps && nth > 0 {
            path.push(format!("{x:.1},{:.1}", places[nth - 1].1));
        }
        path.push(format!("{x:.1},{y:.1}"));
    }
    path.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn days(texts: &[&str]) -> Vec<Date> {
        texts.iter().map(|text| text.parse().unwrap()).collect()
    }

    #[test]
    fn a_line_is_broken_where_more_is_missing_than_a_long_weekend() {
        // Carnival, from Friday to Ash Wednesday; then a whole week; then a week and a day; then years.
        let quotes = ["2026-02-13", "2026-02-18", "2026-02-26", "2026-03-09", "2026-07-31"];
        assert_eq!(runs(&days(&quotes), Period::Day), [0..3, 3..4, 4..5]);
        let months = ["2020-01-01", "2020-02-01", "2020-04-01"];
        assert_eq!(runs(&days(&months), Period::Month), [0..2, 2..3]);
        assert_eq!(runs(&days(&months[..1]), Period::Month).len(), 1);
        assert!(runs(&[], Period::Month).is_empty());
    }

    #[test]
    fn steps_go_through_every_change_and_stay_level_before_it() {
        let dates = days(&["2026-01-01", "2026-01-02", "2026-01-03", "2026-01-04", "2026-01-05"]);
        let points: Vec<(Date, Decimal)> =
            dates.iter().copied().zip([15, 15, 14, 14, 14].map(Decimal::from)).collect();
        let runs = runs(&dates, Period::Day);
        assert_eq!(strokes(&points, &runs, Shape::Steps, &[4]), [[0, 2, 4]]);
        assert_eq!(strokes(&points, &runs, Shape::Line, &[0, 4]), [[0, 4]]);
        let places = [(0.0, 1.0), (2.0, 5.0)];
        assert_eq!(path(&places, Shape::Steps), "0.0,1.0 2.0,1.0 2.0,5.0");
        assert_eq!(path(&places, Shape::Line), "0.0,1.0 2.0,5.0");
    }
}
