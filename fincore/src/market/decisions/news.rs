//! Notes in the change log which decisions an import has brought.
use super::{DECISIONS, Decision, derivation::KnownDecisions};
use crate::{
    catalogue::{Change, Writer},
    error::Result,
    types::Date,
};

/// The decisions before an import.
#[derive(Debug)]
pub(crate) struct DecisionsBefore(Vec<Decision>);

impl DecisionsBefore {
    pub(crate) fn read(writer: &Writer) -> Result<DecisionsBefore> {
        Ok(DecisionsBefore(KnownDecisions::read(writer.connection())?.0))
    }

    /// Logs each decision that was not there before, has another content, or is gone, by the day from which it is in force.
    pub(crate) fn log_changes(&self, writer: &Writer) -> Result<()> {
        let after = KnownDecisions::read(writer.connection())?.0;
        let find = |all: &[Decision], day: Date| {
            let found = all.binary_search_by_key(&day, |row| row.effective_from).ok();
            found.map(|at| all[at].clone())
        };
        let mut changes = Vec::new();
        for row in &after {
            match find(&self.0, row.effective_from) {
                None => changes.push((row.effective_from, Change::Added)),
                Some(known) if known != *row => {
                    changes.push((row.effective_from, Change::Changed));
                }
                Some(_) => (),
            }
        }
        let days = self.0.iter().map(|row| row.effective_from);
        let gone = days.filter(|day| find(&after, *day).is_none());
        changes.extend(gone.map(|day| (day, Change::Removed)));
        writer.log_all(DECISIONS, changes)
    }
}
