//! Reads the rows of a table batch by batch, and drops duplicates.
use std::{collections::hash_map, hash::Hash, io::Read};

use foldhash::{HashMap, HashMapExt};

use super::{
    bad_rows::{BadRows, FewBad},
    column_names::Column,
    columns::{ColumnLayout, DroppedFields, Field},
    line_batches::{BatchLimit, LineBatch, Lines},
};
use crate::{
    error::Error,
    import::{
        file_scan::FileScan,
        import_error::{ImportError, Refusal},
        imported::Imported,
        parsed_rows::{BatchPosition, ParsedRow},
    },
};

/// A year of filings makes one or two batches; each is stored in the order of its days.
const BATCH: BatchLimit = BatchLimit { lines: 50_000, bytes: 16 << 20 };
const WHOLE_TABLE: BatchLimit = BatchLimit { lines: usize::MAX, bytes: usize::MAX };

/// The rows of a batch, and which batch it is.
type ParsedBatch<T> = (Vec<ParsedRow<T>>, BatchPosition);

/// A table whose header was read: its columns, the lines that follow, and the bad rows so far.
pub(super) struct Table<R, const N: usize> {
    layout: ColumnLayout<N>,
    lines: Lines<R>,
    batch: LineBatch,
    bad_rows: BadRows,
    next: BatchPosition,
}

impl<R: Read, const N: usize> Table<R, N> {
    /// Reads the header of a file that was scanned before, and finds the columns `read` in it; `published` are all
    /// columns that CVM is known to publish in such a table.
    pub(super) fn open(
        scan: &FileScan,
        source: R,
        published: &[&str],
        read: [Column; N],
    ) -> Result<Table<R, N>, ImportError> {
        let mut lines = Lines::new(source, scan)?;
        let header = lines.read_header()?;
        Ok(Table {
            layout: ColumnLayout::of(&header, published, read, scan.encoding)?,
            lines,
            batch: LineBatch::default(),
            bad_rows: BadRows::default(),
            next: BatchPosition::First,
        })
    }

    /// Parses all rows. Rows that cannot be read are left out. If the same thing appears more than once with different
    /// values, the newest one counts: `identity` returns what identifies a row, and how new it is.
    pub(super) fn read_all<'a, T: PartialEq, K: Eq + Hash, A: Ord>(
        &'a mut self,
        parse_row: impl Fn([Field<'a>; N], &mut DroppedFields) -> Result<T, Error>,
        identity: impl Fn(&T) -> (K, A),
    ) -> Result<Vec<ParsedRow<T>>, ImportError> {
        self.lines.fill(&mut self.batch, WHOLE_TABLE)?;
        let Table { layout, batch, bad_rows, .. } = self;
        Ok(parse_distinct(batch, layout, bad_rows, parse_row, identity))
    }

    /// Parses the rows of the next batch in the same way; `None` after the last one.
    pub(super) fn next_batch<'a, T: PartialEq, K: Eq + Hash, A: Ord>(
        &'a mut self,
        parse_row: impl Fn([Field<'a>; N], &mut DroppedFields) -> Result<T, Error>,
        identity: impl Fn(&T) -> (K, A),
    ) -> Result<Option<ParsedBatch<T>>, ImportError> {
        if self.lines.is_at_end() {
            return Ok(None);
        }
        self.lines.fill(&mut self.batch, BATCH)?;
        let position = match std::mem::replace(&mut self.next, BatchPosition::Later) {
            BatchPosition::First if self.lines.is_at_end() => BatchPosition::Only,
            position => position,
        };
        let Table { layout, batch, bad_rows, .. } = self;
        Ok(Some((parse_distinct(batch, layout, bad_rows, parse_row, identity), position)))
    }

    /// Visits all rows. Those for which `visit` fails are left out.
    pub(super) fn visit_all(
        &mut self,
        mut visit: impl FnMut([Field<'_>; N]) -> Result<(), Error>,
    ) -> Result<(), ImportError> {
        self.lines.fill(&mut self.batch, WHOLE_TABLE)?;
        let Table { layout, batch, bad_rows, .. } = self;
        visit_rows(batch, layout, bad_rows, |_, fields, _| visit(fields));
        Ok(())
    }

    /// Visits all rows with their line numbers, batch by batch. Those for which `visit` fails are left out.
    pub(super) fn visit_batches(
        &mut self,
        mut visit: impl FnMut(usize, [Field<'_>; N]) -> Result<(), Error>,
    ) -> Result<(), ImportError> {
        while !self.lines.is_at_end() {
            self.lines.fill(&mut self.batch, BATCH)?;
            let Table { layout, batch, bad_rows, .. } = self;
            visit_rows(batch, layout, bad_rows, |line, fields, _| visit(line, fields));
        }
        Ok(())
    }

    /// The number of rows so far.
    pub(super) fn row_count(&self) -> usize {
        self.bad_rows.row_count()
    }

    /// The columns to read that the table lacks.
    pub(super) fn missing_columns(&self) -> &[&'static str] {
        &self.layout.missing
    }

    /// The columns that this table lacks, as some do.
    pub(super) fn absent_columns(&self) -> &[&'static str] {
        &self.layout.absent
    }

    /// Whether any row was left out so far.
    pub(super) fn has_left_out_rows(&self) -> bool {
        self.bad_rows.any_left_out()
    }

    /// The report on what was read; refuses a table with too many bad rows.
    pub(super) fn report(&self, what: &str) -> Result<Imported, Refusal> {
        self.report_with(FewBad::One, what)
    }

    /// The same of a table that may be small.
    pub(super) fn report_with(&self, few: FewBad, what: &str) -> Result<Imported, Refusal> {
        self.bad_rows.check(few)?;
        let mut imported = Imported::new(what);
        imported.left_out.extend(self.bad_rows.report());
        imported.notes.extend(self.bad_rows.contradiction_note());
        imported.notes.extend(self.layout.notes());
        Ok(imported)
    }
}

/// Parses the rows of a batch; of those with the same identity only the newest is returned, and of equally new ones the
/// last.
fn parse_distinct<'a, const N: usize, T: PartialEq, K: Eq + Hash, A: Ord>(
    batch: &'a LineBatch,
    layout: &ColumnLayout<N>,
    bad_rows: &mut BadRows,
    parse_row: impl Fn([Field<'a>; N], &mut DroppedFields) -> Result<T, Error>,
    identity: impl Fn(&T) -> (K, A),
) -> Vec<ParsedRow<T>> {
    let mut rows: Vec<ParsedRow<T>> = Vec::new();
    let mut by_id = HashMap::new();
    let mut contradictions = Vec::new();
    visit_rows(batch, layout, bad_rows, |line, fields, dropped| {
        let value = parse_row(fields, dropped)?;
        let row = ParsedRow { line, value, is_complete: dropped.reasons().is_empty() };
        let (id, age) = identity(&row.value);
        match by_id.entry(id) {
            hash_map::Entry::Vacant(vacant) => {
                vacant.insert(rows.len());
                rows.push(row);
            }
            hash_map::Entry::Occupied(index) => {
                let known = &mut rows[*index.get()];
                if known.value == row.value {
                    return Ok(());
                }
                // A field that could not be read is no contradiction.
                let contradicts = known.is_complete && row.is_complete;
                if contradicts {
                    contradictions.push(line);
                }
                let is_newer = contradicts && identity(&known.value).1 <= age;
                if is_newer || (row.is_complete && !known.is_complete) {
                    *known = row;
                }
            }
        }
        Ok(())
    });
    contradictions.into_iter().for_each(|line| bad_rows.contradict(line));
    rows
}

/// Visits every row of a batch that has content and the right number of fields. Those for which `visit` fails are left
/// out.
fn visit_rows<'a, const N: usize>(
    batch: &'a LineBatch,
    layout: &ColumnLayout<N>,
    bad_rows: &mut BadRows,
    mut visit: impl FnMut(usize, [Field<'a>; N], &mut DroppedFields) -> Result<(), Error>,
) {
    for (number, line) in batch.lines() {
        if line.trim_ascii().is_empty() {
            bad_rows.count_blank_line(number);
            continue;
        }
        bad_rows.count_row();
        let mut dropped = DroppedFields::default();
        match layout.fields(line).and_then(|fields| visit(number, fields, &mut dropped)) {
            Ok(()) => bad_rows.leave_out_fields(number, dropped.reasons()),
            Err(err) => bad_rows.leave_out(number, err),
        }
    }
}
