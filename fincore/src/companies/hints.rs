//! Why a query for companies finds nothing, in words.
use super::filter_values::filter_values;
use crate::{catalogue::Snapshot, error::Result, types::hint_for_unknown};

/// What is wrong with the filters of a query that finds nothing. None if it finds something.
pub(super) fn hints(
    snapshot: &Snapshot,
    total: u64,
    status: Option<&str>,
    sector: Option<&str>,
) -> Result<Vec<String>> {
    if total > 0 || (status.is_none() && sector.is_none()) {
        return Ok(Vec::new());
    }
    let known = filter_values(snapshot)?;
    let statuses = format!("the statuses are {}", known.statuses.join(", "));
    let status = status.and_then(|given| {
        hint_for_unknown(("company", "status"), given, &known.statuses, &statuses)
    });
    let sector = sector.and_then(|given| {
        let otherwise = "see /api/v1/companies/sectors";
        hint_for_unknown(("company", "sector"), given, &known.sectors, otherwise)
    });
    Ok([status, sector].into_iter().flatten().collect())
}
