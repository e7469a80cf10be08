//! Writes filings, with the index and the totals that make queries fast.
use rusqlite::{CachedStatement, OptionalExtension, Row};

use super::{
    ALL_CATEGORIES,
    counts::WordCounts,
    entry::{Link, NewFiling},
    names::{Named, Names},
    served::from_filing,
};
use crate::{
    catalogue::{OnConflict, Tally, Writer},
    error::Result,
    types::{Date, ID_BITS, fold, words},
};

pub(crate) use super::DATASET as FILINGS;

/// The filings of one import. [`Filings::finish`] writes the counts over all of them, once.
#[derive(Debug, Default)]
pub(crate) struct Filings {
    names: Names,
    counts: WordCounts,
    changed: bool,
}

/// A row of the filing table.
#[derive(Debug, PartialEq, Eq)]
struct Stored<'a> {
    key: i64,
    id: i64,
    company: u32,
    category: i64,
    filer: i64,
    class: i64,
    version: u32,
    reference_day: Option<i32>,
    sequence: Option<u32>,
    url: Option<&'a str>,
    subject: &'a str,
}

impl Filings {
    /// Stores filings. Sorts them first: table and index are written fastest, and end up smallest, in key
    /// order.
    pub(crate) fn store(
        &mut self,
        writer: &Writer,
        entries: &mut [NewFiling<'_>],
        on_conflict: OnConflict,
    ) -> Result<Tally> {
        entries.sort_unstable_by_key(|entry| entry.id.key(entry.date));
        self.names.limit();
        // All names first: a write to another table would make the index flush what it has gathered.
        let names = entries.iter().map(|entry| self.names.of(writer, entry));
        let names = names.collect::<Result<Vec<_>>>()?;
        let mut table = Table::new(writer)?;
        let mut tally = Tally::default();
        let mut changes = Vec::new();
        for (entry, (filer, class)) in entries.iter().zip(names) {
            let (filer, class) = (self.names.get(filer), self.names.get(class));
            let row = Stored::of(entry, filer, class);
            let outcome = match table.find(&row, on_conflict)? {
                Some((_, true)) => Tally::UNCHANGED,
                Some((key, false)) => {
                    self.counts.remove(&table.remove(key)?);
                    Tally::CHANGED
                }
                None => Tally::NEW,
            };
            if outcome.is_change() {
                let subject = fold(&entry.subject);
                let words = searchable([&filer.folded, &class.folded, &subject]);
                self.counts.add(&words);
                table.insert(&row, &words)?;
                if self.counts.is_full() {
                    self.counts.write(writer)?;
                }
            }
            changes.extend(outcome.change().map(|change| (entry.id, change)));
            tally += outcome;
        }
        // After the loop, so that the index gathers undisturbed.
        writer.log_all(FILINGS, changes)?;
        self.changed |= tally.is_change();
        Ok(tally)
    }

    /// Writes the totals after the last filing.
    pub(crate) fn finish(mut self, writer: &Writer) -> Result<()> {
        if !self.changed {
            return Ok(());
        }
        self.counts.write(writer)?;
        write_totals(writer)
    }
}

/// Counts all filings by category and day.
pub(super) fn write_totals(writer: &Writer) -> Result<()> {
    const FORGET: &str = "DELETE FROM filing_total";
    const COUNT: &str = "WITH daily (category, day, filings) AS (
            SELECT category, key >> ?1, COUNT(*) FROM filing GROUP BY 1, 2)
        INSERT INTO filing_total (category, day, filings)
        SELECT category, day, SUM(filings) OVER (PARTITION BY category ORDER BY day) FROM daily
        UNION ALL
        SELECT ?2, day, SUM(SUM(filings)) OVER (ORDER BY day) FROM daily GROUP BY day";
    writer.prepare(FORGET)?.execute([])?;
    writer.prepare(COUNT)?.execute((ID_BITS, ALL_CATEGORIES))?;
    Ok(())
}

/// Whether a filing was in the same table before.
#[cfg(feature = "import")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sight {
    /// It was not.
    First,
    /// It was, with the same values.
    Same,
    /// It was, with other values.
    Different,
}

/// A table that is stored in several batches may have the same filing in two of them. Which ones it had is noted in a
/// temporary table, because there is no limit to their number; what they were is in the filing table itself.
#[cfg(feature = "import")]
impl Filings {
    /// Forgets the filings of the table before.
    pub(crate) fn begin_table(writer: &Writer) -> Result<()> {
        const CREATE: &str = "CREATE TEMP TABLE IF NOT EXISTS seen (id INTEGER PRIMARY KEY) STRICT";
        const FORGET: &str = "DELETE FROM temp.seen";
        writer.prepare(CREATE)?.execute([])?;
        writer.prepare(FORGET)?.execute([])?;
        Ok(())
    }

    /// Compares a filing with the earlier batches of its table, which are stored.
    pub(crate) fn see(&mut self, writer: &Writer, entry: &NewFiling<'_>) -> Result<Sight> {
        const NOTE: &str = "INSERT OR IGNORE INTO temp.seen (id) VALUES (?1)";
        if writer.prepare(NOTE)?.execute([entry.id.packed()])? > 0 {
            return Ok(Sight::First);
        }
        let (filer, class) = self.names.of(writer, entry)?;
        let row = Stored::of(entry, self.names.get(filer), self.names.get(class));
        match Table::new(writer)?.find(&row, OnConflict::Replace)? {
            Some((_, false)) => Ok(Sight::Different),
            Some((_, true)) | None => Ok(Sight::Same),
        }
    }
}

/// The words of folded texts, as the index stores them.
pub(super) fn searchable(texts: [&str; 3]) -> String {
    let mut all = String::with_capacity(texts.iter().map(|text| text.len() + 1).sum());
    for word in texts.into_iter().flat_map(words).filter(|word| word.is_ascii()) {
        if !all.is_empty() {
            all.push(' ');
        }
        all.push_str(word);
    }
    all
}

/// The filing table and its index, with prepared statements for both.
struct Table<'w> {
    find: CachedStatement<'w>,
    insert: CachedStatement<'w>,
    index: CachedStatement<'w>,
    writer: &'w Writer,
}

impl<'w> Table<'w> {
    fn new(writer: &'w Writer) -> Result<Table<'w>> {
        const FIND: &str =
            "SELECT key, id, company, category, filer, class, version, reference_day,
                sequence, url, subject FROM filing WHERE id = ?1";
        const INSERT: &str =
            "INSERT INTO filing (key, id, company, category, filer, class, version,
                reference_day, sequence, url, subject)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";
        const INDEX: &str = "INSERT INTO filing_search (rowid, words) VALUES (?1, ?2)";
        Ok(Table {
            find: writer.prepare(FIND)?,
            insert: writer.prepare(INSERT)?,
            index: writer.prepare(INDEX)?,
            writer,
        })
    }

    /// The key of the stored filing, and whether it stays as it is.
    fn find(&mut self, row: &Stored<'_>, on_conflict: OnConflict) -> Result<Option<(i64, bool)>> {
        let read = |found: &Row<'_>| {
            let found = Stored::read(found)?;
            Ok((found.key, on_conflict == OnConflict::Keep || found == *row))
        };
        Ok(self.find.query_row([row.id], read).optional()?)
    }

    fn insert(&mut self, row: &Stored<'_>, words: &str) -> Result<()> {
        self.insert.execute((
            row.key,
            row.id,
            row.company,
            row.category,
            row.filer,
            row.class,
            row.version,
            row.reference_day,
            row.sequence,
            row.url,
            row.subject,
        ))?;
        self.index.execute((row.key, words))?;
        Ok(())
    }

    /// Removes a filing from the table and the index, and returns its words.
    fn remove(&self, key: i64) -> Result<String> {
        const TEXTS: &str = concat!(
            "SELECT filer.name, class.category || ' ' || type || ' ' || species, subject ",
            from_filing!(),
            "WHERE key = ?1"
        );
        const FORGET: &str =
            "INSERT INTO filing_search (filing_search, rowid, words) VALUES ('delete', ?1, ?2)";
        const REMOVE: &str = "DELETE FROM filing WHERE key = ?1";
        let words = self.writer.prepare(TEXTS)?.query_row([key], |row| {
            let text =
                |column| row.get_ref(column)?.as_str().map(fold).map_err(rusqlite::Error::from);
            Ok(searchable([&text(0)?, &text(1)?, &text(2)?]))
        })?;
        self.writer.prepare(FORGET)?.execute((key, &words))?;
        self.writer.prepare(REMOVE)?.execute([key])?;
        Ok(words)
    }
}

impl<'a> Stored<'a> {
    fn of(entry: &'a NewFiling<'_>, filer: &Named, class: &Named) -> Stored<'a> {
        let (sequence, url) = match &entry.link {
            Link::Usual(sequence) => (*sequence, None),
            Link::Other(url) => (None, Some(url.as_ref())),
        };
        Stored {
            key: entry.id.key(entry.date),
            id: entry.id.packed(),
            company: entry.company.get(),
            category: class.category,
            filer: filer.id,
            class: class.id,
            version: entry.version,
            reference_day: entry.reference_date.map(Date::day_number),
            sequence,
            url,
            subject: &entry.subject,
        }
    }

    fn read(row: &'a Row<'_>) -> rusqlite::Result<Stored<'a>> {
        Ok(Stored {
            key: row.get(0)?,
            id: row.get(1)?,
            company: row.get(2)?,
            category: row.get(3)?,
            filer: row.get(4)?,
            class: row.get(5)?,
            version: row.get(6)?,
            reference_day: row.get(7)?,
            sequence: row.get(8)?,
            url: row.get_ref(9)?.as_str_or_null()?,
            subject: row.get_ref(10)?.as_str()?,
        })
    }
}
