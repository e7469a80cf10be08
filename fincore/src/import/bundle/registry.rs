//! Companies, tickers and filings as tables with tab-separated fields, one row per line.
//!
//! Names contain commas, semicolons and quotes, but never tabs or line breaks.
use std::{collections::BTreeMap, fmt::Write, ops::Range};

use rusqlite::{Row, types::ValueRef};

use crate::{
    companies::{
        Absence, Listing, RegistryEntry, Security,
        store::{self, SELECT_REGISTRY},
    },
    filings::{Filings, Link, NewFiling},
    store::{OnConflict, Snapshot, Tally, Writer},
    values::{Date, FilingId, Result, tsv},
};

pub(crate) const COMPANIES: &str = "companies.tsv";
const COMPANIES_HEADER: &str =
    "id\tcnpj\tname\ttrade_name\tstatus\tstatus_since\tsector\tregistered_on\tcancelled_on";
pub(crate) const TICKERS: &str = "tickers.tsv";
const TICKERS_HEADER: &str = "cnpj\tdocument\ttickers";
/// Followed by the year of delivery and `.tsv`.
pub(crate) const FILINGS: &str = "filings_";
const FILINGS_HEADER: &str = "id\tdate\tcompany\tcompany_name\tcategory\ttype\tspecies\treference_date\tversion\tsequence\tsubject";

/// Stores the bundled registry; if a newer one is stored, only the companies that it lacks.
pub(crate) fn store_companies(writer: &Writer, table: &str) -> Result<Tally> {
    let mut entries = tsv::read(COMPANIES, table, COMPANIES_HEADER, company)?;
    let known = store::stored_registry(writer)?;
    let newest = |entries: &mut dyn Iterator<Item = &RegistryEntry>| {
        entries.filter_map(RegistryEntry::newest_event).max()
    };
    if newest(&mut entries.iter()) <= newest(&mut known.values()) {
        // No company ever disappears from the registry, so one that is missing was lost.
        entries.retain(|entry| !known.contains_key(&entry.id));
        entries.extend(known.into_values());
    }
    store::replace_registry(writer, &entries, Absence::Gone)
}

pub(crate) fn store_tickers(writer: &Writer, table: &str) -> Result<Tally> {
    store::write_securities(writer, &tsv::read(TICKERS, table, TICKERS_HEADER, security)?)
}

/// Stores bundled filings. Stored ones stay, but for a subject that they lack: bundles of older programs had none.
pub(crate) fn store_filings(
    writer: &Writer,
    filings: &mut Filings,
    name: &str,
    table: &str,
) -> Result<Tally> {
    let mut entries = tsv::read(name, table, FILINGS_HEADER, filing)?;
    filings.store(writer, &mut entries, OnConflict::Keep)
}

fn company(
    [id, cnpj, name, trade_name, status, since, sector, registered, cancelled]: [&str; 9],
) -> Result<RegistryEntry> {
    Ok(RegistryEntry {
        id: id.parse()?,
        cnpj: cnpj.parse()?,
        name: name.to_owned(),
        trade_name: Some(trade_name.to_owned()).filter(|name| !name.is_empty()),
        status: status.to_owned(),
        status_since: tsv::optional(since)?,
        sector: sector.to_owned(),
        registered_on: tsv::optional(registered)?,
        cancelled_on: tsv::optional(cancelled)?,
    })
}

fn security([cnpj, document, tickers]: [&str; 3]) -> Result<Security> {
    let tickers = tickers.split_whitespace().map(str::to_owned).collect();
    let (cnpj, document) = (cnpj.parse()?, tsv::number(document)?);
    Ok(Security { cnpj, document, tickers, listing: Listing::Whole })
}

fn filing<'t>(
    [id, date, company, name, category, kind, species, reference, version, sequence, subject]: [&'t str; 11],
) -> Result<NewFiling<'t>> {
    Ok(NewFiling {
        id: id.parse()?,
        date: date.parse()?,
        company: company.parse()?,
        company_name: name.into(),
        category: category.into(),
        kind: kind.into(),
        species: species.into(),
        subject: subject.into(),
        reference_date: tsv::optional(reference)?,
        version: tsv::number(version)?,
        link: Link::Usual(tsv::present(sequence).map(tsv::number).transpose()?),
    })
}

pub(crate) fn companies_table(snapshot: &Snapshot) -> Result<String> {
    table(snapshot, COMPANIES_HEADER, SELECT_REGISTRY)
}

pub(crate) fn tickers_table(snapshot: &Snapshot) -> Result<String> {
    const SQL: &str = "SELECT cnpj, document, tickers FROM security ORDER BY cnpj";
    table(snapshot, TICKERS_HEADER, SQL)
}

/// Writes the result of a query as a table.
fn table(snapshot: &Snapshot, header: &str, sql: &str) -> Result<String> {
    let mut table = format!("{header}\n");
    snapshot.rows(sql, [], |row| {
        cells(&mut table, row, 0..row.as_ref().column_count())?;
        table.push('\n');
        Ok(())
    })?;
    Ok(table)
}

/// The tables of filings by name, one for each year of delivery.
pub(crate) fn filings_tables(snapshot: &Snapshot) -> Result<BTreeMap<String, String>> {
    // Sorted by company, so that equal names are adjacent and compress to nothing.
    const SQL: &str = "SELECT key, filer.company, filer.name, class.category, type, species,
            reference_day, version, sequence, subject
        FROM filing JOIN filer ON filer.id = filer JOIN class ON class.id = class
        WHERE url IS NULL ORDER BY filing.company, key";
    let mut tables = BTreeMap::new();
    snapshot.rows(SQL, [], |row| {
        let (id, date) = FilingId::of_key(row.get(0)?)
            .ok_or_else(|| rusqlite::Error::IntegralValueOutOfRange(0, 0))?;
        let year = &date.to_string()[..4];
        let reference = row.get::<_, Option<i32>>(6)?.and_then(Date::from_day_number);
        let reference = reference.map(|day| day.to_string()).unwrap_or_default();
        let table = tables
            .entry(format!("{FILINGS}{year}.tsv"))
            .or_insert_with(|| format!("{FILINGS_HEADER}\n"));
        let _ = write!(table, "{id}\t{date}\t");
        cells(table, row, 1..6)?;
        let _ = write!(table, "\t{reference}\t");
        cells(table, row, 7..10)?;
        table.push('\n');
        Ok(())
    })?;
    Ok(tables)
}

/// Writes these columns of a row, separated by tabs.
fn cells(table: &mut String, row: &Row<'_>, columns: Range<usize>) -> rusqlite::Result<()> {
    for column in columns.clone() {
        if column > columns.start {
            table.push('\t');
        }
        match row.get_ref(column)? {
            ValueRef::Integer(number) => {
                let _ = write!(table, "{number}");
            }
            ValueRef::Null => (),
            text => table.push_str(text.as_str()?),
        }
    }
    Ok(())
}
