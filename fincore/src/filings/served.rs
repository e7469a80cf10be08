//! Rows of the filing table as the filings that are served.
use rusqlite::{Row, types::Type};
use serde::Serializer;

use super::Filing;
use crate::{Date, FilingId, Result, Snapshot, sqlite::code, types::Form};

/// What stands between the levels of a class that takes the place of a missing subject.
const LEVELS: &str = " · ";

/// The filings of these keys, in their order.
pub(super) fn served(snapshot: &Snapshot, keys: &[i64]) -> Result<Vec<Filing>> {
    const SQL: &str =
        "SELECT key, filer.company, filer.name, class.category, type, species, subject,
            reference_day, version, sequence, url
        FROM filing JOIN filer ON filer.id = filer JOIN class ON class.id = class WHERE key = ?1";
    let filings = keys.iter().map(|key| Ok(snapshot.rows(SQL, [key], read)?.pop()));
    Ok(filings.collect::<Result<Vec<_>>>()?.into_iter().flatten().collect())
}

fn read(row: &Row<'_>) -> rusqlite::Result<Filing> {
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

/// The address that CVM gives nearly every document; only what differs between them is stored.
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

/// `2024-02-15T00:00:00-03:00`.
pub(super) fn midnight_in_brasilia<S: Serializer>(
    date: &Date,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("{date}T00:00:00-03:00"))
}
