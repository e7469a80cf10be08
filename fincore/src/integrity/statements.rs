//! Statements: which of them cannot be read, whether the figures of companies follow from them, and what does not add up in
//! the forms themselves.
use super::{
    findings::{Findings, Noun},
    progress::Progress,
    removed_rows::RemovedRows,
};
use crate::{
    catalogue::Writer,
    error::Result,
    statements::{
        STATEMENTS,
        derive::{self, FigureDifference},
        stored::{self, BadStatement, Balance},
    },
};

const STATEMENT: Noun = ("statement", "statements");
const FIGURES: Noun = ("period", "periods");

/// Finds everything that is wrong. Returns a sentence about what the forms themselves say that does not add up.
pub(super) fn check(
    writer: &Writer,
    findings: &mut Findings,
    progress: &mut Progress<'_>,
) -> Result<Vec<String>> {
    progress.begin("statements");
    let connection = writer.connection();
    let bad = stored::bad_statements(connection)?;
    for BadStatement { name, fault, .. } in &bad {
        findings.add(STATEMENT, fault, name);
    }
    // Figures cannot be made of what cannot be read.
    if !bad.is_empty() {
        return Ok(Vec::new());
    }
    let mut balances = Balances::default();
    for company in stored::companies(connection)? {
        for FigureDifference { name } in derive::differences(connection, company)? {
            findings.add(FIGURES, "whose figures do not follow from the statements", name);
        }
        stored::balances(connection, company)?
            .into_iter()
            .for_each(|balance| balances.add(balance));
    }
    Ok(balances.sentence().into_iter().collect())
}

/// Removes what cannot be read, and makes all figures again.
pub(super) fn repair(writer: &Writer, removed: &mut RemovedRows) -> Result<()> {
    for BadStatement { id, name, key, .. } in stored::bad_statements(writer.connection())? {
        writer.prepare("DELETE FROM statement WHERE id = ?1")?.execute([id])?;
        match key {
            Some(key) => removed.log(writer, STATEMENTS, &key.to_string())?,
            None => removed.add(name),
        }
    }
    derive::derive_all(writer)
}

/// Balance sheets whose sides are not equal, as filed.
#[derive(Default)]
struct Balances {
    all: usize,
    unequal: Vec<String>,
}

impl Balances {
    fn add(&mut self, balance: Balance) {
        self.all += 1;
        if balance.assets != balance.liabilities {
            self.unequal.push(balance.name);
        }
    }

    fn sentence(&self) -> Option<String> {
        let (first, count, all) = (self.unequal.first()?, self.unequal.len(), self.all);
        Some(format!(
            "{count} of {all} balance sheets have unequal sides as filed, such as {first}"
        ))
    }
}
