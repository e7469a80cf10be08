//! What the file says about its index: which version of this program built it, from which names, and how often.
use rusqlite::{Connection, OptionalExtension};
use sha2::{Digest, Sha256};

use crate::{
    error::Result,
    language,
    names::{self, Names},
};

/// Raised whenever the same filings would give another index for another reason than reviewed names and equivalents: a
/// change of this module, of how words are split and folded, of quarters and plurals.
const INDEX_VERSION: u32 = 3;

/// Whether the index of this file is missing, or another version built it.
pub(crate) fn is_outdated(connection: &Connection) -> Result<bool> {
    Ok(read(connection, "index_version")?.as_deref() != Some(&*version()))
}

/// Notes that this version has built the whole index.
pub(super) fn note_rebuild(connection: &Connection, names: &Names) -> Result<()> {
    let times = rebuild_count(connection)?.and_then(|times| times.parse().ok()).unwrap_or(0_u64);
    write(connection, "index_made", &(times + 1).to_string())?;
    write(connection, "index_version", &version())?;
    note_names(connection, &names_fingerprint(names))
}

/// How often the whole index was built: a number that changes when the same data gets other blocks.
pub(super) fn rebuild_count(connection: &Connection) -> Result<Option<String>> {
    read(connection, "index_made")
}

/// The fingerprint of the names that are in the index.
#[cfg(any(feature = "bundle", feature = "import"))]
pub(super) fn indexed_names(connection: &Connection) -> Result<Option<String>> {
    read(connection, "index_names")
}

/// Notes the fingerprint of the names that are in the index now.
pub(super) fn note_names(connection: &Connection, fingerprint: &str) -> Result<()> {
    write(connection, "index_names", fingerprint)
}

/// A fingerprint of all names by which filings are found.
pub(super) fn names_fingerprint(names: &Names) -> String {
    let mut all = Sha256::new();
    for company in &names.companies {
        all.update(company.code.to_string());
        company.words().for_each(|word| all.update(format!(" {word}")));
        company.names.iter().for_each(|name| all.update(format!("\t{}", name.words.join(" "))));
        all.update("\n");
    }
    short(all)
}

/// Changes with everything that an index is built with: this module, and the reviewed tables.
fn version() -> String {
    let mut tables = Sha256::new();
    names::reviewed_names().for_each(|(code, name)| tables.update(format!("{code} {name}\n")));
    language::equivalents().for_each(|line| tables.update(format!("{line:?}\n")));
    format!("{INDEX_VERSION}-{}", short(tables))
}

/// The first bytes of a digest, which are enough to notice a change.
fn short(digest: Sha256) -> String {
    digest.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

fn read(connection: &Connection, name: &str) -> Result<Option<String>> {
    const SQL: &str = "SELECT value FROM meta WHERE name = ?1";
    Ok(connection.prepare_cached(SQL)?.query_row([name], |row| row.get(0)).optional()?)
}

fn write(connection: &Connection, name: &str, value: &str) -> Result<()> {
    const SQL: &str = "INSERT OR REPLACE INTO meta (name, value) VALUES (?1, ?2)";
    connection.prepare_cached(SQL)?.execute([name, value])?;
    Ok(())
}
