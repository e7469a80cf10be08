//! Writes the terms of one block.
use std::collections::{BTreeMap, BTreeSet};

use rusqlite::{Connection, OptionalExtension};

use crate::{
    index::{
        Bitmap, Block, BlockSizes, TermKind, TermNumbers,
        bitmap::{BlockBits, decode, encode, encode_sorted, numbers},
        block_contents::{self, FEW, Summary, SummaryEntry},
        blocks,
        terms::TermId,
        word_runs::LONGEST_NAME_RUN,
    },
    lexicon::{CompanyNames, Names},
    values::Result,
};

/// Writes all terms of a new block but those of names, and returns how many filings it has. Its filings have keys from its
/// first one to before `end`.
pub(crate) fn write(terms: &mut TermNumbers<'_>, block: &Block, end: i64) -> Result<u32> {
    let mut contents = block_contents::read(terms.connection(), block, end)?;
    block_contents::write_keys(terms.connection(), block, &contents.keys)?;
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
        store_sorted(terms, block, TermKind::Run, runs.sorted(&of_length))?;
    }
    Ok(contents.filings)
}

/// Writes the names of companies into blocks that have none, and the prefixes of all their words. Prefixes that many
/// words have come to share are added to the other blocks.
pub(crate) fn write_names(
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
            let prefixes = filings_by_prefix(&words, prefixes)?;
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
    for (word, named) in &words {
        if let Some(term) = terms.find(TermKind::Text, word)?
            && let Some(bits) = stored(terms.connection(), block, term)?
        {
            both.push((word.as_str(), decode(&bits)? | named));
        }
    }
    store(terms, block, TermKind::Both, both.iter().map(|(word, bits)| (*word, bits)))?;
    store(terms, block, TermKind::NameRun, runs.iter().map(|(run, bits)| (run.as_str(), bits)))
}

/// A word of a block, and its filings in their stored form.
struct WordRow {
    word: Box<str>,
    kind: u32,
    bits: Box<[u8]>,
}

/// All words of a block, of texts and names, in order.
fn word_rows(connection: &Connection, block: &Block) -> Result<Vec<WordRow>> {
    let mut words: Vec<WordRow> = Vec::new();
    for kind in [TermKind::Text, TermKind::Name, TermKind::Both] {
        for_each_stored(connection, block, kind, |word, bits| {
            words.push(WordRow { word: word.into(), kind: kind.number(), bits: bits.into() });
            Ok(())
        })?;
    }
    // Of the rows of a word, the one that includes the others has the last kind.
    words.sort_unstable_by(|one, other| one.word.cmp(&other.word).then(other.kind.cmp(&one.kind)));
    words.dedup_by(|later, first| later.word == first.word);
    Ok(words)
}

/// The filings with words that begin with these prefixes.
fn filings_by_prefix<'p>(
    words: &[WordRow],
    prefixes: &'p BTreeSet<String>,
) -> Result<Vec<(&'p str, Bitmap)>> {
    let mut all: Vec<(&str, Bitmap)> = Vec::new();
    // Prefixes of the current word, each one a prefix of the next.
    let mut open: Vec<(&str, BlockBits)> = Vec::new();
    let mut close = |open: &mut Vec<(&'p str, BlockBits)>| {
        let Some((prefix, bits)) = open.pop() else { return };
        if let Some((_, outer)) = open.last_mut() {
            outer.add(&bits);
        }
        all.push((prefix, bits.to_bitmap()));
    };
    for WordRow { word, bits, .. } in words {
        while open.last().is_some_and(|(prefix, _)| !word.starts_with(*prefix)) {
            close(&mut open);
        }
        let known = open.last().map_or(0, |(prefix, _)| prefix.len());
        for prefix in (known + 1..=word.len()).filter_map(|length| prefixes.get(&word[..length])) {
            open.push((prefix, BlockBits::default()));
        }
        if let Some((_, found)) = open.last_mut() {
            found.add_stored(bits)?;
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

/// Stores sorted numbers of filings.
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
    let mut summary = block_contents::has_summary(kind).then(Summary::default);
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

/// The filings of a block with a term, in their stored form.
fn stored(connection: &Connection, block: &Block, term: TermId) -> Result<Option<Vec<u8>>> {
    const SQL: &str = "SELECT bits FROM filing_term WHERE id = ?1";
    let mut statement = connection.prepare_cached(SQL)?;
    Ok(statement.query_row([block.row(term)], |row| row.get(0)).optional()?)
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

/// Makes blocks of the filings in a range of keys that has none. If it is the newest range, an open block follows. Calls
/// `progress` with the number of filings so far.
pub(crate) fn pack(
    terms: &mut TermNumbers<'_>,
    first: i64,
    end: i64,
    sizes: BlockSizes,
    progress: &mut impl FnMut(u64),
) -> Result<()> {
    const NTH: &str =
        "SELECT key FROM filing WHERE key >= ?1 AND key < ?2 ORDER BY key LIMIT 1 OFFSET ?3";
    const LAST: &str = "SELECT MAX(key) FROM filing";
    let connection = terms.connection();
    let (mut from, mut filings) = (first, 0);
    loop {
        let next: Option<i64> = connection
            .prepare_cached(NTH)?
            .query_row((from, end, i64::try_from(sizes.most).unwrap_or(i64::MAX)), |row| row.get(0))
            .optional()?;
        let added = add_block(terms, from, next.unwrap_or(end))?;
        filings += u64::from(added);
        progress(filings);
        match next {
            Some(next) => from = next,
            None if end == i64::MAX && added as usize > sizes.open => {
                let last: Option<i64> =
                    connection.prepare_cached(LAST)?.query_row([], |row| row.get(0))?;
                add_block(terms, last.unwrap_or_default().saturating_add(1), end)?;
                return Ok(());
            }
            None => return Ok(()),
        }
    }
}

/// Adds one block, and returns how many filings it has.
fn add_block(terms: &mut TermNumbers<'_>, first: i64, end: i64) -> Result<u32> {
    const ADD: &str = "INSERT INTO filing_block (first, filings) VALUES (?1, 0) RETURNING id";
    let id = terms.connection().prepare_cached(ADD)?.query_row([first], |row| row.get(0))?;
    write_block(terms, &Block { id, first, filings: 0 }, end)
}

/// Writes the terms of a block, but for names, and returns how many filings it has.
pub(crate) fn write_block(terms: &mut TermNumbers<'_>, block: &Block, end: i64) -> Result<u32> {
    const COUNT: &str = "UPDATE filing_block SET filings = ?2 WHERE id = ?1";
    let filings = write(terms, block, end)?;
    terms.connection().prepare_cached(COUNT)?.execute((block.id, filings))?;
    Ok(filings)
}

/// Adds up how many filings each class has in the blocks: reading all filings would take longer than a day's import.
pub(crate) fn count_classes(connection: &Connection) -> Result<()> {
    const FORGET: &str = "DELETE FROM class_total";
    const COUNT: &str = "INSERT INTO class_total (class, filings)
        SELECT CAST(text AS INTEGER), count
        FROM filing_term JOIN term ON term.id = (filing_term.id & ?3)
        WHERE filing_term.id BETWEEN ?1 AND ?2
        ON CONFLICT DO UPDATE SET filings = filings + excluded.filings";
    connection.prepare_cached(FORGET)?.execute([])?;
    let mut count = connection.prepare_cached(COUNT)?;
    for block in blocks(connection)? {
        let (first, last) = block.rows_of(TermKind::Class);
        count.execute((first, last, TermId::MAX))?;
    }
    Ok(())
}
