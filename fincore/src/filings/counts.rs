//! How many filings have which word: counted while an import runs, written at its end.
use std::collections::HashMap;

use crate::{catalogue::Writer, error::Result};

/// Changes to the table of words, not written yet.
///
/// Every beginning of every word is counted once for a filing. Words repeat far more often than they
/// are new, so each is taken apart only once.
#[derive(Debug, Default)]
pub(super) struct WordCounts {
    beginnings: Vec<Beginning>,
    by_text: HashMap<Box<str>, usize>,
    /// The beginnings of each word, the shortest first and the word itself last.
    words: HashMap<Box<str>, Box<[usize]>>,
    filing: u64,
}

#[derive(Debug, Default)]
struct Beginning {
    begins: i64,
    complete: i64,
    /// The last filings that were counted here, so that none is counted twice.
    begins_in: u64,
    complete_in: u64,
}

impl WordCounts {
    /// Counts the words of a filing that comes.
    pub(super) fn add(&mut self, words: &str) {
        self.change(words, 1);
    }

    /// Counts the words of a filing that goes.
    pub(super) fn remove(&mut self, words: &str) {
        self.change(words, -1);
    }

    fn change(&mut self, words: &str, by: i64) {
        self.filing += 1;
        for word in words.split(' ') {
            if !self.words.contains_key(word) {
                self.take_apart(word);
            }
            let beginnings = &self.words[word];
            for at in beginnings {
                let beginning = &mut self.beginnings[*at];
                if beginning.begins_in != self.filing {
                    beginning.begins_in = self.filing;
                    beginning.begins += by;
                }
            }
            let Some(whole) = beginnings.last().map(|at| &mut self.beginnings[*at]) else {
                continue;
            };
            if whole.complete_in != self.filing {
                whole.complete_in = self.filing;
                whole.complete += by;
            }
        }
    }

    fn take_apart(&mut self, word: &str) {
        let beginnings = (1..=word.len()).map(|length| {
            let text = &word[..length];
            *self.by_text.entry(text.into()).or_insert_with(|| {
                self.beginnings.push(Beginning::default());
                self.beginnings.len() - 1
            })
        });
        let beginnings = beginnings.collect();
        self.words.insert(word.into(), beginnings);
    }

    /// Writes what has been counted. Words that no filing has any more are forgotten.
    pub(super) fn write(self, writer: &Writer) -> Result<()> {
        const SQL: &str = "INSERT INTO filing_word (word, begins, complete) VALUES (?1, ?2, ?3)
            ON CONFLICT DO UPDATE SET begins = begins + excluded.begins,
                complete = complete + excluded.complete";
        const FORGET: &str = "DELETE FROM filing_word WHERE begins = 0";
        let mut changes: Vec<_> =
            self.by_text.iter().map(|(text, at)| (text, &self.beginnings[*at])).collect();
        // In the order of the table, which is then written from end to end.
        changes.sort_unstable_by_key(|(text, _)| *text);
        let mut statement = writer.prepare(SQL)?;
        for (text, beginning) in changes {
            if (beginning.begins, beginning.complete) != (0, 0) {
                statement.execute((text, beginning.begins, beginning.complete))?;
            }
        }
        writer.prepare(FORGET)?.execute([])?;
        Ok(())
    }
}
