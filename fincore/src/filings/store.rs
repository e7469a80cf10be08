//! Writing filings, with everything that makes finding and counting them quick.
use std::{borrow::Cow, collections::HashMap};

use rusqlite::{OptionalExtension, Params, Row};

use super::{counts::Counts, served::usual_url};
use crate::{
    CvmCode, Date, FilingId, Result,
    catalogue::{Tally, Writer},
    types::{fold, words},
};

/// A filing as a file gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry<'a> {
    pub(crate) id: FilingId,
    pub(crate) date: Date,
    pub(crate) company: CvmCode,
    pub(crate) company_name: Cow<'a, str>,
    pub(crate) category: Cow<'a, str>,
    pub(crate) kind: Cow<'a, str>,
    pub(crate) species: Cow<'a, str>,
    pub(crate) subject: Cow<'a, str>,
    pub(crate) reference_date: Option<Date>,
    pub(crate) version: u32,
    pub(crate) link: Link<'a>,
}

/// Where the document is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Link<'a> {
    /// At CVM's usual address, which has this number in it.
    Usual(Option<u32>),
    Other(Cow<'a, str>),
}

impl<'a> Link<'a> {
    /// Notes only what cannot be made from the rest of the filing.
    pub(crate) fn new(url: Cow<'a, str>, id: FilingId, version: u32) -> Link<'a> {
        let sequence =
            url.split('&').find_map(|part| part.strip_prefix("numSequencia=")?.parse().ok());
        if usual_url(id, sequence.unwrap_or_default(), version) == url {
            Link::Usual(sequence)
        } else {
            Link::Other(url)
        }
    }
}

/// What to do with filings that are known already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Known {
    /// They become as they are given now.
    Replace,
    /// They stay as they are.
    Keep,
}

/// Filings on their way into the catalogue. What is counted over all of them is written by
/// [`Filings::finish`], once.
#[derive(Debug, Default)]
pub(crate) struct Filings {
    filers: HashMap<String, Named>,
    classes: HashMap<String, Named>,
    counts: Counts,
    changed: bool,
}

/// A row that many filings refer to.
#[derive(Clone, Debug)]
struct Named {
    id: i64,
    /// Of a class, the number of its category.
    category: i64,
    folded: String,
}

/// What is known of a filing, in the order of the columns.
#[derive(Debug, PartialEq, Eq)]
struct Stored<'a> {
    key: i64,
    filer: i64,
    class: i64,
    version: u32,
    reference_day: Option<i32>,
    sequence: Option<u32>,
    url: Option<&'a str>,
    subject: &'a str,
}

impl Filings {
    /// Stores filings, and sorts them for that: the tables and the index are written fastest, and
    /// smallest, in the order of their keys.
    pub(crate) fn store(
        &mut self,
        writer: &Writer,
        entries: &mut [Entry<'_>],
        known: Known,
    ) -> Result<Tally> {
        const FIND: &str =
            "SELECT key, filer, class, version, reference_day, sequence, url, subject
            FROM filing WHERE id = ?1";
        entries.sort_unstable_by_key(|entry| entry.id.key(entry.date));
        let mut find = writer.prepare(FIND)?;
        let mut tally = Tally::default();
        for entry in &*entries {
            let filer = self.filer(writer, entry)?;
            let class = self.class(writer, entry)?;
            let wanted = Stored::of(entry, filer.id, class.id);
            let outcome = find
                .query_row([entry.id.packed()], |row| {
                    let stored = Stored::read(row)?;
                    Ok((stored.key, known == Known::Keep || stored == wanted))
                })
                .optional()?;
            tally += match outcome {
                Some((_, true)) => {
                    tally += Tally::UNCHANGED;
                    continue;
                }
                Some((key, false)) => {
                    self.remove(writer, key)?;
                    Tally::CHANGED
                }
                None => Tally::NEW,
            };
            let text = format!("{} {} {}", filer.folded, class.folded, fold(&entry.subject));
            insert(writer, entry, &wanted, class.category)?;
            self.index(writer, wanted.key, &text)?;
        }
        self.changed |= tally.is_change();
        Ok(tally)
    }

    /// Writes the totals, after the last filing has been stored.
    pub(crate) fn finish(self, writer: &Writer) -> Result<()> {
        const FORGET: &str = "DELETE FROM filing_total";
        const COUNT: &str = "WITH daily (category, day, filings) AS (
                SELECT category, key >> 40, COUNT(*) FROM filing GROUP BY 1, 2)
            INSERT INTO filing_total (category, day, filings)
            SELECT category, day, SUM(filings) OVER (PARTITION BY category ORDER BY day) FROM daily
            UNION ALL
            SELECT 0, day, SUM(SUM(filings)) OVER (ORDER BY day) FROM daily GROUP BY day";
        if !self.changed {
            return Ok(());
        }
        self.counts.write(writer)?;
        writer.prepare(FORGET)?.execute([])?;
        writer.prepare(COUNT)?.execute([])?;
        Ok(())
    }

    fn filer(&mut self, writer: &Writer, entry: &Entry<'_>) -> Result<Named> {
        const FIND: &str = "SELECT id FROM filer WHERE company = ?1 AND name = ?2";
        const WRITE: &str = "INSERT INTO filer (company, name) VALUES (?1, ?2) RETURNING id";
        let name = format!("{}\t{}", entry.company, entry.company_name);
        if let Some(filer) = self.filers.get(&name) {
            return Ok(filer.clone());
        }
        let id = found_or_made(writer, FIND, WRITE, (entry.company.get(), &entry.company_name))?;
        let filer = Named { id, category: 0, folded: fold(&entry.company_name) };
        self.filers.insert(name, filer.clone());
        Ok(filer)
    }

    fn class(&mut self, writer: &Writer, entry: &Entry<'_>) -> Result<Named> {
        const FIND_CATEGORY: &str = "SELECT id FROM category WHERE folded = ?1";
        const WRITE_CATEGORY: &str = "INSERT INTO category (folded) VALUES (?1) RETURNING id";
        const FIND: &str = "SELECT id FROM class
            WHERE category = ?1 AND type = ?2 AND species = ?3 AND ?4 = category_id";
        const WRITE: &str = "INSERT INTO class (category, type, species, category_id)
            VALUES (?1, ?2, ?3, ?4) RETURNING id";
        let Entry { category: name, kind, species, .. } = entry;
        let levels = format!("{name}\t{kind}\t{species}");
        if let Some(class) = self.classes.get(&levels) {
            return Ok(class.clone());
        }
        let category = found_or_made(writer, FIND_CATEGORY, WRITE_CATEGORY, [fold(name)])?;
        let id = found_or_made(writer, FIND, WRITE, (name, kind, species, category))?;
        let class = Named { id, category, folded: fold(&levels) };
        self.classes.insert(levels, class.clone());
        Ok(class)
    }

    fn index(&mut self, writer: &Writer, key: i64, text: &str) -> Result<()> {
        const SQL: &str = "INSERT INTO filing_search (rowid, words) VALUES (?1, ?2)";
        let words = searchable(text);
        self.counts.add(words.split(' '), 1);
        writer.prepare(SQL)?.execute((key, words))?;
        Ok(())
    }

    /// Takes a filing out of the table, the index and the counts.
    fn remove(&mut self, writer: &Writer, key: i64) -> Result<()> {
        const TEXT: &str = "SELECT filer.name || ' ' || class.category || ' ' || type || ' '
                || species || ' ' || subject
            FROM filing JOIN filer ON filer.id = filer JOIN class ON class.id = class WHERE key = ?1";
        const FORGET: &str =
            "INSERT INTO filing_search (filing_search, rowid, words) VALUES ('delete', ?1, ?2)";
        const REMOVE: &str = "DELETE FROM filing WHERE key = ?1";
        let text: String = writer.prepare(TEXT)?.query_row([key], |row| row.get(0))?;
        let words = searchable(&fold(&text));
        self.counts.add(words.split(' '), -1);
        writer.prepare(FORGET)?.execute((key, words))?;
        writer.prepare(REMOVE)?.execute([key])?;
        Ok(())
    }
}

/// The words of a folded text, as the index is given them.
fn searchable(folded: &str) -> String {
    let mut all = String::with_capacity(folded.len());
    for word in words(folded).filter(|word| word.is_ascii()) {
        if !all.is_empty() {
            all.push(' ');
        }
        all.push_str(word);
    }
    all
}

fn found_or_made(
    writer: &Writer,
    find: &str,
    write: &str,
    params: impl Params + Clone,
) -> Result<i64> {
    let found = writer.prepare(find)?.query_row(params.clone(), |row| row.get(0)).optional()?;
    match found {
        Some(id) => Ok(id),
        None => Ok(writer.prepare(write)?.query_row(params, |row| row.get(0))?),
    }
}

fn insert(writer: &Writer, entry: &Entry<'_>, row: &Stored<'_>, category: i64) -> Result<()> {
    const SQL: &str = "INSERT INTO filing (key, id, company, category, filer, class, version,
            reference_day, sequence, url, subject)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";
    writer.prepare(SQL)?.execute((
        row.key,
        entry.id.packed(),
        entry.company.get(),
        category,
        row.filer,
        row.class,
        row.version,
        row.reference_day,
        row.sequence,
        row.url,
        row.subject,
    ))?;
    Ok(())
}

impl<'a> Stored<'a> {
    fn of(entry: &'a Entry<'_>, filer: i64, class: i64) -> Stored<'a> {
        let (sequence, url) = match &entry.link {
            Link::Usual(sequence) => (*sequence, None),
            Link::Other(url) => (None, Some(url.as_ref())),
        };
        Stored {
            key: entry.id.key(entry.date),
            filer,
            class,
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
            filer: row.get(1)?,
            class: row.get(2)?,
            version: row.get(3)?,
            reference_day: row.get(4)?,
            sequence: row.get(5)?,
            url: row.get_ref(6)?.as_str_or_null()?,
            subject: row.get_ref(7)?.as_str()?,
        })
    }
}
