//! SGS, the central bank's time series: windows of days of one series.
use fincore::{Date, Span, market::Figures};

use super::{
    dataset_selection::SyncedSeries,
    date_windows::{Window, windows, windows_with_holes, year_start},
    publisher_address::BaseUrl,
    request::{Absence, Publisher, Repeat, Request, RequestedDays, requests_for_windows},
};

/// SGS refuses windows of more than ten years with a 406.
const MOST_YEARS: u16 = 9;

/// The running year is always requested in full, because figures are revised; in its first days, last year too.
const REVISED_DAYS: u32 = 60;

/// The requests for one series.
///
/// `newest` is the newest stored day. The last window has the same first day for a whole year, so that two
/// requests of one day are the same.
pub(super) fn requests(
    base: &BaseUrl,
    series: &SyncedSeries,
    newest: Option<Date>,
    since: Option<Date>,
    today: Date,
) -> Vec<Request> {
    let recent = year_start(today.days_before(REVISED_DAYS));
    let missing = match newest {
        None => Some(since.unwrap_or(series.since)),
        Some(newest) => {
            since.into_iter().chain([year_start(newest.days_before(REVISED_DAYS))]).min()
        }
    };
    let first = missing.unwrap_or(recent).max(series.since);
    let past = windows(first, recent, MOST_YEARS);
    requests_for_windows(past, Window { first: recent, last: today }, newest, |window, repeat| {
        request(base, series.number, window, repeat)
    })
}

/// The requests for past years in which figures are missing.
pub(super) fn requests_for_holes(
    base: &BaseUrl,
    series: &SyncedSeries,
    holes: &[Span],
    today: Date,
) -> Vec<Request> {
    let recent = year_start(today.days_before(REVISED_DAYS));
    let windows = windows_with_holes(holes, recent, MOST_YEARS).into_iter();
    let since = |window: Window| Window { first: window.first.max(series.since), ..window };
    windows.map(|window| request(base, series.number, since(window), Repeat::Never)).collect()
}

/// The two requests for the halves of a window; `None` if it lies within a year, or if this is no request for one.
pub(super) fn halves(base: &BaseUrl, whole: &Request) -> Option<[Request; 2]> {
    let Some(RequestedDays { figures: Figures::Series(number), window }) = whole.days else {
        return None;
    };
    Some(window.halves()?.map(|half| request(base, number, half, whole.repeat)))
}

fn request(base: &BaseUrl, number: u32, window: Window, repeat: Repeat) -> Request {
    let (first, last) = (brazilian_date(window.first), brazilian_date(window.last));
    let query = format!("formato=json&dataInicial={first}&dataFinal={last}");
    Request {
        publisher: Publisher::Sgs,
        url: base.join(&format!("{}?{query}", path(number))),
        file: format!("bcdata.sgs.{number}.json"),
        what: format!("SGS {number}"),
        days: Some(RequestedDays { figures: Figures::Series(number), window }),
        absence: Absence::EmptyIfStated,
        repeat,
    }
}

/// The prefix of all requests for a series.
pub(super) fn url_prefix(base: &BaseUrl, number: u32) -> String {
    base.join(&format!("{}?", path(number)))
}

fn path(number: u32) -> String {
    format!("/dados/serie/bcdata.sgs.{number}/dados")
}

/// DD/MM/YYYY.
fn brazilian_date(day: Date) -> String {
    format!("{:02}/{:02}/{:04}", day.day(), day.month(), day.year())
}

#[cfg(test)]
mod tests {
    use fincore::market::known_series;

    use super::*;

    /// The windows that are asked for of the daily CDI, which begins on 1986-03-06.
    fn check(newest: Option<&str>, since: Option<&str>, today: &str) -> Vec<String> {
        let day = |text: &str| text.parse::<Date>().unwrap();
        let series = known_series().iter().find(|series| series.number == 12).unwrap().into();
        let base = "http://a".parse().unwrap();
        let requests = requests(&base, &series, newest.map(day), since.map(day), day(today));
        let dates = |request: &Request| {
            let (_, dates) = request.url.split_once("dataInicial=").unwrap();
            dates.replace("&dataFinal=", " ")
        };
        requests.iter().map(dates).collect()
    }

    #[test]
    fn asks_for_the_running_year() {
        assert_eq!(check(Some("2026-11-13"), None, "2026-11-15"), ["01/01/2026 15/11/2026"]);
        // December is revised in January.
        assert_eq!(
            check(Some("2026-01-05"), None, "2026-11-15"),
            ["01/01/2026 15/11/2026", "01/01/2025 31/12/2025"]
        );
        assert_eq!(check(Some("2026-01-05"), None, "2026-01-06"), ["01/01/2025 06/01/2026"]);
    }

    #[test]
    fn asks_the_same_after_what_it_brought() {
        for today in ["2026-01-01", "2026-02-28", "2026-03-01", "2026-03-02", "2026-11-15"] {
            let first = check(None, None, today);
            assert_eq!(check(Some(today), None, today), first[first.len() - 1..]);
        }
    }

    #[test]
    fn fills_an_empty_series_in_windows_that_are_not_refused() {
        let all = check(None, None, "2026-11-15");
        assert_eq!(all.first().unwrap(), "06/03/1986 31/12/1994");
        assert_eq!(all.last().unwrap(), "01/01/2026 15/11/2026");
        assert_eq!(all.len(), 6);
    }

    #[test]
    fn a_window_is_halved_down_to_a_year() {
        let base = "http://a".parse().unwrap();
        let window =
            Window { first: "1986-03-06".parse().unwrap(), last: "1994-12-31".parse().unwrap() };
        let mut whole = request(&base, 12, window, Repeat::Never);
        let mut windows = Vec::new();
        while let Some([first, second]) = halves(&base, &whole) {
            assert_eq!(first.repeat, Repeat::Never);
            windows.push(second.url.split_once("dataInicial=").unwrap().1.to_owned());
            whole = first;
        }
        assert!(whole.url.ends_with("dataInicial=06/03/1986&dataFinal=31/12/1986"));
        assert_eq!(
            windows,
            [
                "01/01/1990&dataFinal=31/12/1994",
                "01/01/1988&dataFinal=31/12/1989",
                "01/01/1987&dataFinal=31/12/1987"
            ]
        );
    }

    #[test]
    fn closes_a_gap_before_what_is_new() {
        assert_eq!(
            check(Some("2024-02-10"), None, "2026-11-15"),
            ["01/01/2023 31/12/2025", "01/01/2026 15/11/2026"]
        );
        assert_eq!(
            check(Some("2024-02-10"), Some("2025-01-01"), "2026-11-15"),
            ["01/01/2023 31/12/2025", "01/01/2026 15/11/2026"]
        );
    }

    #[test]
    fn a_first_day_is_obeyed() {
        assert_eq!(
            check(None, Some("2025-06-15"), "2026-11-15"),
            ["15/06/2025 31/12/2025", "01/01/2026 15/11/2026"]
        );
        // A longer history comes after what is new.
        assert_eq!(
            check(Some("2026-11-13"), Some("2020-01-01"), "2026-11-15"),
            ["01/01/2026 15/11/2026", "01/01/2020 31/12/2025"]
        );
        assert_eq!(check(None, Some("2030-01-01"), "2026-11-15"), ["01/01/2026 15/11/2026"]);
        assert_eq!(check(None, Some("1900-01-01"), "2026-11-15")[0], "06/03/1986 31/12/1994");
    }

    #[test]
    fn writes_the_official_address() {
        let series = SyncedSeries::from(&known_series()[0]);
        let base = "https://api.bcb.gov.br".parse().unwrap();
        let day = "2026-11-15".parse().unwrap();
        assert_eq!(
            requests(&base, &series, Some(day), None, day)[0].url,
            "https://api.bcb.gov.br/dados/serie/bcdata.sgs.432/dados\
             ?formato=json&dataInicial=01/01/2026&dataFinal=15/11/2026"
        );
    }
}
