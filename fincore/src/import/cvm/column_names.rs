//! The columns that are read of CVM's tables, and the other names that they have.
use std::sync::LazyLock;

use crate::{import::import_error::Refusal, types::tsv};

/// A column to read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Column {
    pub(super) name: &'static str,
    pub(super) is_required: bool,
    /// Whether tables of its kind all have it, so that one without it is worth a note.
    pub(super) is_usual: bool,
}

/// A column without which a row has no meaning: a table that lacks it is refused.
pub(super) const fn required(name: &'static str) -> Column {
    Column { name, is_required: true, is_usual: true }
}

/// A column that a table may lack: what is stored of it is kept.
pub(super) const fn optional(name: &'static str) -> Column {
    Column { name, is_required: false, is_usual: true }
}

/// A column that only some of the tables have.
pub(super) const fn of_some_tables(name: &'static str) -> Column {
    Column { name, is_required: false, is_usual: false }
}

/// The names of the same column. A table that is published with the name of another one is read all the same. Capitals
/// make no difference.
static SAME_COLUMN: LazyLock<Vec<Vec<&str>>> = LazyLock::new(|| {
    let table = include_str!("column_names.tsv");
    tsv::embedded("column_names.tsv", table, "name\tother_names", |[name, other_names]| {
        Ok([name].into_iter().chain(tsv::list(other_names)).collect())
    })
});

/// The position of a column in a header, by its own name or else by another one.
pub(super) fn position_of(name: &'static str, given: &[&str]) -> Result<Option<usize>, Refusal> {
    let is_own = |given: &str| given == name;
    let is_other = |given: &str| is_same_column(given, name);
    for is_it in [&is_own as &dyn Fn(&str) -> bool, &is_other] {
        let mut found = (0..given.len()).filter(|position| is_it(given[*position]));
        match (found.next(), found.next()) {
            (None, _) => (),
            (Some(position), None) => return Ok(Some(position)),
            (Some(_), Some(_)) => {
                return Err(Refusal::at(1, format!("the column {name} appears twice")));
            }
        }
    }
    Ok(None)
}

/// Whether both are names of the same column.
fn is_same_column(name: &str, other: &str) -> bool {
    let holds = |names: &[&str], name: &str| names.iter().any(|one| one.eq_ignore_ascii_case(name));
    name.eq_ignore_ascii_case(other)
        || SAME_COLUMN.iter().any(|names| holds(names, name) && holds(names, other))
}
