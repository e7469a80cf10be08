//! Charts, drawn as SVG: a picture whose points show their values, and a table for screen readers.
use chrono::{Datelike, NaiveDate};
use fincore::{Date, Decimal};
use maud::{Markup, html};

use super::language::Language;

/// The size of the picture in units of its own. The page scales it as a whole, so text keeps its shape.
const WIDTH: f64 = 340.0;
const HEIGHT: f64 = 164.0;
/// The plot starts below the line with the unit and the chosen value.
const TOP: f64 = 28.0;
/// The plot ends above the labels of the horizontal axis.
const BOTTOM: f64 = HEIGHT - 22.0;
/// The last label of the horizontal axis reaches a little beyond the plot.
const RIGHT: f64 = WIDTH - 14.0;
/// Of a digit of an axis label, at the largest size that the style sheet gives it.
const DIGIT_WIDTH: f64 = 7.4;
/// Axis labels this close to a side of the plot are aligned with it, because half of them would not fit.
const HALF_LABEL: f64 = 28.0;
/// Intervals of the vertical axis.
const MOST_INTERVALS: f64 = 4.0;
/// Labels of the horizontal axis.
const MOST_LABELS: usize = 5;
/// Points that show their value. Longer series show the last value of each month.
const MOST_TARGETS: usize = 60;

/// How the figures are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A line. Its axis covers the range of the figures, which need not include zero.
    Line,
    /// Bars up or down from zero.
    Bars,
}

/// What a figure is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Period {
    Day,
    Month,
}

impl Period {
    /// The day or month of a figure, in running text.
    pub(crate) fn of(self, date: Date, language: Language) -> String {
        match self {
            Period::Day => language.date(date),
            Period::Month => language.month(date),
        }
    }

    /// The same on an axis, without what the other labels make clear.
    fn short(self, date: Date, language: Language) -> String {
        let day = NaiveDate::from(date);
        match self {
            Period::Day => language.pick(day.format("%-d %b"), day.format("%d/%m")).to_string(),
            Period::Month => language.month(date),
        }
    }
}

/// Figures over time, oldest first.
#[derive(Debug)]
pub(crate) struct Chart<'a> {
    /// Tells charts of a page apart; a word.
    pub(crate) id: &'a str,
    pub(crate) title: &'a str,
    /// What the vertical axis counts.
    pub(crate) unit: &'a str,
    pub(crate) points: &'a [(Date, Decimal)],
    pub(crate) shape: Shape,
    pub(crate) period: Period,
}

impl Chart<'_> {
    /// The picture, and the last figure of each month as a table for screen readers.
    pub(crate) fn draw(&self, language: Language) -> Markup {
        html! { (self.picture(language)) (self.table(language)) }
    }

    /// The picture alone, for pages that show the table to everybody.
    pub(crate) fn picture(&self, language: Language) -> Markup {
        let (Some(first), Some(last)) = (self.points.first(), self.points.last()) else {
            return html! {};
        };
        let plot = Plot::new(self, language);
        let (title_id, text_id) = (format!("{}-title", self.id), format!("{}-text", self.id));
        html! {
            figure.chart {
                figcaption id=(title_id) { (self.title) }
                svg viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) role="group" aria-labelledby=(title_id) aria-describedby=(text_id) {
                    desc id=(text_id) { (self.in_words(language, first, last)) }
                    g.axes aria-hidden="true" {
                        text.unit x="0" y="12" { (self.unit) }
                        (plot.vertical_axis())
                        (self.horizontal_axis(&plot, language))
                    }
                    (self.targets(&plot, language))
                    @if self.shape == Shape::Line { (self.line(&plot)) }
                }
            }
        }
    }

    fn in_words(
        &self,
        language: Language,
        first: &(Date, Decimal),
        last: &(Date, Decimal),
    ) -> String {
        let [from, to] = [first.0, last.0].map(|date| self.period.of(date, language));
        let [start, end] = [first.1, last.1].map(|figure| language.number(figure));
        let unit = self.unit;
        language.pick(
            format!("{start} ({from}) to {end} ({to}), {unit}."),
            format!("De {start} ({from}) a {end} ({to}), {unit}."),
        )
    }

    /// The lowest and the highest figure; bars stand on zero, and a line that never moves has room around it.
    fn bounds(&self) -> (f64, f64) {
        let figures = self.points.iter().map(|(_, figure)| figure.to_f64());
        let (low, high) = figures
            .fold((f64::MAX, f64::MIN), |(low, high), figure| (low.min(figure), high.max(figure)));
        let (low, high) = match self.shape {
            Shape::Bars => (low.min(0.0), high.max(0.0)),
            Shape::Line => (low, high),
        };
        match self.shape {
            _ if high > low => (low, high),
            Shape::Bars => (0.0, 1.0),
            Shape::Line => (low - 1.0, high + 1.0),
        }
    }

    /// The most decimals that a figure was published with.
    fn decimals(&self) -> i32 {
        let decimals = |figure: Decimal| {
            figure.to_string().split_once('.').map_or(0, |(_, decimals)| decimals.len())
        };
        let most = self.points.iter().map(|(_, figure)| decimals(*figure)).max().unwrap_or(0);
        i32::try_from(most).unwrap_or(0)
    }

    fn horizontal_axis(&self, plot: &Plot, language: Language) -> Markup {
        let labels: Vec<(f64, String)> = match self.shape {
            Shape::Bars => {
                let every = self.points.len().div_ceil(MOST_LABELS);
                let labelled = plot.places.iter().zip(self.points).rev().step_by(every);
                labelled
                    .map(|((x, _), (date, _))| (*x, self.period.short(*date, language)))
                    .collect()
            }
            Shape::Line => {
                let months = month_starts(self.points[0].0, self.points[self.points.len() - 1].0);
                let every = months.len().div_ceil(MOST_LABELS);
                let labelled = months.into_iter().rev().step_by(every.max(1));
                labelled.map(|start| (plot.along(start), language.month(start))).collect()
            }
        };
        html! {
            @for (x, label) in labels {
                line.mark x1=(unit(x)) x2=(unit(x)) y1=(BOTTOM) y2=(BOTTOM + 4.0) {}
                @let (x, anchor) = plot.aligned(x);
                text x=(unit(x)) y=(HEIGHT - 5.0) text-anchor=(anchor) { (label) }
            }
        }
    }

    fn line(&self, plot: &Plot) -> Markup {
        let path: Vec<String> =
            plot.places.iter().map(|(x, y)| format!("{},{}", unit(*x), unit(*y))).collect();
        let (x, y) = plot.places[self.points.len() - 1];
        html! {
            polyline.line points=(path.join(" ")) {}
            circle.end cx=(unit(x)) cy=(unit(y)) r="3" {}
        }
    }

    /// Columns that show the value of a point when the pointer or the keyboard's focus is on them.
    fn targets(&self, plot: &Plot, language: Language) -> Markup {
        let shown = self.shown();
        let xs: Vec<f64> = shown.iter().map(|index| plot.places[*index].0).collect();
        let border = |left: usize| f64::midpoint(xs[left], xs[left + 1]);
        html! {
            @for (nth, index) in shown.iter().enumerate() {
                @let (date, figure) = self.points[*index];
                @let (x, y) = plot.places[*index];
                @let left = if nth == 0 { plot.left } else { border(nth - 1) };
                @let right = if nth + 1 == shown.len() { RIGHT } else { border(nth) };
                @let (when, value) = (self.period.of(date, language), language.number(figure));
                g.point tabindex="0" role="img" aria-label=(format!("{when}: {value} {}", self.unit)) {
                    rect.hit x=(unit(left)) y=(TOP) width=(unit(right - left)) height=(BOTTOM - TOP) {}
                    @match self.shape {
                        Shape::Bars => (plot.bar(x, y)),
                        Shape::Line => circle.dot cx=(unit(x)) cy=(unit(y)) r="4.5" {},
                    }
                    text.value x=(WIDTH) y="12" text-anchor="end" { (when) " · " tspan { (value) } }
                }
            }
        }
    }

    /// The points that have a target, by their place in the series.
    fn shown(&self) -> Vec<usize> {
        let all = 0..self.points.len();
        if self.points.len() <= MOST_TARGETS {
            return all.collect();
        }
        let month = |index: usize| self.points[index].0.first_of_month();
        let last =
            |index: &usize| index + 1 == self.points.len() || month(*index) != month(*index + 1);
        all.filter(last).collect()
    }

    fn table(&self, language: Language) -> Markup {
        let months = self
            .points
            .chunk_by(|(one, _), (other, _)| one.first_of_month() == other.first_of_month());
        html! {
            div.unseen { table {
                caption { (self.title) ", " (self.unit) }
                thead { tr {
                    th scope="col" { (language.pick("Month", "Mês")) }
                    th scope="col" { (language.pick("Last figure", "Último valor")) }
                } }
                tbody {
                    @for (date, figure) in months.filter_map(<[_]>::last) {
                        tr {
                            th scope="row" { (language.month(*date)) }
                            td { (language.number(*figure)) }
                        }
                    }
                }
            } }
        }
    }
}

/// Where things are in the picture.
struct Plot {
    left: f64,
    /// Values with a grid line, lowest first, and how they are written.
    ticks: Vec<(f64, String)>,
    /// Days since year 1 at the left and the right side, of a line.
    days: (f64, f64),
    /// Of each point.
    places: Vec<(f64, f64)>,
    /// The width that a bar may take.
    band: f64,
}

impl Plot {
    fn new(chart: &Chart<'_>, language: Language) -> Plot {
        let (low, high) = chart.bounds();
        let ticks = ticks(low, high, chart.decimals(), language);
        let longest = ticks.iter().map(|(_, label)| label.chars().count()).max().unwrap_or(0);
        let left = as_f64(longest) * DIGIT_WIDTH + 6.0;
        let band = (RIGHT - left) / as_f64(chart.points.len());
        let days = |point: Option<&(Date, Decimal)>| point.map_or(0.0, |(date, _)| day(*date));
        let days = (days(chart.points.first()), days(chart.points.last()));
        let mut plot = Plot { left, ticks, days, places: Vec::new(), band };
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
    fn along(&self, date: Date) -> f64 {
        let (first, last) = self.days;
        self.left + (day(date) - first) / (last - first).max(1.0) * (RIGHT - self.left)
    }

    /// How far down a value is.
    fn height(&self, value: f64) -> f64 {
        let (low, high) = (self.ticks[0].0, self.ticks[self.ticks.len() - 1].0);
        BOTTOM - (value - low) / (high - low) * (BOTTOM - TOP)
    }

    fn vertical_axis(&self) -> Markup {
        html! {
            @for (value, label) in &self.ticks {
                @let y = self.height(*value);
                line.grid.zero[*value == 0.0] x1=(unit(self.left)) x2=(RIGHT) y1=(unit(y)) y2=(unit(y)) {}
                text x=(unit(self.left - 5.0)) y=(unit(y)) dy=".35em" text-anchor="end" { (label) }
            }
        }
    }

    /// A bar from zero to `y`, around `x`.
    fn bar(&self, x: f64, y: f64) -> Markup {
        let (zero, width) = (self.height(0.0), self.band * 0.7);
        html! {
            rect.bar x=(unit(x - width / 2.0)) width=(unit(width)) y=(unit(y.min(zero))) height=(unit((y - zero).abs())) {}
        }
    }

    /// Where a label below `x` is anchored, and how, to stay inside the picture.
    fn aligned(&self, x: f64) -> (f64, &'static str) {
        if x > WIDTH - HALF_LABEL {
            (WIDTH, "end")
        } else if x < self.left + HALF_LABEL / 2.0 {
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

/// The first days of months between two days.
fn month_starts(first: Date, last: Date) -> Vec<Date> {
    let before = |start: &Date| (*start > first).then(|| start.days_before(1).first_of_month());
    let mut starts: Vec<Date> = std::iter::successors(Some(last.first_of_month()), before)
        .filter(|start| *start >= first)
        .collect();
    starts.reverse();
    starts
}

fn day(date: Date) -> f64 {
    f64::from(NaiveDate::from(date).num_days_from_ce())
}

#[expect(clippy::cast_precision_loss, reason = "a chart has some hundred points")]
fn as_f64(count: usize) -> f64 {
    count as f64
}

/// A length or place in the picture, as precise as eyes are.
fn unit(length: f64) -> String {
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
        assert_eq!(labels(0.0, 2_880_000.0, 0), ["0", "1000000", "2000000", "3000000"]);
    }

    #[test]
    fn bars_stand_on_zero_and_a_still_line_has_room() {
        let bounds = |shape, figures: &[u32]| {
            let date = Date::new(2026, 9, 4).unwrap();
            let points: Vec<_> =
                figures.iter().map(|figure| (date, Decimal::from(*figure))).collect();
            let (id, title, unit, period) = ("x", "", "", Period::Day);
            Chart { id, title, unit, points: &points, shape, period }.bounds()
        };
        assert_eq!(bounds(Shape::Bars, &[3, 7]), (0.0, 7.0));
        assert_eq!(bounds(Shape::Bars, &[0, 0]), (0.0, 1.0));
        assert_eq!(bounds(Shape::Line, &[3, 7]), (3.0, 7.0));
        assert_eq!(bounds(Shape::Line, &[7, 7]), (6.0, 8.0));
    }
}
