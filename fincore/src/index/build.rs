//! Makes the index of one block from its filings.
use std::{
    collections::{BTreeMap, BTreeSet, HashMap, hash_map::Entry},
    ops::Bound::{Included, Unbounded},
};

use roaring::MultiOps;
use rusqlite::{Connection, Row};

use super::{
    Block, Kind,
    bits::{Bits, decode, encode},
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
    let found = read(terms.connection(), block, end)?;
    let words = found.texts.words();
    let heads: HashMap<String, Bits> = found.heads.words().into_iter().collect();
    store(terms, block, Kind::Text, words.iter().map(|(word, bits)| (word.as_str(), bits)))?;
    let none = Bits::new();
    let heads = words.iter().filter_map(|(word, bits)| {
        let head = heads.get(word).unwrap_or(&none);
        (head != bits).then_some((word.as_str(), head))
    });
    store(terms, block, Kind::Head, heads)?;
    let runs = found.texts.runs();
    store(terms, block, Kind::Run, runs.iter().map(|(run, bits)| (run.as_str(), bits)))?;
    for (kind, sets) in [
        (Kind::Company, &found.companies),
        (Kind::Category, &found.categories),
        (Kind::Type, &found.types),
        (Kind::Class, &found.classes),
        (Kind::Year, &found.years),
    ] {
        store(terms, block, kind, sets.iter().map(|(name, bits)| (name.as_str(), bits)))?;
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
            let prefixes = shared(&words, prefixes);
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
    for (code, bits) in load(terms.connection(), block, Kind::Company)? {
        let company = code.parse().ok().and_then(|code| names.get(code));
        for word in company.into_iter().flat_map(Named::words) {
            *words.entry(word.to_owned()).or_default() |= &bits;
        }
        for name in company.into_iter().flat_map(|company| &company.names) {
            let lengths = (2..=NAME_RUN).flat_map(|length| name.words.windows(length));
            lengths.for_each(|run| *runs.entry(run.join(" ")).or_default() |= &bits);
        }
        *words.entry(code).or_default() |= bits;
    }
    store(terms, block, Kind::Name, words.iter().map(|(word, bits)| (word.as_str(), bits)))?;
    let texts = load(terms.connection(), block, Kind::Text)?;
    let both = texts.into_iter().filter_map(|(word, bits)| {
        let named = words.get(&word)?;
        Some((word, bits | named))
    });
    let both: Vec<(String, Bits)> = both.collect();
    store(terms, block, Kind::Both, both.iter().map(|(word, bits)| (word.as_str(), bits)))?;
    store(terms, block, Kind::NameRun, runs.iter().map(|(run, bits)| (run.as_str(), bits)))
}

/// All words of a block, of texts and names, in order.
fn words_of(connection: &Connection, block: &Block) -> Result<BTreeMap<String, Bits>> {
    let mut words = BTreeMap::new();
    // What includes the others last.
    for kind in [Kind::Text, Kind::Name, Kind::Both] {
        words.extend(load(connection, block, kind)?);
    }
    Ok(words)
}

/// The filings with words that begin with these prefixes.
fn shared<'p>(
    words: &BTreeMap<String, Bits>,
    prefixes: &'p BTreeSet<String>,
) -> Vec<(&'p str, Bits)> {
    let all = prefixes.iter().map(|prefix| {
        let words = words
            .range::<str, _>((Included(prefix.as_str()), Unbounded))
            .take_while(|(word, _)| word.starts_with(prefix));
        (prefix.as_str(), words.map(|(_, bits)| bits).union())
    });
    all.filter(|(_, bits)| !bits.is_empty()).collect()
}

/// What the filings of a block say.
#[derive(Default)]
struct Found {
    texts: Texts,
    heads: Texts,
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
            self.texts.text(number, &level);
            self.heads.words_of(number, &level);
        }
        let subject = fold(row.get_ref(6)?.as_str().unwrap_or_default());
        let subject: Vec<&str> = words(&subject).filter(|word| word.is_ascii()).collect();
        self.texts.text(number, &subject);
        self.heads.words_of(number, &subject[..subject.len().min(HEAD)]);
        let mut extra = |word: &str| {
            self.texts.word(number, word);
            self.heads.word(number, word);
        };
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

/// Writes which filings of a block have the terms of a kind, in the order of the table.
fn store<'a>(
    terms: &mut Terms<'_>,
    block: &Block,
    kind: Kind,
    sets: impl Iterator<Item = (&'a str, &'a Bits)>,
) -> Result<()> {
    const SQL: &str = "INSERT INTO filing_term (id, count, bits) VALUES (?1, ?2, ?3)";
    let sets = sets.map(|(term, bits)| Ok((terms.id(kind, term)?, bits)));
    let mut sets = sets.collect::<Result<Vec<_>>>()?;
    sets.sort_unstable_by_key(|(id, _)| *id);
    let mut statement = terms.connection().prepare_cached(SQL)?;
    for (id, bits) in sets {
        let count = i64::try_from(bits.len()).unwrap_or(i64::MAX);
        statement.execute((block.row(id), count, encode(bits)))?;
    }
    Ok(())
}

/// Which filings of a block have the terms of a kind.
fn load(connection: &Connection, block: &Block, kind: Kind) -> Result<Vec<(String, Bits)>> {
    const SQL: &str =
        "SELECT text, bits FROM filing_term JOIN term ON term.id = (filing_term.id & ?3)
        WHERE filing_term.id BETWEEN ?1 AND ?2";
    let mut statement = connection.prepare_cached(SQL)?;
    let (first, last) = (first_of(kind), first_of(kind) | ((1 << COUNT_BITS) - 1));
    let mut rows = statement.query((block.row(first), block.row(last), TermId::MAX))?;
    let mut all = Vec::new();
    while let Some(row) = rows.next()? {
        let bits = row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?;
        all.push((row.get(0)?, decode(bits)?));
    }
    Ok(all)
}
