//! Writes statements.
use std::collections::HashMap;

use rusqlite::OptionalExtension;

use crate::{
    statements::{
        Capital, Content, FormKey, Scope, StatementTable,
        derive::{ChangedPeriods, derive},
        form::{DATASET, statement_id},
    },
    store::{Change, OnConflict, Tally, Writer},
    values::{CvmCode, Date, FilingId, Form, Result},
};

/// A table of statements from a file: one of a form for each company, period and version.
#[derive(Debug)]
pub(crate) struct NewTable {
    pub(crate) form: Form,
    pub(crate) table: StatementTable,
    pub(crate) scope: Scope,
    /// Every account of the table, and every part of equity.
    pub(crate) accounts: Vec<NewAccount>,
    /// The accounts in their contents are places in `accounts`; the parts of equity are one more, because 0 is none.
    pub(crate) statements: Vec<(FormKey, Content)>,
}

/// An account as a file names it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct NewAccount {
    pub(crate) code: String,
    pub(crate) name: String,
    pub(crate) fixed: bool,
}

/// The forms that the index of the file lists, with their filings and the days on which CVM received them.
#[derive(Debug, Default)]
pub(crate) struct FormIndex {
    forms: HashMap<FormKey, (FilingId, Date)>,
    /// The file has an index, so that filings it does not list were withdrawn.
    decides: bool,
}

impl FormIndex {
    /// Adds a form that the index of the file lists.
    pub(crate) fn add(&mut self, key: FormKey, filing: FilingId, received: Date) {
        self.forms.insert(key, (filing, received));
    }

    /// From now on only forms count that were added.
    pub(crate) fn decide(&mut self) {
        self.decides = true;
    }

    /// Adds the stored forms, for a file without an index.
    pub(crate) fn add_stored(&mut self, writer: &Writer, form: Form) -> Result<()> {
        const SQL: &str = "SELECT key, company, reference_day, version FROM filing
            WHERE id BETWEEN ?1 AND ?2 AND reference_day IS NOT NULL";
        if self.decides || self.forms.keys().any(|key| key.form == form) {
            return Ok(());
        }
        let mut statement = writer.prepare(SQL)?;
        let mut rows = statement.query(form.id_bits())?;
        while let Some(row) = rows.next()? {
            let period_end = Date::from_day_number(row.get(2)?);
            let company = CvmCode::new(row.get(1)?).ok();
            if let (Some((filing, received)), Some(period_end), Some(company)) =
                (FilingId::of_key(row.get(0)?), period_end, company)
            {
                let key = FormKey { company, form, period_end, version: row.get(3)? };
                self.forms.insert(key, (filing, received));
            }
        }
        Ok(())
    }

    /// Whether statements of this form are accepted.
    fn accepts(&self, key: &FormKey) -> bool {
        !self.decides || self.forms.contains_key(key)
    }
}

/// The statements of one import. [`Statements::finish`] makes the figures of the companies that changed.
#[derive(Debug, Default)]
pub(crate) struct Statements {
    forms: HashMap<FormKey, i64>,
    changed: ChangedPeriods,
}

#[derive(Debug, Default)]
pub(crate) struct StoredTable {
    pub(crate) tally: Tally,
    /// Forms that the index of the file does not list.
    pub(crate) unlisted: Vec<FormKey>,
}

impl Statements {
    /// Stores a table.
    pub(crate) fn store(
        &mut self,
        writer: &Writer,
        table: &NewTable,
        index: &FormIndex,
        on_conflict: OnConflict,
    ) -> Result<StoredTable> {
        let mut ids = vec![None; table.accounts.len()];
        let mut stored = StoredTable::default();
        for (key, content) in &table.statements {
            if !index.accepts(key) {
                stored.unlisted.push(*key);
                continue;
            }
            let content = with_ids(writer, content, &table.accounts, &mut ids)?;
            let form = self.form_id(writer, *key, index)?;
            let id = statement_id(form, table.scope, table.table);
            let outcome = write_content(writer, id, &content, on_conflict)?;
            if outcome.is_change() {
                self.note(writer, *key, Change::Changed)?;
            }
            stored.tally += outcome;
        }
        Ok(stored)
    }

    /// Stores the shares of companies, of forms that are stored.
    pub(crate) fn store_capital(
        &mut self,
        writer: &Writer,
        rows: &[(FormKey, Capital)],
        on_conflict: OnConflict,
    ) -> Result<Tally> {
        const SQL: &str = "UPDATE statement_form SET shares_common = ?2, shares_preferred = ?3, shares_total = ?4,
                treasury_common = ?5, treasury_preferred = ?6, treasury_total = ?7
            WHERE id = ?1 AND (?8 OR shares_total IS NULL) AND (shares_common, shares_preferred, shares_total, treasury_common, treasury_preferred,
                treasury_total) IS NOT (?2, ?3, ?4, ?5, ?6, ?7)";
        let mut tally = Tally::default();
        let replace = on_conflict == OnConflict::Replace;
        for (key, capital) in rows {
            let Some(form) = self.known_form(writer, *key)? else { continue };
            let [a, b, c, d, e, f] = capital.counts();
            if writer.prepare(SQL)?.execute((form, a, b, c, d, e, f, replace))? > 0 {
                self.note(writer, *key, Change::Changed)?;
                tally += Tally::CHANGED;
            } else {
                tally += Tally::UNCHANGED;
            }
        }
        Ok(tally)
    }

    /// Logs a change of a form.
    fn note(&mut self, writer: &Writer, key: FormKey, change: Change) -> Result<()> {
        let (first, last) =
            self.changed.entry(key.company).or_insert((key.period_end, key.period_end));
        (*first, *last) = (key.period_end.min(*first), key.period_end.max(*last));
        writer.log(DATASET, key, change)
    }

    /// The id of a form, which is stored if it is new. Its filing and the day of its receipt are those of the index.
    fn form_id(&mut self, writer: &Writer, key: FormKey, index: &FormIndex) -> Result<i64> {
        const INSERT: &str = "INSERT INTO statement_form (company, form, period_end, version) VALUES (?1, ?2, ?3, ?4)
            RETURNING id";
        const LISTED: &str = "UPDATE statement_form SET received = ?2, filing = ?3
            WHERE id = ?1 AND (received IS NOT ?2 OR filing IS NOT ?3)";
        if let Some(id) = self.forms.get(&key) {
            return Ok(*id);
        }
        let id = match self.known_form(writer, key)? {
            Some(id) => id,
            None => {
                self.note(writer, key, Change::Added)?;
                let FormKey { company, form, period_end, version } = key;
                let row = (company, form as i64, period_end, version);
                writer.prepare(INSERT)?.query_row(row, |row| row.get(0))?
            }
        };
        if let Some((filing, received)) = index.forms.get(&key) {
            let row = (id, received, filing.to_bits());
            if writer.prepare(LISTED)?.execute(row)? > 0 {
                self.note(writer, key, Change::Changed)?;
            }
        }
        self.forms.insert(key, id);
        Ok(id)
    }

    /// The id of a form that is stored.
    fn known_form(&self, writer: &Writer, key: FormKey) -> Result<Option<i64>> {
        const SQL: &str = "SELECT id FROM statement_form
            WHERE company = ?1 AND form = ?2 AND period_end = ?3 AND version = ?4";
        if let Some(id) = self.forms.get(&key) {
            return Ok(Some(*id));
        }
        let FormKey { company, form, period_end, version } = key;
        let row = (company, form as i64, period_end, version);
        Ok(writer.prepare(SQL)?.query_row(row, |row| row.get(0)).optional()?)
    }

    /// Makes what is derived from the statements of the companies that changed.
    pub(crate) fn finish(&self, writer: &Writer) -> Result<()> {
        derive(writer, &self.changed)
    }

    /// Removes the statements of a filing that was withdrawn.
    pub(crate) fn remove(&mut self, writer: &Writer, filing: FilingId) -> Result<()> {
        const FIND: &str =
            "SELECT id, company, period_end, version FROM statement_form WHERE filing = ?1";
        let found = writer.prepare(FIND)?.query_row([filing.to_bits()], |row| {
            let key = FormKey {
                company: row.get(1)?,
                form: filing.form(),
                period_end: row.get(2)?,
                version: row.get(3)?,
            };
            Ok((row.get::<_, i64>(0)?, key))
        });
        let Some((id, key)) = found.optional()? else { return Ok(()) };
        let first = id * 16;
        writer
            .prepare("DELETE FROM statement WHERE id BETWEEN ?1 AND ?2")?
            .execute((first, first + 15))?;
        writer.prepare("DELETE FROM statement_form WHERE id = ?1")?.execute([id])?;
        self.forms.remove(&key);
        self.note(writer, key, Change::Removed)
    }
}

/// A content with the ids of its accounts.
fn with_ids(
    writer: &Writer,
    content: &Content,
    accounts: &[NewAccount],
    ids: &mut [Option<i64>],
) -> Result<Content> {
    let mut id = |place: i64| -> Result<i64> {
        let place = usize::try_from(place).unwrap_or_default();
        match ids[place] {
            Some(id) => Ok(id),
            None => Ok(*ids[place].insert(account_id(writer, &accounts[place])?)),
        }
    };
    let mut content = content.clone();
    for account in &mut content.accounts {
        *account = id(*account)?;
    }
    for column in content.columns.iter_mut().filter(|column| column.part > 0) {
        column.part = id(column.part - 1)?;
    }
    Ok(content)
}

/// The number of an account in statements.
fn account_id(writer: &Writer, account: &NewAccount) -> Result<i64> {
    const FIND: &str = "SELECT id FROM account WHERE code = ?1 AND name = ?2";
    const INSERT: &str = "INSERT INTO account (code, name) VALUES (?1, ?2) RETURNING id";
    let row = (&account.code, &account.name);
    let known = writer.prepare(FIND)?.query_row(row, |row| row.get(0)).optional()?;
    let id: i64 = match known {
        Some(id) => id,
        None => writer.prepare(INSERT)?.query_row(row, |row| row.get(0))?,
    };
    Ok(id * 2 + i64::from(account.fixed))
}

fn write_content(
    writer: &Writer,
    id: i64,
    content: &Content,
    on_conflict: OnConflict,
) -> Result<Tally> {
    const FIND: &str = "SELECT content = ?2 FROM statement WHERE id = ?1";
    const WRITE: &str =
        "INSERT OR REPLACE INTO statement (id, content, figures) VALUES (?1, ?2, ?3)";
    let bytes = content.encode();
    let same: Option<bool> =
        writer.prepare(FIND)?.query_row((id, &bytes), |row| row.get(0)).optional()?;
    if same == Some(false) && on_conflict == OnConflict::Keep {
        return Ok(Tally::UNCHANGED);
    }
    if same != Some(true) {
        let figures = i64::try_from(content.values.iter().flatten().count()).unwrap_or(i64::MAX);
        writer.prepare(WRITE)?.execute((id, &bytes, figures))?;
    }
    Ok(match same {
        None => Tally::NEW,
        Some(false) => Tally::CHANGED,
        Some(true) => Tally::UNCHANGED,
    })
}
