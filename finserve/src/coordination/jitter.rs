//! Randomness that keeps many programs from doing the same at the same moment.
use std::hash::{BuildHasher, RandomState};

/// A random number from 0 to 1. It only spreads load, so the standard library's hash keys do.
pub(crate) fn jitter() -> f64 {
    let random = u32::try_from(RandomState::new().hash_one(0) >> 32).unwrap_or_default();
    f64::from(random) / f64::from(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jitter_stays_in_its_range() {
        assert!((0..100).map(|_| jitter()).all(|jitter| (0.0..=1.0).contains(&jitter)));
    }
}
