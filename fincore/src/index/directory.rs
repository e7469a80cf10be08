//! The part of the index that is held in memory: the blocks with the keys of their filings, all words, and which terms
//! each block has. Searches read only the sets that they need from the file.
//!
//! It takes some 19 MiB for the 1.6 million filings of twenty years.
use std::{
    ops::Range,
    sync::{Arc, Mutex},
};

use rusqlite::Connection;

use crate::{
    index::{
        Block, TermKind,
        block_contents::{FEW, damaged_summary, entries, has_summary, read_keys, read_kind},
        blocks, rebuild_count,
        terms::{COUNT_BITS, TermId, for_each_term},
    },
    values::{Result, lock, read_leb128},
};

/// The directory of the data, read on first use. One thread reads it while others wait: that takes some fifty
/// milliseconds, and memory that should not be taken twice.
#[derive(Debug, Default)]
pub(crate) struct DirectoryCache(Mutex<Option<Arc<Directory>>>);

impl DirectoryCache {
    pub(crate) fn directory(&self, connection: &Connection) -> Result<Arc<Directory>> {
        let known = lock(&self.0).clone();
        // A rebuild makes other blocks of the same data, which may not have another number yet.
        if let Some(known) = known
            && known.is_current(connection)?
        {
            return Ok(known);
        }
        let mut cached = lock(&self.0);
        match &*cached {
            Some(other) if other.is_current(connection)? => Ok(other.clone()),
            _ => {
                // Both would not fit into the memory that is meant for one.
                *cached = None;
                Ok(cached.insert(Arc::new(Directory::read(connection)?)).clone())
            }
        }
    }
}

/// The index of a catalogue, as far as it is in memory.
#[derive(Debug)]
pub(crate) struct Directory {
    /// How often the index had been rebuilt when this was read.
    rebuild_count: Option<String>,
    /// All blocks, oldest first.
    pub(crate) blocks: Vec<BlockEntry>,
    pub(crate) words: WordList,
    /// By the numbers of kinds.
    kinds: Vec<BlocksByTerm>,
}

impl Directory {
    fn read(connection: &Connection) -> Result<Directory> {
        let blocks = blocks(connection)?;
        let of_kind = |kind: &TermKind| {
            if has_summary(*kind) {
                BlocksByTerm::read(connection, &blocks, *kind)
            } else {
                Ok(BlocksByTerm::default())
            }
        };
        let kinds = TermKind::ALL.iter().map(of_kind).collect::<Result<_>>()?;
        let ends = blocks.iter().skip(1).map(|block| block.first).chain([i64::MAX]);
        let ends: Vec<i64> = ends.collect();
        let blocks = blocks.into_iter().zip(ends).zip(0..);
        let blocks = blocks.map(|((block, end), at)| {
            let keys = BlockKeys::new(read_keys(connection, &block)?)?;
            Ok(BlockEntry { block, at, end, keys })
        });
        Ok(Directory {
            rebuild_count: rebuild_count(connection)?,
            blocks: blocks.collect::<Result<_>>()?,
            words: WordList::read(connection)?,
            kinds,
        })
    }

    /// Whether the index has not been rebuilt since this was read.
    fn is_current(&self, connection: &Connection) -> Result<bool> {
        Ok(self.rebuild_count == rebuild_count(connection)?)
    }

    /// The filings of a block with a term; `None` if only the file knows.
    pub(crate) fn has(&self, entry: &BlockEntry, term: TermId) -> Option<TermFilings<'_>> {
        let kind = usize::try_from(term >> COUNT_BITS).unwrap_or_default();
        match TermKind::ALL.get(kind) {
            Some(known) if has_summary(*known) => Some(self.kinds[kind].has(entry, term)),
            _ => None,
        }
    }
}

/// A block with the keys of its filings.
#[derive(Debug)]
pub(crate) struct BlockEntry {
    pub(crate) block: Block,
    /// How many blocks are older.
    at: u16,
    /// The smallest key of the next block.
    pub(crate) end: i64,
    pub(crate) keys: BlockKeys,
}

/// The filings of a block that have a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TermFilings<'d> {
    /// This many; the file knows which ones.
    Many(u32),
    /// These, in order; there may be none.
    Few(&'d [u16]),
}

impl TermFilings<'_> {
    pub(crate) fn count(self) -> u64 {
        match self {
            TermFilings::Many(count) => count.into(),
            TermFilings::Few(numbers) => numbers.len() as u64,
        }
    }
}

/// The blocks that have the terms of a kind.
#[derive(Debug, Default)]
struct BlocksByTerm {
    /// Where each term starts, by its number without the kind; and where the last one ends.
    starts: Vec<u32>,
    /// For every term its blocks, newest first: which block, how many filings less one, and those filings if they are
    /// few.
    blocks: Vec<u16>,
}

impl BlocksByTerm {
    fn read(connection: &Connection, blocks: &[Block], kind: TermKind) -> Result<BlocksByTerm> {
        // How much room each term needs, then where it starts. Every summary is read twice: all of them would take as much
        // memory again, most of which the allocator would keep.
        let mut starts: Vec<u32> = vec![0];
        for block in blocks {
            for entry in entries(&read_kind(connection, block, kind)?) {
                let entry = entry?;
                let number = count_of(entry.term);
                if starts.len() < number + 2 {
                    starts.resize(number + 2, 0);
                }
                starts[number + 1] += room_of(entry.few)?;
            }
        }
        for number in 1..starts.len() {
            starts[number] += starts[number - 1];
        }
        starts.shrink_to_fit();
        let mut next = starts.clone();
        let mut all = vec![0; starts.last().copied().unwrap_or_default() as usize];
        for (at, block) in blocks.iter().enumerate().rev() {
            let at = u16::try_from(at).map_err(|_| damaged_summary())?;
            for entry in entries(&read_kind(connection, block, kind)?) {
                let entry = entry?;
                let next = &mut next[count_of(entry.term)];
                let few =
                    entry.few.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]]));
                let count =
                    u16::try_from(entry.count.wrapping_sub(1)).map_err(|_| damaged_summary())?;
                for value in [at, count].into_iter().chain(few) {
                    all[*next as usize] = value;
                    *next += 1;
                }
            }
        }
        Ok(BlocksByTerm { starts, blocks: all })
    }

    fn has(&self, entry: &BlockEntry, term: TermId) -> TermFilings<'_> {
        let number = count_of(term);
        let (Some(start), Some(end)) = (self.starts.get(number), self.starts.get(number + 1))
        else {
            return TermFilings::Few(&[]);
        };
        let mut rest = &self.blocks[*start as usize..*end as usize];
        while let [at, less_one, others @ ..] = rest {
            let count = u32::from(*less_one) + 1;
            let few = if count <= FEW { count as usize } else { 0 };
            if *at == entry.at {
                return if few == 0 {
                    TermFilings::Many(count)
                } else {
                    TermFilings::Few(&others[..few])
                };
            }
            if *at < entry.at {
                break;
            }
            rest = &others[few..];
        }
        TermFilings::Few(&[])
    }
}

/// The number of a term without its kind.
fn count_of(term: TermId) -> usize {
    (term & ((1 << COUNT_BITS) - 1)) as usize
}

/// How many values a block of a term takes.
fn room_of(few: &[u8]) -> Result<u32> {
    u32::try_from(2 + few.len() / 2).map_err(|_| damaged_summary())
}

/// The keys of a block's filings, as they are stored: each as its distance from the one before.
#[derive(Debug)]
pub(crate) struct BlockKeys {
    bytes: Vec<u8>,
    /// For every [`BlockKeys::MARK`]th filing, the key before it and where its own starts.
    marks: Vec<(i64, u32)>,
}

impl BlockKeys {
    /// To find a key, half as many are read on average: some forty nanoseconds.
    const MARK: u32 = 32;

    fn new(bytes: Vec<u8>) -> Result<BlockKeys> {
        let (mut marks, mut last) = (Vec::new(), 0_i64);
        let mut rest = &bytes[..];
        let mut number = 0;
        while !rest.is_empty() {
            if number % Self::MARK == 0 {
                let start =
                    u32::try_from(bytes.len() - rest.len()).map_err(|_| damaged_summary())?;
                marks.push((last, start));
            }
            let distance = read_leb128(&mut rest).ok_or_else(damaged_summary)?;
            last = last.wrapping_add_unsigned(distance);
            number += 1;
        }
        marks.shrink_to_fit();
        Ok(BlockKeys { bytes, marks })
    }

    /// The key of a filing by its number.
    pub(crate) fn get(&self, number: u32) -> Option<i64> {
        let (mut key, start) = *self.marks.get((number / Self::MARK) as usize)?;
        let mut rest = self.bytes.get(start as usize..)?;
        for _ in 0..=number % Self::MARK {
            key = key.wrapping_add_unsigned(read_leb128(&mut rest)?);
        }
        Some(key)
    }
}

/// All words of texts and names, and the prefixes that are terms, with their numbers.
#[derive(Debug, Default)]
pub(crate) struct WordList {
    /// One after the other, in order.
    text: String,
    /// Where each one ends.
    ends: Vec<u32>,
    /// The numbers of each one by kind, in the order of `KINDS`; `NONE` where it has none.
    terms: Vec<[TermId; 4]>,
}

impl WordList {
    const KINDS: [TermKind; 4] = [TermKind::Text, TermKind::Name, TermKind::Both, TermKind::Prefix];
    /// No term has it: there are fewer kinds.
    const NONE: TermId = TermId::MAX;

    fn read(connection: &Connection) -> Result<WordList> {
        let mut words = WordList::default();
        let mut last = String::new();
        for_each_term(connection, Self::KINDS, |text, term| {
            if words.ends.is_empty() || last != text {
                words.text.push_str(text);
                words.ends.push(u32::try_from(words.text.len()).map_err(|_| damaged_summary())?);
                words.terms.push([Self::NONE; 4]);
                text.clone_into(&mut last);
            }
            let kinds = Self::KINDS.iter();
            let mut terms = words.terms.last_mut().into_iter().flatten().zip(kinds);
            let of_kind = terms.find(|(_, kind)| kind.number() == term >> COUNT_BITS);
            if let Some((known, _)) = of_kind {
                *known = term;
            }
            Ok(())
        })?;
        words.text.shrink_to_fit();
        words.ends.shrink_to_fit();
        words.terms.shrink_to_fit();
        Ok(words)
    }

    pub(crate) fn includes(kind: TermKind) -> bool {
        Self::KINDS.contains(&kind)
    }

    /// The number of a term of a kind that the list includes.
    pub(crate) fn find(&self, kind: TermKind, text: &str) -> Option<TermId> {
        let at = self.before(text);
        let terms = if self.word(at) == Some(text) { self.terms.get(at) } else { None };
        terms.and_then(|terms| of_kind(terms, kind))
    }

    /// The words of texts and names with a prefix, in order: for each one its numbers of these kinds, where it has them.
    pub(crate) fn with_prefix<const N: usize>(
        &self,
        prefix: &str,
        kinds: [TermKind; N],
    ) -> impl Iterator<Item = [Option<TermId>; N]> {
        // In ASCII `{` follows `z`, the last character that words are made of.
        let range: Range<usize> = self.before(prefix)..self.before(&format!("{prefix}{{"));
        let words = self.terms[range].iter().filter(|terms| {
            of_kind(terms, TermKind::Text).or_else(|| of_kind(terms, TermKind::Name)).is_some()
        });
        words.map(move |terms| kinds.map(|kind| of_kind(terms, kind)))
    }

    /// How many words stand before a text.
    fn before(&self, text: &str) -> usize {
        let (mut low, mut high) = (0, self.ends.len());
        while low < high {
            let middle = low + (high - low) / 2;
            match self.word(middle) {
                Some(word) if word < text => low = middle + 1,
                _ => high = middle,
            }
        }
        low
    }

    fn word(&self, at: usize) -> Option<&str> {
        let end = *self.ends.get(at)? as usize;
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        self.text.get(start..end)
    }
}

fn of_kind(terms: &[TermId; 4], kind: TermKind) -> Option<TermId> {
    let at = WordList::KINDS.iter().position(|known| *known == kind)?;
    Some(terms[at]).filter(|term| *term != WordList::NONE)
}

#[cfg(test)]
mod tests;
