//! Where the parts of a chart are in its picture.
use chrono::{Datelike, NaiveDate};
use fincore::{Date, Decimal};
use maud::{Markup, html};

use super::{Chart, Period, Shape, size::Size};
use crate::pages::language::Language;

/// An end of the vertical axis stands on a value with a grid line if the figures reach this part of the interval.
const REACHED: f64 = 0.55;
/// Otherwise the axis ends this part of the figures' range beyond them.
const ROOM: f64 = 0.06;

/// Where things are in the picture.
pub(super) struct Plot {
    pub(super) size: Size,
    pub(super) left: f64,
    axis: Axis,
    /// Days since year 1 at the left and the right side, of a line.
    days: (f64, f64),
    /// Of each point.
    pub(super) places: Vec<(f64, f64)>,
    /// The width that a bar may take.
    band: f64,
}

/// The vertical axis.
struct Axis {
    low: f64,
    high: f64,
    /// Values with a grid line, lowest first, and how they are written.
    ticks: Vec<(f64, String)>,
}

impl Plot {
    /// The axes for lines from the first to the last day and from the lowest to the highest figure, of which the longest has
    /// so many decimals; without points.
    pub(super) fn of_lines(
        size: Size,
        bounds: (f64, f64),
        (decimals, days): (i32, (Date, Date)),
        language: Language,
    ) -> Plot {
        let axis = axis(bounds, decimals, size.intervals(), language);
        let left = axis.left(size);
        let days = (day(days.0), day(days.1));
        Plot { size, left, axis, days, places: Vec::new(), band: 0.0 }
    }

    /// The vertical axis of groups of bars, whose figures are rounded to two decimals at most.
    pub(super) fn of_groups(size: Size, bounds: (f64, f64), language: Language) -> Plot {
        let axis = axis(bounds, 2, size.intervals(), language);
        let left = axis.left(size);
        Plot { size, left, axis, days: (0.0, 0.0), places: Vec::new(), band: 0.0 }
    }

    pub(super) fn new(chart: &Chart<'_>, language: Language) -> Plot {
        let (low, high) = chart.bounds();
        let axis = axis((low, high), chart.decimals(), chart.size.intervals(), language);
        let left = axis.left(chart.size);
        let slots = |point: Option<&(Date, Decimal)>| {
            point.map_or(0.0, |(date, _)| slot(chart.period, *date))
        };
        let (first, last) = (slots(chart.points.first()), slots(chart.points.last()));
        let band = (chart.size.right() - left) / (last - first + 1.0);
        let days = |point: Option<&(Date, Decimal)>| point.map_or(0.0, |(date, _)| day(*date));
        let days = (days(chart.points.first()), days(chart.points.last()));
        let mut plot = Plot { size: chart.size, left, axis, days, places: Vec::new(), band };
        let place = |(date, figure): &(Date, Decimal)| {
            let x = match chart.shape {
                Shape::Line | Shape::Steps => plot.along(*date),
                // A month without a figure keeps its place.
                Shape::Bars => left + band * (slot(chart.period, *date) - first + 0.5),
            };
            (x, plot.height(figure.to_f64()))
        };
        plot.places = chart.points.iter().map(place).collect();
        plot
    }

    /// How far to the right a day is, on a line.
    pub(super) fn along(&self, date: Date) -> f64 {
        let (first, last) = self.days;
        self.left + (day(date) - first) / (last - first).max(1.0) * (self.size.right() - self.left)
    }

    /// How far down a value is.
    pub(super) fn height(&self, value: f64) -> f64 {
        let Axis { low, high, .. } = self.axis;
        let (top, bottom) = (self.size.top(), self.size.bottom());
        bottom - (value - low) / (high - low) * (bottom - top)
    }

    pub(super) fn vertical_axis(&self) -> Markup {
        html! {
            line.grid x1=(unit(self.left)) x2=(self.size.right()) y1=(self.size.bottom()) y2=(self.size.bottom()) {}
            @for (value, label) in &self.axis.ticks {
                @let y = self.height(*value);
                line.grid.zero[*value == 0.0] x1=(unit(self.left)) x2=(self.size.right()) y1=(unit(y)) y2=(unit(y)) {}
                text x=(unit(self.left - 5.0)) y=(unit(y)) dy=".35em" text-anchor="end" { (label) }
            }
        }
    }

    /// A bar from zero to `y`, around `x`.
    pub(super) fn bar(&self, x: f64, y: f64) -> Markup {
        let (zero, width) = (self.height(0.0), self.band * 0.7);
        html! {
            rect.bar x=(unit(x - width / 2.0)) width=(unit(width)) y=(unit(y.min(zero))) height=(unit((y - zero).abs())) {}
        }
    }

    /// Whether a label below `x` stays inside the picture.
    pub(super) fn has_room(&self, x: f64, label: &str) -> bool {
        let half = as_f64(label.chars().count()) * self.size.digit() / 2.0;
        x >= half && x + half <= self.size.width()
    }
}

impl Axis {
    /// The place beside its labels.
    fn left(&self, size: Size) -> f64 {
        // A minus sign is wider than a digit.
        let width = |label: &str| label.chars().map(|c| if c == '−' { 1.5 } else { 1.0 }).sum();
        let widths = self.ticks.iter().map(|(_, label)| width(label));
        widths.fold(0.0, f64::max) * size.digit() + 6.0
    }
}

/// The vertical axis for figures from `low` to `high`: grid lines at multiples of 1, 2 or 5 of some power of ten, no finer
/// than figures with this many decimals. The axis ends on a grid line, unless that would leave much of it empty.
fn axis((low, high): (f64, f64), decimals: i32, most: f64, language: Language) -> Axis {
    // Divisions miss whole numbers by the last bits.
    let [floor, ceil] = [|steps: f64| (steps + 1e-9).floor(), |steps: f64| (steps - 1e-9).ceil()];
    let steps = (-decimals..).flat_map(|power| [1.0, 2.0, 5.0].map(|digit| (power, digit)));
    let sized = steps.map(|(power, digit)| (power, digit * 10_f64.powi(power)));
    let fits = |(_, step): &(i32, f64)| ceil(high / step) - floor(low / step) <= most;
    let (power, step) = sized.take(100).find(fits).unwrap_or((0, high - low));
    let (mut first, mut last) = (floor(low / step), ceil(high / step));
    let (mut bottom, mut top) = (first * step, last * step);
    let room = (high - low) * ROOM;
    if last - first > 2.0 && low - bottom > step * REACHED {
        (first, bottom) = (first + 1.0, low - room);
    }
    if last - first > 2.0 && top - high > step * REACHED {
        (last, top) = (last - 1.0, high + room);
    }
    let shown = usize::try_from(-power).unwrap_or(0);
    let ticks = std::iter::successors(Some(first), |nth| Some(nth + 1.0))
        .take_while(|nth| *nth <= last)
        .map(|nth| {
            // Adding zero takes the sign from a negative zero.
            let text = format!("{:.shown$}", nth * step + 0.0);
            let label = text.parse().map_or(text, |tick| language.number(tick));
            (nth * step + 0.0, label)
        })
        .collect();
    Axis { low: bottom, high: top, ticks }
}

/// The number of a figure's period, in which bars have their places.
fn slot(period: Period, date: Date) -> f64 {
    match period {
        Period::Day => day(date),
        Period::Month => f64::from(date.year()) * 12.0 + f64::from(date.month()),
        Period::Quarter => (f64::from(date.year()) * 12.0 + f64::from(date.month())) / 3.0,
        Period::Year => f64::from(date.year()),
    }
}

fn day(date: Date) -> f64 {
    f64::from(NaiveDate::from(date).num_days_from_ce())
}

#[expect(clippy::cast_precision_loss, reason = "a chart has some hundred points")]
pub(super) fn as_f64(count: usize) -> f64 {
    count as f64
}

/// A length or place in the picture, as precise as eyes are.
pub(super) fn unit(length: f64) -> String {
    format!("{length:.1}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(low: f64, high: f64, decimals: i32) -> Vec<String> {
        let axis = axis((low, high), decimals, 4.0, Language::Portuguese);
        axis.ticks.into_iter().map(|(_, label)| label).collect()
    }

    #[test]
    fn the_vertical_axis_has_few_rounded_values_around_the_figures() {
        assert_eq!(labels(13.75, 15.0, 2), ["13,5", "14,0", "14,5", "15,0"]);
        assert_eq!(labels(-0.32, 0.88, 2), ["−0,5", "0,0", "0,5", "1,0"]);
        assert_eq!(labels(4.9, 5.51, 4), ["4,8", "5,0", "5,2", "5,4", "5,6"]);
        assert_eq!(labels(0.0, 1.0, 0), ["0", "1"]);
        assert_eq!(labels(0.0, 5.0, 0), ["0", "2", "4", "6"]);
        assert_eq!(labels(0.0, 2_880_000.0, 0), ["0", "1.000.000", "2.000.000", "3.000.000"]);
    }

    #[test]
    fn the_vertical_axis_ends_near_the_figures() {
        // Inflation since the real: neither −2 nor 8 is near.
        let Axis { low, high, ticks } = axis((-0.68, 6.84), 2, 6.0, Language::English);
        assert_eq!((format!("{low:.2}"), format!("{high:.2}")), ("-1.13".into(), "7.29".into()));
        let labels: Vec<String> = ticks.into_iter().map(|(_, label)| label).collect();
        assert_eq!(labels, ["0", "2", "4", "6"]);
    }
}
