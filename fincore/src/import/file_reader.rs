//! Reads one file from its first byte to its last: recognises it, parses it, and hands its rows to the store.
use std::io::{Read, Seek};

use super::{
    central_bank, cvm,
    file_scan::FileScan,
    import_error::{ImportError, KNOWN_FILES, Refusal},
    imported::{Imported, OTHER_MEMBERS},
    parsed_rows::{ParsedFile, ParsedRows, StoreRows},
    text_lines, ticker_overrides,
    zip_archive::{self, ZipTables},
};

/// Reads a file twice: first to find out its encoding and whether it is complete, then to hand its rows to `store`.
/// Returns the report and the digest of the content.
pub(super) fn read_file(
    name: &str,
    mut source: impl Read + Seek,
    store: &mut StoreRows<'_>,
) -> Result<(Imported, [u8; 32]), ImportError> {
    source.rewind()?;
    let scan = FileScan::of(&mut source)?;
    source.rewind()?;
    let imported = if zip_archive::recognises(&scan.head) {
        read_archive(source, store)?
    } else {
        read_table_or_text(name, &scan, source, store)?
    };
    Ok((imported, scan.digest))
}

/// Reads all known tables of an archive.
fn read_archive(
    source: impl Read + Seek,
    store: &mut StoreRows<'_>,
) -> Result<Imported, ImportError> {
    let mut archive = ZipTables::open(source)?;
    let mut imported = Imported::new("");
    for (member, index) in archive.tables.clone() {
        let scan = archive.scan(index)?;
        let table = read_table_or_text(&member, &scan, archive.member(index)?, store);
        imported.add(table.map_err(|err| err.in_member(&member))?);
    }
    if archive.others > 0 {
        imported.leave_out(archive.others, OTHER_MEMBERS);
    }
    Ok(imported)
}

fn read_table_or_text(
    name: &str,
    scan: &FileScan,
    mut source: impl Read,
    store: &mut StoreRows<'_>,
) -> Result<Imported, ImportError> {
    if cvm::recognises(&scan.head) {
        return cvm::read_table(file_name(name), scan, source, store);
    }
    scan.check_fits_in_memory()?;
    let mut bytes = Vec::new();
    source.read_to_end(&mut bytes)?;
    let file = parse_text(name, &bytes)?;
    let mut imported = Imported::new(file.what);
    imported.left_out = file.left_out;
    store(file.rows, &mut imported)?;
    Ok(imported)
}

/// The last part of a path.
pub(super) fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// Parses a small file: one of the central bank, or the operator's tickers.
pub(super) fn parse_text(name: &str, bytes: &[u8]) -> Result<ParsedFile, Refusal> {
    if bytes.trim_ascii_start().starts_with(b"<") {
        return Err(Refusal::whole(
            "this is an HTML or XML page, not data: download the file again",
        ));
    }
    let name = file_name(name);
    let text = text_lines::decode(bytes)?;
    let start = text.trim_start();
    if start.is_empty() {
        return Err(Refusal::whole("the file is empty"));
    }
    if let Some(file) = central_bank::parse(name, text)? {
        return Ok(file);
    }
    if ticker_overrides::recognises(start) {
        let rows = ParsedRows::Overrides(ticker_overrides::parse(start)?);
        return Ok(ParsedFile::new("the operator's tickers", rows));
    }
    Err(Refusal::whole(format!("unknown kind of file; the known files are {KNOWN_FILES}")))
}
