//! The central bank's files: SGS series, PTAX quotes and the meetings of Copom, recognised by content and name.
use super::{
    import_error::Refusal,
    imported::{INTRADAY, OLD_CURRENCIES, OTHER_PERIODS},
    parsed_rows::{ParsedFile, ParsedRows},
};
use crate::market::{Rate, store::Quote};

mod copom;
mod error_response;
mod ptax_csv;
mod ptax_olinda;
mod sgs;
mod values;

/// Parses a file of the central bank; `None` if it is not one.
pub(super) fn parse(name: &str, text: &str) -> Result<Option<ParsedFile>, Refusal> {
    let start = text.trim_start();
    if sgs::recognises(start) {
        return parse_sgs(name, text).map(Some);
    }
    if start.starts_with('{') && error_response::is_empty_answer(text)? {
        return Ok(Some(empty_answer(sgs::series_of(name))));
    }
    if ptax_olinda::recognises(start) {
        return parse_olinda(name, text).map(Some);
    }
    if ptax_csv::recognises(start) {
        return parse_ptax_csv(text).map(Some);
    }
    if let Some(meetings) = copom::parse(name, start)? {
        let rows = ParsedRows::Meetings(meetings);
        return Ok(Some(ParsedFile::new("calendar of Copom meetings", rows)));
    }
    Ok(None)
}

fn parse_sgs(name: &str, text: &str) -> Result<ParsedFile, Refusal> {
    let number = sgs::series_of(name);
    // The rules for values depend on the series; without a number, only an empty answer is accepted.
    let sgs::Parsed { rows, other_periods } = sgs::parse(number.unwrap_or_default(), text)?;
    match number {
        _ if rows.is_empty() => Ok(empty_answer(number)),
        Some(series) => {
            let mut file = series_file(series, rows);
            file.leave_out(other_periods, OTHER_PERIODS);
            Ok(file)
        }
        None => Err(Refusal::whole(
            "the series number is missing: name the file bcdata.sgs.NUMBER.json (or .csv)",
        )),
    }
}

fn parse_olinda(name: &str, text: &str) -> Result<ParsedFile, Refusal> {
    if ptax_olinda::is_empty(text) {
        return Ok(ParsedFile::new("PTAX, an answer without quotes", ParsedRows::Nothing));
    }
    let service = ptax_olinda::Service::of(name, text)?;
    let ptax_olinda::Parsed { quotes, intraday, unknown } = ptax_olinda::parse(service, text)?;
    let mut file = quotes_file(format!("PTAX {}", service.currency()), quotes);
    file.leave_out(intraday, INTRADAY);
    for (kind, rows) in unknown {
        file.leave_out(rows, format!("bulletins of an unknown type ({kind:?})"));
    }
    Ok(file)
}

fn parse_ptax_csv(text: &str) -> Result<ParsedFile, Refusal> {
    let (quotes, unknown) = ptax_csv::parse(text)?;
    let mut file = quotes_file("PTAX closing quotes".into(), quotes);
    file.leave_out(unknown, "rows of an unknown type of currency");
    Ok(file)
}

fn empty_answer(series: Option<u32>) -> ParsedFile {
    let what = match series {
        Some(series) => format!("SGS {series}, an answer without observations"),
        None => "SGS, an answer without observations".into(),
    };
    ParsedFile::new(what, ParsedRows::Nothing)
}

fn series_file(series: u32, rows: Vec<Rate>) -> ParsedFile {
    let what = format!("SGS {series}");
    match sgs::quotes(series, &rows) {
        Some(quotes) => quotes_file(what, quotes),
        None => ParsedFile::new(what, ParsedRows::Rates(series, rows)),
    }
}

fn quotes_file(what: String, mut quotes: Vec<Quote>) -> ParsedFile {
    let all = quotes.len();
    quotes.retain(|quote| quote.date >= values::FIRST_DAY_OF_THE_REAL);
    let older = all - quotes.len();
    let mut file = ParsedFile::new(what, ParsedRows::Quotes(quotes));
    file.leave_out(older, OLD_CURRENCIES);
    file
}
