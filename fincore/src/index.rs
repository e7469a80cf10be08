//! The search index of filings, inside the data file.
//!
//! Filings in the order of their keys are cut into [`Block`]s. For each term, a block has the set of its filings that
//! have it: words, runs of words and prefixes; companies, categories, types, classes and years. A query combines sets
//! of one block at a time, newest first, so that totals are exact and any page is found by counting. A block is a
//! function of its filings and of the names of companies: it is made anew whenever one of them changes.
use rusqlite::{Connection, OptionalExtension};
use sha2::{Digest, Sha256};

use crate::{
    error::Result,
    language,
    names::{self, Names},
};

mod bits;
mod build;
mod directory;
// Only the bundle and imports write.
#[cfg(any(feature = "bundle", feature = "import"))]
mod follow;
mod found;
mod grams;
mod plan;
mod read;
mod set;
mod summary;
mod terms;
mod want;

use directory::Directory;
pub(crate) use directory::Shelf;
#[cfg(any(feature = "bundle", feature = "import"))]
pub(crate) use follow::{Changed, follow, remake};
pub(crate) use read::{Found, Index, Window};
use terms::{TermId, Terms};
pub(crate) use want::Want;

/// Raised whenever the same filings would give another index for another reason than reviewed names and equivalents: a
/// change of this module, of how words are split and folded, of quarters and plurals.
const INDEX_VERSION: u32 = 2;

/// How many bits the number of a filing in its block takes.
const PLACE_BITS: u32 = 16;

/// How large blocks become.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sizes {
    /// The most filings of a block; fewer than numbers have bits for.
    most: usize,
    /// The most filings of the newest block, which is made anew with every day of filings.
    open: usize,
}

impl Default for Sizes {
    fn default() -> Sizes {
        Sizes { most: 1 << PLACE_BITS, open: 1 << 13 }
    }
}

impl Sizes {
    /// For tests with few filings.
    #[cfg(test)]
    #[cfg(feature = "import")]
    pub(crate) const SMALL: Sizes = Sizes { most: 20, open: 6 };
}

/// What a term is. The numbers are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    /// What a block has of the kinds up to `Year`, in short. It stands before them, because rows are written fastest where
    /// none follows.
    Summary,
    /// A word of class or subject, or one by which a filing is found besides.
    Text,
    /// A word in a class or the head of a subject; kept only where fewer filings have it there than anywhere.
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
    /// What a block has of the kinds from `Name` on, in short.
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

impl Kind {
    /// In the order of their numbers. Those from `NameSummary` on depend on the names of companies.
    const ALL: [Kind; 14] = [
        Kind::Summary,
        Kind::Text,
        Kind::Head,
        Kind::Run,
        Kind::Company,
        Kind::Category,
        Kind::Type,
        Kind::Class,
        Kind::Year,
        Kind::NameSummary,
        Kind::Name,
        Kind::Both,
        Kind::NameRun,
        Kind::Prefix,
    ];

    const fn number(self) -> u32 {
        self as u32
    }
}

/// A part of all filings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    id: i64,
    /// The smallest key that it can have.
    first: i64,
    filings: u32,
}

impl Block {
    /// Where a filing of the block is.
    fn place(&self, number: u32) -> i64 {
        self.id << PLACE_BITS | i64::from(number)
    }

    /// Where the filings with a term are.
    fn row(&self, term: TermId) -> i64 {
        self.id << TermId::BITS | i64::from(term)
    }
}

/// All blocks, oldest first.
fn blocks(connection: &Connection) -> Result<Vec<Block>> {
    const SQL: &str = "SELECT id, first, filings FROM filing_block ORDER BY first";
    let mut statement = connection.prepare_cached(SQL)?;
    let rows = statement.query_map([], |row| {
        Ok(Block { id: row.get(0)?, first: row.get(1)?, filings: row.get(2)? })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Tells apart what indexes are made with: this module, and the reviewed tables.
fn version() -> String {
    let mut tables = Sha256::new();
    names::known().for_each(|(code, name)| tables.update(format!("{code} {name}\n")));
    language::equivalents().for_each(|line| tables.update(format!("{line:?}\n")));
    format!("{INDEX_VERSION}-{}", short(tables))
}

/// Whether the index of this file was made in another way, or not yet.
pub(crate) fn is_outdated(connection: &Connection) -> Result<bool> {
    Ok(meta(connection, "index_version")?.as_deref() != Some(&*version()))
}

/// Makes the whole index anew. Calls `done` with the number of filings so far.
pub(crate) fn make(connection: &Connection, mut done: impl FnMut(u64)) -> Result<()> {
    for table in ["term", "filing_term", "filing_place", "filing_block"] {
        connection.prepare_cached(&format!("DELETE FROM {table}"))?.execute([])?;
    }
    let names = Names::read(connection)?;
    let mut terms = Terms::new(connection);
    pack(&mut terms, (i64::MIN, i64::MAX), Sizes::default(), &mut done)?;
    build::write_names(&mut terms, &blocks(connection)?, &[], &names)?;
    let times = made(connection)?.and_then(|times| times.parse().ok()).unwrap_or(0_u64);
    set_meta(connection, "index_made", &(times + 1).to_string())?;
    set_meta(connection, "index_version", &version())?;
    set_meta(connection, "index_names", &fingerprint(&names))?;
    count_classes(connection)
}

/// How often the index was made as a whole: a number that changes when the same data gets other blocks.
fn made(connection: &Connection) -> Result<Option<String>> {
    meta(connection, "index_made")
}

/// Makes blocks of the filings in a range of keys that has none. If it is the newest range, an open block follows.
fn pack(
    terms: &mut Terms<'_>,
    (first, end): (i64, i64),
    sizes: Sizes,
    done: &mut impl FnMut(u64),
) -> Result<()> {
    const NTH: &str =
        "SELECT key FROM filing WHERE key >= ?1 AND key < ?2 ORDER BY key LIMIT 1 OFFSET ?3";
    const LAST: &str = "SELECT MAX(key) FROM filing";
    let connection = terms.connection();
    let (mut from, mut filings) = (first, 0);
    loop {
        let next: Option<i64> = connection
            .prepare_cached(NTH)?
            .query_row((from, end, i64::try_from(sizes.most).unwrap_or(i64::MAX)), |row| row.get(0))
            .optional()?;
        let added = add(terms, from, next.unwrap_or(end))?;
        filings += u64::from(added);
        done(filings);
        match next {
            Some(next) => from = next,
            None if end == i64::MAX && added as usize > sizes.open => {
                let last: Option<i64> =
                    connection.prepare_cached(LAST)?.query_row([], |row| row.get(0))?;
                add(terms, last.unwrap_or_default().saturating_add(1), end)?;
                return Ok(());
            }
            None => return Ok(()),
        }
    }
}

/// Adds one block, and returns how many filings it has.
fn add(terms: &mut Terms<'_>, first: i64, end: i64) -> Result<u32> {
    const ADD: &str = "INSERT INTO filing_block (first, filings) VALUES (?1, 0) RETURNING id";
    const COUNT: &str = "UPDATE filing_block SET filings = ?2 WHERE id = ?1";
    let connection = terms.connection();
    let id = connection.prepare_cached(ADD)?.query_row([first], |row| row.get(0))?;
    let filings = build::write(terms, &Block { id, first, filings: 0 }, end)?;
    connection.prepare_cached(COUNT)?.execute((id, filings))?;
    Ok(filings)
}

/// Adds up how many filings each class has in the blocks: reading all filings would take longer than a day's import.
fn count_classes(connection: &Connection) -> Result<()> {
    const FORGET: &str = "DELETE FROM class_total";
    const COUNT: &str = "INSERT INTO class_total (class, filings)
        SELECT CAST(text AS INTEGER), count
        FROM filing_term JOIN term ON term.id = (filing_term.id & ?3)
        WHERE filing_term.id BETWEEN ?1 AND ?2
        ON CONFLICT DO UPDATE SET filings = filings + excluded.filings";
    connection.prepare_cached(FORGET)?.execute([])?;
    let mut count = connection.prepare_cached(COUNT)?;
    for block in blocks(connection)? {
        let (first, last) = build::rows_of(&block, Kind::Class);
        count.execute((first, last, TermId::MAX))?;
    }
    Ok(())
}

/// Tells names apart.
fn fingerprint(names: &Names) -> String {
    let mut all = Sha256::new();
    for company in &names.companies {
        all.update(company.code.to_string());
        company.words().for_each(|word| all.update(format!(" {word}")));
        company.names.iter().for_each(|name| all.update(format!("\t{}", name.words.join(" "))));
        all.update("\n");
    }
    short(all)
}

/// The beginning of a digest, which is enough to tell a change.
fn short(digest: Sha256) -> String {
    digest.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

fn meta(connection: &Connection, name: &str) -> Result<Option<String>> {
    const SQL: &str = "SELECT value FROM meta WHERE name = ?1";
    Ok(connection.prepare_cached(SQL)?.query_row([name], |row| row.get(0)).optional()?)
}

fn set_meta(connection: &Connection, name: &str, value: &str) -> Result<()> {
    const SQL: &str = "INSERT OR REPLACE INTO meta (name, value) VALUES (?1, ?2)";
    connection.prepare_cached(SQL)?.execute([name, value])?;
    Ok(())
}
