//! Writes the terms of one block.
use std::collections::{BTreeMap, BTreeSet};

use rusqlite::Connection;

use super::{
    bitmap::{Bitmap, decode, encode, encode_sorted, numbers},
    block::Block,
    block_contents,
    block_summary::{self, FEW, Summary, SummaryEntry},
    term_kind::TermKind,
    terms::{TermId, TermNumbers},
    word_runs::LONGEST_NAME_RUN,
};
use crate::{
    error::Result,
    names::{CompanyNames, Names},
};

/// Writes all terms of a new block but those of names, and returns how many filings it has. Its filings have keys from its
/// first one to before `end`.
pub(super) fn write(terms: &mut TermNumbers<'_>, block: &Block, end: i64) -> Result<u32> {
    let mut contents = block_contents::read(terms.connection(), block, end)?;
    block_summary::write_keys(terms.connection(), block, &contents.keys)?;
    let words = contents.texts.words();
    let all = words.iter().map(|(word, filings)| (word, &*filings.all));
    store_sorted(terms, block, TermKind::Text, all)?;
    let fewer = words.iter().filter(|(_, filings)| filings.head.len() < filings.all.len());
    let heads = fewer.map(|(word, filings)| (word, &*filings.head));
    store_sorted(terms, block, TermKind::Head, heads)?;
    for (kind, sets) in [
        (TermKind::Company, contents.companies()),
        (TermKind::Class, contents.classes()),
        (TermKind::Year, contents.years()),
    ] {
        store_sorted(terms, block, kind, sets.into_iter())?;
    }
    for (kind, sets) in
        [(TermKind::Category, contents.categories()), (TermKind::Type, contents.types())]
    {
        store(terms, block, kind, sets.iter().map(|(name, bits)| (*name, bits)))?;
    }
    let mut runs = std::mem::take(&mut contents.texts).into_runs();
    while let Some(of_length) = runs.next() {
        let names = of_length.firsts.iter().map(|first| runs.name(*first));
        let named = names.zip(0..).map(|(name, run)| (name, of_length.filings(run)));
        store_sorted(terms, block, TermKind::Run, named)?;
    }
    Ok(contents.filings)
}

/// Writes the names of companies into blocks that have none, and the prefixes of all their words. Prefixes that many
/// words have come to share are added to the other blocks.
pub(super) fn write_names(
    terms: &mut TermNumbers<'_>,
    blocks: &[Block],
    others: &[Block],
    names: &Names,
) -> Result<()> {
    for block in blocks {
        write_names_of(terms, block, names)?;
    }
    let new = terms.add_shared_prefixes()?;
    let all = terms.prefixes()?;
    for (blocks, prefixes) in [(blocks, &all), (others, &new)] {
        for block in blocks.iter().filter(|_| !prefixes.is_empty()) {
            let words = word_rows(terms.connection(), block)?;
            let prefixes = filings_by_prefix(terms.connection(), &words, prefixes)?;
            store(
                terms,
                block,
                TermKind::Prefix,
                prefixes.iter().map(|(prefix, bits)| (*prefix, bits)),
            )?;
        }
    }
    Ok(())
}

fn write_names_of(terms: &mut TermNumbers<'_>, block: &Block, names: &Names) -> Result<()> {
    let (mut words, mut runs) =
        (BTreeMap::<String, Bitmap>::new(), BTreeMap::<String, Bitmap>::new());
    for_each_stored(terms.connection(), block, TermKind::Company, |code, bits| {
        let bits = decode(bits)?;
        let company = code.parse().ok().and_then(|code| names.get(code));
        for word in company.into_iter().flat_map(CompanyNames::words) {
            *words.entry(word.to_owned()).or_default() |= &bits;
        }
        for name in company.into_iter().flat_map(|company| &company.names) {
            let lengths = (2..=LONGEST_NAME_RUN).flat_map(|length| name.words.windows(length));
            lengths.for_each(|run| *runs.entry(run.join(" ")).or_default() |= &bits);
        }
        *words.entry(code.to_owned()).or_default() |= bits;
        Ok(())
    })?;
    store(terms, block, TermKind::Name, words.iter().map(|(word, bits)| (word.as_str(), bits)))?;
    let mut both = Vec::new();
    for_each_stored(terms.connection(), block, TermKind::Text, |word, bits| {
        if let Some(named) = words.get(word) {
            both.push((word.to_owned(), decode(bits)? | named));
        }
        Ok(())
    })?;
    store(terms, block, TermKind::Both, both.iter().map(|(word, bits)| (word.as_str(), bits)))?;
    store(terms, block, TermKind::NameRun, runs.iter().map(|(run, bits)| (run.as_str(), bits)))
}

/// The rows of all words of a block, of texts and names, in the order of the words.
fn word_rows(connection: &Connection, block: &Block) -> Result<Vec<(String, i64)>> {
    const SQL: &str =
        "SELECT text, filing_term.id FROM filing_term JOIN term ON term.id = (filing_term.id & ?3)
        WHERE filing_term.id BETWEEN ?1 AND ?2";
    let mut statement = connection.prepare_cached(SQL)?;
    let mut words: Vec<(String, i64)> = Vec::new();
    for kind in [TermKind::Text, TermKind::Name, TermKind::Both] {
        let (first, last) = block.rows_of(kind);
        let rows = statement
            .query_map((first, last, TermId::MAX), |row| Ok((row.get(0)?, row.get(1)?)))?;
        for row in rows {
            words.push(row?);
        }
    }
    // Of the rows of a word, the one that includes the others is the last.
    words.sort_unstable_by(|one, other| one.0.cmp(&other.0).then(other.1.cmp(&one.1)));
    words.dedup_by(|later, first| later.0 == first.0);
    Ok(words)
}

/// The filings with words that begin with these prefixes.
fn filings_by_prefix<'p>(
    connection: &Connection,
    words: &[(String, i64)],
    prefixes: &'p BTreeSet<String>,
) -> Result<Vec<(&'p str, Bitmap)>> {
    const SQL: &str = "SELECT bits FROM filing_term WHERE id = ?1";
    let mut statement = connection.prepare_cached(SQL)?;
    let mut all: Vec<(&str, Bitmap)> = Vec::new();
    // Prefixes of the current word, each one a prefix of the next.
    let mut open: Vec<(&str, Bitmap)> = Vec::new();
    let mut close = |open: &mut Vec<(&'p str, Bitmap)>| {
        let Some((prefix, bits)) = open.pop() else { return };
        if let Some((_, outer)) = open.last_mut() {
            *outer |= &bits;
        }
        all.push((prefix, bits));
    };
    for (word, row) in words {
        while open.last().is_some_and(|(prefix, _)| !word.starts_with(prefix)) {
            close(&mut open);
        }
        let known = open.last().map_or(0, |(prefix, _)| prefix.len());
        for prefix in (known + 1..=word.len()).filter_map(|length| prefixes.get(&word[..length])) {
            open.push((prefix, Bitmap::new()));
        }
        if let Some((_, bits)) = open.last_mut() {
            let mut rows = statement.query([row])?;
            if let Some(row) = rows.next()? {
                *bits |= decode(row.get_ref(0)?.as_blob().map_err(rusqlite::Error::from)?)?;
            }
        }
    }
    while !open.is_empty() {
        close(&mut open);
    }
    Ok(all)
}

/// Writes which filings of a block have the terms of a kind.
fn store<'a>(
    terms: &mut TermNumbers<'_>,
    block: &Block,
    kind: TermKind,
    sets: impl Iterator<Item = (&'a str, &'a Bitmap)>,
) -> Result<()> {
    write_rows(terms, block, kind, sets, |bits| (bits.len(), encode(bits)))
}

/// The same for sorted numbers of filings.
fn store_sorted<'a>(
    terms: &mut TermNumbers<'_>,
    block: &Block,
    kind: TermKind,
    sets: impl Iterator<Item = (impl AsRef<str>, &'a [u32])>,
) -> Result<()> {
    write_rows(terms, block, kind, sets, |filings| (filings.len() as u64, encode_sorted(filings)))
}

/// Writes rows in the order of the table. Each is encoded with the number of its filings.
fn write_rows<S: Copy>(
    terms: &mut TermNumbers<'_>,
    block: &Block,
    kind: TermKind,
    sets: impl Iterator<Item = (impl AsRef<str>, S)>,
    encode: impl Fn(S) -> (u64, Vec<u8>),
) -> Result<()> {
    const SQL: &str = "INSERT INTO filing_term (id, count, bits) VALUES (?1, ?2, ?3)";
    let sets = sets.map(|(term, set)| Ok((terms.id(kind, term.as_ref())?, set)));
    let mut sets = sets.collect::<Result<Vec<_>>>()?;
    sets.sort_unstable_by_key(|(id, _)| *id);
    let mut summary = block_summary::has_summary(kind).then(Summary::default);
    let mut statement = terms.connection().prepare_cached(SQL)?;
    for (id, set) in sets {
        let (count, bits) = encode(set);
        if let Some(summary) = &mut summary {
            let few = if count <= FEW.into() { numbers(&bits)? } else { Vec::new() };
            let count = u32::try_from(count).unwrap_or(u32::MAX);
            summary.push(&SummaryEntry { term: id, count, few: &few });
        }
        statement.execute((block.row(id), i64::try_from(count).unwrap_or(i64::MAX), bits))?;
    }
    summary.map_or(Ok(()), |summary| summary.write(terms.connection(), block, kind))
}

/// Visits the terms of a kind in a block, with the stored form of their filings.
fn for_each_stored(
    connection: &Connection,
    block: &Block,
    kind: TermKind,
    mut visit: impl FnMut(&str, &[u8]) -> Result<()>,
) -> Result<()> {
    const SQL: &str =
        "SELECT text, bits FROM filing_term JOIN term ON term.id = (filing_term.id & ?3)
        WHERE filing_term.id BETWEEN ?1 AND ?2";
    let mut statement = connection.prepare_cached(SQL)?;
    let (first, last) = block.rows_of(kind);
    let mut rows = statement.query((first, last, TermId::MAX))?;
    while let Some(row) = rows.next()? {
        let text = row.get_ref(0)?.as_str().map_err(rusqlite::Error::from)?;
        visit(text, row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?)?;
    }
    Ok(())
}
