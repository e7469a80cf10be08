//! Securities from the registration form, `fca_cia_aberta_valor_mobiliario_YYYY.csv`: the tickers of
//! companies.
use std::{
    collections::{BTreeMap, BTreeSet},
    io::Read,
};

use crate::{
    companies::{Listing, Security, TickerOverride},
    import::{
        FileScan, ImportError, Imported, Refusal, StoreRows,
        cvm::{columns::Field, table::Table},
        file_scan,
        report::NO_TICKER,
        row_store::ParsedRows,
    },
    values::{Cnpj, Error},
};

/// Reads a table of securities that was scanned before.
pub(crate) fn read(
    scan: &FileScan,
    source: impl Read,
    store: &mut StoreRows<'_>,
) -> Result<Imported, ImportError> {
    scan.check_fits_in_memory()?;
    let mut table = Table::open(scan, source, "securities")?;
    let mut forms = RegistrationForms::default();
    table.visit_all(|fields| forms.add(fields))?;
    let mut imported = table.report("tickers")?;
    if forms.without_ticker > 0 {
        imported.leave_out(forms.without_ticker, NO_TICKER);
    }
    store(ParsedRows::Securities(forms.securities()), &mut imported)?;
    Ok(imported)
}

/// The listings in a table of registration forms, by company and document number.
#[derive(Debug, Default)]
struct RegistrationForms {
    forms: BTreeMap<(Cnpj, u32), Form>,
    /// The number of rows without a ticker.
    without_ticker: usize,
}

#[derive(Debug, Default)]
struct Form {
    tickers: BTreeSet<String>,
    /// Whether a security is traded on the exchange whose ticker is missing or mistyped.
    has_bad_ticker: bool,
}

impl RegistrationForms {
    /// Adds a row.
    fn add(&mut self, fields: [Field<'_>; 5]) -> Result<(), Error> {
        let [cnpj, document, code, market, ended] = fields;
        let document = document.number("the number of a document")?;
        let form = self.forms.entry((cnpj.value()?, document)).or_default();
        let traded = market.text().trim() == "Bolsa" && ended.is_empty();
        match parse_ticker(&code.text()) {
            Some(ticker) if traded => {
                form.tickers.insert(ticker);
            }
            _ => {
                form.has_bad_ticker |= traded;
                self.without_ticker += 1;
            }
        }
        Ok(())
    }

    /// The tickers of each company from its newest form. A form with a bad ticker adds to what older forms list; a form
    /// that lists no exchange-traded security means that the company has no tickers.
    fn securities(self) -> Vec<Security> {
        let mut securities: Vec<Security> = Vec::new();
        // Older forms of a company come first.
        for ((cnpj, document), form) in self.forms {
            let before = securities.pop_if(|before| before.cnpj == cnpj);
            let (mut tickers, mut listing) = (form.tickers, Listing::Whole);
            if form.has_bad_ticker {
                listing = before.as_ref().map_or(Listing::Partial, |before| before.listing);
                tickers.extend(before.into_iter().flat_map(|before| before.tickers));
            }
            let tickers = tickers.into_iter().collect();
            securities.push(Security { cnpj, document, tickers, listing });
        }
        securities
    }
}

/// A ticker as it may be typed: in lower case, or with blanks around it.
fn parse_ticker(code: &str) -> Option<String> {
    Some(code.trim().to_ascii_uppercase()).filter(|code| is_ticker(code.as_bytes()))
}

/// Four capitals or digits, at least one of them a letter, then a number of one or two digits. Anything
/// else in the column (`0`, `N/A`, `PETR 4`) is not a ticker.
///
/// Forms are typed by hand. A form with a bad code says nothing about tickers that were known before; the operator
/// sets those with a table of `company;tickers`.
fn is_ticker(code: &[u8]) -> bool {
    let Some((root, number)) = code.split_at_checked(4) else { return false };
    root.iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
        && root.iter().any(u8::is_ascii_uppercase)
        && (1..=2).contains(&number.len())
        && number.iter().all(u8::is_ascii_digit)
}

/// The separator of the fields; `None` if this is not such a table.
fn separator(start: &str) -> Option<char> {
    match start.lines().next()?.trim_end() {
        "company;tickers" => Some(';'),
        "company,tickers" => Some(','),
        _ => None,
    }
}

pub(crate) fn recognises(start: &str) -> bool {
    separator(start).is_some()
}

/// The rows with their line numbers. A row without tickers says that the company has none, even if its registration
/// form lists some.
pub(crate) fn parse(text: &str) -> Result<Vec<(usize, TickerOverride)>, Refusal> {
    let separator = separator(text).unwrap_or(';');
    let read = |(number, line)| {
        let row = parse_override(line, separator).map_err(|err| Refusal::at(number, err))?;
        Ok((number, row))
    };
    file_scan::lines(text)?.skip(1).map(read).collect()
}

fn parse_override(line: &str, separator: char) -> Result<TickerOverride, Error> {
    let (company, listed) = line
        .split_once(separator)
        .ok_or_else(|| Error::in_file(line, format_args!("company{separator}tickers")))?;
    let mut codes = Vec::new();
    for code in listed.trim().trim_matches('"').split_whitespace() {
        let ticker = parse_ticker(code);
        let ticker = ticker.ok_or_else(|| Error::in_file(code, "a ticker (such as PETR4)"))?;
        if !codes.contains(&ticker) {
            codes.push(ticker);
        }
    }
    codes.sort();
    Ok(TickerOverride { company: company.trim().trim_matches('"').parse()?, tickers: codes })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::cvm::columns::{ColumnLayout, columns};
    use crate::import::file_scan::Encoding;

    #[test]
    fn knows_tickers() {
        for (code, want) in
            [("PETR4", "PETR4"), ("ENGI11", "ENGI11"), ("B3SA3", "B3SA3"), (" tgma3 ", "TGMA3")]
        {
            assert_eq!(parse_ticker(code).as_deref(), Some(want));
        }
        for code in [
            "", "0", "8192", "713854", "000000", "4030", "N/A", "ADR", "NÃO HÁ", "CPTP3B", "PETR",
            "PETR444", "PETR 4",
        ] {
            assert_eq!(parse_ticker(code), None, "{code}");
        }
    }

    /// The outcome for rows of document, code, market and end.
    fn parse(rows: &[(u32, &str, &str, &str)]) -> (Vec<Security>, usize) {
        let header = b"CNPJ_Companhia;ID_Documento;Codigo_Negociacao;Mercado;Data_Fim_Negociacao";
        let layout = ColumnLayout::of(header, &columns("securities"), Encoding::Utf8).unwrap();
        let mut forms = RegistrationForms::default();
        for (document, code, market, ended) in rows {
            let line = format!("33.000.167/0001-01;{document};{code};{market};{ended}");
            forms.add(layout.fields(line.as_bytes()).unwrap()).unwrap();
        }
        let without = forms.without_ticker;
        (forms.securities(), without)
    }

    fn security(document: u32, tickers: &[&str], listing: Listing) -> Vec<Security> {
        let tickers = tickers.iter().map(ToString::to_string).collect();
        vec![Security { cnpj: "33000167000101".parse().unwrap(), document, tickers, listing }]
    }

    #[test]
    fn keeps_what_the_newest_form_trades_on_the_exchange() {
        let rows = [
            (1, "OLDD3", "Bolsa", ""),
            (2, "PETR4", "Bolsa", ""),
            (2, "petr3", "Bolsa", ""),
            (2, "PETR4", "Bolsa", ""),
            (2, "PETR5", "Bolsa", "2020-01-01"),
            (2, "PETR11", "Balcão Organizado", ""),
            (2, "N/A", "Balcão Organizado", ""),
            (1, "OLDD4", "Bolsa", ""),
        ];
        assert_eq!(parse(&rows), (security(2, &["PETR3", "PETR4"], Listing::Whole), 3));
    }

    #[test]
    fn a_bad_ticker_adds_to_what_older_forms_list() {
        let old = (1, "PETR3", "Bolsa", "");
        let (junk, good) = ((2, "PETR 4", "Bolsa", ""), (2, "PETR4", "Bolsa", ""));
        assert_eq!(parse(&[junk]).0, security(2, &[], Listing::Partial));
        assert_eq!(parse(&[junk, good]).0, security(2, &["PETR4"], Listing::Partial));
        assert_eq!(parse(&[old, junk, good]).0, security(2, &["PETR3", "PETR4"], Listing::Whole));
        let none = (3, "", "Balcão Organizado", "");
        assert_eq!(parse(&[old, junk, none]).0, security(3, &[], Listing::Whole));
    }
}

#[cfg(test)]
mod ticker_overrides_tests {
    use super::*;

    #[test]
    fn reads_either_separator() {
        let texts = [
            "company;tickers\n9512;petr4 PETR3\n33000167000101;\n",
            "company,tickers\r\n9512,\"PETR3 PETR4 PETR3\"\r\n33.000.167/0001-01,\r\n\r\n",
        ];
        for text in texts {
            assert!(recognises(text));
            let rows = parse(text).unwrap();
            assert_eq!(
                (rows[0].0, &rows[0].1.tickers[..]),
                (2, &["PETR3", "PETR4"].map(String::from)[..])
            );
            assert_eq!((rows[1].0, rows[1].1.tickers.len()), (3, 0));
        }
        assert_eq!(parse("company;tickers\n").unwrap().len(), 0);
        assert!(!recognises("company;ticker\n"));
    }

    #[test]
    fn refuses_with_the_line() {
        let wrong = [
            ("9512;PETR 4\n", "\"PETR\" is not a ticker"),
            ("9512\n", "\"9512\" is not company;tickers"),
            ("x;PETR4\n", "\"x\" is not"),
            ("9512;PETR4", "truncated"),
        ];
        for (row, reason) in wrong {
            let refusal = parse(&format!("company;tickers\n1;\n{row}")).unwrap_err();
            assert_eq!(refusal.line, Some(3), "{refusal:?}");
            assert!(refusal.reason.contains(reason), "{refusal:?} lacks {reason}");
        }
    }
}
