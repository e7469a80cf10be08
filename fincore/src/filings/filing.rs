//! A filing, and the columns of its rows.
use std::{borrow::Cow, collections::HashMap};

use rusqlite::{Connection, Row, types::Type};

use crate::{
    answers::{
        Cell, Column, ColumnKind,
        table::{self, serialize_by_columns},
    },
    index::{Condition, DirectoryCache, Executor},
    lexicon::Names,
    store::Snapshot,
    values::{CvmCode, Date, DateRange, FilingId, Form, KeyRange, Result, whole_number},
};

/// The name of the dataset, in the change log and for callers.
pub(crate) const DATASET: &str = "filings";

/// The source of filings.
pub(crate) const SOURCE: &str = "CVM, documentos de companhias abertas";

/// A document that a company filed with CVM.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Filing {
    /// CVM's protocol number; for a periodic form its own number, as in `dfp-144874`.
    pub id: FilingId,
    /// The CVM code of the company. A few companies that file are not in the registry.
    pub company_id: CvmCode,
    /// The company's name in the file that listed the filing.
    pub company_name: String,
    /// The first of CVM's three levels of classification.
    pub category: String,
    /// The second level; empty for many categories.
    pub r#type: String,
    /// The third level; empty for many types.
    pub species: String,
    /// The subject as the company wrote it, on one line; `None` if it wrote none.
    pub subject: Option<String>,
    /// The delivery date; in JSON the start of that day in Brasília.
    pub date: Date,
    /// The date the document refers to, as the company typed it: some are years off.
    pub reference_date: Option<Date>,
    /// The version, from 1; a document that is filed again gets a higher one.
    pub version: u32,
    /// The address of the document at CVM.
    pub url: String,
}

/// Joins the levels of the class that replaces a missing subject.
const LEVELS: &str = " · ";

impl Filing {
    /// The subject; if there is none, category, type and species.
    #[must_use]
    pub fn description(&self) -> Cow<'_, str> {
        if let Some(subject) = &self.subject {
            return subject.into();
        }
        let levels = [&self.category, &self.r#type, &self.species].map(String::as_str);
        let levels = levels.into_iter().filter(|level| !level.is_empty());
        levels.collect::<Vec<_>>().join(LEVELS).into()
    }
}

impl table::Row for Filing {
    const COLUMNS: &'static [Column<Filing>] = &[
        Column::new("id", ColumnKind::Text, |filing| Cell::display(filing.id)),
        Column::new("company_id", ColumnKind::Text, |filing| Cell::display(filing.company_id)),
        Column::new("company_name", ColumnKind::Text, |filing| filing.company_name.as_str().into()),
        Column::new("category", ColumnKind::Text, |filing| filing.category.as_str().into()),
        Column::new("type", ColumnKind::Text, |filing| filing.r#type.as_str().into()),
        Column::new("species", ColumnKind::Text, |filing| filing.species.as_str().into()),
        Column::new("description", ColumnKind::Text, |filing| Cell::Text(filing.description())),
        Column::new("subject", ColumnKind::Text, |filing| filing.subject.as_deref().into()),
        Column::new("date", ColumnKind::StartOfDay, |filing| Cell::StartOfDay(filing.date)),
        Column::new("reference_date", ColumnKind::Day, |filing| filing.reference_date.into()),
        Column::new("version", ColumnKind::Integer, |filing| Cell::Integer(filing.version.into())),
        Column::new("url", ColumnKind::Text, |filing| filing.url.as_str().into()),
    ];
}

serialize_by_columns!(Filing);

/// The columns that [`read`] expects: of a filing, its filer and its class.
pub(crate) const SELECT: &str =
    "SELECT key, subject, reference_day, version, sequence, url, filer.company, filer.name,
        class.category, type, species
    FROM filing JOIN filer ON filer.id = filer JOIN class ON class.id = class";

/// The filings with these keys, in this order.
pub(crate) fn read_keys(snapshot: &Snapshot, keys: &[i64]) -> Result<Vec<Filing>> {
    const SQL: &str = "SELECT key, subject, reference_day, version, sequence, url, filer, class
        FROM filing WHERE key = ?1";
    read_each(snapshot, SQL, keys)
}

/// The filing with this id, if it can be read.
pub(crate) fn find(snapshot: &Snapshot, id: FilingId) -> Result<Option<Filing>> {
    const SQL: &str = "SELECT key, subject, reference_day, version, sequence, url, filer, class
        FROM filing WHERE id = ?1";
    Ok(read_each(snapshot, SQL, &[id.to_bits()])?.pop())
}

/// The filings that a query finds by these numbers, in this order.
fn read_each(snapshot: &Snapshot, sql: &str, numbers: &[i64]) -> Result<Vec<Filing>> {
    let shared = snapshot.memo(SharedTexts::read)?;
    snapshot.read(|connection| {
        let mut statement = connection.prepare_cached(sql)?;
        let mut filings = Vec::with_capacity(numbers.len());
        for number in numbers {
            let mut rows = statement.query([number])?;
            let Some(row) = rows.next()? else { continue };
            match shared.filing(row) {
                Ok(Some(filing)) => filings.push(filing),
                // A value is corrupt: reading the row as a whole counts it.
                Ok(None) | Err(_) => filings.extend(read_joined(snapshot, row.get(0)?)?),
            }
        }
        Ok(filings)
    })
}

/// The filing with this key, read together with its filer's name and its class.
fn read_joined(snapshot: &Snapshot, key: i64) -> Result<Option<Filing>> {
    Ok(snapshot.rows(&format!("{SELECT} WHERE key = ?1"), [key], read)?.pop())
}

/// The names and classes that filings share, by their ids: they are held in memory.
#[derive(Debug, Default)]
struct SharedTexts {
    filers: HashMap<i64, (CvmCode, String)>,
    classes: HashMap<i64, [String; 3]>,
}

impl SharedTexts {
    /// Corrupt rows are left out.
    fn read(connection: &Connection) -> Result<SharedTexts> {
        const FILERS: &str = "SELECT id, company, name FROM filer";
        const CLASSES: &str = "SELECT id, category, type, species FROM class";
        let mut shared = SharedTexts::default();
        let mut statement = connection.prepare_cached(FILERS)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            if let (Ok(company), Ok(name)) = (row.get(1), row.get(2)) {
                shared.filers.insert(row.get(0)?, (company, name));
            }
        }
        let mut statement = connection.prepare_cached(CLASSES)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            if let (Ok(category), Ok(kind), Ok(species)) = (row.get(1), row.get(2), row.get(3)) {
                shared.classes.insert(row.get(0)?, [category, kind, species]);
            }
        }
        Ok(shared)
    }

    /// A filing from its own row; `None` if its filer or class is not among them.
    fn filing(&self, row: &Row<'_>) -> rusqlite::Result<Option<Filing>> {
        let (filer, class) = (self.filers.get(&row.get(6)?), self.classes.get(&row.get(7)?));
        let parts = filer.zip(class);
        parts
            .map(|((company, name), class)| filing(row, *company, name.clone(), class.clone()))
            .transpose()
    }
}

pub(crate) fn read(row: &Row<'_>) -> rusqlite::Result<Filing> {
    filing(row, row.get(6)?, row.get(7)?, [row.get(8)?, row.get(9)?, row.get(10)?])
}

/// A filing from its own columns, its filer and its class.
fn filing(
    row: &Row<'_>,
    company_id: CvmCode,
    company_name: String,
    [category, kind, species]: [String; 3],
) -> rusqlite::Result<Filing> {
    let (id, date) = FilingId::of_key(row.get(0)?)
        .ok_or_else(|| rusqlite::Error::InvalidColumnType(0, "key".into(), Type::Integer))?;
    let subject: String = row.get(1)?;
    let version = row.get(3)?;
    let url: Option<String> = row.get(5)?;
    Ok(Filing {
        id,
        company_id,
        company_name,
        category,
        r#type: kind,
        species,
        subject: Some(subject).filter(|subject| !subject.is_empty()),
        date,
        reference_date: row.get::<_, Option<i32>>(2)?.and_then(Date::from_day_number),
        version,
        url: match url {
            Some(url) => url,
            None => usual_url(id, row.get::<_, Option<u32>>(4)?.unwrap_or_default(), version),
        },
    })
}

/// The address of nearly every document at CVM; only the parts that vary are stored.
fn usual_url(id: FilingId, sequence: u32, version: u32) -> String {
    let number = id.number();
    match id.form() {
        Form::Ipe => format!(
            "https://www.rad.cvm.gov.br/ENET/frmDownloadDocumento.aspx?Tela=ext&descTipo=IPE\
             &CodigoInstituicao=1&numProtocolo={number}&numSequencia={sequence}&numVersao={version}"
        ),
        Form::Dfp | Form::Itr | Form::Fre | Form::Fca => format!(
            "http://www.rad.cvm.gov.br/ENETCONSULTA/frmDownloadDocumento.aspx?CodigoInstituicao=1\
             &NumeroSequencialDocumento={number}"
        ),
    }
}

/// A filing parsed from a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NewFiling<'a> {
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
///
/// The addresses of all filings differ in two numbers only. To store just these saves 200 MB in 1.5 million filings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Link<'a> {
    /// At CVM's usual address, which contains this sequence number.
    Usual(Option<u32>),
    /// Anywhere else. Bundled filings are all at the usual address.
    #[cfg_attr(not(feature = "import"), allow(dead_code))]
    Other(Cow<'a, str>),
}

impl<'a> Link<'a> {
    /// Keeps only what cannot be derived from the rest of the filing.
    pub(crate) fn new(url: Cow<'a, str>, id: FilingId, version: u32) -> Link<'a> {
        let sequence = sequence_in(&url);
        if usual_url(id, sequence.unwrap_or_default(), version) == url {
            Link::Usual(sequence)
        } else {
            Link::Other(url)
        }
    }

    /// CVM's usual address of a filing, if enough of it stands in this text.
    pub(crate) fn usual(url: &str, id: FilingId) -> Option<Link<'a>> {
        match (id.form(), sequence_in(url)) {
            (Form::Ipe, None) => None,
            (Form::Ipe, sequence) => Some(Link::Usual(sequence)),
            (Form::Dfp | Form::Itr | Form::Fre | Form::Fca, _) => Some(Link::Usual(None)),
        }
    }

    /// Whether a browser can be sent there: an address of the web, and nothing that hides in it.
    pub(crate) fn is_web(url: &str) -> bool {
        let starts = |with: &str| {
            url.get(..with.len()).is_some_and(|start| start.eq_ignore_ascii_case(with))
        };
        (starts("http://") || starts("https://"))
            // Nearly all are ASCII, which is looked through faster.
            && (url.bytes().all(|byte| byte.is_ascii_graphic())
                || !url.contains(|c: char| c.is_control() || c.is_whitespace()))
    }
}

/// The second number of CVM's usual address.
fn sequence_in(url: &str) -> Option<u32> {
    let mut parts = url.as_bytes().split(|byte| matches!(byte, b'?' | b'&'));
    let digits = parts.find_map(|part| part.strip_prefix(b"numSequencia="))?;
    str::from_utf8(digits).ok().and_then(whole_number)
}

/// Calls `query` with the search index of a snapshot.
pub(crate) fn with_index<T>(
    snapshot: &Snapshot,
    query: impl FnOnce(&Executor<'_>) -> Result<T>,
) -> Result<T> {
    let names = snapshot.memo(Names::read)?;
    let directories = snapshot.memo(|_| Ok(DirectoryCache::default()))?;
    snapshot.read(|connection| {
        let directory = directories.directory(connection)?;
        query(&Executor::new(connection, &directory, &names))
    })
}

/// How many filings were delivered in a range of days.
pub(crate) fn count(snapshot: &Snapshot, days: DateRange) -> Result<u64> {
    with_index(snapshot, |index| {
        index.count(&Condition::everything(), KeyRange::of(days.from(), days.to()))
    })
}

/// The newest filings with keys in a range, at most `limit` of them. A key is made of delivery day and id.
pub(crate) fn read_range(snapshot: &Snapshot, keys: KeyRange, limit: usize) -> Result<Vec<Filing>> {
    let sql = format!("{SELECT} WHERE key BETWEEN ?1 AND ?2 ORDER BY key DESC");
    snapshot.first_rows(limit, &sql, (keys.first, keys.last), read)
}

/// The filing with this id, if it can be read.
pub(crate) fn find_one(snapshot: &Snapshot, id: FilingId) -> Result<Option<Filing>> {
    find(snapshot, id)
}

/// The first day by whose end at least this many filings were delivered, counted from the oldest.
pub(crate) fn day_of(snapshot: &Snapshot, filings: u64) -> Result<Option<Date>> {
    let key = with_index(snapshot, |index| Ok(index.nth_oldest(filings.saturating_sub(1))))?;
    Ok(key.and_then(FilingId::of_key).map(|(_, day)| day))
}

#[cfg(test)]
mod reader_tests {
    use crate::import::bundle;

    use super::*;
    use crate::store::catalogue::Catalogue;

    /// Compares every filing with the one that is read together with its filer and class.
    fn check(catalogue: &Catalogue) -> usize {
        let snapshot = catalogue.snapshot(Date::MAX).unwrap();
        let keys: Vec<i64> = snapshot
            .rows("SELECT key FROM filing ORDER BY key DESC", [], |row| row.get(0))
            .unwrap();
        let plain = keys.iter().filter_map(|key| read_joined(&snapshot, *key).unwrap());
        let plain: Vec<Filing> = plain.collect();
        let before = catalogue.skipped_corrupt_values();
        assert_eq!(read_keys(&snapshot, &keys).unwrap(), plain);
        assert_eq!(read_keys(&snapshot, &[i64::MAX]).unwrap(), []);
        assert_eq!(catalogue.skipped_corrupt_values() - before, (keys.len() - plain.len()) as u64);
        keys.len() - plain.len()
    }

    #[test]
    fn every_filing_is_the_same_with_names_and_classes_from_memory() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("catalogue.db");
        let catalogue = bundle::filled_copy(dir.path()).unwrap();
        assert_eq!(check(&catalogue), 0);
        let file = Connection::open(&path).unwrap();
        let damage = [
            "UPDATE filer SET name = CAST(x'ff' AS TEXT) WHERE id = (SELECT MIN(filer) FROM filing)",
            "UPDATE class SET type = CAST(x'ff' AS TEXT) WHERE id = (SELECT MAX(class) FROM filing)",
            "UPDATE filing SET version = -1 WHERE key = (SELECT MAX(key) FROM filing)",
        ];
        for sql in damage {
            assert_eq!(file.execute(sql, []).unwrap(), 1);
        }
        // The first catalogue still caches what was read before the damage.
        assert!(check(&Catalogue::open(&path).unwrap()) >= 3);
    }
}

#[cfg(test)]
mod new_filing_tests {
    use super::*;

    #[test]
    fn only_addresses_of_the_web_are_links() {
        for url in ["https://www.rad.cvm.gov.br/x", "HTTP://cvm/"] {
            assert!(Link::is_web(url), "{url}");
        }
        for url in
            ["", "javascript:alert(1)", "ftp://cvm/", "http:", "https://a b", "https://\u{7}"]
        {
            assert!(!Link::is_web(url), "{url}");
        }
    }

    #[test]
    fn the_sequence_is_digits_only() {
        let id: FilingId = "7".parse().unwrap();
        let url = |sequence: &str| usual_url(id, 5, 1).replace("numSequencia=5", sequence);
        assert_eq!(Link::new(url("numSequencia=5").into(), id, 1), Link::Usual(Some(5)));
        for sequence in ["numSequencia=+5", "numSequencia=05", "numSequencia=", "x=5"] {
            let url = url(sequence);
            assert_eq!(Link::new(url.clone().into(), id, 1), Link::Other(url.into()));
        }
    }
}
