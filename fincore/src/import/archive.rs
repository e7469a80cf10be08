//! Zip archives as CVM publishes them, unpacked in memory.
use std::io::{Cursor, Read};

use zip::{ZipArchive, result::ZipError};

use super::text::Refusal;
use crate::types::whole_number;

/// The largest year unpacks to 25 MB, all tables of an archive to some 300 MB.
const MAX_BYTES: u64 = 512 << 20;

/// These tables compress ten- to twentyfold. Anything far beyond that is a zip bomb.
const MAX_RATIO: u64 = 100;

/// The tables to read, without year and extension; archives contain others too.
const WANTED: [&str; 6] = [
    "ipe_cia_aberta",
    "dfp_cia_aberta",
    "itr_cia_aberta",
    "fre_cia_aberta",
    "fca_cia_aberta",
    "fca_cia_aberta_valor_mobiliario",
];

/// Event filings are alone in their archive.
const ALONE: &str = "ipe_cia_aberta";

pub(super) fn recognises(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PK")
}

/// The wanted tables of an archive. Nothing is written to disk, so names of members can do no harm.
pub(super) fn unpack(bytes: &[u8]) -> Result<Vec<Vec<u8>>, Refusal> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(damaged)?;
    let mut wanted: Vec<(String, usize)> = Vec::new();
    for index in 0..archive.len() {
        let member = archive.by_index_raw(index).map_err(damaged)?;
        let name = member.name().map_err(damaged)?;
        let Some(table) = table_of(&name) else { continue };
        if wanted.iter().any(|(known, _)| known == table) {
            return Err(Refusal::whole(format!("the zip archive has two tables {table}")));
        }
        wanted.push((table.to_owned(), index));
    }
    if wanted.is_empty() {
        return Err(Refusal::whole(format!(
            "the zip archive has none of the known tables ({})",
            WANTED.join(", ")
        )));
    }
    if wanted.iter().any(|(table, _)| table == ALONE) && archive.len() > 1 {
        let count = archive.len();
        return Err(Refusal::whole(format!("the zip archive has {count} members, CVM's has one")));
    }
    let mut room = MAX_BYTES;
    let mut tables = Vec::with_capacity(wanted.len());
    for (_, index) in wanted {
        let table = member(&mut archive, index, room)?;
        room -= table.len() as u64;
        tables.push(table);
    }
    Ok(tables)
}

/// `ipe_cia_aberta` for `ipe_cia_aberta_2024.csv`, if it is wanted.
fn table_of(name: &str) -> Option<&str> {
    let (table, year) = name.strip_suffix(".csv")?.rsplit_once('_')?;
    let is_year = year.len() == 4 && whole_number::<u16>(year).is_some();
    (is_year && WANTED.contains(&table)).then_some(table)
}

fn member(
    archive: &mut ZipArchive<Cursor<&[u8]>>,
    index: usize,
    room: u64,
) -> Result<Vec<u8>, Refusal> {
    let member = archive.by_index(index).map_err(damaged)?;
    let name = member.name().map_err(damaged)?.into_owned();
    let most = room.min(MAX_RATIO * member.compressed_size().max(1024));
    let mut table = Vec::new();
    // The size in the header is not trusted: reading stops at the limit.
    member
        .take(most + 1)
        .read_to_end(&mut table)
        .map_err(|err| Refusal::whole(format!("the zip archive is damaged: {name}: {err}")))?;
    if table.len() as u64 > most {
        let megabytes = most >> 20;
        let reason =
            format!("{name} unpacks to over {megabytes} MB, which is implausible for its size");
        return Err(Refusal::whole(reason));
    }
    Ok(table)
}

fn damaged(err: ZipError) -> Refusal {
    match err {
        ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED) => {
            Refusal::whole("the zip archive is encrypted, which CVM's are not")
        }
        err => Refusal::whole(format!("the zip archive is damaged: {err}")),
    }
}
