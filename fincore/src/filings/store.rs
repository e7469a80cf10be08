//! Writes filings.
use std::{collections::BTreeSet, mem};

use rusqlite::{CachedStatement, OptionalExtension, Row};

use super::{
    filers_and_classes::IdCache,
    new_filing::{Link, NewFiling},
    whole_files::FileExtents,
};
use crate::{
    catalogue::{OnConflict, Tally, Writer},
    error::Result,
    index::{self, BlockSizes, ChangedBlocks, IndexProgress},
    types::{Date, Form},
};
#[cfg(feature = "import")]
use crate::{
    filings::{filing::Filing, reader},
    types::{CvmCode, FilingId},
};
#[cfg(feature = "import")]
use roaring::RoaringTreemap;

pub(crate) use super::filing::DATASET as FILINGS;

/// The filings of one import. [`Filings::finish`] updates the search index, once.
#[derive(Debug, Default)]
pub(crate) struct Filings {
    ids: IdCache,
    changed: ChangedBlocks,
    /// The filings that earlier batches of the same table had. Numbers of one file lie close together, so they take little
    /// memory.
    #[cfg(feature = "import")]
    in_table: RoaringTreemap,
    /// What the files have that were stored.
    pub(super) extents: FileExtents,
    pub(super) sizes: BlockSizes,
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
            let row = StoredFiling::new(entry, self.ids.ids_of(writer, entry)?);
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
    #[cfg(feature = "import")]
    pub(super) fn remove(&mut self, writer: &Writer, key: i64) -> Result<()> {
        Table::new(writer)?.remove(key)?;
        self.changed.note(writer.connection(), key)
    }

    /// What was stored since the last call, by the file of CVM that it belongs to.
    pub(crate) fn take_extents(&mut self) -> FileExtents {
        mem::take(&mut self.extents)
    }

    /// Updates the search index, after the last filing and the last company were written.
    pub(crate) fn finish(self, writer: &Writer) -> Result<()> {
        self.finish_with(writer, |_| ())
    }

    /// The same, and reports how far it is.
    pub(crate) fn finish_with(
        self,
        writer: &Writer,
        mut progress: impl FnMut(IndexProgress),
    ) -> Result<()> {
        index::update(writer.connection(), &self.changed, self.sizes, &mut progress)
    }
}

/// Whether a filing occurred before in the same table.
#[cfg(feature = "import")]
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
#[cfg(feature = "import")]
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
        let row = StoredFiling::new(entry, self.ids.ids_of(writer, entry)?);
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
#[cfg(feature = "import")]
pub(crate) fn stored_filing(writer: &Writer, id: FilingId) -> Result<Option<Filing>> {
    const SQL: &str = concat!(reader::select_filing!(), "WHERE filing.id = ?1");
    Ok(writer
        .prepare(SQL)?
        .query_row([id.to_bits()], |row| Ok(reader::read(row).ok()))
        .optional()?
        .flatten())
}

/// The name under which a company last filed, or else its name in the registry.
#[cfg(feature = "import")]
pub(crate) fn known_filer_name(writer: &Writer, company: CvmCode) -> Result<Option<String>> {
    const FILER: &str = "SELECT name FROM filer WHERE company = ?1 ORDER BY id DESC LIMIT 1";
    const COMPANY: &str = "SELECT name FROM company WHERE id = ?1";
    for sql in [FILER, COMPANY] {
        let name = writer.prepare(sql)?.query_row([company.get()], |row| row.get(0)).optional()?;
        if name.is_some() {
            return Ok(name);
        }
    }
    Ok(None)
}

/// What is stored of a filing that is to be stored.
struct KnownFiling {
    key: i64,
    #[cfg_attr(
        not(feature = "import"),
        expect(dead_code, reason = "only imports compare versions")
    )]
    version: u32,
    /// Whether it stays as it is.
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
    fn new(entry: &'a NewFiling<'_>, (filer, class): (i64, i64)) -> StoredFiling<'a> {
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
