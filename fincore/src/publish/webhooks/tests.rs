//! Subscriptions, and what the tests of the outbox share.
use std::thread;

use chrono::{DateTime, Utc};

use super::*;
use crate::{
    accounts::{Accounts, keys},
    publish::{
        EventWindow,
        events::tests::{File, companies, filings, import, rates, snapshot},
    },
    store::{
        Catalogue,
        catalogue::{noon, temporary},
    },
    values::{Error, KeyId, KeyPrefix, Plan},
};

pub(crate) mod fan_out;
pub(crate) mod outbox;

const ALL: [&str; 5] =
    ["rate.published", "fx.published", "company.created", "company.updated", "filing.published"];

/// A catalogue with two companies, and accounts with one key.
struct World {
    dir: tempfile::TempDir,
    catalogue: Catalogue,
    accounts: Accounts,
    key: KeyId,
    prefix: KeyPrefix,
}

impl World {
    fn new() -> World {
        let (dir, catalogue) = temporary();
        import(&catalogue, &companies("VALE S.A."));
        let accounts = Accounts::open(dir.path().join("accounts.db")).unwrap();
        let (key, prefix) = issue(&accounts);
        World { dir, catalogue, accounts, key, prefix }
    }

    fn create(&self, wanted: NewWebhook) -> crate::values::error::Result<(Webhook, Secret)> {
        let snapshot = snapshot(&self.catalogue);
        create(&self.accounts, &snapshot, self.key, wanted, Targets::Public, noon())
    }

    fn subscribe(&self, events: &[&str]) -> WebhookId {
        self.create(webhook_for(events)).unwrap().0.id
    }

    fn import(&self, file: File) {
        import(&self.catalogue, &[file]);
    }

    /// Tells all there is; returns how many deliveries that made.
    fn enqueue(&self) -> u64 {
        enqueue_all(&self.accounts, &self.catalogue)
    }

    fn due(&self, webhook: &WebhookId, now: DateTime<Utc>) -> Vec<Call> {
        due_calls(&self.accounts, webhook, now, 10_000, &Default::default()).unwrap()
    }

    fn record(&self, call: &Call, answer: Result<u16, &str>, time: DateTime<Utc>) {
        let answer = answer.map_err(str::to_owned);
        let (delivery, webhook) = (call.delivery, call.webhook.clone());
        let token = call.token;
        let outcome = CallOutcome { delivery, webhook, token, answer, time, jitter: 0.0 };
        record_outcomes(&self.accounts, &[outcome]).unwrap();
    }

    fn deliveries(&self, webhook: &WebhookId) -> Vec<Delivery> {
        list_deliveries(&self.accounts, self.key, &DeliveriesQuery::new(webhook.clone()))
            .unwrap()
            .data
    }

    fn count(&self, table: &str) -> i64 {
        let sql = format!("SELECT COUNT(*) FROM {table}").leak();
        self.accounts.read(|session| session.number(sql, &[])).unwrap()
    }
}

fn enqueue_all(accounts: &Accounts, catalogue: &Catalogue) -> u64 {
    let mut deliveries = 0;
    loop {
        let enqueued =
            enqueue_events(accounts, &snapshot(catalogue), EventWindow::ALL, noon()).unwrap();
        deliveries += enqueued.deliveries;
        if !enqueued.more {
            return deliveries;
        }
    }
}

fn issue(accounts: &Accounts) -> (KeyId, KeyPrefix) {
    let email = "ana@example.com".parse().unwrap();
    let who = keys::Registration { name: "Ana".parse().unwrap(), email };
    let prefix = keys::issue(accounts, &who, Plan::Platinum, noon()).unwrap().prefix();
    (keys::id(accounts, &prefix).unwrap(), prefix)
}

fn webhook_for(events: &[&str]) -> NewWebhook {
    NewWebhook::new("https://example.com/hook", events.iter().copied())
}

/// One figure of the Selic.
fn selic(day: u32, value: &str) -> File {
    rates(432, &[(&format!("{day:02}/11/2026"), value)])
}

#[test]
fn a_subscription_is_listed_until_it_ends() {
    let world = World::new();
    let (first, secret) = world.create(webhook_for(&["webhook.test", "fx.published"])).unwrap();
    let second = world.subscribe(&["filing.published"]);
    let json = serde_json::to_value(&first).unwrap();
    assert_eq!(json["events"], serde_json::json!(["webhook.test", "fx.published"]));
    assert_eq!(
        (first.status, first.created_at, &*first.url),
        ("active", noon(), "https://example.com/hook")
    );
    let hidden = format!("{first:?} {secret:?}");
    assert!(
        !hidden.contains(&secret.reveal()["whsec_".len()..]) && secret.reveal().len() == 6 + 32
    );
    let ids = || list(&world.accounts, world.key).unwrap().into_iter().map(|one| one.id);
    assert_eq!(ids().collect::<Vec<_>>(), [first.id.clone(), second.clone()]);
    assert_eq!(find(&world.accounts, world.key, &second).unwrap().id, second);

    let (other, _) = issue(&world.accounts);
    assert!(list(&world.accounts, other).unwrap().is_empty());
    for found in [
        find(&world.accounts, other, &first.id).map(drop),
        remove(&world.accounts, other, &first.id),
        send_test(&world.accounts, other, &first.id, noon()).map(drop),
        list_deliveries(&world.accounts, other, &DeliveriesQuery::new(first.id.clone())).map(drop),
    ] {
        assert!(matches!(found, Err(Error::NotFound { .. })), "{found:?}");
    }
    remove(&world.accounts, world.key, &first.id).unwrap();
    assert_eq!(ids().collect::<Vec<_>>(), [second]);
    assert!(remove(&world.accounts, world.key, &first.id).is_err());
}

#[test]
fn filters_are_resolved() {
    let world = World::new();
    world.import(filings(&[(7, 99_999, "Fato Relevante", "")]));
    world.import(rates(77_777, &[("05/11/2026", "1.0")]));
    let companies = ["9512", "009512", "33.000.167/0001-01", "PETR4", " petr4 "];
    for company in companies {
        let wanted =
            NewWebhook { company: Some(company.into()), ..webhook_for(&["company.updated"]) };
        let (webhook, _) = world.create(wanted).unwrap();
        assert_eq!(webhook.company.as_deref(), Some("9512"), "{company}");
        remove(&world.accounts, world.key, &webhook.id).unwrap();
    }
    for (series, dataset) in
        [("432", "selic"), ("SELIC", "selic"), ("igp_m", "igp-m"), ("77777", "77777")]
    {
        let wanted = NewWebhook {
            series: Some(series.into()),
            company: Some("99999".into()),
            category: Some("Fato RELEVANTE".into()),
            ..webhook_for(&ALL)
        };
        let (webhook, _) = world.create(wanted).unwrap();
        let filters = [webhook.series, webhook.company, webhook.category].map(Option::unwrap);
        assert_eq!(filters, [dataset, "99999", "Fato RELEVANTE"]);
        remove(&world.accounts, world.key, &webhook.id).unwrap();
    }
}

#[test]
fn a_subscription_that_makes_no_sense_is_refused() {
    let world = World::new();
    let text = |text: &str| Some(text.to_owned());
    let rate = || webhook_for(&["rate.published"]);
    let filing = || webhook_for(&["filing.published"]);
    let cases = [
        (webhook_for(&[]), "events is empty"),
        (
            webhook_for(&["rate.removed"]),
            "\"rate.removed\" is not a type of event (rate.published, selic.decided, fx",
        ),
        (webhook_for(&["fx.published", "fx.published"]), "events has fx.published twice"),
        (NewWebhook { url: "http://example.com/".into(), ..rate() }, "https://"),
        (NewWebhook { url: "https://10.0.0.1/".into(), ..rate() }, "is not a public address"),
        (NewWebhook { company: text("9512"), ..rate() }, "the filter company applies to none"),
        (NewWebhook { category: text("x"), ..rate() }, "the filter category applies to none"),
        (NewWebhook { series: text("432"), ..filing() }, "the filter series applies to none"),
        (
            NewWebhook { company: text("12345"), ..filing() },
            "\"12345\" is not a company that is known",
        ),
        (
            NewWebhook { company: text("XXXX3"), ..filing() },
            "\"XXXX3\" is not a company that is known",
        ),
        (NewWebhook { company: text("PETR4 PETR3"), ..filing() }, "is not a company that is known"),
        (NewWebhook { company: text(""), ..filing() }, "is not a company that is known"),
        (NewWebhook { category: text(""), ..filing() }, "is not a category"),
        (NewWebhook { category: text(&"x".repeat(101)), ..filing() }, "is not a category"),
        (NewWebhook { series: text("usd-sell"), ..rate() }, "subscribe to fx.published instead"),
        (NewWebhook { series: text("10813"), ..rate() }, "subscribe to fx.published instead"),
        (NewWebhook { series: text("555"), ..rate() }, "\"555\" is not a series that is known"),
        (NewWebhook { series: text("cpi"), ..rate() }, "\"cpi\" is not a series that is known"),
        (NewWebhook { series: text("-"), ..rate() }, "\"-\" is not a series"),
    ];
    for (wanted, message) in cases {
        let err = world.create(wanted).unwrap_err();
        assert!(matches!(err, Error::Invalid(_)) && err.to_string().contains(message), "{err}");
    }
    assert_eq!(world.count("webhook"), 0);
}

#[test]
fn a_key_has_at_most_ten_however_many_ask_at_once() {
    let world = World::new();
    let created: usize = thread::scope(|scope| {
        let many = (0..6).map(|_| {
            scope.spawn(|| (0..4).filter(|_| world.create(webhook_for(&ALL)).is_ok()).count())
        });
        let many: Vec<_> = many.collect();
        many.into_iter().map(|one| one.join().unwrap()).sum()
    });
    assert_eq!((created, world.count("webhook")), (10, 10));
    let message = world.create(webhook_for(&ALL)).unwrap_err().to_string();
    assert_eq!(message, "a key has at most 10 webhooks; delete one first");
    let first = &list(&world.accounts, world.key).unwrap()[0].id;
    remove(&world.accounts, world.key, first).unwrap();
    assert!(world.create(webhook_for(&ALL)).is_ok());
}

#[test]
fn the_operator_sees_and_disables_all() {
    let world = World::new();
    let (first, second) = (world.subscribe(&ALL), world.subscribe(&ALL));
    world.import(selic(5, "13.75"));
    assert_eq!(world.enqueue(), 2);
    let disabled = disable(&world.accounts, &first, "it attacks somebody", noon()).unwrap();
    assert_eq!((disabled.webhook.status, disabled.pending), ("disabled", 0));
    // The first reason stays.
    disable(&world.accounts, &first, "another one", noon()).unwrap();
    let all = list_all(&world.accounts).unwrap();
    let seen: Vec<_> = all.iter().map(|one| (&one.webhook.id, one.pending)).collect();
    assert_eq!(seen, [(&first, 0), (&second, 1)]);
    assert_eq!(all[0].webhook.reason.as_deref(), Some("it attacks somebody"));
    assert!(all[0].key.as_str() == world.prefix.as_str());
    let unknown = WebhookId::generate().unwrap();
    assert!(matches!(disable(&world.accounts, &unknown, "x", noon()), Err(Error::NotFound { .. })));
}
