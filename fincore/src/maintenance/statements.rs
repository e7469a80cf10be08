//! Statements: which of them cannot be read, whether the figures of companies follow from them, and what does not add up in
//! the forms themselves.
use crate::{
    maintenance::{Findings, Noun, RemovedRows, findings::Progress},
    statements::{
        STATEMENTS,
        derive::{self, BadStatement, FigureDifference},
        sums::{Sum, SumKind, sums},
    },
    store::Writer,
    values::Result,
};

const STATEMENT: Noun = ("statement", "statements");
const FIGURES: Noun = ("period", "periods");

/// Finds everything that is wrong. Returns a sentence about what the forms themselves say that does not add up.
pub(crate) fn check(
    writer: &Writer,
    findings: &mut Findings,
    progress: &mut Progress<'_>,
) -> Result<Vec<String>> {
    progress.begin("statements");
    let connection = writer.connection();
    let bad = derive::bad_statements(connection)?;
    for BadStatement { name, fault, .. } in &bad {
        findings.add(STATEMENT, fault, name);
    }
    // Figures cannot be made of what cannot be read.
    if !bad.is_empty() {
        return Ok(Vec::new());
    }
    let mut all = Vec::new();
    for company in derive::companies(connection)? {
        for FigureDifference { name } in derive::differences(connection, company)? {
            findings.add(FIGURES, "whose figures do not follow from the statements", name);
        }
        all.extend(sums(connection, company)?);
    }
    Ok(SumKind::ALL.into_iter().filter_map(|kind| sentence(kind, &all)).collect())
}

/// Removes what cannot be read, and makes all figures again.
pub(crate) fn repair(writer: &Writer, removed: &mut RemovedRows) -> Result<()> {
    for BadStatement { id, name, key, .. } in derive::bad_statements(writer.connection())? {
        writer.prepare("DELETE FROM statement WHERE id = ?1")?.execute([id])?;
        match key {
            Some(key) => removed.log(writer, STATEMENTS, &key.to_string())?,
            None => removed.add(name),
        }
    }
    derive::derive_all(writer)
}

/// A sentence on all sums of one kind that do not add up as filed.
fn sentence(kind: SumKind, all: &[Sum]) -> Option<String> {
    let of_kind = || all.iter().filter(|sum| sum.kind == kind);
    let wrong = || of_kind().filter(|sum| !sum.is_right);
    let (first, count, all) = (&wrong().next()?.name, wrong().count(), of_kind().count());
    Some(match kind {
        SumKind::Balance => {
            format!("{count} of {all} balance sheets have unequal sides as filed, such as {first}")
        }
        SumKind::Subtotal => {
            format!("{count} of {all} subtotals do not add up as filed, such as {first}")
        }
        SumKind::Quarters => format!(
            "{count} of {all} nine months are not the sum of their quarters as filed, such as {first}"
        ),
    })
}
