//! The numbers that stand for terms in the file.
//!
//! A row of `filing_term` is found by one integer: block and term. By text a look-up takes seven times as long, and
//! every block would repeat the words.
use std::collections::BTreeSet;

use foldhash::HashMap;
use rusqlite::{CachedStatement, Connection, OptionalExtension};

use crate::{
    index::TermKind,
    values::{Error, Result, words::words},
};

/// The number of a term: its kind, then a count.
pub(crate) type TermId = u32;

/// How many bits the count takes.
pub(crate) const COUNT_BITS: u32 = 28;

/// If more words than this share a prefix, the prefix is a term of its own: fewer are read one by one.
const MANY: usize = 8;

/// How many bytes of terms are remembered, so that not every block looks up all of its terms again. Those of
/// twenty years of filings are some 24 MiB; an import may take 256 MiB in all.
const REMEMBERED: usize = 12 << 20;

/// The memory that a remembered term takes besides its text.
const OVERHEAD: usize = 48;

/// The smallest number of a kind.
pub(crate) const fn first_of(kind: TermKind) -> TermId {
    kind.number() << COUNT_BITS
}

const FIND: &str = "SELECT id FROM term WHERE kind = ?1 AND text = ?2";

/// The number of a term, if it has one.
pub(crate) fn find_term(
    connection: &Connection,
    kind: TermKind,
    text: &str,
) -> Result<Option<TermId>> {
    find_with(&mut connection.prepare_cached(FIND)?, kind, text)
}

fn find_with(find: &mut CachedStatement<'_>, kind: TermKind, text: &str) -> Result<Option<TermId>> {
    Ok(find.query_row((kind.number(), text), |row| row.get(0)).optional()?)
}

/// Visits all terms of some kinds, in the order of their texts.
pub(crate) fn for_each_term(
    connection: &Connection,
    kinds: [TermKind; 4],
    mut visit: impl FnMut(&str, TermId) -> Result<()>,
) -> Result<()> {
    // The terms of one kind are stored in this order, so that SQLite merges them and sorts nothing.
    const SQL: &str = "SELECT text, id FROM term WHERE kind = ?1
        UNION ALL SELECT text, id FROM term WHERE kind = ?2
        UNION ALL SELECT text, id FROM term WHERE kind = ?3
        UNION ALL SELECT text, id FROM term WHERE kind = ?4 ORDER BY text";
    let mut statement = connection.prepare_cached(SQL)?;
    let mut rows = statement.query(kinds.map(TermKind::number))?;
    while let Some(row) = rows.next()? {
        visit(row.get_ref(0)?.as_str().map_err(rusqlite::Error::from)?, row.get(1)?)?;
    }
    Ok(())
}

/// The terms of a kind with a prefix, with their numbers, in order.
pub(crate) fn terms_with_prefix(
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
pub(crate) struct TermNumbers<'c> {
    connection: &'c Connection,
    find: CachedStatement<'c>,
    add: CachedStatement<'c>,
    next: [Option<TermId>; TermKind::ALL.len()],
    /// Whether the last term of a kind that was looked up was new: then the next one probably is, too.
    was_new: [bool; TermKind::ALL.len()],
    /// Whether any of them is a word.
    new_words: bool,
    /// The numbers of terms that were looked up, as many as there is room for.
    known: [HashMap<Box<str>, TermId>; TermKind::ALL.len()],
    room: usize,
}

impl<'c> TermNumbers<'c> {
    pub(crate) fn new(connection: &'c Connection) -> Result<TermNumbers<'c>> {
        const ADD: &str = "INSERT INTO term (id, kind, text) VALUES (?1, ?2, ?3)
            ON CONFLICT (kind, text) DO NOTHING";
        Ok(TermNumbers {
            connection,
            find: connection.prepare_cached(FIND)?,
            add: connection.prepare_cached(ADD)?,
            next: [None; TermKind::ALL.len()],
            was_new: [false; TermKind::ALL.len()],
            new_words: false,
            known: Default::default(),
            room: REMEMBERED,
        })
    }

    /// The file that they belong to.
    pub(crate) fn connection(&self) -> &'c Connection {
        self.connection
    }

    /// The number of a term, if it has one.
    pub(crate) fn find(&mut self, kind: TermKind, text: &str) -> Result<Option<TermId>> {
        match self.known[kind.number() as usize].get(text) {
            Some(id) => Ok(Some(*id)),
            None => find_with(&mut self.find, kind, text),
        }
    }

    /// The number of a term; a new one is given to a term that has none.
    pub(crate) fn id(&mut self, kind: TermKind, text: &str) -> Result<TermId> {
        let known = &self.known[kind.number() as usize];
        if let Some(id) = known.get(text) {
            return Ok(*id);
        }
        let id = self.find_or_add(kind, text)?;
        let takes = text.len() + OVERHEAD;
        if let Some(room) = self.room.checked_sub(takes) {
            self.room = room;
            self.known[kind.number() as usize].insert(text.into(), id);
        }
        Ok(id)
    }

    /// Adding a term finds out whether it is there already, so that a new one need not be looked for first.
    fn find_or_add(&mut self, kind: TermKind, text: &str) -> Result<TermId> {
        let guess = self.was_new[kind.number() as usize];
        if guess && let Some(id) = self.add(kind, text)? {
            return Ok(id);
        }
        let found = find_with(&mut self.find, kind, text)?;
        self.was_new[kind.number() as usize] = found.is_none();
        if let Some(id) = found {
            return Ok(id);
        }
        let missing = || Error::storage("the search index is damaged", "a term cannot be added");
        self.add(kind, text)?.ok_or_else(missing)
    }

    /// Adds a term, unless it is there.
    fn add(&mut self, kind: TermKind, text: &str) -> Result<Option<TermId>> {
        let id = self.next(kind)?;
        if self.add.execute((id, kind.number(), text))? == 0 {
            return Ok(None);
        }
        self.next[kind.number() as usize] = Some(id + 1);
        self.new_words |= matches!(kind, TermKind::Text | TermKind::Name);
        Ok(Some(id))
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
        if i64::from(next) < end {
            Ok(next)
        } else {
            Err(Error::storage("the search index is full", "it has too many terms"))
        }
    }

    /// Gives numbers to the prefixes that many words have come to share, and returns the new ones.
    pub(crate) fn add_shared_prefixes(&mut self) -> Result<BTreeSet<String>> {
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
    pub(crate) fn prefixes(&self) -> Result<BTreeSet<String>> {
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

/// The words of one level of a class, which is folded.
pub(crate) fn words_of_level(level: &str) -> Vec<String> {
    /// The end of a type that says what its filings are not: a search for these words must not find them.
    const NEGATED: &str = " nao considerados fatos relevantes";
    let level = level.strip_suffix(NEGATED).unwrap_or(level);
    words(level).filter(|word| word.is_ascii()).map(str::to_owned).collect()
}
