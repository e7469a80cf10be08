//! Cuts filings into blocks, and counts the filings of each class over all blocks.
use rusqlite::{Connection, OptionalExtension};

use super::{
    block::{Block, BlockSizes, blocks},
    block_writer,
    term_kind::TermKind,
    terms::{TermId, TermNumbers},
};
use crate::error::Result;

/// Makes blocks of the filings in a range of keys that has none. If it is the newest range, an open block follows. Calls
/// `progress` with the number of filings so far.
pub(super) fn pack(
    terms: &mut TermNumbers<'_>,
    (first, end): (i64, i64),
    sizes: BlockSizes,
    progress: &mut impl FnMut(u64),
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
        let added = add_block(terms, from, next.unwrap_or(end))?;
        filings += u64::from(added);
        progress(filings);
        match next {
            Some(next) => from = next,
            None if end == i64::MAX && added as usize > sizes.open => {
                let last: Option<i64> =
                    connection.prepare_cached(LAST)?.query_row([], |row| row.get(0))?;
                add_block(terms, last.unwrap_or_default().saturating_add(1), end)?;
                return Ok(());
            }
            None => return Ok(()),
        }
    }
}

/// Adds one block, and returns how many filings it has.
fn add_block(terms: &mut TermNumbers<'_>, first: i64, end: i64) -> Result<u32> {
    const ADD: &str = "INSERT INTO filing_block (first, filings) VALUES (?1, 0) RETURNING id";
    let id = terms.connection().prepare_cached(ADD)?.query_row([first], |row| row.get(0))?;
    write_block(terms, &Block { id, first, filings: 0 }, end)
}

/// Writes the terms of a block, but for names, and returns how many filings it has.
pub(super) fn write_block(terms: &mut TermNumbers<'_>, block: &Block, end: i64) -> Result<u32> {
    const COUNT: &str = "UPDATE filing_block SET filings = ?2 WHERE id = ?1";
    let filings = block_writer::write(terms, block, end)?;
    terms.connection().prepare_cached(COUNT)?.execute((block.id, filings))?;
    Ok(filings)
}

/// Adds up how many filings each class has in the blocks: reading all filings would take longer than a day's import.
pub(super) fn count_classes(connection: &Connection) -> Result<()> {
    const FORGET: &str = "DELETE FROM class_total";
    const COUNT: &str = "INSERT INTO class_total (class, filings)
        SELECT CAST(text AS INTEGER), count
        FROM filing_term JOIN term ON term.id = (filing_term.id & ?3)
        WHERE filing_term.id BETWEEN ?1 AND ?2
        ON CONFLICT DO UPDATE SET filings = filings + excluded.filings";
    connection.prepare_cached(FORGET)?.execute([])?;
    let mut count = connection.prepare_cached(COUNT)?;
    for block in blocks(connection)? {
        let (first, last) = block.rows_of(TermKind::Class);
        count.execute((first, last, TermId::MAX))?;
    }
    Ok(())
}
