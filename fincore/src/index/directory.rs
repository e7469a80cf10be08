//! What of the index is held in memory: the blocks with the keys of their filings, all words, and which terms each block
//! has, so that searches read from the file only the sets that they need.
//!
//! It takes some 19 MiB for the 1.6 million filings of twenty years.
use std::{
    ops::Range,
    sync::{Arc, Mutex},
};

use rusqlite::Connection;

use super::{
    Block, Kind, TermId, blocks, made,
    summary::{FEW, damaged, entries, has_summary, read_keys, read_kind, read_number},
    terms::{COUNT_BITS, numbered},
};
use crate::{error::Result, lock::lock};

/// The directory of some data, once it was asked for. One reads it while others wait: it takes some fifty milliseconds,
/// and memory that should not be taken twice.
#[derive(Debug, Default)]
pub(crate) struct Shelf(Mutex<Option<Arc<Directory>>>);

impl Shelf {
    pub(crate) fn directory(&self, connection: &Connection) -> Result<Arc<Directory>> {
        let known = lock(&self.0).clone();
        // A rebuild makes other blocks of the same data, which may not have another number yet.
        if let Some(known) = known
            && known.is_current(connection)?
        {
            return Ok(known);
        }
        let mut place = lock(&self.0);
        match &*place {
            Some(other) if other.is_current(connection)? => Ok(other.clone()),
            _ => {
                // What is there goes before the next one comes.
                *place = None;
                Ok(place.insert(Arc::new(Directory::read(connection)?)).clone())
            }
        }
    }
}

/// The index of a catalogue, as far as it is in memory.
#[derive(Debug)]
pub(crate) struct Directory {
    /// How often the index was made when this was read.
    made: Option<String>,
    /// All blocks, oldest first.
    pub(super) parts: Vec<Part>,
    pub(super) words: Words,
    /// By the numbers of kinds.
    kinds: Vec<Terms>,
}

impl Directory {
    fn read(connection: &Connection) -> Result<Directory> {
        let blocks = blocks(connection)?;
        let of_kind = |kind: &Kind| match has_summary(*kind) {
            true => Terms::read(connection, &blocks, *kind),
            false => Ok(Terms::default()),
        };
        let kinds = Kind::ALL.iter().map(of_kind).collect::<Result<_>>()?;
        let ends = blocks.iter().skip(1).map(|block| block.first).chain([i64::MAX]);
        let ends: Vec<i64> = ends.collect();
        let parts = blocks.into_iter().zip(ends).zip(0..);
        let parts = parts.map(|((block, end), at)| {
            let keys = Keys::new(read_keys(connection, &block)?)?;
            Ok(Part { block, at, end, keys })
        });
        Ok(Directory {
            made: made(connection)?,
            parts: parts.collect::<Result<_>>()?,
            words: Words::read(connection)?,
            kinds,
        })
    }

    /// Whether the index was not made anew since this was read.
    fn is_current(&self, connection: &Connection) -> Result<bool> {
        Ok(self.made == made(connection)?)
    }

    /// What a block has of a term; `None` if only the file knows.
    pub(super) fn has(&self, part: &Part, term: TermId) -> Option<Has<'_>> {
        let kind = usize::try_from(term >> COUNT_BITS).unwrap_or_default();
        match Kind::ALL.get(kind) {
            Some(known) if has_summary(*known) => Some(self.kinds[kind].has(part, term)),
            _ => None,
        }
    }
}

/// A block, and what is in memory of it.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) block: Block,
    /// How many blocks are older.
    at: u16,
    /// The smallest key of the next block.
    pub(super) end: i64,
    pub(super) keys: Keys,
}

/// Which filings of a block have a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Has<'d> {
    /// So many; which ones, the file knows.
    Many(u32),
    /// These, in order; there may be none.
    Few(&'d [u16]),
}

impl Has<'_> {
    pub(super) fn count(self) -> u64 {
        match self {
            Has::Many(count) => count.into(),
            Has::Few(numbers) => numbers.len() as u64,
        }
    }
}

/// Which blocks have the terms of a kind.
#[derive(Debug, Default)]
struct Terms {
    /// Where each term starts, by its number without the kind; and where the last one ends.
    starts: Vec<u32>,
    /// For every term its blocks, newest first: which block, how many filings less one, and those filings if they are
    /// few.
    blocks: Vec<u16>,
}

impl Terms {
    fn read(connection: &Connection, blocks: &[Block], kind: Kind) -> Result<Terms> {
        let summaries = blocks.iter().map(|block| read_kind(connection, block, kind));
        let summaries = summaries.collect::<Result<Vec<_>>>()?;
        // How much room each term needs, then where it starts.
        let mut starts: Vec<u32> = vec![0];
        for entry in summaries.iter().flat_map(|summary| entries(summary)) {
            let entry = entry?;
            let number = place_of(entry.term);
            if starts.len() < number + 2 {
                starts.resize(number + 2, 0);
            }
            starts[number + 1] += room_of(entry.few)?;
        }
        for number in 1..starts.len() {
            starts[number] += starts[number - 1];
        }
        let mut next = starts.clone();
        let mut all = vec![0; starts.last().copied().unwrap_or_default() as usize];
        for (at, summary) in summaries.iter().enumerate().rev() {
            let at = u16::try_from(at).map_err(|_| damaged())?;
            for entry in entries(summary) {
                let entry = entry?;
                let next = &mut next[place_of(entry.term)];
                let few =
                    entry.few.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]]));
                let count = u16::try_from(entry.count.wrapping_sub(1)).map_err(|_| damaged())?;
                for value in [at, count].into_iter().chain(few) {
                    all[*next as usize] = value;
                    *next += 1;
                }
            }
        }
        Ok(Terms { starts, blocks: all })
    }

    fn has(&self, part: &Part, term: TermId) -> Has<'_> {
        let number = place_of(term);
        let (Some(start), Some(end)) = (self.starts.get(number), self.starts.get(number + 1))
        else {
            return Has::Few(&[]);
        };
        let mut rest = &self.blocks[*start as usize..*end as usize];
        while let [at, less_one, others @ ..] = rest {
            let count = u32::from(*less_one) + 1;
            let few = if count <= FEW { count as usize } else { 0 };
            if *at == part.at {
                return if few == 0 { Has::Many(count) } else { Has::Few(&others[..few]) };
            }
            if *at < part.at {
                break;
            }
            rest = &others[few..];
        }
        Has::Few(&[])
    }
}

/// The number of a term without its kind.
fn place_of(term: TermId) -> usize {
    (term & ((1 << COUNT_BITS) - 1)) as usize
}

/// How many values a block of a term takes.
fn room_of(few: &[u8]) -> Result<u32> {
    u32::try_from(2 + few.len() / 2).map_err(|_| damaged())
}

/// The keys of a block's filings, as they are stored: each as its distance from the one before.
#[derive(Debug)]
pub(super) struct Keys {
    bytes: Vec<u8>,
    /// Every so many filings, the key before and where the next one starts.
    marks: Vec<(i64, u32)>,
}

impl Keys {
    /// To find a key, half as many are read on average: some twenty nanoseconds.
    const MARK: u32 = 16;

    fn new(bytes: Vec<u8>) -> Result<Keys> {
        let (mut marks, mut last) = (Vec::new(), 0_i64);
        let mut rest = &bytes[..];
        let mut number = 0;
        while !rest.is_empty() {
            if number % Self::MARK == 0 {
                let start = u32::try_from(bytes.len() - rest.len()).map_err(|_| damaged())?;
                marks.push((last, start));
            }
            let distance = read_number(&mut rest).ok_or_else(damaged)?;
            last = last.wrapping_add_unsigned(distance);
            number += 1;
        }
        marks.shrink_to_fit();
        Ok(Keys { bytes, marks })
    }

    /// The key of a filing by its number.
    pub(super) fn get(&self, number: u32) -> Option<i64> {
        let (mut key, start) = *self.marks.get((number / Self::MARK) as usize)?;
        let mut rest = self.bytes.get(start as usize..)?;
        for _ in 0..=number % Self::MARK {
            key = key.wrapping_add_unsigned(read_number(&mut rest)?);
        }
        Some(key)
    }
}

/// All words of texts and names, and the prefixes that are terms, with their numbers.
#[derive(Debug, Default)]
pub(super) struct Words {
    /// One after the other, in order.
    text: String,
    /// Where each one ends.
    ends: Vec<u32>,
    /// The numbers of each one by kind, in the order of `KINDS`; `NONE` where it has none.
    terms: Vec<[TermId; 4]>,
}

impl Words {
    const KINDS: [Kind; 4] = [Kind::Text, Kind::Name, Kind::Both, Kind::Prefix];
    /// No term has it: there are fewer kinds.
    const NONE: TermId = TermId::MAX;

    fn read(connection: &Connection) -> Result<Words> {
        let mut all = Vec::new();
        for kind in Self::KINDS {
            numbered(connection, kind, |text, term| all.push((Box::<str>::from(text), term)))?;
        }
        all.sort_unstable();
        let mut words = Words::default();
        for same in all.chunk_by(|one, other| one.0 == other.0) {
            words.text.push_str(&same[0].0);
            words.ends.push(u32::try_from(words.text.len()).map_err(|_| damaged())?);
            let of = |kind: Kind| {
                let found = same.iter().find(|(_, term)| term >> COUNT_BITS == kind.number());
                found.map_or(Self::NONE, |(_, term)| *term)
            };
            words.terms.push(Self::KINDS.map(of));
        }
        words.text.shrink_to_fit();
        words.ends.shrink_to_fit();
        words.terms.shrink_to_fit();
        Ok(words)
    }

    /// Whether it knows all terms of a kind.
    pub(super) fn knows(kind: Kind) -> bool {
        Self::KINDS.contains(&kind)
    }

    /// The number of a term of a kind that it knows.
    pub(super) fn find(&self, kind: Kind, text: &str) -> Option<TermId> {
        let at = self.before(text);
        let terms = if self.word(at) == Some(text) { self.terms.get(at) } else { None };
        terms.and_then(|terms| of_kind(terms, kind))
    }

    /// The words of texts and names that begin so, in order: for each its numbers of these kinds, as far as it has them.
    pub(super) fn beginning<const N: usize>(
        &self,
        prefix: &str,
        kinds: [Kind; N],
    ) -> impl Iterator<Item = [Option<TermId>; N]> {
        // In ASCII `{` follows `z`, the last character that words are made of.
        let range: Range<usize> = self.before(prefix)..self.before(&format!("{prefix}{{"));
        let words = self.terms[range].iter().filter(|terms| {
            of_kind(terms, Kind::Text).or_else(|| of_kind(terms, Kind::Name)).is_some()
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

fn of_kind(terms: &[TermId; 4], kind: Kind) -> Option<TermId> {
    let at = Words::KINDS.iter().position(|known| *known == kind)?;
    Some(terms[at]).filter(|term| *term != Words::NONE)
}

#[cfg(test)]
#[cfg(feature = "bundle")]
mod tests;
