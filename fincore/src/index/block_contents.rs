//! The filings of one block, as they are read from the file: their words, companies, classes and years.
use std::collections::{BTreeMap, hash_map::Entry};

use foldhash::{HashMap, HashMapExt};
use rusqlite::{Connection, OptionalExtension, Row};

use crate::{
    index::{
        Bitmap, Block, TermKind,
        terms::{TermId, first_of, words_of_level},
        word_runs::BlockTexts,
    },
    lexicon::{for_each_extra_word, quarter_ending_on},
    values::{Date, Error, FilingId, Result, fold, read_leb128, words::words, write_leb128},
};

/// How many words of a subject are its head: the rest is detail.
const HEAD: usize = 10;

/// The contents of a block of filings. Numbers of filings are in order, each once.
#[derive(Default)]
pub(crate) struct BlockContents {
    pub(crate) texts: BlockTexts,
    companies: HashMap<i64, Vec<u32>>,
    classes: HashMap<i64, Class>,
    years: HashMap<i32, Year>,
    pub(crate) keys: Vec<i64>,
    pub(crate) filings: u32,
}

/// A class, read once.
struct Class {
    category: String,
    kind: String,
    /// Its levels as words, by their numbers.
    levels: Vec<Vec<u32>>,
    /// Extra words that it is found by.
    extra_words: Vec<u32>,
    /// Whether its filings are about the quarter that their reference date ends.
    is_periodic: bool,
    filings: Vec<u32>,
}

/// A year, by the number of its word.
struct Year {
    word: u32,
    filings: Vec<u32>,
}

/// Reads the filings from the block's first key to before `end`, and notes where they are.
pub(crate) fn read(connection: &Connection, block: &Block, end: i64) -> Result<BlockContents> {
    // Filers and classes are few: each is looked up once for the block, not joined to every filing.
    const SQL: &str = "SELECT key, filer, class, subject, reference_day FROM filing
        WHERE key >= ?1 AND key < ?2 ORDER BY key";
    const PLACE: &str = "INSERT INTO filing_place (place, key) VALUES (?1, ?2)";
    let (mut statement, mut place) =
        (connection.prepare_cached(SQL)?, connection.prepare_cached(PLACE)?);
    let mut rows = statement.query((block.first, end))?;
    let mut contents = BlockContents::default();
    let mut filers = HashMap::new();
    while let Some(row) = rows.next()? {
        let (key, filer): (i64, i64) = (row.get(0)?, row.get(1)?);
        let company = match filers.entry(filer) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(new) => *new.insert(company_of(connection, filer)?),
        };
        let class: i64 = row.get(2)?;
        if !contents.classes.contains_key(&class)
            && let Some(new) = Class::read(connection, class, &mut contents.texts)?
        {
            contents.classes.insert(class, new);
        }
        // A filing without filer or class cannot be served, so a search does not find it either.
        if let (Some(company), true) = (company, contents.classes.contains_key(&class)) {
            place.execute((block.place(contents.filings), key))?;
            contents.keys.push(key);
            contents.add(row, key, company, class)?;
            contents.filings += 1;
        }
    }
    Ok(contents)
}

fn company_of(connection: &Connection, filer: i64) -> Result<Option<i64>> {
    const SQL: &str = "SELECT company FROM filer WHERE id = ?1";
    Ok(connection.prepare_cached(SQL)?.query_row([filer], |row| row.get(0)).optional()?)
}

impl BlockContents {
    fn add(&mut self, row: &Row<'_>, key: i64, company: i64, class: i64) -> Result<()> {
        let number = self.filings;
        self.companies.entry(company).or_default().push(number);
        let Some(class) = self.classes.get_mut(&class) else { return Ok(()) };
        class.filings.push(number);
        for level in &class.levels {
            self.texts.add_text(number, level, level.len());
        }
        let subject = fold(row.get_ref(3)?.as_str().unwrap_or_default());
        let subject: Vec<&str> = words(&subject).filter(|word| word.is_ascii()).collect();
        let ids: Vec<u32> = subject.iter().map(|word| self.texts.word_number(word)).collect();
        self.texts.add_text(number, &ids, HEAD);
        for_each_extra_word(&subject, |word| {
            let word = self.texts.word_number(word);
            self.texts.add_word(number, word);
        });
        class.extra_words.iter().for_each(|word| self.texts.add_word(number, *word));
        let reference = row.get::<_, Option<i32>>(4).ok().flatten().and_then(Date::from_day_number);
        let delivered = FilingId::of_key(key).map(|(_, date)| date);
        for date in [reference, delivered].into_iter().flatten() {
            let year = self.years.entry(date.year().into()).or_insert_with(|| Year {
                word: self.texts.word_number(&date.year().to_string()),
                filings: Vec::new(),
            });
            self.texts.add_word(number, year.word);
            if year.filings.last() != Some(&number) {
                year.filings.push(number);
            }
        }
        if let Some(quarter) = reference.filter(|_| class.is_periodic).and_then(quarter_ending_on) {
            let word = self.texts.word_number(&quarter);
            self.texts.add_word(number, word);
        }
        Ok(())
    }

    /// The filings of each company, by its code.
    pub(crate) fn companies(&self) -> BTreeMap<String, &[u32]> {
        self.companies.iter().map(|(code, filings)| (code.to_string(), &**filings)).collect()
    }

    /// The filings of each class, by its id.
    pub(crate) fn classes(&self) -> BTreeMap<String, &[u32]> {
        self.classes.iter().map(|(id, class)| (id.to_string(), &*class.filings)).collect()
    }

    /// The filings of each year, of delivery or of reference.
    pub(crate) fn years(&self) -> BTreeMap<String, &[u32]> {
        self.years.iter().map(|(year, contents)| (year.to_string(), &*contents.filings)).collect()
    }

    /// The filings of each category.
    pub(crate) fn categories(&self) -> BTreeMap<&str, Bitmap> {
        self.by(|class| &class.category)
    }

    /// The filings of each type.
    pub(crate) fn types(&self) -> BTreeMap<&str, Bitmap> {
        self.by(|class| &class.kind)
    }

    fn by<'f>(&'f self, name: impl Fn(&'f Class) -> &'f str) -> BTreeMap<&'f str, Bitmap> {
        let mut sets = BTreeMap::<&str, Bitmap>::new();
        for class in self.classes.values() {
            let filings = Bitmap::from_sorted_iter(class.filings.iter().copied());
            *sets.entry(name(class)).or_default() |= filings.unwrap_or_default();
        }
        sets
    }
}

impl Class {
    fn read(connection: &Connection, id: i64, texts: &mut BlockTexts) -> Result<Option<Class>> {
        const SQL: &str = "SELECT category, type, species FROM class WHERE id = ?1";
        let mut statement = connection.prepare_cached(SQL)?;
        let mut rows = statement.query([id])?;
        rows.next()?.map(|row| Class::of(row, texts)).transpose()
    }

    fn of(row: &Row<'_>, texts: &mut BlockTexts) -> Result<Class> {
        /// The categories of reports on a period.
        const PERIODIC: [&str; 2] = ["dados economico-financeiros", "itr"];
        let text = |column| -> Result<String> {
            Ok(fold(row.get_ref(column)?.as_str().unwrap_or_default()))
        };
        let levels = [text(0)?, text(1)?, text(2)?];
        let mut extra_words = Vec::new();
        let all: Vec<&str> = levels.iter().flat_map(|level| words(level)).collect();
        for_each_extra_word(&all, |word| extra_words.push(texts.word_number(word)));
        let numbered = |level: &String| {
            words_of_level(level).iter().map(|word| texts.word_number(word)).collect::<Vec<_>>()
        };
        let numbers = levels.iter().map(numbered).collect();
        let [category, kind, _] = levels;
        Ok(Class {
            // The yearly statements are about more than the last quarter.
            is_periodic: PERIODIC.contains(&category.as_str()) && !kind.contains("anuais"),
            category,
            kind,
            levels: numbers,
            extra_words,
            filings: Vec::new(),
        })
    }
}

/// The filings of a term are in the summary if the block has at most this many of them: then a search need not read its
/// row. Up to 64 would take 8 MiB more of memory for 1.6 million filings, up to 8 would save 5 MiB.
pub(crate) const FEW: u32 = 24;

/// The place of the keys, after those of all kinds.
const KEYS: u32 = 0xff;

/// The kinds that have a summary. Runs are too many, and heads are rarely needed.
pub(crate) fn has_summary(kind: TermKind) -> bool {
    match kind {
        TermKind::Text
        | TermKind::Company
        | TermKind::Category
        | TermKind::Type
        | TermKind::Class
        | TermKind::Year
        | TermKind::Name
        | TermKind::Both
        | TermKind::Prefix => true,
        TermKind::Head
        | TermKind::Run
        | TermKind::Summary
        | TermKind::NameRun
        | TermKind::NameSummary => false,
    }
}

/// The row with the summary of a kind. It is removed together with the terms that it summarises.
fn row_of(block: &Block, kind: TermKind) -> i64 {
    let depends_on_names = kind.number() >= TermKind::Name.number();
    let summary = if depends_on_names { TermKind::NameSummary } else { TermKind::Summary };
    block.row(first_of(summary) | kind.number())
}

/// A term in a summary.
pub(crate) struct SummaryEntry<'s> {
    pub(crate) term: TermId,
    pub(crate) count: u32,
    /// The numbers of its filings, two bytes each; empty if they are more than [`FEW`].
    pub(crate) few: &'s [u8],
}

/// Terms of one kind, written one after the other in the order of their numbers.
#[derive(Default)]
pub(crate) struct Summary {
    bytes: Vec<u8>,
    last: TermId,
    terms: u32,
}

impl Summary {
    /// Adds a term.
    pub(crate) fn push(&mut self, SummaryEntry { term, count, few }: &SummaryEntry<'_>) {
        write_leb128(&mut self.bytes, u64::from(term - self.last));
        write_leb128(&mut self.bytes, u64::from(*count));
        self.bytes.extend_from_slice(few);
        (self.last, self.terms) = (*term, self.terms + 1);
    }

    /// Appends it to the summary of a kind in a block. Terms that are there have smaller numbers than new ones.
    pub(crate) fn write(
        self,
        connection: &Connection,
        block: &Block,
        kind: TermKind,
    ) -> Result<()> {
        if self.terms == 0 {
            return Ok(());
        }
        let row = row_of(block, kind);
        let Some(before) = read_summary(connection, row)? else {
            return write_summary_row(connection, row, self.terms, &self.bytes);
        };
        let mut all = Summary::default();
        for entry in entries(&before).chain(entries(&self.bytes)) {
            all.push(&entry?);
        }
        write_summary_row(connection, row, all.terms, &all.bytes)
    }
}

/// Writes the keys of a block's filings, which stand in order.
pub(crate) fn write_keys(connection: &Connection, block: &Block, keys: &[i64]) -> Result<()> {
    let mut bytes = Vec::new();
    let mut last = 0;
    for key in keys {
        write_leb128(&mut bytes, key.wrapping_sub(last).cast_unsigned());
        last = *key;
    }
    let count = u32::try_from(keys.len()).unwrap_or(u32::MAX);
    write_summary_row(connection, block.row(first_of(TermKind::Summary) | KEYS), count, &bytes)
}

/// The summary of a kind in a block; empty if it has none.
pub(crate) fn read_kind(connection: &Connection, block: &Block, kind: TermKind) -> Result<Vec<u8>> {
    Ok(read_summary(connection, row_of(block, kind))?.unwrap_or_default())
}

/// The keys of a block's filings, as they are stored.
pub(crate) fn read_keys(connection: &Connection, block: &Block) -> Result<Vec<u8>> {
    Ok(read_summary(connection, block.row(first_of(TermKind::Summary) | KEYS))?.unwrap_or_default())
}

/// The terms of a summary.
pub(crate) fn entries(bytes: &[u8]) -> impl Iterator<Item = Result<SummaryEntry<'_>>> {
    let (mut rest, mut term) = (bytes, 0);
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let entry = next(&mut rest, term).ok_or_else(damaged_summary);
        match &entry {
            Ok(entry) => term = entry.term,
            Err(_) => rest = &[],
        }
        Some(entry)
    })
}

fn next<'s>(rest: &mut &'s [u8], last: TermId) -> Option<SummaryEntry<'s>> {
    let term = last.checked_add(u32::try_from(read_leb128(rest)?).ok()?)?;
    let count = u32::try_from(read_leb128(rest)?).ok()?;
    let few = if count <= FEW { rest.split_off(..count as usize * 2)? } else { &[] };
    Some(SummaryEntry { term, count, few })
}

pub(crate) fn damaged_summary() -> Error {
    Error::unavailable("the search index is damaged", "a summary of a block cannot be read")
}

fn read_summary(connection: &Connection, row: i64) -> Result<Option<Vec<u8>>> {
    const SQL: &str = "SELECT bits FROM filing_term WHERE id = ?1";
    Ok(connection.prepare_cached(SQL)?.query_row([row], |row| row.get(0)).optional()?)
}

fn write_summary_row(connection: &Connection, row: i64, count: u32, bytes: &[u8]) -> Result<()> {
    const SQL: &str = "INSERT OR REPLACE INTO filing_term (id, count, bits) VALUES (?1, ?2, ?3)";
    connection.prepare_cached(SQL)?.execute((row, count, bytes))?;
    Ok(())
}
