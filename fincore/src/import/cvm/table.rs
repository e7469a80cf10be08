//! Reads the rows of a table batch by batch, and drops duplicates.
use std::{
    collections::hash_map,
    hash::Hash,
    io::{self, BufRead, BufReader, Read},
};

use foldhash::{HashMap, HashMapExt};

use crate::{
    import::{
        FileScan, ImportError, Imported, Refusal,
        cvm::{
            bad_rows::{BadRows, FewBad},
            columns::{ColumnLayout, DroppedFields, Field, columns},
        },
        row_store::{BatchPosition, ParsedRow},
    },
    values::Error,
};

/// A year of filings makes one or two batches; each is stored in the order of its days.
const BATCH: BatchLimit = BatchLimit { lines: 50_000, bytes: 16 << 20 };
const WHOLE_TABLE: BatchLimit = BatchLimit { lines: usize::MAX, bytes: usize::MAX };

/// The rows of a batch, and which batch it is.
type ParsedBatch<T> = (Vec<ParsedRow<T>>, BatchPosition);

/// A table whose header was read: its columns, the lines that follow, and the bad rows so far.
pub(crate) struct Table<R, const N: usize> {
    layout: ColumnLayout<N>,
    lines: Lines<R>,
    batch: LineBatch,
    bad_rows: BadRows,
    next: BatchPosition,
}

impl<R: Read, const N: usize> Table<R, N> {
    /// Reads the header of a file that was scanned before, and finds the `N` columns in it that are read of such a table.
    pub(crate) fn open(
        scan: &FileScan,
        source: R,
        table: &str,
    ) -> Result<Table<R, N>, ImportError> {
        let mut lines = Lines::new(source, scan)?;
        let header = lines.read_header()?;
        Ok(Table {
            layout: ColumnLayout::of(&header, &columns(table), scan.encoding)?,
            lines,
            batch: LineBatch::default(),
            bad_rows: BadRows::default(),
            next: BatchPosition::First,
        })
    }

    /// Parses all rows. Rows that cannot be read are left out. If the same thing appears more than once with different
    /// values, the newest one counts: `identity` returns what identifies a row, and how new it is.
    pub(crate) fn read_all<'a, T: PartialEq, K: Eq + Hash, A: Ord>(
        &'a mut self,
        parse_row: impl Fn([Field<'a>; N], &mut DroppedFields) -> Result<T, Error>,
        identity: impl Fn(&T) -> (K, A),
    ) -> Result<Vec<ParsedRow<T>>, ImportError> {
        self.lines.fill(&mut self.batch, WHOLE_TABLE)?;
        let Table { layout, batch, bad_rows, .. } = self;
        Ok(parse_distinct(batch, layout, bad_rows, parse_row, identity))
    }

    /// Parses the rows of the next batch in the same way; `None` after the last one.
    pub(crate) fn next_batch<'a, T: PartialEq, K: Eq + Hash, A: Ord>(
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
    pub(crate) fn visit_all(
        &mut self,
        mut visit: impl FnMut([Field<'_>; N]) -> Result<(), Error>,
    ) -> Result<(), ImportError> {
        self.lines.fill(&mut self.batch, WHOLE_TABLE)?;
        let Table { layout, batch, bad_rows, .. } = self;
        visit_rows(batch, layout, bad_rows, |_, fields, _| visit(fields));
        Ok(())
    }

    /// Visits all rows with their line numbers, batch by batch. Those for which `visit` fails are left out.
    pub(crate) fn visit_batches(
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
    pub(crate) fn row_count(&self) -> usize {
        self.bad_rows.row_count()
    }

    /// The columns to read that the table lacks.
    pub(crate) fn missing_columns(&self) -> &[&'static str] {
        &self.layout.missing
    }

    /// The columns that this table lacks, as some do.
    pub(crate) fn absent_columns(&self) -> &[&'static str] {
        &self.layout.absent
    }

    pub(crate) fn has_left_out_rows(&self) -> bool {
        self.bad_rows.any_left_out()
    }

    /// The report on what was read; refuses a table with too many bad rows.
    pub(crate) fn report(&self, what: &str) -> Result<Imported, Refusal> {
        self.report_with(FewBad::One, what)
    }

    /// Reports on a table that may be small.
    pub(crate) fn report_with(&self, few: FewBad, what: &str) -> Result<Imported, Refusal> {
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

/// The longest line there was has 6,500 bytes.
const MAX_LINE: usize = 64 << 10;

/// The most that a batch holds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BatchLimit {
    pub(crate) lines: usize,
    pub(crate) bytes: usize,
}

/// Consecutive lines.
#[derive(Debug, Default)]
pub(crate) struct LineBatch {
    bytes: Vec<u8>,
    first: usize,
    lines: usize,
}

impl LineBatch {
    /// The lines with their numbers, without line ends; CRLF or LF.
    pub(crate) fn lines(&self) -> impl Iterator<Item = (usize, &[u8])> {
        let lines = self.bytes.split(|byte| *byte == b'\n').take(self.lines).enumerate();
        lines.map(|(index, line)| (self.first + index, line.strip_suffix(b"\r").unwrap_or(line)))
    }
}

/// The lines of a source.
pub(crate) struct Lines<R> {
    source: BufReader<R>,
    read: usize,
    total: u64,
    bytes: u64,
}

impl<R: Read> Lines<R> {
    /// The lines of a source that was scanned before.
    pub(crate) fn new(source: R, scan: &FileScan) -> Result<Lines<R>, ImportError> {
        let mut source = BufReader::with_capacity(256 << 10, source);
        let mut mark = [0; 3];
        source.read_exact(&mut mark[..scan.mark])?;
        Ok(Lines { source, read: 0, total: scan.bytes, bytes: scan.mark as u64 })
    }

    /// The first line.
    fn read_header(&mut self) -> Result<Vec<u8>, ImportError> {
        let mut line = Vec::new();
        self.read_line(&mut line)?;
        Ok(line.trim_ascii_end().to_vec())
    }

    /// Replaces the content of `batch` with the next lines. At the end of the file it is empty.
    pub(crate) fn fill(
        &mut self,
        batch: &mut LineBatch,
        limit: BatchLimit,
    ) -> Result<(), ImportError> {
        batch.bytes.clear();
        let left = usize::try_from(self.total.saturating_sub(self.bytes)).unwrap_or(usize::MAX);
        let full = limit.bytes.saturating_add(MAX_LINE);
        batch.bytes.reserve_exact(left.min(full));
        (batch.first, batch.lines) = (self.read + 1, 0);
        while batch.lines < limit.lines
            && batch.bytes.len() < limit.bytes
            && self.read_line(&mut batch.bytes)?
        {
            batch.lines += 1;
        }
        if batch.lines == 0 && !self.is_at_end() {
            return Err(io::Error::other("it became shorter meanwhile").into());
        }
        Ok(())
    }

    fn is_at_end(&self) -> bool {
        self.bytes >= self.total
    }

    /// Appends the next line; returns whether there was one.
    fn read_line(&mut self, to: &mut Vec<u8>) -> Result<bool, ImportError> {
        let read = (&mut self.source).take(MAX_LINE as u64).read_until(b'\n', to)?;
        if read == MAX_LINE && to.last() != Some(&b'\n') {
            let reason = "the line is longer than 64 KiB: the file is damaged";
            return Err(Refusal::at(self.read + 1, reason).into());
        }
        self.bytes += read as u64;
        self.read += usize::from(read > 0);
        Ok(read > 0)
    }
}

#[cfg(test)]
mod line_batches_tests {
    use super::*;

    fn lines(text: &[u8], limit: BatchLimit) -> Vec<Vec<(usize, String)>> {
        let scan = FileScan::of(text).unwrap();
        let mut lines = Lines::new(text, &scan).unwrap();
        assert_eq!(lines.read_header().unwrap(), b"A");
        let (mut batch, mut all) = (LineBatch::default(), Vec::new());
        while !lines.is_at_end() {
            lines.fill(&mut batch, limit).unwrap();
            let text = |line: &[u8]| String::from_utf8(line.to_vec()).unwrap();
            all.push(batch.lines().map(|(number, line)| (number, text(line))).collect());
        }
        lines.fill(&mut batch, limit).unwrap();
        assert_eq!(batch.lines().count(), 0);
        all
    }

    #[test]
    fn batches_are_bounded_by_lines_and_by_bytes() {
        let text = "\u{feff}A\r\n1\r\n22\n\n4444\n5".as_bytes();
        let line = |number, text: &str| (number, text.to_owned());
        let all = [line(2, "1"), line(3, "22"), line(4, ""), line(5, "4444"), line(6, "5")];
        assert_eq!(lines(text, BatchLimit { lines: 9, bytes: 99 }), [all.to_vec()]);
        let two = [all[..2].to_vec(), all[2..4].to_vec(), all[4..].to_vec()];
        assert_eq!(lines(text, BatchLimit { lines: 2, bytes: 99 }), two);
        let short = [all[..2].to_vec(), all[2..4].to_vec(), all[4..].to_vec()];
        assert_eq!(lines(text, BatchLimit { lines: 9, bytes: 5 }), short);
        assert_eq!(lines(b"A\n", BatchLimit { lines: 9, bytes: 5 }), Vec::<Vec<_>>::new());
    }

    #[test]
    fn a_line_without_end_is_refused() {
        let text = [b"A\n1\n".to_vec(), vec![b'x'; 70 << 10]].concat();
        let scan = FileScan::of(&text[..]).unwrap();
        let mut lines = Lines::new(&text[..], &scan).unwrap();
        lines.read_header().unwrap();
        let err = lines.fill(&mut LineBatch::default(), BatchLimit { lines: 9, bytes: 1 << 20 });
        assert!(matches!(err, Err(ImportError::Refused(Refusal { line: Some(3), .. }))));
    }
}
