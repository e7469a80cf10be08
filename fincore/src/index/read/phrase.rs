//! Finds the filings with some words side by side.
use std::{collections::HashMap, ops::Range};

use super::Index;
use crate::{
    error::Result,
    index::{
        bits::Bits,
        build::words_of_level,
        directory::Part,
        grams::{LONGEST, RARE},
        plan::Phrase,
        set::Set,
    },
    types::{fold, words},
};

/// How many rows reading one filing is worth.
const FILING: u32 = 6;

impl Index<'_> {
    /// The filings of a block with these words side by side in a text: see `grams`.
    pub(super) fn phrase(&self, part: &Part, phrase: &Phrase, within: &Set) -> Result<Set> {
        let whole = phrase.words.len();
        let (bits, is_exact) = self.run(part, phrase, 0..whole, &mut HashMap::new())?;
        if is_exact || bits.is_empty() {
            return Ok(Set::Some(bits));
        }
        let mut found = self.set(part, &phrase.classes, within)?.bits();
        let left = Set::Some(bits - &found).and(within.clone());
        for number in left.bits() {
            if self.has_phrase(part, number, &phrase.words)? {
                found.insert(number);
            }
        }
        Ok(Set::Some(found))
    }

    /// The filings of a block with a run of a phrase, and whether they are all that and no more. If not, they are those
    /// that may have it.
    fn run(
        &self,
        part: &Part,
        phrase: &Phrase,
        run: Range<usize>,
        known: &mut HashMap<Range<usize>, (Bits, bool)>,
    ) -> Result<(Bits, bool)> {
        if let Some(known) = known.get(&run) {
            return Ok(known.clone());
        }
        let noted = phrase.runs.get(run.len() - 1).and_then(|runs| runs[run.start]);
        let noted = noted.map(|term| self.term(part, term)).transpose()?.flatten();
        let found = match noted {
            Some(bits) => (bits, true),
            None if run.len() == 1 => (Bits::new(), true),
            None => {
                let (left, is_exact) = self.run(part, phrase, run.start..run.end - 1, known)?;
                let is_left_rare = left.len() <= RARE;
                let (right, exact) = match left.is_empty() {
                    true => (Bits::new(), true),
                    false => self.run(part, phrase, run.start + 1..run.end, known)?,
                };
                let is_noted_where_it_is = is_exact
                    && exact
                    && !is_left_rare
                    && right.len() > RARE
                    && run.len() <= LONGEST;
                match is_noted_where_it_is {
                    true => (Bits::new(), true),
                    false => (left & right, false),
                }
            }
        };
        known.insert(run, found.clone());
        Ok(found)
    }

    fn has_phrase(&self, part: &Part, number: u32, phrase: &[String]) -> Result<bool> {
        const SQL: &str = "SELECT category, type, species, subject FROM filing_place
            JOIN (SELECT key, class.category, type, species, subject FROM filing JOIN class ON class.id = class)
            USING (key) WHERE place = ?1";
        self.spend(FILING)?;
        let mut statement = self.connection.prepare_cached(SQL)?;
        let mut rows = statement.query([part.block.place(number)])?;
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
