//! Reads one file from its first byte to its last: recognises it, parses it, and hands its rows to the store.
use std::io::{Read, Seek};

use zip::{ZipArchive, result::ZipError};

use crate::{
    import::{
        FileScan, ImportError, Imported, ParsedFile, Refusal, StoreRows, central_bank,
        cvm::{self, statements, tickers},
        file_scan,
        report::{KNOWN_FILES, OTHER_MEMBERS},
        row_store::ParsedRows,
    },
    values::whole_number,
};

/// Reads a file twice: first to find out its encoding and whether it is complete, then to hand its rows to `store`.
/// Returns the report and the digest of the content.
pub(crate) fn read_file(
    name: &str,
    mut source: impl Read + Seek,
    store: &mut StoreRows<'_>,
) -> Result<(Imported, [u8; 32]), ImportError> {
    source.rewind()?;
    let scan = FileScan::of(&mut source)?;
    source.rewind()?;
    let imported = if recognises(&scan.head) {
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
pub(crate) fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// Parses a small file: one of the central bank, or the operator's tickers.
pub(crate) fn parse_text(name: &str, bytes: &[u8]) -> Result<ParsedFile, Refusal> {
    if bytes.trim_ascii_start().starts_with(b"<") {
        return Err(Refusal::whole(
            "this is an HTML or XML page, not data: download the file again",
        ));
    }
    let name = file_name(name);
    let text = file_scan::decode(bytes)?;
    let start = text.trim_start();
    if start.is_empty() {
        return Err(Refusal::whole("the file is empty"));
    }
    if let Some(file) = central_bank::parse(name, text)? {
        return Ok(file);
    }
    if tickers::recognises(start) {
        let rows = ParsedRows::Overrides(tickers::parse(start)?);
        return Ok(ParsedFile::new("the operator's tickers", rows));
    }
    Err(Refusal::whole(format!("unknown kind of file; the known files are {KNOWN_FILES}")))
}

/// All tables of an archive unpack to some 300 MB.
const MAX_BYTES: u64 = 8 << 30;

/// These tables compress ten- to twentyfold. Anything far beyond that is a zip bomb.
const MAX_RATIO: u64 = 100;

/// The tables to read, without year and extension; archives contain others too.
/// Those of statements have names of their own.
const KNOWN_TABLES: [&str; 6] = [
    "ipe_cia_aberta",
    "dfp_cia_aberta",
    "itr_cia_aberta",
    "fre_cia_aberta",
    "fca_cia_aberta",
    "fca_cia_aberta_valor_mobiliario",
];

/// How the name of a table ends that counts shares.
const CAPITAL: &str = "_composicao_capital";

pub(crate) fn recognises(start: &[u8]) -> bool {
    start.starts_with(b"PK")
}

/// An open archive, and which of its members are tables to read.
pub(crate) struct ZipTables<R> {
    archive: ZipArchive<R>,
    /// The names and indexes of the members to read: the index of forms first, because it decides which of them count.
    pub(crate) tables: Vec<(String, usize)>,
    /// The number of other members.
    pub(crate) others: usize,
}

impl<R: Read + Seek> ZipTables<R> {
    /// Finds the known tables, in any folder. Other members are ignored.
    pub(crate) fn open(source: R) -> Result<ZipTables<R>, Refusal> {
        let mut archive = ZipArchive::new(source).map_err(refuse_damaged)?;
        let mut tables: Vec<(String, usize)> = Vec::new();
        for index in 0..archive.len() {
            let member = archive.by_index_raw(index).map_err(refuse_damaged)?;
            let Ok(name) = member.name() else { continue };
            let Some(table) = table_of(&name) else { continue };
            if tables.iter().any(|(known, _)| known.eq_ignore_ascii_case(table)) {
                return Err(Refusal::whole(format!("the zip archive has two tables {table}")));
            }
            tables.push((table.to_owned(), index));
        }
        if tables.is_empty() {
            let known = KNOWN_TABLES.join(", ");
            let reason = format!("the zip archive has none of the known tables ({known})");
            return Err(Refusal::whole(reason));
        }
        let others = archive.len() - tables.len();
        // The name of the index is the shortest. What counts shares needs the forms.
        tables.sort_by_key(|(table, _)| (is_capital(table), table.len()));
        Ok(ZipTables { archive, tables, others })
    }

    /// The content of a member.
    pub(crate) fn member(&mut self, index: usize) -> Result<impl Read, Refusal> {
        self.archive.by_index(index).map_err(refuse_damaged)
    }

    /// A first pass over a member, which finds out whether it is damaged or a bomb.
    pub(crate) fn scan(&mut self, index: usize) -> Result<FileScan, Refusal> {
        let member = self.archive.by_index(index).map_err(refuse_damaged)?;
        let name = member.name().map_err(refuse_damaged)?.escape_debug().to_string();
        let most = MAX_BYTES.min(MAX_RATIO * member.compressed_size().max(1024));
        // The size in the header is not trusted: reading stops at the limit.
        let scan = FileScan::of(member.take(most + 1))
            .map_err(|err| Refusal::whole(format!("the zip archive is damaged: {name}: {err}")))?;
        if scan.bytes > most {
            let megabytes = most >> 20;
            let reason =
                format!("{name} unpacks to over {megabytes} MB, which is implausible for its size");
            return Err(Refusal::whole(reason));
        }
        Ok(scan)
    }
}

fn is_capital(table: &str) -> bool {
    table.to_ascii_lowercase().ends_with(CAPITAL)
}

/// `ipe_cia_aberta` for `ipe_cia_aberta_2024.csv`, in any folder of the archive, if it is a known table. Programs that pack
/// archives may change the case of names.
fn table_of(name: &str) -> Option<&str> {
    let mut parts = name.rsplit(['/', '\\']);
    let (stem, extension) = parts.next()?.rsplit_once('.')?;
    let (table, year) = stem.rsplit_once('_').filter(|_| extension.eq_ignore_ascii_case("csv"))?;
    let is_year = year.len() == 4 && whole_number::<u16>(year).is_some();
    let is_inside = parts.all(|folder| folder != "..");
    let is_known = KNOWN_TABLES.iter().any(|known| known.eq_ignore_ascii_case(table))
        || is_capital(table)
        || statements::table_of(table).is_some();
    (is_known && is_year && is_inside).then_some(table)
}

fn refuse_damaged(err: ZipError) -> Refusal {
    match err {
        ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED) => {
            Refusal::whole("the zip archive is encrypted, which CVM's are not")
        }
        err => Refusal::whole(format!("the zip archive is damaged: {err}")),
    }
}

#[cfg(test)]
mod zip_archive_tests {
    use super::*;

    #[test]
    fn finds_tables_in_folders_and_nothing_else() {
        let names = [
            ("ipe_cia_aberta_2024.csv", Some("ipe_cia_aberta")),
            ("pasta/outra\\ipe_cia_aberta_2024.csv", Some("ipe_cia_aberta")),
            ("../ipe_cia_aberta_2024.csv", None),
            ("pasta/", None),
            ("leiame.txt", None),
            ("__MACOSX/._ipe_cia_aberta_2024.csv", None),
            ("ipe_cia_aberta_24.csv", None),
            ("dfp_cia_aberta_BPA_con_2024.csv", Some("dfp_cia_aberta_BPA_con")),
            ("DFP_CIA_ABERTA_2024.CSV", Some("DFP_CIA_ABERTA")),
            ("dfp_cia_aberta_bpa_con_2024.csv", Some("dfp_cia_aberta_bpa_con")),
            (
                "Itr_Cia_Aberta_Composicao_Capital_2024.csv",
                Some("Itr_Cia_Aberta_Composicao_Capital"),
            ),
            (
                "itr_cia_aberta_composicao_capital_2024.csv",
                Some("itr_cia_aberta_composicao_capital"),
            ),
            ("dfp_cia_aberta_parecer_2024.csv", None),
        ];
        for (name, table) in names {
            assert_eq!(table_of(name), table, "{name}");
        }
    }
}
