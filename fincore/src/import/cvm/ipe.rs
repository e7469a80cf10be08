//! Event documents, `ipe_cia_aberta_YYYY.csv`.
use std::{borrow::Cow, io::Read};

use crate::{
    filings::NewFiling,
    import::{
        FileScan, ImportError, Imported, StoreRows,
        cvm::{
            columns::{DroppedFields, Field},
            filings::{document_link, read_filings},
            table::Table,
        },
    },
    values::{Error, FilingId, Form, whole_number},
};

/// Reads a table of event documents that was scanned before.
pub(crate) fn read(
    scan: &FileScan,
    source: impl Read,
    store: &mut StoreRows<'_>,
) -> Result<Imported, ImportError> {
    let table = Table::open(scan, source, "ipe")?;
    read_filings("IPE filings", table, parse_row, store)
}

/// The filing of a row.
fn parse_row<'a>(
    fields: [Field<'a>; 10],
    dropped: &mut DroppedFields,
) -> Result<NewFiling<'a>, Error> {
    let [name, code, reference, category, kind, species, subject, date, version, link] = fields;
    let link = link.text();
    let id = id_in(&link)?;
    let version = if version.is_missing() {
        version_in(&link)
    } else {
        version.number("the version of a filing")?
    };
    Ok(NewFiling {
        id,
        date: date.value()?,
        company: code.value()?,
        company_name: name.name(),
        category: category.required_name("the category of a filing")?,
        kind: kind.name(),
        species: species.name(),
        subject: on_one_line(subject.text()),
        link: document_link(link, id, version, dropped)?,
        reference_date: dropped.date(reference),
        version,
    })
}

/// Only the number in the link is unique: the protocol column is empty for some filings and the same for
/// others.
fn id_in(link: &str) -> Result<FilingId, Error> {
    link.split(['?', '&'])
        .find_map(|part| part.strip_prefix("numProtocolo="))
        .and_then(|digits| digits.parse().ok())
        .filter(|id: &FilingId| id.form() == Form::Ipe)
        .ok_or_else(|| Error::in_file(link, "the address of a filing (…&numProtocolo=NUMBER&…)"))
}

/// The version in a link, which is that of the column; the first where the link has none.
fn version_in(link: &str) -> u32 {
    let mut parts = link.split(['?', '&']);
    parts.find_map(|part| part.strip_prefix("numVersao=")).and_then(whole_number).unwrap_or(1)
}

/// CVM escapes some characters as in HTML, some of them twice, and then removes every semicolon, because
/// it separates fields. So `S&P` is published as `S&ampP`, and a quote as `&ampquot`.
const ESCAPES: [(&str, &str); 6] =
    [("&amp", "&"), ("&amp", "&"), ("&quot", "\""), ("&lt", "<"), ("&gt", ">"), ("&nbsp", " ")];

/// A subject on one line: the two bars that stand for a line break become one, and invisible characters
/// become spaces.
fn on_one_line(subject: Cow<'_, str>) -> Cow<'_, str> {
    let untidy = |c: char| c.is_control() || c == '\u{a0}';
    let clean = !subject.contains(untidy)
        && !subject.contains('&')
        && !subject.contains("||")
        && !subject.contains("  ")
        && subject.trim().len() == subject.len();
    if clean {
        return subject;
    }
    let bars = subject.replace("||", " | ");
    let plain = ESCAPES.iter().fold(bars, |text, (escape, plain)| text.replace(escape, plain));
    let words =
        plain.split(|c: char| c.is_whitespace() || untidy(c)).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ").into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::cvm::columns::column_names;
    use crate::{filings::filing::Link, import::row_store::ParsedRows};

    /// Reads a table; calls `look` with its filings.
    fn parse(
        bytes: &[u8],
        mut look: impl FnMut(&[NewFiling<'_>]),
    ) -> Result<Imported, ImportError> {
        read(&FileScan::of(bytes)?, bytes, &mut |rows, _| {
            let ParsedRows::Filings { rows, .. } = rows else { return Ok(()) };
            look(&rows.into_iter().map(|row| row.value).collect::<Vec<_>>());
            Ok(())
        })
    }

    fn table(rows: &[&str]) -> Vec<u8> {
        let text = column_names("ipe").join(";") + "\r\n" + &rows.join("\r\n") + "\r\n";
        encoding_rs::WINDOWS_1252.encode(&text).0.into_owned()
    }

    const ADDRESS: &str = "https://www.rad.cvm.gov.br/ENET/frmDownloadDocumento.aspx?Tela=ext&descTipo=IPE&CodigoInstituicao=1";

    fn row(subject: &str, id: &str) -> String {
        format!(
            "00.000.000/0001-91;BANCO DO BRASIL S.A.;1023;2924-02-02;Assembleia;AGE;Ata;{subject};2024-02-15;AP - Apresentação;;2;{ADDRESS}&numProtocolo={id}&numSequencia=719788&numVersao=2"
        )
    }

    #[test]
    fn takes_the_id_from_the_link_and_keeps_of_it_what_is_unusual() {
        let bytes = table(&[&row("", "1195062"), &row("", "1195063").replace("https", "http")]);
        parse(&bytes, |filings| {
            assert_eq!(filings[0].id.to_string(), "1195062");
            assert_eq!(filings[0].link, Link::Usual(Some(719_788)));
            assert!(matches!(&filings[1].link, Link::Other(url) if url.starts_with("http://")));
        })
        .unwrap();
    }

    #[test]
    fn a_script_is_no_link() {
        let script = row("", "7").replace("https://www.rad.cvm.gov.br/", "javascript:alert(1)//");
        let bytes = table(&[&row("", "6"), &script]);
        let imported = parse(&bytes, |filings| {
            assert_eq!(filings[1].link, Link::Usual(Some(719_788)));
        });
        let left_out = &imported.unwrap().left_out;
        assert!(left_out[0].1.contains("is not an address that starts with http"), "{left_out:?}");
        let nowhere = script.replace("numSequencia", "x");
        let imported =
            parse(&table(&[&row("", "6"), &nowhere]), |filings| assert_eq!(filings.len(), 1));
        assert!(imported.unwrap().left_out[0].1.contains("rows that cannot be read"));
    }

    #[test]
    fn keeps_absurd_reference_dates_as_they_are() {
        let bytes = table(&[&row("", "1195062")]);
        parse(&bytes, |filings| {
            assert_eq!(filings[0].reference_date.unwrap().to_string(), "2924-02-02");
            assert_eq!(filings[0].date.to_string(), "2024-02-15");
        })
        .unwrap();
    }

    #[test]
    fn makes_subjects_one_clean_line() {
        let subjects = [
            ("Eleição||Reforma", "Eleição | Reforma"),
            ("||a||||b||", "| a | | b |"),
            ("\u{7}\u{a0}ponto\u{a0}a", "ponto a"),
            ("  two  spaces ", "two spaces"),
            ("\"lone", "\"lone"),
            ("S&ampP e M&ampA", "S&P e M&A"),
            ("(&ampquotPlano&ampquot) &gt 5%", "(\"Plano\") > 5%"),
            ("P&ampamp2 & R&D", "P&2 & R&D"),
            ("plain", "plain"),
        ];
        for (given, want) in subjects {
            let bytes = table(&[&row(given, "1")]);
            parse(&bytes, |filings| assert_eq!(filings[0].subject, want)).unwrap();
        }
    }

    #[test]
    fn leaves_out_what_cannot_be_read_and_tells_its_line() {
        let good = row("", "1195062");
        let wrong = [
            (row("", "x"), "is not the address of a filing"),
            (row("", "0"), "is not the address of a filing"),
            (row("", "2").replace("numProtocolo", "protocolo"), "is not the address"),
            (row("", "2").replace(";2024-02-15", ";15/02/2024"), "is not a date"),
            (row("", "2").replace(";2024-02-15", ";"), "is not a date"),
            (row("", "2").replace(";1023;", ";;"), "is not a CVM code"),
            (row("", "2").replace(";Assembleia;", ";;"), "is not the category"),
            (row("", "2").replace(";2;", ";+2;"), "is not the version"),
            (row("a;b", "2"), "it has 14 fields, not 13"),
        ];
        for (row, reason) in wrong {
            let imported = parse(&table(&[&good, &row]), |filings| assert_eq!(filings.len(), 1));
            let (rows, reasons) = &imported.unwrap().left_out[0];
            assert!(
                *rows == 1 && reasons.contains(reason) && reasons.contains("line 3: "),
                "{reasons}"
            );
        }
        let odd = row("", "2").replace("2924-02-02", "2924-02-31");
        let imported = parse(&table(&[&good, &odd]), |filings| {
            assert_eq!((filings.len(), filings[1].reference_date), (2, None));
        });
        assert!(imported.unwrap().left_out[0].1.contains("their rows are kept (line 3: "));
    }

    #[test]
    fn of_contradicting_rows_the_newest_version_counts() {
        let version = |subject: &str, version: &str, day: &str| {
            row(subject, "7").replace(";;2;", &format!(";;{version};")).replace("2024-02-15", day)
        };
        let newest = version("newest", "3", "2024-02-15");
        let cases = [
            [version("old", "2", "2024-02-20"), newest.clone()],
            [newest.clone(), version("old", "2", "2024-02-20")],
            [newest.clone(), version("earlier", "3", "2024-02-14")],
            [version("first", "3", "2024-02-15"), newest],
        ];
        for rows in cases {
            let rows = [row("", "6"), rows[0].clone(), rows[1].clone()];
            let imported = parse(&table(&rows.each_ref().map(String::as_str)), |filings| {
                assert_eq!((filings.len(), &*filings[1].subject), (2, "newest"));
            });
            let told = "1 rows with other values than another row of the same number: \
                        the newest version is kept (line 4)";
            assert_eq!(imported.unwrap().notes, [told]);
        }
        let many = [row("a", "1"), row("b", "1"), row("a", "2"), row("b", "2")];
        let refused = parse(&table(&many.each_ref().map(String::as_str)), |_| ()).unwrap_err();
        let ImportError::Refused(refusal) = refused else { panic!("it is refused") };
        assert_eq!(refusal.line, Some(3));
        assert!(refusal.reason.contains("2 of 4 rows; over 10 % is too many"), "{refusal:?}");
    }

    #[test]
    fn a_table_may_lack_what_no_filing_needs() {
        let columns = |line: &str| {
            let kept = line.split(';').enumerate();
            let kept = kept.filter(|(column, _)| ![1, 3, 5, 6, 7, 11].contains(column));
            kept.map(|(_, field)| field).collect::<Vec<_>>().join(";")
        };
        let text =
            format!("{}\n{}\n", columns(&column_names("ipe").join(";")), columns(&row("x", "7")));
        let imported = parse(text.as_bytes(), |filings| {
            let NewFiling { id, version, subject, category, .. } = &filings[0];
            assert_eq!((id.to_string(), *version), ("7".to_owned(), 2));
            assert_eq!((&**subject, &**category), ("", "Assembleia"));
        });
        let missing = "Nome_Companhia, Data_Referencia, Tipo, Especie, Assunto, Versao";
        let told = format!("missing columns, of which the stored values are kept: {missing}");
        assert_eq!(imported.unwrap().notes, [told]);
    }
}
