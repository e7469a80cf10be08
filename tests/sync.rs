//! `finserve sync` against a server that plays the publishers.
use std::{
    fs::{self, File},
    path::Path,
    process::{Child, Command, Stdio},
};

use chrono::{NaiveDate, TimeDelta, Utc};
use fincore::{
    Catalogue, Snapshot,
    datasets::{self, Dataset},
    filings, market,
};

use crate::{
    harness::{filled, finserve},
    published::{Published, before},
    publisher::{Asked, Conditional, Fault, Publisher},
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
    answers: Vec<String>,
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
        // Faults are repeated at once, and silence is noticed after a second.
        let quick = ["--retry-delay", "1", "--timeout", "1"];
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

    pub(crate) fn snapshot(&self) -> Snapshot {
        let catalogue = Catalogue::open(self.data.path().join("catalogue.db")).unwrap();
        catalogue.snapshot(today().try_into().unwrap()).unwrap()
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
        status.data.into_iter().find(|found| found.dataset == dataset).expect("a known dataset")
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
    let output = command.arg(&missing).args(place.publisher.flags()).output().unwrap();
    assert!(output.status.success() && output.stdout.starts_with(b"ipca: would bring "));
    assert!(!missing.exists());
}

#[test]
fn only_what_is_named_is_asked_for() {
    let place = Place::days_ago(0);
    let output = place.succeed(&["--only", "cdi"]);
    assert_eq!(output.lines().count(), 1, "{output}");
    let asked = place.publisher.asked();
    let of_cdi =
        |asked: &Asked| ["sgs.4389/", "sgs.12/"].iter().any(|part| asked.target.contains(part));
    assert!(!asked.is_empty() && asked.iter().all(of_cdi), "{asked:?}");

    let ran = place.sync(&["--only", "selic,dollar"]);
    assert_eq!(ran.code, Some(2));
    assert!(
        ran.errors.contains("\"dollar\" is not a dataset; known are series, selic"),
        "{}",
        ran.errors
    );
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

#[test]
fn one_failure_stops_no_other_publisher() {
    let place = Place::days_ago(0);
    place.publisher.break_down("/cvm/", Fault::Status(500));
    place.publisher.break_down("/olinda/", Fault::Page);
    let ran = place.sync(&[]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.errors.contains("datasets could not be brought up to date; the rest was done"));
    let line = |name: &str| {
        let start = format!("{name}: ");
        ran.output.lines().find(|line| line.starts_with(&start)).unwrap_or_default().to_owned()
    };
    assert!(line("selic").contains(" new"), "{}", ran.output);
    assert!(line("companies").contains("failed: registry of companies: "), "{}", ran.output);
    assert!(line("companies").contains(": the server answered 500"), "{}", ran.output);
    assert!(line("filings").contains("failed: "), "{}", ran.output);
    assert!(line("fx").contains(" new"), "{}", line("fx"));
    assert!(line("fx").contains("failed: Olinda, "), "{}", line("fx"));
    assert_eq!(place.went("selic").error, None);
    assert!(place.went("fx").error.unwrap().contains("HTML"));
    // A server that always fails is soon asked once for each file.
    let to_cvm =
        place.publisher.asked().iter().filter(|asked| asked.target.starts_with("/cvm/")).count();
    assert!(to_cvm <= 25, "{to_cvm}");
    place.publisher.recover();
    place.succeed(&[]);
    place.assert_complete(today());
}

#[test]
fn a_file_of_the_running_year_may_be_missing_for_a_while() {
    let place = Place::days_ago(0);
    place.succeed(&["--only", "filings"]);
    let before = place.seen();
    let file = |year: i32| format!("/ipe_cia_aberta_{year}.zip");
    place.publisher.break_down(&file(chrono::Datelike::year(&today())), Fault::Status(404));
    let output = place.succeed(&["--only", "filings"]);
    assert_eq!((&*output, place.seen()), ("filings: nothing new\n", before));
}

#[test]
fn an_answer_without_rows_is_no_failure() {
    let place = Place::days_ago(0);
    let nothing = |only: &str, target: &str, body: &str| {
        place.publisher.break_down(target, Fault::Instead(body.as_bytes().to_vec()));
        assert_eq!(place.succeed(&["--only", only]), format!("{only}: nothing new\n"));
        place.publisher.recover();
        assert_eq!(place.went(only).error, None);
    };
    nothing("selic", "sgs.432/", "[]");
    // The server plays the 404 of days without values by itself: it has no TR at all.
    nothing("tr", "sgs.432/", "");
    place.succeed(&["--only", "fx"]);
    nothing("fx", "CotacaoMoedaPeriodo", r#"{"@odata.context":"x","value":[]}"#);
}

#[test]
fn a_server_in_trouble_is_asked_again() {
    let place = Place::days_ago(0);
    for fault in [Fault::Status(500), Fault::Status(504), Fault::Limited("1"), Fault::Cut] {
        place.publisher.break_down_for("bcdata.sgs.432", fault, 1);
    }
    place.publisher.break_down("bcdata.sgs.432", Fault::Compressed);
    place.succeed(&["--only", "selic"]);
    let statuses: Vec<u16> = place.publisher.asked().iter().map(|asked| asked.status).collect();
    assert_eq!(statuses, [500, 504, 429, 200, 200]);

    // A time that is longer than there is.
    place.publisher.break_down("bcdata.sgs.433", Fault::Limited("3600"));
    let ran = place.sync(&["--only", "ipca", "--budget", "60"]);
    assert_eq!(ran.code, Some(1));
    assert!(
        ran.output.contains("SGS took the 60 seconds that --budget gives it"),
        "{}",
        ran.output
    );
    assert!(ran.output.contains("429 (too many requests)"), "{}", ran.output);
    assert_eq!(place.publisher.asked().len(), 1);
}

#[test]
fn a_silent_server_is_given_up() {
    let place = Place::days_ago(0);
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", silent.local_addr().unwrap());
    let mut command =
        finserve(&["sync", "--only", "ipca", "--timeout", "1", "--sgs-url", &address, "--data"]);
    let output = command.arg(place.data.path()).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let output = String::from_utf8(output.stdout).unwrap();
    assert!(output.starts_with("ipca: failed: SGS 433: 127.0.0.1:"), "{output}");
    assert!(output.ends_with(": the server did not answer in time (2 tries)\n"), "{output}");
}

#[test]
fn some_failures_do_not_keep_a_publisher_from_being_asked() {
    let place = Place::days_ago(0);
    for series in [432, 4389, 12, 433] {
        place.publisher.break_down(&format!("bcdata.sgs.{series}/"), Fault::Status(503));
    }
    let ran = place.sync(&["--only", "selic,cdi,ipca,igp-m"]);
    assert_eq!(ran.code, Some(1));
    let last = ran.output.lines().last().unwrap();
    assert!(last.starts_with("igp-m: ") && last.ends_with(" new"), "{}", ran.output);
}

#[test]
fn a_bulletin_that_failed_is_asked_for_until_it_comes() {
    let place = Place::days_ago(0);
    let bulletins = |ran: &Ran| {
        let catalogue = Catalogue::open(place.data.path().join("catalogue.db")).unwrap();
        let snapshot = catalogue.snapshot(fincore::Date::MAX).unwrap();
        (ran.code, market::days_with_currencies(&snapshot, 100).unwrap().len())
    };
    // Over a month ago, so that it is not asked for anyway.
    place.publisher.break_down("fechamento/20261006", Fault::Status(500));
    let first = bulletins(&place.sync(&["--only", "fx", "--since", "2026-10-01"]));
    place.publisher.recover();
    let second = bulletins(&place.sync(&["--only", "fx"]));
    assert_eq!((first.0, second), (Some(1), (Some(0), first.1 + 1)));
}

#[test]
fn the_list_of_currencies_may_not_be_something_else() {
    let place = Place::days_ago(0);
    place.publisher.break_down("Moedas", Fault::Page);
    let ran = place.sync(&["--only", "fx"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.output.contains("list of currencies"), "{}", ran.output);
    assert!(place.went("fx").error.unwrap().contains("list of currencies"));
}

#[test]
fn data_from_elsewhere_is_asked_for_again() {
    let place = Place::days_ago(0);
    place.succeed(&["--only", "filings"]);
    let before = place.seen();
    // Another program changes what was downloaded, and a rebuild removes what cannot be read.
    let file = place.data.path().join("catalogue.db");
    let damage = "UPDATE filing SET version = -1 WHERE key = (SELECT MAX(key) FROM filing)";
    assert_eq!(rusqlite::Connection::open(file).unwrap().execute(damage, []).unwrap(), 1);
    let rebuilt = finserve(&["rebuild", "--data"]).arg(place.data.path()).output().unwrap();
    assert!(rebuilt.status.success(), "{rebuilt:?}");
    assert_ne!(place.seen().answers[3], before.answers[3]);
    place.succeed(&["--only", "filings"]);
    assert_eq!(place.seen().answers[3], before.answers[3]);
}

#[test]
fn two_never_run_at_once() {
    let place = Place::days_ago(0);
    let lock = File::create(place.data.path().join("sync.lock")).unwrap();
    lock.lock().unwrap();
    let errors = place.data.path().join("errors.txt");
    let file = File::create(&errors).unwrap();
    let mut waiting =
        place.command(&["--only", "selic"]).stdout(Stdio::null()).stderr(file).spawn().unwrap();
    wait_until(&mut waiting, || said(&errors).contains("another sync of this data is running"));
    assert!(place.publisher.asked().is_empty());
    drop(lock);
    assert!(waiting.wait().unwrap().success());
    assert_eq!(said(&errors).lines().count(), 1);
}

#[test]
fn waits_for_an_import_to_end() {
    let place = Place::days_ago(0);
    let catalogue = Catalogue::open(place.data.path().join("catalogue.db")).unwrap();
    let import = fincore::Import::begin(&catalogue, Utc::now()).unwrap();
    let mut waiting = place.command(&["--only", "selic"]).stdout(Stdio::null()).spawn().unwrap();
    wait_until(&mut waiting, || !place.publisher.asked().is_empty());
    assert!(waiting.try_wait().unwrap().is_none());
    drop(import);
    assert!(waiting.wait().unwrap().success());
}

fn said(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

/// Waits until something has happened, which must be before the program ends.
fn wait_until(child: &mut Child, happened: impl Fn() -> bool) {
    while !happened() {
        assert!(child.try_wait().unwrap().is_none(), "it has ended");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
}
