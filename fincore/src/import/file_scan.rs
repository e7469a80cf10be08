//! The first pass over a file: its digest, size and encoding, and whether it is complete.
use std::io::{self, Read};

use sha2::{Digest, Sha256};

use crate::import::Refusal;

/// Enough to recognise every kind of file.
const HEAD: usize = 64 << 10;

/// The most bytes of a file that is read whole. The largest one published has 2 MB; filings, whose files keep growing,
/// are read in batches.
const MAX_IN_MEMORY: u64 = 16 << 20;

/// Bytes read at a time.
const CHUNK: usize = 256 << 10;

/// The encoding of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    Utf8,
    Windows1252,
}

/// The result of the first pass.
#[derive(Debug)]
pub(crate) struct FileScan {
    pub(crate) digest: [u8; 32],
    pub(crate) bytes: u64,
    /// The beginning, without a byte order mark.
    pub(crate) head: Vec<u8>,
    /// The length of the byte order mark, which is not part of the first line.
    pub(crate) mark: usize,
    /// Windows-1252 text with accents is hardly ever valid UTF-8, so valid UTF-8 is taken as UTF-8.
    pub(crate) encoding: Encoding,
    line_breaks: usize,
    line_of_first_nul: Option<usize>,
    /// The last line has content, but no line break.
    truncated: bool,
}

impl FileScan {
    /// Reads `source` to its end.
    pub(crate) fn of(mut source: impl Read) -> io::Result<FileScan> {
        let mut scan = FileScan {
            digest: [0; 32],
            bytes: 0,
            head: Vec::new(),
            mark: 0,
            encoding: Encoding::Utf8,
            line_breaks: 0,
            line_of_first_nul: None,
            truncated: false,
        };
        let mut digest = Sha256::new();
        let mut chunk = vec![0; CHUNK];
        // A character may lie across two chunks: its first bytes wait at the start of the buffer.
        let mut waiting = 0;
        loop {
            let read = match source.read(&mut chunk[waiting..]) {
                Ok(0) => break,
                Ok(read) => read,
                Err(err) if err.kind() == io::ErrorKind::Interrupted => continue,
                Err(err) => return Err(err),
            };
            let new = waiting..waiting + read;
            digest.update(&chunk[new.clone()]);
            scan.inspect(&chunk[new.clone()]);
            waiting = scan.detect_encoding(&chunk[..new.end]);
            chunk.copy_within(new.end - waiting..new.end, 0);
        }
        if waiting > 0 {
            scan.encoding = Encoding::Windows1252;
        }
        scan.digest = digest.finalize().into();
        if scan.head.starts_with(b"\xef\xbb\xbf") {
            scan.mark = 3;
            scan.head.drain(..3);
        }
        Ok(scan)
    }

    fn inspect(&mut self, new: &[u8]) {
        let room = HEAD - self.head.len();
        self.head.extend_from_slice(&new[..room.min(new.len())]);
        self.bytes += new.len() as u64;
        let breaks = |bytes: &[u8]| bytes.iter().filter(|byte| **byte == b'\n').count();
        // To look for a byte is faster than to look where it is.
        if self.line_of_first_nul.is_none()
            && new.contains(&0)
            && let Some(at) = new.iter().position(|byte| *byte == 0)
        {
            self.line_of_first_nul = Some(1 + self.line_breaks + breaks(&new[..at]));
        }
        self.line_breaks += breaks(new);
        let last_line = new.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
        let continues = self.truncated && last_line.len() == new.len();
        self.truncated = continues || !last_line.trim_ascii().is_empty();
    }

    /// Returns how many bytes at the end are the beginning of an incomplete character.
    fn detect_encoding(&mut self, bytes: &[u8]) -> usize {
        if self.encoding == Encoding::Windows1252 {
            return 0;
        }
        match str::from_utf8(bytes) {
            Ok(_) => 0,
            Err(err) if err.error_len().is_none() => bytes.len() - err.valid_up_to(),
            Err(_) => {
                self.encoding = Encoding::Windows1252;
                0
            }
        }
    }

    /// Refuses a file that is too large to be read whole.
    pub(crate) fn check_fits_in_memory(&self) -> Result<(), Refusal> {
        if self.bytes <= MAX_IN_MEMORY {
            return Ok(());
        }
        let most = MAX_IN_MEMORY >> 20;
        let reason =
            format!("it has {} bytes, but no file of its kind has over {most} MiB", self.bytes);
        Err(Refusal::whole(reason))
    }

    /// Refuses a table that has NUL bytes or was truncated.
    pub(crate) fn check_undamaged(&self) -> Result<(), Refusal> {
        if let Some(line) = self.line_of_first_nul {
            return Err(Refusal::at(line, "it has a NUL byte: the file is damaged"));
        }
        if self.truncated {
            let line = self.line_breaks + 1;
            return Err(Refusal::at(line, "the line does not end: the file is truncated"));
        }
        Ok(())
    }
}

/// The text of a file, without a byte order mark.
pub(crate) fn decode(bytes: &[u8]) -> Result<&str, Refusal> {
    let text = str::from_utf8(bytes).map_err(|err| {
        let line = 1 + bytes[..err.valid_up_to()].iter().filter(|byte| **byte == b'\n').count();
        Refusal::at(line, "not UTF-8, as files of the central bank are, and not a table of CVM")
    })?;
    Ok(text.strip_prefix('\u{feff}').unwrap_or(text))
}

/// The lines of a table with their numbers; CRLF or LF. Blank lines at the end are ignored. A last line without a
/// line break means that the file is truncated.
pub(crate) fn lines(text: &str) -> Result<impl Iterator<Item = (usize, &str)>, Refusal> {
    let content = text.trim_end();
    if !text[content.len()..].contains('\n') {
        let last = content.lines().count();
        return Err(Refusal::at(last, "the line does not end: the file is truncated"));
    }
    Ok(content.lines().enumerate().map(|(index, line)| (index + 1, line)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives one byte at a time.
    struct Drip<'a>(&'a [u8]);

    impl Read for Drip<'_> {
        fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
            let Some((first, rest)) = self.0.split_first() else { return Ok(0) };
            (to[0], self.0) = (*first, rest);
            Ok(1)
        }
    }

    #[test]
    fn finds_the_same_whole_and_in_pieces() {
        let texts: [(&[u8], Encoding, usize, Option<usize>); 8] = [
            (b"", Encoding::Utf8, 0, None),
            (b"A;B\n1;2\n", Encoding::Utf8, 0, None),
            (b"A;B\n1;2", Encoding::Utf8, 0, Some(2)),
            (b"A;B\n1;2\r\n \r\n  ", Encoding::Utf8, 0, None),
            ("A\n\u{e7}\u{e3}o\n".as_bytes(), Encoding::Utf8, 0, None),
            ("\u{feff}A\n\u{e7}\u{e3}o".as_bytes(), Encoding::Utf8, 3, Some(2)),
            (b"A\n\xe7\xe3o\n", Encoding::Windows1252, 0, None),
            (b"A\nSIM \xc3", Encoding::Windows1252, 0, Some(2)),
        ];
        for (text, encoding, mark, truncated) in texts {
            for scan in [FileScan::of(text).unwrap(), FileScan::of(Drip(text)).unwrap()] {
                assert_eq!((scan.encoding, scan.mark), (encoding, mark), "{text:?}");
                assert_eq!(scan.bytes, text.len() as u64);
                assert_eq!(scan.digest[..], Sha256::digest(text)[..]);
                assert_eq!(
                    scan.check_undamaged().err().and_then(|refusal| refusal.line),
                    truncated
                );
            }
        }
        let refusal = FileScan::of(Drip(b"A\n1\n\0\n")).unwrap().check_undamaged().unwrap_err();
        assert_eq!((refusal.line, &refusal.reason[..13]), (Some(3), "it has a NUL "));
    }
}
