//! Compares the search index with one that is built from the stored filings and names.
use super::{
    findings::{Findings, Noun, display_value},
    progress::Progress,
};
use crate::{catalogue::Writer, error::Result, index};

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
pub(super) fn check(
    scratch: &Writer,
    findings: &mut Findings,
    progress: &mut Progress<'_>,
) -> Result<()> {
    progress.begin("the search index");
    for (table, ..) in COMPARED {
        scratch.hide(table)?;
    }
    index::rebuild_with_same_blocks(scratch.connection(), |filings| progress.set_rows(filings))?;
    for (_, sql, noun, fault) in COMPARED {
        let mut statement = scratch.prepare(sql)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            findings.add(noun, fault, display_value(row.get_ref(0)?));
        }
    }
    Ok(())
}
