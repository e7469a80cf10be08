//! Answers as CSV, by the library's writer.
use fincore::{
    Date, Decimal,
    table::{Cell, Dialect, Kind, write_csv_cells},
};

use super::answer::{Answer, Table, Value};
use crate::http::Heading;

/// The rows of an answer as CSV; one row of facts where it has no rows. Several lists become one, in which the first column
/// names the list.
pub(crate) fn csv(
    answer: &Answer,
    headings: &[Heading],
    dialect: Dialect,
) -> fincore::Result<Vec<u8>> {
    let mut out = Vec::new();
    match &answer.tables[..] {
        [] => {
            let (names, values): (Vec<&str>, Vec<&Value>) =
                answer.facts.iter().map(|(name, value)| (name.as_str(), value)).unzip();
            let row = values.into_iter().map(|value| cell(value, None)).collect();
            write_csv_cells(&names, [row].into_iter(), dialect, &mut out)?;
        }
        [table] => {
            let names: Vec<&str> = table.columns.iter().map(String::as_str).collect();
            let kinds: Vec<Option<Kind>> = names.iter().map(|name| kind(headings, name)).collect();
            let rows = table.rows.iter().map(|row| {
                row.iter().zip(&kinds).map(|(value, kind)| cell(value, *kind)).collect()
            });
            write_csv_cells(&names, rows, dialect, &mut out)?;
        }
        tables => {
            let mut names = vec!["list"];
            for column in tables.iter().flat_map(|table| &table.columns) {
                if !names.contains(&column.as_str()) {
                    names.push(column);
                }
            }
            let rows =
                tables.iter().flat_map(|table| table.rows.iter().map(move |row| (table, row)));
            let rows = rows.map(|(table, row)| united(&names, table, row));
            write_csv_cells(&names, rows, dialect, &mut out)?;
        }
    }
    Ok(out)
}

/// A row of one of several lists.
fn united<'r>(names: &[&str], table: &'r Table, row: &'r [Value]) -> Vec<Cell<'r>> {
    let value = |name: &&str| {
        let at = table.columns.iter().position(|column| column == name)?;
        Some(cell(&row[at], None))
    };
    let rest = names.iter().skip(1).map(|name| value(name).unwrap_or(Cell::Empty));
    [table.name.as_str().into()].into_iter().chain(rest).collect()
}

fn kind(headings: &[Heading], name: &str) -> Option<Kind> {
    headings.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind)
}

/// A value as the library writes it in a column of this kind.
fn cell(value: &Value, kind: Option<Kind>) -> Cell<'_> {
    let number = |text: &str| {
        let whole = text.parse().ok().map(Cell::Integer);
        whole.or_else(|| text.parse::<Decimal>().ok().map(Cell::Figure))
    };
    let day = |text: &str| text.parse::<Date>().ok();
    match (value, kind) {
        (Value::Empty, _) => Cell::Empty,
        (Value::List(texts), _) => Cell::List(texts),
        (Value::Number(text), Some(Kind::Figure)) => {
            text.parse::<Decimal>().map_or_else(|_| text.as_str().into(), Cell::Figure)
        }
        (Value::Number(text), _) => number(text).unwrap_or_else(|| text.as_str().into()),
        (Value::Text(text), Some(Kind::Day)) => {
            day(text).map_or_else(|| text.as_str().into(), Cell::Day)
        }
        (Value::Text(text), Some(Kind::StartOfDay)) => text
            .strip_suffix("T00:00:00-03:00")
            .and_then(day)
            .map_or_else(|| text.as_str().into(), Cell::StartOfDay),
        (Value::Text(text), _) => text.as_str().into(),
    }
}
