//! The search index of filings, inside the data file.
//!
//! Filings are cut into [`Block`](Block)s in the order of their keys. For each term, a block stores the set of
//! its filings that have the term: words, runs of words and prefixes; companies, categories, types, classes and years.
//! A query combines the sets of one block at a time, newest first, so that totals are exact and any page is found by
//! counting. A block is a function of its filings and of the names of companies: it is rebuilt whenever one of them
//! changes.
use rusqlite::{Connection, OptionalExtension};
use sha2::{Digest, Sha256};

use crate::{
    index::terms::{COUNT_BITS, TermId, first_of},
    lexicon::{
        equivalents,
        names::{Names, reviewed_names},
    },
    values::error::Result,
};

mod bitmap;
mod block_contents;
mod block_writer;
pub(crate) mod directory;
mod executor;
mod query_plan;
mod terms;
pub(crate) mod update;
mod word_runs;

pub(crate) use bitmap::Bitmap;
pub(crate) use directory::{Directory, DirectoryCache};
pub(crate) use executor::{Executor, KeyPage, PageWindow};
pub(crate) use query_plan::Condition;
pub(crate) use terms::TermNumbers;
pub(crate) use update::{ChangedBlocks, IndexProgress, update};

/// How many bits the number of a filing in its block takes.
pub(crate) const PLACE_BITS: u32 = 16;

/// How large blocks become.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BlockSizes {
    /// The most filings of a block; fewer than numbers have bits for.
    pub(crate) most: usize,
    /// The most filings of the newest block, which is rebuilt with every day of filings.
    pub(crate) open: usize,
}

impl Default for BlockSizes {
    fn default() -> BlockSizes {
        BlockSizes { most: 1 << PLACE_BITS, open: 1 << 13 }
    }
}

impl BlockSizes {
    /// For tests with few filings.
    #[cfg(test)]
    pub(crate) const SMALL: BlockSizes = BlockSizes { most: 20, open: 6 };
}

/// A range of filings, and how many there are in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) id: i64,
    /// The smallest key that it can have.
    pub(crate) first: i64,
    pub(crate) filings: u32,
}

impl Block {
    /// The id of the row in `filing_place` of a filing in the block.
    pub(crate) fn place(&self, number: u32) -> i64 {
        self.id << PLACE_BITS | i64::from(number)
    }

    /// The id of the row in `filing_term` of a term in the block.
    pub(crate) fn row(&self, term: TermId) -> i64 {
        self.id << TermId::BITS | i64::from(term)
    }

    /// The first and the last row that terms of a kind can have.
    pub(crate) fn rows_of(&self, kind: TermKind) -> (i64, i64) {
        (self.row(first_of(kind)), self.row(first_of(kind) | ((1 << COUNT_BITS) - 1)))
    }
}

/// All blocks, oldest first.
pub(crate) fn blocks(connection: &Connection) -> Result<Vec<Block>> {
    const SQL: &str = "SELECT id, first, filings FROM filing_block ORDER BY first";
    let mut statement = connection.prepare_cached(SQL)?;
    let rows = statement.query_map([], |row| {
        Ok(Block { id: row.get(0)?, first: row.get(1)?, filings: row.get(2)? })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Raised whenever the same filings would give another index for another reason than reviewed names and equivalents: a
/// change of this module, of how words are split and folded, of quarters and plurals.
const INDEX_VERSION: u32 = 3;

/// True if the index is missing, or another version built it.
pub(crate) fn is_outdated(connection: &Connection) -> Result<bool> {
    Ok(read(connection, "index_version")?.as_deref() != Some(&*version()))
}

/// Notes that this version has built the whole index.
pub(crate) fn note_rebuild(connection: &Connection, names: &Names) -> Result<()> {
    let times = rebuild_count(connection)?.and_then(|times| times.parse().ok()).unwrap_or(0_u64);
    write(connection, "index_made", &(times + 1).to_string())?;
    write(connection, "index_version", &version())?;
    note_names(connection, &names_fingerprint(names))
}

/// How often the whole index was built: a number that changes when the same data gets other blocks.
pub(crate) fn rebuild_count(connection: &Connection) -> Result<Option<String>> {
    read(connection, "index_made")
}

/// The fingerprint of the names that are in the index.
pub(crate) fn indexed_names(connection: &Connection) -> Result<Option<String>> {
    read(connection, "index_names")
}

/// Notes the fingerprint of the names that are in the index now.
pub(crate) fn note_names(connection: &Connection, fingerprint: &str) -> Result<()> {
    write(connection, "index_names", fingerprint)
}

/// A fingerprint of all names by which filings are found.
pub(crate) fn names_fingerprint(names: &Names) -> String {
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
    reviewed_names::reviewed_names()
        .for_each(|(code, name)| tables.update(format!("{code} {name}\n")));
    equivalents::lines().for_each(|line| tables.update(format!("{line:?}\n")));
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

/// The kind of a term. The numbers are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum TermKind {
    /// The summary of what a block has of the kinds up to `Year`. It stands before them, because rows are written fastest
    /// where none follows.
    Summary,
    /// A word of class or subject, or an extra word that a filing is found by.
    Text,
    /// A word in a class or the head of a subject; stored only where fewer filings have it there than anywhere.
    Head,
    /// A run of words of class or subject.
    Run,
    /// A company, by its code.
    Company,
    /// A category, folded.
    Category,
    /// A type, folded.
    Type,
    /// A class, by its id.
    Class,
    /// A year, of delivery or of reference.
    Year,
    /// The summary of what a block has of the kinds from `Name` on.
    NameSummary,
    /// A word of a company's names.
    Name,
    /// A word that is in texts as well as in names.
    Both,
    /// A run of words in a name.
    NameRun,
    /// A prefix that many words of texts and names share.
    Prefix,
}

impl TermKind {
    /// In the order of their numbers. Those from `NameSummary` on depend on the names of companies.
    pub(crate) const ALL: [TermKind; 14] = [
        TermKind::Summary,
        TermKind::Text,
        TermKind::Head,
        TermKind::Run,
        TermKind::Company,
        TermKind::Category,
        TermKind::Type,
        TermKind::Class,
        TermKind::Year,
        TermKind::NameSummary,
        TermKind::Name,
        TermKind::Both,
        TermKind::NameRun,
        TermKind::Prefix,
    ];

    pub(crate) const fn number(self) -> u32 {
        self as u32
    }
}
