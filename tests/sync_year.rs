//! A simulated year of daily synchronisation with publishers that behave as the real ones do.
use std::{
    collections::BTreeMap,
    io::{self, Write},
    path::Path,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use chrono::{DateTime, Datelike, Days, NaiveDate, Utc};
use fincore::{Catalogue, bundle, companies, datasets};
use finserve::Clock;

use crate::{
    published::business_day,
    published_year::{MONTHS_SINCE, PublishedYear, SINCE, ticker},
    publisher::Publisher,
};

/// The first day that is synchronised.
const FIRST: NaiveDate = NaiveDate::from_ymd_opt(2026, 4, 1).unwrap();

/// What is synchronised: long histories of months, and all else since a few months ago.
const MONTHLY: &str = "ipca,igp-m";
const DAILY: &str = "selic,cdi,tr,fx,companies,filings";

/// At the end nothing goes wrong for some days, so that all that went wrong can be mended.
const QUIET_DAYS: u64 = 3;

/// The series that are compared; of the others the sides of quotes.
const SERIES: [u32; 6] = [432, 4389, 12, 226, 433, 189];
const CURRENCIES: [&str; 21] = [
    "USD", "EUR", "JPY", "GBP", "CHF", "AED", "ARS", "BOB", "CLP", "CNY", "COP", "EGP", "HUF",
    "ILS", "INR", "KRW", "MXN", "PEN", "PLN", "RON", "UYU",
];

/// A data directory, its publishers, and a clock that only moves when a test or a pause moves it.
struct Simulation {
    data: tempfile::TempDir,
    publisher: Publisher<PublishedYear>,
    now: Arc<Mutex<DateTime<Utc>>>,
    paused: Arc<Mutex<Duration>>,
}

impl Simulation {
    fn new(seed: u64) -> Simulation {
        // In memory where that is possible: a disk would take as long as all else.
        let memory = Path::new("/dev/shm");
        let data = tempfile::tempdir_in(memory).or_else(|_| tempfile::tempdir()).unwrap();
        // As if it had the bundled data, which would take most of the time.
        let path = data.path().join("catalogue.db");
        drop(Catalogue::open(&path).unwrap());
        let file = rusqlite::Connection::open(path).unwrap();
        let filled = "INSERT INTO meta (name, value) VALUES ('bundle', ?1)";
        file.execute(filled, [bundle::id()]).unwrap();
        let publisher = Publisher::start(PublishedYear::new(seed));
        let (now, paused) = (Arc::default(), Arc::default());
        Simulation { data, publisher, now, paused }
    }

    /// The clock; pauses between requests pass at once.
    fn clock(&self) -> Clock {
        let (now, moved, paused) = (self.now.clone(), self.now.clone(), self.paused.clone());
        Clock::with_utc(move || *now.lock().unwrap()).with_pauses(move |pause| {
            *moved.lock().unwrap() += pause;
            *paused.lock().unwrap() += pause;
        })
    }

    fn sync(&self, only: &str, since: NaiveDate) -> Result<String, String> {
        let (data, since) = (self.data.path().to_str().unwrap(), since.to_string());
        let flags = self.publisher.flags();
        let arguments = ["--data", data, "--only", only, "--since", &since].into_iter();
        finserve::sync(arguments.chain(flags.iter().map(String::as_str)), self.clock())
    }

    /// Synchronises once a day; on the last days, when all is well, that must succeed.
    fn run(&self, days: u64) {
        let started = Instant::now();
        let (mut requests, mut failed) = (0, 0);
        for n in 0..days {
            let (day, is_quiet) = (FIRST + Days::new(n), n + QUIET_DAYS >= days);
            self.publisher.publish(|published| {
                published.moods.is_quiet = is_quiet;
                published.begin(day);
            });
            *self.now.lock().unwrap() = format!("{day}T23:30:00Z").parse().unwrap();
            // The long history is asked for at first, once a week, and in the end.
            let mut done = vec![self.sync(&format!("{MONTHLY},{DAILY}"), SINCE)];
            if n < 3 || n % 7 == 0 || is_quiet {
                done.push(self.sync(MONTHLY, MONTHS_SINCE));
            }
            requests += self.publisher.asked().len();
            failed += usize::from(done.iter().any(Result::is_err));
            assert!(!is_quiet || done.iter().all(Result::is_ok), "{day}: {done:?}");
        }
        let (seconds, paused) = (started.elapsed().as_secs_f64(), *self.paused.lock().unwrap());
        // Past the harness of the tests, which keeps what they print.
        let _ = writeln!(
            io::stderr(),
            "{days} simulated days of sync: {requests} requests, {failed} days on which something failed, \
             {} s of pauses, {seconds:.1} s",
            paused.as_secs()
        );
    }

    /// Every figure, company and filing is the publisher's, none is missing, and none is there twice.
    fn assert_same(&self, day: NaiveDate) {
        let file = rusqlite::Connection::open(self.data.path().join("catalogue.db")).unwrap();
        let rows = |sql: &str, key: &str| -> Vec<[String; 3]> {
            let mut statement = file.prepare(sql).unwrap();
            let read = |row: &rusqlite::Row<'_>| Ok([row.get(0)?, row.get(1)?, row.get(2)?]);
            statement.query_map([key], read).unwrap().map(Result::unwrap).collect()
        };
        let text = |value: &dyn ToString| value.to_string();
        const RATES: &str =
            "SELECT date, value, CAST(computed AS TEXT) FROM rate WHERE series = ?1 ORDER BY date";
        const QUOTES: &str = "SELECT date, buy, sell FROM fx WHERE currency = ?1 ORDER BY date";
        const EVENTS: &str = "SELECT CAST(id AS TEXT), CAST(version AS TEXT), subject FROM filing
            WHERE id < ?1 + 0 ORDER BY id";
        self.publisher.publish(|published| {
            for number in SERIES {
                let wanted = published.values(number).into_iter();
                let wanted: Vec<_> =
                    wanted.map(|(day, value)| [text(&day), value, "0".to_owned()]).collect();
                assert_eq!(rows(RATES, &number.to_string()), wanted, "series {number}");
            }
            for currency in CURRENCIES {
                let days = SINCE.iter_days().take_while(|other| *other <= day).filter(business_day);
                let quote = |day: NaiveDate| {
                    let [buy, sell] = published.quote(currency, day);
                    [text(&day), buy, sell]
                };
                let wanted: Vec<_> = days.map(quote).collect();
                assert_eq!(rows(QUOTES, currency), wanted, "{currency}");
            }
            let years = SINCE.year()..=day.year();
            let events = years.clone().flat_map(|year| published.event_documents(year));
            let wanted: Vec<_> = events
                .map(|event| [text(&event.id), text(&event.version), event.subject])
                .collect();
            assert_eq!(rows(EVENTS, "1000000000"), wanted, "event documents");
            let quarterly = years.flat_map(|year| published.quarterly_documents(year)).count();
            self.assert_same_status(published, day, quarterly);
        });
    }

    /// What is kept of earlier data is small: at most 5 MB in a year.
    fn assert_small_past(&self) {
        const PAGES: &str =
            "SELECT SUM(pgsize) FROM dbstat WHERE name GLOB 'past_*' OR name = 'import_time'";
        const ROWS: &str =
            "SELECT (SELECT COUNT(known_from) FROM rate) + (SELECT COUNT(known_from) FROM fx)
            + (SELECT COUNT(known_from) FROM company)";
        let file = rusqlite::Connection::open(self.data.path().join("catalogue.db")).unwrap();
        let number = |sql: &str| file.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
        // A version takes up to three bytes in its row, and one in its header.
        let bytes = number(PAGES) + 4 * number(ROWS);
        let _ = writeln!(io::stderr(), "what was known earlier takes {bytes} bytes");
        assert!(bytes <= 5_000_000, "{bytes} bytes");
    }

    /// The registry and the status are as they should be.
    fn assert_same_status(&self, published: &PublishedYear, day: NaiveDate, quarterly: usize) {
        let catalogue = Catalogue::open(self.data.path().join("catalogue.db")).unwrap();
        let snapshot = catalogue.snapshot(day.try_into().unwrap()).unwrap();
        let mut stored = BTreeMap::new();
        for company in companies::all(&snapshot).unwrap() {
            let row = (company.name, company.status.unwrap(), company.tickers);
            assert!(stored.insert(company.id.to_string(), row).is_none());
        }
        let wanted = published.companies().into_iter().map(|company| {
            let tickers = (company.id < 1005).then(|| ticker(company.id)).into_iter();
            (company.id.to_string(), (company.name, company.status.to_owned(), tickers.collect()))
        });
        assert_eq!(stored, wanted.collect());
        for dataset in datasets::status(&snapshot).unwrap().data {
            let name = &*dataset.dataset;
            assert_eq!(dataset.error, None, "{name}");
            assert!(dataset.holes.unwrap_or_default().is_empty(), "{name} has holes");
            assert_eq!((dataset.notes, dataset.left_out), (Vec::new(), 0), "{name}");
            if name == "filings.itr" {
                assert_eq!(dataset.rows, quarterly as u64);
            }
        }
    }
}

fn check(days: u64, seed: u64) {
    let simulation = Simulation::new(seed);
    simulation.run(days);
    simulation.assert_same(FIRST + Days::new(days - 1));
    simulation.assert_small_past();
    let missing = simulation.publisher.publish(|published| published.moods.missing());
    assert!(missing.is_empty(), "moods that were never shown: {missing:?}");
}

#[test]
fn some_weeks_of_moody_publishers_leave_every_figure_right() {
    check(28, 12);
}

#[test]
#[ignore = "long"]
fn a_year_of_moody_publishers_leaves_every_figure_right() {
    check(365, 20_261_118);
}
