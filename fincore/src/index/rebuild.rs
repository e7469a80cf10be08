//! Rebuilds the whole index, in place or beside the stored one.
use rusqlite::Connection;

#[cfg(any(feature = "bundle", feature = "import"))]
use super::block_packer::write_block;
use super::{
    block::{BlockSizes, blocks},
    block_packer::{count_classes, pack},
    block_writer, metadata,
    terms::TermNumbers,
};
use crate::{error::Result, names::Names};

/// Rebuilds the whole index. Calls `progress` with the number of filings so far.
pub(crate) fn rebuild(connection: &Connection, mut progress: impl FnMut(u64)) -> Result<()> {
    for table in ["term", "filing_term", "filing_place", "filing_block"] {
        connection.prepare_cached(&format!("DELETE FROM {table}"))?.execute([])?;
    }
    let names = Names::read(connection)?;
    let mut terms = TermNumbers::new(connection)?;
    pack(&mut terms, (i64::MIN, i64::MAX), BlockSizes::default(), &mut progress)?;
    block_writer::write_names(&mut terms, &blocks(connection)?, &[], &names)?;
    metadata::note_rebuild(connection, &names)?;
    count_classes(connection)
}

/// Builds the index with the blocks and terms that the file has, in temporary tables that hide those of the file, so that
/// both can be compared.
#[cfg(any(feature = "bundle", feature = "import"))]
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
