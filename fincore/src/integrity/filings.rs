//! Filings: which cannot be read, and which columns do not agree with their filer, class or key.
use rusqlite::Row;

use super::{
    Progress, Removed,
    companies::Index,
    findings::{FILING, Findings, Noun, named},
    words::{self, Ledger},
};
use crate::{
    catalogue::Writer,
    error::Result,
    filings::{
        derived::{self, Counts},
        store::FILINGS,
    },
    sqlite::code,
    types::{Date, FilingId, ID_BITS, fold},
};

const CATEGORY: Noun = ("category", "categories");

/// Finds everything that is wrong, in one pass over the filings and one over their search index.
pub(super) fn check(
    scratch: &Writer,
    index: Index,
    findings: &mut Findings,
    progress: &mut Progress<'_>,
) -> Result<()> {
    for (name, _) in wrong_categories(scratch)? {
        findings.add(CATEGORY, "whose name for filters is not the folded name", name);
    }
    progress.begin("filings");
    scratch.hide("filing_word")?;
    scratch.hide("filing_total")?;
    let (mut ledger, mut counts) = (Ledger::default(), Counts::default());
    each(scratch, |row| {
        progress.row();
        let key: i64 = row.get(0)?;
        match unreadable(row) {
            Some(fault) => findings.add(FILING, fault, named(key)),
            None => disagreements(row)?.for_each(|fault| findings.add(FILING, fault, named(key))),
        }
        // A filing that is not served for another reason still has its words.
        match words_of(row) {
            Ok(words) => {
                counts.add(scratch, &words)?;
                ledger.add(key, &words);
            }
            Err(_) => ledger.ignore(key),
        }
        Ok(())
    })?;
    progress.begin("counts of filings");
    counts.write(scratch)?;
    words::compare_counts(scratch, findings)?;
    progress.begin("the search index of filings");
    if index == Index::Whole && ledger.compare(scratch, findings, progress)? {
        words::compare_searches(scratch, findings, progress)?;
    }
    Ok(())
}

/// Removes filings that cannot be read, makes columns agree, and derives the rest anew.
pub(super) fn repair(
    writer: &Writer,
    removed: &mut Removed,
    progress: &mut Progress<'_>,
) -> Result<()> {
    const REMOVE: &str = "DELETE FROM filing WHERE key = ?1";
    let mut bad = Vec::new();
    each(writer, |row| {
        if unreadable(row).is_some() {
            bad.push(row.get(0)?);
        }
        Ok(())
    })?;
    for key in bad {
        writer.prepare(REMOVE)?.execute([key])?;
        removed.log(writer, FILINGS, &named(key))?;
    }
    for (_, class) in wrong_categories(writer)? {
        repair_category(writer, class)?;
    }
    repair_columns(writer)?;
    derived::rebuild(writer, |_| progress.row())
}

/// Makes the id of every filing that of its key, its company that of its filer, its category that of its class.
fn repair_columns(writer: &Writer) -> Result<()> {
    // In two steps, because ids that were swapped would be in each other's way.
    const FREE: &str = "UPDATE filing SET id = -key WHERE id <> (key & ?1)";
    const ID: &str = "UPDATE OR REPLACE filing SET id = (key & ?1) WHERE id < 0";
    const COMPANY: &str = "UPDATE filing SET company = filer.company FROM filer
        WHERE filer.id = filing.filer AND filing.company <> filer.company";
    const CATEGORY: &str = "UPDATE filing SET category = class.category_id FROM class
        WHERE class.id = filing.class AND filing.category <> class.category_id";
    let id = (1_i64 << ID_BITS) - 1;
    for sql in [FREE, ID] {
        writer.prepare(sql)?.execute([id])?;
    }
    for sql in [COMPANY, CATEGORY] {
        writer.prepare(sql)?.execute([])?;
    }
    Ok(())
}

fn each(writer: &Writer, mut visit: impl FnMut(&Row<'_>) -> Result<()>) -> Result<()> {
    const SQL: &str = "SELECT key, filing.id, filing.company, filing.category, version,
            reference_day, sequence, url, subject, filer.company, filer.name, category_id,
            class.category || ' ' || type || ' ' || species
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
fn unreadable(row: &Row<'_>) -> Option<&'static str> {
    let text = |column| row.get_ref(column).is_ok_and(|value| value.as_str().is_ok());
    let number = |column| row.get::<_, Option<u32>>(column).is_ok();
    let day = row.get::<_, Option<i32>>(5).map(|day| day.map(Date::from_day_number));
    let url = row.get_ref(7).map(|url| url.as_str_or_null().map(|url| url.is_none_or(is_address)));
    if !row.get(0).is_ok_and(|key| FilingId::of_key(key).is_some()) {
        Some("whose key is no id and day")
    } else if code(row, 9).is_err() || !text(10) {
        Some("whose filer is missing or cannot be read")
    } else if row.get::<_, i64>(11).is_err() || !text(12) {
        Some("whose class is missing or cannot be read")
    } else if !matches!(row.get::<_, Option<u32>>(4), Ok(Some(_))) {
        Some("whose version is no number of a version")
    } else if matches!(day, Err(_) | Ok(Some(None))) {
        Some("whose reference date is no date")
    } else if !number(6) || !matches!(url, Ok(Ok(true))) {
        Some("whose address is no address")
    } else if !text(8) {
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
    let id = FilingId::of_key(number(0)?).map(|(id, _)| id.packed());
    let faults = [
        (id != Some(number(1)?)).then_some("whose id is not that of the key"),
        (number(2)? != number(9)?).then_some("whose company is not that of the filer"),
        (number(3)? != number(11)?).then_some("whose category is not that of the class"),
    ];
    Ok(faults.into_iter().flatten())
}

fn words_of(row: &Row<'_>) -> Result<String> {
    let text = |column| row.get_ref(column)?.as_str().map_err(rusqlite::Error::from);
    Ok(derived::words([text(10)?, text(12)?, text(8)?]))
}

/// The classes whose category is missing or has another name: the category and the id of the class.
fn wrong_categories(writer: &Writer) -> Result<Vec<(String, i64)>> {
    const SQL: &str = "SELECT class.id, class.category, folded FROM main.class
        LEFT JOIN main.category ON category.id = category_id";
    let mut statement = writer.prepare(SQL)?;
    let mut rows = statement.query([])?;
    let mut wrong = Vec::new();
    while let Some(row) = rows.next()? {
        // A class that cannot be read takes its filings with it.
        let Ok(name) = row.get_ref(1)?.as_str() else { continue };
        if row.get_ref(2)?.as_str() != Ok(&fold(name)) {
            wrong.push((name.to_owned(), row.get(0)?));
        }
    }
    Ok(wrong)
}

/// Leads a class to the category with its name. A category that only such classes use is renamed.
fn repair_category(writer: &Writer, class: i64) -> Result<()> {
    const NAME: &str = "SELECT category, category_id FROM class WHERE id = ?1";
    const FIND: &str = "SELECT id FROM category WHERE folded = ?1";
    const RENAME: &str = "UPDATE category SET folded = ?2 WHERE id = ?1";
    const INSERT: &str = "INSERT INTO category (folded) VALUES (?1) RETURNING id";
    const LEAD: &str = "UPDATE class SET category_id = ?2 WHERE id = ?1";
    const OTHERS: &str = "SELECT category FROM class WHERE category_id = ?1";
    let (name, category): (String, i64) =
        writer.prepare(NAME)?.query_row([class], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let folded = fold(&name);
    let mut statement = writer.prepare(FIND)?;
    let mut found = statement.query([&folded])?;
    let right = match found.next()? {
        Some(row) => row.get(0)?,
        None => {
            let mut others = writer.prepare(OTHERS)?;
            let others = others.query_map([category], |row| row.get::<_, String>(0))?;
            let alone =
                others.map(|name| Ok(fold(&name?) == folded)).collect::<Result<Vec<_>>>()?;
            if alone.into_iter().all(|same| same)
                && writer.prepare(RENAME)?.execute((category, &folded))? > 0
            {
                category
            } else {
                writer.prepare(INSERT)?.query_row([&folded], |row| row.get(0))?
            }
        }
    };
    writer.prepare(LEAD)?.execute((class, right))?;
    Ok(())
}
