//! Delivery by a clock that tests set, to a receiver on a real socket.
#[path = "../../../tests/receiver.rs"]
#[allow(dead_code, clippy::unwrap_used, reason = "other tests use the rest")]
mod receiver;

use std::sync::atomic::{AtomicI64, Ordering};

use fincore::{
    Accounts, Catalogue, Import, Key, KeyId, Plan,
    chrono::{DateTime, TimeDelta, Utc},
    keys::{self, Registration},
    webhooks::{self, DeliveriesQuery, Delivery, NewWebhook, SignatureHeaders, WebhookId},
};

use self::receiver::{Answer, Receiver};
use super::*;

const START: &str = "2026-11-15T12:00:00Z";

/// Accounts and data for one test, and a clock that stands still until the test sets it.
struct Setup {
    _dir: tempfile::TempDir,
    accounts: Accounts,
    catalogue: Catalogue,
    key: Key,
    passed: Arc<AtomicI64>,
}

impl Setup {
    fn new() -> Setup {
        let dir = tempfile::tempdir().unwrap();
        let accounts = Accounts::open(dir.path().join("accounts.db")).unwrap();
        let catalogue = Catalogue::open(dir.path().join("catalogue.db")).unwrap();
        let key = issue(&accounts);
        Setup { _dir: dir, accounts, catalogue, key, passed: Arc::default() }
    }

    fn rounds(&self, targets: Targets) -> Rounds<'_> {
        self.rounds_of(EventWindow::ALL, targets)
    }

    fn rounds_of(&self, window: EventWindow, targets: Targets) -> Rounds<'_> {
        let passed = self.passed.clone();
        let clock = move || start() + TimeDelta::seconds(passed.load(Ordering::Relaxed));
        let client = Client::new(targets).unwrap();
        let wake = Arc::new(Signal::default());
        Rounds::new(&self.accounts, (&self.catalogue, window), client, Arc::new(clock), wake)
    }

    fn now(&self) -> DateTime<Utc> {
        start() + TimeDelta::seconds(self.passed.load(Ordering::Relaxed))
    }

    fn wait(&self, seconds: i64) {
        self.passed.fetch_add(seconds, Ordering::Relaxed);
    }

    fn owner(&self) -> KeyId {
        keys::id(&self.accounts, &self.key.prefix()).unwrap()
    }

    fn another_key(&self) -> KeyId {
        keys::id(&self.accounts, &issue(&self.accounts).prefix()).unwrap()
    }

    fn last_key(&self) -> KeyId {
        let newest = keys::list(&self.accounts).unwrap().pop().unwrap();
        keys::id(&self.accounts, &newest.prefix).unwrap()
    }

    /// Subscribes to all rates, and gives back the id and the secret.
    fn subscribe(&self, url: String) -> (WebhookId, webhooks::Secret) {
        self.subscribe_for(self.owner(), url)
    }

    fn subscribe_for(&self, owner: KeyId, url: String) -> (WebhookId, webhooks::Secret) {
        let events = vec!["rate.published".to_owned()];
        let wanted = NewWebhook { url, events, company: None, category: None, series: None };
        let snapshot = self.catalogue.snapshot("2026-11-15".parse().unwrap()).unwrap();
        let now = self.now();
        let created =
            webhooks::create(&self.accounts, &snapshot, owner, wanted, Targets::Any, now).unwrap();
        (created.0.id, created.1)
    }

    /// Publishes a rate for each of so many days.
    fn publish(&self, days: u32) {
        let row = |day| format!(r#"{{"data":"{day:02}/09/2026","valor":"1.5"}}"#);
        let rows: Vec<String> = (1..=days).map(row).collect();
        self.import("99999", &format!("[{}]", rows.join(",")));
    }

    /// Imports figures of a series of the central bank.
    fn import(&self, series: &str, json: &str) {
        let mut import = Import::begin(&self.catalogue, self.now()).unwrap();
        import.file(&format!("bcdata.sgs.{series}.json"), json.as_bytes()).unwrap();
        import.commit().unwrap();
    }

    fn newest(&self, id: &WebhookId) -> Delivery {
        let query = DeliveriesQuery {
            id: id.clone(),
            limit: Default::default(),
            offset: Default::default(),
        };
        webhooks::list_deliveries(&self.accounts, self.owner(), &query).unwrap().data.remove(0)
    }
}

fn issue(accounts: &Accounts) -> Key {
    let (name, email) = ("Ana".parse().unwrap(), "ana@example.com".parse().unwrap());
    keys::issue(accounts, &Registration { name, email }, Plan::Platinum, start()).unwrap()
}

fn start() -> DateTime<Utc> {
    START.parse().unwrap()
}

/// Runs rounds until nothing is due at this time.
fn settle(rounds: &mut Rounds<'_>) {
    loop {
        let pace = rounds.round().unwrap();
        rounds.finish(Duration::from_secs(60)).unwrap();
        if pace == Pace::Rest {
            return;
        }
    }
}

#[test]
fn a_receiver_that_is_down_for_an_hour_is_called_on_schedule() {
    let (setup, receiver) = (Setup::new(), Receiver::start(&[]));
    let (id, secret) = setup.subscribe(receiver.url("/"));
    setup.publish(1);
    let mut rounds = setup.rounds(Targets::Any);
    receiver.answer_all(Answer::Status(503));
    // Three hours in steps of ten seconds; the receiver is down for the first.
    for step in 0..1080 {
        if step == 360 {
            receiver.answer_all(Answer::Status(204));
        }
        settle(&mut rounds);
        setup.wait(10);
    }
    let calls = receiver.received();
    let times: Vec<i64> = calls
        .iter()
        .map(|call| call.header("webhook-timestamp").parse::<i64>().unwrap() - start().timestamp())
        .collect();
    assert_eq!(times.len(), 5, "{times:?}");
    for (pair, wanted) in times.windows(2).zip([5, 300, 1800, 7200]) {
        // A tenth of jitter, and a step of the clock.
        let (pause, least, most) = (pair[1] - pair[0], wanted * 9 / 10, wanted * 11 / 10 + 20);
        assert!((least..=most).contains(&pause), "{pause} s instead of {wanted}: {times:?}");
    }
    for (call, seconds) in calls.iter().zip(&times) {
        assert_eq!((call.id(), &call.body), (calls[0].id(), &calls[0].body));
        let (timestamp, signature) =
            (call.header("webhook-timestamp"), call.header("webhook-signature"));
        let headers = SignatureHeaders { id: call.id(), timestamp, signature };
        let now = start() + TimeDelta::seconds(*seconds);
        webhooks::verify(&secret, &headers, &call.body, now).unwrap();
    }
    let delivery = setup.newest(&id);
    assert_eq!((delivery.status, delivery.attempts), ("delivered", 5));
}

#[test]
fn a_host_gets_one_call_at_a_time_and_a_few_once_it_answers() {
    let setup = Setup::new();
    let (silent, quick) = (Receiver::start(&[]), Receiver::start(&[Answer::Status(200)]));
    silent.answer_all(Answer::Silence);
    quick.answer_all(Answer::Silence);
    for path in ["/a", "/b", "/c"] {
        setup.subscribe(silent.url(path));
        setup.subscribe(quick.url(path));
    }
    let other = Receiver::start(&[]);
    setup.subscribe(other.url("/"));
    setup.publish(9);
    let mut rounds = setup.rounds(Targets::Any);
    while other.received().len() < 9 || quick.received().len() < 5 {
        rounds.round().unwrap();
        thread::sleep(Duration::from_millis(5));
    }
    // The other host gets all of its calls meanwhile. The test does not wait as long as a call may take.
    assert_eq!((silent.wait_for(1).len(), quick.wait_for(5).len()), (1, 5));
}

#[test]
fn hosts_that_do_not_answer_delay_no_other_host() {
    let (setup, good) = (Setup::new(), Receiver::start(&[]));
    setup.subscribe(good.url("/"));
    let mut rounds = setup.rounds(Targets::Any);
    setup.publish(1);
    settle(&mut rounds);
    // More of them than there may be calls, of two keys, as one has ten webhooks at most.
    let silent: Vec<Receiver> = (0..40).map(|_| Receiver::start(&[])).collect();
    for (number, receiver) in silent.iter().enumerate() {
        receiver.answer_all(Answer::Silence);
        let key = if number % 9 == 0 { setup.another_key() } else { setup.last_key() };
        setup.subscribe_for(key, receiver.url("/"));
    }
    setup.publish(20);
    while good.received().len() < 20 {
        rounds.round().unwrap();
        thread::sleep(Duration::from_millis(5));
    }
    let called = silent.iter().filter(|receiver| !receiver.received().is_empty()).count();
    assert!(called <= 32, "{called} hosts that do not answer have calls");
}

#[test]
fn a_silent_receiver_delays_only_the_calls_of_its_owner() {
    let (setup, receiver) = (Setup::new(), Receiver::start(&[]));
    receiver.answer_all(Answer::Silence);
    for number in 0..10 {
        setup.subscribe(receiver.url(&format!("/silent/{number}")));
    }
    let mut rounds = setup.rounds(Targets::Any);
    setup.publish(3);
    rounds.round().unwrap();
    receiver.wait_for(1);
    setup.subscribe_for(setup.another_key(), receiver.url("/other"));
    let is_called =
        |path: &str| receiver.received().iter().filter(|call| call.path.starts_with(path)).count();
    setup.publish(4);
    let published = Instant::now();
    while is_called("/other") == 0 {
        rounds.round().unwrap();
        thread::sleep(Duration::from_millis(5));
        assert!(published.elapsed() < Duration::from_secs(10), "the other key is not called");
    }
    assert!(published.elapsed() < Duration::from_secs(1), "{:?}", published.elapsed());
    assert_eq!(is_called("/silent"), 1, "one call at a time of a key to a host that is silent");
}

#[test]
fn an_outcome_that_cannot_be_recorded_is_set_aside_and_the_others_are_recorded() {
    let (setup, receiver, other) = (Setup::new(), Receiver::start(&[]), Receiver::start(&[]));
    let (damaged, _) = setup.subscribe(receiver.url("/damaged"));
    let (sound, _) = setup.subscribe(other.url("/sound"));
    setup.publish(1);
    let mut rounds = setup.rounds(Targets::Any);
    rounds.round().unwrap();
    receiver.wait_for(1);
    other.wait_for(1);
    let file = rusqlite::Connection::open(setup.accounts.path().unwrap()).unwrap();
    let damage = "UPDATE delivery SET attempts = -1
        WHERE webhook = (SELECT number FROM webhook WHERE url LIKE '%/damaged')";
    assert_eq!(file.execute(damage, []).unwrap(), 1);
    rounds.finish(Duration::from_secs(60)).unwrap();
    assert_eq!(setup.newest(&sound).status, "delivered");
    file.execute("UPDATE delivery SET attempts = 0 WHERE attempts = -1", []).unwrap();
    let aside = setup.newest(&damaged);
    let error = "the outcome of the last call could not be recorded";
    assert_eq!((aside.status, aside.error.as_deref()), ("failed", Some(error)));
    settle(&mut rounds);
    assert_eq!(receiver.received().len(), 1, "it is not called again");
    // Its owner may still ask for it.
    webhooks::replay(&setup.accounts, setup.owner(), &damaged, aside.id, setup.now()).unwrap();
    settle(&mut rounds);
    assert_eq!(setup.newest(&damaged).status, "delivered");
}

#[test]
fn another_catalogue_is_read_by_its_own_log_even_at_the_same_version() {
    let (setup, receiver) = (Setup::new(), Receiver::start(&[]));
    let other = Setup::new();
    setup.subscribe(receiver.url("/"));
    let today = "2026-11-15".parse().unwrap();
    let known = other.catalogue.snapshot(today).unwrap();
    webhooks::enqueue_events(&setup.accounts, &known, EventWindow::ALL, setup.now()).unwrap();
    setup.publish(1);
    let mut rounds = setup.rounds(Targets::Any);
    settle(&mut rounds);
    assert_eq!(receiver.received().len(), 1);
    other.publish(2);
    setup.catalogue.switch_to(&other.catalogue);
    settle(&mut rounds);
    assert_eq!(receiver.received().len(), 3, "the news of the other catalogue");
}

#[test]
fn what_was_published_long_ago_is_silent() {
    let (setup, receiver) = (Setup::new(), Receiver::start(&[]));
    setup.subscribe(receiver.url("/"));
    let mut rounds = setup.rounds_of(EventWindow::days(30), Targets::Any);
    // Nine days of September are no events in November, with a window of a month.
    setup.publish(9);
    settle(&mut rounds);
    assert!(receiver.received().is_empty(), "{:?}", receiver.received());
    setup.import(
        "432",
        "[{\"data\":\"02/01/2010\",\"valor\":\"8.75\"},{\"data\":\"13/11/2026\",\"valor\":\"15\"}]",
    );
    settle(&mut rounds);
    let received = receiver.received();
    assert_eq!(received.len(), 1);
    assert!(received[0].text().contains("2026-11-13"), "{}", received[0].text());
}

#[test]
fn an_address_that_is_not_public_is_refused_when_it_is_connected_to() {
    let (setup, receiver) = (Setup::new(), Receiver::start(&[]));
    let port = receiver.address.rsplit(':').next().unwrap();
    for host in ["localhost", "127.0.0.1", "[::1]"] {
        let (id, _) = setup.subscribe(format!("https://{host}:{port}/"));
        webhooks::send_test(&setup.accounts, setup.owner(), &id, setup.now()).unwrap();
        settle(&mut setup.rounds(Targets::Public));
        let error = setup.newest(&id).error.unwrap();
        assert_eq!(error, "the host does not lead to a public address", "{host}");
    }
    assert!(receiver.received().is_empty());
}

#[test]
fn an_address_that_was_allowed_once_is_checked_before_each_call() {
    let (setup, receiver) = (Setup::new(), Receiver::start(&[]));
    let called = |id: &WebhookId, targets: Targets| {
        webhooks::send_test(&setup.accounts, setup.owner(), id, setup.now()).unwrap();
        settle(&mut setup.rounds(targets));
        setup.newest(id).error
    };
    let (id, _) = setup.subscribe("https://8.8.8.8:22/".into());
    let error = called(&id, Targets::Public).unwrap();
    assert!(error.starts_with("webhooks do not call port 22;"), "{error}");

    let (id, _) = setup.subscribe(receiver.url("/hook"));
    assert_eq!(called(&id, Targets::Any), None);
    assert_eq!(receiver.received().len(), 1);
    let secret = format!("{}?k={}", receiver.url("/hook"), setup.key.reveal().replace('_', "%5f"));
    let database = rusqlite::Connection::open(setup.accounts.path().unwrap()).unwrap();
    let stored =
        database.execute("UPDATE webhook SET url = ?1 WHERE id = ?2", (&secret, id.to_string()));
    assert_eq!(stored.unwrap(), 1);
    let error = called(&id, Targets::Any).unwrap();
    assert!(error.contains("its receiver would learn it"), "{error}");
    assert_eq!(receiver.received().len(), 1, "it is not called");
    let shown = webhooks::find(&setup.accounts, setup.owner(), &id).unwrap().url;
    assert!(shown.contains("/hook?k=fin%5f") && shown.ends_with('…'), "{shown}");
}

#[test]
fn the_webhooks_of_a_revoked_key_end() {
    let (setup, receiver) = (Setup::new(), Receiver::start(&[]));
    setup.subscribe(receiver.url("/"));
    let mut rounds = setup.rounds(Targets::Any);
    settle(&mut rounds);
    assert_eq!(webhooks::list_all(&setup.accounts).unwrap().len(), 1);
    keys::revoke(&setup.accounts, &setup.key.prefix(), setup.now()).unwrap();
    setup.publish(1);
    setup.wait(61);
    settle(&mut rounds);
    assert!(webhooks::list_all(&setup.accounts).unwrap().is_empty());
    assert!(receiver.received().is_empty());
}
