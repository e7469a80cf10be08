//! The daily PTAX bulletins of all currencies.
use fincore::{Date, calendar::is_business_day};

use super::{
    date_windows::days,
    publisher_address::BaseUrl,
    request::{Absence, Publisher, Repeat, Request},
};

/// A day with this many currencies has its bulletin; other sources have at most ten.
pub(super) const WHOLE_DAY: u32 = 20;

/// A bulletin that failed is asked for again for this many days, even if newer ones are there.
const LOOK_BACK_DAYS: u32 = 30;

/// How the addresses of all bulletins start.
pub(super) fn url_prefix(base: &BaseUrl) -> String {
    base.join("/Download/fechamento/")
}

/// The day of the bulletin at this address.
pub(super) fn day_of(base: &BaseUrl, url: &str) -> Option<Date> {
    let day = url.strip_prefix(&url_prefix(base))?.strip_suffix(".csv")?;
    format!("{}-{}-{}", day.get(..4)?, day.get(4..6)?, day.get(6..)?).parse().ok()
}

/// The requests for the bulletins that are missing. `have` are the days whose bulletin is stored, newest first. `downloaded`
/// is the first bulletin that was ever downloaded: bulletins that failed after it are asked for until they come.
pub(super) fn requests(
    base: &BaseUrl,
    have: &[Date],
    downloaded: Option<Date>,
    since: Option<Date>,
    today: Date,
) -> Vec<Request> {
    let look_back = today.days_before(LOOK_BACK_DAYS);
    let known = since.into_iter().chain(downloaded).chain(have.first().copied());
    let first = known.chain([look_back]).min();
    let first = first.unwrap_or(look_back);
    days(first, today)
        .filter(|day| is_business_day(*day) && !have.contains(day))
        .map(|day| request(base, day))
        .collect()
}

fn request(base: &BaseUrl, day: Date) -> Request {
    let file = format!("{:04}{:02}{:02}.csv", day.year(), day.month(), day.day());
    Request {
        publisher: Publisher::Ptax,
        url: base.join(&format!("/Download/fechamento/{file}")),
        file,
        what: format!("PTAX bulletin of {day}"),
        days: None,
        absence: Absence::NotYet,
        repeat: Repeat::Always,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(have: &[&str], since: Option<&str>, today: &str) -> Vec<String> {
        let day = |text: &str| text.parse::<Date>().unwrap();
        let base = "https://www4.bcb.gov.br".parse().unwrap();
        let have: Vec<Date> = have.iter().map(|text| day(text)).collect();
        let requests = requests(&base, &have, None, since.map(day), day(today));
        requests.into_iter().map(|request| request.url).collect()
    }

    #[test]
    fn asks_for_the_business_days_that_are_missing() {
        let asked = check(&["2026-11-12", "2026-11-10"], None, "2026-11-15");
        assert_eq!(
            asked.first().unwrap(),
            "https://www4.bcb.gov.br/Download/fechamento/20261016.csv"
        );
        assert_eq!(
            asked.last().unwrap(),
            "https://www4.bcb.gov.br/Download/fechamento/20261113.csv"
        );
        // 20 business days from 16 October to 13 November, two of which are there: All Souls is a holiday.
        assert_eq!(asked.len(), 18);
        assert!(!asked.iter().any(|url| url.contains("20261112") || url.contains("20261114")));
    }

    #[test]
    fn asks_again_for_days_that_failed_since_the_first_download() {
        let day = |text: &str| text.parse::<Date>().unwrap();
        let base: BaseUrl = "http://a".parse().unwrap();
        let first = day_of(&base, "http://a/Download/fechamento/20260803.csv");
        assert_eq!(first, Some(day("2026-08-03")));
        let have = [day("2026-08-05"), day("2026-08-03")];
        let asked = requests(&base, &have, first, None, day("2026-08-05"));
        assert!(asked.iter().any(|request| request.url.ends_with("/20260804.csv")));
    }

    #[test]
    fn reaches_back_to_the_newest_bulletin_or_the_first_day() {
        assert!(check(&["2026-07-31"], None, "2026-11-15")[0].ends_with("/20260803.csv"));
        assert!(
            check(&["2026-07-31"], Some("2026-07-01"), "2026-11-15")[0].ends_with("/20260701.csv")
        );
        assert!(check(&[], None, "2026-11-15")[0].ends_with("/20261016.csv"));
    }
}
