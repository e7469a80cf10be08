//! The columns of CVM's tables: fields separated by semicolons, nothing quoted; columns are found by their names.
use std::{borrow::Cow, cell::Cell, fmt::Display, str::FromStr, sync::LazyLock};

use encoding_rs::WINDOWS_1252;

use crate::{
    import::{Refusal, file_scan::Encoding},
    values::{Date, Error, tsv, whole_number},
};

/// The positions of the columns to read.
#[derive(Debug)]
pub(crate) struct ColumnLayout<const N: usize> {
    /// For each column of the table, its index among the columns to read.
    indexes: Vec<Option<usize>>,
    encoding: Encoding,
    /// Columns that CVM is not known to publish.
    unknown: Vec<String>,
    /// Columns to read that the table lacks.
    pub(crate) missing: Vec<&'static str>,
    /// Columns that this table lacks, as some do.
    pub(crate) absent: Vec<&'static str>,
    /// Lines with accents so far, in UTF-8 and in Windows-1252; counted only if not all of them are UTF-8.
    lines: Cell<(usize, usize)>,
}

impl<const N: usize> ColumnLayout<N> {
    /// Finds the columns of a table in its header; `N` of them are read.
    pub(crate) fn of(
        header: &[u8],
        columns: &[Column],
        encoding: Encoding,
    ) -> Result<ColumnLayout<N>, Refusal> {
        let header = Field { bytes: header, encoding, is_missing: false }.text();
        let given: Vec<&str> = header.split(';').map(str::trim).collect();
        if given.len() == 1 {
            return Err(Refusal::at(1, "the columns are not separated by semicolons"));
        }
        let mut indexes = vec![None; given.len()];
        let (mut missing, mut absent) = (Vec::new(), Vec::new());
        let read = columns.iter().filter(|column| column.reading != Reading::Unread);
        for (index, column) in read.enumerate() {
            match (position_of(column.name, &given)?, column.reading) {
                (Some(position), _) => indexes[position] = Some(index),
                (None, Reading::Required) => {
                    let reason = format!("the column {} is missing", column.name);
                    return Err(Refusal::at(1, reason));
                }
                (None, Reading::Usual) => missing.push(column.name),
                (None, Reading::Rare | Reading::Unread) => absent.push(column.name),
            }
        }
        let is_unknown = |(position, given): &(usize, &&str)| {
            indexes[*position].is_none() && columns.iter().all(|known| known.name != **given)
        };
        let unknown = given.iter().enumerate().filter(is_unknown);
        let unknown = unknown.map(|(_, given)| (*given).to_owned()).collect();
        Ok(ColumnLayout { indexes, encoding, unknown, missing, absent, lines: Cell::default() })
    }

    /// The fields to read of a line. The others are not even decoded, because some are personal data.
    pub(crate) fn fields<'a>(&self, line: &'a [u8]) -> Result<[Field<'a>; N], Error> {
        let encoding = self.encoding_of(line);
        let mut row = [Field { bytes: b"", encoding, is_missing: true }; N];
        let mut count = 0;
        for bytes in line.split(|byte| *byte == b';') {
            if let Some(Some(index)) = self.indexes.get(count) {
                row[*index] = Field { bytes, encoding, is_missing: false };
            }
            count += 1;
        }
        let wanted = self.indexes.len();
        if count == wanted {
            return Ok(row);
        }
        Err(Error::operation(format!("it has {count} fields, not {wanted}")))
    }

    /// The encoding of a line: a file may have lines of both. Windows-1252 text with accents is hardly ever valid UTF-8.
    fn encoding_of(&self, line: &[u8]) -> Encoding {
        if self.encoding == Encoding::Utf8 || line.is_ascii() {
            return self.encoding;
        }
        let (utf8, windows) = self.lines.get();
        if str::from_utf8(line).is_ok() {
            self.lines.set((utf8 + 1, windows));
            Encoding::Utf8
        } else {
            self.lines.set((utf8, windows + 1));
            Encoding::Windows1252
        }
    }

    /// Sentences about columns that are new or missing, and about lines of two encodings.
    pub(crate) fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if !self.unknown.is_empty() {
            let names: Vec<String> = self.unknown.iter().map(|name| format!("{name:?}")).collect();
            notes.push(format!("new columns that are not read: {}", names.join(", ")));
        }
        if !self.missing.is_empty() {
            let names = self.missing.join(", ");
            notes.push(format!("missing columns, of which the stored values are kept: {names}"));
        }
        if let (utf8 @ 1.., windows) = self.lines.get() {
            let other = format!("{windows} in Windows-1252");
            notes.push(format!("lines of two encodings: {utf8} with accents in UTF-8, {other}"));
        }
        notes
    }
}

/// A field, decoded on demand.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field<'a> {
    bytes: &'a [u8],
    encoding: Encoding,
    is_missing: bool,
}

impl<'a> Field<'a> {
    /// The text as it is.
    pub(crate) fn text(self) -> Cow<'a, str> {
        match self.encoding {
            Encoding::Utf8 => String::from_utf8_lossy(self.bytes),
            Encoding::Windows1252 => WINDOWS_1252.decode_without_bom_handling(self.bytes).0,
        }
    }

    /// The bytes as they are in the file.
    pub(crate) fn bytes(self) -> &'a [u8] {
        self.bytes
    }

    /// A name: text as published, with spaces for invisible characters (tabs, bells, hard spaces).
    pub(crate) fn name(self) -> Cow<'a, str> {
        let name = self.text();
        let invisible = |c: char| c.is_control() || c == '\u{a0}';
        if name.contains(invisible) { name.replace(invisible, " ").into() } else { name }
    }

    /// A name that must not be empty.
    pub(crate) fn required_name(self, what: &str) -> Result<Cow<'a, str>, Error> {
        let name = self.name();
        if name.trim().is_empty() { Err(Error::in_file(&name, what)) } else { Ok(name) }
    }

    /// A value with its own parser.
    pub(crate) fn value<T: FromStr<Err = Error>>(self) -> Result<T, Error> {
        self.text().parse()
    }

    pub(crate) fn number(self, what: &str) -> Result<u32, Error> {
        let text = self.text();
        whole_number(&text).ok_or_else(|| Error::in_file(&text, what))
    }

    pub(crate) fn is_missing(self) -> bool {
        self.is_missing
    }

    pub(crate) fn is_empty(self) -> bool {
        self.bytes.trim_ascii().is_empty()
    }
}

/// The fields of a row that cannot be read; the row is kept without them.
#[derive(Debug, Default)]
pub(crate) struct DroppedFields(Vec<String>);

impl DroppedFields {
    /// A date, or `None` if the field is empty or no date.
    pub(crate) fn date(&mut self, field: Field<'_>) -> Option<Date> {
        if field.is_empty() {
            return None;
        }
        field.value().map_err(|err| self.add(err)).ok()
    }

    /// Adds a field that is dropped for this reason.
    pub(crate) fn add(&mut self, reason: impl Display) {
        self.0.push(reason.to_string());
    }

    pub(crate) fn reasons(&self) -> &[String] {
        &self.0
    }
}

/// A column that CVM publishes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Column {
    name: &'static str,
    reading: Reading,
}

/// Whether a column is read, and what it means if a table lacks it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reading {
    /// The table is refused: its rows have no meaning.
    Required,
    /// The table is read with a note, and what is stored of the column is kept.
    Usual,
    /// Only some of the tables have it.
    Rare,
    /// It is never read.
    Unread,
}

/// The columns of a table, in CVM's order.
pub(crate) fn columns(table: &str) -> Vec<Column> {
    let text = include_str!("columns.tsv");
    let all =
        tsv::embedded("columns.tsv", text, "table\tcolumn\treading", |[table, name, reading]| {
            let reading = match reading {
                "required" => Reading::Required,
                "usual" => Reading::Usual,
                "rare" => Reading::Rare,
                "unread" => Reading::Unread,
                _ => return Err(Error::in_file(reading, "required, usual, rare or unread")),
            };
            Ok((table, Column { name, reading }))
        });
    all.into_iter().filter(|(of, _)| *of == table).map(|(_, column)| column).collect()
}

#[cfg(test)]
pub(crate) fn column_names(table: &str) -> Vec<&'static str> {
    columns(table).into_iter().map(|column| column.name).collect()
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
pub(crate) fn position_of(name: &'static str, given: &[&str]) -> Result<Option<usize>, Refusal> {
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

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &[u8] = b"ID_DOC;X;CD_CVM;VERSAO";

    fn layout(header: &[u8], encoding: Encoding) -> Result<ColumnLayout<2>, Refusal> {
        let columns = [
            Column { name: "VERSAO", reading: Reading::Required },
            Column { name: "ID_DOC", reading: Reading::Required },
            Column { name: "CD_CVM", reading: Reading::Unread },
        ];
        ColumnLayout::of(header, &columns, encoding)
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
    fn decodes_line_by_line_and_tells_of_two_encodings() {
        let layout = layout(HEADER, Encoding::Windows1252).unwrap();
        let lines: [&[u8]; 4] =
            [b"A\xc7\xc3O;;;", "A\u{c7}\u{c3}O;;;".as_bytes(), b"ACAO;;;", b"\xc7;;;"];
        let documents = lines.map(|line| layout.fields(line).unwrap()[1].text().into_owned());
        assert_eq!(documents, ["A\u{c7}\u{c3}O", "A\u{c7}\u{c3}O", "ACAO", "\u{c7}"]);
        let told = "lines of two encodings: 1 with accents in UTF-8, 2 in Windows-1252";
        assert_eq!(layout.notes().last().map(String::as_str), Some(told));
        for encoding in [Encoding::Utf8, Encoding::Windows1252] {
            let pure = tests::layout(b"ID_DOC;VERSAO", encoding).unwrap();
            pure.fields(b"\xc7;1").unwrap();
            assert_eq!(pure.notes(), Vec::<String>::new());
        }
    }

    #[test]
    fn knows_other_names_and_does_without_optional_columns() {
        let columns = [
            Column { name: "CNPJ_CIA", reading: Reading::Required },
            Column { name: "DENOM_SOCIAL", reading: Reading::Usual },
            Column { name: "Assunto", reading: Reading::Usual },
        ];
        let layout = |header: &[u8]| ColumnLayout::of(header, &columns, Encoding::Utf8);
        for header in ["CNPJ_Companhia;Nome_Empresarial;ASSUNTO", "CNPJ;DENOM_CIA;assunto"] {
            let layout = layout(header.as_bytes()).unwrap();
            assert_eq!(layout.notes(), Vec::<String>::new());
            let [cnpj, name, subject] = layout.fields(b"1;2;3").unwrap();
            assert_eq!([cnpj.text(), name.text(), subject.text()], ["1", "2", "3"]);
        }
        let without = layout(b"X;CNPJ").unwrap();
        assert_eq!(without.missing, ["DENOM_SOCIAL", "Assunto"]);
        let [cnpj, name, _] = without.fields(b"1;2").unwrap();
        assert!(cnpj.text() == "2" && !cnpj.is_missing() && name.is_missing() && name.is_empty());
        assert_eq!(
            without.notes(),
            [
                "new columns that are not read: \"X\"",
                "missing columns, of which the stored values are kept: DENOM_SOCIAL, Assunto"
            ]
        );
        // Its own name comes first; two other names leave open which is meant.
        assert_eq!(layout(b"CNPJ;CNPJ_CIA").unwrap().fields(b"1;2").unwrap()[0].text(), "2");
        let refusal = layout(b"CNPJ;CNPJ_Companhia").unwrap_err();
        assert_eq!(refusal.reason, "the column CNPJ_CIA appears twice");
        assert_eq!(layout(b"X;Y").unwrap_err().reason, "the column CNPJ_CIA is missing");
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
        let field = |bytes| Field { bytes, encoding: Encoding::Utf8, is_missing: false };
        let mut dropped = DroppedFields::default();
        assert_eq!(dropped.date(field(b"")), None);
        assert_eq!(dropped.date(field(b"2062-01-31")).unwrap().to_string(), "2062-01-31");
        assert!(dropped.reasons().is_empty());
        assert_eq!(dropped.date(field(b"2024-02-31")), None);
        assert_eq!(dropped.reasons(), ["\"2024-02-31\" is not a date (YYYY-MM-DD)"]);
    }
}
