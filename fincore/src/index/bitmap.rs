//! Bitmaps of the filings in one block, and how they are stored.
use std::ops::Range;

use roaring::RoaringBitmap;

use crate::{
    index::PLACE_BITS,
    values::{Error, Result},
};

/// Filings of one block, by their number in it.
pub(crate) type Bitmap = RoaringBitmap;

/// Up to this many numbers are stored as they are: two bytes each, which is less than any bitmap takes.
const FEW: usize = 8;

/// The stored form of a set.
pub(crate) fn encode(bits: &Bitmap) -> Vec<u8> {
    if bits.len() <= FEW as u64 {
        // Numbers in a block fit two bytes.
        let numbers = bits.iter().filter_map(|number| u16::try_from(number).ok());
        return numbers.flat_map(u16::to_le_bytes).collect();
    }
    let mut bytes = Vec::with_capacity(bits.serialized_size());
    // Writing to memory cannot fail.
    let _ = bits.serialize_into(&mut bytes);
    bytes
}

/// The stored form of the set with these numbers, each once, in order.
pub(crate) fn encode_sorted(numbers: &[u32]) -> Vec<u8> {
    if numbers.len() <= FEW {
        let numbers = numbers.iter().filter_map(|number| u16::try_from(*number).ok());
        return numbers.flat_map(u16::to_le_bytes).collect();
    }
    encode(&Bitmap::from_sorted_iter(numbers.iter().copied()).unwrap_or_default())
}

/// The numbers of a set with this stored form, two bytes each.
pub(crate) fn numbers(bytes: &[u8]) -> Result<Vec<u8>> {
    if bytes.len() <= FEW * 2 {
        return Ok(bytes.to_vec());
    }
    let numbers = decode(bytes)?.into_iter().filter_map(|number| u16::try_from(number).ok());
    Ok(numbers.flat_map(u16::to_le_bytes).collect())
}

/// The set with this stored form.
pub(crate) fn decode(bytes: &[u8]) -> Result<Bitmap> {
    if bytes.len() <= FEW * 2 {
        let numbers =
            bytes.chunks_exact(2).map(|pair| u32::from(u16::from_le_bytes([pair[0], pair[1]])));
        return Ok(numbers.collect());
    }
    // Unchecked, for speed: a check of the catalogue compares every set with the one that it should be.
    Bitmap::deserialize_unchecked_from(bytes)
        .map_err(|err| Error::unavailable("the search index is damaged", err))
}

/// A set with a bit for every filing that a block can have: sets are added to it faster than to a [`Bitmap`].
pub(crate) struct BlockBits(Box<[u8]>);

impl Default for BlockBits {
    fn default() -> BlockBits {
        BlockBits(vec![0; (1 << PLACE_BITS) / 8].into())
    }
}

impl BlockBits {
    /// Adds the filings of another set.
    pub(crate) fn add(&mut self, other: &BlockBits) {
        for (byte, other) in self.0.iter_mut().zip(&other.0) {
            *byte |= other;
        }
    }

    /// Adds the filings of a set in its stored form.
    pub(crate) fn add_stored(&mut self, bytes: &[u8]) -> Result<()> {
        if bytes.len() <= FEW * 2 {
            for pair in bytes.chunks_exact(2) {
                self.insert(u16::from_le_bytes([pair[0], pair[1]]).into());
            }
        } else {
            decode(bytes)?.into_iter().for_each(|number| self.insert(number));
        }
        Ok(())
    }

    fn insert(&mut self, number: u32) {
        if let Some(byte) = self.0.get_mut(number as usize / 8) {
            *byte |= 1 << (number % 8);
        }
    }

    pub(crate) fn to_bitmap(&self) -> Bitmap {
        Bitmap::from_lsb0_bytes(0, &self.0)
    }
}

/// Filings of a block.
#[derive(Clone, Debug)]
pub(crate) enum FilingSet {
    /// All of them.
    All,
    /// Those with numbers in a range.
    Range(Range<u32>),
    Bits(Bitmap),
}

impl FilingSet {
    pub(crate) fn and(self, other: FilingSet) -> FilingSet {
        match (self, other) {
            (FilingSet::All, set) | (set, FilingSet::All) => set,
            (FilingSet::Range(numbers), FilingSet::Bits(bits))
            | (FilingSet::Bits(bits), FilingSet::Range(numbers)) => {
                FilingSet::Bits(cut(bits, &numbers))
            }
            (set, other) => {
                let mut bits = set.bits();
                bits &= other.bits();
                FilingSet::Bits(bits)
            }
        }
    }

    /// The filings in both sets.
    pub(crate) fn intersection(&self, other: &FilingSet) -> FilingSet {
        match (self, other) {
            (FilingSet::Bits(one), FilingSet::Bits(other)) => FilingSet::Bits(one & other),
            (one, other) => one.clone().and(other.clone()),
        }
    }

    /// Adds the filings of another set.
    pub(crate) fn add(&mut self, other: &FilingSet) {
        match (&mut *self, other) {
            (FilingSet::All, _) => (),
            (_, FilingSet::All) => *self = FilingSet::All,
            (FilingSet::Bits(bits), FilingSet::Bits(other)) => *bits |= other,
            (FilingSet::Range(_) | FilingSet::Bits(_), other) => {
                let bits = std::mem::replace(self, FilingSet::All).bits() | other.clone().bits();
                *self = FilingSet::Bits(bits);
            }
        }
    }

    /// Those of them with numbers in a range.
    pub(crate) fn within(self, numbers: &Range<u32>, filings: u32) -> FilingSet {
        match self {
            FilingSet::All => FilingSet::Range(numbers.clone()),
            FilingSet::Range(_) => self,
            FilingSet::Bits(bits) if *numbers == (0..filings) => FilingSet::Bits(bits),
            FilingSet::Bits(bits) => FilingSet::Bits(cut(bits, numbers)),
        }
    }

    pub(crate) fn bits(self) -> Bitmap {
        match self {
            // More than the block has: callers cut it to the range that they need.
            FilingSet::All => Bitmap::full(),
            FilingSet::Range(numbers) => {
                let mut bits = Bitmap::new();
                bits.insert_range(numbers);
                bits
            }
            FilingSet::Bits(bits) => bits,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        matches!(self, FilingSet::Bits(bits) if bits.is_empty())
    }

    pub(crate) fn len(&self) -> u64 {
        match self {
            FilingSet::All => 0,
            FilingSet::Range(numbers) => numbers.len() as u64,
            FilingSet::Bits(bits) => bits.len(),
        }
    }

    /// At most `limit` numbers, largest first, after skipping `skip` of them.
    pub(crate) fn largest(&self, skip: u64, limit: usize) -> Vec<u32> {
        let skip = u32::try_from(skip).unwrap_or(u32::MAX);
        match self {
            FilingSet::All => Vec::new(),
            FilingSet::Range(numbers) => {
                numbers.clone().rev().skip(skip as usize).take(limit).collect()
            }
            FilingSet::Bits(bits) => {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_stored_is_read_again() {
        let sets: [Vec<u32>; 5] = [
            vec![],
            vec![65_535],
            (0..8).collect(),
            (0..9).collect(),
            (0..65_536).filter(|number| number % 3 != 1).collect(),
        ];
        for set in sets {
            let bits: Bitmap = set.iter().copied().collect();
            let bytes = encode(&bits);
            assert_eq!(decode(&bytes).unwrap(), bits);
            let numbers = numbers(&bytes).unwrap();
            let numbers = numbers.chunks(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]]));
            assert_eq!(numbers.map(u32::from).collect::<Vec<_>>(), set);
            let mut all = BlockBits::default();
            all.add_stored(&bytes).unwrap();
            assert_eq!(encode(&all.to_bitmap()), bytes);
            let mut more = BlockBits::default();
            more.insert(7);
            more.add(&all);
            assert_eq!(more.to_bitmap(), bits | Bitmap::from([7]));
        }
        assert!(decode(&[7; 40]).is_err());
    }
}
