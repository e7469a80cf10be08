//! The rows of a table as values, each thing once.
use std::{
    collections::{HashMap, hash_map::Entry as Place},
    hash::Hash,
};

use super::{
    flaws::Flaws,
    lines::Batch,
    table::{Dropped, Field, Layout},
    text::Refusal,
};
use crate::error::Error;

/// A row that was read.
#[derive(Debug)]
pub(super) struct Entry<T> {
    pub(super) line: usize,
    pub(super) value: T,
    /// Whether every field of it could be read.
    pub(super) whole: bool,
}

/// Reads every row of a batch. Rows that cannot be read are left out. The same thing may appear more than once, but
/// not with different values.
pub(super) fn entries<'a, const N: usize, T: PartialEq, K: Eq + Hash>(
    batch: &'a Batch,
    layout: &Layout<N>,
    flaws: &mut Flaws,
    read: impl Fn([Field<'a>; N], &mut Dropped) -> Result<T, Error>,
    id: impl Fn(&T) -> K,
) -> Result<Vec<Entry<T>>, Refusal> {
    let mut entries: Vec<Entry<T>> = Vec::new();
    let mut by_id = HashMap::new();
    each_row(batch, layout, flaws, |line, fields, dropped| {
        let value = read(fields, dropped)?;
        let entry = Entry { line, value, whole: dropped.reasons().is_empty() };
        match by_id.entry(id(&entry.value)) {
            Place::Vacant(place) => {
                place.insert(entries.len());
                entries.push(entry);
            }
            Place::Occupied(known) => {
                let known = &mut entries[*known.get()];
                if known.value == entry.value {
                    return Ok(());
                }
                // A field that could not be read is no contradiction.
                if known.whole && entry.whole {
                    return Err(RowError::Contradiction);
                }
                if entry.whole {
                    *known = entry;
                }
            }
        }
        Ok(())
    })?;
    Ok(entries)
}

/// What is wrong with a row.
pub(super) enum RowError {
    /// It cannot be read, and is left out.
    Unreadable(Error),
    /// It contradicts another one, so that nobody knows which of them is right.
    Contradiction,
}

impl From<Error> for RowError {
    fn from(err: Error) -> RowError {
        RowError::Unreadable(err)
    }
}

/// Why a file is refused that tells two things of one filing or company.
pub(super) const CONTRADICTION: &str = "the same number appears twice with different values";

/// Visits every row of a batch that has content and the right number of fields.
pub(super) fn each_row<'a, const N: usize>(
    batch: &'a Batch,
    layout: &Layout<N>,
    flaws: &mut Flaws,
    mut visit: impl FnMut(usize, [Field<'a>; N], &mut Dropped) -> Result<(), RowError>,
) -> Result<(), Refusal> {
    for (number, line) in batch.lines() {
        if line.trim_ascii().is_empty() {
            flaws.blank_line(number);
            continue;
        }
        flaws.row();
        let mut dropped = Dropped::default();
        let fields = layout.fields(line).map_err(RowError::from);
        match fields.and_then(|fields| visit(number, fields, &mut dropped)) {
            Ok(()) => flaws.leave_out_fields(number, dropped.reasons()),
            Err(RowError::Unreadable(err)) => flaws.leave_out(number, err),
            Err(RowError::Contradiction) => return Err(Refusal::at(number, CONTRADICTION)),
        }
    }
    Ok(())
}
