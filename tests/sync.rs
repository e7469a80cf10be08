//! `finserve sync` against a server that plays the publishers.
use std::process::Command;

use chrono::{NaiveDate, TimeDelta, Utc};
use fincore::{
    Catalogue, Snapshot,
    datasets::{self, Dataset},
    filings, market,
};

use crate::{
    harness::{filled, finserve},
    published::{Published, before},
    publisher::{Asked, Conditional, Publisher},
};

/// A data directory, and the publishers that it is synchronised with.
pub(crate) struct Place {
    pub(crate) data: tempfile::TempDir,
    pub(crate) publisher: Publisher,
}

/// How a run of the program ended.
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) output: String,
    pub(crate) errors: String,
}

/// What can be seen of the data.
#[derive(Debug, PartialEq)]
pub(crate) struct Seen {
    tag: String,
    version: u64,
    pub(crate) answers: Vec<String>,
}

impl Place {
    /// The publishers have what they had some days ago.
    pub(crate) fn days_ago(days: u64) -> Place {
        let data = filled();
        let bundled = Catalogue::open(data.path().join("catalogue.db")).unwrap();
        let publisher = Publisher::start(Published::until(before(today(), days), &bundled));
        Place { data, publisher }
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        // Faults are repeated at once.
        let quick = ["--retry-delay", "1", "--pace", "0"];
        let mut command = finserve(&["sync", "--data"]);
        command.arg(self.data.path()).args(self.publisher.flags()).args(quick).args(arguments);
        command
    }

    pub(crate) fn sync(&self, arguments: &[&str]) -> Ran {
        let output = self.command(arguments).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Ran { code: output.status.code(), output: text(output.stdout), errors: text(output.stderr) }
    }

    /// A run that must succeed.
    #[track_caller]
    pub(crate) fn succeed(&self, arguments: &[&str]) -> String {
        let ran = self.sync(arguments);
        assert_eq!((ran.code, &*ran.errors), (Some(0), ""), "{}", ran.output);
        ran.output
    }

    /// A run inside this process.
    pub(crate) fn sync_here(&self, arguments: &[&str]) -> Result<String, String> {
        let (data, flags) = (self.data.path().to_str().unwrap(), self.publisher.flags());
        let quick = ["--data", data, "--retry-delay", "1", "--pace", "0"].into_iter();
        let arguments =
            quick.chain(flags.iter().map(String::as_str)).chain(arguments.iter().copied());
        finserve::sync(arguments, finserve::Clock::system())
    }

    pub(crate) fn catalogue(&self) -> Catalogue {
        Catalogue::open(self.data.path().join("catalogue.db")).unwrap()
    }

    pub(crate) fn snapshot(&self) -> Snapshot {
        self.catalogue().snapshot(today().try_into().unwrap()).unwrap()
    }

    pub(crate) fn seen(&self) -> Seen {
        let snapshot = self.snapshot();
        let history = || market::History::default();
        let answers = vec![
            format!("{:?}", market::overview(&snapshot).unwrap()),
            format!("{:?}", market::selic(&snapshot, history()).unwrap()),
            format!("{:?}", market::fx_pairs(&snapshot, market::FxPairs::default()).unwrap()),
            format!("{:?}", filings::recent(&snapshot, filings::Recent::default()).unwrap()),
        ];
        Seen { tag: snapshot.tag().to_owned(), version: snapshot.version().unwrap(), answers }
    }

    /// What the status tells of a dataset.
    pub(crate) fn went(&self, dataset: &str) -> Dataset {
        let status = datasets::status(&self.snapshot()).unwrap();
        // Filings are a dataset for each form; the publisher has mostly event documents.
        let name = if dataset == "filings" { "filings.ipe" } else { dataset };
        status.data.into_iter().find(|found| found.dataset == name).expect("a known dataset")
    }

    /// The data has everything that is out.
    #[track_caller]
    pub(crate) fn assert_complete(&self, day: NaiveDate) {
        let snapshot = self.snapshot();
        let last = |on: fn(&NaiveDate) -> bool| {
            let days = crate::published::FIRST.iter_days().take_while(|other| *other <= day);
            days.filter(on).last().map(|day| day.try_into().unwrap())
        };
        let open = crate::published::business_day;
        for (number, wanted) in [
            // The bundled Selic reaches further than the other bundled data.
            (432, last(|_| true).max("2026-11-04".parse().ok())),
            (4389, last(open)),
            (12, last(open)),
            (433, last(|day| chrono::Datelike::day(day) == 1)),
            (1, last(open)),
            (21619, last(open)),
        ] {
            assert_eq!(market::newest_day(&snapshot, number).unwrap(), wanted, "series {number}");
        }
        assert_eq!(
            market::days_with_currencies(&snapshot, 100).unwrap().first().copied(),
            last(open)
        );
        let swiss = market::FxCurrent { pair: "CHF/BRL".parse().unwrap() };
        assert_eq!(Some(market::fx_current(&snapshot, swiss).unwrap().date), last(open));
        let filing = filings::recent(&snapshot, filings::Recent::default()).unwrap();
        assert_eq!(filing.data.first().map(|filing| filing.date), last(open));
        let status = datasets::status(&snapshot).unwrap();
        let registry = status.data.iter().find(|set| set.dataset == "companies").unwrap();
        assert_eq!(registry.newest, last(|_| true));
    }
}

/// The day in Brasília.
pub(crate) fn today() -> NaiveDate {
    (Utc::now() - TimeDelta::hours(3)).date_naive()
}

#[test]
fn fills_the_data_from_empty_to_complete() {
    let place = Place::days_ago(1);
    let output = place.succeed(&[]);
    place.assert_complete(before(today(), 1));
    for name in ["selic", "cdi", "ipca", "igp-m", "fx", "companies", "filings"] {
        let line = output.lines().find(|line| line.starts_with(&format!("{name}: ")));
        assert!(line.is_some_and(|line| line.contains(" new")), "{name} in {output}");
        let went = place.went(name);
        assert!(went.error.is_none() && went.last_success.is_some(), "{went:?}");
    }
    let petrobras = fincore::companies::find(&place.snapshot(), "9512".parse().unwrap()).unwrap();
    assert!(petrobras.tickers.contains(&"PETR9".to_owned()), "{:?}", petrobras.tickers);
    // A series without rows is asked for since its beginning, in windows that are not refused.
    let asked = place.publisher.asked();
    let windows = |number: u32| {
        let text = format!("bcdata.sgs.{number}/");
        asked.iter().filter(|asked| asked.target.contains(&text)).count()
    };
    assert_eq!(windows(432), 1);
    assert!(windows(4389) > 4, "{}", windows(4389));
    assert!(asked.iter().all(|asked| asked.status != 406));
    let agent = concat!("finserve/", env!("CARGO_PKG_VERSION"), " (+");
    assert!(asked.iter().all(|asked| asked.agent.starts_with(agent)), "{asked:?}");
}

#[test]
#[ignore = "long"]
fn a_second_sync_downloads_nothing_and_changes_nothing() {
    for conditional in [Conditional::ByTag, Conditional::ByTime, Conditional::Never] {
        let place = Place::days_ago(0);
        place.publisher.conditional(conditional);
        place.succeed(&[]);
        let (before, _) = (place.seen(), place.publisher.asked());
        let output = place.succeed(&[]);
        assert!(output.lines().all(|line| line.ends_with(": nothing new")), "{output}");
        assert_eq!(place.seen(), before);
        let whole = |asked: &&Asked| asked.status == 200;
        let asked = place.publisher.asked();
        let downloads: Vec<&Asked> = asked.iter().filter(whole).collect();
        assert_eq!(downloads.is_empty(), conditional != Conditional::Never, "{downloads:?}");
    }
}

#[test]
fn a_dry_run_tells_what_is_new_and_changes_nothing() {
    let place = Place::days_ago(0);
    let before = place.seen();
    let output = place.succeed(&["--dry-run", "--only", "selic,filings"]);
    assert!(output.starts_with("selic: would bring "), "{output}");
    assert!(output.contains("/sgs/dados/serie/bcdata.sgs.432/dados?formato=json&dataInicial="));
    assert!(output.contains("filings: would bring "), "{output}");
    assert_eq!(place.seen(), before);
    assert_eq!(place.went("selic").last_attempt, None);
    assert!(!place.data.path().join("sync.lock").exists());

    // Not even a directory is created.
    let missing = place.data.path().join("missing");
    let mut command = finserve(&["sync", "--dry-run", "--only", "ipca", "--data"]);
    let flags = place.publisher.flags();
    let output = command.arg(&missing).args(flags).args(["--pace", "0"]).output().unwrap();
    assert!(output.status.success() && output.stdout.starts_with(b"ipca: would bring "));
    assert!(!missing.exists());
}

#[test]
fn only_what_is_named_is_asked_for() {
    let place = Place::days_ago(0);
    let output = place.succeed(&["--only", "cdi"]);
    // What there is to say of a dataset stands below its line.
    assert_eq!(output.lines().filter(|line| !line.starts_with("  ")).count(), 1, "{output}");
    let asked = place.publisher.asked();
    let of_cdi =
        |asked: &Asked| ["sgs.4389/", "sgs.12/"].iter().any(|part| asked.target.contains(part));
    assert!(!asked.is_empty() && asked.iter().all(of_cdi), "{asked:?}");

    let ran = place.sync(&["--only", "selic,dollar"]);
    assert_eq!(ran.code, Some(2));
    assert!(
        ran.errors.contains("\"dollar\" is not a dataset; the datasets are series, selic"),
        "{}",
        ran.errors
    );
    assert!(place.publisher.asked().is_empty());
}

#[test]
fn a_series_is_brought_by_its_number_and_kept_fresh_from_then_on() {
    let place = Place::days_ago(0);
    let newest = |number| market::newest_day(&place.snapshot(), number).unwrap();
    // One that is known, and one that is not.
    assert_eq!((newest(24369), newest(777_777)), (None, None));
    let output = place.succeed(&["--series", "24369,777777"]);
    let lines: Vec<&str> = output.lines().filter(|line| !line.starts_with("  ")).collect();
    let starts = ["unemployment: ", "777777: "];
    assert!(lines.iter().zip(starts).all(|(line, start)| line.starts_with(start)), "{output}");
    assert!(lines.len() == 2 && lines.iter().all(|line| line.contains(" new")), "{output}");
    assert!(newest(24369).is_some() && newest(24369) == newest(777_777));
    let of = |asked: &Asked, number: u32| asked.target.contains(&format!("sgs.{number}/"));
    let asked = place.publisher.asked();
    assert!(asked.iter().all(|asked| of(asked, 24369) || of(asked, 777_777)), "{asked:?}");
    assert!(asked.iter().all(|asked| asked.status != 406), "{asked:?}");
    // Series without a dataset of their own belong to the others from now on.
    let output = place.succeed(&["--only", "series"]);
    assert!(output.contains("unemployment: nothing new\n777777: nothing new\n"), "{output}");
    let output = place.succeed(&["--only", "selic"]);
    assert!(!output.contains("unemployment"), "{output}");
    let output = place.succeed(&["--only", "selic", "--series", "ipca-services"]);
    assert!(output.starts_with("selic: ") && output.contains("\nipca-services: "), "{output}");
    assert_eq!(place.went("unemployment").newest, newest(24369));
}

#[test]
fn a_number_without_figures_fails_and_a_wrong_one_is_refused() {
    let place = Place::days_ago(0);
    let ran = place.sync(&["--series", "888888"]);
    assert_eq!(ran.code, Some(1), "{}", ran.errors);
    let said = "888888: failed: SGS 888888 has no figures: is the number right?";
    assert!(ran.output.contains(said), "{}", ran.output);
    place.publisher.asked();
    for wrong in ["x", "0", "13522,-1", ","] {
        let ran = place.sync(&["--series", wrong]);
        assert_eq!(ran.code, Some(2), "{wrong}");
        assert!(ran.errors.contains("series"), "{wrong}: {}", ran.errors);
    }
    assert!(place.publisher.asked().is_empty());
}

#[test]
fn a_first_day_fills_the_history() {
    let place = Place::days_ago(0);
    place.succeed(&["--only", "igp-m,filings", "--since", "2015-06-01"]);
    let asked = place.publisher.asked();
    let has = |text: &str| asked.iter().any(|asked| asked.target.contains(text));
    assert!(
        has("sgs.189/dados?formato=json&dataInicial=01/06/2015&dataFinal=31/12/2023"),
        "{asked:?}"
    );
    assert!(has("/ipe_cia_aberta_2015.zip") && has("/itr_cia_aberta_2015.zip"));
    assert!(!has("_2014.zip"));
}
