//! What is stored of statements, for checks of the whole file.
use rusqlite::{Connection, types::ValueRef};

use super::{
    content::Content,
    form::{FormKey, parts_of},
};
use crate::{
    error::Result,
    sqlite::{code, parsed},
    types::{CvmCode, Form},
};

/// A statement that cannot be read.
pub(crate) struct BadStatement {
    pub(crate) id: i64,
    pub(crate) name: String,
    pub(crate) fault: &'static str,
    /// Its form, if it has one.
    pub(crate) key: Option<FormKey>,
}

/// The statements that cannot be read, or that name accounts or a form that are not there.
pub(crate) fn bad_statements(connection: &Connection) -> Result<Vec<BadStatement>> {
    const SQL: &str = "SELECT statement.id, content, figures, company, form, period_end, version
        FROM main.statement LEFT JOIN main.statement_form AS form ON form.id = statement.id / 16 ORDER BY statement.id";
    const MAX: &str = "SELECT COALESCE(MAX(id), 0) FROM main.account";
    let last: i64 = connection.query_row(MAX, [], |row| row.get(0))?;
    let mut statement = connection.prepare(SQL)?;
    let mut found = statement.query([])?;
    let mut bad = Vec::new();
    while let Some(row) = found.next()? {
        let id: i64 = row.get(0)?;
        let key = (|| {
            let form =
                if row.get::<_, i64>(4)? == Form::Itr as i64 { Form::Itr } else { Form::Dfp };
            let (company, period_end, version) = (code(row, 3)?, parsed(row, 5)?, row.get(6)?);
            Ok::<_, rusqlite::Error>(FormKey { company, form, period_end, version })
        })();
        let content = match row.get_ref(1)? {
            ValueRef::Blob(bytes) => Content::decode(bytes),
            _ => None,
        };
        let figures: Option<usize> =
            row.get::<_, i64>(2).ok().and_then(|n| usize::try_from(n).ok());
        let fault = match (&key, &content) {
            (Err(_), _) => "without a form",
            (_, None) => "that cannot be read",
            (Ok(_), Some(content))
                if content.accounts.iter().any(|id| !(1..=last).contains(&(id >> 1))) =>
            {
                "with an account that is not there"
            }
            (Ok(_), Some(content)) if figures != Some(content.values.iter().flatten().count()) => {
                "with another number of values than noted"
            }
            (Ok(_), Some(_)) => continue,
        };
        let (_, scope, table) = parts_of(id);
        let key = key.ok();
        let form = key.map_or_else(|| format!("form {}", id >> 4), |key| key.to_string());
        let name = format!("{form} {} {}", scope.name(), table.kind().name());
        bad.push(BadStatement { id, name, fault, key });
    }
    Ok(bad)
}

/// Every company with statements.
pub(crate) fn companies(connection: &Connection) -> Result<Vec<CvmCode>> {
    const SQL: &str = "SELECT DISTINCT company FROM main.statement_form ORDER BY company";
    let mut statement = connection.prepare(SQL)?;
    let companies = statement.query_map([], |row| code(row, 0))?;
    Ok(companies.collect::<rusqlite::Result<_>>()?)
}
