//! Stores the filers and classes that filings refer to.
use foldhash::HashMap;
use rusqlite::{OptionalExtension, Params};

use super::new_filing::NewFiling;
use crate::{catalogue::Writer, error::Result};

/// The most ids that are cached; there are some 3,000 in twenty years.
const MAX_ROWS: usize = 50_000;

/// The ids of the filer and class rows that this import has seen.
#[derive(Debug, Default)]
pub(super) struct IdCache {
    /// By company, because most have one name.
    filers: HashMap<u32, Vec<(Box<str>, i64)>>,
    classes: HashMap<String, i64>,
    rows: usize,
    /// The look-up key, kept so that a look-up does not allocate.
    class_key: String,
}

impl IdCache {
    /// Empties the cache if it is too large.
    pub(super) fn clear_if_full(&mut self) {
        if self.rows > MAX_ROWS {
            *self = IdCache::default();
        }
    }

    /// The ids of a filing's filer and class; new ones are stored.
    pub(super) fn ids_of(&mut self, writer: &Writer, entry: &NewFiling<'_>) -> Result<(i64, i64)> {
        Ok((self.filer(writer, entry)?, self.class(writer, entry)?))
    }

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
