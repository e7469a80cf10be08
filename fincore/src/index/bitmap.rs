//! Bitmaps of the filings in one block, and how they are stored.
use roaring::RoaringBitmap;

use super::block::PLACE_BITS;
use crate::error::{Error, Result};

/// Filings of one block, by their number in it.
pub(crate) type Bitmap = RoaringBitmap;

/// Up to this many numbers are stored as they are: two bytes each, which is less than any bitmap takes.
const FEW: usize = 8;

/// The stored form of a set.
pub(super) fn encode(bits: &Bitmap) -> Vec<u8> {
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
pub(super) fn encode_sorted(numbers: &[u32]) -> Vec<u8> {
    if numbers.len() <= FEW {
        let numbers = numbers.iter().filter_map(|number| u16::try_from(*number).ok());
        return numbers.flat_map(u16::to_le_bytes).collect();
    }
    encode(&Bitmap::from_sorted_iter(numbers.iter().copied()).unwrap_or_default())
}

/// The numbers of a set with this stored form, two bytes each.
pub(super) fn numbers(bytes: &[u8]) -> Result<Vec<u8>> {
    if bytes.len() <= FEW * 2 {
        return Ok(bytes.to_vec());
    }
    let numbers = decode(bytes)?.into_iter().filter_map(|number| u16::try_from(number).ok());
    Ok(numbers.flat_map(u16::to_le_bytes).collect())
}

/// The set with this stored form.
pub(super) fn decode(bytes: &[u8]) -> Result<Bitmap> {
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
pub(super) struct BlockBits(Box<[u8]>);

impl Default for BlockBits {
    fn default() -> BlockBits {
        BlockBits(vec![0; (1 << PLACE_BITS) / 8].into())
    }
}

impl BlockBits {
    /// Adds the filings of another set.
    pub(super) fn add(&mut self, other: &BlockBits) {
        for (byte, other) in self.0.iter_mut().zip(&other.0) {
            *byte |= other;
        }
    }

    /// Adds the filings of a set in its stored form.
    pub(super) fn add_stored(&mut self, bytes: &[u8]) -> Result<()> {
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

    pub(super) fn to_bitmap(&self) -> Bitmap {
        Bitmap::from_lsb0_bytes(0, &self.0)
    }
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
