//! Parses an answer of the API and keeps the digits of its numbers as they are.
use std::borrow::Cow;

use fincore::printable;
use indexmap::IndexMap;
use serde::Deserialize;
use serde_json::value::{RawValue, to_raw_value};

use crate::http::Heading;

/// An object whose members keep their order, and their values every digit.
type Object = IndexMap<String, Box<RawValue>>;

/// The member of the API that holds the steps of a calculation.
pub(crate) const STEPS: &str = "steps";

/// The content of an answer: facts, or rows, or both.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    pub(crate) facts: Vec<(String, Value)>,
    pub(crate) tables: Vec<Table>,
    pub(crate) notes: Notes,
}

/// A list of rows, each with a value for every column.
#[derive(Debug, Default)]
pub(crate) struct Table {
    pub(crate) name: String,
    pub(crate) columns: Vec<String>,
    pub(crate) rows: Vec<Vec<Value>>,
    /// The rows as the API sent them.
    pub(crate) json: Vec<Box<RawValue>>,
}

/// A value as the API wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    Empty,
    Text(String),
    /// With its digits.
    Number(String),
    List(Vec<String>),
}

/// Notes about an answer besides its content.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Notes {
    pub(crate) source: Option<String>,
    pub(crate) unit: Option<String>,
    pub(crate) stale: Option<bool>,
    pub(crate) fuzzy: bool,
    /// Words that a near search left out.
    pub(crate) dropped: Vec<String>,
    /// Words that it took for others.
    pub(crate) corrected: Vec<Corrected>,
    /// Why there are no rows.
    pub(crate) hints: Vec<String>,
    /// The rows of the whole list.
    #[serde(skip)]
    pub(crate) total: Option<u64>,
    /// The rows that a larger plan would show.
    #[serde(skip)]
    pub(crate) upgrade: Option<String>,
}

/// Words of a search that were taken for others.
#[derive(Debug, Deserialize)]
pub(crate) struct Corrected {
    pub(crate) from: String,
    pub(crate) to: String,
}

impl Answer {
    /// Parses the JSON of an answer. If a list is empty, `headings` are its columns.
    pub(crate) fn read(json: &str, headings: &[Heading]) -> serde_json::Result<Answer> {
        let members: Object = serde_json::from_str(json)?;
        let mut answer = Answer::default();
        let is_list = members.contains_key("data");
        // The address of the next page, and not the next business day.
        let leads_on = |name: &str, value: &RawValue| {
            name == "next" && (value.get() == "null" || value.get().starts_with("\"/"))
        };
        let is_plain = |name: &str, value: &RawValue| {
            !matches!(name, "meta" | "upgrade")
                && !leads_on(name, value)
                && !matches!(first_byte(value), b'{' | b'[')
        };
        let has_facts = !is_list && members.iter().any(|(name, value)| is_plain(name, value));
        let mut objects = Vec::new();
        for (name, value) in members {
            match (&*name, first_byte(&value)) {
                ("meta", _) => {
                    let (total, upgrade) = (answer.notes.total, answer.notes.upgrade.take());
                    answer.notes = Notes { total, upgrade, ..serde_json::from_str(value.get())? };
                }
                ("upgrade", b'{') => {
                    let prompt: Object = serde_json::from_str(value.get())?;
                    let message = prompt.get("message").map(|message| Value::read(message));
                    answer.notes.upgrade = message.map(|message| message.to_text().into_owned());
                }
                ("total", _) if is_list => answer.notes.total = value.get().parse().ok(),
                ("limit" | "offset", _) if is_list => (),
                (name, _) if leads_on(name, &value) => (),
                (_, b'{' | b'[') if has_facts => answer.flatten(name, &value)?,
                (_, b'[') => answer.tables.push(Table::read(name, &value, headings)?),
                (_, b'{') => objects.push((name, value)),
                _ => answer.facts.push((name, Value::read(&value))),
            }
        }
        answer.tables.extend(Table::from_objects(objects)?);
        Ok(answer)
    }

    /// Adds the members of an object under its name: `holiday.en`.
    fn flatten(&mut self, name: String, value: &RawValue) -> serde_json::Result<()> {
        match (first_byte(value), Value::read(value)) {
            (b'{', _) => {
                let members: Object = serde_json::from_str(value.get())?;
                let mut members = members.iter();
                members.try_for_each(|(inner, value)| {
                    self.flatten(format!("{name}.{inner}"), value)
                })?;
            }
            // Texts are one fact, such as the tickers of a company.
            (b'[', Value::Text(_)) => self.tables.push(Table::read(name, value, &[])?),
            (_, plain) => self.facts.push((name, plain)),
        }
        Ok(())
    }

    /// How many rows it has; of a list with another beside it, those of the list, which its total counts.
    pub(crate) fn rows(&self) -> usize {
        let list = self.tables.iter().find(|table| table.name == "data");
        let all = || self.tables.iter().map(|table| table.rows.len()).sum();
        list.map_or_else(all, |list| list.rows.len())
    }
}

impl Table {
    /// Whether it holds the steps of a calculation, of which there may be thousands.
    pub(crate) fn is_steps(&self) -> bool {
        self.name.rsplit('.').next() == Some(STEPS)
    }

    fn read(name: String, list: &RawValue, headings: &[Heading]) -> serde_json::Result<Table> {
        let json: Vec<Box<RawValue>> = serde_json::from_str(list.get())?;
        let objects = json.iter().map(|row| match first_byte(row) {
            b'{' => serde_json::from_str(row.get()),
            // A list of plain values has one column.
            _ => {
                let column = headings.first().map_or("value", |(name, _)| name);
                Ok(Object::from([(column.to_owned(), row.clone())]))
            }
        });
        let objects: Vec<Object> = objects.collect::<Result<_, _>>()?;
        let headings = headings.iter().map(|(name, _)| (*name).to_owned());
        let mut columns: Vec<String> =
            if objects.is_empty() { headings.collect() } else { Vec::new() };
        add_columns(&mut columns, &objects);
        let rows = objects.iter().map(|row| cells(&columns, row)).collect();
        Ok(Table { name, columns, rows, json })
    }

    /// One row for each of several objects, with its name in the first column.
    fn from_objects(objects: Vec<(String, Box<RawValue>)>) -> serde_json::Result<Option<Table>> {
        let mut rows = Vec::new();
        for (name, value) in &objects {
            let mut row = Object::from([("name".to_owned(), to_raw_value(name)?)]);
            let members: Object = serde_json::from_str(value.get())?;
            for (inner, value) in members {
                row.entry(inner).or_insert(value);
            }
            rows.push(row);
        }
        let mut columns = Vec::new();
        add_columns(&mut columns, &rows);
        let cells = rows.iter().map(|row| cells(&columns, row)).collect();
        let json = rows.iter().map(to_raw_value).collect::<Result<_, _>>()?;
        let table = Table { name: "data".into(), columns, rows: cells, json };
        Ok((!objects.is_empty()).then_some(table))
    }
}

/// Adds the names that are new, in their order.
fn add_columns(columns: &mut Vec<String>, rows: &[Object]) {
    for name in rows.iter().flat_map(Object::keys) {
        if !columns.contains(name) {
            columns.push(name.clone());
        }
    }
}

fn cells(columns: &[String], row: &Object) -> Vec<Value> {
    let cell = |name: &String| row.get(name).map_or(Value::Empty, |value| Value::read(value));
    columns.iter().map(cell).collect()
}

/// The first byte of a value, which tells its type.
fn first_byte(value: &RawValue) -> u8 {
    value.get().bytes().next().unwrap_or(b'n')
}

impl Value {
    pub(crate) fn read(raw: &RawValue) -> Value {
        let text = raw.get();
        match first_byte(raw) {
            b'n' => Value::Empty,
            b'"' => serde_json::from_str(text).map_or(Value::Empty, Value::Text),
            b'-' | b'0'..=b'9' => Value::Number(text.to_owned()),
            b'[' => serde_json::from_str(text)
                .map_or_else(|_| Value::Text(text.to_owned()), Value::List),
            _ => Value::Text(text.to_owned()),
        }
    }

    /// The text for a terminal: without control characters, and days without midnight.
    pub(crate) fn to_text(&self) -> Cow<'_, str> {
        match self {
            Value::Empty => Cow::Borrowed(""),
            Value::Number(text) => Cow::Borrowed(text),
            Value::Text(text) => printable(text.strip_suffix("T00:00:00-03:00").unwrap_or(text)),
            Value::List(texts) => Cow::Owned(printable(&texts.join(" ")).into_owned()),
        }
    }
}
