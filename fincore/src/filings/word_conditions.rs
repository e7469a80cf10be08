//! The filings that have a word or an expression: anywhere, in their texts, or in the head of those.
use std::collections::{BTreeMap, BTreeSet};

use rusqlite::Connection;

use crate::{
    index::{Condition, TermKind},
    lexicon::{Days, begins_with, forms, is_particle, meanings},
    values::{KeyRange, Result, fold, words::words},
};

/// How the last word of a text is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WordEnding {
    /// As it stands.
    Whole,
    /// As the prefix of a word.
    Prefix,
}

/// Where a word is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// In the class, the subject, or a name.
    Anywhere,
    /// In the class or the subject.
    Text,
    /// In the class or the head of the subject.
    Head,
}

/// An expression that stands for another.
pub(crate) struct Alternative {
    /// The filings of the class that it names.
    pub(crate) class: Option<Condition>,
    words: Vec<&'static str>,
}

impl Alternative {
    pub(crate) fn of(text: &'static str, classes: &ClassLevels) -> Alternative {
        let words: Vec<&str> = text.split(' ').collect();
        Alternative { class: classes.named(&words), words }
    }

    /// The filings of its class; or those with its words, if it names none.
    pub(crate) fn condition(&self, scope: Scope) -> Condition {
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

pub(crate) fn delivered((from, to): Days) -> Condition {
    Condition::Keys(KeyRange::of(from, to))
}

/// Whether an expression has single letters, which say nothing unless they stand side by side: `m&a`, `s&p`.
pub(crate) fn has_letters(words: &[&str]) -> bool {
    let is_letter =
        |word: &&str| word.len() == 1 && word.starts_with(|c: char| c.is_ascii_lowercase());
    words.len() > 1 && words.len() < 4 && words.iter().any(is_letter) && !words.contains(&"e")
}

pub(crate) fn whole_word(word: &str, scope: Scope) -> Condition {
    match scope {
        Scope::Anywhere => Condition::Word(word.to_owned()),
        Scope::Text => Condition::Text(word.to_owned()),
        Scope::Head => Condition::Head(word.to_owned()),
    }
}

/// The filings with a word in one of its forms; anywhere also with a longer word, if this one may be incomplete.
pub(crate) fn with_word(word: &str, ending: WordEnding, scope: Scope) -> Condition {
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

/// The levels of all classes that filings have.
#[derive(Debug, Default)]
pub(crate) struct ClassLevels(Vec<ClassLevel>);

/// A category, a type or a species.
#[derive(Debug)]
struct ClassLevel {
    /// Its words, each in all forms; without particles, if two others are left.
    words: Vec<Vec<String>>,
    /// The filings that have it.
    condition: Condition,
}

/// Levels that say little: people mean what is decided, and not the body that decides.
const SAY_LITTLE: [&str; 4] = ["diretoria", "outros", "sentencas", "quadro geral de credores"];

/// Fewer words are no name of a class, unless it has no more.
const FEWEST: usize = 2;

impl ClassLevels {
    /// Reads the classes of a catalogue.
    pub(crate) fn read(connection: &Connection) -> Result<ClassLevels> {
        const SQL: &str = "SELECT id, category, type, species FROM class";
        let mut levels: BTreeMap<(u8, String), BTreeSet<i64>> = BTreeMap::new();
        let mut statement = connection.prepare_cached(SQL)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            for (column, level) in [(1, 0), (2, 1), (3, 2)] {
                let text = fold(row.get_ref(column)?.as_str().unwrap_or_default());
                if !text.is_empty() && !SAY_LITTLE.contains(&text.as_str()) {
                    levels.entry((level, text)).or_default().insert(row.get(0)?);
                }
            }
        }
        let levels = levels.into_iter().map(|((level, text), classes)| {
            let all: Vec<&str> = words(&text).collect();
            let mut said = all.clone();
            said.retain(|word| !is_particle(word));
            let said = if said.len() < FEWEST { all } else { said };
            let of_class = |class: i64| Condition::Term(TermKind::Class, class.to_string());
            ClassLevel {
                words: said.into_iter().map(forms).collect(),
                condition: match level {
                    0 => Condition::Term(TermKind::Category, text.clone()),
                    1 => Condition::Term(TermKind::Type, text.clone()),
                    _ => Condition::any(classes.into_iter().map(of_class)),
                },
            }
        });
        Ok(ClassLevels(levels.collect()))
    }

    /// The longest run that these words begin with and that names classes: its length, and the filings of those.
    pub(crate) fn longest(&self, words: &[&str]) -> Option<(usize, Condition)> {
        let mut best: (usize, Vec<Condition>) = (0, Vec::new());
        for level in &self.0 {
            let Some(length) = level.named_by(words) else { continue };
            if length > best.0 {
                best = (length, Vec::new());
            }
            if length == best.0 {
                best.1.push(level.condition.clone());
            }
        }
        (best.0 > 0).then(|| (best.0, Condition::any(best.1.into_iter())))
    }

    /// The words of all classes.
    pub(crate) fn words(&self) -> impl Iterator<Item = &str> {
        self.0
            .iter()
            .flat_map(|level| &level.words)
            .filter_map(|forms| Some(forms.first()?.as_str()))
    }

    /// The filings of the classes that an expression names as a whole.
    pub(crate) fn named(&self, expression: &[&str]) -> Option<Condition> {
        let (length, condition) = self.longest(expression)?;
        (length == expression.len()).then_some(condition)
    }
}

impl ClassLevel {
    /// How many of these words name it: all of its words, or its first ones.
    fn named_by(&self, words: &[&str]) -> Option<usize> {
        let is_one = |forms: &Vec<String>, word: &str| forms.iter().any(|form| form == word);
        let first = words.first().filter(|word| is_one(&self.words[0], word));
        first?;
        let fewest = self.words.len().min(FEWEST);
        let lengths = (fewest..=self.words.len()).rev();
        lengths.into_iter().find_map(|length| begins_with(words, &self.words[..length], is_one))
    }
}
