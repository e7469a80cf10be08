//! The text of small files, and its lines.
use super::import_error::Refusal;

/// The text of a file, without a byte order mark.
pub(super) fn decode(bytes: &[u8]) -> Result<&str, Refusal> {
    let text = str::from_utf8(bytes).map_err(|err| {
        let line = 1 + bytes[..err.valid_up_to()].iter().filter(|byte| **byte == b'\n').count();
        Refusal::at(line, "not UTF-8, as files of the central bank are, and not a table of CVM")
    })?;
    Ok(text.strip_prefix('\u{feff}').unwrap_or(text))
}

/// The lines of a table with their numbers; CRLF or LF. Blank lines at the end are ignored. A last line without a
/// line break means that the file is truncated.
pub(super) fn lines(text: &str) -> Result<impl Iterator<Item = (usize, &str)>, Refusal> {
    let content = text.trim_end();
    if !text[content.len()..].contains('\n') {
        let last = content.lines().count();
        return Err(Refusal::at(last, "the line does not end: the file is truncated"));
    }
    Ok(content.lines().enumerate().map(|(index, line)| (index + 1, line)))
}
