//! Sets of filings, as conditions are put together.
use std::ops::Range;

use super::bits::Bits;

/// Filings of a block.
#[derive(Clone, Debug)]
pub(super) enum Set {
    /// All of them.
    All,
    /// Those with numbers in a range.
    Range(Range<u32>),
    Some(Bits),
}

impl Set {
    pub(super) fn and(self, other: Set) -> Set {
        match (self, other) {
            (Set::All, set) | (set, Set::All) => set,
            (Set::Range(numbers), Set::Some(bits)) | (Set::Some(bits), Set::Range(numbers)) => {
                Set::Some(cut(bits, &numbers))
            }
            (set, other) => {
                let mut bits = set.bits();
                bits &= other.bits();
                Set::Some(bits)
            }
        }
    }

    /// What both have.
    pub(super) fn shared(&self, other: &Set) -> Set {
        match (self, other) {
            (Set::Some(one), Set::Some(other)) => Set::Some(one & other),
            (one, other) => one.clone().and(other.clone()),
        }
    }

    /// Adds what another one has.
    pub(super) fn add(&mut self, other: &Set) {
        match (&mut *self, other) {
            (Set::All, _) => (),
            (_, Set::All) => *self = Set::All,
            (Set::Some(bits), Set::Some(other)) => *bits |= other,
            (Set::Range(_) | Set::Some(_), other) => {
                let bits = std::mem::replace(self, Set::All).bits() | other.clone().bits();
                *self = Set::Some(bits);
            }
        }
    }

    /// Those of them with numbers in a range.
    pub(super) fn within(self, numbers: &Range<u32>, filings: u32) -> Set {
        match self {
            Set::All => Set::Range(numbers.clone()),
            Set::Range(_) => self,
            Set::Some(bits) if *numbers == (0..filings) => Set::Some(bits),
            Set::Some(bits) => Set::Some(cut(bits, numbers)),
        }
    }

    pub(super) fn bits(self) -> Bits {
        match self {
            // More than the block has; whoever asks cuts it to what is wanted.
            Set::All => Bits::full(),
            Set::Range(numbers) => {
                let mut bits = Bits::new();
                bits.insert_range(numbers);
                bits
            }
            Set::Some(bits) => bits,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        matches!(self, Set::Some(bits) if bits.is_empty())
    }

    pub(super) fn len(&self) -> u64 {
        match self {
            Set::All => 0,
            Set::Range(numbers) => numbers.len() as u64,
            Set::Some(bits) => bits.len(),
        }
    }

    /// So many numbers, from the largest on, after so many others.
    pub(super) fn newest(&self, skip: u64, limit: usize) -> Vec<u32> {
        let skip = u32::try_from(skip).unwrap_or(u32::MAX);
        match self {
            Set::All => Vec::new(),
            Set::Range(numbers) => numbers.clone().rev().skip(skip as usize).take(limit).collect(),
            Set::Some(bits) => {
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
fn cut(mut bits: Bits, numbers: &Range<u32>) -> Bits {
    bits.remove_range(..numbers.start);
    bits.remove_range(numbers.end..);
    bits
}
