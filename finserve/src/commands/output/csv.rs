//! Answers as CSV, by the library's writer.
use fincore::{
    Date, Decimal,
    market::Origin,
    table::{Cell, ColumnKind, Dialect, write_csv_cells},
};

use super::api_answer::{Answer, STEPS, Table, Value};
use crate::http::Heading;

/// The column that says where a figure comes from.
const ORIGIN: &str = "origin";

/// An answer as CSV. An answer with facts is one row of them, or a row for each step of a calculation. Any other answer is
/// its rows; several lists become one, in which the first column names the list.
pub(crate) fn csv(
    answer: &Answer,
    headings: &[Heading],
    dialect: Dialect,
) -> fincore::Result<Vec<u8>> {
    let mut out = Vec::new();
    match &answer.tables[..] {
        _ if !answer.facts.is_empty() => result(answer, dialect, &mut out)?,
        [table] => {
            let mut names: Vec<&str> = table.columns.iter().map(String::as_str).collect();
            let kinds: Vec<Option<ColumnKind>> =
                names.iter().map(|name| kind(headings, name)).collect();
            let has_origin = kind(headings, ORIGIN).is_some();
            let at = names.iter().position(|name| *name == ORIGIN).unwrap_or(names.len());
            if has_origin && at == names.len() {
                names.push(ORIGIN);
            }
            let rows = table.rows.iter().map(|row| {
                let cells = row.iter().zip(&kinds).map(|(value, kind)| cell(value, *kind));
                let mut cells: Vec<Cell<'_>> = cells.collect();
                // JSON names the origin of a row only where it is another one.
                if has_origin {
                    cells.resize(names.len(), Cell::Empty);
                    if cells[at] == Cell::Empty {
                        cells[at] = Origin::Published.as_str().into();
                    }
                }
                cells
            });
            write_csv_cells(&names, rows, dialect, &mut out)?;
        }
        tables => {
            let columns = columns(tables);
            let names: Vec<&str> = ["list"].iter().chain(&columns).copied().collect();
            let rows = rows(tables).map(|(table, row)| {
                let list = [table.name.as_str().into()];
                list.into_iter().chain(unified_row(&columns, table, row)).collect()
            });
            write_csv_cells(&names, rows, dialect, &mut out)?;
        }
    }
    Ok(out)
}

/// The facts, each in a column of its name, and those of short lists in columns such as `quotes.1.pair`. Every step is a row
/// with these columns and its own, such as `steps.date`; where there are several lists of steps, a column says which.
fn result(answer: &Answer, dialect: Dialect, out: &mut Vec<u8>) -> fincore::Result<()> {
    let (mut names, mut facts) = (Vec::new(), Vec::new());
    for (name, value) in &answer.facts {
        names.push(name.clone());
        facts.push(cell(value, None));
    }
    let (steps, short): (Vec<&Table>, Vec<&Table>) =
        answer.tables.iter().partition(|table| table.is_steps());
    for table in short {
        for (number, row) in (1..).zip(&table.rows) {
            for (column, value) in table.columns.iter().zip(row) {
                names.push(format!("{}.{number}.{column}", table.name));
                facts.push(cell(value, None));
            }
        }
    }
    let several = steps.len() > 1;
    let columns = columns(steps.iter().copied());
    names.extend(several.then(|| STEPS.to_owned()));
    names.extend(columns.iter().map(|column| format!("{STEPS}.{column}")));
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    if steps.is_empty() {
        return write_csv_cells(&names, [facts].into_iter(), dialect, out);
    }
    let rows = rows(steps.iter().copied()).map(|(table, row)| {
        let list = several.then(|| table.name.as_str().into());
        facts.iter().cloned().chain(list).chain(unified_row(&columns, table, row)).collect()
    });
    write_csv_cells(&names, rows, dialect, out)
}

/// The columns of all these tables.
fn columns<'t>(tables: impl IntoIterator<Item = &'t Table>) -> Vec<&'t str> {
    let mut columns = Vec::new();
    for column in tables.into_iter().flat_map(|table| &table.columns) {
        if !columns.contains(&column.as_str()) {
            columns.push(column);
        }
    }
    columns
}

/// The rows of several lists, each with its list.
fn rows<'t>(
    tables: impl IntoIterator<Item = &'t Table>,
) -> impl Iterator<Item = (&'t Table, &'t Vec<Value>)> {
    tables.into_iter().flat_map(|table| table.rows.iter().map(move |row| (table, row)))
}

/// A row of one of several lists, which together have these columns.
fn unified_row<'r>(
    columns: &[&str],
    table: &'r Table,
    row: &'r [Value],
) -> impl Iterator<Item = Cell<'r>> {
    columns.iter().map(|name| {
        let at = table.columns.iter().position(|column| column == name);
        at.map_or(Cell::Empty, |at| cell(&row[at], None))
    })
}

fn kind(headings: &[Heading], name: &str) -> Option<ColumnKind> {
    headings.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind)
}

/// A value as the library writes it in a column of this kind.
fn cell(value: &Value, kind: Option<ColumnKind>) -> Cell<'_> {
    let number = |text: &str| {
        let whole = text.parse().ok().map(Cell::Integer);
        whole.or_else(|| text.parse::<Decimal>().ok().map(Cell::Figure))
    };
    let day = |text: &str| text.parse::<Date>().ok();
    match (value, kind) {
        (Value::Empty, _) => Cell::Empty,
        (Value::List(texts), _) => Cell::List(texts),
        (Value::Number(text), Some(ColumnKind::Figure)) => {
            text.parse::<Decimal>().map_or_else(|_| text.as_str().into(), Cell::Figure)
        }
        (Value::Number(text), _) => number(text).unwrap_or_else(|| text.as_str().into()),
        (Value::Text(text), Some(ColumnKind::Truth)) => {
            text.parse::<bool>().map_or_else(|_| text.as_str().into(), Cell::Truth)
        }
        (Value::Text(text), Some(ColumnKind::Day)) => {
            day(text).map_or_else(|| text.as_str().into(), Cell::Day)
        }
        (Value::Text(text), Some(ColumnKind::StartOfDay)) => text
            .strip_suffix("T00:00:00-03:00")
            .and_then(day)
            .map_or_else(|| text.as_str().into(), Cell::StartOfDay),
        (Value::Text(text), _) => text.as_str().into(),
    }
}
