//! The words of a class of filings.
use crate::types::words;

/// The words of one level of a class, which is folded.
pub(super) fn words_of_level(level: &str) -> Vec<String> {
    /// The end of a type that says what its filings are not: a search for these words must not find them.
    const NEGATED: &str = " nao considerados fatos relevantes";
    let level = level.strip_suffix(NEGATED).unwrap_or(level);
    words(level).filter(|word| word.is_ascii()).map(str::to_owned).collect()
}
