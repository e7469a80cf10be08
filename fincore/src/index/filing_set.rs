//! Sets of filings of one block, and how conditions combine them.
use std::ops::Range;

use super::bitmap::Bitmap;

/// Filings of a block.
#[derive(Clone, Debug)]
pub(super) enum FilingSet {
    /// All of them.
    All,
    /// Those with numbers in a range.
    Range(Range<u32>),
    Some(Bitmap),
}

impl FilingSet {
    pub(super) fn and(self, other: FilingSet) -> FilingSet {
        match (self, other) {
            (FilingSet::All, set) | (set, FilingSet::All) => set,
            (FilingSet::Range(numbers), FilingSet::Some(bits))
            | (FilingSet::Some(bits), FilingSet::Range(numbers)) => {
                FilingSet::Some(cut(bits, &numbers))
            }
            (set, other) => {
                let mut bits = set.bits();
                bits &= other.bits();
                FilingSet::Some(bits)
            }
        }
    }

    /// The filings in both sets.
    pub(super) fn intersection(&self, other: &FilingSet) -> FilingSet {
        match (self, other) {
            (FilingSet::Some(one), FilingSet::Some(other)) => FilingSet::Some(one & other),
            (one, other) => one.clone().and(other.clone()),
        }
    }

    /// Adds the filings of another set.
    pub(super) fn add(&mut self, other: &FilingSet) {
        match (&mut *self, other) {
            (FilingSet::All, _) => (),
            (_, FilingSet::All) => *self = FilingSet::All,
            (FilingSet::Some(bits), FilingSet::Some(other)) => *bits |= other,
            (FilingSet::Range(_) | FilingSet::Some(_), other) => {
                let bits = std::mem::replace(self, FilingSet::All).bits() | other.clone().bits();
                *self = FilingSet::Some(bits);
            }
        }
    }

    /// Those of them with numbers in a range.
    pub(super) fn within(self, numbers: &Range<u32>, filings: u32) -> FilingSet {
        match self {
            FilingSet::All => FilingSet::Range(numbers.clone()),
            FilingSet::Range(_) => self,
            FilingSet::Some(bits) if *numbers == (0..filings) => FilingSet::Some(bits),
            FilingSet::Some(bits) => FilingSet::Some(cut(bits, numbers)),
        }
    }

    pub(super) fn bits(self) -> Bitmap {
        match self {
            // More than the block has: callers cut it to the range that they need.
            FilingSet::All => Bitmap::full(),
            FilingSet::Range(numbers) => {
                let mut bits = Bitmap::new();
                bits.insert_range(numbers);
                bits
            }
            FilingSet::Some(bits) => bits,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        matches!(self, FilingSet::Some(bits) if bits.is_empty())
    }

    pub(super) fn len(&self) -> u64 {
        match self {
            FilingSet::All => 0,
            FilingSet::Range(numbers) => numbers.len() as u64,
            FilingSet::Some(bits) => bits.len(),
        }
    }

    /// At most `limit` numbers, largest first, after skipping `skip` of them.
    pub(super) fn largest(&self, skip: u64, limit: usize) -> Vec<u32> {
        let skip = u32::try_from(skip).unwrap_or(u32::MAX);
        match self {
            FilingSet::All => Vec::new(),
            FilingSet::Range(numbers) => {
                numbers.clone().rev().skip(skip as usize).take(limit).collect()
            }
            FilingSet::Some(bits) => {
                let count = u32::try_from(bits.len()).unwrap_or(u32::MAX);
                let Some(first) = count.checked_sub(skip + 1).and_then(|at| bits.select(at)) else {
                    return Vec::new();
                };
                let mut numbers = bits.iter();
                numbers.advance_back_to(first);
                numbers.rev().take(limit).collect()
            }
        }
    }
}

/// Those with numbers in a range.
fn cut(mut bits: Bitmap, numbers: &Range<u32>) -> Bitmap {
    bits.remove_range(..numbers.start);
    bits.remove_range(numbers.end..);
    bits
}
