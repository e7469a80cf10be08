//! Charts, drawn as SVG: a picture whose points show their values, and a table for screen readers.
use std::ops::Range;

use chrono::NaiveDate;
use fincore::{Date, Decimal};
use maud::{Markup, html};

use super::language::Language;

mod downsample;
mod gaps;
mod geometry;
pub(crate) mod groups;
pub(crate) mod lines;
mod size;
pub(crate) mod sparkline;

pub(crate) use downsample::Every;
use downsample::downsample;
use geometry::{Plot, unit};
pub(crate) use size::Size;

/// Fewer points than this make no chart: a table says more.
pub(crate) const FEWEST: usize = 5;
/// The most points that a line goes through.
const MOST_POINTS: usize = 600;
/// How far the target of a point reaches into a gap.
const REACH: f64 = 8.0;
/// Labels of the horizontal axis.
const MOST_LABELS: usize = 5;
/// Lines over more months than this are labelled by years.
const MOST_MONTHS: usize = 72;

/// How the figures are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A line, broken where figures are missing. Its axis covers the range of the figures, which need not include zero.
    Line,
    /// A line of figures that hold until they are changed.
    Steps,
    /// Bars up or down from zero.
    Bars,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Period {
    Day,
    Month,
    Quarter,
    Year,
}

impl Period {
    /// The day, month, quarter or year of a figure, in running text.
    pub(crate) fn of(self, date: Date, language: Language) -> String {
        match self {
            Period::Day => language.date(date),
            Period::Month => language.month(date),
            Period::Quarter => {
                let quarter = date.month().div_ceil(3);
                language.pick(
                    format!("Q{quarter} {}", date.year()),
                    format!("{quarter}T{}", date.year()),
                )
            }
            Period::Year => date.year().to_string(),
        }
    }

    /// The label of an axis, without the parts that the other labels make clear.
    fn short(self, date: Date, language: Language) -> String {
        let day = NaiveDate::from(date);
        match self {
            Period::Day => language.pick(day.format("%-d %b"), day.format("%d/%m")).to_string(),
            Period::Month | Period::Quarter | Period::Year => self.of(date, language),
        }
    }

    /// The heading of its column.
    pub(crate) fn name(self, language: Language) -> &'static str {
        match self {
            Period::Day => language.pick("Date", "Data"),
            Period::Month => language.pick("Month", "Mês"),
            Period::Quarter => language.pick("Quarter", "Trimestre"),
            Period::Year => language.pick("Year", "Ano"),
        }
    }
}

/// Figures over time, oldest first.
#[derive(Debug)]
pub(crate) struct Chart<'a> {
    /// Tells charts of a page apart; a word.
    pub(crate) id: &'a str,
    pub(crate) title: &'a str,
    /// The unit of the vertical axis.
    pub(crate) unit: &'a str,
    pub(crate) points: &'a [(Date, Decimal)],
    pub(crate) shape: Shape,
    pub(crate) period: Period,
    pub(crate) size: Size,
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
        let dates: Vec<Date> = self.points.iter().map(|(date, _)| *date).collect();
        let runs = gaps::runs(&dates, self.period);
        let (title_id, text_id) = (format!("{}-title", self.id), format!("{}-text", self.id));
        html! {
            figure.chart.wide[self.size == Size::Wide] {
                figcaption id=(title_id) { (self.title) }
                svg viewBox=(format!("0 0 {} {}", self.size.width(), self.size.height())) role="group" tabindex="0" aria-labelledby=(title_id) aria-describedby=(text_id) {
                    desc id=(text_id) { (self.in_words(language, first, last)) }
                    g.axes aria-hidden="true" {
                        text.unit x="0" y=(self.size.headline()) { (self.unit) }
                        (plot.vertical_axis())
                        (self.horizontal_axis(&plot, language))
                    }
                    (self.targets(&plot, &dates, &runs, language))
                    @if self.shape != Shape::Bars { (self.line(&plot, &dates, &runs)) }
                }
            }
        }
    }

    /// Of what only the last point is drawn, where there are too many.
    pub(crate) fn every(&self) -> Every {
        let dates: Vec<Date> = self.points.iter().map(|(date, _)| *date).collect();
        match self.shape {
            Shape::Bars => Every::Point,
            Shape::Line | Shape::Steps => {
                let (most, steps) = self.size.targets();
                downsample(&dates, &gaps::runs(&dates, self.period), most, steps).0
            }
        }
    }

    /// Whether figures are missing, so that the line is broken.
    pub(crate) fn has_gaps(&self) -> bool {
        let dates: Vec<Date> = self.points.iter().map(|(date, _)| *date).collect();
        gaps::runs(&dates, self.period).len() > 1
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
            Shape::Line | Shape::Steps => (low, high),
        };
        match self.shape {
            _ if high > low => (low, high),
            Shape::Bars => (0.0, 1.0),
            Shape::Line | Shape::Steps => (low - 1.0, high + 1.0),
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
            Shape::Bars => plot
                .places
                .iter()
                .zip(self.points)
                .map(|((x, _), (date, _))| (*x, self.period.short(*date, language)))
                .collect(),
            Shape::Line | Shape::Steps => {
                let (first, last) = (self.points[0].0, self.points[self.points.len() - 1].0);
                let labelled = self.labelled(first, last, language);
                labelled.into_iter().map(|(day, label)| (plot.along(day), label)).collect()
            }
        };
        let fitting: Vec<_> =
            labels.into_iter().filter(|(x, label)| plot.has_room(*x, label)).collect();
        let every = fitting.len().div_ceil(MOST_LABELS).max(1);
        html! {
            @for (x, label) in fitting.into_iter().rev().step_by(every) {
                line.mark x1=(unit(x)) x2=(unit(x)) y1=(self.size.bottom()) y2=(self.size.bottom() + 4.0) {}
                text x=(unit(x)) y=(self.size.height() - 5.0) text-anchor="middle" { (label) }
            }
        }
    }

    fn line(&self, plot: &Plot, dates: &[Date], runs: &[Range<usize>]) -> Markup {
        let (_, steps) = Size::Wide.targets();
        let (_, kept) = downsample(dates, runs, MOST_POINTS, steps);
        let (x, y) = plot.places[self.points.len() - 1];
        html! {
            @for stroke in gaps::strokes(self.points, runs, self.shape, &kept) {
                @let places: Vec<_> = stroke.iter().map(|at| plot.places[*at]).collect();
                @match places.as_slice() {
                    [(x, y)] => circle.lone cx=(unit(*x)) cy=(unit(*y)) r="2.2" {},
                    places => polyline.line points=(gaps::path(places, self.shape)) {},
                }
            }
            circle.end cx=(unit(x)) cy=(unit(y)) r="3" {}
        }
    }

    /// Columns that show the value of a point when the pointer or the keyboard's focus is on them. The script makes them
    /// stops of the arrow keys; without it the chart is one stop.
    fn targets(
        &self,
        plot: &Plot,
        dates: &[Date],
        runs: &[Range<usize>],
        language: Language,
    ) -> Markup {
        let (most, steps) = self.size.targets();
        let (_, shown) = downsample(dates, runs, most, steps);
        let xs: Vec<f64> = shown.iter().map(|index| plot.places[*index].0).collect();
        let is_joined = |one: usize, other: usize| {
            runs.iter().any(|run| run.contains(&one) && run.contains(&other))
        };
        // The border between a point and the next one, seen from the side of either.
        let border = |left: usize| {
            let middle = f64::midpoint(xs[left], xs[left + 1]);
            match is_joined(shown[left], shown[left + 1]) {
                true => (middle, middle),
                false => (middle.min(xs[left] + REACH), middle.max(xs[left + 1] - REACH)),
            }
        };
        html! {
            @for (nth, index) in shown.iter().enumerate() {
                @let (date, figure) = self.points[*index];
                @let (x, y) = plot.places[*index];
                @let left = if nth == 0 { plot.left } else { border(nth - 1).1 };
                @let right = if nth + 1 == shown.len() { self.size.right() } else { border(nth).0 };
                @let (when, value) = (self.period.of(date, language), language.number(figure));
                g.point role="img" aria-label=(format!("{when}: {value} {}", self.unit)) {
                    rect.hit x=(unit(left)) y=(self.size.top()) width=(unit(right - left)) height=(self.size.bottom() - self.size.top()) {}
                    @match self.shape {
                        Shape::Bars => (plot.bar(x, y)),
                        Shape::Line | Shape::Steps => circle.dot cx=(unit(x)) cy=(unit(y)) r="4.5" {},
                    }
                    text.value x=(self.size.width()) y=(self.size.headline()) text-anchor="end" { (when) " · " tspan { (value) } }
                }
            }
        }
    }

    /// The days of a line's horizontal axis that may be labelled: the first ones of months, or of years.
    fn labelled(&self, first: Date, last: Date, language: Language) -> Vec<(Date, String)> {
        let months = month_starts(first, last);
        match months.len() {
            0 | 1 if first == last => vec![(first, self.period.short(first, language))],
            0 | 1 => vec![first, last]
                .into_iter()
                .map(|day| (day, self.period.short(day, language)))
                .collect(),
            2..=MOST_MONTHS => {
                months.into_iter().map(|start| (start, language.month(start))).collect()
            }
            _ => months
                .into_iter()
                .filter(|start| start.month() == 1)
                .map(|start| (start, start.year().to_string()))
                .collect(),
        }
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

/// The first days of months between two days.
fn month_starts(first: Date, last: Date) -> Vec<Date> {
    let before = |start: &Date| (*start > first).then(|| start.days_before(1).first_of_month());
    let mut starts: Vec<Date> = std::iter::successors(Some(last.first_of_month()), before)
        .filter(|start| *start >= first)
        .collect();
    starts.reverse();
    starts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_stand_on_zero_and_a_still_line_has_room() {
        let bounds = |shape, figures: &[u32]| {
            let date = Date::new(2026, 9, 4).unwrap();
            let points: Vec<_> =
                figures.iter().map(|figure| (date, Decimal::from(*figure))).collect();
            let (id, title, unit, period, size) = ("x", "", "", Period::Day, Size::Card);
            Chart { id, title, unit, points: &points, shape, period, size }.bounds()
        };
        assert_eq!(bounds(Shape::Bars, &[3, 7]), (0.0, 7.0));
        assert_eq!(bounds(Shape::Bars, &[0, 0]), (0.0, 1.0));
        assert_eq!(bounds(Shape::Line, &[3, 7]), (3.0, 7.0));
        assert_eq!(bounds(Shape::Steps, &[7, 7]), (6.0, 8.0));
    }
}
