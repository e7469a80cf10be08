//! Makes the index of one block from its filings.
use std::collections::{BTreeMap, BTreeSet, HashMap, hash_map::Entry};

use rusqlite::{Connection, Row};

use super::{
    Block, Kind,
    bits::{Bits, decode, encode, encode_sorted},
    grams::Texts,
    terms::{COUNT_BITS, TermId, Terms, first_of},
};
use crate::{
    error::Result,
    language::{also, quarter_of},
    names::{Named, Names},
    types::{Date, FilingId, fold, words},
};

/// Longer phrases are looked for in the names themselves: companies are few.
pub(super) const NAME_RUN: usize = 4;

/// So many words of a subject are its head: the rest is detail.
const HEAD: usize = 10;

/// Writes everything that the index holds of the filings from the block's first key to before `end`, but for names; and
/// returns how many filings there are. The block was not there before.
pub(super) fn write(terms: &mut Terms<'_>, block: &Block, end: i64) -> Result<u32> {
    let mut found = read(terms.connection(), block, end)?;
    let words = found.texts.words();
    let all = words.iter().map(|(word, filings)| (word, &*filings.all));
    store_sorted(terms, block, Kind::Text, all)?;
    let fewer = words.iter().filter(|(_, filings)| filings.head.len() < filings.all.len());
    let heads = fewer.map(|(word, filings)| (word, &*filings.head));
    store_sorted(terms, block, Kind::Head, heads)?;
    for (kind, sets) in [
        (Kind::Company, &found.companies),
        (Kind::Category, &found.categories),
        (Kind::Type, &found.types),
        (Kind::Class, &found.classes),
        (Kind::Year, &found.years),
    ] {
        store(terms, block, kind, sets.iter().map(|(name, bits)| (name.as_str(), bits)))?;
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

/// What the filings of a block say.
#[derive(Default)]
struct Found {
    texts: Texts,
    companies: BTreeMap<String, Bits>,
    categories: BTreeMap<String, Bits>,
    types: BTreeMap<String, Bits>,
    classes: BTreeMap<String, Bits>,
    years: BTreeMap<String, Bits>,
    filings: u32,
}

fn read(connection: &Connection, block: &Block, end: i64) -> Result<Found> {
    const SQL: &str =
        "SELECT key, filer.company, class, class.category, type, species, subject, reference_day
        FROM filing JOIN filer ON filer.id = filer JOIN class ON class.id = class
        WHERE key >= ?1 AND key < ?2 ORDER BY key";
    const PLACE: &str = "INSERT INTO filing_place (place, key) VALUES (?1, ?2)";
    let (mut statement, mut place) =
        (connection.prepare_cached(SQL)?, connection.prepare_cached(PLACE)?);
    let mut rows = statement.query((block.first, end))?;
    let mut found = Found::default();
    let mut classes = HashMap::new();
    while let Some(row) = rows.next()? {
        let key: i64 = row.get(0)?;
        place.execute((block.place(found.filings), key))?;
        found.add(row, key, &mut classes)?;
        found.filings += 1;
    }
    Ok(found)
}

/// A class, read once.
struct Class {
    category: String,
    kind: String,
    /// Its levels as words.
    levels: Vec<Vec<String>>,
    /// Words by which it is found besides.
    also: Vec<String>,
    /// Whether its filings are about the quarter that their reference date ends.
    is_periodic: bool,
}

impl Found {
    fn add(&mut self, row: &Row<'_>, key: i64, classes: &mut HashMap<i64, Class>) -> Result<()> {
        let number = self.filings;
        let company: i64 = row.get(1)?;
        self.companies.entry(company.to_string()).or_default().insert(number);
        let id: i64 = row.get(2)?;
        self.classes.entry(id.to_string()).or_default().insert(number);
        let class = match classes.entry(id) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert(Class::read(row)?),
        };
        self.categories.entry(class.category.clone()).or_default().insert(number);
        self.types.entry(class.kind.clone()).or_default().insert(number);
        for level in &class.levels {
            let level: Vec<&str> = level.iter().map(String::as_str).collect();
            self.texts.text(number, &level, level.len());
        }
        let subject = fold(row.get_ref(6)?.as_str().unwrap_or_default());
        let subject: Vec<&str> = words(&subject).filter(|word| word.is_ascii()).collect();
        self.texts.text(number, &subject, HEAD);
        let mut extra = |word: &str| self.texts.extra(number, word);
        also(&subject, &mut extra);
        class.also.iter().for_each(|word| extra(word));
        let reference = row.get::<_, Option<i32>>(7).ok().flatten().and_then(Date::from_day_number);
        let delivered = FilingId::of_key(key).map(|(_, date)| date);
        for date in [reference, delivered].into_iter().flatten() {
            let year = date.year().to_string();
            extra(&year);
            self.years.entry(year).or_default().insert(number);
        }
        if let Some(quarter) = reference.filter(|_| class.is_periodic).and_then(quarter_of) {
            extra(&quarter);
        }
        Ok(())
    }
}

/// The words of a level of a class, folded.
pub(super) fn words_of_level(level: &str) -> Vec<String> {
    /// The end of a type that says what its filings are not: they must not be found by that.
    const NEGATED: &str = " nao considerados fatos relevantes";
    let level = level.strip_suffix(NEGATED).unwrap_or(level);
    words(level).filter(|word| word.is_ascii()).map(str::to_owned).collect()
}

impl Class {
    fn read(row: &Row<'_>) -> Result<Class> {
        /// What is reported for a period.
        const PERIODIC: [&str; 2] = ["dados economico-financeiros", "itr"];
        let text = |column| -> Result<String> {
            Ok(fold(row.get_ref(column)?.as_str().unwrap_or_default()))
        };
        let levels = [text(3)?, text(4)?, text(5)?];
        let mut also_found = Vec::new();
        let all: Vec<&str> = levels.iter().flat_map(|level| words(level)).collect();
        also(&all, |word| also_found.push(word.to_owned()));
        let [category, kind, _] = &levels;
        Ok(Class {
            // The yearly statements are about more than the last quarter.
            is_periodic: PERIODIC.contains(&category.as_str()) && !kind.contains("anuais"),
            category: category.clone(),
            kind: kind.clone(),
            levels: levels.iter().map(|level| words_of_level(level)).collect(),
            also: also_found,
        })
    }
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
    let mut statement = terms.connection().prepare_cached(SQL)?;
    for (id, set) in sets {
        let (count, bits) = encoded(set);
        statement.execute((block.row(id), i64::try_from(count).unwrap_or(i64::MAX), bits))?;
    }
    Ok(())
}

/// The first and the last row that a kind can have in a block.
fn rows_of(block: &Block, kind: Kind) -> (i64, i64) {
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
