//! The newest figure of a series or currency: what it changed, what a year amounts to, and when the next one is due.
use fincore::{Date, Decimal, Meta, Result, Snapshot, market::NewerSide, plans::RECENT_DAYS};
use maud::{Markup, html};

use super::{
    newer_side::newer_side_notes,
    series_or_pair::{Row, Subject, origin_name},
};
use crate::pages::{
    chart::{Period, Shape},
    data_age,
    language::Language,
    view::View,
};

/// The newest figure, and what is said beside it.
pub(super) struct NewestFigure {
    row: Option<Row>,
    /// The figure before: of one that holds until it is changed, the last other one.
    earlier: Option<(Date, Decimal)>,
    /// The growth in twelve months in a row, and the first of them.
    year: Option<(f64, Date)>,
    due: Option<Date>,
    sides: Vec<NewerSide>,
    /// The years with figures, of a currency with few days.
    years: Vec<u16>,
    pub(super) meta: Meta,
    today: Date,
}

impl NewestFigure {
    pub(super) fn read(snapshot: &Snapshot, subject: &Subject) -> Result<NewestFigure> {
        let part = subject.read(snapshot, (None, None), (12, 0))?;
        let mut rows = part.rows.into_iter();
        let row = rows.next();
        let rest: Vec<Row> = rows.collect();
        let earlier = match (&row, subject.shape()) {
            (Some(newest), Shape::Steps) => last_other(snapshot, subject, newest)?,
            _ => rest.first().and_then(drawn),
        };
        let year = row.as_ref().filter(|_| subject.is_change());
        let year = year.and_then(|newest| compounded(newest, &rest));
        Ok(NewestFigure {
            row,
            earlier,
            year,
            due: subject.next_due(snapshot)?,
            sides: subject.newer_sides(snapshot)?,
            years: subject.years_of_few(snapshot)?,
            meta: part.meta,
            today: snapshot.today(),
        })
    }

    pub(super) fn show(&self, view: &View, subject: &Subject) -> Markup {
        let language = view.language;
        let columns = subject.columns(language);
        let stale = self.meta.stale == Some(true);
        let Some(row) = &self.row else { return html! {} };
        html! {
            div.newest {
                @for (figure, column) in row.figures.iter().zip(&columns) {
                    p.figure {
                        data value=(figure) { (language.number(*figure)) }
                        span.unit {
                            @if columns.len() > 1 { (column) " · " }
                            (subject.unit(language))
                        }
                    }
                }
            }
            p.change {
                time datetime=(row.date) { (subject.period().of(row.date, language)) }
                @if let Some(origin) = origin_name(row.origin, language) { " · " (origin) }
                @if stale { " · " strong.age { (data_age::of(subject.period(), self.today, row.date, language)) } }
                @if let Some(change) = self.change(subject, language) { " · " (change) }
            }
            @if let Some(year) = self.year(subject, language) { p.note { (year) } }
            @if !self.sides.is_empty() { p.note { (newer_side_notes(view, &self.sides)) } }
            @if let Some(held) = self.held(subject, language) { p.note { (held) } }
            @if let Some(due) = self.due_in_words(subject, language) { p.note { (due) } }
        }
    }

    /// How far the newest figure is from the one before, of a currency on the side that is drawn.
    fn change(&self, subject: &Subject, language: Language) -> Option<String> {
        let ((_, value), (date, figure)) = (self.row.as_ref().and_then(drawn)?, self.earlier?);
        let since = subject.period().of(date, language);
        let (new, old) = (value.to_f64(), figure.to_f64());
        if new == old {
            let same = language.pick("unchanged since", "sem alteração desde");
            return Some(format!("{same} {since}"));
        }
        let decimals = |figure: Decimal| {
            figure.to_string().split_once('.').map_or(0, |(_, decimals)| decimals.len())
        };
        let change = language.signed(new - old, decimals(value).max(decimals(figure)));
        let unit = match subject.is_percent() {
            true => language.pick(" percentage points", " p.p.").to_owned(),
            false if old > 0.0 => format!(" ({}%)", language.signed((new / old - 1.0) * 100.0, 2)),
            false => String::new(),
        };
        let side = match subject.columns(language).as_slice() {
            [_, drawn] => format!("{}: ", drawn.to_lowercase()),
            _ => String::new(),
        };
        Some(language.pick(
            format!("{side}{change}{unit} since {since}"),
            format!("{side}{change}{unit} desde {since}"),
        ))
    }

    fn year(&self, subject: &Subject, language: Language) -> Option<String> {
        let (year, first) = self.year?;
        let [first, last] =
            [first, self.row.as_ref()?.date].map(|date| subject.period().of(date, language));
        let year = language.written(&format!("{year:.2}"));
        Some(language.pick(
            format!("{year}% in 12 months, compounded from the published months {first} to {last}."),
            format!("{year}% em 12 meses, compostos a partir dos valores mensais publicados de {first} a {last}."),
        ))
    }

    /// How many days there are, where they are few.
    fn held(&self, subject: &Subject, language: Language) -> Option<String> {
        let (last, others) = self.years.split_last()?;
        let (days, and) = (subject.few_days(language)?, language.pick("and", "e"));
        let years = match others {
            [] => last.to_string(),
            others => {
                let others: Vec<String> = others.iter().map(u16::to_string).collect();
                format!("{} {and} {last}", others.join(", "))
            }
        };
        Some(language.pick(format!("{days}, in {years}."), format!("{days}, em {years}.")))
    }

    fn due_in_words(&self, subject: &Subject, language: Language) -> Option<String> {
        let (due, newest) = (self.due?, self.row.as_ref()?.date);
        let by = language.date(due);
        let is_past = due <= self.today;
        let figure = match subject.period() {
            Period::Day => language.pick("The next figure", "O próximo valor").to_owned(),
            Period::Month | Period::Quarter | Period::Year => {
                let month = language.month(next_month(newest)?);
                language.pick(format!("The figure of {month}"), format!("O valor de {month}"))
            }
        };
        Some(match is_past {
            false => language
                .pick(format!("{figure} is due by {by}."), format!("{figure} deve sair até {by}.")),
            true => language.pick(
                format!("{figure} was due by {by}; our copy does not have it."),
                format!("{figure} deveria ter saído até {by}; a nossa cópia não o tem."),
            ),
        })
    }
}

/// The figure of a row that is drawn, with its day.
fn drawn(row: &Row) -> Option<(Date, Decimal)> {
    row.figures.last().map(|figure| (row.date, *figure))
}

/// The newest figure of the last twelve months that differs from the newest one; the oldest one where none does.
fn last_other(
    snapshot: &Snapshot,
    subject: &Subject,
    newest: &Row,
) -> Result<Option<(Date, Decimal)>> {
    let from = Some(newest.date.days_before(RECENT_DAYS));
    let points = subject.points(snapshot, (from, None))?;
    let is_other = |point: &&(Date, Decimal)| {
        drawn(newest).is_some_and(|(_, f)| f.to_f64() != point.1.to_f64())
    };
    Ok(points.iter().rev().find(is_other).or(points.first()).copied())
}

/// The growth in twelve months in a row, newest first, in percent; and the first of them.
fn compounded(newest: &Row, rest: &[Row]) -> Option<(f64, Date)> {
    let months: Vec<&Row> = std::iter::once(newest).chain(rest).take(12).collect();
    let number = |row: &Row| i32::from(row.date.year()) * 12 + i32::from(row.date.month());
    let in_a_row = months.windows(2).all(|pair| number(pair[0]) - number(pair[1]) == 1);
    let first = months.last().filter(|_| months.len() == 12 && in_a_row)?.date;
    let figures = months.iter().filter_map(|row| row.figures.last());
    let factor: f64 = figures.map(|figure| 1.0 + figure.to_f64() / 100.0).product();
    Some(((factor - 1.0) * 100.0, first))
}

fn next_month(month: Date) -> Option<Date> {
    match month.month() {
        12 => Date::new(month.year() + 1, 1, 1),
        number => Date::new(month.year(), number + 1, 1),
    }
}

#[cfg(test)]
mod tests {
    use fincore::market::Origin;

    use super::*;

    fn month(text: &str, figure: &str) -> Row {
        let figures = vec![figure.parse().unwrap()];
        Row { date: text.parse().unwrap(), figures, origin: Origin::Published }
    }

    #[test]
    fn twelve_months_are_compounded_if_none_is_missing() {
        // IPCA of 2022, newest first; IBGE published 5.79.
        let figures = [
            "0.62", "0.41", "0.59", "-0.29", "-0.36", "-0.68", "0.67", "0.47", "1.06", "1.62",
            "1.01", "0.54",
        ];
        let months = (1..=12).rev().zip(figures);
        let rows: Vec<Row> =
            months.map(|(at, figure)| month(&format!("2022-{at:02}-01"), figure)).collect();
        let (year, first) = compounded(&rows[0], &rows[1..]).unwrap();
        assert_eq!((format!("{year:.2}"), first.to_string()), ("5.78".into(), "2022-01-01".into()));
        assert!(compounded(&rows[0], &rows[1..11]).is_none(), "eleven months");
        let mut gap = rows;
        gap[11] = month("2021-12-01", "0.54");
        assert!(compounded(&gap[0], &gap[1..]).is_none(), "a month is missing");
    }

    #[test]
    fn a_year_ends_with_december() {
        let next = |text: &str| next_month(text.parse().unwrap()).unwrap().to_string();
        assert_eq!(
            (next("2026-08-01"), next("2026-12-01")),
            ("2026-09-01".into(), "2027-01-01".into())
        );
    }
}
