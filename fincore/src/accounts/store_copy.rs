//! Copies accounts from one store to another: from a server's file to PostgreSQL, and back into the file of a backup.
use std::{fs, path::Path, time::Duration};

use crate::{
    accounts::{
        Row, Session, Store, Value,
        sqlite_store::{SCHEMA, SqliteStore},
        store::run_once,
    },
    store::sqlite_copy,
    values::{Error, Result},
};

const MAX_WAIT: Duration = Duration::from_secs(3600);

/// A table, read in pages by its key, which is made of the first columns.
struct CopiedTable {
    name: &'static str,
    /// A value that sorts before every key.
    start: &'static [Value<'static>],
    page: &'static str,
    insert: &'static str,
    clear: &'static str,
}

#[rustfmt::skip]
macro_rules! table {
    ($name:literal, $start:expr, $key:literal, $after:literal, $rest:literal, $marks:literal) => {
        CopiedTable {
            name: $name,
            start: $start,
            page: concat!("SELECT ", $key, $rest, " FROM ", $name, " WHERE (", $key, ") > (", $after, ")
                ORDER BY ", $key, " LIMIT 1000"),
            insert: concat!("INSERT INTO ", $name, " (", $key, $rest, ") VALUES (", $marks, ")"),
            clear: concat!("DELETE FROM ", $name),
        }
    };
}

const NUMBER: &[Value<'_>] = &[Value::Integer(i64::MIN)];

/// All tables, each after those that it refers to.
#[rustfmt::skip]
const TABLES: [CopiedTable; 9] = [
    table!("key", NUMBER, "id", "?1", ", hash, prefix, name, email, plan, created, revoked, changed, self_registered, holder",
        "?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11"),
    table!("usage", &[Value::Integer(i64::MIN), Value::Text(""), Value::Text("")],
        "key, date, endpoint", "?1, ?2, ?3", ", requests, errors, rate_limited, by_links",
        "?1, ?2, ?3, ?4, ?5, ?6, ?7"),
    table!("webhook", NUMBER, "number", "?1",
        ", id, key, url, secret, events, company, category, series, catalogue, since, created, failing, disabled, reason",
        "?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15"),
    table!("event", NUMBER, "number", "?1", ", id, type, body, time", "?1, ?2, ?3, ?4, ?5"),
    table!("delivery", NUMBER, "id", "?1",
        ", webhook, event, created, attempts, due, attempted, status, error, delivered",
        "?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10"),
    table!("ended", NUMBER, "webhook", "?1", "", "?1"),
    table!("told", &[Value::Text("")], "catalogue", "?1", ", version, dataset, key, fallen, fallen_to",
        "?1, ?2, ?3, ?4, ?5, ?6"),
    table!("session", NUMBER, "number", "?1", ", hash, key, begun, ended, changed", "?1, ?2, ?3, ?4, ?5, ?6"),
    table!("link", NUMBER, "number", "?1", ", changed, id, hash, key, name, path, created, revoked, used",
        "?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10"),
];

/// The result of [`Accounts::copy_to`](crate::accounts::Accounts::copy_to).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CopyReport {
    /// `false` if the target had all rows already.
    pub is_new: bool,
    /// The tables, with the number of rows that each now has on both sides.
    pub tables: Vec<TableRows>,
}

/// The number of rows of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TableRows {
    /// The table.
    pub table: &'static str,
    /// Its rows.
    pub rows: u64,
}

/// Writes the accounts to a new file, and checks it.
pub(crate) fn copy_to_new_file(source: &dyn Store, target: &Path) -> Result<()> {
    let mut name = target.as_os_str().to_owned();
    name.push(".copying");
    let whole = SqliteStore::without_marker(name.clone().into())
        .and_then(|file| copy_store(source, &file))
        .and_then(|_| sqlite_copy::copy(Path::new(&name), target, &SCHEMA, |_| ()));
    // A partial copy is useless; its name says so if it cannot be removed.
    for suffix in ["", "-wal", "-shm"] {
        let mut name = name.clone();
        name.push(suffix);
        let _ = fs::remove_file(name);
    }
    whole
}

pub(crate) fn copy_store(source: &dyn Store, target: &dyn Store) -> Result<CopyReport> {
    let work = |from: &dyn Session| {
        run_once(|to| copy_tables(from, to), |work| target.write(MAX_WAIT, work))
    };
    run_once(work, |work| source.read_at_once(MAX_WAIT, work))
}

fn copy_tables(from: &dyn Session, to: &dyn Session) -> Result<CopyReport> {
    if let Some(tables) = compare(from, to)? {
        return Ok(CopyReport { is_new: false, tables });
    }
    refuse_loss(from, to)?;
    TABLES.iter().rev().try_for_each(|table| to.execute(table.clear, &[]).map(drop))?;
    for table in &TABLES {
        let mut pages = Pages::new(from, table);
        while let Some(page) = pages.next()? {
            let rows: Vec<_> = page.iter().map(Row::values).collect();
            to.insert_each(table.insert, &rows)?;
        }
    }
    to.continue_numbering()?;
    let differs = || Error::storage("cannot copy the accounts", "the copy is not the same");
    Ok(CopyReport { is_new: true, tables: compare(from, to)?.ok_or_else(differs)? })
}

/// The rows of all tables, if they are the same on both sides.
fn compare(from: &dyn Session, to: &dyn Session) -> Result<Option<Vec<TableRows>>> {
    let mut counts = Vec::new();
    for table in &TABLES {
        let (mut ours, mut theirs) = (Pages::new(from, table), Pages::new(to, table));
        let mut rows = 0;
        loop {
            let page = ours.next()?;
            if page != theirs.next()? {
                return Ok(None);
            }
            let Some(page) = page else { break };
            rows += page.len() as u64;
        }
        counts.push(TableRows { table: table.name, rows });
    }
    Ok(Some(counts))
}

/// Fails if the target has rows that the copy would delete.
fn refuse_loss(from: &dyn Session, to: &dyn Session) -> Result<()> {
    const KEY: &str = "SELECT 1 FROM key WHERE id = ?1 AND hash = ?2 AND changed >= ?3";
    // The days of an old month may have been summed under its first day meanwhile.
    const USAGE: &str = "SELECT 1 FROM usage WHERE key = ?1 AND endpoint = ?3
        AND (date = ?2 OR date = substr(?2, 1, 8) || '01')
        AND requests >= ?4 AND errors >= ?5 AND rate_limited >= ?6";
    const WEBHOOK: &str = "SELECT 1 FROM webhook WHERE number = ?1 AND id = ?2
        UNION ALL SELECT 1 FROM ended WHERE webhook = ?1";
    // Another link may have taken its place meanwhile.
    const LINK: &str = "SELECT 1 FROM link WHERE number = ?1 AND changed >= ?2";
    let [keys, usage, webhooks, .., links] = &TABLES;
    for (table, known, columns) in [
        (keys, KEY, &[0, 1, 8][..]),
        (usage, USAGE, &[0, 1, 2, 3, 4, 5]),
        (webhooks, WEBHOOK, &[0, 1]),
        (links, LINK, &[0, 1]),
    ] {
        let mut pages = Pages::new(to, table);
        while let Some(page) = pages.next()? {
            for row in &page {
                let values = row.values();
                let values: Vec<_> = columns.iter().map(|column| values[*column]).collect();
                if from.first(known, &values)?.is_none() {
                    return Err(Error::operation(format!(
                        "the target is in use by itself: its table {} has what the source does not have; empty it first \
                         if it is not needed",
                        table.name
                    )));
                }
            }
        }
    }
    Ok(())
}

/// Reads a table in the order of its key.
struct Pages<'s> {
    session: &'s dyn Session,
    table: &'static CopiedTable,
    last: Option<Row>,
}

impl<'s> Pages<'s> {
    fn new(session: &'s dyn Session, table: &'static CopiedTable) -> Pages<'s> {
        Pages { session, table, last: None }
    }

    fn next(&mut self) -> Result<Option<Vec<Row>>> {
        let page = match &self.last {
            Some(last) => {
                let after = &last.values()[..self.table.start.len()];
                self.session.query(self.table.page, after)?
            }
            None => self.session.query(self.table.page, self.table.start)?,
        };
        self.last = page.last().cloned();
        Ok(self.last.is_some().then_some(page))
    }
}
