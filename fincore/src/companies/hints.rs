//! Why a query for companies finds nothing, in words.
use super::filter_values::filter_values;
use crate::{
    answers::Hint, catalogue::Snapshot, error::Result, names::UnknownInSearch,
    types::nearest_to_unknown,
};

/// What is wrong with the filters of a query that finds nothing. None if it finds something.
pub(crate) fn hints(
    snapshot: &Snapshot,
    total: u64,
    status: Option<&str>,
    sector: Option<&str>,
) -> Result<Vec<Hint>> {
    if total > 0 || (status.is_none() && sector.is_none()) {
        return Ok(Vec::new());
    }
    let known = filter_values(snapshot)?;
    let statuses = format!("the statuses are {}", known.statuses.join(", "));
    let unknown = |field, given: Option<&str>, known: &[String], otherwise: &str| {
        let given = given?;
        nearest_to_unknown(given, known).map(|nearest| Hint::UnknownValue {
            row: "company",
            field,
            given: given.to_owned(),
            nearest,
            otherwise: otherwise.to_owned(),
        })
    };
    let status = unknown("status", status, &known.statuses, &statuses);
    let sector = unknown("sector", sector, &known.sectors, "see /api/v1/companies/sectors");
    Ok([status, sector].into_iter().flatten().collect())
}

/// What a search names that is not there.
pub(crate) fn hint_at_unknown(unknown: UnknownInSearch) -> Hint {
    match unknown {
        UnknownInSearch::Identifier { kind, given, nearest } => {
            Hint::UnknownIdentifier { kind, given, nearest }
        }
        UnknownInSearch::Company(known) => {
            Hint::NotRegistered { name: known.name, receipts: known.receipts }
        }
    }
}
