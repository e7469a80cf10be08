//! Makes the index of one block from its filings.
use std::collections::{BTreeMap, BTreeSet};

use rusqlite::Connection;

use super::{
    Block, Kind,
    bits::{Bits, decode, encode, encode_sorted, numbers},
    found,
    summary::{self, Entry, FEW, Summary},
    terms::{COUNT_BITS, TermId, Terms, first_of},
};
use crate::{
    error::Result,
    names::{Named, Names},
    types::words,
};

/// Longer phrases are looked for in the names themselves: companies are few.
pub(super) const NAME_RUN: usize = 4;

/// Writes everything that the index holds of the filings from the block's first key to before `end`, but for names; and
/// returns how many filings there are. The block was not there before.
pub(super) fn write(terms: &mut Terms<'_>, block: &Block, end: i64) -> Result<u32> {
    let mut found = found::read(terms.connection(), block, end)?;
    summary::write_keys(terms.connection(), block, &found.keys)?;
    let words = found.texts.words();
    let all = words.iter().map(|(word, filings)| (word, &*filings.all));
    store_sorted(terms, block, Kind::Text, all)?;
    let fewer = words.iter().filter(|(_, filings)| filings.head.len() < filings.all.len());
    let heads = fewer.map(|(word, filings)| (word, &*filings.head));
    store_sorted(terms, block, Kind::Head, heads)?;
    for (kind, sets) in [
        (Kind::Company, found.companies()),
        (Kind::Class, found.classes()),
        (Kind::Year, found.years()),
    ] {
        store_sorted(terms, block, kind, sets.into_iter())?;
    }
    for (kind, sets) in [(Kind::Category, found.categories()), (Kind::Type, found.types())] {
        store(terms, block, kind, sets.iter().map(|(name, bits)| (*name, bits)))?;
    }
    let mut runs = std::mem::take(&mut found.texts).into_runs();
    while let Some(of_length) = runs.next() {
        let names = of_length.firsts.iter().map(|first| runs.name(*first));
        let named = names.zip(0..).map(|(name, run)| (name, of_length.filings(run)));
        store_sorted(terms, block, Kind::Run, named)?;
    }
    Ok(found.filings)
}

/// Writes the names of companies in blocks that have none, and the prefixes of all their words. Prefixes that many
/// words share by now are added to the other blocks.
pub(super) fn write_names(
    terms: &mut Terms<'_>,
    blocks: &[Block],
    others: &[Block],
    names: &Names,
) -> Result<()> {
    for block in blocks {
        write_names_of(terms, block, names)?;
    }
    let new = terms.widen()?;
    let all = terms.prefixes()?;
    for (blocks, prefixes) in [(blocks, &all), (others, &new)] {
        for block in blocks.iter().filter(|_| !prefixes.is_empty()) {
            let words = words_of(terms.connection(), block)?;
            let prefixes = shared(terms.connection(), &words, prefixes)?;
            store(
                terms,
                block,
                Kind::Prefix,
                prefixes.iter().map(|(prefix, bits)| (*prefix, bits)),
            )?;
        }
    }
    Ok(())
}

fn write_names_of(terms: &mut Terms<'_>, block: &Block, names: &Names) -> Result<()> {
    let (mut words, mut runs) = (BTreeMap::<String, Bits>::new(), BTreeMap::<String, Bits>::new());
    each(terms.connection(), block, Kind::Company, |code, bits| {
        let bits = decode(bits)?;
        let company = code.parse().ok().and_then(|code| names.get(code));
        for word in company.into_iter().flat_map(Named::words) {
            *words.entry(word.to_owned()).or_default() |= &bits;
        }
        for name in company.into_iter().flat_map(|company| &company.names) {
            let lengths = (2..=NAME_RUN).flat_map(|length| name.words.windows(length));
            lengths.for_each(|run| *runs.entry(run.join(" ")).or_default() |= &bits);
        }
        *words.entry(code.to_owned()).or_default() |= bits;
        Ok(())
    })?;
    store(terms, block, Kind::Name, words.iter().map(|(word, bits)| (word.as_str(), bits)))?;
    let mut both = Vec::new();
    each(terms.connection(), block, Kind::Text, |word, bits| {
        if let Some(named) = words.get(word) {
            both.push((word.to_owned(), decode(bits)? | named));
        }
        Ok(())
    })?;
    store(terms, block, Kind::Both, both.iter().map(|(word, bits)| (word.as_str(), bits)))?;
    store(terms, block, Kind::NameRun, runs.iter().map(|(run, bits)| (run.as_str(), bits)))
}

/// The rows of all words of a block, of texts and names, in the order of the words.
fn words_of(connection: &Connection, block: &Block) -> Result<Vec<(String, i64)>> {
    const SQL: &str =
        "SELECT text, filing_term.id FROM filing_term JOIN term ON term.id = (filing_term.id & ?3)
        WHERE filing_term.id BETWEEN ?1 AND ?2";
    let mut statement = connection.prepare_cached(SQL)?;
    let mut words: Vec<(String, i64)> = Vec::new();
    for kind in [Kind::Text, Kind::Name, Kind::Both] {
        let (first, last) = rows_of(block, kind);
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
fn shared<'p>(
    connection: &Connection,
    words: &[(String, i64)],
    prefixes: &'p BTreeSet<String>,
) -> Result<Vec<(&'p str, Bits)>> {
    const SQL: &str = "SELECT bits FROM filing_term WHERE id = ?1";
    let mut statement = connection.prepare_cached(SQL)?;
    let mut all: Vec<(&str, Bits)> = Vec::new();
    // Prefixes of the word at hand, each one a prefix of the next.
    let mut open: Vec<(&str, Bits)> = Vec::new();
    let mut close = |open: &mut Vec<(&'p str, Bits)>| {
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
            open.push((prefix, Bits::new()));
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

/// The words of a level of a class, folded.
pub(super) fn words_of_level(level: &str) -> Vec<String> {
    /// The end of a type that says what its filings are not: they must not be found by that.
    const NEGATED: &str = " nao considerados fatos relevantes";
    let level = level.strip_suffix(NEGATED).unwrap_or(level);
    words(level).filter(|word| word.is_ascii()).map(str::to_owned).collect()
}

/// Writes which filings of a block have the terms of a kind.
fn store<'a>(
    terms: &mut Terms<'_>,
    block: &Block,
    kind: Kind,
    sets: impl Iterator<Item = (&'a str, &'a Bits)>,
) -> Result<()> {
    write_rows(terms, block, kind, sets, |bits| (bits.len(), encode(bits)))
}

/// The same for filings in order.
fn store_sorted<'a>(
    terms: &mut Terms<'_>,
    block: &Block,
    kind: Kind,
    sets: impl Iterator<Item = (impl AsRef<str>, &'a [u32])>,
) -> Result<()> {
    write_rows(terms, block, kind, sets, |filings| (filings.len() as u64, encode_sorted(filings)))
}

/// Writes rows in the order of the table. Each is encoded with the number of its filings.
fn write_rows<S: Copy>(
    terms: &mut Terms<'_>,
    block: &Block,
    kind: Kind,
    sets: impl Iterator<Item = (impl AsRef<str>, S)>,
    encoded: impl Fn(S) -> (u64, Vec<u8>),
) -> Result<()> {
    const SQL: &str = "INSERT INTO filing_term (id, count, bits) VALUES (?1, ?2, ?3)";
    let sets = sets.map(|(term, set)| Ok((terms.id(kind, term.as_ref())?, set)));
    let mut sets = sets.collect::<Result<Vec<_>>>()?;
    sets.sort_unstable_by_key(|(id, _)| *id);
    let mut summary = summary::has_summary(kind).then(Summary::default);
    let mut statement = terms.connection().prepare_cached(SQL)?;
    for (id, set) in sets {
        let (count, bits) = encoded(set);
        if let Some(summary) = &mut summary {
            let few = if count <= FEW.into() { numbers(&bits)? } else { Vec::new() };
            let count = u32::try_from(count).unwrap_or(u32::MAX);
            summary.push(&Entry { term: id, count, few: &few });
        }
        statement.execute((block.row(id), i64::try_from(count).unwrap_or(i64::MAX), bits))?;
    }
    summary.map_or(Ok(()), |summary| summary.write(terms.connection(), block, kind))
}

/// The first and the last row that a kind can have in a block.
pub(super) fn rows_of(block: &Block, kind: Kind) -> (i64, i64) {
    (block.row(first_of(kind)), block.row(first_of(kind) | ((1 << COUNT_BITS) - 1)))
}

/// Visits the terms of a kind in a block, with the stored form of their filings.
fn each(
    connection: &Connection,
    block: &Block,
    kind: Kind,
    mut visit: impl FnMut(&str, &[u8]) -> Result<()>,
) -> Result<()> {
    const SQL: &str =
        "SELECT text, bits FROM filing_term JOIN term ON term.id = (filing_term.id & ?3)
        WHERE filing_term.id BETWEEN ?1 AND ?2";
    let mut statement = connection.prepare_cached(SQL)?;
    let (first, last) = rows_of(block, kind);
    let mut rows = statement.query((first, last, TermId::MAX))?;
    while let Some(row) = rows.next()? {
        let text = row.get_ref(0)?.as_str().map_err(rusqlite::Error::from)?;
        visit(text, row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?)?;
    }
    Ok(())
}
