//! Companies of CVM's registry: listed, searched, and one by its number.
use rusqlite::Row;
use serde::{Deserialize, Serialize};

use crate::{
    Cnpj, CvmCode, Date, Error, Limit, Offset, Page, Result, Search, Snapshot, Words,
    sqlite::{code, parsed, parsed_if_any},
    types::{company_number, fold},
};

pub(crate) mod store;

/// A company that is or was registered with CVM.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Company {
    /// Its CVM code.
    pub id: CvmCode,
    /// The legal name, as published.
    pub name: String,
    /// The name it trades under, where one is registered.
    pub trade_name: Option<String>,
    /// Its tax number. A company that was registered anew has the same under two codes.
    pub cnpj: Cnpj,
    /// The state of its registration: `ATIVO`, `CANCELADA` or `SUSPENSO(A) - DECISÃO ADM`.
    pub status: String,
    /// What it does; empty for the few companies without a sector.
    pub sector: String,
    /// The codes its securities are traded under.
    pub tickers: Vec<String>,
    /// The day of its registration.
    pub registered_on: Option<Date>,
    /// The day its registration ended.
    pub cancelled_on: Option<Date>,
}

/// Which companies are wanted; by default all, by code.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct List {
    /// Only those of this status, whatever its case and accents.
    pub status: Option<String>,
    /// Only those of this sector, whatever its case and accents.
    pub sector: Option<String>,
    /// At most this many.
    #[serde(default)]
    pub limit: Limit<1000>,
    /// This many are passed over.
    #[serde(default)]
    pub offset: Offset,
}

/// Which company is wanted.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct One {
    /// A CVM code, also with leading zeros, or a CNPJ in any writing.
    pub id: String,
}

/// Companies by code. A status or sector that no company has gives none.
pub fn list(snapshot: &Snapshot, query: List) -> Result<Page<Company>> {
    const TOTAL: &str = "SELECT COUNT(*) FROM company
        WHERE (?1 IS NULL OR status_folded = ?1) AND (?2 IS NULL OR sector_folded = ?2)";
    const SQL: &str = "SELECT id, name, trade_name, cnpj, status, sector, tickers, registered_on,
            cancelled_on FROM company
        WHERE (?1 IS NULL OR status_folded = ?1) AND (?2 IS NULL OR sector_folded = ?2)
        ORDER BY id LIMIT ?3 OFFSET ?4";
    let (status, sector) = (query.status.as_deref().map(fold), query.sector.as_deref().map(fold));
    let (limit, offset) = (query.limit.get(), query.offset);
    Ok(Page {
        total: snapshot.count(TOTAL, (&status, &sector))?,
        data: snapshot.rows(SQL, (&status, &sector, limit, offset.sql()), read)?,
        limit,
        offset: offset.get(),
    })
}

/// Companies that have all the words in name, trade name, tickers or sector, or whose CVM code, CNPJ
/// or ticker was given; best match first.
///
/// A number that was given comes before names, names before trade names, these before sectors; then
/// active companies before others, names that open with the words before others, and listed companies
/// before those without a ticker.
pub fn search(snapshot: &Snapshot, query: Search) -> Result<Page<Company>> {
    let ids = matching(snapshot, &query.q)?;
    let skipped = usize::try_from(query.offset.get()).unwrap_or(usize::MAX);
    let page = ids.iter().skip(skipped).take(query.limit.get() as usize);
    let data = page.map(|id| first(snapshot, Some(*id), None)).collect::<Result<Vec<_>>>()?;
    Ok(Page {
        data: data.into_iter().flatten().collect(),
        total: ids.len() as u64,
        limit: query.limit.get(),
        offset: query.offset.get(),
    })
}

/// The codes of all companies that match, best first. There are few enough to sort them all.
fn matching(snapshot: &Snapshot, words: &Words) -> Result<Vec<u32>> {
    // Inside, not opening the name, and begun, with an unfinished last word, are the worse cases.
    const SQL: &str = "WITH hit (id, place, inside, begun, score) AS (
            SELECT id, 0, 0, 0, 0.0 FROM company WHERE id = ?1 OR cnpj = ?2
            UNION ALL SELECT rowid, 0, 0, 0, 0.0 FROM company_search WHERE company_search MATCH ?3
            UNION ALL SELECT rowid, 1, 0, 1, 0.0 FROM company_search WHERE company_search MATCH ?4
            UNION ALL SELECT rowid, 1, 1, 0, 0.0 FROM company_search WHERE company_search MATCH ?5
            UNION ALL SELECT rowid, 1, 1, 1, 0.0 FROM company_search WHERE company_search MATCH ?6
            UNION ALL SELECT rowid, 2, 1, 1, 0.0 FROM company_search WHERE company_search MATCH ?7
            UNION ALL SELECT rowid, 3, 1, 1, bm25(company_search, 4.0, 2.0, 1.0, 0.5)
                FROM company_search WHERE company_search MATCH ?8
        ), best (id, place, inside, begun, score) AS (
            SELECT id, MIN(place), MIN(inside), MIN(begun), MIN(score) FROM hit GROUP BY id)
        SELECT id FROM best JOIN company USING (id)
        ORDER BY place, standing, inside, begun, tickers = '', score, id";
    let (Some(opening), Some(whole), Some(begun)) =
        (words.opening(), words.exactly(), words.by_beginning())
    else {
        return Ok(Vec::new());
    };
    let (code, cnpj) = company_number(words.as_str());
    let places = (
        code,
        cnpj,
        format!("tickers : ({whole})"),
        format!("name : ({opening})"),
        format!("name : ({whole})"),
        format!("name : ({begun})"),
        format!("{{name trade_name}} : ({begun})"),
        begun,
    );
    snapshot.rows(SQL, places, |row| row.get(0))
}

/// One company, by its CVM code or CNPJ; where several share a CNPJ, the active one.
///
/// Fails where there is none.
pub fn find(snapshot: &Snapshot, query: One) -> Result<Company> {
    let (code, cnpj) = company_number(&query.id);
    first(snapshot, code, cnpj)?.ok_or_else(|| Error::unknown("company", &query.id))
}

fn first(snapshot: &Snapshot, code: Option<u32>, cnpj: Option<String>) -> Result<Option<Company>> {
    const SQL: &str = "SELECT id, name, trade_name, cnpj, status, sector, tickers, registered_on,
            cancelled_on FROM company WHERE id = ?1 OR cnpj = ?2 ORDER BY standing, id DESC LIMIT 1";
    Ok(snapshot.rows(SQL, (code, cnpj), read)?.pop())
}

fn read(row: &Row<'_>) -> rusqlite::Result<Company> {
    Ok(Company {
        id: code(row, 0)?,
        name: row.get(1)?,
        trade_name: row.get(2)?,
        cnpj: parsed(row, 3)?,
        status: row.get(4)?,
        sector: row.get(5)?,
        tickers: row.get_ref(6)?.as_str()?.split_whitespace().map(str::to_owned).collect(),
        registered_on: parsed_if_any(row, 7)?,
        cancelled_on: parsed_if_any(row, 8)?,
    })
}
