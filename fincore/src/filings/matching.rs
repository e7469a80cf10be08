//! Which filings have the words that are searched for, and how many they are.
use super::key;
use crate::{Limit, Offset, Result, Snapshot, Words};

/// More words than this with one beginning are left to the full-text index to put together.
const MAX_ENDINGS: u32 = 64;

/// Beginnings up to this length have an index of their own.
const INDEXED_BEGINNING: usize = 3;

/// One page of the keys of matching filings, newest first, and the number of all of them.
pub(super) fn keys_and_total(
    snapshot: &Snapshot,
    words: &Words,
    limit: Limit<1000>,
    offset: Offset,
) -> Result<(Vec<i64>, u64)> {
    const KEYS: &str = "SELECT rowid FROM filing_search WHERE filing_search MATCH ?1
        ORDER BY rowid DESC LIMIT ?2 OFFSET ?3";
    const TOTAL: &str = "SELECT COUNT(*) FROM filing_search WHERE filing_search MATCH ?1";
    // How many filings have a word that begins so is kept up to date by every import.
    const TOTAL_OF_ONE: &str = "SELECT begins FROM filing_word WHERE word = ?1";
    let Some(matching) = expression(snapshot, words)? else { return Ok((Vec::new(), 0)) };
    let total = match words.single() {
        Some(word) => snapshot.count(TOTAL_OF_ONE, [word])?,
        None => snapshot.count(TOTAL, [&matching])?,
    };
    Ok((snapshot.rows(KEYS, (&matching, limit.get(), offset.sql()), key)?, total))
}

/// The words in the index's language; nothing where no filing can have them.
///
/// The index puts together all filings of a beginning before it gives the first. Where few words
/// begin so, naming each of them lets it walk along them instead.
fn expression(snapshot: &Snapshot, words: &Words) -> Result<Option<String>> {
    // In ASCII `{` follows `z`, the last character that words are made of.
    const ENDINGS: &str = "SELECT word FROM filing_word
        WHERE word >= ?1 AND word < ?1 || '{' AND complete > 0 LIMIT ?2";
    let Some(all) = words.by_beginning() else { return Ok(None) };
    let (others, last) = words.split_last();
    if last.len() <= INDEXED_BEGINNING {
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
