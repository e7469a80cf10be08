//! Where the parts of a chart are in its picture.
use chrono::{Datelike, NaiveDate};
use fincore::{Date, Decimal};
use maud::{Markup, html};

use super::{Chart, Shape, size::Size};
use crate::pages::language::Language;

/// The plot starts below the line with the unit and the chosen value.
pub(super) const TOP: f64 = 28.0;
/// Intervals of the vertical axis.
const MOST_INTERVALS: f64 = 4.0;

/// Where things are in the picture.
pub(super) struct Plot {
    pub(super) size: Size,
    pub(super) left: f64,
    /// Values with a grid line, lowest first, and how they are written.
    ticks: Vec<(f64, String)>,
    /// Days since year 1 at the left and the right side, of a line.
    days: (f64, f64),
    /// Of each point.
    pub(super) places: Vec<(f64, f64)>,
    /// The width that a bar may take.
    band: f64,
}

impl Plot {
    pub(super) fn new(chart: &Chart<'_>, language: Language) -> Plot {
        let (low, high) = chart.bounds();
        let ticks = ticks(low, high, chart.decimals(), language);
        let longest = ticks.iter().map(|(_, label)| label.chars().count()).max().unwrap_or(0);
        let left = as_f64(longest) * chart.size.digit() + 6.0;
        let band = (chart.size.right() - left) / as_f64(chart.points.len());
        let days = |point: Option<&(Date, Decimal)>| point.map_or(0.0, |(date, _)| day(*date));
        let days = (days(chart.points.first()), days(chart.points.last()));
        let mut plot = Plot { size: chart.size, left, ticks, days, places: Vec::new(), band };
        let place = |(index, (date, figure)): (usize, &(Date, Decimal))| {
            let x = match chart.shape {
                Shape::Line => plot.along(*date),
                Shape::Bars => left + band * (as_f64(index) + 0.5),
            };
            (x, plot.height(figure.to_f64()))
        };
        plot.places = chart.points.iter().enumerate().map(place).collect();
        plot
    }

    /// How far to the right a day is, on a line.
    pub(super) fn along(&self, date: Date) -> f64 {
        let (first, last) = self.days;
        self.left + (day(date) - first) / (last - first).max(1.0) * (self.size.right() - self.left)
    }

    /// How far down a value is.
    fn height(&self, value: f64) -> f64 {
        let (low, high) = (self.ticks[0].0, self.ticks[self.ticks.len() - 1].0);
        let bottom = self.size.bottom();
        bottom - (value - low) / (high - low) * (bottom - TOP)
    }

    pub(super) fn vertical_axis(&self) -> Markup {
        html! {
            @for (value, label) in &self.ticks {
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

    /// Where a label below `x` is anchored, and how, to stay inside the picture.
    pub(super) fn aligned(&self, x: f64) -> (f64, &'static str) {
        if x > self.size.width() - self.size.half_label() {
            (self.size.width(), "end")
        } else if x < self.left + self.size.half_label() / 2.0 {
            (self.left, "start")
        } else {
            (x, "middle")
        }
    }
}

/// The values of the vertical axis: multiples of 1, 2 or 5 of some power of ten that enclose the range, in
/// steps no finer than figures with this many decimals.
fn ticks(low: f64, high: f64, decimals: i32, language: Language) -> Vec<(f64, String)> {
    // Divisions miss whole numbers by the last bits.
    let [floor, ceil] = [|steps: f64| (steps + 1e-9).floor(), |steps: f64| (steps - 1e-9).ceil()];
    let steps = (-decimals..).flat_map(|power| [1.0, 2.0, 5.0].map(|digit| (power, digit)));
    let sized = steps.map(|(power, digit)| (power, digit * 10_f64.powi(power)));
    let fits = |(_, step): &(i32, f64)| ceil(high / step) - floor(low / step) <= MOST_INTERVALS;
    let (power, step) = sized.take(100).find(fits).unwrap_or((0, high - low));
    let (first, last) = (floor(low / step), ceil(high / step));
    let shown = usize::try_from(-power).unwrap_or(0);
    std::iter::successors(Some(first), |nth| Some(nth + 1.0))
        .take_while(|nth| *nth <= last)
        .map(|nth| {
            // Adding zero takes the sign from a negative zero.
            let text = format!("{:.shown$}", nth * step + 0.0);
            let label = text.parse().map_or(text, |tick| language.number(tick));
            (nth * step + 0.0, label)
        })
        .collect()
}

fn day(date: Date) -> f64 {
    f64::from(NaiveDate::from(date).num_days_from_ce())
}

#[expect(clippy::cast_precision_loss, reason = "a chart has some hundred points")]
fn as_f64(count: usize) -> f64 {
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
        ticks(low, high, decimals, Language::Portuguese)
            .into_iter()
            .map(|(_, label)| label)
            .collect()
    }

    #[test]
    fn the_vertical_axis_has_few_rounded_values_that_enclose_the_figures() {
        assert_eq!(labels(13.75, 15.0, 2), ["13,5", "14,0", "14,5", "15,0"]);
        assert_eq!(labels(-0.32, 0.88, 2), ["−0,5", "0,0", "0,5", "1,0"]);
        assert_eq!(labels(4.9, 5.51, 4), ["4,8", "5,0", "5,2", "5,4", "5,6"]);
        assert_eq!(labels(0.0, 1.0, 0), ["0", "1"]);
        assert_eq!(labels(0.0, 5.0, 0), ["0", "2", "4", "6"]);
        assert_eq!(labels(0.0, 2_880_000.0, 0), ["0", "1.000.000", "2.000.000", "3.000.000"]);
    }
}
