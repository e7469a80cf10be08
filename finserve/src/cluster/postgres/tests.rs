//! Against a real PostgreSQL, where `FINSERVE_TEST_POSTGRES` has its address. Each test has a database of its own.
use std::sync::{
    Mutex,
    atomic::{AtomicBool, AtomicUsize},
};

use fincore::{
    Accounts, Catalogue, Date, Plan,
    chrono::DateTime,
    keys::{self, Registration},
    usage::{Outcome, Usage, UsageQuery},
};
use fincore_testing::accounts::{self as conformance, Trial};

use super::*;

/// An empty database; `None` where there is no PostgreSQL to try.
fn database() -> Option<String> {
    static MADE: AtomicUsize = AtomicUsize::new(0);
    let address = std::env::var("FINSERVE_TEST_POSTGRES").ok()?;
    let number = MADE.fetch_add(1, Ordering::Relaxed);
    let name = format!("finserve_test_{}_{number}", std::process::id());
    let postgres = Postgres::open(&address).unwrap();
    let sql = Box::leak(format!("CREATE DATABASE {name}").into_boxed_str());
    postgres.with(LOOK, None, |session| session.run(sql)).unwrap();
    let (server, query) = address.split_once('?').unwrap_or((&address, ""));
    let (server, _) = server.rsplit_once('/').unwrap();
    Some(format!("{server}/{name}?{query}"))
}

fn accounts(address: &str) -> Accounts {
    Accounts::with_store(Box::new(Postgres::open(address).unwrap())).unwrap()
}

fn issue(accounts: &Accounts) -> fincore::Key {
    let who =
        Registration { name: "Ana".parse().unwrap(), email: "ana@example.com".parse().unwrap() };
    keys::issue(accounts, &who, Plan::Gold, DateTime::UNIX_EPOCH).unwrap()
}

#[test]
fn does_what_accounts_must_do() {
    let Some(address) = database() else { return };
    let dir = tempfile::tempdir().unwrap();
    let catalogue = Catalogue::open(dir.path().join("catalogue.db")).unwrap();
    let (one, other) = (accounts(&address), accounts(&address));
    conformance::check(&Trial { one: &one, other: &other, catalogue: &catalogue });
    conformance::check_copy(&one, &accounts(&database().unwrap()));
    let file = Accounts::open(dir.path().join("accounts.db")).unwrap();
    conformance::check_copy(&one, &file);
    conformance::check_copy(&file, &accounts(&database().unwrap()));
    one.backup(&dir.path().join("backup.db")).unwrap();
    let kept = Accounts::open(dir.path().join("backup.db")).unwrap();
    assert!(!one.copy_to(&kept).unwrap().is_new);
}

/// Writes, and says that it has not.
#[derive(Debug)]
struct LosesAnswers(Postgres, AtomicBool);

impl Store for LosesAnswers {
    fn read(&self, wait: Duration, work: Work<'_>) -> Result<()> {
        self.0.read(wait, work)
    }

    fn read_at_once(&self, wait: Duration, work: Work<'_>) -> Result<()> {
        self.0.read_at_once(wait, work)
    }

    fn write(&self, wait: Duration, work: Work<'_>) -> Result<()> {
        self.0.write(wait, work)
    }

    fn write_batch(&self, wait: Duration, batch: &Batch, work: Work<'_>) -> Result<()> {
        self.0.write_batch(wait, batch, work)?;
        if self.1.swap(false, Ordering::Relaxed) { Err(errors::late_error()) } else { Ok(()) }
    }

    fn verify(&self) -> Result<()> {
        self.0.verify()
    }

    fn quick_check(&self) -> Result<Vec<String>> {
        self.0.quick_check()
    }

    fn check(&self) -> Result<Checkup> {
        self.0.check()
    }
}

#[test]
fn a_batch_whose_answer_was_lost_counts_once() {
    let Some(address) = database() else { return };
    let store = LosesAnswers(Postgres::open(&address).unwrap(), AtomicBool::new(true));
    let accounts = Accounts::with_store(Box::new(store)).unwrap();
    let key = keys::id(&accounts, &issue(&accounts).prefix()).unwrap();
    let (usage, today): (_, Date) = (Usage::default(), "2026-11-16".parse().unwrap());
    let requests = |usage: &Usage| {
        usage.report(&accounts, key, &UsageQuery::default(), today).unwrap().total.requests
    };
    usage.count(key, today, "/a", Outcome::Success);
    assert!(usage.flush(&accounts).is_err());
    assert_eq!((requests(&usage), requests(&Usage::default())), (1, 1));
    usage.count(key, today, "/a", Outcome::Success);
    assert_eq!((requests(&usage), requests(&Usage::default())), (2, 1));
    usage.flush(&accounts).unwrap();
    assert_eq!((requests(&usage), requests(&Usage::default())), (2, 2));
}

#[test]
fn a_change_is_heard_at_once() {
    let Some(address) = database() else { return };
    let (here, there) = (Postgres::open(&address).unwrap(), accounts(&address));
    let (sender, heard) = mpsc::channel();
    let sender = Mutex::new(sender);
    here.listen(move || {
        let _ = sender.lock().unwrap().send(());
    });
    heard.recv_timeout(Duration::from_secs(30)).expect("it listens");
    let key = issue(&there);
    heard.recv_timeout(Duration::from_secs(30)).expect("a new key");
    keys::revoke(&there, &key.prefix(), DateTime::UNIX_EPOCH).unwrap();
    heard.recv_timeout(Duration::from_secs(30)).expect("a revoked key");
}

#[test]
fn one_leads_until_its_connection_ends() {
    use crate::coordination::directory_lock::ExclusiveTask;
    let Some(address) = database() else { return };
    let (one, other) = (Postgres::open(&address).unwrap(), Postgres::open(&address).unwrap());
    let mut leader = one.election(ExclusiveTask::Webhooks)().expect("no server leads");
    assert!(leader.holds() && other.election(ExclusiveTask::Webhooks)().is_none());
    assert!(other.election(ExclusiveTask::Sync)().is_some());
    drop(leader);
    let election = other.election(ExclusiveTask::Webhooks);
    let since = Instant::now();
    while election().is_none() {
        assert!(since.elapsed() < Duration::from_secs(60), "the lock is free");
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn what_is_not_there_is_away_and_newer_tables_are_refused() {
    let Err(OpenError::Away(gone)) = Postgres::open("postgres://ana:secret@127.0.0.1:1/none")
    else {
        panic!("no server is there");
    };
    assert!(gone.contains("refused") && !gone.contains("secret"), "{gone}");
    let Some(address) = database() else { return };
    let postgres = Postgres::open(&address).unwrap();
    let newer = "INSERT INTO migration (number, made) VALUES (99, now())";
    postgres.with(LOOK, None, |session| session.run(newer)).unwrap();
    let Err(OpenError::Refused(said)) = Postgres::open(&address) else { panic!("it is newer") };
    assert!(said.contains("newer version"), "{said}");
    let wrong = address.replace("//", "//nobody-");
    let Err(OpenError::Refused(said)) = Postgres::open(&wrong) else {
        panic!("there is no such role")
    };
    assert!(said.contains("refuses the login"), "{said}");
}

#[test]
fn a_large_batch_is_written_in_time_and_that_of_a_key_that_is_gone_holds_up_no_other() {
    let Some(address) = database() else { return };
    let accounts = accounts(&address);
    let [gone, key] = [(), ()].map(|()| keys::id(&accounts, &issue(&accounts).prefix()).unwrap());
    let (usage, today): (_, Date) = (Usage::default(), "2026-11-16".parse().unwrap());
    for number in 0..30_000 {
        usage.count(key, today, format!("/{number}"), Outcome::Success);
    }
    usage.count(gone, today, "/a", Outcome::Success);
    let postgres = Postgres::open(&address).unwrap();
    postgres.with(LOOK, None, |session| session.run("DELETE FROM key WHERE id = 1")).unwrap();
    usage.flush(&accounts).unwrap();
    assert_eq!((usage.unwritten_requests(), usage.lost_requests()), (0, 1));
    let report = Usage::default().report(&accounts, key, &UsageQuery::default(), today).unwrap();
    assert_eq!(report.total.requests, 30_000);
}

#[test]
fn who_waits_for_a_lock_is_not_taken_for_away() {
    let Some(address) = database() else { return };
    let (here, there) = (accounts(&address), Postgres::open(&address).unwrap());
    let held = there.with(LOOK, Some((BEGIN, ROLLBACK)), |_| {
        let who = Registration { name: "Ana".parse()?, email: "ana@example.com".parse()? };
        let refused = keys::issue(&here, &who, Plan::Free, DateTime::UNIX_EPOCH);
        assert!(matches!(refused, Err(Error::Busy(_))), "{refused:?}");
        assert!(keys::list(&here)?.is_empty());
        Ok(())
    });
    held.unwrap();
    here.verify().unwrap();
    issue(&here);
}
