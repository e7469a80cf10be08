//! Daily synchronisation with publishers that behave as the real ones do, over simulated days.
use std::{collections::BTreeMap, time::Instant};

use chrono::{DateTime, Days, NaiveDate, Utc};
use fincore::{Catalogue, datasets};
use finserve::Clock;

use crate::{
    published::{FIRST, business_day},
    sync::Place,
};

/// What is synchronised; the registry of companies once a week.
const ONLY: &str = "selic,cdi,ipca,igp-m,ipca-15,fx,filings";

/// The series whose figures are compared, and those of them that the status lists.
const SERIES: [u32; 9] = [432, 4389, 12, 433, 189, 7478, 1, 10813, 21619];

/// Synchronises once a day with moody publishers, then on two quiet days: then every figure must be right.
fn check(days: u64, seed: u64) {
    let place = Place::days_ago(0);
    place.publisher.publish(|published| {
        published.since = "2026-05-01".parse().unwrap();
        published.day = FIRST;
    });
    place.publisher.moody(seed);
    let started = Instant::now();
    let (mut requests, mut failed) = (0, 0);
    for n in 0..days {
        let day = FIRST + Days::new(n);
        place.publisher.publish(|published| published.day = day);
        if n + 2 >= days {
            place.publisher.recover();
        }
        let only = if n % 7 == 0 { format!("{ONLY},companies") } else { ONLY.to_owned() };
        let done = sync(&place, &only, day);
        requests += place.publisher.asked().len();
        if let Err(message) = done {
            failed += 1;
            assert!(n + 2 < days, "{day}: {message}");
        }
    }
    eprintln!(
        "{days} days: {requests} requests, {failed} days on which something failed, {:.1} s",
        started.elapsed().as_secs_f64()
    );
    assert_same_figures(&place, FIRST + Days::new(days - 1));
}

/// A sync on an evening of the simulated year.
fn sync(place: &Place, only: &str, day: NaiveDate) -> Result<String, String> {
    let evening: DateTime<Utc> = format!("{day}T23:30:00Z").parse().unwrap();
    let flags = place.publisher.flags();
    let data = place.data.path().to_str().unwrap();
    let quick = ["--data", data, "--only", only, "--retry-delay", "1", "--pace", "0"];
    let arguments = quick.into_iter().chain(flags.iter().map(String::as_str));
    finserve::sync(arguments, Clock::with_utc(move || evening))
}

/// Every figure is the publisher's, none is missing, and none is there twice.
fn assert_same_figures(place: &Place, day: NaiveDate) {
    let file = rusqlite::Connection::open(place.data.path().join("catalogue.db")).unwrap();
    let rows = |sql: &str, key: &str| -> BTreeMap<String, String> {
        let mut statement = file.prepare(sql).unwrap();
        let read = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
        let all: Vec<(String, String)> = statement
            .query_map([key, &day.to_string()], read)
            .unwrap()
            .collect::<Result<_, _>>()
            .unwrap();
        let count = all.len();
        let map: BTreeMap<String, String> = all.into_iter().collect();
        assert_eq!(map.len(), count, "{key} has a day twice");
        map
    };
    const RATE: &str =
        "SELECT date, value FROM rate WHERE series = ?1 AND date BETWEEN '2026-05-01' AND ?2";
    const SELL: &str =
        "SELECT date, sell FROM fx WHERE currency = ?1 AND date BETWEEN '2026-05-01' AND ?2";
    const BUY: &str =
        "SELECT date, buy FROM fx WHERE currency = ?1 AND date BETWEEN '2026-05-01' AND ?2";
    let mut filings = 0;
    place.publisher.publish(|published| {
        for number in SERIES {
            let stored = match number {
                1 => rows(SELL, "USD"),
                10813 => rows(BUY, "USD"),
                21619 => rows(SELL, "EUR"),
                _ => rows(RATE, &number.to_string()),
            };
            let wanted = published.values(&number.to_string());
            let wanted: BTreeMap<String, String> =
                wanted.into_iter().map(|(day, value)| (day.to_string(), value)).collect();
            assert_eq!(stored, wanted, "series {number}");
        }
        filings = published.days().filter(business_day).count();
    });
    let catalogue = Catalogue::open(place.data.path().join("catalogue.db")).unwrap();
    let snapshot = catalogue.snapshot(day.try_into().unwrap()).unwrap();
    for dataset in datasets::status(&snapshot).unwrap().data {
        let name = &dataset.dataset;
        if ONLY.split(',').any(|only| only == name) {
            assert_eq!((dataset.holes, dataset.error), (Some(Vec::new()), None), "{name}");
        }
    }
    const DELIVERED: &str = "SELECT COUNT(*) FROM filing WHERE subject LIKE 'Assunto 9%'";
    let stored: i64 = file.query_row(DELIVERED, [], |row| row.get(0)).unwrap();
    assert_eq!(usize::try_from(stored).unwrap(), filings);
}

#[test]
#[ignore = "long"]
fn a_week_of_moody_publishers_leaves_every_figure_right() {
    check(8, 20_261_118);
}
