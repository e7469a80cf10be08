//! Counts filings per word and prefix during an import; written at its end, or when they are many.
use std::collections::HashMap;

use crate::{catalogue::Writer, error::Result};

/// So many prefixes are counted in memory; a year of filings has some 150,000.
const MAX_PREFIXES: usize = 250_000;

/// Pending changes to the word table.
///
/// Every prefix of every word counts once per filing. Words repeat far more often than they are new, so
/// each is split into prefixes only once.
#[derive(Debug, Default)]
pub(super) struct WordCounts {
    prefixes: Vec<Prefix>,
    by_text: HashMap<Box<str>, usize>,
    /// The prefixes of each word, shortest first; the last one is the word itself.
    words: HashMap<Box<str>, Box<[usize]>>,
    filing: u64,
    /// Whether words may be left that no filing has any more.
    removed: bool,
}

#[derive(Debug, Default)]
struct Prefix {
    /// The number of filings with a word that starts like this.
    begins: i64,
    /// The number of filings with exactly this word.
    complete: i64,
    /// The last filing counted here, so that none counts twice.
    begins_in: u64,
    complete_in: u64,
}

impl WordCounts {
    /// Counts the words of a new filing.
    pub(super) fn add(&mut self, words: &str) {
        self.change(words, 1);
    }

    /// Uncounts the words of a removed filing.
    pub(super) fn remove(&mut self, words: &str) {
        self.removed = true;
        self.change(words, -1);
    }

    fn change(&mut self, words: &str, by: i64) {
        self.filing += 1;
        for word in words.split(' ') {
            if !self.words.contains_key(word) {
                self.split(word);
            }
            let prefixes = &self.words[word];
            for at in prefixes {
                let prefix = &mut self.prefixes[*at];
                if prefix.begins_in != self.filing {
                    prefix.begins_in = self.filing;
                    prefix.begins += by;
                }
            }
            let Some(whole) = prefixes.last().map(|at| &mut self.prefixes[*at]) else {
                continue;
            };
            if whole.complete_in != self.filing {
                whole.complete_in = self.filing;
                whole.complete += by;
            }
        }
    }

    fn split(&mut self, word: &str) {
        let prefixes = (1..=word.len()).map(|length| {
            let text = &word[..length];
            *self.by_text.entry(text.into()).or_insert_with(|| {
                self.prefixes.push(Prefix::default());
                self.prefixes.len() - 1
            })
        });
        let prefixes = prefixes.collect();
        self.words.insert(word.into(), prefixes);
    }

    /// Whether it is time to write the counts, because they take much memory.
    pub(super) fn is_full(&self) -> bool {
        self.prefixes.len() > MAX_PREFIXES
    }

    /// Writes the counts and forgets them, and removes words that no filing has any more.
    pub(super) fn write(&mut self, writer: &Writer) -> Result<()> {
        const SQL: &str = "INSERT INTO filing_word (word, begins, complete) VALUES (?1, ?2, ?3)
            ON CONFLICT DO UPDATE SET begins = begins + excluded.begins,
                complete = complete + excluded.complete";
        const FORGET: &str = "DELETE FROM filing_word WHERE begins = 0";
        let mut changes: Vec<_> =
            self.by_text.iter().map(|(text, at)| (text, &self.prefixes[*at])).collect();
        // In key order, so that the table is written sequentially.
        changes.sort_unstable_by_key(|(text, _)| *text);
        let mut statement = writer.prepare(SQL)?;
        for (text, prefix) in changes {
            if (prefix.begins, prefix.complete) != (0, 0) {
                statement.execute((text, prefix.begins, prefix.complete))?;
            }
        }
        if self.removed {
            writer.prepare(FORGET)?.execute([])?;
        }
        *self = WordCounts::default();
        Ok(())
    }
}
