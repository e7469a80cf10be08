//! The search index of filings, and the counts over it, compared with the rows.
use std::{
    collections::BTreeSet,
    hash::{DefaultHasher, Hash, Hasher},
};

use super::{
    Progress,
    findings::{FILING, Findings, Noun, named},
};
use crate::{catalogue::Writer, error::Result, types::Date};

const WORD: Noun = ("word", "words");
const SEARCH: Noun = ("search", "searches");
const TOTAL: Noun = ("running total", "running totals");

/// What the index should have of every filing: two dozen bytes each, whatever its words are.
///
/// The hashes of the words of a filing are added up; those that the index has are subtracted again. What is
/// left is zero exactly if both have the same words, in any order.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    /// In the order of keys.
    filings: Vec<Balance>,
}

#[derive(Debug)]
struct Balance {
    key: i64,
    /// The sum of the hashes.
    sum: u64,
    /// How many words the index has.
    indexed: u32,
    /// Whether the words of the filing are unknown, because they cannot be read.
    ignored: bool,
}

impl Ledger {
    /// Adds a filing; they must come in the order of keys.
    pub(super) fn add(&mut self, key: i64, words: &str) {
        let mut words: Vec<&str> = words.split(' ').filter(|word| !word.is_empty()).collect();
        words.sort_unstable();
        words.dedup();
        let sum = words.into_iter().map(hash).fold(0, u64::wrapping_add);
        self.filings.push(Balance { key, sum, indexed: 0, ignored: false });
    }

    /// Adds a filing whose words cannot be read.
    pub(super) fn ignore(&mut self, key: i64) {
        self.filings.push(Balance { key, sum: 0, indexed: 0, ignored: true });
    }

    /// Compares with the whole index. Returns whether they agree.
    pub(super) fn compare(
        mut self,
        scratch: &Writer,
        findings: &mut Findings,
        progress: &mut Progress<'_>,
    ) -> Result<bool> {
        let unknown = self.subtract_index(scratch, progress)?;
        let differs = |filing: &&Balance| filing.ignored || filing.sum != 0;
        let agree = unknown.is_empty() && !self.filings.iter().any(|filing| differs(&filing));
        for filing in self.filings.iter().filter(differs).filter(|filing| !filing.ignored) {
            let fault = match filing.indexed {
                0 => "whose words the search index lacks",
                _ => "with other words in the search index",
            };
            findings.add(FILING, fault, named(filing.key));
        }
        for key in unknown {
            findings.add(FILING, "of the search index without a row", named(key));
        }
        Ok(agree)
    }

    /// Subtracts every entry of the index, and returns the keys in it that no filing has.
    fn subtract_index(
        &mut self,
        scratch: &Writer,
        progress: &mut Progress<'_>,
    ) -> Result<BTreeSet<i64>> {
        const VOCABULARY: &str = "CREATE VIRTUAL TABLE temp.filing_words
            USING fts5vocab ('main', 'filing_search', 'instance')";
        // By word, then by key.
        const SQL: &str = "SELECT term, doc FROM temp.filing_words";
        scratch.prepare(VOCABULARY)?.execute([])?;
        let mut statement = scratch.prepare(SQL)?;
        let mut rows = statement.query([])?;
        let (mut word, mut hashed, mut from) = (Vec::new(), 0, 0);
        let mut unknown = BTreeSet::new();
        while let Some(row) = rows.next()? {
            progress.row();
            let term = row.get_ref(0)?.as_bytes().map_err(rusqlite::Error::from)?;
            if term != word {
                (hashed, from) = (hash(&String::from_utf8_lossy(term)), 0);
                word.clear();
                word.extend_from_slice(term);
            }
            let key: i64 = row.get(1)?;
            match self.find(key, from) {
                Ok(at) => {
                    let filing = &mut self.filings[at];
                    filing.sum = filing.sum.wrapping_sub(hashed);
                    filing.indexed += 1;
                    from = at;
                }
                Err(at) => {
                    unknown.insert(key);
                    from = at;
                }
            }
        }
        Ok(unknown)
    }

    /// The place of a key, which is not before `from`: near it, where a word is common.
    fn find(&self, key: i64, from: usize) -> Result<usize, usize> {
        let rest = self.filings.get(from..).unwrap_or_default();
        let mut reach = 1;
        while rest.get(reach).is_some_and(|filing| filing.key < key) {
            reach *= 2;
        }
        let near = &rest[..rest.len().min(reach + 1)];
        let found = near.binary_search_by_key(&key, |filing| filing.key);
        found.map(|at| from + at).map_err(|at| from + at)
    }
}

fn hash(word: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    word.hash(&mut hasher);
    hasher.finish()
}

/// Searches for every word, and every prefix with an index of its own, and compares the number of results with
/// the counts that were computed anew.
///
/// So damage is found that leaves all entries in place, but not the way to them.
pub(super) fn compare_searches(
    scratch: &Writer,
    findings: &mut Findings,
    progress: &mut Progress<'_>,
) -> Result<()> {
    const WORDS: &str = "SELECT word, begins, complete FROM temp.filing_word";
    const COUNT: &str = "SELECT COUNT(*) FROM main.filing_search WHERE filing_search MATCH ?1";
    const INDEXED_PREFIX: usize = 3;
    let (mut words, mut count) = (scratch.prepare(WORDS)?, scratch.prepare(COUNT)?);
    let mut rows = words.query([])?;
    while let Some(row) = rows.next()? {
        progress.row();
        let word: String = row.get(0)?;
        let (begins, complete): (i64, i64) = (row.get(1)?, row.get(2)?);
        let prefix = (word.len() <= INDEXED_PREFIX).then(|| (format!("\"{word}\" *"), begins));
        let whole = (complete > 0).then(|| (format!("\"{word}\""), complete));
        for (search, wanted) in prefix.into_iter().chain(whole) {
            let found: i64 = count.query_row([&search], |row| row.get(0))?;
            if found != wanted {
                findings.add(SEARCH, "for filings with a wrong number of results", &search);
            }
        }
    }
    Ok(())
}

/// Compares the counts of words and the running totals with those that were computed anew.
pub(super) fn compare_counts(scratch: &Writer, findings: &mut Findings) -> Result<()> {
    const WORDS: &str = "SELECT word FROM temp.filing_word AS wanted
        FULL JOIN main.filing_word AS there USING (word)
        WHERE wanted.begins IS NOT there.begins OR wanted.complete IS NOT there.complete";
    const TOTALS: &str = "SELECT day, folded FROM temp.filing_total AS wanted
        FULL JOIN main.filing_total AS there USING (category, day)
        LEFT JOIN main.category ON category.id = category
        WHERE wanted.filings IS NOT there.filings";
    let mut statement = scratch.prepare(WORDS)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let word = super::findings::shown(row.get_ref(0)?);
        findings.add(WORD, "counted otherwise than filings have them", word);
    }
    let mut statement = scratch.prepare(TOTALS)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let day = row.get::<_, i32>(0).ok().and_then(Date::from_day_number);
        let day = day.map_or("an impossible day".to_owned(), |day| day.to_string());
        let category: Option<String> = row.get(1).unwrap_or_default();
        let category = category.unwrap_or("all categories".into());
        let which = format!("{category} up to {day}");
        findings.add(TOTAL, "other than the number of filings", which);
    }
    Ok(())
}
