//! Why a query for filings finds nothing, in words.
use super::{categories::classes, filter::FilterFields};
use crate::{
    answers::Hint,
    catalogue::Snapshot,
    company_lookup,
    error::Result,
    types::{Date, FilingId, nearest_to_unknown},
};

/// Where the categories and types are listed.
const CATEGORIES: &str = "see /api/v1/filings/categories";

/// What is wrong with the filters of a query that finds nothing. Empty if it has none.
pub(super) fn hints(snapshot: &Snapshot, fields: &FilterFields<'_>) -> Result<Vec<Hint>> {
    let mut hints = Vec::new();
    if let Some(company) = fields.company
        && company_lookup::resolve(snapshot, company)?.is_none()
    {
        hints.push(Hint::UnknownCompany { company: company.to_string() });
    }
    if fields.category.is_some() || fields.kind.is_some() {
        let classes = classes(snapshot)?;
        let known = |of: fn(&super::Category) -> &String| {
            let mut known: Vec<String> = classes.iter().map(of).cloned().collect();
            known.retain(|value| !value.is_empty());
            known.sort();
            known.dedup();
            known
        };
        let unknown = |field, given: Option<&str>, known: Vec<String>| {
            let given = given?;
            nearest_to_unknown(given, &known).map(|nearest| Hint::UnknownValue {
                row: "filing",
                field,
                given: given.to_owned(),
                nearest,
                otherwise: CATEGORIES.to_owned(),
            })
        };
        hints.extend(unknown("category", fields.category, known(|class| &class.category)));
        hints.extend(unknown("type", fields.kind, known(|class| &class.r#type)));
    }
    if let (Some((first, last)), true) = (held(snapshot)?, hints.is_empty())
        && (fields.from.is_some_and(|from| from > last) || fields.to.is_some_and(|to| to < first))
    {
        hints.push(Hint::Held { from: first.to_string(), to: last.to_string() });
    }
    let names = fields.names();
    if hints.is_empty() && names.len() > 1 {
        hints.push(Hint::NoneHasAll { fields: names });
    }
    Ok(hints)
}

/// The first and the last day of delivery.
fn held(snapshot: &Snapshot) -> Result<Option<(Date, Date)>> {
    const SQL: &str = "SELECT (SELECT key FROM filing ORDER BY key LIMIT 1), (SELECT key FROM filing ORDER BY key DESC LIMIT 1)";
    let read = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
    let keys: Option<(Option<i64>, Option<i64>)> = snapshot.first(SQL, [], read)?;
    let day = |key: i64| FilingId::of_key(key).map(|(_, date)| date);
    Ok(keys.and_then(|(first, last)| Some((day(first?)?, day(last?)?))))
}
