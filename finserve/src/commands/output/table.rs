//! Answers as aligned columns.
use std::borrow::Cow;

use super::{
    api_answer::{Answer, Table, Value},
    screen::Screen,
};

/// The columns of a kind of rows that a terminal has room for. CSV and JSON have all columns.
struct MainColumns {
    /// Rows with all of these columns are of this kind.
    marks: &'static [&'static str],
    /// Identify a row, and are never cut.
    keys: &'static [&'static str],
    rest: &'static [&'static str],
    /// Of the rest, those that are left out, the first one first, before others get too narrow to be read.
    optional: &'static [&'static str],
}

const MAIN: &[MainColumns] = &[
    MainColumns {
        marks: &["company_id", "gross_margin", "dividends_paid", "roa"],
        keys: &["company_id"],
        rest: &["name", "period_end", "revenue", "ebit", "ebitda", "net_income", "equity", "roe"],
        optional: &["equity", "ebit", "ebitda", "roe"],
    },
    MainColumns {
        marks: &["period_end", "gross_margin", "dividends_paid", "roa"],
        keys: &["period_end"],
        rest: &["scope", "revenue", "ebit", "ebitda", "net_income", "net_debt", "equity", "roe"],
        optional: &["scope", "equity", "net_debt", "ebit", "ebitda", "roe"],
    },
    MainColumns {
        marks: &["company_name"],
        keys: &["id", "date"],
        rest: &["company_name", "category", "description"],
        optional: &[],
    },
    MainColumns {
        marks: &["cnpj"],
        keys: &["id"],
        rest: &["name", "tickers", "status", "sector"],
        optional: &[],
    },
    MainColumns {
        marks: &["title_pt"],
        keys: &["number", "name"],
        rest: &["title", "unit", "first", "last", "count"],
        optional: &["unit", "first", "count"],
    },
];

/// No column of texts gets narrower than this, which a day needs.
const NARROWEST: usize = 10;

/// A text of this width can be told from others. Optional columns give way to it.
const READABLE: usize = 40;

/// The space between two columns.
const GAP: &str = "  ";

/// Facts as a list and rows as a table, cut to the width of the screen.
pub(crate) fn table(answer: &Answer, screen: Screen) -> String {
    let mut text = facts(&answer.facts, screen);
    let several = answer.tables.len() > 1 || !text.is_empty();
    for table in &answer.tables {
        if several {
            let line = if text.is_empty() { "" } else { "\n" };
            text += &format!("{line}{}\n", screen.bold(&table.name));
        }
        text += &rows(table, screen);
    }
    text
}

/// One fact a line. Nothing is cut: a user who asks for one thing wants all of it.
fn facts(facts: &[(String, Value)], screen: Screen) -> String {
    let width = facts.iter().map(|(name, _)| length(name)).max().unwrap_or(0);
    let line = |(name, value): &(String, Value)| {
        let gap = " ".repeat(width - length(name) + GAP.len());
        let line = format!("{}{gap}{}", screen.bold(name), value.to_text());
        line.trim_end().to_owned() + "\n"
    };
    facts.iter().map(line).collect()
}

fn rows(table: &Table, screen: Screen) -> String {
    let (columns, keys) = choose_columns(table, screen.width);
    if table.rows.is_empty() {
        return "nothing found\n".into();
    }
    let cells: Vec<Vec<Cow<'_, str>>> = table
        .rows
        .iter()
        .map(|row| columns.iter().map(|at| row[*at].to_text()).collect())
        .collect();
    let right: Vec<bool> = columns.iter().map(|at| is_numeric(table, *at)).collect();
    let names: Vec<Cow<'_, str>> =
        columns.iter().map(|at| Cow::Borrowed(table.columns[*at].as_str())).collect();
    let mut widths: Vec<usize> = columns.iter().map(|at| width(table, *at)).collect();
    if let Some(most) = screen.width {
        let is_key = |at: usize| at < keys;
        let fixed: Vec<bool> =
            right.iter().enumerate().map(|(at, right)| *right || is_key(at)).collect();
        narrow(&mut widths, &fixed, most);
    }
    let line = |row: &[Cow<'_, str>]| {
        let cells = row.iter().zip(&widths).zip(&right);
        let cells = cells.map(|((text, width), right)| align(text, *width, *right));
        let line = cells.collect::<Vec<_>>().join(GAP);
        let line = line.trim_end();
        screen.width.map_or_else(|| line.to_owned(), |most| cut(line, most))
    };
    let mut text = format!("{}\n", screen.bold(&line(&names)));
    for row in &cells {
        text += &line(row);
        text.push('\n');
    }
    text
}

/// The positions of the columns that are shown, and how many of them, from the first, are never cut.
fn choose_columns(table: &Table, most: Option<usize>) -> (Vec<usize>, usize) {
    let position = |name: &&str| table.columns.iter().position(|column| column == name);
    let Some(main) =
        MAIN.iter().find(|main| main.marks.iter().all(|mark| position(mark).is_some()))
    else {
        return ((0..table.columns.len()).collect(), 0);
    };
    let mut columns: Vec<usize> = main.keys.iter().chain(main.rest).filter_map(position).collect();
    let needed = |columns: &[usize]| {
        let room = |(number, at): (usize, &usize)| {
            let is_fixed = number < main.keys.len() || is_numeric(table, *at);
            if is_fixed { width(table, *at) } else { width(table, *at).min(READABLE) }
        };
        let gaps = GAP.len() * columns.len().saturating_sub(1);
        columns.iter().enumerate().map(room).sum::<usize>() + gaps
    };
    for optional in main.optional.iter().filter_map(position) {
        if most.is_some_and(|most| needed(&columns) > most) {
            columns.retain(|column| *column != optional);
        }
    }
    (columns, main.keys.len())
}

/// The width of the longest text of a column.
fn width(table: &Table, at: usize) -> usize {
    let texts = table.rows.iter().map(|row| length(&row[at].to_text()));
    texts.chain([length(&table.columns[at])]).max().unwrap_or(0)
}

fn is_numeric(table: &Table, at: usize) -> bool {
    let mut values = table.rows.iter().map(|row| &row[at]).filter(|value| **value != Value::Empty);
    let any = values.clone().next().is_some();
    any && values.all(|value| matches!(value, Value::Number(_)))
}

/// Narrows the widest texts until all columns fit. Fixed columns and days keep their width.
fn narrow(widths: &mut [usize], fixed: &[bool], most: usize) {
    loop {
        let gaps = GAP.len() * widths.len().saturating_sub(1);
        if widths.iter().sum::<usize>() + gaps <= most {
            return;
        }
        let texts =
            widths.iter_mut().zip(fixed).filter(|(width, fixed)| !**fixed && **width > NARROWEST);
        match texts.map(|(width, _)| width).max_by_key(|width| **width) {
            Some(widest) => *widest -= 1,
            None => return,
        }
    }
}

fn align(text: &str, width: usize, right: bool) -> String {
    let text = cut(text, width);
    let gap = " ".repeat(width.saturating_sub(length(&text)));
    if right { gap + &text } else { text + &gap }
}

/// The text, or as much of it as fits and an ellipsis.
fn cut(text: &str, width: usize) -> String {
    if length(text) <= width {
        return text.to_owned();
    }
    let kept: String = text.chars().take(width.saturating_sub(1)).collect();
    kept.trim_end().to_owned() + "…"
}

fn length(text: &str) -> usize {
    text.chars().count()
}
