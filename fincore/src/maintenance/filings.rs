//! Filings: which cannot be read, which columns do not agree with their filer or key, and whether the search index fits
//! them.
use rusqlite::Row;

use crate::{
    filings::filing::DATASET as FILINGS,
    index::update,
    maintenance::{
        Findings, Noun, RemovedRows,
        findings::{FILING, Progress, display_value, filing_name},
    },
    store::Writer,
    values::{CvmCode, Date, FilingId, ID_BITS, Result},
};

/// Finds everything that is wrong with the rows.
pub(crate) fn check(
    scratch: &Writer,
    findings: &mut Findings,
    progress: &mut Progress<'_>,
) -> Result<()> {
    progress.begin("filings");
    each(scratch, |row| {
        progress.count_row();
        let key: i64 = row.get(0)?;
        match read_fault(row) {
            Some(fault) => findings.add(FILING, fault, filing_name(key)),
            None => {
                disagreements(row)?.for_each(|fault| findings.add(FILING, fault, filing_name(key)));
            }
        }
        Ok(())
    })
}

/// Removes filings that cannot be read, makes columns agree, and rebuilds the index.
pub(crate) fn repair(
    writer: &Writer,
    removed: &mut RemovedRows,
    progress: &mut Progress<'_>,
) -> Result<()> {
    const REMOVE: &str = "DELETE FROM filing WHERE key = ?1";
    let mut bad = Vec::new();
    each(writer, |row| {
        if read_fault(row).is_some() {
            bad.push(row.get(0)?);
        }
        Ok(())
    })?;
    for key in bad {
        writer.prepare(REMOVE)?.execute([key])?;
        removed.log(writer, FILINGS, &filing_name(key))?;
    }
    repair_columns(writer)?;
    update::rebuild(writer.connection(), |filings| progress.set_rows(filings))
}

/// Makes the id of every filing that of its key, and its company that of its filer.
fn repair_columns(writer: &Writer) -> Result<()> {
    // In two steps, because swapped ids would violate the unique index.
    const FREE: &str = "UPDATE filing SET id = -key WHERE id <> (key & ?1)";
    const ID: &str = "UPDATE OR REPLACE filing SET id = (key & ?1) WHERE id < 0";
    const COMPANY: &str = "UPDATE filing SET company = filer.company FROM filer
        WHERE filer.id = filing.filer AND filing.company <> filer.company";
    let id = (1_i64 << ID_BITS) - 1;
    for sql in [FREE, ID] {
        writer.prepare(sql)?.execute([id])?;
    }
    writer.prepare(COMPANY)?.execute([])?;
    Ok(())
}

fn each(writer: &Writer, mut visit: impl FnMut(&Row<'_>) -> Result<()>) -> Result<()> {
    const SQL: &str =
        "SELECT key, filing.id, filing.company, version, reference_day, sequence, url,
            subject, filer.company, filer.name, category || ' ' || type || ' ' || species
        FROM main.filing LEFT JOIN main.filer ON filer.id = filer
            LEFT JOIN main.class ON class.id = class
        ORDER BY key";
    let mut statement = writer.prepare(SQL)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        visit(row)?;
    }
    Ok(())
}

/// Why a filing cannot be served; `None` if it can.
fn read_fault(row: &Row<'_>) -> Option<&'static str> {
    let text = |column| row.get_ref(column).is_ok_and(|value| value.as_str().is_ok());
    let number = |column| row.get::<_, Option<u32>>(column).is_ok();
    let day = row.get::<_, Option<i32>>(4).map(|day| day.map(Date::from_day_number));
    let url = row.get_ref(6).map(|url| url.as_str_or_null().map(|url| url.is_none_or(is_address)));
    if !row.get(0).is_ok_and(|key| FilingId::of_key(key).is_some()) {
        Some("whose key is no id and day")
    } else if row.get::<_, CvmCode>(8).is_err() || !text(9) {
        Some("whose filer is missing or cannot be read")
    } else if !text(10) {
        Some("whose class is missing or cannot be read")
    } else if !matches!(row.get::<_, Option<u32>>(3), Ok(Some(_))) {
        Some("whose version is no number of a version")
    } else if matches!(day, Err(_) | Ok(Some(None))) {
        Some("whose reference date is no date")
    } else if !number(5) || !matches!(url, Ok(Ok(true))) {
        Some("whose address is no address")
    } else if !text(7) {
        Some("whose subject cannot be read")
    } else {
        None
    }
}

fn is_address(url: &str) -> bool {
    let unsafe_character = |c: char| c.is_whitespace() || c.is_control();
    ["http://", "https://"].iter().any(|start| url.starts_with(start))
        && !url.contains(unsafe_character)
}

/// The columns of a readable filing that disagree with what they are derived from.
fn disagreements(row: &Row<'_>) -> Result<impl Iterator<Item = &'static str>> {
    let number = |column| row.get::<_, i64>(column);
    let id = FilingId::of_key(number(0)?).map(|(id, _)| id.to_bits());
    let faults = [
        (id != Some(number(1)?)).then_some("whose id is not that of the key"),
        (number(2)? != number(8)?).then_some("whose company is not that of the filer"),
    ];
    Ok(faults.into_iter().flatten())
}

const BLOCK: Noun = ("block of the search index", "blocks of the search index");
const PLACE: Noun = ("place in the search index", "places in the search index");
const TERM: Noun = ("term of the search index", "terms of the search index");
const CLASS: Noun = ("class", "classes");

/// The tables, the rows that differ, and what is wrong with them.
const COMPARED: [(&str, &str, Noun, &str); 5] = [
    (
        "filing_block",
        "SELECT id FROM temp.filing_block AS wanted FULL JOIN main.filing_block AS there USING (id)
        WHERE wanted.first IS NOT there.first OR wanted.filings IS NOT there.filings",
        BLOCK,
        "with a wrong range or number of filings",
    ),
    (
        "filing_place",
        "SELECT COALESCE(wanted.key, there.key)
        FROM temp.filing_place AS wanted FULL JOIN main.filing_place AS there USING (place)
        WHERE wanted.key IS NOT there.key",
        PLACE,
        "of another filing",
    ),
    (
        "term",
        "SELECT text FROM temp.term AS wanted FULL JOIN main.term AS there USING (id, kind, text)
        WHERE wanted.id IS NOT there.id",
        TERM,
        "without a number",
    ),
    (
        "filing_term",
        "SELECT text FROM temp.filing_term AS wanted FULL JOIN main.filing_term AS there USING (id)
        LEFT JOIN temp.term ON term.id = (COALESCE(wanted.id, there.id) & 4294967295)
        WHERE wanted.bits IS NOT there.bits OR wanted.count IS NOT there.count",
        TERM,
        "with other filings than have it",
    ),
    (
        "class_total",
        "SELECT class FROM temp.class_total AS wanted FULL JOIN main.class_total AS there USING (class)
        WHERE wanted.filings IS NOT there.filings",
        CLASS,
        "with a wrong number of filings",
    ),
];

/// Builds the index again beside the stored one, and compares them.
pub(crate) fn check_index(
    scratch: &Writer,
    findings: &mut Findings,
    progress: &mut Progress<'_>,
) -> Result<()> {
    progress.begin("the search index");
    for (table, ..) in COMPARED {
        scratch.hide(table)?;
    }
    update::rebuild_with_same_blocks(scratch.connection(), |filings| progress.set_rows(filings))?;
    for (_, sql, noun, fault) in COMPARED {
        let mut statement = scratch.prepare(sql)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            findings.add(noun, fault, display_value(row.get_ref(0)?));
        }
    }
    Ok(())
}
