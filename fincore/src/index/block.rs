//! Blocks: consecutive filings, in the order of their keys, that are indexed together.
//!
//! A bitmap over all filings would be rewritten by every import; blocks limit that to the days of the import. They also
//! make filters by day a choice of blocks.
use rusqlite::Connection;

use super::{
    term_kind::TermKind,
    terms::{COUNT_BITS, TermId, first_of},
};
use crate::error::Result;

/// How many bits the number of a filing in its block takes.
pub(super) const PLACE_BITS: u32 = 16;

/// How large blocks become.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BlockSizes {
    /// The most filings of a block; fewer than numbers have bits for.
    pub(super) most: usize,
    /// The most filings of the newest block, which is rebuilt with every day of filings.
    pub(super) open: usize,
}

impl Default for BlockSizes {
    fn default() -> BlockSizes {
        BlockSizes { most: 1 << PLACE_BITS, open: 1 << 13 }
    }
}

impl BlockSizes {
    /// For tests with few filings.
    #[cfg(test)]
    #[cfg(feature = "import")]
    pub(crate) const SMALL: BlockSizes = BlockSizes { most: 20, open: 6 };
}

/// A range of filings, and how many there are in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Block {
    pub(super) id: i64,
    /// The smallest key that it can have.
    pub(super) first: i64,
    pub(super) filings: u32,
}

impl Block {
    /// The id of the row in `filing_place` of a filing in the block.
    pub(super) fn place(&self, number: u32) -> i64 {
        self.id << PLACE_BITS | i64::from(number)
    }

    /// The id of the row in `filing_term` of a term in the block.
    pub(super) fn row(&self, term: TermId) -> i64 {
        self.id << TermId::BITS | i64::from(term)
    }

    /// The first and the last row that terms of a kind can have.
    pub(super) fn rows_of(&self, kind: TermKind) -> (i64, i64) {
        (self.row(first_of(kind)), self.row(first_of(kind) | ((1 << COUNT_BITS) - 1)))
    }
}

/// All blocks, oldest first.
pub(super) fn blocks(connection: &Connection) -> Result<Vec<Block>> {
    const SQL: &str = "SELECT id, first, filings FROM filing_block ORDER BY first";
    let mut statement = connection.prepare_cached(SQL)?;
    let rows = statement.query_map([], |row| {
        Ok(Block { id: row.get(0)?, first: row.get(1)?, filings: row.get(2)? })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}
