//! Expressions of the market that mean the same.
use std::{
    collections::HashMap,
    sync::{Arc, LazyLock},
};

use super::plural::forms;
use crate::types::tsv;

/// Words and expressions that mean the same. Texts are folded, and stand for singular and plural.
struct Equivalent {
    /// The word that stands for all of them: documents with any of the others are found by it.
    word: &'static str,
    /// The others. A query for one of them also finds what the word finds.
    same: Vec<&'static str>,
    /// Expressions in documents that the word finds. A query for one of them finds only itself.
    narrower: Vec<&'static str>,
}

impl Equivalent {
    /// The expressions by which the word finds documents.
    fn expressions(&self) -> Vec<&'static str> {
        [&self.same[..], &self.narrower].concat()
    }
}

static EQUIVALENTS: LazyLock<Vec<Equivalent>> = LazyLock::new(|| {
    let table = include_str!("equivalents.tsv");
    let header = "word\tsame\tnarrower\treason";
    tsv::embedded("equivalents.tsv", table, header, |[word, same, narrower, reason]| {
        tsv::check_reason(reason)?;
        let (same, narrower) = (tsv::list(same).collect(), tsv::list(narrower).collect());
        Ok(Equivalent { word, same, narrower })
    })
});

/// An expression, each of its words in all forms, and the word that stands for it.
struct Expression {
    words: Vec<Vec<String>>,
    word: &'static str,
}

impl Expression {
    fn new(text: &str, word: &'static str) -> Expression {
        Expression { words: text.split(' ').map(forms).collect(), word }
    }

    fn starts(&self, words: &[&str]) -> bool {
        let is_one = |(forms, word): (&Vec<String>, &&str)| forms.iter().any(|form| form == word);
        self.words.len() <= words.len() && self.words.iter().zip(words).all(is_one)
    }
}

/// Expressions by the forms of their first word.
struct ByFirstWord(HashMap<String, Vec<Arc<Expression>>>);

impl ByFirstWord {
    fn new(expressions: impl Fn(&'static Equivalent) -> Vec<&'static str>) -> ByFirstWord {
        let mut all: HashMap<String, Vec<Arc<Expression>>> = HashMap::new();
        for line in EQUIVALENTS.iter() {
            for text in expressions(line) {
                let expression = Arc::new(Expression::new(text, line.word));
                for first in &expression.words[0] {
                    all.entry(first.clone()).or_default().push(expression.clone());
                }
            }
        }
        ByFirstWord(all)
    }

    /// The expressions that these words begin with.
    fn starting<'e>(&'e self, words: &'e [&str]) -> impl Iterator<Item = &'e Expression> {
        let known = words.first().and_then(|first| self.0.get(*first)).into_iter().flatten();
        known.map(AsRef::as_ref).filter(|expression| expression.starts(words))
    }
}

/// Every word with the expressions by which it finds documents.
pub(crate) fn lines() -> impl Iterator<Item = (&'static str, Vec<&'static str>)> {
    EQUIVALENTS.iter().map(|line| (line.word, line.expressions()))
}

/// The words of all expressions that these words begin with.
pub(super) fn words_for<'w>(words: &'w [&str]) -> impl Iterator<Item = &'static str> + 'w {
    static ALL: LazyLock<ByFirstWord> = LazyLock::new(|| ByFirstWord::new(Equivalent::expressions));
    ALL.starting(words).map(|expression| expression.word)
}

/// The longest expression that these words begin with and that means the same as a word: its length, and the word.
pub(super) fn longest_synonym(words: &[&str]) -> Option<(usize, String)> {
    static SAME: LazyLock<ByFirstWord> =
        LazyLock::new(|| ByFirstWord::new(|line| line.same.clone()));
    let longest = SAME.starting(words).max_by_key(|expression| expression.words.len())?;
    Some((longest.words.len(), longest.word.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::fold;

    #[test]
    fn every_line_is_folded() {
        for line in EQUIVALENTS.iter() {
            for text in [vec![line.word], line.expressions()].concat() {
                assert_eq!(fold(text), text);
                assert!(text.split(' ').all(|word| !word.is_empty()));
            }
        }
    }
}
