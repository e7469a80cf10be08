//! Small curves beside figures.
use chrono::{Datelike, NaiveDate};
use fincore::{Date, Decimal};
use maud::{Markup, html};

use super::{
    Every, FEWEST, Period, Shape, downsample,
    gaps::{path, runs, strokes},
};

const WIDTH: f64 = 120.0;
const HEIGHT: f64 = 32.0;
/// Room for half of the line and the dot at its end.
const MARGIN: f64 = 3.0;
/// The most points.
const MOST: usize = 60;

/// A curve of these figures, oldest first; nothing where there are too few for one. Those who do not see it miss nothing:
/// the figures are a click away.
pub(crate) fn sparkline(points: &[(Date, Decimal)], period: Period, shape: Shape) -> Markup {
    let (Some((first, _)), Some((last, _))) = (points.first(), points.last()) else {
        return html! {};
    };
    if points.len() < FEWEST || first == last {
        return html! {};
    }
    let day = |date: Date| f64::from(NaiveDate::from(date).num_days_from_ce());
    let figures = || points.iter().map(|(_, figure)| figure.to_f64());
    let (low, high) = (figures().fold(f64::MAX, f64::min), figures().fold(f64::MIN, f64::max));
    let (span, days) = (if high > low { high - low } else { 1.0 }, day(*last) - day(*first));
    let place = |at: &usize| {
        let (date, figure) = points[*at];
        let along = (day(date) - day(*first)) / days;
        let up = if high > low { (figure.to_f64() - low) / span } else { 0.5 };
        let x = MARGIN + along * (WIDTH - 2.0 * MARGIN);
        (x, HEIGHT - MARGIN - up * (HEIGHT - 2.0 * MARGIN))
    };
    let dates: Vec<Date> = points.iter().map(|(date, _)| *date).collect();
    let runs = runs(&dates, period);
    let (_, kept) = downsample(&dates, &runs, MOST, &[Every::Week, Every::Month]);
    let (x, y) = place(&(points.len() - 1));
    html! {
        svg.spark viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) aria-hidden="true" focusable="false" {
            @for stroke in strokes(points, &runs, shape, &kept) {
                @let places: Vec<(f64, f64)> = stroke.iter().map(place).collect();
                @match places.as_slice() {
                    [(x, y)] => circle cx=(format!("{x:.1}")) cy=(format!("{y:.1}")) r="1" {},
                    places => polyline points=(path(places, shape)) {},
                }
            }
            circle cx=(format!("{x:.1}")) cy=(format!("{y:.1}")) r="2.4" {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(days: &[&str], figures: &[u32]) -> String {
        let dates = days.iter().map(|day| day.parse::<Date>().unwrap());
        let points: Vec<_> = dates.zip(figures.iter().map(|figure| (*figure).into())).collect();
        sparkline(&points, Period::Day, Shape::Line).into_string()
    }

    const WEEK: [&str; 5] = ["2026-01-05", "2026-01-06", "2026-01-07", "2026-01-08", "2026-01-09"];

    #[test]
    fn a_curve_needs_five_days_and_may_be_flat() {
        assert_eq!(curve(&[], &[]), "");
        assert_eq!(curve(&WEEK[..4], &[3, 3, 3, 3]), "");
        let flat = curve(&WEEK, &[3; 5]);
        assert!(flat.contains("\"3.0,16.0 31.5,16.0 60.0,16.0 88.5,16.0 117.0,16.0\""), "{flat}");
        let up = curve(&WEEK, &[3, 3, 3, 3, 5]);
        assert!(up.contains("\"3.0,29.0 31.5,29.0 60.0,29.0 88.5,29.0 117.0,3.0\""), "{up}");
    }

    #[test]
    fn months_without_a_figure_have_no_line() {
        let days = ["2026-02-03", "2026-02-04", "2026-03-06", "2026-03-09", "2026-07-31"];
        let broken = curve(&days, &[3; 5]);
        assert_eq!(broken.matches("<polyline").count(), 2, "{broken}");
        assert_eq!(broken.matches("<circle").count(), 2, "the single day and the end: {broken}");
    }
}
