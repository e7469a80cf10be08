//! CVM's tables: fields separated by semicolons, nothing quoted; columns are found by their names.
use std::{borrow::Cow, fmt::Display, str::FromStr};

use encoding_rs::WINDOWS_1252;

use super::{scan::Encoding, text::Refusal};
use crate::{
    error::Error,
    filings::entry::Link,
    types::{Date, FilingId, whole_number},
};

/// The kind of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Registry,
    Ipe,
    Periodic,
    Tickers,
}

pub(super) fn recognises(start: &[u8]) -> bool {
    start.starts_with(b"CNPJ_C") || kind_of(start).is_some()
}

/// The kind of a table, from columns that no other kind has.
pub(super) fn kind_of(start: &[u8]) -> Option<Kind> {
    let header = start.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let own: [(Kind, &[&str]); 4] = [
        (Kind::Registry, &["DENOM_SOCIAL", "DT_INI_SIT", "SETOR_ATIV"]),
        (Kind::Ipe, &["Link_Download", "Data_Entrega", "Assunto"]),
        (Kind::Periodic, &["LINK_DOC", "CATEG_DOC", "DT_RECEB"]),
        (Kind::Tickers, &["Codigo_Negociacao", "Mercado", "Data_Fim_Negociacao"]),
    ];
    // Whatever separates them: a table with other separators is refused with that reason.
    let columns = || header.split(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_');
    let has = |own: &[&str]| columns().any(|column| own.iter().any(|own| own.as_bytes() == column));
    own.into_iter().find_map(|(kind, own)| has(own).then_some(kind))
}

/// Where the columns that are read stand in a table.
#[derive(Debug)]
pub(super) struct Layout<const N: usize> {
    /// For each column of the table, its place among those that are read.
    places: Vec<Option<usize>>,
    encoding: Encoding,
    /// Columns that CVM is not known to publish.
    pub(super) unknown: Vec<String>,
}

impl<const N: usize> Layout<N> {
    /// Finds the columns `read` in a header; `published` are all that CVM is known to publish in such a table.
    pub(super) fn of(
        header: &[u8],
        published: &[&str],
        read: [&str; N],
        encoding: Encoding,
    ) -> Result<Layout<N>, Refusal> {
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
        let place = |given: &&str| read.iter().position(|read| read == given);
        let places = given.iter().map(place).collect();
        let is_unknown = |given: &&&str| !published.contains(*given);
        let unknown = given.iter().filter(is_unknown).map(ToString::to_string).collect();
        Ok(Layout { places, encoding, unknown })
    }

    /// The fields of a line that are read. The others are not even decoded, so that personal data is never
    /// looked at.
    pub(super) fn fields<'a>(&self, line: &'a [u8]) -> Result<[Field<'a>; N], Error> {
        let mut row = [Field { bytes: b"", encoding: self.encoding }; N];
        let mut count = 0;
        for bytes in line.split(|byte| *byte == b';') {
            if let Some(Some(place)) = self.places.get(count) {
                row[*place].bytes = bytes;
            }
            count += 1;
        }
        let wanted = self.places.len();
        if count == wanted {
            return Ok(row);
        }
        Err(Error::Invalid(format!("it has {count} fields, not {wanted}")))
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
    pub(super) fn required(self, what: &str) -> Result<Cow<'a, str>, Error> {
        let name = self.name();
        if name.trim().is_empty() { Err(Error::invalid(&name, what)) } else { Ok(name) }
    }

    /// A value with its own parser.
    pub(super) fn value<T: FromStr<Err = Error>>(self) -> Result<T, Error> {
        self.text().parse()
    }

    pub(super) fn number(self, what: &str) -> Result<u32, Error> {
        let text = self.text();
        whole_number(&text).ok_or_else(|| Error::invalid(&text, what))
    }

    pub(super) fn is_empty(self) -> bool {
        self.bytes.trim_ascii().is_empty()
    }
}

/// The fields of a row that it is kept without, because they cannot be read.
#[derive(Debug, Default)]
pub(super) struct Dropped(Vec<String>);

impl Dropped {
    /// A date, or `None` if the field is empty or no date.
    pub(super) fn day(&mut self, field: Field<'_>) -> Option<Date> {
        if field.is_empty() {
            return None;
        }
        field.value().map_err(|err| self.note(err)).ok()
    }

    /// Notes that something is left out of the row.
    pub(super) fn note(&mut self, reason: impl Display) {
        self.0.push(reason.to_string());
    }

    pub(super) fn reasons(&self) -> &[String] {
        &self.0
    }
}

/// Where the document of a filing is. An address that no browser should follow, such as a script, is replaced by CVM's
/// usual one.
pub(super) fn link<'a>(
    url: Cow<'a, str>,
    id: FilingId,
    version: u32,
    dropped: &mut Dropped,
) -> Result<Link<'a>, Error> {
    if Link::is_web(&url) {
        return Ok(Link::new(url, id, version));
    }
    let unusable = Error::invalid(&url, "an address that starts with http");
    match Link::usual(&url, id) {
        Some(usual) => {
            dropped.note(unusable);
            Ok(usual)
        }
        None => Err(unusable),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &[u8] = b"ID_DOC;X;CD_CVM;VERSAO";

    fn layout(header: &[u8], encoding: Encoding) -> Result<Layout<2>, Refusal> {
        Layout::of(header, &super::super::periodic::COLUMNS, ["VERSAO", "ID_DOC"], encoding)
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
    fn knows_a_table_by_a_column_of_its_own() {
        let headers: [(&[u8], Option<Kind>); 6] = [
            (b"CNPJ_CIA;X;SETOR_ATIV\n1", Some(Kind::Registry)),
            (b"Data_Entrega;CNPJ_Companhia\n", Some(Kind::Ipe)),
            (b"CATEG_DOC|X", Some(Kind::Periodic)),
            (b"Codigo_Negociacao,X", Some(Kind::Tickers)),
            (b"CNPJ_CIA;DT_REFER;VERSAO;DENOM_CIA\nLINK_DOC", None),
            (b"", None),
        ];
        for (header, kind) in headers {
            assert_eq!(kind_of(header), kind);
        }
    }

    #[test]
    fn a_field_that_is_no_date_is_left_out() {
        let field = |bytes| Field { bytes, encoding: Encoding::Utf8 };
        let mut dropped = Dropped::default();
        assert_eq!(dropped.day(field(b"")), None);
        assert_eq!(dropped.day(field(b"2062-01-31")).unwrap().to_string(), "2062-01-31");
        assert!(dropped.reasons().is_empty());
        assert_eq!(dropped.day(field(b"2024-02-31")), None);
        assert_eq!(dropped.reasons(), ["\"2024-02-31\" is not a date (YYYY-MM-DD)"]);
    }
}
