//! Why no company has figures that fit a query, in words.
use super::account::Period;
use crate::{answers::Hint, catalogue::Snapshot, companies, error::Result};

/// What is wrong with the filters of a query that finds nothing.
pub(super) fn hints(
    snapshot: &Snapshot,
    (period, year): (Period, Option<u16>),
    sector: Option<&str>,
) -> Result<Vec<Hint>> {
    const SQL: &str = "SELECT MIN(period_end), MAX(period_end) FROM financial WHERE period = ?1";
    let mut hints = companies::hints::hints(snapshot, 0, None, sector)?;
    let Some(year) = year.filter(|_| hints.is_empty()) else { return Ok(hints) };
    let held = snapshot.first(SQL, [period as i64], |row| {
        Ok(row.get::<_, Option<String>>(0)?.zip(row.get::<_, Option<String>>(1)?))
    })?;
    let year = year.to_string();
    match held.flatten() {
        Some((from, to)) if *year < from[..4] || *year > to[..4] => {
            hints.push(Hint::Held { from, to });
        }
        _ if sector.is_some() => {
            hints.push(Hint::NoneHasAll { fields: vec!["sector", "year"] });
        }
        _ => (),
    }
    Ok(hints)
}
