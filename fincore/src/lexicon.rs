//! The language of the market: which words and expressions mean the same.
//!
//! Documents and queries are read with the same tables. A document is found by its own words and by those of
//! [`for_each_extra_word`]; a query finds documents that have an expression as it stands, or the word that [`meanings`] has
//! for it.
use std::ops::Range;

pub(crate) mod equivalents;
pub(crate) mod market_words;
pub(crate) mod names;
pub(crate) mod periods;

pub(crate) use equivalents::{forms, lines as equivalents, other_numerals};
pub(crate) use market_words::{begins_with, nearest_word};
pub(crate) use names::{CompanyInSearch, CompanyNames, Names, UnknownInSearch, WordOwner};
pub(crate) use periods::{Days, day_or_month, ending_on as quarter_ending_on, season_of};

/// True for articles, prepositions and conjunctions, which say nothing by themselves.
pub(crate) fn is_particle(word: &str) -> bool {
    const PARTICLES: [&str; 34] = [
        "a", "ao", "aos", "as", "com", "como", "da", "das", "de", "do", "dos", "e", "em", "entre",
        "la", "na", "nas", "no", "nos", "o", "os", "ou", "para", "pela", "pelas", "pelo", "pelos",
        "por", "que", "se", "sem", "sobre", "um", "uma",
    ];
    PARTICLES.contains(&word)
}

/// An expression, and the one word that stands for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Meaning {
    /// The words of the expression.
    pub(crate) at: Range<usize>,
    /// The word, folded: `ago`, `3t24`.
    pub(crate) word: String,
}

/// Calls `visit` with every word that a document with these words is found by, besides its own.
pub(crate) fn for_each_extra_word(words: &[&str], mut visit: impl FnMut(&str)) {
    for start in 0..words.len() {
        let rest = &words[start..];
        equivalents::words_for(rest).for_each(&mut visit);
        if let Some((_, word)) = periods::parse(rest) {
            visit(&word);
        }
    }
}

/// The expressions in a query that have a word of their own, from left to right; the longest where two overlap.
pub(crate) fn meanings(words: &[&str]) -> Vec<Meaning> {
    let mut found = Vec::new();
    let mut start = 0;
    while let Some(rest) = words.get(start..).filter(|rest| !rest.is_empty()) {
        let longest = [equivalents::longest_synonym(rest), periods::parse(rest)];
        match longest.into_iter().flatten().max_by_key(|(length, _)| *length) {
            Some((length, word)) => {
                found.push(Meaning { at: start..start + length, word });
                start += length;
            }
            None => start += 1,
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        let words: Vec<&str> = text.split(' ').collect();
        let mut all = Vec::new();
        for_each_extra_word(&words, |word| all.push(word.to_owned()));
        all
    }

    fn meant(text: &str) -> Vec<(Range<usize>, String)> {
        let words: Vec<&str> = text.split(' ').collect();
        meanings(&words).into_iter().map(|meaning| (meaning.at, meaning.word)).collect()
    }

    #[test]
    fn documents_are_found_by_the_short_word_of_a_long_expression() {
        assert_eq!(found("ata da assembleia geral ordinaria"), ["ago", "assembleia"]);
        let both = "assembleias gerais ordinaria e extraordinaria";
        assert_eq!(found(both), ["ago", "agoe", "assembleia", "age"]);
        assert_eq!(found("pagamento de jscp"), ["jcp"]);
        assert_eq!(found("resultado do terceiro trimestre de 2024"), ["3t24"]);
        assert!(found("assembleia de credores").is_empty());
    }

    #[test]
    fn queries_ask_for_the_longest_expression() {
        assert_eq!(meant("vale assembleia geral ordinaria 2024"), [(1..4, "ago".to_owned())]);
        assert_eq!(meant("juros sobre o capital proprio"), [(0..5, "jcp".to_owned())]);
        assert_eq!(meant("3q2024"), [(0..1, "3t24".to_owned())]);
        assert!(meant("vale dividendos").is_empty());
    }
}
