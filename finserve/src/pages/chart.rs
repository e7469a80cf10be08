//! Charts, drawn as SVG: a picture whose points show their values, and a table for screen readers.
use chrono::NaiveDate;
use fincore::{Date, Decimal};
use maud::{Markup, html};

use super::language::Language;

mod downsample;
mod geometry;
mod size;
pub(crate) mod sparkline;

pub(crate) use downsample::{Every, downsample};
use geometry::{Plot, TOP, unit};
pub(crate) use size::Size;

/// Labels of the horizontal axis.
const MOST_LABELS: usize = 5;
/// Lines over more months than this are labelled by years.
const MOST_MONTHS: usize = 72;

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
        let (title_id, text_id) = (format!("{}-title", self.id), format!("{}-text", self.id));
        html! {
            figure.chart.wide[self.size == Size::Wide] {
                figcaption id=(title_id) { (self.title) }
                svg viewBox=(format!("0 0 {} {}", self.size.width(), self.size.height())) role="group" aria-labelledby=(title_id) aria-describedby=(text_id) {
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
                let (first, last) = (self.points[0].0, self.points[self.points.len() - 1].0);
                let labelled = self.labelled(first, last, language);
                labelled.into_iter().map(|(day, label)| (plot.along(day), label)).collect()
            }
        };
        html! {
            @for (x, label) in labels {
                line.mark x1=(unit(x)) x2=(unit(x)) y1=(self.size.bottom()) y2=(self.size.bottom() + 4.0) {}
                @let (x, anchor) = plot.aligned(x);
                text x=(unit(x)) y=(self.size.height() - 5.0) text-anchor=(anchor) { (label) }
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
                @let right = if nth + 1 == shown.len() { self.size.right() } else { border(nth) };
                @let (when, value) = (self.period.of(date, language), language.number(figure));
                g.point tabindex="0" role="img" aria-label=(format!("{when}: {value} {}", self.unit)) {
                    rect.hit x=(unit(left)) y=(TOP) width=(unit(right - left)) height=(self.size.bottom() - TOP) {}
                    @match self.shape {
                        Shape::Bars => (plot.bar(x, y)),
                        Shape::Line => circle.dot cx=(unit(x)) cy=(unit(y)) r="4.5" {},
                    }
                    text.value x=(self.size.width()) y="12" text-anchor="end" { (when) " · " tspan { (value) } }
                }
            }
        }
    }

    /// The days of a line's horizontal axis that are labelled: the first ones of months, or of years.
    fn labelled(&self, first: Date, last: Date, language: Language) -> Vec<(Date, String)> {
        let months = month_starts(first, last);
        let few = |days: Vec<Date>| {
            let every = days.len().div_ceil(MOST_LABELS).max(1);
            days.into_iter().rev().step_by(every)
        };
        match months.len() {
            0 | 1 if first == last => vec![(first, self.period.short(first, language))],
            0 | 1 => vec![first, last]
                .into_iter()
                .map(|day| (day, self.period.short(day, language)))
                .collect(),
            2..=MOST_MONTHS => few(months).map(|start| (start, language.month(start))).collect(),
            _ => few(months.into_iter().filter(|start| start.month() == 1).collect())
                .map(|start| (start, start.year().to_string()))
                .collect(),
        }
    }

    /// The points that have a target, by their place in the series.
    fn shown(&self) -> Vec<usize> {
        let (most, steps) = self.size.targets();
        let dates: Vec<Date> = self.points.iter().map(|(date, _)| *date).collect();
        downsample(&dates, most, steps).1
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
        assert_eq!(bounds(Shape::Line, &[7, 7]), (6.0, 8.0));
    }
}
