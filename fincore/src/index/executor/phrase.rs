//! Finds the filings with some words side by side.
use std::{collections::HashMap, ops::Range};

use super::Executor;
use crate::{
    error::Result,
    index::{
        bitmap::Bitmap,
        class_words::words_of_level,
        directory::BlockEntry,
        filing_set::FilingSet,
        query_plan::PhrasePlan,
        word_runs::{LONGEST_RUN, RARE},
    },
    types::{fold, words},
};

/// What it costs to read one filing, in rows of the index.
const FILING: u32 = 6;

impl Executor<'_> {
    /// The filings of a block with these words side by side in a text: see `word_runs`.
    pub(super) fn phrase(
        &self,
        entry: &BlockEntry,
        phrase: &PhrasePlan,
        within: &FilingSet,
    ) -> Result<FilingSet> {
        let whole = phrase.words.len();
        let (bits, is_exact) = self.run(entry, phrase, 0..whole, &mut HashMap::new())?;
        if is_exact || bits.is_empty() {
            return Ok(FilingSet::Some(bits));
        }
        let mut found = self.set(entry, &phrase.classes, within)?.bits();
        let left = FilingSet::Some(bits - &found).and(within.clone());
        for number in left.bits() {
            if self.has_phrase(entry, number, &phrase.words)? {
                found.insert(number);
            }
        }
        Ok(FilingSet::Some(found))
    }

    /// The filings of a block with a run of a phrase, and whether that is exact. If not, they are the filings that may have
    /// it.
    fn run(
        &self,
        entry: &BlockEntry,
        phrase: &PhrasePlan,
        run: Range<usize>,
        known: &mut HashMap<Range<usize>, (Bitmap, bool)>,
    ) -> Result<(Bitmap, bool)> {
        if let Some(known) = known.get(&run) {
            return Ok(known.clone());
        }
        let noted = phrase.runs.get(run.len() - 1).and_then(|runs| runs[run.start]);
        let noted = noted.map(|term| self.term(entry, term)).transpose()?.flatten();
        let found = match noted {
            Some(bits) => (bits, true),
            None if run.len() == 1 => (Bitmap::new(), true),
            None => {
                let (left, is_exact) = self.run(entry, phrase, run.start..run.end - 1, known)?;
                let is_left_rare = left.len() <= RARE;
                let (right, exact) = match left.is_empty() {
                    true => (Bitmap::new(), true),
                    false => self.run(entry, phrase, run.start + 1..run.end, known)?,
                };
                let is_noted_where_it_is = is_exact
                    && exact
                    && !is_left_rare
                    && right.len() > RARE
                    && run.len() <= LONGEST_RUN;
                match is_noted_where_it_is {
                    true => (Bitmap::new(), true),
                    false => (left & right, false),
                }
            }
        };
        known.insert(run, found.clone());
        Ok(found)
    }

    fn has_phrase(&self, entry: &BlockEntry, number: u32, phrase: &[String]) -> Result<bool> {
        const SQL: &str = "SELECT category, type, species, subject FROM filing_place
            JOIN (SELECT key, class.category, type, species, subject FROM filing JOIN class ON class.id = class)
            USING (key) WHERE place = ?1";
        self.spend(FILING)?;
        let mut statement = self.connection.prepare_cached(SQL)?;
        let mut rows = statement.query([entry.block.place(number)])?;
        let Some(row) = rows.next()? else { return Ok(false) };
        let text = |column| -> Result<String> {
            Ok(fold(row.get_ref(column)?.as_str().unwrap_or_default()))
        };
        for level in 0..3 {
            if words_of_level(&text(level)?).windows(phrase.len()).any(|run| run == phrase) {
                return Ok(true);
            }
        }
        let subject = text(3)?;
        let subject: Vec<&str> = words(&subject).filter(|word| word.is_ascii()).collect();
        Ok(subject.windows(phrase.len()).any(|run| run == phrase))
    }
}
