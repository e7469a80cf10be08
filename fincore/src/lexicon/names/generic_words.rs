//! Words that are in names of companies, and in much else: by themselves they name no company for certain.
//!
//! Beside those of [`is_common`], they are the words that names share with the documents of many other companies (found by
//! counting those companies), regions, and what people write beside a name.
use std::{str::FromStr, sync::LazyLock};

use crate::{
    lexicon::is_particle,
    values::{Error, Result, tsv},
};

struct GenericWord {
    word: &'static str,
    kinds: Vec<Kind>,
}

#[derive(PartialEq, Eq)]
enum Kind {
    Common,
    Document,
    Ordinary,
    Region,
    BesideNames,
}

impl FromStr for Kind {
    type Err = Error;

    fn from_str(text: &str) -> Result<Kind> {
        match text {
            "common" => Ok(Kind::Common),
            "document" => Ok(Kind::Document),
            "ordinary" => Ok(Kind::Ordinary),
            "region" => Ok(Kind::Region),
            "beside" => Ok(Kind::BesideNames),
            _ => Err(Error::in_file(text, "a kind of generic word")),
        }
    }
}

/// In the order of words.
static ALL: LazyLock<Vec<GenericWord>> = LazyLock::new(|| {
    let table = include_str!("generic_words.tsv");
    tsv::embedded("generic_words.tsv", table, "word\tkinds", |[word, kinds]| {
        let kinds = tsv::list(kinds).map(str::parse).collect::<Result<_>>()?;
        Ok(GenericWord { word, kinds })
    })
});

fn kinds(word: &str) -> &'static [Kind] {
    match ALL.binary_search_by_key(&word, |line| line.word) {
        Ok(at) => &ALL[at].kinds,
        Err(_) => &[],
    }
}

/// Whether a word says nothing about which company it is.
pub(crate) fn is_common(word: &str) -> bool {
    is_particle(word) || kinds(word).contains(&Kind::Common)
}

/// Whether a name that a search starts with this word needs other words to be meant.
pub(crate) fn is_ordinary(word: &str) -> bool {
    is_common(word) || kinds(word).contains(&Kind::Ordinary)
}

pub(crate) fn is_region(word: &str) -> bool {
    kinds(word).contains(&Kind::Region)
}

/// Whether a word by itself names no company for certain.
pub(crate) fn is_generic(word: &str) -> bool {
    is_common(word)
        || word.len() < 2
        || word.bytes().all(|byte| byte.is_ascii_digit())
        || kinds(word).iter().any(|kind| *kind != Kind::Ordinary)
}

/// Whether a word stands beside names, and says little about which one.
pub(crate) fn is_beside_names(word: &str) -> bool {
    kinds(word).contains(&Kind::BesideNames)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_in_order() {
        for two in ALL.windows(2) {
            assert!(two[0].word < two[1].word, "{} stands before {}", two[0].word, two[1].word);
        }
    }
}
