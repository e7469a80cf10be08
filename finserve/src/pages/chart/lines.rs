//! Several series on one pair of axes: lines that differ in colour, dashes and marks, and their values date by date.
use std::ops::Range;

use fincore::{Date, Figure};
use maud::{Markup, html};

use super::{
    MOST_LABELS, MOST_MONTHS, MOST_POINTS, Period, REACH, Shape, Size,
    downsample::downsample,
    gaps,
    geometry::{Plot, unit},
    month_starts,
};
use crate::pages::language::Language;

/// The values of so many series stand on one line above the plot.
const IN_A_LINE: usize = 2;
/// How far these lines are apart: the style sheet's largest letters fit.
const LINE_HEIGHT: f64 = 22.0;

/// Series over time that have the same unit.
#[derive(Debug)]
pub(crate) struct Lines<'a> {
    /// Tells charts of a page apart; a word.
    pub(crate) id: &'a str,
    pub(crate) title: &'a str,
    /// The unit of the vertical axis.
    pub(crate) unit: &'a str,
    pub(crate) lines: &'a [Line],
}

/// One of the series.
#[derive(Debug)]
pub(crate) struct Line {
    /// Its place among all series of the page, which decides how it looks.
    pub(crate) place: usize,
    pub(crate) name: String,
    /// Oldest first.
    pub(crate) points: Vec<(Date, Figure)>,
    pub(crate) shape: Shape,
    pub(crate) period: Period,
}

impl Line {
    /// A short piece of the line, for legends.
    pub(crate) fn sample(&self) -> Markup {
        html! {
            svg.sample viewBox="0 0 34 12" width="34" height="12" aria-hidden="true" {
                polyline class=(self.class("line")) points="1,6 33,6" {}
                (self.mark(17.0, 6.0))
            }
        }
    }

    /// The classes of a part of the line: what it is, and whose.
    fn class(&self, part: &str) -> String {
        format!("{part} series-{}", self.place)
    }

    /// A mark that distinguishes the line without colour: a circle, square, triangle, diamond or cross.
    fn mark(&self, x: f64, y: f64) -> Markup {
        let path = match self.place % 5 {
            0 => {
                return html! { circle class=(self.class("end")) cx=(unit(x)) cy=(unit(y)) r="3.4" {} };
            }
            1 => [(-3.0, -3.0), (3.0, -3.0), (3.0, 3.0), (-3.0, 3.0)].to_vec(),
            2 => [(0.0, -4.0), (3.8, 3.0), (-3.8, 3.0)].to_vec(),
            3 => [(0.0, -4.2), (4.2, 0.0), (0.0, 4.2), (-4.2, 0.0)].to_vec(),
            _ => [(0.0, 4.0), (3.8, -3.0), (-3.8, -3.0)].to_vec(),
        };
        let points: Vec<String> =
            path.iter().map(|(dx, dy)| format!("{:.1},{:.1}", x + dx, y + dy)).collect();
        html! { polygon class=(self.class("end")) points=(points.join(" ")) {} }
    }

    fn dates(&self) -> Vec<Date> {
        self.points.iter().map(|(date, _)| *date).collect()
    }

    /// The newest figure of a range of days, both included.
    fn newest_in(&self, first: Option<Date>, last: Date) -> Option<&(Date, Figure)> {
        let end = self.points.partition_point(|(date, _)| *date <= last);
        let newest = self.points[..end].last()?;
        first.is_none_or(|first| newest.0 >= first).then_some(newest)
    }
}

/// Dates at which values are shown: each stands for those since the one before.
struct Target {
    /// The first of them.
    first: Option<Date>,
    date: Date,
}

impl Lines<'_> {
    /// The picture; nothing if no series has a figure.
    pub(crate) fn picture(&self, language: Language) -> Markup {
        let mut dates: Vec<Date> = self.lines.iter().flat_map(Line::dates).collect();
        dates.sort_unstable();
        dates.dedup();
        let (Some(first), Some(last)) = (dates.first(), dates.last()) else { return html! {} };
        let size = Size::Wide;
        let plot =
            Plot::of_lines(size, self.bounds(), (self.decimals(), (*first, *last)), language);
        let targets = targets(&dates);
        let title_id = format!("{}-title", self.id);
        // The values of more series than one take lines of their own above the picture.
        let above = LINE_HEIGHT * f64::from(u8::try_from(self.rows()).unwrap_or(u8::MAX));
        let view_box =
            format!("0 {} {} {}", unit(-above), size.width(), unit(size.height() + above));
        html! {
            figure.chart.wide.compared {
                figcaption id=(title_id) { (self.title) }
                svg viewBox=(view_box) role="group" tabindex="0" aria-labelledby=(title_id) {
                    g.axes aria-hidden="true" {
                        text.unit x="0" y=(size.headline()) { (self.unit) }
                        (plot.vertical_axis())
                        (horizontal_axis(&plot, (*first, *last), language))
                    }
                    (self.targets(&plot, &targets, above, language))
                    @for line in self.lines { (draw(&plot, line)) }
                }
            }
        }
    }

    /// How many lines the values of a date take.
    fn rows(&self) -> usize {
        self.lines.len().div_ceil(IN_A_LINE)
    }

    /// The lowest and the highest figure; lines that never move have room around them.
    fn bounds(&self) -> (f64, f64) {
        let figures = self.lines.iter().flat_map(|line| &line.points);
        let (low, high) = figures
            .map(|(_, figure)| figure.to_f64())
            .fold((f64::MAX, f64::MIN), |(low, high), figure| (low.min(figure), high.max(figure)));
        if high > low { (low, high) } else { (low - 1.0, high + 1.0) }
    }

    /// The most decimals of a figure.
    fn decimals(&self) -> i32 {
        let decimals = |figure: &Figure| {
            figure.to_string().split_once('.').map_or(0, |(_, decimals)| decimals.len())
        };
        let newest = self.lines.iter().filter_map(|line| line.points.last());
        i32::try_from(newest.map(|(_, figure)| decimals(figure)).max().unwrap_or(0)).unwrap_or(0)
    }

    /// Columns that show the values of a date when the pointer or the keyboard's focus is on them.
    fn targets(&self, plot: &Plot, targets: &[Target], above: f64, language: Language) -> Markup {
        let size = plot.size;
        let xs: Vec<f64> = targets.iter().map(|target| plot.along(target.date)).collect();
        html! {
            @for (nth, target) in targets.iter().enumerate() {
                @let values = self.values(target);
                @let left = if nth == 0 { plot.left } else { f64::midpoint(xs[nth - 1], xs[nth]) };
                @let right = match xs.get(nth + 1) { Some(next) => f64::midpoint(xs[nth], *next), None => xs[nth] + REACH };
                @let when = self.period().of(target.date, language);
                g.point role="img" aria-label=(in_words(&when, &values, language)) {
                    rect.hit x=(unit(left)) y=(size.top()) width=(unit(right - left)) height=(size.bottom() - size.top()) {}
                    @for (line, (date, figure)) in &values {
                        circle class=(line.class("dot")) cx=(unit(plot.along(*date))) cy=(unit(plot.height(figure.to_f64()))) r="4" {}
                    }
                    text.value x=(size.width()) y=(size.headline()) text-anchor="end" { (when) }
                    @for (row, part) in values.chunks(IN_A_LINE).enumerate() {
                        @let y = size.headline() - above + LINE_HEIGHT * f64::from(u8::try_from(row).unwrap_or(u8::MAX));
                        text.value x="0" y=(unit(y)) {
                            @for (nth, (line, (_, figure))) in part.iter().enumerate() {
                                @if nth > 0 { " · " }
                                (line.name) " " tspan { (language.written(figure)) }
                            }
                        }
                    }
                }
            }
        }
    }

    /// The figures that a target stands for.
    fn values(&self, target: &Target) -> Vec<(&Line, &(Date, Figure))> {
        let found = self
            .lines
            .iter()
            .filter_map(|line| Some((line, line.newest_in(target.first, target.date)?)));
        found.collect()
    }

    /// The period of its dates: days, if one of the series has days.
    fn period(&self) -> Period {
        let periods = || self.lines.iter().map(|line| line.period);
        let first = periods().next().unwrap_or(Period::Day);
        if periods().all(|period| period == first) { first } else { Period::Day }
    }
}

/// Months or years below the plot.
fn horizontal_axis(plot: &Plot, (first, last): (Date, Date), language: Language) -> Markup {
    let months = month_starts(first, last);
    let by_day = |day: Date| (day, Period::Day.short(day, language));
    let labels: Vec<(Date, String)> = match months.len() {
        0 | 1 => [first, last].map(by_day).into(),
        2..=MOST_MONTHS => months.into_iter().map(|start| (start, language.month(start))).collect(),
        _ => {
            let years = months.into_iter().filter(|start| start.month() == 1);
            years.map(|start| (start, start.year().to_string())).collect()
        }
    };
    let labels = labels.into_iter().map(|(day, label)| (plot.along(day), label));
    let fitting: Vec<_> = labels.filter(|(x, label)| plot.has_room(*x, label)).collect();
    let every = fitting.len().div_ceil(MOST_LABELS).max(1);
    let size = plot.size;
    html! {
        @for (x, label) in fitting.into_iter().rev().step_by(every) {
            line.mark x1=(unit(x)) x2=(unit(x)) y1=(size.bottom()) y2=(size.bottom() + 4.0) {}
            text x=(unit(x)) y=(size.height() - 5.0) text-anchor="middle" { (label) }
        }
    }
}

/// The dates at which values are shown: all, or where those are too many the last of each week, month or longer.
fn targets(dates: &[Date]) -> Vec<Target> {
    let (most, steps) = Size::Wide.targets();
    let whole: Range<usize> = 0..dates.len();
    let (_, kept) = downsample(dates, std::slice::from_ref(&whole), most, steps);
    let mut first = Some(0);
    let target = |at: usize| {
        let start = first.replace(at + 1).and_then(|start: usize| dates.get(start));
        Target { first: start.copied(), date: dates[at] }
    };
    kept.into_iter().map(target).collect()
}

/// A line, broken where figures are missing, with a mark at its end.
fn draw(plot: &Plot, line: &Line) -> Markup {
    let dates = line.dates();
    let Some((date, newest)) = line.points.last() else { return html! {} };
    let runs = gaps::runs(&dates, line.period);
    let (_, steps) = Size::Wide.targets();
    let (_, kept) = downsample(&dates, &runs, MOST_POINTS, steps);
    let place = |at: usize| {
        let (date, figure) = &line.points[at];
        (plot.along(*date), plot.height(figure.to_f64()))
    };
    let is_kept = |run: &Range<usize>, at: usize| match line.shape {
        Shape::Line | Shape::Bars => kept.binary_search(&at).is_ok(),
        // A change belongs to its day.
        Shape::Steps => {
            at == run.start || at + 1 == run.end || line.points[at].1 != line.points[at - 1].1
        }
    };
    html! {
        @for run in &runs {
            @let places: Vec<(f64, f64)> = run.clone().filter(|at| is_kept(run, *at)).map(place).collect();
            @match places.as_slice() {
                [(x, y)] => circle class=(line.class("lone")) cx=(unit(*x)) cy=(unit(*y)) r="2.2" {},
                places => polyline class=(line.class("line")) points=(gaps::path(places, line.shape)) {},
            }
        }
        (line.mark(plot.along(*date), plot.height(newest.to_f64())))
    }
}

/// The values of a date, as they are read out.
fn in_words(when: &str, values: &[(&Line, &(Date, Figure))], language: Language) -> String {
    let values: Vec<String> = values
        .iter()
        .map(|(line, (_, figure))| format!("{} {}", line.name, language.written(figure)))
        .collect();
    format!("{when}: {}", values.join("; "))
}
