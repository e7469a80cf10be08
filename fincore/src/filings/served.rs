//! Reads rows of the filing table.
use rusqlite::{Row, types::Type};

use super::Filing;
use crate::{
    catalogue::Snapshot,
    error::Result,
    sqlite::code,
    types::{Date, FilingId, Form},
};

/// Joins the levels of the class that replaces a missing subject.
const LEVELS: &str = " · ";

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
            "SELECT key, filer.company, filer.name, class.category, type, species, subject,
                reference_day, version, sequence, url ",
            $crate::filings::served::from_filing!()
        )
    };
}
pub(crate) use select_filing;

/// The filings with these keys, in this order.
pub(super) fn served(snapshot: &Snapshot, keys: &[i64]) -> Result<Vec<Filing>> {
    const SQL: &str = concat!(select_filing!(), "WHERE key = ?1");
    let filings = keys.iter().map(|key| Ok(snapshot.rows(SQL, [key], read)?.pop()));
    Ok(filings.collect::<Result<Vec<_>>>()?.into_iter().flatten().collect())
}

pub(super) fn read(row: &Row<'_>) -> rusqlite::Result<Filing> {
    let (id, date) = FilingId::of_key(row.get(0)?)
        .ok_or_else(|| rusqlite::Error::InvalidColumnType(0, "key".into(), Type::Integer))?;
    let (category, kind, species): (String, String, String) =
        (row.get(3)?, row.get(4)?, row.get(5)?);
    let subject: String = row.get(6)?;
    let version = row.get(8)?;
    let url: Option<String> = row.get(10)?;
    let description = if subject.is_empty() {
        let levels = [&category, &kind, &species].map(String::as_str);
        levels.into_iter().filter(|level| !level.is_empty()).collect::<Vec<_>>().join(LEVELS)
    } else {
        subject
    };
    Ok(Filing {
        id,
        company_id: code(row, 1)?,
        company_name: row.get(2)?,
        category,
        r#type: kind,
        species,
        description,
        date,
        reference_date: row.get::<_, Option<i32>>(7)?.and_then(Date::from_day_number),
        version,
        url: match url {
            Some(url) => url,
            None => usual_url(id, row.get::<_, Option<u32>>(9)?.unwrap_or_default(), version),
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
