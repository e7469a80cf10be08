//! SGS, the central bank's time series: JSON and CSV of one series.
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::{
    import::{Refusal, central_bank, file_scan},
    market::{
        Quote, Rate, Rhythm, Side,
        series_definitions::{CDI_DAILY, definition},
        store,
    },
    values::{Date, Decimal, Error, whole_number},
};

/// The quotes of a series that is an exchange rate.
pub(crate) fn quotes(series: u32, rows: &[Rate]) -> Option<Vec<Quote>> {
    let (currency, side) = definition(series)?.quote?;
    let quote = |row: &Rate| {
        let of = |wanted| (side == wanted).then_some(row.value);
        Quote { currency, date: row.date, buy: of(Side::Buy), sell: of(Side::Sell) }
    };
    Some(rows.iter().map(quote).collect())
}

/// The number in `bcdata.sgs.432.json`; the content does not have it.
pub(crate) fn series_of(name: &str) -> Option<u32> {
    let (_, rest) = name.split_once("sgs.")?;
    let digits = rest.split_once(|c: char| !c.is_ascii_digit()).map_or(rest, |(digits, _)| digits);
    whole_number(digits)
}

pub(crate) fn recognises(start: &str) -> bool {
    start.starts_with('[') || start.lines().next().is_some_and(is_header)
}

fn is_header(line: &str) -> bool {
    matches!(line.trim_end(), r#""data";"valor""# | "data;valor")
}

/// The content of a file.
#[derive(Debug, Default)]
pub(crate) struct Parsed {
    /// One observation for each day, oldest first.
    pub(crate) rows: Vec<Rate>,
    /// The number of further observations of a day, for other periods.
    pub(crate) other_periods: usize,
}

/// The observations of a series, from JSON or CSV. There may be none, as in a week of holidays.
pub(crate) fn parse(series: u32, text: &str) -> Result<Parsed, Refusal> {
    if text.trim_start().starts_with('[') {
        parse_json(series, text)
    } else {
        Ok(Parsed { rows: parse_csv(series, text)?, other_periods: 0 })
    }
}

#[derive(Deserialize)]
struct Record<'a> {
    #[serde(borrow)]
    data: &'a RawValue,
    #[serde(borrow)]
    valor: &'a RawValue,
    /// The end of the period that the figure is of, which begins on the day: the TR and savings have it.
    #[serde(borrow, default, rename = "dataFim", alias = "datafim")]
    end: Option<&'a RawValue>,
}

fn parse_json(series: u32, text: &str) -> Result<Parsed, Refusal> {
    let records: Vec<Record<'_>> = serde_json::from_str(text)?;
    let mut parsed = Parsed::default();
    // The end of the last row's period.
    let mut last_end = None;
    for record in &records {
        let (date, value) = (record.data.get(), record.valor.get());
        let end = record.end.and_then(|end| central_bank::date(unquote(end.get())).ok());
        let refuse = |err| Refusal::inside(text, date, err);
        let written = (unquote(date), unquote(value), '.');
        // A second row for this day with another end is another period: the figure of a month is kept.
        let other =
            parsed.rows.last().filter(|row| central_bank::date(written.0).ok() == Some(row.date));
        if let (Some(day), Some(known), Some(end)) = (other.map(|row| row.date), last_end, end)
            && known != end
        {
            parsed.other_periods += 1;
            if days_off_a_month(day, end) < days_off_a_month(day, known) {
                parsed.rows.pop();
                let row = rate(series, written, parsed.rows.last()).map_err(refuse)?;
                parsed.rows.push(row);
                last_end = Some(end);
            }
            continue;
        }
        let row = rate(series, written, parsed.rows.last()).map_err(refuse)?;
        add(&mut parsed.rows, row);
        last_end = end;
    }
    Ok(parsed)
}

/// How far the end of a period is from a month after its first day. The month after a day that the next month lacks ends
/// on the first of the one after it, as for savings.
fn days_off_a_month(day: Date, end: Date) -> u32 {
    let (year, month) = match day.month() {
        12 => (day.year() + 1, 1),
        month => (day.year(), month + 1),
    };
    let same_day = Date::new(year, month, day.day());
    let month_after = same_day.or_else(|| Date::new(year, month + 1, 1)).unwrap_or(day);
    end.day_number().abs_diff(month_after.day_number())
}

fn parse_csv(series: u32, text: &str) -> Result<Vec<Rate>, Refusal> {
    let mut rows = Vec::new();
    for (number, line) in file_scan::lines(text)?.skip(1) {
        let Some((date, value)) = line.split_once(';') else {
            return Err(Refusal::at(number, "not two fields, \"data\";\"valor\""));
        };
        let row = rate(series, (unquote(date), unquote(value), ','), rows.last());
        add(&mut rows, row.map_err(|err| Refusal::at(number, err))?);
    }
    Ok(rows)
}

/// Adds a row, unless it is the previous one once more.
fn add(rows: &mut Vec<Rate>, row: Rate) {
    if rows.last() != Some(&row) {
        rows.push(row);
    }
}

/// Parses date, value and decimal separator. A value that its series cannot have, or a date that is not
/// after the previous one, means that the file is damaged.
fn rate(series: u32, written: (&str, &str, char), before: Option<&Rate>) -> Result<Rate, Error> {
    let (date, value, mark) = written;
    let row = Rate::published(central_bank::date(date)?, Decimal::parse_with(value, mark)?);
    if before.is_some_and(|before| before.date >= row.date && *before != row) {
        return Err(Error::in_file(date, "a day after the previous row's"));
    }
    let definition = definition(series);
    let is_monthly = definition.is_some_and(|definition| definition.rhythm == Rhythm::Monthly);
    if is_monthly && row.date != row.date.first_of_month() {
        return Err(Error::in_file(date, "the first day of a month, as this monthly series needs"));
    }
    if series == CDI_DAILY && store::annualise(row.value).is_none() {
        return Err(Error::in_file(value, "a daily rate that can be annualised"));
    }
    if definition.is_some_and(|definition| definition.quote.is_some()) && !row.value.is_positive() {
        return Err(Error::in_file(value, "a price above zero"));
    }
    Ok(row)
}

/// The text inside double quotes; anything else is left as it is, and then refused.
fn unquote(field: &str) -> &str {
    field.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(field)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str) -> Result<Vec<String>, Refusal> {
        let rows = parse(11, text)?.rows;
        Ok(rows.iter().map(|row| format!("{} {}", row.date, row.value)).collect())
    }

    #[test]
    fn reads_json_with_a_decimal_point() {
        let text =
            r#"[{"data":"01/06/2010","valor":"0.00"},{"data":"01/07/2022","valor":"-0.68"}]"#;
        assert_eq!(check(text).unwrap(), ["2010-06-01 0.00", "2022-07-01 -0.68"]);
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
    fn of_several_periods_from_one_day_the_month_is_kept() {
        let text = |records: &[(&str, &str, &str)]| {
            let record = |(day, end, value): &(&str, &str, &str)| {
                format!(r#"{{"data":"{day}","dataFim":"{end}","valor":"{value}"}}"#)
            };
            format!("[{}]", records.iter().map(record).collect::<Vec<_>>().join(","))
        };
        let month = ("30/01/2024", "01/03/2024", "0.10");
        let shorter = ("30/01/2024", "28/02/2024", "0.09");
        let next = ("01/02/2024", "01/03/2024", "0.08");
        for records in [[month, shorter, next], [shorter, month, next]] {
            let parsed = parse(226, &text(&records)).unwrap();
            let rows: Vec<String> =
                parsed.rows.iter().map(|row| format!("{} {}", row.date, row.value)).collect();
            assert_eq!(
                (rows, parsed.other_periods),
                (vec!["2024-01-30 0.10".into(), "2024-02-01 0.08".into()], 1)
            );
        }
        // A repeated period must repeat its figure; without an end, a day may appear once.
        let twice =
            text(&[month, ("30/01/2024", "01/03/2024", "0.11")]).replace("dataFim", "datafim");
        assert!(parse(226, &twice).unwrap_err().reason.contains("is not a day after"));
        assert_eq!(check(&text(&[month, month])).unwrap(), ["2024-01-30 0.10"]);
        let december =
            days_off_a_month("2024-12-31".parse().unwrap(), "2025-01-31".parse().unwrap());
        assert_eq!(december, 0);
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
            (csv("\"03/01/2024\";\"1,0\""), 3, "truncated"),
            (csv("\n\"03/01/2024\";\"1,0\"\n"), 3, "not two fields"),
            (csv("\"02/01/2024\";\"1,1\"\n"), 3, "is not a day after"),
            (csv("\"01/01/2024\";\"1,1\"\n"), 3, "is not a day after"),
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
    fn refuses_what_its_series_cannot_have() {
        let one = |series, date: &str, value: &str| {
            let text = format!("[{{\"data\":\"{date}\",\"valor\":\"{value}\"}}]");
            parse(series, &text).map_err(|refusal| (refusal.line, refusal.reason))
        };
        let wrong = [
            (1, "02/01/2024", "-5.0", "\"-5.0\" is not a price above zero"),
            (10813, "02/01/2024", "0.0000", "\"0.0000\" is not a price above zero"),
            (
                433,
                "15/10/2026",
                "0.32",
                "\"15/10/2026\" is not the first day of a month, as this monthly series needs",
            ),
            (12, "02/01/2024", "99.00", "\"99.00\" is not a daily rate that can be annualised"),
            (12, "02/01/2024", "-100", "\"-100\" is not a daily rate that can be annualised"),
        ];
        for (series, date, value, reason) in wrong {
            assert_eq!(one(series, date, value).unwrap_err(), (Some(1), reason.to_owned()));
            assert!(one(11, date, value).is_ok(), "another series may have it");
        }
    }

    #[test]
    fn an_answer_may_have_no_observations() {
        for text in ["[]", "\"data\";\"valor\"\n", "data;valor\r\n\r\n"] {
            assert_eq!(check(text).unwrap(), Vec::<String>::new());
        }
    }
}
