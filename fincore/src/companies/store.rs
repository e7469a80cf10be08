//! Writes companies: a registry replaces the previous one, newer tickers replace older ones.
use std::collections::{BTreeMap, HashMap};

use rusqlite::{OptionalExtension, Row};

use crate::{
    lexicon::names::reviewed_names,
    store::{Change, Tally, Writer},
    values::{Cnpj, CompanyId, CvmCode, Date, Result, fold},
};

/// The status of active companies, folded.
const ACTIVE: &str = "ativo";

/// A company in the registry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RegistryEntry {
    pub(crate) id: CvmCode,
    pub(crate) cnpj: Cnpj,
    pub(crate) name: String,
    pub(crate) trade_name: Option<String>,
    pub(crate) status: String,
    pub(crate) status_since: Option<Date>,
    pub(crate) sector: String,
    pub(crate) registered_on: Option<Date>,
    pub(crate) cancelled_on: Option<Date>,
}

impl RegistryEntry {
    /// The newest date in this entry.
    pub(crate) fn newest_event(&self) -> Option<Date> {
        self.registered_on.max(self.cancelled_on).max(self.status_since)
    }

    pub(crate) fn is_active(&self) -> bool {
        fold(&self.status) == ACTIVE
    }

    /// The newest date in this entry up to a day: what lies after it was mistyped.
    pub(crate) fn newest_event_until(&self, day: Date) -> Option<Date> {
        let events = [self.registered_on, self.cancelled_on, self.status_since];
        events.into_iter().flatten().filter(|event| *event <= day).max()
    }
}

/// The tickers of a company, from the registration form with this document number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Security {
    pub(crate) cnpj: Cnpj,
    pub(crate) document: u32,
    pub(crate) tickers: Vec<String>,
    pub(crate) listing: Listing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Listing {
    /// All tickers of the company.
    Whole,
    /// Only the ones that could be parsed. Others may be among the stored ones.
    #[cfg_attr(not(feature = "import"), allow(dead_code))]
    Partial,
}

pub(crate) use crate::companies::company::DATASET as COMPANIES;

/// The published columns, in the order of [`RegistryEntry`].
pub(crate) const SELECT_REGISTRY: &str = "SELECT id, cnpj, name, trade_name, status, status_since,
    sector, registered_on, cancelled_on FROM company ORDER BY id";

/// The stored registry.
pub(crate) fn stored_registry(writer: &Writer) -> Result<HashMap<CvmCode, RegistryEntry>> {
    let mut statement = writer.prepare(SELECT_REGISTRY)?;
    let read = |row: &Row<'_>| -> rusqlite::Result<RegistryEntry> {
        Ok(RegistryEntry {
            id: row.get(0)?,
            cnpj: row.get(1)?,
            name: row.get(2)?,
            trade_name: row.get(3)?,
            status: row.get(4)?,
            status_since: row.get(5)?,
            sector: row.get(6)?,
            registered_on: row.get(7)?,
            cancelled_on: row.get(8)?,
        })
    };
    let mut entries = HashMap::new();
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        // A corrupt company counts as missing: the next registry writes it again.
        entries.extend(read(row).ok().map(|entry| (entry.id, entry)));
    }
    Ok(entries)
}

/// The companies with a CNPJ: two codes may stand for one company.
pub(crate) fn companies_of_cnpj(writer: &Writer, cnpj: Cnpj) -> Result<Vec<CvmCode>> {
    const SQL: &str = "SELECT id FROM company WHERE cnpj = ?1";
    let mut statement = writer.prepare(SQL)?;
    let rows = statement.query_map([cnpj], |row| row.get(0))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// The day of the last sync of the registry, unless another one was imported after it.
pub(crate) fn registry_synchronised_on(writer: &Writer) -> Result<Option<Date>> {
    const SQL: &str = "SELECT succeeded_at FROM dataset
        WHERE name = ?1 AND succeeded_at >= COALESCE(updated_at, '')";
    let time: Option<String> =
        writer.prepare(SQL)?.query_row([COMPANIES], |row| row.get(0)).optional()?;
    Ok(time.and_then(|time| time.parse().ok()).map(Date::in_brasilia))
}

/// The meaning of a company's absence from a registry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Absence {
    /// It is no longer registered.
    Gone,
    /// Nothing: it may be in one of the rows that could not be parsed.
    #[cfg_attr(not(feature = "import"), allow(dead_code))]
    Unsure,
}

/// Replaces the registry with `entries`; companies that are missing from them are removed if they are gone.
pub(crate) fn replace_registry(
    writer: &Writer,
    entries: &[RegistryEntry],
    absent: Absence,
) -> Result<Tally> {
    const REMOVE: &str = "DELETE FROM company WHERE id = ?1";
    let mut before = stored_registry(writer)?;
    let mut tally = Tally::default();
    for entry in entries {
        let outcome = match before.remove(&entry.id) {
            Some(known) if known == *entry => Tally::UNCHANGED,
            Some(_) => Tally::CHANGED,
            None => Tally::NEW,
        };
        if let Some(change) = outcome.change() {
            writer.keep_company(entry.id.get())?;
            write_entry(writer, entry)?;
            writer.log(COMPANIES, entry.id, change)?;
        }
        tally += outcome;
    }
    for id in before.keys().filter(|_| absent == Absence::Gone) {
        writer.keep_company(id.get())?;
        writer.prepare(REMOVE)?.execute([id])?;
        writer.log(COMPANIES, id, Change::Removed)?;
        tally += Tally::REMOVED;
    }
    if tally.is_change() {
        refresh_tickers(writer)?;
    }
    Ok(tally)
}

pub(crate) fn write_entry(writer: &Writer, entry: &RegistryEntry) -> Result<()> {
    // The tickers stay: `refresh_tickers` sets them where they differ.
    const SQL: &str = "INSERT INTO company (id, cnpj, name, trade_name, status, status_since,
            status_folded, standing, sector, sector_folded, registered_on, cancelled_on, known_from)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)
        ON CONFLICT DO UPDATE SET cnpj = excluded.cnpj, name = excluded.name,
            trade_name = excluded.trade_name, status = excluded.status,
            status_since = excluded.status_since, status_folded = excluded.status_folded,
            standing = excluded.standing, sector = excluded.sector,
            sector_folded = excluded.sector_folded, registered_on = excluded.registered_on,
            cancelled_on = excluded.cancelled_on, known_from = excluded.known_from";
    let status = fold(&entry.status);
    writer.prepare(SQL)?.execute((
        entry.id,
        entry.cnpj,
        &entry.name,
        &entry.trade_name,
        &entry.status,
        entry.status_since,
        &status,
        match (status.as_str(), entry.cancelled_on) {
            (ACTIVE, _) => 0,
            (_, None) => 1,
            (_, Some(_)) => 2,
        },
        &entry.sector,
        fold(&entry.sector),
        entry.registered_on,
        entry.cancelled_on,
        writer.known_from(),
    ))?;
    Ok(())
}

/// Stores tickers, unless those of a newer form are stored already.
pub(crate) fn write_securities(writer: &Writer, rows: &[Security]) -> Result<Tally> {
    const FIND: &str = "SELECT document, tickers FROM security WHERE cnpj = ?1";
    const WRITE: &str =
        "INSERT OR REPLACE INTO security (cnpj, document, tickers) VALUES (?1, ?2, ?3)";
    let mut tally = Tally::default();
    for row in rows {
        let known: Option<(u32, String)> = writer
            .prepare(FIND)?
            .query_row([row.cnpj], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        let Some(tickers) = row.tickers_after(known.as_ref().map(|(_, tickers)| &**tickers)) else {
            continue;
        };
        tally += match &known {
            Some((document, _)) if *document > row.document => Tally::UNCHANGED,
            Some((_, known)) if *known == tickers => Tally::UNCHANGED,
            Some(_) => Tally::CHANGED,
            None => Tally::NEW,
        };
        if known.is_none_or(|(document, _)| document <= row.document) {
            writer.prepare(WRITE)?.execute((row.cnpj, row.document, tickers))?;
        }
    }
    // Also without a change: the reviewed tickers may be others than those of the program that stored the rows.
    refresh_tickers(writer)?;
    Ok(tally)
}

impl Security {
    /// The tickers to store in place of the known ones. Those of a partial list are added to the known ones; `None` if
    /// there is nothing to store.
    fn tickers_after(&self, known: Option<&str>) -> Option<String> {
        let mut tickers: Vec<&str> = self.tickers.iter().map(String::as_str).collect();
        if self.listing == Listing::Partial {
            if known.is_none() && tickers.is_empty() {
                return None;
            }
            tickers.extend(known.unwrap_or_default().split_whitespace());
            tickers.sort_unstable();
            tickers.dedup();
        }
        Some(tickers.join(" "))
    }
}

/// Sets the tickers of every company again, which takes milliseconds: what the operator has set, or else what forms list
/// and what reviewed tickers add.
pub(crate) fn refresh_tickers(writer: &Writer) -> Result<()> {
    // If companies share a CNPJ, the tickers go to the one that a look-up by CNPJ returns.
    const LISTED: &str =
        "SELECT id, company.tickers, ticker_override.tickers, security.tickers, id = (SELECT id
            FROM company AS same WHERE same.cnpj = company.cnpj ORDER BY standing, id DESC LIMIT 1)
        FROM company LEFT JOIN ticker_override USING (cnpj) LEFT JOIN security USING (cnpj)
        ORDER BY id";
    const UPDATE: &str = "UPDATE company SET tickers = ?2, known_from = ?3 WHERE id = ?1";
    let mut changed = Vec::new();
    {
        let mut statement = writer.prepare(LISTED)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let (id, known): (u32, String) = (row.get(0)?, row.get(1)?);
            let (set, filed): (Option<String>, Option<String>) = (row.get(2)?, row.get(3)?);
            let wanted = match (set, row.get(4)?) {
                (Some(set), true) => set,
                (Some(_), false) => String::new(),
                (None, true) => with_reviewed(id, filed.as_deref().unwrap_or_default()),
                (None, false) => with_reviewed(id, ""),
            };
            if wanted != known {
                changed.push((id, wanted));
            }
        }
    }
    for (id, tickers) in changed {
        writer.keep_company(id)?;
        writer.prepare(UPDATE)?.execute((id, tickers, writer.known_from()))?;
        writer.log(COMPANIES, id, Change::Changed)?;
    }
    Ok(())
}

/// Tickers of a form, and those that it lacks.
fn with_reviewed(company: u32, filed: &str) -> String {
    let mut tickers: Vec<String> = filed.split_whitespace().map(str::to_owned).collect();
    for ticker in reviewed_names::current_tickers(company).map(str::to_ascii_uppercase) {
        if !tickers.contains(&ticker) {
            tickers.push(ticker);
            tickers.sort_unstable();
        }
    }
    tickers.join(" ")
}

/// The tickers of a company, as the operator has set them.
#[derive(Clone, Debug)]
pub(crate) struct TickerOverride {
    pub(crate) company: CompanyId,
    pub(crate) tickers: Vec<String>,
}

/// Why a table is refused: the line, and what is wrong there.
pub(crate) type RefusedLine = (usize, String);

/// Replaces all overrides with these rows, which have their line numbers.
pub(crate) fn replace(
    writer: &Writer,
    rows: &[(usize, TickerOverride)],
) -> Result<Result<Tally, RefusedLine>> {
    const FORGET: &str = "DELETE FROM ticker_override";
    const WRITE: &str = "INSERT INTO ticker_override (cnpj, tickers) VALUES (?1, ?2)";
    let mut new = BTreeMap::new();
    for (line, row) in rows {
        let Some(cnpj) = cnpj_of(writer, row.company)? else {
            let reason =
                format!("there is no company {:?} in the registry", row.company.to_string());
            return Ok(Err((*line, reason)));
        };
        if new.insert(cnpj, row.tickers.join(" ")).is_some() {
            return Ok(Err((*line, format!("the company {} appears twice", row.company))));
        }
    }
    let mut before = stored_overrides(writer)?;
    writer.prepare(FORGET)?.execute([])?;
    let mut tally = Tally::default();
    for (cnpj, tickers) in &new {
        tally += match before.remove(cnpj) {
            Some(known) if known == *tickers => Tally::UNCHANGED,
            Some(_) => Tally::CHANGED,
            None => Tally::NEW,
        };
        writer.prepare(WRITE)?.execute((cnpj, tickers))?;
    }
    for _ in before {
        tally += Tally::REMOVED;
    }
    if tally.is_change() {
        refresh_tickers(writer)?;
    }
    Ok(Ok(tally))
}

fn cnpj_of(writer: &Writer, company: CompanyId) -> Result<Option<String>> {
    const BY_CODE: &str = "SELECT cnpj FROM company WHERE id = ?1";
    const BY_CNPJ: &str = "SELECT cnpj FROM company WHERE cnpj = ?1 LIMIT 1";
    let read = |row: &rusqlite::Row<'_>| row.get(0);
    Ok(match company {
        CompanyId::Cvm(code) => writer.prepare(BY_CODE)?.query_row([code], read),
        CompanyId::Cnpj(cnpj) => writer.prepare(BY_CNPJ)?.query_row([cnpj], read),
    }
    .optional()?)
}

fn stored_overrides(writer: &Writer) -> Result<BTreeMap<String, String>> {
    const SQL: &str = "SELECT cnpj, tickers FROM ticker_override";
    let mut statement = writer.prepare(SQL)?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}
