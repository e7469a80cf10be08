//! The filings that have a word or an expression: anywhere, in their texts, or in the head of those.
use super::class_levels::ClassLevels;
use crate::{
    index::Condition,
    language::{Days, forms, is_particle, meanings},
    types::{first_key, last_key},
};

/// How the last word of a text is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WordEnding {
    /// As it stands.
    Whole,
    /// As the prefix of a word.
    Prefix,
}

/// Where a word is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    /// In the class, the subject, or a name.
    Anywhere,
    /// In the class or the subject.
    Text,
    /// In the class or the head of the subject.
    Head,
}

/// An expression that stands for another.
pub(super) struct Alternative {
    /// The filings of the class that it names.
    pub(super) class: Option<Condition>,
    words: Vec<&'static str>,
}

impl Alternative {
    pub(super) fn of(text: &'static str, classes: &ClassLevels) -> Alternative {
        let words: Vec<&str> = text.split(' ').collect();
        Alternative { class: classes.named(&words), words }
    }

    /// The filings of its class; or those with its words, if it names none.
    pub(super) fn condition(&self, scope: Scope) -> Condition {
        if let Some(class) = &self.class {
            return class.clone();
        }
        let meaning = meanings(&self.words).into_iter().find(|one| one.at == (0..self.words.len()));
        let meant = meaning.into_iter().map(|one| whole_word(&one.word, scope));
        let said = self.words.iter().filter(|word| !is_particle(word));
        let phrase = || self.words.iter().map(|word| (*word).to_owned()).collect();
        let words = || Condition::all(said.map(|word| with_word(word, WordEnding::Whole, scope)));
        let literally = match scope {
            _ if has_letters(&self.words) => Condition::Phrase(phrase()),
            Scope::Anywhere => words(),
            _ if self.words.len() == 1 => words(),
            // Words that only occur in the same text are no expression.
            Scope::Text => Condition::TextPhrase(phrase()),
            Scope::Head => Condition::All(vec![Condition::TextPhrase(phrase()), words()]),
        };
        Condition::any(meant.chain([literally]))
    }
}

pub(super) fn delivered((from, to): Days) -> Condition {
    Condition::Keys(first_key(from), last_key(to))
}

/// Whether an expression has single letters, which say nothing unless they stand side by side: `m&a`, `s&p`.
pub(super) fn has_letters(words: &[&str]) -> bool {
    let is_letter =
        |word: &&str| word.len() == 1 && word.starts_with(|c: char| c.is_ascii_lowercase());
    words.len() > 1 && words.len() < 4 && words.iter().any(is_letter) && !words.contains(&"e")
}

pub(super) fn whole_word(word: &str, scope: Scope) -> Condition {
    match scope {
        Scope::Anywhere => Condition::Word(word.to_owned()),
        Scope::Text => Condition::Text(word.to_owned()),
        Scope::Head => Condition::Head(word.to_owned()),
    }
}

/// The filings with a word in one of its forms; anywhere also with a longer word, if this one may be incomplete.
pub(super) fn with_word(word: &str, ending: WordEnding, scope: Scope) -> Condition {
    if !word.is_ascii() {
        return Condition::nothing();
    }
    let forms = forms(word);
    if ending == WordEnding::Whole || scope != Scope::Anywhere {
        return Condition::any(forms.iter().map(|form| whole_word(form, scope)));
    }
    let others = forms.iter().filter(|form| !form.starts_with(word));
    let others = others.map(|form| whole_word(form, scope));
    Condition::any([Condition::Prefix(word.to_owned())].into_iter().chain(others))
}
