//! Tickers that the operator has set: they count instead of what registration forms list.
use std::collections::BTreeMap;

use rusqlite::OptionalExtension;

use super::store::refresh_tickers;
use crate::{
    catalogue::{Tally, Writer},
    error::Result,
    types::CompanyId,
};

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
        CompanyId::Cvm(code) => writer.prepare(BY_CODE)?.query_row([code.get()], read),
        CompanyId::Cnpj(cnpj) => writer.prepare(BY_CNPJ)?.query_row([cnpj.to_string()], read),
    }
    .optional()?)
}

fn stored_overrides(writer: &Writer) -> Result<BTreeMap<String, String>> {
    const SQL: &str = "SELECT cnpj, tickers FROM ticker_override";
    let mut statement = writer.prepare(SQL)?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}
