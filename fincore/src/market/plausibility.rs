//! Doubts figures that a series cannot have: they were mistyped, or belong to another series.
//!
//! Bounds are wide enough for everything that was ever published, and for some more.
use std::{collections::BTreeMap, ops::Bound};

use super::{rows::Rate, store::Quote};
use crate::{
    catalogue::Writer,
    error::Result,
    sqlite::parsed_if_any,
    types::{Currency, Date, Decimal},
};

mod bounds;

use bounds::Bounds;

/// Says why a file with these observations is doubtful, if it is.
pub(crate) fn doubt_rates(writer: &Writer, series: u32, rows: &[Rate]) -> Result<Option<String>> {
    const SQL: &str = "SELECT date, value FROM rate WHERE series = ?1 AND date BETWEEN ?2 AND ?3";
    let (Some(first), Some(last)) = (rows.first(), rows.last()) else { return Ok(None) };
    let stored = stored_around(writer, SQL, series, (first.date, last.date))?;
    let new: Figures = rows.iter().map(|row| (row.date, row.value)).collect();
    let bounds = |date| bounds::of_series(series, date);
    Ok(first_implausible(&new, &stored, bounds).map(|doubt| format!("SGS {series} {doubt}")))
}

/// The same for quotes, of any currencies and in any order.
pub(crate) fn doubt_quotes(writer: &Writer, rows: &[Quote]) -> Result<Option<String>> {
    const BUY: &str = "SELECT date, buy FROM fx WHERE currency = ?1 AND date BETWEEN ?2 AND ?3";
    const SELL: &str = "SELECT date, sell FROM fx WHERE currency = ?1 AND date BETWEEN ?2 AND ?3";
    let mut sides: BTreeMap<(Currency, &str), Figures> = BTreeMap::new();
    for row in rows {
        for (sql, figure) in [(BUY, row.buy), (SELL, row.sell)] {
            let Some(figure) = figure else { continue };
            sides.entry((row.currency, sql)).or_default().insert(row.date, figure);
        }
    }
    for ((currency, sql), new) in sides {
        let (Some((first, _)), Some((last, _))) = (new.first_key_value(), new.last_key_value())
        else {
            continue;
        };
        let stored = stored_around(writer, sql, currency.to_string(), (*first, *last))?;
        if let Some(doubt) = first_implausible(&new, &stored, |_| bounds::of_currency(currency)) {
            return Ok(Some(format!("{currency} {doubt}")));
        }
    }
    Ok(None)
}

/// Figures by day.
type Figures = BTreeMap<Date, Decimal>;

/// The figures that are stored around those of a file.
fn stored_around(
    writer: &Writer,
    sql: &str,
    of: impl rusqlite::ToSql,
    (first, last): (Date, Date),
) -> Result<Figures> {
    let around = (first.days_before(bounds::WINDOW), days_after(last, bounds::WINDOW));
    let mut statement = writer.prepare(sql)?;
    let days = (of, around.0.to_string(), around.1.to_string());
    let mut rows = statement.query(days)?;
    let mut figures = Figures::new();
    while let Some(row) = rows.next()? {
        // A figure that cannot be read is compared with nothing.
        let read = (parsed_if_any(row, 0), parsed_if_any(row, 1));
        if let (Ok(Some(date)), Ok(Some(figure))) = read {
            figures.insert(date, figure);
        }
    }
    Ok(figures)
}

fn days_after(date: Date, days: u32) -> Date {
    let days = i32::try_from(days).unwrap_or(i32::MAX);
    Date::from_day_number(date.day_number().saturating_add(days)).unwrap_or(Date::MAX)
}

/// The first figure that its series cannot have. Figures that are stored already are not doubted again.
fn first_implausible(
    new: &Figures,
    stored: &Figures,
    bounds: impl Fn(Date) -> Bounds,
) -> Option<String> {
    let known = |date: &Date, figure: &Decimal| stored.get(date) == Some(figure);
    for (date, figure) in new.iter().filter(|(date, figure)| !known(date, figure)) {
        let bounds = bounds(*date);
        if let Some(wanted) = bounds.violation(*figure) {
            return Some(format!("on {date}: {figure} is implausible; {wanted}"));
        }
        let same_day = stored.get(date).map(|there| (*date, *there));
        // The days before and after, from the file or else from the data.
        let before = |figures: &Figures| figures.range(..*date).next_back().map(|(d, f)| (*d, *f));
        let later = (Bound::Excluded(*date), Bound::Unbounded);
        let next = |figures: &Figures| figures.range(later).next().map(|(d, f)| (*d, *f));
        // Of two on one day, that of the file counts: the last of the highest, the first of the lowest.
        let neighbours = [
            [before(stored), before(new)].into_iter().flatten().max_by_key(|(date, _)| *date),
            [next(new), next(stored)].into_iter().flatten().min_by_key(|(date, _)| *date),
        ];
        for (there, known) in neighbours.into_iter().flatten().chain(same_day) {
            let days = (there.day_number() - date.day_number()).unsigned_abs();
            // A neighbour that is wrong itself proves nothing.
            let counts = days <= bounds.days && bounds.violation(known).is_none();
            if counts && !bounds.step.allows(known, *figure) {
                let step = bounds.step;
                return Some(format!(
                    "on {date}: {figure} is implausible beside {known} on {there}; {step}"
                ));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(rows: &[(&str, &str)]) -> Figures {
        rows.iter().map(|(day, text)| (day.parse().unwrap(), text.parse().unwrap())).collect()
    }

    fn series(number: u32, new: &[(&str, &str)], stored: &[(&str, &str)]) -> Option<String> {
        first_implausible(&figures(new), &figures(stored), |date| bounds::of_series(number, date))
    }

    #[test]
    fn doubts_what_a_series_cannot_have() {
        let one = |number, value| series(number, &[("2026-11-05", value)], &[]);
        let good =
            [(432, "13.75"), (432, "2.00"), (433, "-0.68"), (12, "0.051660"), (4389, "13.65")];
        for (number, value) in good {
            assert_eq!(one(number, value), None, "{number} {value}");
        }
        let bad = [(432, "1375"), (432, "5.1247"), (433, "99999999.99"), (12, "13.65")];
        for (number, value) in bad {
            assert!(one(number, value).is_some(), "{number} {value}");
        }
        assert_eq!(
            one(432, "1375").unwrap(),
            "on 2026-11-05: 1375 is implausible; 0.25 to 60 is plausible"
        );
    }

    #[test]
    fn doubts_a_step_from_the_days_around_and_from_the_same_day() {
        let stored = [("2026-11-04", "13.75"), ("2026-11-06", "13.75")];
        assert_eq!(series(432, &[("2026-11-05", "14.75")], &stored), None);
        let message = series(432, &[("2026-11-05", "5.00")], &stored).unwrap();
        assert!(message.contains("5.00 is implausible beside 13.75 on 2026-11-04"), "{message}");
        for day in ["2026-11-03", "2026-11-04", "2026-11-07"] {
            assert!(series(432, &[(day, "5.00")], &stored).is_some(), "{day}");
        }
        assert_eq!(series(432, &[("2027-11-04", "5.00")], &stored), None, "it is a year later");
        // What a file itself brings for these days counts, not what it replaces.
        let lower = [("2026-11-04", "11.75"), ("2026-11-05", "9.75"), ("2026-11-06", "11.75")];
        assert_eq!(series(432, &lower, &stored), None);
    }

    #[test]
    fn a_wrong_figure_in_the_data_can_be_corrected() {
        assert_eq!(series(432, &[("2026-11-05", "13.75")], &[("2026-11-05", "1375")]), None);
        assert_eq!(series(432, &[("2026-11-06", "13.75")], &[("2026-11-05", "1375")]), None);
        assert_eq!(series(432, &[("2026-11-05", "1375")], &[("2026-11-05", "1375")]), None);
    }

    #[test]
    fn an_unknown_series_may_have_anything_but_a_revision_by_the_thousand() {
        let stored = [("2026-11-04", "20.5")];
        assert_eq!(series(7777, &[("2026-11-05", "99999999.99")], &stored), None);
        assert_eq!(series(7777, &[("2026-11-04", "2050")], &stored), None);
        assert!(series(7777, &[("2026-11-04", "20600")], &stored).is_some());
    }

    #[test]
    fn doubts_prices_that_jump() {
        type Rows<'a> = &'a [(&'a str, &'a str)];
        let price = |currency: Currency, new: Rows<'_>, stored: Rows<'_>| {
            first_implausible(&figures(new), &figures(stored), |_| bounds::of_currency(currency))
        };
        assert!(price(Currency::USD, &[("2026-11-05", "512.47")], &[]).is_some());
        assert!(price(Currency::USD, &[("2026-11-05", "0.0512")], &[]).is_some());
        let (before, day) = ([("2026-11-04", "5.12")], "2026-11-05");
        assert_eq!(price(Currency::USD, &[(day, "6.30")], &before), None);
        assert!(price(Currency::USD, &[(day, "7.00")], &before).is_some());
        assert!(price(Currency::EUR, &[(day, "3.90")], &before).is_some());
        let rouble: Currency = "RUB".parse().unwrap();
        assert_eq!(price(rouble, &[(day, "7.00")], &before), None);
        assert!(price(rouble, &[(day, "0.50")], &before).is_some());
    }
}
