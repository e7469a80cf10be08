//! Shared by the tables of filings: reading in batches, and links to documents.
use std::{borrow::Cow, io::Read};

use crate::{
    filings::{Link, NewFiling},
    import::{
        FileScan, ImportError, Imported, StoreRows,
        cvm::{
            columns::{DroppedFields, Field},
            table::Table,
        },
        row_store::{Completeness, ParsedRows},
    },
    values::{Error, FilingId, Form},
};

/// Reads a table of filings batch by batch; `parse_row` makes a filing of a row.
pub(crate) fn read_filings<const N: usize>(
    what: &str,
    mut table: Table<impl Read, N>,
    parse_row: impl for<'a> Fn([Field<'a>; N], &mut DroppedFields) -> Result<NewFiling<'a>, Error>,
    store: &mut StoreRows<'_>,
) -> Result<Imported, ImportError> {
    let mut stored = Imported::new(what);
    let missing = table.missing_columns().to_vec();
    let identity = |filing: &NewFiling<'_>| (filing.id, (filing.version, filing.date));
    while let Some((rows, position)) = table.next_batch(&parse_row, identity)? {
        store(ParsedRows::Filings { rows, position, missing: &missing }, &mut stored)?;
    }
    // If too many rows are bad, this fails, and the import with all that was stored is rolled back.
    let read = table.report(what)?;
    stored.left_out.extend(read.left_out);
    stored.notes.extend(read.notes);
    let is_complete = missing.is_empty() && !table.has_left_out_rows();
    let end = if is_complete { Completeness::Complete } else { Completeness::Incomplete };
    store(ParsedRows::FilingsEnd(end), &mut stored)?;
    Ok(stored)
}

/// The link to the document of a filing. An address that no browser should follow, such as a script, is replaced by
/// CVM's usual one.
pub(crate) fn document_link<'a>(
    url: Cow<'a, str>,
    id: FilingId,
    version: u32,
    dropped: &mut DroppedFields,
) -> Result<Link<'a>, Error> {
    if Link::is_web(&url) {
        return Ok(Link::new(url, id, version));
    }
    let unusable = Error::in_file(&url, "an address that starts with http");
    match Link::usual(&url, id) {
        Some(usual) => {
            dropped.add(unusable);
            Ok(usual)
        }
        None => Err(unusable),
    }
}

/// Reads an index of forms that was scanned before.
pub(crate) fn read(
    scan: &FileScan,
    source: impl Read,
    store: &mut StoreRows<'_>,
) -> Result<Imported, ImportError> {
    let table = Table::open(scan, source, "forms")?;
    read_filings("periodic filings", table, parse_row, store)
}

/// The filing of a row.
fn parse_row<'a>(
    fields: [Field<'a>; 8],
    dropped: &mut DroppedFields,
) -> Result<NewFiling<'a>, Error> {
    let [reference, version, name, code, category, document, received, link] = fields;
    let category = category.name();
    let (form, title) = form(&category)?;
    let number = document.number("the number of a document")?;
    let id = FilingId::new(form, number.into())
        .ok_or_else(|| Error::in_file(&number.to_string(), "the number of a document"))?;
    let version =
        if version.is_missing() { 1 } else { version.number("the version of a filing")? };
    Ok(NewFiling {
        id,
        date: received.value()?,
        company: code.value()?,
        company_name: name.name(),
        category,
        kind: title.into(),
        species: "".into(),
        subject: "".into(),
        link: document_link(link.text(), id, version, dropped)?,
        reference_date: dropped.date(reference),
        version,
    })
}

/// The form of a category, and its official title, which the index does not have.
fn form(category: &str) -> Result<(Form, &'static str), Error> {
    match category {
        "DFP" => Ok((Form::Dfp, "Demonstrações Financeiras Padronizadas")),
        "ITR" => Ok((Form::Itr, "Informações Trimestrais")),
        "FRE" | "FRE WEB" => Ok((Form::Fre, "Formulário de Referência")),
        "FCA" | "FCA WEB" => Ok((Form::Fca, "Formulário Cadastral")),
        other => Err(Error::in_file(other, "a form (DFP, ITR, FRE, FRE WEB, FCA)")),
    }
}

#[cfg(test)]
mod periodic_forms_tests {
    use super::*;
    use crate::import::cvm::columns::column_names;
    use crate::import::row_store::ParsedRows;

    fn check(row: &str) -> Result<Vec<String>, ImportError> {
        let bytes = format!("{}\n{row}\n", column_names("forms").join(";")).into_bytes();
        let mut shown = Vec::new();
        read(&FileScan::of(&bytes[..])?, &bytes[..], &mut |rows, _| {
            let ParsedRows::Filings { rows, .. } = rows else { return Ok(()) };
            for NewFiling { id, company, date, category, link, .. } in
                rows.into_iter().map(|row| row.value)
            {
                shown.push(format!("{id} {company} {date} {category} {link:?}"));
            }
            Ok(())
        })?;
        Ok(shown)
    }

    fn row(category: &str, received: &str) -> String {
        format!(
            "00.000.000/0001-91;2024-12-31;1;BCO BRASIL S.A.;001023;{category};144874;{received};http://www.rad.cvm.gov.br/ENETCONSULTA/frmDownloadDocumento.aspx?CodigoInstituicao=1&NumeroSequencialDocumento=144874"
        )
    }

    #[test]
    fn reads_every_form() {
        let forms = [("DFP", "dfp"), ("ITR", "itr"), ("FRE WEB", "fre"), ("FCA", "fca")];
        for (category, prefix) in forms {
            assert_eq!(
                check(&row(category, "2025-02-19")).unwrap(),
                [format!("{prefix}-144874 1023 2025-02-19 {category} Usual(None)")]
            );
        }
    }

    #[test]
    fn a_link_that_is_none_is_replaced_by_the_usual_one() {
        for link in ["", "javascript:alert(1)"] {
            let row = row("DFP", "2025-02-19");
            let row = format!("{};{link}", row.rsplit_once(';').unwrap().0);
            assert!(check(&row).unwrap()[0].ends_with(" Usual(None)"));
        }
    }

    #[test]
    fn refuses_with_the_line_where_no_row_is_good() {
        let wrong = [
            (row("XYZ", "2025-02-19"), "\"XYZ\" is not a form"),
            (row("DFP", ""), "\"\" is not a date"),
            (row("DFP", "2025-02-19").replace(";144874;", ";;"), "is not the number of a document"),
        ];
        for (row, reason) in wrong {
            let Err(ImportError::Refused(refusal)) = check(&row) else { panic!("{row}") };
            assert_eq!(refusal.line, Some(2), "{refusal:?}");
            assert!(refusal.reason.contains(reason), "{refusal:?} lacks {reason}");
        }
    }
}
