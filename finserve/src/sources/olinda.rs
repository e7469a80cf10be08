//! Olinda, the central bank's PTAX service: one currency over some days.
use std::collections::BTreeSet;

use fincore::{Currency, Date, Span, market::Figures};
use serde::Deserialize;

use super::{
    date_windows::{Window, quarter_start, windows, windows_with_holes},
    publisher_address::BaseUrl,
    request::{Absence, Publisher, Repeat, Request, RequestedDays, requests_for_windows},
};

const SERVICE: &str = "/olinda/servico/PTAX/versao/v1/odata/";
const PERIOD: &str = "CotacaoMoedaPeriodo\
    (moeda=@moeda,dataInicial=@dataInicial,dataFinalCotacao=@dataFinalCotacao)?@moeda='";

/// The currencies that the service has had since it exists.
const MAJORS: [&str; 10] = ["AUD", "CAD", "CHF", "DKK", "EUR", "GBP", "JPY", "NOK", "SEK", "USD"];

/// The last window starts with the quarter of the day this long ago.
const RECENT_DAYS: u32 = 30;

/// On some days the service is slow with longer windows.
const MOST_YEARS: u16 = 1;

/// The request for the list of currencies.
pub(super) fn currencies(base: &BaseUrl) -> Request {
    Request {
        publisher: Publisher::Olinda,
        url: base.join(&format!("{SERVICE}Moedas?$format=json")),
        file: "Moedas.json".into(),
        what: "Olinda, list of currencies".into(),
        days: None,
        absence: Absence::Failure,
        repeat: Repeat::Always,
    }
}

pub(super) fn is_major(currency: Currency) -> bool {
    MAJORS.contains(&currency.as_str())
}

/// The currencies in an answer to [`currencies`]; `None` if it is something else.
pub(super) fn parse_currencies(body: &[u8]) -> Option<BTreeSet<Currency>> {
    #[derive(Deserialize)]
    struct Answer {
        value: Vec<Row>,
    }
    #[derive(Deserialize)]
    struct Row {
        simbolo: String,
    }
    let answer: Answer = serde_json::from_slice(body).ok()?;
    let symbols = answer.value.iter().map(|row| row.simbolo.trim().parse().ok());
    symbols.collect::<Option<BTreeSet<Currency>>>().filter(|currencies| !currencies.is_empty())
}

/// How the addresses of all requests for quotes start.
pub(super) fn url_prefix(base: &BaseUrl) -> String {
    base.join(&format!("{SERVICE}{PERIOD}"))
}

/// The currency of the address of a request for quotes.
pub(super) fn currency_of(base: &BaseUrl, url: &str) -> Option<Currency> {
    url.strip_prefix(&url_prefix(base))?.get(..3)?.parse().ok()
}

/// The first day of the address of a request for quotes.
pub(super) fn first_day_of(url: &str) -> Option<Date> {
    let (_, day) = url.split_once("@dataInicial='")?;
    format!("{}-{}-{}", day.get(6..10)?, day.get(..2)?, day.get(3..5)?).parse().ok()
}

/// The requests for one currency, in order.
pub(super) fn requests(
    base: &BaseUrl,
    currency: Currency,
    newest: Option<Date>,
    since: Option<Date>,
    today: Date,
) -> Vec<Request> {
    let recent = quarter_start(today.days_before(RECENT_DAYS));
    let first = since.into_iter().chain(newest).min().unwrap_or(recent);
    let past = windows(first, recent, MOST_YEARS);
    requests_for_windows(past, Window { first: recent, last: today }, newest, |window, repeat| {
        request(base, currency, window, repeat)
    })
}

/// The requests for past years in which quotes of a currency are missing.
pub(super) fn requests_for_holes(
    base: &BaseUrl,
    currency: Currency,
    holes: &[Span],
    today: Date,
) -> Vec<Request> {
    let recent = quarter_start(today.days_before(RECENT_DAYS));
    let windows = windows_with_holes(holes, recent, MOST_YEARS).into_iter();
    windows.map(|window| request(base, currency, window, Repeat::Never)).collect()
}

fn request(base: &BaseUrl, currency: Currency, window: Window, repeat: Repeat) -> Request {
    let (first, last) = (american_date(window.first), american_date(window.last));
    let url = format!(
        "{}{currency}'&@dataInicial='{first}'&@dataFinalCotacao='{last}'&$format=json",
        url_prefix(base)
    );
    Request {
        publisher: Publisher::Olinda,
        url,
        file: format!("CotacaoMoedaPeriodo.{currency}.json"),
        what: format!("Olinda, {currency}"),
        days: Some(RequestedDays { figures: Figures::Quotes(currency), window }),
        absence: Absence::Failure,
        repeat,
    }
}

/// MM-DD-YYYY.
fn american_date(day: Date) -> String {
    format!("{:02}-{:02}-{:04}", day.month(), day.day(), day.year())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(newest: Option<&str>, since: Option<&str>, today: &str) -> Vec<String> {
        let day = |text: &str| text.parse::<Date>().unwrap();
        let base = "http://a".parse().unwrap();
        let (newest, since) = (newest.map(day), since.map(day));
        let dates = |request: &Request| {
            let (_, dates) = request.url.split_once("@dataInicial='").unwrap();
            dates.replace("'&@dataFinalCotacao='", " ").replace("'&$format=json", "")
        };
        requests(&base, Currency::EUR, newest, since, day(today)).iter().map(dates).collect()
    }

    #[test]
    fn asks_for_the_quarter_and_what_is_missing_before() {
        assert_eq!(check(Some("2026-11-13"), None, "2026-11-15"), ["10-01-2026 11-15-2026"]);
        assert_eq!(check(None, None, "2026-11-15"), ["10-01-2026 11-15-2026"]);
        assert_eq!(
            check(Some("2025-07-31"), None, "2026-11-15"),
            ["07-31-2025 12-31-2025", "01-01-2026 09-30-2026", "10-01-2026 11-15-2026"]
        );
        assert_eq!(
            check(Some("2026-11-13"), Some("2026-02-01"), "2026-11-15"),
            ["10-01-2026 11-15-2026", "02-01-2026 09-30-2026"]
        );
    }

    #[test]
    fn writes_the_official_address() {
        let base: BaseUrl = "https://olinda.bcb.gov.br/".parse().unwrap();
        let day: Date = "2026-11-15".parse().unwrap();
        let url = &requests(&base, Currency::EUR, Some(day), None, day)[0].url;
        assert_eq!(
            *url,
            "https://olinda.bcb.gov.br/olinda/servico/PTAX/versao/v1/odata/CotacaoMoedaPeriodo\
             (moeda=@moeda,dataInicial=@dataInicial,dataFinalCotacao=@dataFinalCotacao)\
             ?@moeda='EUR'&@dataInicial='10-01-2026'&@dataFinalCotacao='11-15-2026'&$format=json"
        );
        assert_eq!(currency_of(&base, url), Some(Currency::EUR));
        assert_eq!(currency_of(&base, "https://olinda.bcb.gov.br/"), None);
        assert_eq!(first_day_of(url), "2026-10-01".parse().ok());
    }

    #[test]
    fn reads_the_list_of_currencies() {
        let body = r#"{"value":[{"simbolo":"AUD","nomeFormatado":"x","tipoMoeda":"B"},{"simbolo":"USD"}]}"#;
        let names = |body: &str| parse_currencies(body.as_bytes()).map(|list| list.len());
        assert_eq!(names(body), Some(2));
        for body in ["<html>", "{}", "[]", r#"{"value":[]}"#, r#"{"value":[{"simbolo":"dollar"}]}"#]
        {
            assert_eq!(names(body), None, "{body}");
        }
    }
}
