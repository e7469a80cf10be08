//! Words that people use for others in names of companies: English ones (`bank of brazil`, `azul brazilian airlines`), and
//! spelled-out ones for abbreviations of the registry.

use std::{collections::HashMap, sync::LazyLock};

use crate::types::tsv;

/// The words that a word may stand for; none if it says nothing. `None` if it is not in the table.
pub(super) fn portuguese(word: &str) -> Option<&'static [&'static str]> {
    static NAMES: LazyLock<HashMap<&str, Vec<&str>>> =
        LazyLock::new(|| rows().into_iter().collect());
    NAMES.get(word).map(Vec::as_slice)
}

fn rows() -> Vec<(&'static str, Vec<&'static str>)> {
    let row = |[word, names]: [_; 2]| Ok((word, tsv::list(names).collect()));
    tsv::embedded("english.tsv", include_str!("english.tsv"), "word\tnames", row)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::fold;

    #[test]
    fn words_are_folded_and_stand_once() {
        let mut seen = std::collections::BTreeSet::new();
        for (english, words) in rows() {
            assert!(seen.insert(english), "{english}");
            assert!(words.iter().chain([&english]).all(|word| fold(word) == *word), "{english}");
        }
    }
}
