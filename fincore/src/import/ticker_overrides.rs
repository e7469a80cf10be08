//! The operator's own table of tickers: `company;tickers`, by CVM code or CNPJ.
use super::{cvm, import_error::Refusal, text_lines};
use crate::{companies::ticker_overrides::TickerOverride, error::Error};

/// The separator of the fields; `None` if this is not such a table.
fn separator(start: &str) -> Option<char> {
    match start.lines().next()?.trim_end() {
        "company;tickers" => Some(';'),
        "company,tickers" => Some(','),
        _ => None,
    }
}

pub(super) fn recognises(start: &str) -> bool {
    separator(start).is_some()
}

/// The rows with their line numbers. A row without tickers says that the company has none, even if its registration
/// form lists some.
pub(super) fn parse(text: &str) -> Result<Vec<(usize, TickerOverride)>, Refusal> {
    let separator = separator(text).unwrap_or(';');
    let read = |(number, line)| {
        let row = parse_row(line, separator).map_err(|err| Refusal::at(number, err))?;
        Ok((number, row))
    };
    text_lines::lines(text)?.skip(1).map(read).collect()
}

fn parse_row(line: &str, separator: char) -> Result<TickerOverride, Error> {
    let (company, listed) = line
        .split_once(separator)
        .ok_or_else(|| Error::in_file(line, format_args!("company{separator}tickers")))?;
    let mut codes = Vec::new();
    for code in listed.trim().trim_matches('"').split_whitespace() {
        let ticker = cvm::parse_ticker(code);
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
