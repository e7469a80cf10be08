//! Small curves beside figures.
use chrono::{Datelike, NaiveDate};
use fincore::{Date, Decimal};
use maud::{Markup, html};

const WIDTH: f64 = 120.0;
const HEIGHT: f64 = 32.0;
/// Room for half of the line and the dot at its end.
const MARGIN: f64 = 3.0;

/// A curve of these figures, oldest first; nothing where there is none to see. Those who do not see it miss nothing: the
/// figures are a click away.
pub(crate) fn sparkline(points: &[(Date, Decimal)]) -> Markup {
    let (Some((first, _)), Some((last, _))) = (points.first(), points.last()) else {
        return html! {};
    };
    if first == last {
        return html! {};
    }
    let day = |date: Date| f64::from(NaiveDate::from(date).num_days_from_ce());
    let figures = || points.iter().map(|(_, figure)| figure.to_f64());
    let (low, high) = (figures().fold(f64::MAX, f64::min), figures().fold(f64::MIN, f64::max));
    let (span, days) = (if high > low { high - low } else { 1.0 }, day(*last) - day(*first));
    let place = |(date, figure): &(Date, Decimal)| {
        let along = (day(*date) - day(*first)) / days;
        let up = if high > low { (figure.to_f64() - low) / span } else { 0.5 };
        let x = MARGIN + along * (WIDTH - 2.0 * MARGIN);
        let y = HEIGHT - MARGIN - up * (HEIGHT - 2.0 * MARGIN);
        (format!("{x:.1}"), format!("{y:.1}"))
    };
    let places: Vec<_> = points.iter().map(place).collect();
    let path: Vec<_> = places.iter().map(|(x, y)| format!("{x},{y}")).collect();
    html! {
        svg.spark viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) aria-hidden="true" focusable="false" {
            polyline points=(path.join(" ")) {}
            @if let Some((x, y)) = places.last() { circle cx=(x) cy=(y) r="2.4" {} }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_needs_two_days_and_may_be_flat() {
        let day = |text: &str| text.parse::<Date>().unwrap();
        let (one, other) = ((day("2026-01-01"), 3.into()), (day("2026-01-11"), 3.into()));
        assert_eq!(sparkline(&[]).into_string(), "");
        assert_eq!(sparkline(&[one]).into_string(), "");
        let flat = sparkline(&[one, other]).into_string();
        assert!(flat.contains("points=\"3.0,16.0 117.0,16.0\""), "{flat}");
        let up = sparkline(&[one, (other.0, 5.into())]).into_string();
        assert!(up.contains("points=\"3.0,29.0 117.0,3.0\""), "{up}");
    }
}
