//! Which words of a search name a class of filings: a category, a type or a species, as a whole or by its first words.
use std::collections::{BTreeMap, BTreeSet};

use rusqlite::Connection;

use crate::{
    error::Result,
    index::{Condition, TermKind},
    language::{begins_with, forms, is_particle},
    types::{fold, words},
};

/// The levels of all classes that filings have.
#[derive(Debug, Default)]
pub(super) struct ClassLevels(Vec<ClassLevel>);

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
    pub(super) fn read(connection: &Connection) -> Result<ClassLevels> {
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
    pub(super) fn longest(&self, words: &[&str]) -> Option<(usize, Condition)> {
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
    pub(super) fn words(&self) -> impl Iterator<Item = &str> {
        self.0
            .iter()
            .flat_map(|level| &level.words)
            .filter_map(|forms| Some(forms.first()?.as_str()))
    }

    /// The filings of the classes that an expression names as a whole.
    pub(super) fn named(&self, expression: &[&str]) -> Option<Condition> {
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
