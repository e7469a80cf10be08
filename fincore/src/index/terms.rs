//! The numbers that stand for terms in the file.
//!
//! A row of `filing_term` is found by one integer: block and term. By text a look-up takes seven times as long, and
//! every block would repeat the words.
use std::collections::{BTreeSet, HashMap};

use rusqlite::{Connection, OptionalExtension};

use super::term_kind::TermKind;
use crate::error::{Error, Result};

/// The number of a term: its kind, then a count.
pub(super) type TermId = u32;

/// How many bits the count takes.
pub(super) const COUNT_BITS: u32 = 28;

/// If more words than this share a prefix, the prefix is a term of its own: fewer are read one by one.
const MANY: usize = 8;

/// How many bytes of terms are remembered, so that not every block looks up all of its terms again. Those of
/// twenty years of filings are some 24 MiB; an import may take 256 MiB in all.
const REMEMBERED: usize = 12 << 20;

/// The memory that a remembered term takes besides its text.
const OVERHEAD: usize = 48;

/// The smallest number of a kind.
pub(super) const fn first_of(kind: TermKind) -> TermId {
    kind.number() << COUNT_BITS
}

/// The number of a term, if it has one.
pub(super) fn find_term(
    connection: &Connection,
    kind: TermKind,
    text: &str,
) -> Result<Option<TermId>> {
    const SQL: &str = "SELECT id FROM term WHERE kind = ?1 AND text = ?2";
    let mut statement = connection.prepare_cached(SQL)?;
    Ok(statement.query_row((kind.number(), text), |row| row.get(0)).optional()?)
}

/// Visits all terms of a kind.
pub(super) fn for_each_term(
    connection: &Connection,
    kind: TermKind,
    mut visit: impl FnMut(&str, TermId),
) -> Result<()> {
    const SQL: &str = "SELECT text, id FROM term WHERE kind = ?1";
    let mut statement = connection.prepare_cached(SQL)?;
    let mut rows = statement.query([kind.number()])?;
    while let Some(row) = rows.next()? {
        visit(row.get_ref(0)?.as_str().map_err(rusqlite::Error::from)?, row.get(1)?);
    }
    Ok(())
}

/// The terms of a kind with a prefix, with their numbers, in order.
pub(super) fn terms_with_prefix(
    connection: &Connection,
    kind: TermKind,
    prefix: &str,
) -> Result<Vec<(String, TermId)>> {
    // In ASCII `{` follows `z`, the last character that words are made of.
    const SQL: &str = "SELECT text, id FROM term WHERE kind = ?1 AND text >= ?2 AND text < ?2 || '{' ORDER BY text";
    let mut statement = connection.prepare_cached(SQL)?;
    let rows =
        statement.query_map((kind.number(), prefix), |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Gives numbers to terms that have none.
pub(super) struct TermNumbers<'c> {
    connection: &'c Connection,
    next: [Option<TermId>; TermKind::ALL.len()],
    /// Whether any of them is a word.
    new_words: bool,
    /// The numbers of terms that were looked up, as many as there is room for.
    known: [HashMap<Box<str>, TermId>; TermKind::ALL.len()],
    room: usize,
}

impl<'c> TermNumbers<'c> {
    pub(super) fn new(connection: &'c Connection) -> TermNumbers<'c> {
        TermNumbers {
            connection,
            next: [None; TermKind::ALL.len()],
            new_words: false,
            known: Default::default(),
            room: REMEMBERED,
        }
    }

    /// The file that they belong to.
    pub(super) fn connection(&self) -> &'c Connection {
        self.connection
    }

    /// The number of a term.
    pub(super) fn id(&mut self, kind: TermKind, text: &str) -> Result<TermId> {
        let known = &self.known[kind.number() as usize];
        if let Some(id) = known.get(text) {
            return Ok(*id);
        }
        let id = match find_term(self.connection, kind, text)? {
            Some(id) => id,
            None => self.add(kind, text)?,
        };
        let takes = text.len() + OVERHEAD;
        if let Some(room) = self.room.checked_sub(takes) {
            self.room = room;
            self.known[kind.number() as usize].insert(text.into(), id);
        }
        Ok(id)
    }

    fn add(&mut self, kind: TermKind, text: &str) -> Result<TermId> {
        const WRITE: &str = "INSERT INTO term (id, kind, text) VALUES (?1, ?2, ?3)";
        let id = self.next(kind)?;
        self.connection.prepare_cached(WRITE)?.execute((id, kind.number(), text))?;
        self.next[kind.number() as usize] = Some(id + 1);
        self.new_words |= matches!(kind, TermKind::Text | TermKind::Name);
        Ok(id)
    }

    fn next(&self, kind: TermKind) -> Result<TermId> {
        const LAST: &str = "SELECT MAX(id) FROM term WHERE id >= ?1 AND id < ?2";
        let (first, end) = (first_of(kind), i64::from(first_of(kind)) + (1 << COUNT_BITS));
        let next = match self.next[kind.number() as usize] {
            Some(next) => next,
            None => {
                let mut statement = self.connection.prepare_cached(LAST)?;
                let last: Option<TermId> = statement.query_row((first, end), |row| row.get(0))?;
                last.map_or(first, |last| last + 1)
            }
        };
        match i64::from(next) < end {
            true => Ok(next),
            false => Err(Error::storage("the search index is full", "it has too many terms")),
        }
    }

    /// Gives numbers to the prefixes that many words have come to share, and returns the new ones.
    pub(super) fn add_shared_prefixes(&mut self) -> Result<BTreeSet<String>> {
        // Both kinds at once: a word may be in texts and in names.
        const WORDS: &str = "SELECT DISTINCT text FROM term WHERE kind IN (?1, ?2) ORDER BY text";
        let mut new = BTreeSet::new();
        if !std::mem::take(&mut self.new_words) {
            return Ok(new);
        }
        let known = self.prefixes()?;
        let mut statement = self.connection.prepare_cached(WORDS)?;
        let words = statement
            .query_map((TermKind::Text.number(), TermKind::Name.number()), |row| row.get(0))?;
        let words = words.collect::<rusqlite::Result<Vec<String>>>()?;
        let longest = words.iter().map(String::len).max().unwrap_or_default();
        for length in 1..=longest {
            for group in groups_by_prefix(&words, length).filter(|group| group.len() > MANY) {
                // Words are ASCII, so that every byte is a letter.
                let prefix = group[0].get(..length).unwrap_or_default();
                if !known.contains(prefix) {
                    new.insert(prefix.to_owned());
                }
            }
        }
        for prefix in &new {
            self.id(TermKind::Prefix, prefix)?;
        }
        Ok(new)
    }

    /// All prefixes that are terms.
    pub(super) fn prefixes(&self) -> Result<BTreeSet<String>> {
        Ok(terms_with_prefix(self.connection, TermKind::Prefix, "")?
            .into_iter()
            .map(|(text, _)| text)
            .collect())
    }
}

/// Groups of sorted words that share their first `length` letters.
fn groups_by_prefix(words: &[String], length: usize) -> impl Iterator<Item = &[String]> {
    words.chunk_by(move |a, b| {
        let prefix = a.get(..length);
        prefix.is_some() && prefix == b.get(..length)
    })
}
