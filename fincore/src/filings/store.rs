//! Writes filings.
use std::{collections::BTreeSet, mem};

use foldhash::HashMap;
use roaring::RoaringTreemap;
use rusqlite::{CachedStatement, OptionalExtension, Params, Row};

use crate::{
    filings::{FileExtents, Filing, Link, NewFiling, filing},
    index::{BlockSizes, ChangedBlocks, IndexProgress, update},
    store::{OnConflict, Tally, Writer},
    values::{CvmCode, Date, FilingId, Form, Result},
};

pub(crate) use crate::filings::filing::DATASET as FILINGS;

/// The filings of one import. [`Filings::finish`] updates the search index, once.
#[derive(Debug, Default)]
pub(crate) struct Filings {
    ids: IdCache,
    changed: ChangedBlocks,
    /// The filings that earlier batches of the same table had. Numbers of one file lie close together, so they take little
    /// memory.
    in_table: RoaringTreemap,
    /// The extents of the stored files.
    pub(crate) extents: FileExtents,
    pub(crate) sizes: BlockSizes,
}

/// A row of the filing table.
#[derive(Debug, PartialEq, Eq)]
struct StoredFiling<'a> {
    key: i64,
    id: i64,
    company: u32,
    filer: i64,
    class: i64,
    version: u32,
    reference_day: Option<i32>,
    sequence: Option<u32>,
    url: Option<&'a str>,
    subject: &'a str,
}

impl Filings {
    /// Stores filings. Sorts them first: the table is written fastest, and ends up smallest, in key order.
    pub(crate) fn store(
        &mut self,
        writer: &Writer,
        entries: &mut [NewFiling<'_>],
        on_conflict: OnConflict,
    ) -> Result<Tally> {
        entries.sort_by_cached_key(|entry| entry.id.key(entry.date));
        self.ids.clear_if_full();
        let mut table = Table::new(writer)?;
        let mut tally = Tally::default();
        let mut changes = Vec::new();
        for entry in entries.iter() {
            self.extents.add(entry);
            let row = StoredFiling::new(
                entry,
                self.ids.filer(writer, entry)?,
                self.ids.class(writer, entry)?,
            );
            let outcome = self.store_row(writer, &mut table, &row, on_conflict)?;
            if outcome.is_change() {
                self.changed.note(writer.connection(), row.key)?;
            }
            changes.extend(outcome.change().map(|change| (entry.id, change)));
            tally += outcome;
        }
        let forms: BTreeSet<Form> = changes.iter().map(|(id, _)| id.form()).collect();
        forms.into_iter().for_each(|form| writer.touch(form.dataset()));
        // The log is in the order of ids, and also written fastest in its order.
        changes.sort_unstable_by_key(|(id, _)| *id);
        writer.log_all(FILINGS, changes)?;
        Ok(tally)
    }

    fn store_row(
        &mut self,
        writer: &Writer,
        table: &mut Table<'_>,
        row: &StoredFiling<'_>,
        on_conflict: OnConflict,
    ) -> Result<Tally> {
        // To insert a filing finds out whether it is there, so that a new one need not be looked for first.
        if table.was_new && table.insert(row)? {
            return Ok(Tally::NEW);
        }
        let known = table.find(row, on_conflict)?;
        table.was_new = known.is_none();
        let outcome = match known {
            Some(known) if known.stays => return Ok(Tally::UNCHANGED),
            Some(KnownFiling { key, .. }) => {
                table.remove(key)?;
                self.changed.note(writer.connection(), key)?;
                Tally::CHANGED
            }
            None => Tally::NEW,
        };
        table.insert(row)?;
        Ok(outcome)
    }

    /// Removes the filing with this key.
    pub(crate) fn remove(&mut self, writer: &Writer, key: i64) -> Result<()> {
        Table::new(writer)?.remove(key)?;
        self.changed.note(writer.connection(), key)
    }

    /// The extents stored since the last call, by the file of CVM.
    pub(crate) fn take_extents(&mut self) -> FileExtents {
        mem::take(&mut self.extents)
    }

    /// Updates the search index, after the last filing and the last company were written.
    pub(crate) fn finish(self, writer: &Writer) -> Result<()> {
        self.finish_with(writer, |_| ())
    }

    /// Finishes, and reports progress.
    pub(crate) fn finish_with(
        self,
        writer: &Writer,
        mut progress: impl FnMut(IndexProgress),
    ) -> Result<()> {
        update::update(writer.connection(), &self.changed, self.sizes, &mut progress)
    }
}

/// Whether a filing occurred before in the same table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Occurrence {
    /// It did not.
    First,
    /// It did, with the same values.
    Same,
    /// It did, with other values, and this one is as new or newer.
    Newer,
    /// It did, with other values that are newer.
    Older,
}

/// A table that is stored in several batches may have the same filing in two of them. What they were is in the filing table
/// itself.
impl Filings {
    /// Forgets the filings of the table before.
    pub(crate) fn begin_table(&mut self) {
        self.in_table.clear();
    }

    /// Compares a filing with the earlier batches of its table, which are stored.
    pub(crate) fn occurrence(
        &mut self,
        writer: &Writer,
        entry: &NewFiling<'_>,
    ) -> Result<Occurrence> {
        if self.in_table.insert(entry.id.to_bits().cast_unsigned()) {
            return Ok(Occurrence::First);
        }
        let row = StoredFiling::new(
            entry,
            self.ids.filer(writer, entry)?,
            self.ids.class(writer, entry)?,
        );
        let age = |key: i64, version: u32| (version, FilingId::of_key(key).map(|(_, day)| day));
        let mut table = Table::new(writer)?;
        match table.find(&row, OnConflict::Replace)? {
            Some(known) if known.stays => Ok(Occurrence::Same),
            Some(known) if age(known.key, known.version) > age(row.key, row.version) => {
                Ok(Occurrence::Older)
            }
            Some(_) => Ok(Occurrence::Newer),
            None => Ok(Occurrence::Same),
        }
    }
}

/// The stored filing with this id, if there is one that can be read.
pub(crate) fn stored_filing(writer: &Writer, id: FilingId) -> Result<Option<Filing>> {
    Ok(writer
        .prepare(&format!("{} WHERE filing.id = ?1", filing::SELECT))?
        .query_row([id.to_bits()], |row| Ok(filing::read(row).ok()))
        .optional()?
        .flatten())
}

/// The name under which a company last filed, or else its name in the registry.
pub(crate) fn known_filer_name(writer: &Writer, company: CvmCode) -> Result<Option<String>> {
    const FILER: &str = "SELECT name FROM filer WHERE company = ?1 ORDER BY id DESC LIMIT 1";
    const COMPANY: &str = "SELECT name FROM company WHERE id = ?1";
    for sql in [FILER, COMPANY] {
        let name = writer.prepare(sql)?.query_row([company], |row| row.get(0)).optional()?;
        if name.is_some() {
            return Ok(name);
        }
    }
    Ok(None)
}

/// The stored part of a filing that is to be stored.
struct KnownFiling {
    key: i64,
    version: u32,
    stays: bool,
}

/// The filing table, with prepared statements.
struct Table<'w> {
    find: CachedStatement<'w>,
    insert: CachedStatement<'w>,
    remove: CachedStatement<'w>,
    /// Whether the last filing was new: then the next one probably is, too.
    was_new: bool,
}

impl<'w> Table<'w> {
    fn new(writer: &'w Writer) -> Result<Table<'w>> {
        const FIND: &str =
            "SELECT key, id, company, filer, class, version, reference_day, sequence, url,
                subject FROM filing WHERE id = ?1";
        const INSERT: &str =
            "INSERT INTO filing (key, id, company, filer, class, version, reference_day,
                sequence, url, subject)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10) ON CONFLICT DO NOTHING";
        const REMOVE: &str = "DELETE FROM filing WHERE key = ?1";
        Ok(Table {
            find: writer.prepare(FIND)?,
            insert: writer.prepare(INSERT)?,
            remove: writer.prepare(REMOVE)?,
            was_new: false,
        })
    }

    /// The stored filing with the id of this one.
    fn find(
        &mut self,
        row: &StoredFiling<'_>,
        on_conflict: OnConflict,
    ) -> Result<Option<KnownFiling>> {
        let read = |found: &Row<'_>| {
            let found = StoredFiling::read(found)?;
            let stays = match on_conflict {
                OnConflict::Keep => !found.subject.is_empty() || row.subject.is_empty(),
                OnConflict::Replace => found == *row,
            };
            Ok(KnownFiling { key: found.key, version: found.version, stays })
        };
        Ok(self.find.query_row([row.id], read).optional()?)
    }

    /// Inserts a filing, and returns whether there was none with its id.
    fn insert(&mut self, row: &StoredFiling<'_>) -> Result<bool> {
        let inserted = self.insert.execute((
            row.key,
            row.id,
            row.company,
            row.filer,
            row.class,
            row.version,
            row.reference_day,
            row.sequence,
            row.url,
            row.subject,
        ))?;
        Ok(inserted > 0)
    }

    fn remove(&mut self, key: i64) -> Result<()> {
        self.remove.execute([key])?;
        Ok(())
    }
}

impl<'a> StoredFiling<'a> {
    fn new(entry: &'a NewFiling<'_>, filer: i64, class: i64) -> StoredFiling<'a> {
        let (sequence, url) = match &entry.link {
            Link::Usual(sequence) => (*sequence, None),
            Link::Other(url) => (None, Some(url.as_ref())),
        };
        StoredFiling {
            key: entry.id.key(entry.date),
            id: entry.id.to_bits(),
            company: entry.company.get(),
            filer,
            class,
            version: entry.version,
            reference_day: entry.reference_date.map(Date::day_number),
            sequence,
            url,
            subject: &entry.subject,
        }
    }

    fn read(row: &'a Row<'_>) -> rusqlite::Result<StoredFiling<'a>> {
        Ok(StoredFiling {
            key: row.get(0)?,
            id: row.get(1)?,
            company: row.get(2)?,
            filer: row.get(3)?,
            class: row.get(4)?,
            version: row.get(5)?,
            reference_day: row.get(6)?,
            sequence: row.get(7)?,
            url: row.get_ref(8)?.as_str_or_null()?,
            subject: row.get_ref(9)?.as_str()?,
        })
    }
}

/// The most ids that are cached; there are some 3,000 in twenty years.
const MAX_ROWS: usize = 50_000;

/// The ids of the filer and class rows that this import has seen.
#[derive(Debug, Default)]
pub(crate) struct IdCache {
    /// By company, because most have one name.
    filers: HashMap<u32, Vec<(Box<str>, i64)>>,
    classes: HashMap<String, i64>,
    rows: usize,
    /// The look-up key, kept so that a look-up does not allocate.
    class_key: String,
}

impl IdCache {
    /// Empties the cache if it is too large.
    fn clear_if_full(&mut self) {
        if self.rows > MAX_ROWS {
            *self = IdCache::default();
        }
    }

    /// The id of a filing's filer; a new one is stored.
    fn filer(&mut self, writer: &Writer, entry: &NewFiling<'_>) -> Result<i64> {
        const FIND: &str = "SELECT id FROM filer WHERE company = ?1 AND name = ?2";
        const WRITE: &str = "INSERT INTO filer (company, name) VALUES (?1, ?2) RETURNING id";
        let (company, name) = (entry.company.get(), &*entry.company_name);
        let names = self.filers.entry(company).or_default();
        if let Some((_, id)) = names.iter().find(|(known, _)| **known == *name) {
            return Ok(*id);
        }
        let id = find_or_insert(writer, FIND, WRITE, (company, name))?;
        names.push((name.into(), id));
        self.rows += 1;
        Ok(id)
    }

    /// The id of a filing's class; a new one is stored.
    fn class(&mut self, writer: &Writer, entry: &NewFiling<'_>) -> Result<i64> {
        const FIND: &str =
            "SELECT id FROM class WHERE category = ?1 AND type = ?2 AND species = ?3";
        const WRITE: &str =
            "INSERT INTO class (category, type, species) VALUES (?1, ?2, ?3) RETURNING id";
        let levels = [&*entry.category, &*entry.kind, &*entry.species];
        self.class_key.clear();
        for level in levels {
            self.class_key.push_str(level);
            self.class_key.push('\t');
        }
        if let Some(id) = self.classes.get(&self.class_key) {
            return Ok(*id);
        }
        let id = find_or_insert(writer, FIND, WRITE, levels)?;
        self.classes.insert(self.class_key.clone(), id);
        self.rows += 1;
        Ok(id)
    }
}

fn find_or_insert(
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
