//! Companies and their tickers: which cannot be read, and which derived columns are wrong.
use rusqlite::Row;

use crate::{
    companies::{RegistryEntry, company::DATASET as COMPANIES, store},
    maintenance::{
        Findings, Noun, RemovedRows,
        findings::{Progress, display_value},
    },
    store::Writer,
    values::{Cnpj, Result},
};

const COMPANY: Noun = ("company", "companies");
const TICKERS: Noun = ("list of tickers", "lists of tickers");

/// Finds everything that is wrong.
pub(crate) fn check(
    scratch: &Writer,
    findings: &mut Findings,
    progress: &mut Progress<'_>,
) -> Result<()> {
    progress.begin("companies");
    let mut entries = Vec::new();
    each_registry_entry(scratch, |row| {
        progress.count_row();
        match row {
            Ok(entry) => entries.push(entry),
            Err((id, fault)) => findings.add(COMPANY, fault, id),
        }
    })?;
    for bad in bad_tickers(scratch)? {
        findings.add(TICKERS, bad.fault, bad.name);
    }
    // Run the functions of an import, on tables of their own.
    scratch.hide("company")?;
    for entry in &entries {
        store::write_entry(scratch, entry)?;
    }
    store::refresh_tickers(scratch)?;
    compare_columns(scratch, findings)
}

/// Removes rows that cannot be read, and recomputes derived columns.
pub(crate) fn repair(writer: &Writer, removed: &mut RemovedRows) -> Result<()> {
    const REMOVE: &str = "DELETE FROM company WHERE id = ?1";
    const REMOVE_TICKERS: [(&str, &str); 2] = [
        (SECURITIES, "DELETE FROM security WHERE cnpj = CAST(?1 AS TEXT)"),
        (OVERRIDES, "DELETE FROM ticker_override WHERE cnpj = CAST(?1 AS TEXT)"),
    ];
    let (mut entries, mut unreadable) = (Vec::new(), Vec::new());
    each_registry_entry(writer, |row| match row {
        Ok(entry) => entries.push(entry),
        Err((id, _)) => unreadable.push(id),
    })?;
    for id in unreadable {
        writer.prepare(REMOVE)?.execute([id])?;
        removed.log(writer, COMPANIES, &id.to_string())?;
    }
    for bad in bad_tickers(writer)? {
        for sql in
            REMOVE_TICKERS.iter().filter(|(table, _)| *table == bad.table).map(|(_, sql)| sql)
        {
            writer.prepare(sql)?.execute([&bad.key])?;
        }
        removed.add(format_args!("tickers {}", bad.name));
    }
    for entry in &entries {
        store::write_entry(writer, entry)?;
    }
    store::refresh_tickers(writer)
}

/// Every company: its registry entry, or its id and what is wrong with it.
fn each_registry_entry(
    writer: &Writer,
    mut visit: impl FnMut(Result<RegistryEntry, (i64, &'static str)>),
) -> Result<()> {
    let mut statement = writer.prepare(store::SELECT_REGISTRY)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let id: i64 = row.get(0)?;
        visit(entry(row).map_err(|fault| (id, fault)));
    }
    Ok(())
}

fn entry(row: &Row<'_>) -> Result<RegistryEntry, &'static str> {
    let text = |column| row.get(column).map_err(|_| "with a text that cannot be read");
    let date = |column| row.get(column).map_err(|_| "with a date that is no date");
    Ok(RegistryEntry {
        id: row.get(0).map_err(|_| "whose id is no CVM code")?,
        cnpj: row.get(1).map_err(|_| "whose CNPJ is no CNPJ")?,
        name: text(2)?,
        trade_name: row.get(3).map_err(|_| "with a text that cannot be read")?,
        status: text(4)?,
        status_since: date(5)?,
        sector: text(6)?,
        registered_on: date(7)?,
        cancelled_on: date(8)?,
    })
}

const SECURITIES: &str = "security";
const OVERRIDES: &str = "ticker_override";

/// A list of tickers that cannot be read.
struct BadTickers {
    table: &'static str,
    /// The CNPJ, as stored.
    key: Vec<u8>,
    name: String,
    fault: &'static str,
}

fn bad_tickers(writer: &Writer) -> Result<Vec<BadTickers>> {
    const SQL: &str = "SELECT ?1, cnpj, tickers, document FROM main.security
        UNION ALL SELECT ?2, cnpj, tickers, 0 FROM main.ticker_override";
    let mut statement = writer.prepare(SQL)?;
    let mut rows = statement.query([SECURITIES, OVERRIDES])?;
    let mut bad = Vec::new();
    while let Some(row) = rows.next()? {
        let text = |column| row.get_ref(column).ok().and_then(|value| value.as_str().ok());
        // Companies are found by the text of their CNPJ, so only one spelling will do.
        let is_cnpj = text(1)
            .is_some_and(|text| text.parse::<Cnpj>().is_ok_and(|cnpj| cnpj.to_string() == text));
        let fault = if !is_cnpj {
            "whose CNPJ is no CNPJ"
        } else if !text(2).is_some_and(|tickers| tickers.split_whitespace().all(is_ticker)) {
            "with something that is no ticker"
        } else if row.get::<_, u32>(3).is_err() {
            "whose form has an impossible number"
        } else {
            continue;
        };
        let table = if text(0) == Some(OVERRIDES) { OVERRIDES } else { SECURITIES };
        let name = format!("{} in {table}", display_value(row.get_ref(1)?));
        let key = row.get_ref(1)?.as_bytes().unwrap_or_default().to_owned();
        bad.push(BadTickers { table, key, name, fault });
    }
    Ok(bad)
}

/// Wider than the rule of imports, which may change: any ticker that a search can find.
fn is_ticker(text: &str) -> bool {
    let known = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit();
    (4..=8).contains(&text.len())
        && text.bytes().all(known)
        && text.bytes().any(|byte| byte.is_ascii_uppercase())
        && text.bytes().any(|byte| byte.is_ascii_digit())
}

/// Compares the derived columns with the recomputed ones.
fn compare_columns(scratch: &Writer, findings: &mut Findings) -> Result<()> {
    const SQL: &str = "SELECT id, there.status_folded <> wanted.status_folded,
            there.sector_folded <> wanted.sector_folded, there.standing <> wanted.standing,
            there.tickers <> wanted.tickers, there.cnpj <> wanted.cnpj
        FROM main.company AS there JOIN temp.company AS wanted USING (id)";
    const FAULTS: [&str; 5] = [
        "whose status for filters is not the folded status",
        "whose sector for filters is not the folded sector",
        "whose standing does not follow from status and cancellation",
        "whose tickers are not those of the securities",
        "whose CNPJ is not in the usual form",
    ];
    let mut statement = scratch.prepare(SQL)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        for (column, fault) in (1..).zip(FAULTS) {
            if row.get(column)? {
                findings.add(COMPANY, fault, row.get::<_, i64>(0)?);
            }
        }
    }
    Ok(())
}
