//! Filings of companies with CVM: listed, searched, the newest, one, and those of a company.
use rusqlite::Row;
use serde::{Deserialize, Serialize};

use crate::{
    CvmCode, Date, DateRange, Error, FilingId, Limit, Offset, Page, Result, Search, Snapshot,
    types::{company_number, first_key, fold, last_key},
};

mod counts;
mod matching;
mod names;
mod served;
pub(crate) mod store;

use served::served;

/// A document that a company filed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Filing {
    /// CVM's protocol number; for periodic forms their own, as in `dfp-144874`.
    pub id: FilingId,
    /// The CVM code of the company. A few companies that file are not in the registry.
    pub company_id: CvmCode,
    /// The name of the company in the file that told of the filing.
    pub company_name: String,
    /// The first of the three levels by which CVM sorts filings.
    pub category: String,
    /// The second level; empty for many categories.
    pub r#type: String,
    /// The third level; empty for many types.
    pub species: String,
    /// The subject as the company wrote it, on one line; where there is none, category, type and
    /// species.
    pub description: String,
    /// The day of delivery; in JSON its first moment in Brasília.
    #[serde(serialize_with = "served::midnight_in_brasilia")]
    pub date: Date,
    /// The day the document is about, as the company typed it: some are years off.
    pub reference_date: Option<Date>,
    /// Counts from 1; a document that is filed again has a higher one.
    pub version: u32,
    /// Where CVM keeps the document.
    pub url: String,
}

/// Which filings are wanted; by default all, newest first.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct List {
    /// Only those of this category, whatever its case and accents.
    pub category: Option<String>,
    /// None delivered before this day.
    pub from: Option<Date>,
    /// None delivered after this day.
    pub to: Option<Date>,
    /// At most this many.
    #[serde(default)]
    pub limit: Limit<1000>,
    /// This many are passed over.
    #[serde(default)]
    pub offset: Offset,
}

/// How many of the newest filings are wanted; by default twenty.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Newest {
    /// At most this many.
    #[serde(default)]
    pub limit: Limit<1000>,
}

/// Which filing is wanted.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct One {
    /// A protocol number, or the id of a periodic form.
    pub id: String,
}

/// Whose filings are wanted.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OfCompany {
    /// A CVM code, also with leading zeros, or a CNPJ in any writing.
    pub id: String,
    /// At most this many.
    #[serde(default)]
    pub limit: Limit<1000>,
    /// This many are passed over.
    #[serde(default)]
    pub offset: Offset,
}

/// The newest filings.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Recent {
    /// The filings, newest first.
    pub data: Vec<Filing>,
}

/// Filings by delivery, newest first. A category that no filing has gives none.
///
/// Fails where `from` is after `to`.
pub fn list(snapshot: &Snapshot, query: List) -> Result<Page<Filing>> {
    const CATEGORY: &str = "SELECT id FROM category WHERE folded = ?1";
    const NEWEST: &str = "SELECT key FROM filing WHERE key BETWEEN ?1 AND ?2
        ORDER BY key DESC LIMIT ?3 OFFSET ?4";
    const NEWEST_OF_CATEGORY: &str = "SELECT key FROM filing
        WHERE category = ?5 AND key BETWEEN ?1 AND ?2 ORDER BY key DESC LIMIT ?3 OFFSET ?4";
    let range = DateRange::new(query.from, query.to)?;
    let (limit, offset) = (query.limit.get(), query.offset);
    let (from, to) = (first_key(range.from()), last_key(range.to()));
    let page = (from, to, limit, offset.sql());
    let Some(name) = query.category else {
        let keys = snapshot.rows(NEWEST, page, key)?;
        let total = total(snapshot, ALL_CATEGORIES, range)?;
        return Ok(Page { data: served(snapshot, &keys)?, total, limit, offset: offset.get() });
    };
    // A category that is not known has no filing under any number.
    let category = snapshot.rows(CATEGORY, [fold(&name)], key)?.pop().unwrap_or(-1);
    let keys =
        snapshot.rows(NEWEST_OF_CATEGORY, (page.0, page.1, page.2, page.3, category), key)?;
    let total = total(snapshot, category, range)?;
    Ok(Page { data: served(snapshot, &keys)?, total, limit, offset: offset.get() })
}

/// Filings that have all the words in company name, category, type, species or subject, newest first.
pub fn search(snapshot: &Snapshot, query: Search) -> Result<Page<Filing>> {
    let (limit, offset) = (query.limit, query.offset);
    let (keys, total) = matching::keys_and_total(snapshot, &query.q, limit, offset)?;
    let data = served(snapshot, &keys)?;
    Ok(Page { data, total, limit: limit.get(), offset: offset.get() })
}

/// The newest filings.
pub fn recent(snapshot: &Snapshot, query: Newest) -> Result<Recent> {
    const SQL: &str = "SELECT key FROM filing ORDER BY key DESC LIMIT ?1";
    let keys = snapshot.rows(SQL, [query.limit.get()], key)?;
    Ok(Recent { data: served(snapshot, &keys)? })
}

/// One filing. Fails where there is none.
pub fn find(snapshot: &Snapshot, query: One) -> Result<Filing> {
    const SQL: &str = "SELECT key FROM filing WHERE id = ?1";
    let unknown = || Error::unknown("filing", &query.id);
    let id: FilingId = query.id.parse().map_err(|_| unknown())?;
    let keys = snapshot.rows(SQL, [id.packed()], key)?;
    served(snapshot, &keys)?.pop().ok_or_else(unknown)
}

/// Filings of one company, newest first.
///
/// Fails where the company is unknown: neither in the registry nor named by a filing.
pub fn of_company(snapshot: &Snapshot, query: OfCompany) -> Result<Page<Filing>> {
    const REGISTERED: &str = "SELECT id FROM company WHERE id = ?1 OR cnpj = ?2
        ORDER BY standing, id DESC LIMIT 1";
    const TOTAL: &str = "SELECT COUNT(*) FROM filing WHERE company = ?1";
    const SQL: &str =
        "SELECT key FROM filing WHERE company = ?1 ORDER BY key DESC LIMIT ?2 OFFSET ?3";
    let (limit, offset) = (query.limit.get(), query.offset);
    let (code, cnpj) = company_number(&query.id);
    let registered: Option<u32> = snapshot.rows(REGISTERED, (code, cnpj), |row| row.get(0))?.pop();
    let company = registered.or(code);
    let total = snapshot.count(TOTAL, [company])?;
    if total == 0 && registered.is_none() {
        return Err(Error::unknown("company", &query.id));
    }
    let keys = snapshot.rows(SQL, (company, limit, offset.sql()), key)?;
    Ok(Page { data: served(snapshot, &keys)?, total, limit, offset: offset.get() })
}

/// The number under which the running totals of all filings stand.
const ALL_CATEGORIES: i64 = 0;

/// How many filings of a category were delivered in these days: the difference of two running
/// totals, whatever lies between them.
fn total(snapshot: &Snapshot, category: i64, range: DateRange) -> Result<u64> {
    const SQL: &str = "SELECT filings FROM filing_total WHERE category = ?1 AND day <= ?2
        ORDER BY day DESC LIMIT 1";
    let up_to = |day: i32| snapshot.count(SQL, (category, day));
    Ok(up_to(range.to().day_number())? - up_to(range.from().day_number() - 1)?)
}

fn key(row: &Row<'_>) -> rusqlite::Result<i64> {
    row.get(0)
}

#[cfg(test)]
mod tests;
