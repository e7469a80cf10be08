//! Reads filings from the data file.
use std::collections::HashMap;

use rusqlite::{Connection, Row, types::Type};

use super::filing::Filing;
use crate::{
    catalogue::Snapshot,
    error::Result,
    sqlite::code,
    types::{CvmCode, Date, FilingId, Form},
};

/// A filing joined with its filer's name and its class.
macro_rules! from_filing {
    () => {
        "FROM filing JOIN filer ON filer.id = filer JOIN class ON class.id = class "
    };
}
pub(crate) use from_filing;

/// The columns that [`read`] expects.
macro_rules! select_filing {
    () => {
        concat!(
            "SELECT key, subject, reference_day, version, sequence, url, filer.company, filer.name,
                class.category, type, species ",
            $crate::filings::reader::from_filing!()
        )
    };
}
pub(crate) use select_filing;

/// The columns of a filing's own row that [`SharedTexts::filing`] expects.
macro_rules! select_own {
    () => {
        "SELECT key, subject, reference_day, version, sequence, url, filer, class FROM filing "
    };
}

/// The filings with these keys, in this order.
pub(super) fn read_keys(snapshot: &Snapshot, keys: &[i64]) -> Result<Vec<Filing>> {
    read_each(snapshot, concat!(select_own!(), "WHERE key = ?1"), keys)
}

/// The filing with this id, if it can be read.
pub(super) fn find(snapshot: &Snapshot, id: FilingId) -> Result<Option<Filing>> {
    let sql = concat!(select_own!(), "WHERE id = ?1");
    Ok(read_each(snapshot, sql, &[id.to_bits()])?.pop())
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
    const SQL: &str = concat!(select_filing!(), "WHERE key = ?1");
    Ok(snapshot.rows(SQL, [key], read)?.pop())
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
            if let (Ok(company), Ok(name)) = (code(row, 1), row.get(2)) {
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

pub(super) fn read(row: &Row<'_>) -> rusqlite::Result<Filing> {
    filing(row, code(row, 6)?, row.get(7)?, [row.get(8)?, row.get(9)?, row.get(10)?])
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
pub(super) fn usual_url(id: FilingId, sequence: u32, version: u32) -> String {
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

#[cfg(test)]
#[cfg(feature = "bundle")]
mod tests {
    use super::*;
    use crate::{bundle, catalogue::Catalogue};

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
        // What was read before the damage is still in memory with the first one.
        assert!(check(&Catalogue::open(&path).unwrap()) >= 3);
    }
}
