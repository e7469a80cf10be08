//! CVM's tables: Windows-1252, fields separated by semicolons, nothing quoted.
use std::{
    borrow::Cow,
    collections::{HashMap, hash_map::Entry},
    hash::Hash,
};

use encoding_rs::WINDOWS_1252;

use super::text::Refusal;
use crate::{
    error::Error,
    types::{Date, whole_number},
};

/// The kind of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Registry,
    Ipe,
    Periodic,
    Tickers,
}

pub(super) fn recognises(bytes: &[u8]) -> bool {
    bytes.starts_with(b"CNPJ_C") || kind_of(bytes).is_some()
}

/// The kind of a table, from a column that no other kind has.
pub(super) fn kind_of(bytes: &[u8]) -> Option<Kind> {
    let header = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let has = |column: &str| header.windows(column.len()).any(|part| part == column.as_bytes());
    [
        ("DENOM_SOCIAL", Kind::Registry),
        ("Link_Download", Kind::Ipe),
        ("LINK_DOC", Kind::Periodic),
        ("Codigo_Negociacao", Kind::Tickers),
    ]
    .into_iter()
    .find_map(|(column, kind)| has(column).then_some(kind))
}

/// A line number and the fields of that line.
type Line<'a, const N: usize> = (usize, [&'a [u8]; N]);

/// The rows of a table with exactly these columns, with line numbers; CRLF or LF.
///
/// Fields are decoded on demand, so that columns with personal data are never read.
pub(super) fn rows<'a, const N: usize>(
    bytes: &'a [u8],
    columns: [&str; N],
) -> Result<impl Iterator<Item = Result<Line<'a, N>, Refusal>>, Refusal> {
    check_encoding(bytes)?;
    let Some(whole) = bytes.strip_suffix(b"\n") else {
        let lines = bytes.split(|byte| *byte == b'\n').count();
        return Err(Refusal::at(lines, "the line does not end: the file is truncated"));
    };
    let lines =
        whole.split(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    let mut lines = lines.enumerate().map(|(index, line)| (index + 1, line));
    let (_, header) = lines.next().unwrap_or_default();
    check_header(&text(header), &columns)?;
    Ok(lines.map(|(number, line)| {
        let mut fields = line.split(|byte| *byte == b';');
        let row = [(); N].map(|()| fields.next());
        match row.iter().flatten().count() + fields.count() {
            count if count == N => Ok((number, row.map(Option::unwrap_or_default))),
            count => Err(Refusal::at(number, format!("it has {count} fields, not {N}"))),
        }
    }))
}

fn check_encoding(bytes: &[u8]) -> Result<(), Refusal> {
    let line_of = |at: usize| 1 + bytes[..at].iter().filter(|byte| **byte == b'\n').count();
    if let Some(at) = bytes.iter().position(|byte| *byte == 0) {
        let reason = "it has a NUL byte: the file is damaged";
        return Err(Refusal::at(line_of(at), reason));
    }
    // Windows-1252 text with accents is hardly ever valid UTF-8.
    if !bytes.is_ascii() && str::from_utf8(bytes).is_ok() {
        return Err(Refusal::whole(
            "it was saved as UTF-8, but CVM publishes Windows-1252: use the file as downloaded",
        ));
    }
    Ok(())
}

fn check_header(header: &str, columns: &[&str]) -> Result<(), Refusal> {
    let given: Vec<&str> = header.split(';').collect();
    if given == columns {
        return Ok(());
    }
    let missing = columns.iter().find(|column| !given.contains(column));
    let extra = given.iter().find(|column| !columns.contains(column));
    let reason = match (given.len(), missing, extra) {
        (1, ..) => "the columns are not separated by semicolons".to_owned(),
        (_, Some(missing), _) => format!("the column {missing} is missing"),
        (_, None, Some(extra)) => {
            format!("the column {extra:?} is not one that CVM publishes here")
        }
        (_, None, None) => "the columns are not in the order that CVM publishes".to_owned(),
    };
    Err(Refusal::at(1, reason))
}

/// The text of a field.
pub(super) fn text(field: &[u8]) -> Cow<'_, str> {
    WINDOWS_1252.decode_without_bom_handling(field).0
}

/// A name: text as published, with spaces for invisible characters (tabs, bells, hard spaces).
pub(super) fn name(field: &[u8]) -> Cow<'_, str> {
    let name = text(field);
    let invisible = |c: char| c.is_control() || c == '\u{a0}';
    if name.contains(invisible) { name.replace(invisible, " ").into() } else { name }
}

/// A name that must not be empty.
pub(super) fn required(field: &[u8], what: &str) -> Result<String, Error> {
    let name = name(field).into_owned();
    if name.trim().is_empty() { Err(Error::invalid(&name, what)) } else { Ok(name) }
}

/// A value with its own parser.
pub(super) fn value<T: std::str::FromStr<Err = Error>>(field: &[u8]) -> Result<T, Error> {
    text(field).parse()
}

/// A date, or `None` if the field is empty.
pub(super) fn day(field: &[u8]) -> Result<Option<Date>, Error> {
    if field.is_empty() { Ok(None) } else { value(field).map(Some) }
}

pub(super) fn number(field: &[u8], what: &str) -> Result<u32, Error> {
    let text = text(field);
    whole_number(&text).ok_or_else(|| Error::invalid(&text, what))
}

/// Parses every row. The same entry may appear more than once, but not with different values.
pub(super) fn entries<'a, const N: usize, T: PartialEq, K: Eq + Hash>(
    bytes: &'a [u8],
    columns: [&str; N],
    read: impl Fn([&'a [u8]; N]) -> Result<T, Error>,
    id: impl Fn(&T) -> K,
) -> Result<Vec<T>, Refusal> {
    let mut entries: Vec<T> = Vec::new();
    let mut by_id = HashMap::new();
    for row in rows(bytes, columns)? {
        let (number, fields) = row?;
        let entry = read(fields).map_err(|err| Refusal::at(number, err))?;
        match by_id.entry(id(&entry)) {
            Entry::Vacant(place) => {
                place.insert(entries.len());
                entries.push(entry);
            }
            Entry::Occupied(known) if entries[*known.get()] == entry => (),
            Entry::Occupied(_) => {
                return Err(Refusal::at(
                    number,
                    "the same number appears twice with different values",
                ));
            }
        }
    }
    Ok(entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8]) -> Result<Vec<(usize, [String; 2])>, Refusal> {
        let row = |row: Result<(usize, [&[u8]; 2]), Refusal>| {
            row.map(|(number, fields)| (number, fields.map(|field| text(field).into_owned())))
        };
        rows(bytes, ["A", "B"])?.map(row).collect()
    }

    #[test]
    fn quotes_are_ordinary_and_line_ends_either() {
        let rows = check(b"A;B\r\n\"x;\xc7\xc3O\r\n;\n").unwrap();
        assert_eq!(rows, [(2, ["\"x".into(), "ÇÃO".into()]), (3, [String::new(), String::new()])]);
        assert_eq!(check(b"A;B\n").unwrap(), []);
    }

    #[test]
    fn refuses_with_the_line() {
        let wrong: [(&[u8], Option<usize>, &str); 11] = [
            (b"A;B\n1;2\n3\n", Some(3), "it has 1 fields, not 2"),
            (b"A;B\n1;2;3\n", Some(2), "it has 3 fields, not 2"),
            (b"A;B\n\n", Some(2), "it has 1 fields, not 2"),
            (b"A;B\n1;2\n3;4", Some(3), "truncated"),
            (b"A;B\n1;\x002\n", Some(2), "NUL"),
            ("A;B\n1;ção\n".as_bytes(), None, "saved as UTF-8"),
            (b"A;B;C\n", Some(1), "the column \"C\" is not one"),
            (b"A;C\n", Some(1), "the column B is missing"),
            (b"A\n", Some(1), "not separated by semicolons"),
            (b"A,B\n", Some(1), "not separated by semicolons"),
            (b"B;A\n", Some(1), "not in the order"),
        ];
        for (bytes, line, reason) in wrong {
            let refusal = check(bytes).unwrap_err();
            assert_eq!(refusal.line, line, "{refusal:?}");
            assert!(refusal.reason.contains(reason), "{refusal:?} lacks {reason}");
        }
    }
}
