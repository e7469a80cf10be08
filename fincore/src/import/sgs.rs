//! SGS, the central bank's time series: JSON and CSV of one series.
use serde::Deserialize;
use serde_json::value::RawValue;

use super::text::{self, Once, Refusal};
use crate::{
    Currency, Decimal, Error,
    market::{Rate, store::Quote},
};

/// Which side of a quote a series gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Buy,
    Sell,
}

impl Side {
    pub(super) fn quote(self, currency: Currency, row: &Rate) -> Quote {
        let of = |side| (self == side).then_some(row.value);
        Quote { currency, date: row.date, buy: of(Side::Buy), sell: of(Side::Sell) }
    }
}

/// The currency and side of a series that is an exchange rate.
pub(super) fn quoted(series: u32) -> Option<(Currency, Side)> {
    match series {
        1 => Some((Currency::USD, Side::Sell)),
        10813 => Some((Currency::USD, Side::Buy)),
        21619 => Some((Currency::EUR, Side::Sell)),
        21620 => Some((Currency::EUR, Side::Buy)),
        21621 => Some((Currency::JPY, Side::Sell)),
        21622 => Some((Currency::JPY, Side::Buy)),
        21623 => Some((Currency::GBP, Side::Sell)),
        21624 => Some((Currency::GBP, Side::Buy)),
        _ => None,
    }
}

/// The number in `bcdata.sgs.432.json`; the content does not say it.
pub(super) fn series_of(name: &str) -> Option<u32> {
    let (_, rest) = name.split_once("sgs.")?;
    let digits = rest.split_once(|c: char| !c.is_ascii_digit()).map_or(rest, |(digits, _)| digits);
    digits.parse().ok()
}

pub(super) fn recognises(start: &str) -> bool {
    start.starts_with('[') || start.lines().next().is_some_and(is_header)
}

fn is_header(line: &str) -> bool {
    matches!(line.trim_end(), r#""data";"valor""# | "data;valor")
}

/// The observations of a series, as JSON or CSV.
pub(super) fn parse(text: &str) -> Result<Vec<Rate>, Refusal> {
    let rows = if text.trim_start().starts_with('[') { parse_json(text) } else { parse_csv(text) }?;
    if rows.is_empty() {
        return Err(Refusal::whole("it holds no observation"));
    }
    Ok(rows)
}

#[derive(Deserialize)]
struct Record<'a> {
    #[serde(borrow)]
    data: &'a RawValue,
    #[serde(borrow)]
    valor: &'a RawValue,
}

fn parse_json(text: &str) -> Result<Vec<Rate>, Refusal> {
    let records: Vec<Record<'_>> = serde_json::from_str(text)?;
    let mut seen = Once::new();
    let read = |record: &Record<'_>| {
        let (date, value) = (record.data.get(), record.valor.get());
        let refuse = |err| Refusal::inside(text, date, err);
        let row =
            rate(unquote(date), unquote(value), '.').map_err(|err| refuse(err.to_string()))?;
        seen.insert(row.date, row.value).map_err(|err| refuse(err.to_owned()))?;
        Ok(row)
    };
    records.iter().map(read).collect()
}

fn parse_csv(text: &str) -> Result<Vec<Rate>, Refusal> {
    let mut seen = Once::new();
    let read = |(number, line): (usize, &str)| {
        let Some((date, value)) = line.split_once(';') else {
            return Err(Refusal::at(number, "not two fields, \"data\";\"valor\""));
        };
        let row =
            rate(unquote(date), unquote(value), ',').map_err(|err| Refusal::at(number, err))?;
        seen.insert(row.date, row.value).map_err(|err| Refusal::at(number, err))?;
        Ok(row)
    };
    text::lines(text)?.skip(1).map(read).collect()
}

fn rate(date: &str, value: &str, mark: char) -> Result<Rate, Error> {
    Ok(Rate { date: text::date(date)?, value: Decimal::parse_with(value, mark)? })
}

/// The inside of double quotes; what has none on both sides is left as it is and then refused.
fn unquote(field: &str) -> &str {
    field.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(field)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str) -> Result<Vec<String>, Refusal> {
        Ok(parse(text)?.iter().map(|row| format!("{} {}", row.date, row.value)).collect())
    }

    #[test]
    fn reads_json_with_a_decimal_point() {
        let text =
            r#"[{"data":"01/07/2022","valor":"-0.68"},{"data":"01/06/2010","valor":"0.00"}]"#;
        assert_eq!(check(text).unwrap(), ["2022-07-01 -0.68", "2010-06-01 0.00"]);
    }

    #[test]
    fn reads_csv_with_a_decimal_comma_and_either_line_end() {
        let want = ["1984-11-28 2814.0000", "2010-06-01 0.00"];
        assert_eq!(
            check("\"data\";\"valor\"\n\"28/11/1984\";\"2814,0000\"\n\"01/06/2010\";\"0,00\"\n")
                .unwrap(),
            want
        );
        assert_eq!(
            check(
                "\"data\";\"valor\"\r\n\"28/11/1984\";\"2814,0000\"\r\n\"01/06/2010\";\"0,00\"\r\n"
            )
            .unwrap(),
            want
        );
        assert_eq!(check("data;valor\n28/11/1984;2814,0000\n01/06/2010;0,00\n").unwrap(), want);
    }

    #[test]
    fn ignores_the_end_date_that_some_series_carry() {
        let text = r#"[{"data":"01/01/2024","dataFim":"31/01/2024","valor":"1.00"}]"#;
        assert_eq!(check(text).unwrap(), ["2024-01-01 1.00"]);
    }

    #[test]
    fn knows_the_series_by_the_name() {
        let names = [
            ("bcdata.sgs.432.json", Some(432)),
            ("bcdata.sgs.1.2026-09-01_2026-10-05.json", Some(1)),
            ("bcdata.sgs.11", Some(11)),
            ("selic.json", None),
            ("bcdata.sgs..json", None),
            ("bcdata.sgs.99999999999.json", None),
        ];
        for (name, series) in names {
            assert_eq!(series_of(name), series, "{name}");
        }
    }

    #[test]
    fn refuses_with_the_line() {
        let head = "\"data\";\"valor\"\n";
        let csv = |line: &str| check(&format!("{head}\"02/01/2024\";\"1,0\"\n{line}"));
        let wrong = [
            (csv("\"31/02/2024\";\"1,0\"\n"), 3, "\"31/02/2024\" is not a date"),
            (csv("\"03/01/2024\";\"NaN\"\n"), 3, "\"NaN\" is not a number"),
            (csv("\"03/01/2024\";\"\"\n"), 3, "\"\" is not a number"),
            (csv("\"03/01/2024\";\"1.5\"\n"), 3, "\"1.5\" is not a number like 1,25"),
            (csv("\"03/01/2024\"\n"), 3, "not two fields"),
            (csv("\"03/01/2024\";\"1,0\";\"2\"\n"), 3, "is not a number"),
            (csv("\"03/01/2024\";\"1,0\n"), 3, "is not a number"),
            (csv("\"03/01/2024\";\"1,0\""), 3, "cut off"),
            (csv("\n"), 3, "not two fields"),
            (csv("\"02/01/2024\";\"1,1\"\n"), 3, "twice with different figures"),
            (
                check(
                    "[{\"data\":\"02/01/2024\",\"valor\":\"1.0\"},\n{\"data\":\"03/01/2024\",\"valor\":\"NaN\"}]",
                ),
                2,
                "\"NaN\" is not a number",
            ),
            (
                check("[{\"data\":\"02/01/2024\",\"valor\":\"1.0\"},\n{\"data\":\"03/01/20"),
                2,
                "EOF",
            ),
            (check("[{\"data\":\"02/01/2024\",\n\"valor\":null}]"), 1, "\"null\" is not a number"),
            (check("[{\"data\":\"02/01/2024\"}]"), 1, "missing field"),
            (check("[{\"data\":\"02/01/2024\",\"valor\":\"1.0\"}]x"), 1, "trailing"),
        ];
        for (got, line, reason) in wrong {
            let refusal = got.unwrap_err();
            assert_eq!(refusal.line, Some(line), "{refusal:?}");
            assert!(refusal.reason.contains(reason), "{refusal:?} lacks {reason}");
        }
    }

    #[test]
    fn refuses_a_file_without_observations() {
        for text in ["[]", "\"data\";\"valor\"\n"] {
            assert_eq!(check(text).unwrap_err(), Refusal::whole("it holds no observation"));
        }
    }
}
