//! What a check has found, how far it is, and what a repair has removed.
use std::fmt::Display;

use rusqlite::types::ValueRef;

use crate::{
    store::{Change, Remedy, Writer},
    values::{FilingId, Result, truncate},
};

/// The singular and plural of what is counted.
pub(crate) type Noun = (&'static str, &'static str);

pub(crate) const FILING: Noun = ("filing", "filings");

/// The id of a filing for messages; the key itself, if it does not hold an id.
pub(crate) fn filing_name(key: i64) -> String {
    FilingId::of_key(key).map_or_else(|| format!("key {key}"), |(id, _)| id.to_string())
}

/// All damage found so far.
#[derive(Debug, Default)]
pub(crate) struct Findings(Vec<Finding>);

#[derive(Debug)]
struct Finding {
    noun: Noun,
    fault: String,
    count: u64,
    /// The first one.
    example: String,
    remedy: Remedy,
}

impl Findings {
    /// Adds one row or value: what it is, what is wrong with it, and which one it is.
    pub(crate) fn add(&mut self, noun: Noun, fault: &str, example: impl Display) {
        self.add_many(noun, fault, 1, example);
    }

    /// Adds several; `example` is one of them.
    fn add_many(&mut self, noun: Noun, fault: &str, count: u64, example: impl Display) {
        let same = |known: &&mut Finding| known.noun == noun && known.fault == fault;
        match self.0.iter_mut().find(same) {
            Some(known) => known.count += count,
            None if count == 0 => (),
            None => self.0.push(Finding {
                noun,
                fault: fault.to_owned(),
                count,
                example: example.to_string(),
                remedy: Remedy::Rebuild,
            }),
        }
    }

    /// Adds a message of SQLite about the file itself.
    pub(crate) fn add_message(&mut self, message: String, remedy: Remedy) {
        let (noun, example) = (("", ""), String::new());
        self.0.push(Finding { noun, fault: message, count: 0, example, remedy });
    }

    /// The remedy for all of it; `None` if there is no damage.
    pub(crate) fn remedy(&self) -> Option<Remedy> {
        self.0.iter().map(|finding| finding.remedy).max()
    }

    /// A sentence for each kind of damage.
    pub(crate) fn sentences(&self) -> Vec<String> {
        self.0.iter().map(Finding::sentence).collect()
    }
}

impl Finding {
    fn sentence(&self) -> String {
        let Finding { noun: (one, many), fault, count, example, .. } = self;
        match count {
            0 => fault.clone(),
            1 => format!("1 {one} {fault}: {example}"),
            _ => format!("{count} {many} {fault}, such as {example}"),
        }
    }
}

/// A stored value for a message: short, and without control characters.
pub(crate) fn display_value(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Null => "nothing".into(),
        ValueRef::Integer(number) => number.to_string(),
        ValueRef::Real(number) => number.to_string(),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
            format!("{:?}", truncate(&String::from_utf8_lossy(bytes)))
        }
    }
}

/// The progress of [`Catalogue::check_with`](crate::Catalogue::check_with) and
/// [`Catalogue::rebuild_with`](crate::Catalogue::rebuild_with).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CheckStep {
    /// The current step.
    pub doing: &'static str,
    /// The number of steps done so far.
    pub done: usize,
    /// The number of steps in total.
    pub steps: usize,
    /// The number of rows done in this step.
    pub rows: u64,
}

/// Reports progress to the caller.
pub(crate) struct Progress<'a> {
    report: Option<&'a mut dyn FnMut(CheckStep)>,
    now: CheckStep,
    has_begun: bool,
}

/// The number of rows between two reports.
const REPORT_INTERVAL: u64 = 10_000;

impl<'a> Progress<'a> {
    pub(crate) fn new(report: &'a mut dyn FnMut(CheckStep), steps: usize) -> Progress<'a> {
        Progress {
            report: Some(report),
            now: CheckStep { doing: "", done: 0, steps, rows: 0 },
            has_begun: false,
        }
    }

    /// Reports nothing, for a step that is part of another one.
    pub(crate) fn none() -> Progress<'static> {
        Progress {
            report: None,
            now: CheckStep { doing: "", done: 0, steps: 0, rows: 0 },
            has_begun: false,
        }
    }

    pub(crate) fn begin(&mut self, doing: &'static str) {
        let done = self.now.done + usize::from(self.has_begun);
        (self.now, self.has_begun) = (CheckStep { doing, done, rows: 0, ..self.now }, true);
        self.report();
    }

    pub(crate) fn count_row(&mut self) {
        self.now.rows += 1;
        if self.now.rows.is_multiple_of(REPORT_INTERVAL) {
            self.report();
        }
    }

    /// Sets the number of rows done in this step.
    pub(crate) fn set_rows(&mut self, rows: u64) {
        self.now.rows = rows;
        self.report();
    }

    fn report(&mut self) {
        if let Some(report) = &mut self.report {
            report(self.now);
        }
    }
}

/// The rows that were removed.
#[derive(Debug, Default)]
pub(crate) struct RemovedRows(Vec<String>);

impl RemovedRows {
    /// Adds a removed row of a dataset, and logs the removal.
    pub(crate) fn log(&mut self, writer: &Writer, dataset: &str, key: &str) -> Result<()> {
        writer.log(dataset, key, Change::Removed)?;
        self.add(format_args!("{dataset} {key}"));
        Ok(())
    }

    /// Adds a removed row that the change log does not cover.
    pub(crate) fn add(&mut self, row: impl Display) {
        self.0.push(row.to_string());
    }

    /// The names of all removed rows.
    pub(crate) fn into_names(self) -> Vec<String> {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_how_many_and_which() {
        let mut findings = Findings::default();
        let rates = ("rate", "rates");
        findings.add(rates, "whose value is not a number", "selic 2026-11-03");
        findings.add_many(("filing", "filings"), "without words", 17, 1_195_062);
        findings.add_many(("filing", "filings"), "without a name", 0, "");
        assert_eq!(
            findings.sentences(),
            [
                "1 rate whose value is not a number: selic 2026-11-03",
                "17 filings without words, such as 1195062"
            ]
        );
        assert_eq!(findings.remedy(), Some(Remedy::Rebuild));
        findings.add_message("page 3 is never used".into(), Remedy::Restore);
        assert_eq!(findings.remedy(), Some(Remedy::Restore));
        assert_eq!(Findings::default().remedy(), None);
    }

    #[test]
    fn shows_no_control_characters() {
        assert_eq!(display_value(ValueRef::Text(b"a\x1b[31m\xff")), "\"a\\u{1b}[31m\u{fffd}\"");
    }
}
