//! Finds and counts the filings that match a search.
use super::key;
use crate::{
    catalogue::Snapshot,
    error::Result,
    types::{Limit, Offset, Words},
};

/// If more words than this share the prefix, the full-text index merges them.
const MAX_ENDINGS: u32 = 64;

/// Prefixes up to this length have an index of their own.
const INDEXED_PREFIX: usize = 3;

/// The filings that match.
pub(super) struct Matching {
    /// The FTS5 expression; `None` if no filing can match.
    expression: Option<String>,
    /// The number of matches.
    pub(super) total: u64,
}

/// The filings with all the words, the last one as a prefix.
pub(super) fn matching(snapshot: &Snapshot, words: &Words) -> Result<Matching> {
    const TOTAL: &str = "SELECT COUNT(*) FROM filing_search WHERE filing_search MATCH ?1";
    // Every import updates the number of filings per prefix.
    const TOTAL_OF_ONE: &str = "SELECT begins FROM filing_word WHERE word = ?1";
    let expression = expression(snapshot, words)?;
    let total = match (&expression, words.single()) {
        (None, _) => 0,
        (Some(_), Some(word)) => snapshot.count(TOTAL_OF_ONE, [word])?,
        (Some(all), None) => snapshot.count(TOTAL, [all])?,
    };
    Ok(Matching { expression, total })
}

impl Matching {
    /// One page of the keys of matching filings, newest first.
    pub(super) fn keys(
        &self,
        snapshot: &Snapshot,
        limit: Limit<1000>,
        offset: Offset,
    ) -> Result<Vec<i64>> {
        const KEYS: &str = "SELECT rowid FROM filing_search WHERE filing_search MATCH ?1
            ORDER BY rowid DESC LIMIT ?2 OFFSET ?3";
        snapshot.rows(KEYS, (&self.expression, limit.get(), offset.sql()), key)
    }
}

/// The FTS5 expression for the words; `None` if no filing can match.
///
/// The index merges all filings of a prefix before it yields the first one. If few words have the prefix,
/// naming each of them avoids that.
fn expression(snapshot: &Snapshot, words: &Words) -> Result<Option<String>> {
    // In ASCII `{` follows `z`, the last character that words are made of.
    const ENDINGS: &str = "SELECT word FROM filing_word
        WHERE word >= ?1 AND word < ?1 || '{' AND complete > 0 LIMIT ?2";
    let Some(all) = words.with_last_as_prefix() else { return Ok(None) };
    let (others, last) = words.split_last();
    if last.len() <= INDEXED_PREFIX {
        return Ok(Some(all));
    }
    let endings: Vec<String> = snapshot.rows(ENDINGS, (last, MAX_ENDINGS + 1), |row| row.get(0))?;
    if endings.is_empty() {
        return Ok(None);
    }
    if endings.len() > MAX_ENDINGS as usize {
        return Ok(Some(all));
    }
    let others = others.iter().map(|word| format!("\"{word}\" AND ")).collect::<String>();
    Ok(Some(format!("{others}(\"{}\")", endings.join("\" OR \""))))
}
