//! Delivery with a clock that tests set.
