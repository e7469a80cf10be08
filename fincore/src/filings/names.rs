//! The names and classes that filings refer to.
use std::{collections::HashMap, fmt::Write};

use rusqlite::{OptionalExtension, Params};

use super::entry::NewFiling;
use crate::{catalogue::Writer, error::Result, types::fold};

/// So many rows are remembered; there are some 3,000 in twenty years.
const MAX_ROWS: usize = 50_000;

/// The name and class rows that this import has seen.
#[derive(Debug, Default)]
pub(super) struct Names {
    filers: HashMap<String, usize>,
    classes: HashMap<String, usize>,
    rows: Vec<Named>,
    /// The look-up key, kept so that a look-up does not allocate.
    wanted: String,
}

#[derive(Debug)]
pub(super) struct Named {
    pub(super) id: i64,
    /// For a class, the row of its category.
    pub(super) category: i64,
    pub(super) folded: String,
}

impl Names {
    /// Forgets everything if it is too much. What [`Names::of`] gave before is void then.
    pub(super) fn limit(&mut self) {
        if self.rows.len() > MAX_ROWS {
            *self = Names::default();
        }
    }

    /// The filer and class of a filing; new ones are stored.
    pub(super) fn of(&mut self, writer: &Writer, entry: &NewFiling<'_>) -> Result<(usize, usize)> {
        Ok((self.filer(writer, entry)?, self.class(writer, entry)?))
    }

    pub(super) fn get(&self, at: usize) -> &Named {
        &self.rows[at]
    }

    fn filer(&mut self, writer: &Writer, entry: &NewFiling<'_>) -> Result<usize> {
        const FIND: &str = "SELECT id FROM filer WHERE company = ?1 AND name = ?2";
        const WRITE: &str = "INSERT INTO filer (company, name) VALUES (?1, ?2) RETURNING id";
        let (company, name) = (entry.company.get(), &*entry.company_name);
        self.wanted.clear();
        let _ = write!(self.wanted, "{company} {name}");
        if let Some(at) = self.filers.get(&self.wanted) {
            return Ok(*at);
        }
        let id = find_or_insert(writer, FIND, WRITE, (company, name))?;
        self.filers.insert(self.wanted.clone(), self.rows.len());
        Ok(self.push(Named { id, category: 0, folded: fold(name) }))
    }

    fn class(&mut self, writer: &Writer, entry: &NewFiling<'_>) -> Result<usize> {
        const FIND_CATEGORY: &str = "SELECT id FROM category WHERE folded = ?1";
        const WRITE_CATEGORY: &str = "INSERT INTO category (folded) VALUES (?1) RETURNING id";
        const FIND: &str = "SELECT id FROM class
            WHERE category = ?1 AND type = ?2 AND species = ?3 AND category_id = ?4";
        const WRITE: &str = "INSERT INTO class (category, type, species, category_id)
            VALUES (?1, ?2, ?3, ?4) RETURNING id";
        let levels = [&*entry.category, &*entry.kind, &*entry.species];
        self.wanted.clear();
        for level in levels {
            self.wanted.push_str(level);
            self.wanted.push('\t');
        }
        if let Some(at) = self.classes.get(&self.wanted) {
            return Ok(*at);
        }
        let [name, kind, species] = levels;
        let category = find_or_insert(writer, FIND_CATEGORY, WRITE_CATEGORY, [fold(name)])?;
        let id = find_or_insert(writer, FIND, WRITE, (name, kind, species, category))?;
        self.classes.insert(self.wanted.clone(), self.rows.len());
        Ok(self.push(Named { id, category, folded: fold(&levels.join(" ")) }))
    }

    fn push(&mut self, row: Named) -> usize {
        self.rows.push(row);
        self.rows.len() - 1
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
