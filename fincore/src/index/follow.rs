//! Makes the index follow what imports change.
use std::collections::BTreeSet;

use rusqlite::Connection;

use super::{
    Block, Kind, PLACE_BITS, Sizes, TermId, Terms, blocks, build, count_classes, fingerprint, meta,
    pack, set_meta, terms::first_of,
};
use crate::{error::Result, names::Names};

/// The blocks whose filings an import has changed.
#[derive(Debug, Default)]
pub(crate) struct Changed {
    /// The first keys of all blocks; read with the first change.
    firsts: Vec<i64>,
    /// Places in `firsts`.
    blocks: BTreeSet<usize>,
}

impl Changed {
    /// Notes that the filing with this key has come, gone or changed.
    pub(crate) fn note(&mut self, connection: &Connection, key: i64) -> Result<()> {
        if self.firsts.is_empty() {
            self.firsts = blocks(connection)?.iter().map(|block| block.first).collect();
        }
        self.blocks.insert(self.firsts.partition_point(|first| *first <= key).saturating_sub(1));
        Ok(())
    }
}

/// Makes the index anew with the blocks that the file has, in tables of the same names that hide those of the file,
/// so that both can be compared. The terms are there.
pub(crate) fn remake(connection: &Connection, mut done: impl FnMut(u64)) -> Result<()> {
    const BLOCKS: &str = "INSERT INTO filing_block SELECT id, first, 0 FROM main.filing_block";
    const TERMS: &str = "INSERT INTO term SELECT id, kind, text FROM main.term";
    const COUNT: &str = "UPDATE filing_block SET filings = ?2 WHERE id = ?1";
    for copy in [BLOCKS, TERMS] {
        connection.prepare(copy)?.execute([])?;
    }
    let (blocks, names) = (blocks(connection)?, Names::read(connection)?);
    let mut terms = Terms::new(connection);
    let mut filings = 0;
    for (at, block) in blocks.iter().enumerate() {
        let end = blocks.get(at + 1).map_or(i64::MAX, |next| next.first);
        let count = build::write(&mut terms, block, end)?;
        connection.prepare_cached(COUNT)?.execute((block.id, count))?;
        filings += u64::from(count);
        done(filings);
    }
    build::write_names(&mut terms, &blocks, &[], &names)?;
    count_classes(connection)
}

/// Makes the index follow an import: the blocks that it changed, and the names in all of them if it changed names.
pub(crate) fn follow(connection: &Connection, changed: &Changed, sizes: Sizes) -> Result<()> {
    let names = Names::read(connection)?;
    let fingerprint = fingerprint(&names);
    let renamed = meta(connection, "index_names")?.as_deref() != Some(&*fingerprint);
    let before = blocks(connection)?;
    let mut terms = Terms::new(connection);
    renew(&mut terms, &before, changed, sizes)?;
    let after = blocks(connection)?;
    // A block that was made anew has no names yet, whether it has its number from the one before or not.
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
            remove(connection, block, Kind::NameSummary)?;
        }
        new.extend(old);
        build::write_names(&mut terms, &new, &[], &names)?;
        set_meta(connection, "index_names", &fingerprint)?;
    } else {
        build::write_names(&mut terms, &new, &old, &names)?;
    }
    if changed.blocks.is_empty() { Ok(()) } else { count_classes(connection) }
}

/// Makes the blocks that an import has changed anew, but for the names in them.
fn renew(terms: &mut Terms<'_>, before: &[Block], changed: &Changed, sizes: Sizes) -> Result<()> {
    let connection = terms.connection();
    let end = |at: usize| before.get(at + 1).map_or(i64::MAX, |next| next.first);
    let mut ranges: Vec<usize> = changed.blocks.iter().copied().collect();
    // What the newest block cannot hold any more fills up the one before.
    if let ([.., closed, open], Some(&last)) = (before, ranges.last())
        && last + 1 == before.len()
        && (closed.filings as usize) < sizes.most
        && count(connection, open.first, i64::MAX)? > sizes.open
    {
        ranges.retain(|at| at + 2 < before.len());
        for block in [closed, open] {
            forget(connection, block)?;
        }
        pack(terms, (closed.first, i64::MAX), sizes, &mut |_| ())?;
    }
    for at in ranges {
        forget(connection, &before[at])?;
        pack(terms, (before[at].first, end(at)), sizes, &mut |_| ())?;
    }
    Ok(())
}

/// Removes a block.
fn forget(connection: &Connection, block: &Block) -> Result<()> {
    const BLOCK: &str = "DELETE FROM filing_block WHERE id = ?1";
    const PLACES: &str = "DELETE FROM filing_place WHERE place >= ?1 AND place < ?2";
    connection.prepare_cached(BLOCK)?.execute([block.id])?;
    let after = (block.id + 1) << PLACE_BITS;
    connection.prepare_cached(PLACES)?.execute((block.place(0), after))?;
    remove(connection, block, Kind::Summary)
}

/// Removes what a block has of the kinds from this one on.
fn remove(connection: &Connection, block: &Block, from: Kind) -> Result<()> {
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
