//! The summary of a block, in a few rows: which terms it has, in how many filings and, if those are few, in which ones;
//! and the keys of its filings. Summaries are read as a whole into the `directory`.
use rusqlite::{Connection, OptionalExtension};

use super::{
    block::Block,
    term_kind::TermKind,
    terms::{TermId, first_of},
};
use crate::error::{Error, Result};

/// The filings of a term are in the summary if the block has at most this many of them: then a search need not read its
/// row. Up to 64 would take 8 MiB more of memory for 1.6 million filings, up to 8 would save 5 MiB.
pub(super) const FEW: u32 = 24;

/// The place of the keys, after those of all kinds.
const KEYS: u32 = 0xff;

/// The kinds that have a summary. Runs are too many, and heads are rarely needed.
pub(super) fn has_summary(kind: TermKind) -> bool {
    match kind {
        TermKind::Text
        | TermKind::Company
        | TermKind::Category
        | TermKind::Type
        | TermKind::Class
        | TermKind::Year
        | TermKind::Name
        | TermKind::Both
        | TermKind::Prefix => true,
        TermKind::Head
        | TermKind::Run
        | TermKind::Summary
        | TermKind::NameRun
        | TermKind::NameSummary => false,
    }
}

/// The row with the summary of a kind. It is removed together with the terms that it summarises.
fn row_of(block: &Block, kind: TermKind) -> i64 {
    let depends_on_names = kind.number() >= TermKind::Name.number();
    let summary = if depends_on_names { TermKind::NameSummary } else { TermKind::Summary };
    block.row(first_of(summary) | kind.number())
}

/// A term in a summary.
pub(super) struct SummaryEntry<'s> {
    pub(super) term: TermId,
    pub(super) count: u32,
    /// The numbers of its filings, two bytes each; empty if they are more than [`FEW`].
    pub(super) few: &'s [u8],
}

/// Terms of one kind, written one after the other in the order of their numbers.
#[derive(Default)]
pub(super) struct Summary {
    bytes: Vec<u8>,
    last: TermId,
    terms: u32,
}

impl Summary {
    /// Adds a term.
    pub(super) fn push(&mut self, SummaryEntry { term, count, few }: &SummaryEntry<'_>) {
        write_number(&mut self.bytes, u64::from(term - self.last));
        write_number(&mut self.bytes, u64::from(*count));
        self.bytes.extend_from_slice(few);
        (self.last, self.terms) = (*term, self.terms + 1);
    }

    /// Appends it to the summary of a kind in a block. Terms that are there have smaller numbers than new ones.
    pub(super) fn write(
        self,
        connection: &Connection,
        block: &Block,
        kind: TermKind,
    ) -> Result<()> {
        if self.terms == 0 {
            return Ok(());
        }
        let row = row_of(block, kind);
        let Some(before) = read(connection, row)? else {
            return write(connection, row, self.terms, &self.bytes);
        };
        let mut all = Summary::default();
        for entry in entries(&before).chain(entries(&self.bytes)) {
            all.push(&entry?);
        }
        write(connection, row, all.terms, &all.bytes)
    }
}

/// Writes the keys of a block's filings, which stand in order.
pub(super) fn write_keys(connection: &Connection, block: &Block, keys: &[i64]) -> Result<()> {
    let mut bytes = Vec::new();
    let mut last = 0;
    for key in keys {
        write_number(&mut bytes, key.wrapping_sub(last).cast_unsigned());
        last = *key;
    }
    let count = u32::try_from(keys.len()).unwrap_or(u32::MAX);
    write(connection, block.row(first_of(TermKind::Summary) | KEYS), count, &bytes)
}

/// The summary of a kind in a block; empty if it has none.
pub(super) fn read_kind(connection: &Connection, block: &Block, kind: TermKind) -> Result<Vec<u8>> {
    Ok(read(connection, row_of(block, kind))?.unwrap_or_default())
}

/// The keys of a block's filings, as they are stored.
pub(super) fn read_keys(connection: &Connection, block: &Block) -> Result<Vec<u8>> {
    Ok(read(connection, block.row(first_of(TermKind::Summary) | KEYS))?.unwrap_or_default())
}

/// The terms of a summary.
pub(super) fn entries(bytes: &[u8]) -> impl Iterator<Item = Result<SummaryEntry<'_>>> {
    let (mut rest, mut term) = (bytes, 0);
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let entry = next(&mut rest, term).ok_or_else(damaged_summary);
        match &entry {
            Ok(entry) => term = entry.term,
            Err(_) => rest = &[],
        }
        Some(entry)
    })
}

fn next<'s>(rest: &mut &'s [u8], last: TermId) -> Option<SummaryEntry<'s>> {
    let term = last.checked_add(u32::try_from(read_number(rest)?).ok()?)?;
    let count = u32::try_from(read_number(rest)?).ok()?;
    let few = if count <= FEW { rest.split_off(..count as usize * 2)? } else { &[] };
    Some(SummaryEntry { term, count, few })
}

/// The number at the start of these bytes, which is taken from them.
pub(super) fn read_number(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..u64::BITS).step_by(7) {
        let byte = *bytes.split_off_first()?;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

/// Writes a number in seven bits a byte, the lowest first.
fn write_number(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(u8::try_from(number & 0x7f).unwrap_or_default() | 0x80);
        number >>= 7;
    }
    bytes.push(u8::try_from(number).unwrap_or_default());
}

pub(super) fn damaged_summary() -> Error {
    Error::unavailable("the search index is damaged", "a summary of a block cannot be read")
}

fn read(connection: &Connection, row: i64) -> Result<Option<Vec<u8>>> {
    const SQL: &str = "SELECT bits FROM filing_term WHERE id = ?1";
    Ok(connection.prepare_cached(SQL)?.query_row([row], |row| row.get(0)).optional()?)
}

fn write(connection: &Connection, row: i64, count: u32, bytes: &[u8]) -> Result<()> {
    const SQL: &str = "INSERT OR REPLACE INTO filing_term (id, count, bits) VALUES (?1, ?2, ?3)";
    connection.prepare_cached(SQL)?.execute((row, count, bytes))?;
    Ok(())
}
