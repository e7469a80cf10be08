//! Reads a file from its first byte to its last, and hands on what it holds.
use std::io::{Read, Seek};

use super::{
    archive::{self, Archive},
    content::{self, KNOWN_FILES},
    entries::{each_row, entries},
    flaws::Flaws,
    ipe,
    lines::{Batch, Lines, Room},
    periodic, registry,
    rows::{Imported, Part, Rows},
    scan::Scan,
    table::{self, Dropped, Field, Kind, Layout},
    text::Refusal,
    tickers,
    trouble::Trouble,
};
use crate::{companies::store::Absent, error::Error, filings::entry::NewFiling};

/// Files that are read whole. The largest there is has 2 MB; filings, which grow without end, are read in batches.
const MAX_WHOLE: u64 = 16 << 20;

/// A year of filings makes one or two batches.
const BATCH: Room = Room { lines: 50_000, bytes: 16 << 20 };
const ALL: Room = Room { lines: usize::MAX, bytes: usize::MAX };

/// Takes rows, and adds to the report what became of them.
pub(super) type Store<'s> = dyn FnMut(Rows<'_>, &mut Imported) -> Result<(), Trouble> + 's;

/// Reads a file twice: first to know its encoding and whether it is complete, then to hand its rows to `store`. Returns
/// the report and the digest of the content.
pub(super) fn file(
    name: &str,
    mut source: impl Read + Seek,
    store: &mut Store<'_>,
) -> Result<(Imported, [u8; 32]), Trouble> {
    source.rewind()?;
    let scan = Scan::of(&mut source)?;
    source.rewind()?;
    let imported = if archive::recognises(&scan.head) {
        tables(name, source, store)?
    } else {
        one(name, &scan, source, store)?
    };
    Ok((imported, scan.digest))
}

/// Reads all wanted tables of an archive.
fn tables(
    name: &str,
    source: impl Read + Seek,
    store: &mut Store<'_>,
) -> Result<Imported, Trouble> {
    let mut archive = Archive::open(source)?;
    let mut imported = Imported::new("");
    for index in archive.tables.clone() {
        let scan = archive.scan(index)?;
        imported.add(one(name, &scan, archive.member(index)?, store)?);
    }
    if archive.others > 0 {
        imported.leave_out(archive.others, "other members of the archive");
    }
    Ok(imported)
}

fn one(
    name: &str,
    scan: &Scan,
    mut source: impl Read,
    store: &mut Store<'_>,
) -> Result<Imported, Trouble> {
    if table::recognises(&scan.head) {
        return read_table(scan, source, store);
    }
    check_size(scan)?;
    let mut bytes = Vec::new();
    source.read_to_end(&mut bytes)?;
    let content = content::parse(name, &bytes)?;
    let mut imported = Imported::new(content.what);
    imported.left_out = content.left_out;
    store(content.rows, &mut imported)?;
    Ok(imported)
}

fn check_size(scan: &Scan) -> Result<(), Refusal> {
    if scan.bytes <= MAX_WHOLE {
        return Ok(());
    }
    let most = MAX_WHOLE >> 20;
    let reason =
        format!("it has {} bytes, but no file of its kind has over {most} MiB", scan.bytes);
    Err(Refusal::whole(reason))
}

fn read_table(scan: &Scan, source: impl Read, store: &mut Store<'_>) -> Result<Imported, Trouble> {
    scan.check_table()?;
    let Some(kind) = table::kind_of(&scan.head) else {
        let reason = "a table of CVM, but of an unknown kind; known are";
        return Err(Refusal::whole(format!("{reason} {KNOWN_FILES}")).into());
    };
    let mut lines = Lines::new(source, scan)?;
    let header = lines.header()?;
    match kind {
        Kind::Registry => {
            check_size(scan)?;
            let layout = Layout::of(&header, &registry::COLUMNS, registry::READ, scan.encoding)?;
            read_registry(&layout, lines, store)
        }
        Kind::Tickers => {
            check_size(scan)?;
            let layout = Layout::of(&header, &tickers::COLUMNS, tickers::READ, scan.encoding)?;
            read_tickers(&layout, lines, store)
        }
        Kind::Ipe => {
            let layout = Layout::of(&header, &ipe::COLUMNS, ipe::READ, scan.encoding)?;
            read_filings("IPE filings", &layout, lines, ipe::entry, store)
        }
        Kind::Periodic => {
            let layout = Layout::of(&header, &periodic::COLUMNS, periodic::READ, scan.encoding)?;
            read_filings("periodic filings", &layout, lines, periodic::entry, store)
        }
    }
}

fn read_registry(
    layout: &Layout<9>,
    mut lines: Lines<impl Read>,
    store: &mut Store<'_>,
) -> Result<Imported, Trouble> {
    let (mut batch, mut flaws) = (Batch::default(), Flaws::default());
    lines.fill(&mut batch, ALL)?;
    let companies = entries(&batch, layout, &mut flaws, registry::entry, |entry| entry.id)?;
    let mut imported = report("CVM registry", layout, &flaws)?;
    if companies.is_empty() {
        return Err(Refusal::whole("it has no rows").into());
    }
    let companies = companies.into_iter().map(|entry| entry.value).collect();
    let absent = if flaws.has_bad_rows() { Absent::Unsure } else { Absent::Gone };
    store(Rows::Companies(companies, absent), &mut imported)?;
    Ok(imported)
}

fn read_tickers(
    layout: &Layout<5>,
    mut lines: Lines<impl Read>,
    store: &mut Store<'_>,
) -> Result<Imported, Trouble> {
    let (mut batch, mut flaws) = (Batch::default(), Flaws::default());
    lines.fill(&mut batch, ALL)?;
    let mut forms = tickers::Forms::default();
    each_row(&batch, layout, &mut flaws, |_, fields, _| Ok(forms.add(fields)?))?;
    let mut imported = report("tickers", layout, &flaws)?;
    if forms.without > 0 {
        let reason = "securities without a ticker on the exchange".to_owned();
        imported.left_out.push((forms.without, reason));
    }
    store(Rows::Securities(forms.securities()), &mut imported)?;
    Ok(imported)
}

fn read_filings<const N: usize>(
    what: &str,
    layout: &Layout<N>,
    mut lines: Lines<impl Read>,
    entry: impl for<'a> Fn([Field<'a>; N], &mut Dropped) -> Result<NewFiling<'a>, Error>,
    store: &mut Store<'_>,
) -> Result<Imported, Trouble> {
    let (mut batch, mut flaws) = (Batch::default(), Flaws::default());
    let mut stored = Imported::new(what);
    let mut part = Part::First;
    while !lines.ended() {
        lines.fill(&mut batch, BATCH)?;
        if part == Part::First && lines.ended() {
            part = Part::Whole;
        }
        let filings = entries(&batch, layout, &mut flaws, &entry, |filing| filing.id)?;
        store(Rows::Filings(filings, part), &mut stored)?;
        part = Part::Later;
    }
    // What was stored is thrown away with the import if too much of the file is bad.
    let read = report(what, layout, &flaws)?;
    stored.left_out.extend(read.left_out);
    stored.notes.extend(read.notes);
    Ok(stored)
}

/// A report with what was found while reading; refuses a table with too many bad rows.
fn report<const N: usize>(
    what: &str,
    layout: &Layout<N>,
    flaws: &Flaws,
) -> Result<Imported, Refusal> {
    flaws.check()?;
    let mut imported = Imported::new(what);
    imported.left_out.extend(flaws.report());
    if !layout.unknown.is_empty() {
        let names: Vec<String> = layout.unknown.iter().map(|name| format!("{name:?}")).collect();
        imported.notes.push(format!("new columns that are not read: {}", names.join(", ")));
    }
    Ok(imported)
}
