//! The lines of a table, read in batches so that memory does not grow with the file.
use std::io::{self, BufRead, BufReader, Read};

use crate::import::{
    file_scan::FileScan,
    import_error::{ImportError, Refusal},
};

/// The longest line there was has 6,500 bytes.
const MAX_LINE: usize = 64 << 10;

/// The most that a batch holds.
#[derive(Clone, Copy, Debug)]
pub(super) struct BatchLimit {
    pub(super) lines: usize,
    pub(super) bytes: usize,
}

/// Consecutive lines.
#[derive(Debug, Default)]
pub(super) struct LineBatch {
    bytes: Vec<u8>,
    first: usize,
    lines: usize,
}

impl LineBatch {
    /// The lines with their numbers, without line ends; CRLF or LF.
    pub(super) fn lines(&self) -> impl Iterator<Item = (usize, &[u8])> {
        let lines = self.bytes.split(|byte| *byte == b'\n').take(self.lines).enumerate();
        lines.map(|(index, line)| (self.first + index, line.strip_suffix(b"\r").unwrap_or(line)))
    }
}

/// The lines of a source.
pub(super) struct Lines<R> {
    source: BufReader<R>,
    read: usize,
    total: u64,
    bytes: u64,
}

impl<R: Read> Lines<R> {
    /// The lines of a source that was scanned before.
    pub(super) fn new(source: R, scan: &FileScan) -> Result<Lines<R>, ImportError> {
        let mut source = BufReader::with_capacity(256 << 10, source);
        let mut mark = [0; 3];
        source.read_exact(&mut mark[..scan.mark])?;
        Ok(Lines { source, read: 0, total: scan.bytes, bytes: scan.mark as u64 })
    }

    /// The first line.
    pub(super) fn read_header(&mut self) -> Result<Vec<u8>, ImportError> {
        let mut line = Vec::new();
        self.read_line(&mut line)?;
        Ok(line.trim_ascii_end().to_vec())
    }

    /// Replaces the content of `batch` with the next lines. At the end of the file it is empty.
    pub(super) fn fill(
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

    /// Whether all lines were read.
    pub(super) fn is_at_end(&self) -> bool {
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
mod tests {
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
