//! Brings the index up to date: when a data file is opened, and after an import.
use std::{collections::BTreeSet, path::PathBuf};

use rusqlite::{Connection, TransactionBehavior};

use crate::{
    index::{
        self, Block, BlockSizes, PLACE_BITS, TermKind, TermNumbers,
        block_writer::{self, count_classes, pack, write_block},
        blocks,
        terms::{TermId, first_of},
    },
    lexicon::Names,
    store::{Catalogue, catalogue::READERS},
    values::Result,
};

impl Catalogue {
    /// Opens the data file at `path`, creating an empty one if there is none.
    ///
    /// Fails if the file cannot be opened, is empty or not a catalogue, or was made by a newer version.
    pub fn open(path: impl Into<PathBuf>) -> Result<Catalogue> {
        Catalogue::open_with_readers(path, READERS)
    }

    /// Opens the data file for at most `readers` snapshots at once, and at least two. Each takes two file descriptors, which
    /// stay open afterwards: lower the number if the process may have few.
    pub fn open_with_readers(path: impl Into<PathBuf>, readers: usize) -> Result<Catalogue> {
        Catalogue::open_and_renew(path.into(), readers, renew)
    }

    /// Opens a data file only to look at it: nothing about it is changed, whatever else has it open.
    ///
    /// Fails with [`Error::Outdated`](crate::Error::Outdated) where [`Catalogue::open`] would bring the file
    /// up to date, and where there is none. The right to read the file is enough while another process has it open;
    /// otherwise SQLite needs the right to write to its directory.
    pub fn open_to_read(path: impl Into<PathBuf>) -> Result<Catalogue> {
        Catalogue::open_unchanged(path.into(), index::is_outdated)
    }
}

/// Rebuilds the search index if it is missing, or if another version built it.
fn renew(mut connection: Connection) -> Result<()> {
    if !index::is_outdated(&connection)? {
        return Ok(());
    }
    let tx = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another program may have been faster.
    if index::is_outdated(&tx)? {
        rebuild(&tx, |_| ())?;
    }
    Ok(tx.commit()?)
}

/// The blocks whose filings an import has changed.
#[derive(Debug, Default)]
pub(crate) struct ChangedBlocks {
    /// The first keys of all blocks; read with the first change.
    firsts: Vec<i64>,
    /// Positions in `firsts`.
    blocks: BTreeSet<usize>,
}

impl ChangedBlocks {
    /// Notes that the filing with this key has come, gone or changed.
    pub(crate) fn note(&mut self, connection: &Connection, key: i64) -> Result<()> {
        if self.firsts.is_empty() {
            self.firsts = blocks(connection)?.iter().map(|block| block.first).collect();
        }
        self.blocks.insert(self.firsts.partition_point(|first| *first <= key).saturating_sub(1));
        Ok(())
    }
}

/// How far an update is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct IndexProgress {
    /// The filings that are indexed.
    pub(crate) done: u64,
    /// The filings that are to be indexed.
    pub(crate) of: u64,
}

/// Rebuilds the blocks that an import changed, and the names in all blocks if it changed names.
pub(crate) fn update(
    connection: &Connection,
    changed: &ChangedBlocks,
    sizes: BlockSizes,
    progress: &mut impl FnMut(IndexProgress),
) -> Result<()> {
    let names = Names::read(connection)?;
    let fingerprint = index::names_fingerprint(&names);
    let renamed = index::indexed_names(connection)?.as_deref() != Some(&*fingerprint);
    let before = blocks(connection)?;
    let mut terms = TermNumbers::new(connection)?;
    rebuild_blocks(&mut terms, &before, changed, sizes, progress)?;
    let after = blocks(connection)?;
    // A block that was rebuilt has no names yet, even if it has the id of the one before.
    let is_old = |block: &&Block| {
        before
            .iter()
            .position(|known| known == *block)
            .is_some_and(|at| !changed.blocks.contains(&at))
    };
    let (old, new): (Vec<&Block>, Vec<&Block>) = after.iter().partition(is_old);
    let (old, mut new): (Vec<Block>, Vec<Block>) =
        (old.into_iter().cloned().collect(), new.into_iter().cloned().collect());
    if renamed {
        for block in &old {
            remove_terms(connection, block, TermKind::NameSummary)?;
        }
        new.extend(old);
        block_writer::write_names(&mut terms, &new, &[], &names)?;
        index::note_names(connection, &fingerprint)?;
    } else {
        block_writer::write_names(&mut terms, &new, &old, &names)?;
    }
    if changed.blocks.is_empty() { Ok(()) } else { count_classes(connection) }
}

/// Rebuilds the blocks that an import changed, but for the names in them.
fn rebuild_blocks(
    terms: &mut TermNumbers<'_>,
    before: &[Block],
    changed: &ChangedBlocks,
    sizes: BlockSizes,
    progress: &mut impl FnMut(IndexProgress),
) -> Result<()> {
    let connection = terms.connection();
    let end = |at: usize| before.get(at + 1).map_or(i64::MAX, |next| next.first);
    let mut ranges: Vec<usize> = changed.blocks.iter().copied().collect();
    let mut parts = Vec::new();
    // Once the newest block is too large, its filings fill up the one before.
    if let ([.., closed, open], Some(&last)) = (before, ranges.last())
        && last + 1 == before.len()
        && (closed.filings as usize) < sizes.most
        && count(connection, open.first, i64::MAX)? > sizes.open
    {
        ranges.retain(|at| at + 2 < before.len());
        parts.push((vec![closed, open], (closed.first, i64::MAX)));
    }
    parts.extend(ranges.into_iter().map(|at| (vec![&before[at]], (before[at].first, end(at)))));
    let mut of = 0;
    for (_, (first, end)) in &parts {
        of += count(connection, *first, *end)? as u64;
    }
    let mut done = 0;
    progress(IndexProgress { done, of });
    for (replaced, (first, end)) in parts {
        for block in replaced {
            remove_block(connection, block)?;
        }
        let mut packed = 0;
        pack(terms, first, end, sizes, &mut |filings| {
            packed = filings;
            progress(IndexProgress { done: done + filings, of });
        })?;
        done += packed;
    }
    Ok(())
}

/// Removes a block.
fn remove_block(connection: &Connection, block: &Block) -> Result<()> {
    const BLOCK: &str = "DELETE FROM filing_block WHERE id = ?1";
    const PLACES: &str = "DELETE FROM filing_place WHERE place >= ?1 AND place < ?2";
    connection.prepare_cached(BLOCK)?.execute([block.id])?;
    let after = (block.id + 1) << PLACE_BITS;
    connection.prepare_cached(PLACES)?.execute((block.place(0), after))?;
    remove_terms(connection, block, TermKind::Summary)
}

/// Removes the terms of a block whose kind is this one or a later one.
fn remove_terms(connection: &Connection, block: &Block, from: TermKind) -> Result<()> {
    const SQL: &str = "DELETE FROM filing_term WHERE id >= ?1 AND id < ?2";
    let end = (block.id + 1) << TermId::BITS;
    connection.prepare_cached(SQL)?.execute((block.row(first_of(from)), end))?;
    Ok(())
}

/// The number of filings in a range of keys.
fn count(connection: &Connection, first: i64, end: i64) -> Result<usize> {
    const SQL: &str = "SELECT COUNT(*) FROM filing WHERE key >= ?1 AND key < ?2";
    let count: i64 = connection.prepare_cached(SQL)?.query_row((first, end), |row| row.get(0))?;
    Ok(usize::try_from(count).unwrap_or_default())
}

/// Rebuilds the whole index. Calls `progress` with the number of filings so far.
pub(crate) fn rebuild(connection: &Connection, mut progress: impl FnMut(u64)) -> Result<()> {
    for table in ["term", "filing_term", "filing_place", "filing_block"] {
        connection.prepare_cached(&format!("DELETE FROM {table}"))?.execute([])?;
    }
    let names = Names::read(connection)?;
    let mut terms = TermNumbers::new(connection)?;
    pack(&mut terms, i64::MIN, i64::MAX, BlockSizes::default(), &mut progress)?;
    block_writer::write_names(&mut terms, &blocks(connection)?, &[], &names)?;
    index::note_rebuild(connection, &names)?;
    count_classes(connection)
}

/// Builds the index with the blocks and terms that the file has, in temporary tables that hide those of the file, so that
/// both can be compared.
pub(crate) fn rebuild_with_same_blocks(
    connection: &Connection,
    mut progress: impl FnMut(u64),
) -> Result<()> {
    const BLOCKS: &str = "INSERT INTO filing_block SELECT id, first, 0 FROM main.filing_block";
    const TERMS: &str = "INSERT INTO term SELECT id, kind, text FROM main.term";
    for copy in [BLOCKS, TERMS] {
        connection.prepare(copy)?.execute([])?;
    }
    let (blocks, names) = (blocks(connection)?, Names::read(connection)?);
    let mut terms = TermNumbers::new(connection)?;
    let mut filings = 0;
    for (at, block) in blocks.iter().enumerate() {
        let end = blocks.get(at + 1).map_or(i64::MAX, |next| next.first);
        filings += u64::from(write_block(&mut terms, block, end)?);
        progress(filings);
    }
    block_writer::write_names(&mut terms, &blocks, &[], &names)?;
    count_classes(connection)
}
