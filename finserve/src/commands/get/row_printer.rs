//! Rows as CSV or NDJSON, printed page by page: a list may be too long to hold in memory.
use std::{borrow::Cow, ops::ControlFlow};

use fincore::table::Dialect;
use serde_json::value::RawValue;

use super::{
    super::output::{Answer, Notes, csv, terminal::print_part},
    Failure, Question, invalid_answer, pager,
};
use crate::api_client::Origin;

/// How rows become lines.
#[derive(Clone, Copy, Debug)]
pub(super) enum LineFormat {
    Csv(Dialect),
    Ndjson,
}

/// Prints the answer to a question, and returns its notes and the number of rows; `None` if the reader closed the output
/// before the end.
pub(super) fn print(
    origin: &Origin,
    question: &Question,
    lines: LineFormat,
) -> Result<Option<(Notes, usize)>, Failure> {
    let headings = origin.columns(&question.path, &question.query);
    let (mut first, mut header, mut rows) = (None, None, 0);
    let end = pager::for_each_page(origin, question, |json| {
        let found = Answer::read(&json, headings).map_err(invalid_answer)?;
        let flow = match lines {
            LineFormat::Csv(dialect) => {
                let table = csv(&found, headings, dialect)?;
                let table = String::from_utf8_lossy(&table);
                match &header {
                    None => {
                        header = table.split_inclusive('\n').next().map(str::to_owned);
                        print_part(&table)?
                    }
                    // Without a row, the columns are unknown.
                    Some(_) if found.rows() == 0 => ControlFlow::Continue(()),
                    Some(header) => print_part(rows_below(header, &table)?)?,
                }
            }
            LineFormat::Ndjson => print_part(&ndjson(&found, &json))?,
        };
        rows += found.rows();
        first.get_or_insert(found.notes);
        Ok(flow)
    })?;
    Ok(match end {
        ControlFlow::Continue(()) => Some((first.unwrap_or_default(), rows)),
        ControlFlow::Break(()) => None,
    })
}

/// The rows of a page whose table begins with the header line of the first page.
fn rows_below<'t>(header: &str, table: &'t str) -> Result<&'t str, Failure> {
    let rows = table.strip_prefix(header);
    let other = "the pages of this list have different columns: ask for it with --format json";
    rows.ok_or_else(|| Failure::Message(other.into()))
}

/// One row a line; the whole answer on one line where it is more than rows.
fn ndjson(answer: &Answer, json: &str) -> String {
    if answer.tables.is_empty() || !answer.facts.is_empty() {
        // A proxy may have written it on several lines.
        return json.replace(['\n', '\r'], "") + "\n";
    }
    let several = answer.tables.len() > 1;
    let mut lines = String::with_capacity(json.len());
    for table in &answer.tables {
        for row in &table.json {
            let line = match row.get().strip_prefix('{') {
                // Rows of several lists say which one they are of.
                Some(rest) if several => {
                    Cow::Owned(format!("{{\"list\":\"{}\",{rest}", table.name))
                }
                _ => Cow::Borrowed(RawValue::get(row)),
            };
            lines.push_str(&line);
            lines.push('\n');
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_that_is_no_list_is_one_line() {
        let json = "{\"result\":1.50,\n \"quotes\":[{\"value\":2},{\"value\":3}]}\n";
        let line = ndjson(&Answer::read(json, &[]).unwrap(), json);
        assert_eq!(line, "{\"result\":1.50, \"quotes\":[{\"value\":2},{\"value\":3}]}\n");
    }

    #[test]
    fn a_later_page_has_its_rows_only() {
        assert_eq!(rows_below("a,b\n", "a,b\n1,2\n").unwrap(), "1,2\n");
        for other in ["b,a\n1,2\n", "a,bc\n1,2\n", ""] {
            assert!(rows_below("a,b\n", other).is_err(), "{other}");
        }
    }
}
