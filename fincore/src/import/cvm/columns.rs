//! The columns of CVM's tables: fields separated by semicolons, nothing quoted; columns are found by their names.
use std::{borrow::Cow, fmt::Display, str::FromStr};

use encoding_rs::WINDOWS_1252;

use crate::{
    error::Error,
    import::{file_scan::Encoding, import_error::Refusal},
    types::{Date, whole_number},
};

/// The positions of the columns to read.
#[derive(Debug)]
pub(super) struct ColumnLayout<const N: usize> {
    /// For each column of the table, its index among the columns to read.
    indexes: Vec<Option<usize>>,
    encoding: Encoding,
    /// Columns that CVM is not known to publish.
    pub(super) unknown: Vec<String>,
}

impl<const N: usize> ColumnLayout<N> {
    /// Finds the columns `read` in a header; `published` are all that CVM is known to publish in such a table.
    pub(super) fn of(
        header: &[u8],
        published: &[&str],
        read: [&str; N],
        encoding: Encoding,
    ) -> Result<ColumnLayout<N>, Refusal> {
        let header = Field { bytes: header, encoding }.text();
        let given: Vec<&str> = header.split(';').map(str::trim).collect();
        if given.len() == 1 {
            return Err(Refusal::at(1, "the columns are not separated by semicolons"));
        }
        for column in read {
            let reason = match given.iter().filter(|given| **given == column).count() {
                1 => continue,
                0 => format!("the column {column} is missing"),
                _ => format!("the column {column} appears twice"),
            };
            return Err(Refusal::at(1, reason));
        }
        let index_of = |given: &&str| read.iter().position(|read| read == given);
        let indexes = given.iter().map(index_of).collect();
        let is_unknown = |given: &&&str| !published.contains(*given);
        let unknown = given.iter().filter(is_unknown).map(ToString::to_string).collect();
        Ok(ColumnLayout { indexes, encoding, unknown })
    }

    /// The fields to read of a line. The others are not even decoded, because some are personal data.
    pub(super) fn fields<'a>(&self, line: &'a [u8]) -> Result<[Field<'a>; N], Error> {
        let mut row = [Field { bytes: b"", encoding: self.encoding }; N];
        let mut count = 0;
        for bytes in line.split(|byte| *byte == b';') {
            if let Some(Some(index)) = self.indexes.get(count) {
                row[*index].bytes = bytes;
            }
            count += 1;
        }
        let wanted = self.indexes.len();
        if count == wanted {
            return Ok(row);
        }
        Err(Error::operation(format!("it has {count} fields, not {wanted}")))
    }
}

/// A field, decoded on demand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Field<'a> {
    bytes: &'a [u8],
    encoding: Encoding,
}

impl<'a> Field<'a> {
    /// The text as it is.
    pub(super) fn text(self) -> Cow<'a, str> {
        match self.encoding {
            Encoding::Utf8 => String::from_utf8_lossy(self.bytes),
            Encoding::Windows1252 => WINDOWS_1252.decode_without_bom_handling(self.bytes).0,
        }
    }

    /// A name: text as published, with spaces for invisible characters (tabs, bells, hard spaces).
    pub(super) fn name(self) -> Cow<'a, str> {
        let name = self.text();
        let invisible = |c: char| c.is_control() || c == '\u{a0}';
        if name.contains(invisible) { name.replace(invisible, " ").into() } else { name }
    }

    /// A name that must not be empty.
    pub(super) fn required_name(self, what: &str) -> Result<Cow<'a, str>, Error> {
        let name = self.name();
        if name.trim().is_empty() { Err(Error::in_file(&name, what)) } else { Ok(name) }
    }

    /// A value with its own parser.
    pub(super) fn value<T: FromStr<Err = Error>>(self) -> Result<T, Error> {
        self.text().parse()
    }

    pub(super) fn number(self, what: &str) -> Result<u32, Error> {
        let text = self.text();
        whole_number(&text).ok_or_else(|| Error::in_file(&text, what))
    }

    pub(super) fn is_empty(self) -> bool {
        self.bytes.trim_ascii().is_empty()
    }
}

/// The fields of a row that cannot be read; the row is kept without them.
#[derive(Debug, Default)]
pub(super) struct DroppedFields(Vec<String>);

impl DroppedFields {
    /// A date, or `None` if the field is empty or no date.
    pub(super) fn date(&mut self, field: Field<'_>) -> Option<Date> {
        if field.is_empty() {
            return None;
        }
        field.value().map_err(|err| self.add(err)).ok()
    }

    /// Adds a field that is dropped for this reason.
    pub(super) fn add(&mut self, reason: impl Display) {
        self.0.push(reason.to_string());
    }

    pub(super) fn reasons(&self) -> &[String] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &[u8] = b"ID_DOC;X;CD_CVM;VERSAO";

    fn layout(header: &[u8], encoding: Encoding) -> Result<ColumnLayout<2>, Refusal> {
        ColumnLayout::of(header, &["ID_DOC", "CD_CVM", "VERSAO"], ["VERSAO", "ID_DOC"], encoding)
    }

    #[test]
    fn finds_columns_by_name_and_tells_of_unknown_ones() {
        let layout = layout(HEADER, Encoding::Windows1252).unwrap();
        assert_eq!(layout.unknown, ["X"]);
        let [version, document] = layout.fields(b"\"x\xc7;;;2").unwrap();
        assert_eq!((&*version.text(), &*document.text()), ("2", "\"xÇ"));
        for (line, fields) in [(&b"1;2;3"[..], 3), (b"1;2;3;4;", 5), (b"", 1)] {
            let message = layout.fields(line).unwrap_err().to_string();
            assert_eq!(message, format!("it has {fields} fields, not 4"));
        }
    }

    #[test]
    fn reads_both_encodings() {
        let [_, document] =
            layout(HEADER, Encoding::Utf8).unwrap().fields("ção;;;".as_bytes()).unwrap();
        assert_eq!(document.text(), "ção");
    }

    #[test]
    fn says_what_is_wrong_with_a_header() {
        let wrong: [(&[u8], &str); 4] = [
            (b"ID_DOC;X", "the column VERSAO is missing"),
            (b"ID_DOC;VERSAO;ID_DOC", "the column ID_DOC appears twice"),
            (b"ID_DOC,VERSAO", "not separated by semicolons"),
            (b"ID_DOC", "not separated by semicolons"),
        ];
        for (header, reason) in wrong {
            let refusal = layout(header, Encoding::Utf8).unwrap_err();
            assert!(refusal.line == Some(1) && refusal.reason.contains(reason), "{refusal:?}");
        }
    }

    #[test]
    fn a_field_that_is_no_date_is_left_out() {
        let field = |bytes| Field { bytes, encoding: Encoding::Utf8 };
        let mut dropped = DroppedFields::default();
        assert_eq!(dropped.date(field(b"")), None);
        assert_eq!(dropped.date(field(b"2062-01-31")).unwrap().to_string(), "2062-01-31");
        assert!(dropped.reasons().is_empty());
        assert_eq!(dropped.date(field(b"2024-02-31")), None);
        assert_eq!(dropped.reasons(), ["\"2024-02-31\" is not a date (YYYY-MM-DD)"]);
    }
}
