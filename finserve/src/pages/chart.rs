//! Small charts, drawn as SVG: seen by eyes as a picture, by screen readers as a table.
use chrono::{Datelike, NaiveDate};
use fincore::{Date, Decimal};
use maud::{Markup, html};

use super::language::Language;

const WIDTH: f64 = 320.0;
const HEIGHT: f64 = 96.0;
/// Room for the line's own width and for the dot at its end, a line without length that keeps its shape.
const MARGIN: f64 = 5.0;

/// How the figures are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A line through daily figures.
    Line,
    /// A bar for each month, up or down from zero.
    Bars,
}

/// Figures over time, oldest first.
#[derive(Debug)]
pub(crate) struct Chart<'a> {
    /// Tells charts of a page apart; a word.
    pub(crate) id: &'a str,
    pub(crate) title: &'a str,
    pub(crate) points: &'a [(Date, Decimal)],
    pub(crate) shape: Shape,
}

impl Chart<'_> {
    /// The picture, and the last figure of each month for those who cannot see it.
    pub(crate) fn draw(&self, language: Language) -> Markup {
        html! { (self.picture(language)) (self.table(language)) }
    }

    /// The picture alone, for pages that show its figures anyway.
    pub(crate) fn picture(&self, language: Language) -> Markup {
        let (Some(first), Some(last)) = (self.points.first(), self.points.last()) else {
            return html! {};
        };
        let (title_id, text_id) = (format!("{}-title", self.id), format!("{}-text", self.id));
        html! {
            svg.chart viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) role="img"
                aria-labelledby=(format!("{title_id} {text_id}")) preserveAspectRatio="none" {
                title id=(title_id) { (self.title) }
                desc id=(text_id) { (in_words(language, first, last)) }
                @match self.shape {
                    Shape::Line => (self.line()),
                    Shape::Bars => (self.bars()),
                }
            }
        }
    }

    /// The figures from the lowest to the highest, which fill the height.
    fn bounds(&self) -> (f64, f64) {
        let figures = self.points.iter().map(|(_, figure)| figure.to_f64());
        let (low, high) = figures
            .fold((f64::MAX, f64::MIN), |(low, high), figure| (low.min(figure), high.max(figure)));
        // Bars stand on zero; a line that never moves runs through the middle.
        match self.shape {
            Shape::Bars => (low.min(0.0), high.max(0.0)),
            Shape::Line if (high - low).abs() < f64::EPSILON => (low - 1.0, high + 1.0),
            Shape::Line => (low, high),
        }
    }

    /// How far down the picture each figure lies.
    fn heights(&self) -> impl Fn(Decimal) -> f64 + use<> {
        let (low, high) = self.bounds();
        move |figure| {
            let share = (figure.to_f64() - low) / (high - low).max(f64::EPSILON);
            HEIGHT - MARGIN - share * (HEIGHT - 2.0 * MARGIN)
        }
    }

    fn line(&self) -> Markup {
        let height = self.heights();
        let days = |date: Date| f64::from(NaiveDate::from(date).num_days_from_ce());
        let (first, last) = (days(self.points[0].0), days(self.points[self.points.len() - 1].0));
        let place = |(date, figure): &(Date, Decimal)| {
            let along = (days(*date) - first) / (last - first).max(1.0);
            let (x, y) = (MARGIN + along * (WIDTH - 2.0 * MARGIN), height(*figure));
            (format!("{x:.1}"), format!("{y:.1}"))
        };
        let places: Vec<(String, String)> = self.points.iter().map(place).collect();
        let path: Vec<String> = places.iter().map(|(x, y)| format!("{x},{y}")).collect();
        let (end, height) = &places[places.len() - 1];
        let area = format!("{MARGIN},{HEIGHT} {} {end},{HEIGHT}", path.join(" "));
        html! {
            polygon.area points=(area) {}
            polyline.line points=(path.join(" ")) {}
            line.end x1=(end) x2=(end) y1=(height) y2=(height) {}
        }
    }

    fn bars(&self) -> Markup {
        #[expect(clippy::cast_precision_loss, reason = "a page shows some dozen months")]
        let step = (WIDTH - 2.0 * MARGIN) / self.points.len() as f64;
        let height = self.heights();
        let zero = height(Decimal::from(0));
        let lefts = std::iter::successors(Some(MARGIN + step * 0.15), |left| Some(left + step));
        html! {
            line.zero x1=(MARGIN) x2=(WIDTH - MARGIN) y1=(format!("{zero:.1}")) y2=(format!("{zero:.1}")) {}
            @for ((_, figure), left) in self.points.iter().zip(lefts) {
                @let end = height(*figure);
                @if *figure != Decimal::from(0) {
                    rect.bar x=(format!("{left:.1}")) width=(format!("{:.1}", step * 0.7))
                        y=(format!("{:.1}", end.min(zero))) height=(format!("{:.1}", (end - zero).abs().max(1.0))) {}
                }
            }
        }
    }

    fn table(&self, language: Language) -> Markup {
        let month = |date: Date| date.to_string()[..7].to_owned();
        let months = self.points.chunk_by(|(one, _), (other, _)| month(*one) == month(*other));
        html! {
            table.unseen {
                caption { (self.title) }
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
            }
        }
    }
}

fn in_words(language: Language, first: &(Date, Decimal), last: &(Date, Decimal)) -> String {
    let (from, to) = (language.date(first.0), language.date(last.0));
    let (start, end) = (language.number(first.1), language.number(last.1));
    language.pick(
        format!("From {start} on {from} to {end} on {to}."),
        format!("De {start} em {from} a {end} em {to}."),
    )
}
