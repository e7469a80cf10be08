//! Shared by the tables of filings: reading in batches, and links to documents.
use std::{borrow::Cow, io::Read};

use super::{
    columns::{DroppedFields, Field},
    table::Table,
};
use crate::{
    error::Error,
    filings::new_filing::{Link, NewFiling},
    import::{
        import_error::ImportError,
        imported::Imported,
        parsed_rows::{Completeness, ParsedRows, StoreRows},
    },
    types::FilingId,
};

/// Reads a table of filings batch by batch; `parse_row` makes a filing of a row.
pub(super) fn read_filings<const N: usize>(
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
pub(super) fn document_link<'a>(
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
