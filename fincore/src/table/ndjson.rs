//! Tables as NDJSON: one JSON object a line, with the keys and digits of the same row in an answer.
use serde::{Serialize, Serializer, ser::SerializeMap};

use super::{Cell, Heading};
use crate::error::{Error, Result};

/// Appends one row as a line.
pub(crate) fn write_row(headings: &[Heading], cells: &[Cell<'_>], out: &mut Vec<u8>) -> Result<()> {
    serde_json::to_writer(&mut *out, &Line { headings, cells })
        .map_err(|err| Error::storage("the row cannot be written as JSON", err))?;
    out.push(b'\n');
    Ok(())
}

/// A row as an object.
struct Line<'a> {
    headings: &'a [Heading],
    cells: &'a [Cell<'a>],
}

impl Serialize for Line<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_map(Some(self.cells.len()))?;
        for ((name, _), cell) in self.headings.iter().zip(self.cells) {
            object.serialize_entry(name, cell)?;
        }
        object.end()
    }
}
