//! Writes companies: a registry replaces the previous one, newer tickers replace older ones.
use std::collections::HashMap;

use rusqlite::OptionalExtension;

use crate::{
    catalogue::{Tally, Writer},
    error::Result,
    lookup::best_company_first,
    sqlite::{code, parsed, parsed_if_any},
    types::{Cnpj, CvmCode, Date, fold, words},
};

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
}

/// The tickers of a company, from the registration form with this document number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Security {
    pub(crate) cnpj: Cnpj,
    pub(crate) document: u32,
    pub(crate) tickers: Vec<String>,
}

/// The published columns, in the order of [`RegistryEntry`].
macro_rules! select_registry {
    () => {
        "SELECT id, cnpj, name, trade_name, status, status_since, sector, registered_on, cancelled_on
        FROM company "
    };
}
#[cfg(feature = "bundle")]
pub(crate) use select_registry;

/// The stored registry.
pub(crate) fn known(writer: &Writer) -> Result<HashMap<CvmCode, RegistryEntry>> {
    const SQL: &str = select_registry!();
    let mut statement = writer.prepare(SQL)?;
    let entries = statement.query_map([], |row| {
        let entry = RegistryEntry {
            id: code(row, 0)?,
            cnpj: parsed(row, 1)?,
            name: row.get(2)?,
            trade_name: row.get(3)?,
            status: row.get(4)?,
            status_since: parsed_if_any(row, 5)?,
            sector: row.get(6)?,
            registered_on: parsed_if_any(row, 7)?,
            cancelled_on: parsed_if_any(row, 8)?,
        };
        Ok((entry.id, entry))
    })?;
    Ok(entries.collect::<rusqlite::Result<_>>()?)
}

/// Replaces the registry with `entries`; companies that are missing from them are removed.
pub(crate) fn registry(writer: &Writer, entries: &[RegistryEntry]) -> Result<Tally> {
    const REMOVE: &str = "DELETE FROM company WHERE id = ?1";
    let mut before = known(writer)?;
    let mut tally = Tally::default();
    for entry in entries {
        let outcome = match before.remove(&entry.id) {
            Some(known) if known == *entry => Tally::UNCHANGED,
            Some(_) => Tally::CHANGED,
            None => Tally::NEW,
        };
        if outcome.is_change() {
            write(writer, entry)?;
        }
        tally += outcome;
    }
    for id in before.keys() {
        writer.prepare(REMOVE)?.execute([id.get()])?;
        tally += Tally::REMOVED;
    }
    if tally.is_change() {
        refresh(writer)?;
    }
    Ok(tally)
}

fn write(writer: &Writer, entry: &RegistryEntry) -> Result<()> {
    const SQL: &str = "INSERT OR REPLACE INTO company (id, cnpj, name, trade_name, status,
            status_since, status_folded, standing, sector, sector_folded, registered_on, cancelled_on)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)";
    let status = fold(&entry.status);
    let day = |date: Option<Date>| date.map(|date| date.to_string());
    writer.prepare(SQL)?.execute((
        entry.id.get(),
        entry.cnpj.to_string(),
        &entry.name,
        &entry.trade_name,
        &entry.status,
        day(entry.status_since),
        &status,
        match (status.as_str(), entry.cancelled_on) {
            ("ativo", _) => 0,
            (_, None) => 1,
            (_, Some(_)) => 2,
        },
        &entry.sector,
        fold(&entry.sector),
        day(entry.registered_on),
        day(entry.cancelled_on),
    ))?;
    Ok(())
}

/// Stores tickers, unless those of a newer form are stored already.
pub(crate) fn securities(writer: &Writer, rows: &[Security]) -> Result<Tally> {
    const FIND: &str = "SELECT document, tickers FROM security WHERE cnpj = ?1";
    const WRITE: &str =
        "INSERT OR REPLACE INTO security (cnpj, document, tickers) VALUES (?1, ?2, ?3)";
    let mut tally = Tally::default();
    for row in rows {
        let (cnpj, tickers) = (row.cnpj.to_string(), row.tickers.join(" "));
        let known: Option<(u32, String)> = writer
            .prepare(FIND)?
            .query_row([&cnpj], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        tally += match &known {
            Some((document, _)) if *document > row.document => Tally::UNCHANGED,
            Some((_, known)) if *known == tickers => Tally::UNCHANGED,
            Some(_) => Tally::CHANGED,
            None => Tally::NEW,
        };
        if known.is_none_or(|(document, _)| document <= row.document) {
            writer.prepare(WRITE)?.execute((cnpj, row.document, tickers))?;
        }
    }
    if tally.is_change() {
        refresh(writer)?;
    }
    Ok(tally)
}

/// Rebuilds the tickers of every company and the search index: that takes milliseconds.
fn refresh(writer: &Writer) -> Result<()> {
    // If companies share a CNPJ, the tickers go to the one that a look-up by CNPJ returns.
    const TICKERS: &str = concat!(
        "UPDATE company SET tickers = COALESCE((
            SELECT tickers FROM security WHERE security.cnpj = company.cnpj AND company.id = (
                SELECT id FROM company AS same WHERE same.cnpj = company.cnpj ORDER BY ",
        best_company_first!(),
        " LIMIT 1)), '')"
    );
    const FORGET: &str = "INSERT INTO company_search (company_search) VALUES ('delete-all')";
    const READ: &str = "SELECT id, name, COALESCE(trade_name, ''), tickers, sector FROM company";
    const INDEX: &str = "INSERT INTO company_search (rowid, name, trade_name, tickers, sector)
        VALUES (?1, ?2, ?3, ?4, ?5)";
    writer.prepare(TICKERS)?.execute([])?;
    writer.prepare(FORGET)?.execute([])?;
    let (mut read, mut index) = (writer.prepare(READ)?, writer.prepare(INDEX)?);
    let mut rows = read.query([])?;
    while let Some(row) = rows.next()? {
        let text = |column| -> rusqlite::Result<String> {
            let folded = fold(row.get_ref(column)?.as_str()?);
            Ok(words(&folded).collect::<Vec<_>>().join(" "))
        };
        index.execute((row.get::<_, u32>(0)?, text(1)?, text(2)?, text(3)?, text(4)?))?;
    }
    Ok(())
}
