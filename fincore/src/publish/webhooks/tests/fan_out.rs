//! None is lost and none is invented between the change log and the outbox.
use std::{collections::BTreeSet, fs};

use proptest::prelude::*;

use super::*;
use crate::{
    accounts::keys,
    publish::events::{self, EventsQuery},
    values::Limit,
};

/// The ids of all events that the log has.
fn published_events(catalogue: &Catalogue) -> BTreeSet<String> {
    let query = EventsQuery { limit: Limit::MAX, ..EventsQuery::default() };
    let events = events::list(&snapshot(catalogue), EventWindow::ALL, query).unwrap();
    assert!(!events.more);
    events.data.into_iter().map(|event| event.id.to_string()).collect()
}

/// The ids of all events that wait for a webhook, an hour later at the latest.
fn outbox(world: &World, webhook: &WebhookId) -> Vec<String> {
    world
        .due(webhook, noon() + chrono::TimeDelta::hours(1))
        .into_iter()
        .map(|call| call.event)
        .collect()
}

#[test]
fn what_was_published_long_ago_is_counted_and_not_enqueued() {
    let world = World::new();
    let webhook = world.subscribe(&ALL);
    let rows: Vec<_> = (1..=7).map(|id| (id, 4170, "Ata", "")).collect();
    world.import(filings(&rows));
    world.import(selic(14, "15.00"));
    let window = EventWindow::default();
    let enqueue =
        || enqueue_events(&world.accounts, &snapshot(&world.catalogue), window, noon()).unwrap();
    // The filings are of February, and noon is in November.
    assert_eq!(enqueue(), Enqueued { deliveries: 1, more: false, left_out: 7 });
    assert_eq!(enqueue(), Enqueued::default(), "each is counted once");
    assert!(world.due(&webhook, noon())[0].body.contains("2026-11-14"));
    assert_eq!(published_events(&world.catalogue).len(), 8 + 2, "the change log has them all");
}

#[test]
fn tells_what_comes_after_the_subscription_once() {
    let world = World::new();
    assert_eq!(world.enqueue(), 0);
    world.import(selic(3, "13.75"));
    let early = world.subscribe(&ALL);
    world.import(selic(4, "13.75"));
    let late = world.subscribe(&ALL);
    world.import(selic(5, "13.750"));
    assert_eq!((world.enqueue(), world.enqueue()), (3, 0));
    let calls = world.due(&early, noon());
    assert_eq!(
        calls[1].body,
        r#"{"type":"rate.published","timestamp":"2026-11-15T15:00:00Z","data":{"series":"selic","number":432,"date":"2026-11-05","value":13.750,"unit":"percent per year","change":"added"}}"#
    );
    assert_eq!((calls.len(), outbox(&world, &late).len()), (2, 1));
    assert_eq!(calls[1].event, outbox(&world, &late)[0]);
    assert_eq!((world.count("event"), world.count("delivery")), (2, 3));
}

#[test]
fn a_subscription_before_the_first_look_at_the_log_misses_nothing() {
    let world = World::new();
    world.subscribe(&ALL);
    world.import(selic(5, "13.75"));
    assert_eq!(world.enqueue(), 1);
}

#[test]
fn filters_apply_to_events_that_have_such_a_thing() {
    let world = World::new();
    let subscribe = |edit: fn(&mut NewWebhook)| {
        let mut wanted = webhook_for(&ALL);
        edit(&mut wanted);
        world.create(wanted).unwrap().0.id
    };
    let cases = [
        (subscribe(|_| ()), 8),
        (subscribe(|wanted| wanted.company = Some("PETR4".into())), 5),
        (subscribe(|wanted| wanted.category = Some("FATO relevánte".into())), 6),
        (subscribe(|wanted| wanted.series = Some("selic".into())), 7),
        (subscribe(|wanted| wanted.events = vec!["fx.published".into()]), 1),
        (subscribe(|wanted| wanted.events = vec!["company.created".into()]), 0),
        (subscribe(|wanted| wanted.events = vec!["webhook.test".into()]), 0),
    ];
    let [registry, _] = companies("VALE ON S.A.");
    let rows = [
        (1, 9512, "Fato Relevante", ""),
        (2, 9512, "Assembleia", ""),
        (3, 4170, "Assembleia", ""),
        (4, 4170, "Fato Relevante", ""),
    ];
    let quote = [("04/09/2026", "5.10")];
    import(
        &world.catalogue,
        &[
            registry,
            filings(&rows),
            selic(5, "13.75"),
            rates(433, &[("01/08/2026", "0.1")]),
            rates(1, &quote),
            rates(10813, &quote),
        ],
    );
    assert_eq!(world.enqueue(), cases.iter().map(|(_, wanted)| wanted).sum::<u64>());
    for (webhook, wanted) in cases {
        let found = outbox(&world, &webhook);
        assert_eq!(found.len() as u64, wanted, "{found:?}");
    }
}

#[test]
fn a_step_is_bounded_and_goes_on_where_it_ended() {
    let world = World::new();
    let many: Vec<_> = (0..10).map(|_| world.subscribe(&ALL)).collect();
    let rows: Vec<_> = (1..=450).map(|id| (id, 4170, "Fato Relevante", "")).collect();
    world.import(filings(&rows));
    let (mut steps, mut deliveries) = (0, 0);
    loop {
        let enqueued =
            enqueue_events(&world.accounts, &snapshot(&world.catalogue), EventWindow::ALL, noon())
                .unwrap();
        assert!(enqueued.deliveries <= 2000);
        (steps, deliveries) = (steps + 1, deliveries + enqueued.deliveries);
        if !enqueued.more {
            break;
        }
    }
    assert_eq!((steps, deliveries), (3, 4500));
    let want = published_events(&world.catalogue);
    for webhook in many {
        let found = outbox(&world, &webhook);
        assert_eq!(found.len(), 450);
        assert!(found.iter().all(|event| want.contains(event)));
    }
}

#[test]
fn several_programs_tell_each_change_once() {
    let world = World::new();
    let webhook = world.subscribe(&ALL);
    let path = world.accounts.path().unwrap();
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                let accounts = Accounts::open(path).unwrap();
                // Each looks until the last of the filings has been enqueued.
                while count(&accounts) < 300 {
                    enqueue_all(&accounts, &world.catalogue);
                }
            });
        }
        scope.spawn(|| {
            for step in 0..10 {
                let rows: Vec<_> = (1..=30).map(|id| (step * 30 + id, 4170, "Ata", "")).collect();
                world.import(filings(&rows));
            }
        });
    });
    assert_eq!(world.enqueue(), 0);
    let found = outbox(&world, &webhook);
    assert_eq!((found.len(), world.count("event")), (300, 300));
    let filings = published_events(&world.catalogue);
    assert!(found.iter().all(|event| filings.contains(event)));
}

fn count(accounts: &Accounts) -> i64 {
    const SQL: &str = "SELECT COUNT(*) FROM delivery";
    accounts.read(|session| session.number(SQL, &[])).unwrap()
}

#[test]
fn another_catalogue_and_an_older_copy_are_no_news() {
    let world = World::new();
    let webhook = world.subscribe(&ALL);
    let copy = world.dir.path().join("copy.db");
    let file = rusqlite::Connection::open(world.catalogue.path()).unwrap();
    file.execute("VACUUM INTO ?1", [copy.to_str().unwrap()]).unwrap();
    world.import(selic(4, "13.75"));
    world.import(selic(5, "13.75"));
    let late = world.subscribe(&ALL);
    assert_eq!(world.enqueue(), 2);
    // The older copy of the file goes on its own way. It is believed after a minute, and nothing is lost meanwhile.
    let older = Catalogue::open(&copy).unwrap();
    let look = |catalogue: &Catalogue, seconds| {
        let now = noon() + chrono::TimeDelta::seconds(seconds);
        enqueue_events(&world.accounts, &snapshot(catalogue), EventWindow::ALL, now).unwrap()
    };
    assert_eq!(look(&older, 0), Enqueued::default());
    import(&older, &[selic(6, "13.75")]);
    assert_eq!(look(&older, 59), Enqueued::default());
    assert_eq!(look(&older, 60), Enqueued { more: true, ..Enqueued::default() });
    assert_eq!(look(&older, 60), Enqueued { deliveries: 2, ..Enqueued::default() });
    assert_eq!((outbox(&world, &webhook).len(), outbox(&world, &late).len()), (3, 1));
    // Another catalogue has versions of its own.
    let (_dir, other) = temporary();
    import(&other, &[selic(7, "13.75")]);
    assert_eq!(enqueue_all(&world.accounts, &other), 0);
    import(&other, &[selic(8, "13.75")]);
    assert_eq!(enqueue_all(&world.accounts, &other), 2);
    drop(file);
    fs::remove_file(copy).unwrap();
}

#[test]
fn a_program_that_looks_late_is_not_taken_for_an_older_copy() {
    let world = World::new();
    world.subscribe(&ALL);
    let slow = snapshot(&world.catalogue);
    world.import(selic(4, "13.75"));
    assert_eq!(world.enqueue(), 1);
    let late = world.subscribe(&ALL);
    for seconds in [0, 30, 90] {
        let now = noon() + chrono::TimeDelta::seconds(seconds);
        assert_eq!(
            enqueue_events(&world.accounts, &slow, EventWindow::ALL, now).unwrap(),
            Enqueued::default()
        );
        assert_eq!(world.enqueue(), 0);
    }
    world.import(selic(5, "13.75"));
    assert_eq!((world.enqueue(), outbox(&world, &late).len()), (2, 1));
}

#[test]
fn what_the_log_has_forgotten_is_skipped() {
    let world = World::new();
    let webhook = world.subscribe(&ALL);
    world.import(selic(4, "13.75"));
    let mut late =
        crate::import::Import::begin(&world.catalogue, noon() + chrono::TimeDelta::days(100))
            .unwrap();
    let (name, text) = selic(5, "13.75");
    late.file(&name, text.as_bytes()).unwrap();
    late.commit().unwrap();
    assert_eq!(world.enqueue(), 1);
    assert!(world.due(&webhook, noon())[0].body.contains("2026-11-05"));
}

#[test]
fn a_key_without_the_plan_gets_nothing_and_a_revoked_one_loses_its_subscriptions() {
    let world = World::new();
    let webhook = world.subscribe(&ALL);
    let waiting = || due_webhooks(&world.accounts, noon()).unwrap().len();
    world.import(selic(3, "13.75"));
    assert_eq!((world.enqueue(), waiting()), (1, 1));
    keys::set_plan(&world.accounts, &world.prefix, Plan::Gold).unwrap();
    world.import(selic(4, "13.75"));
    assert_eq!((world.enqueue(), waiting(), world.due(&webhook, noon()).len()), (0, 0, 0));
    // Pending deliveries are sent; events published meanwhile are not.
    keys::set_plan(&world.accounts, &world.prefix, Plan::Platinum).unwrap();
    world.import(selic(5, "13.75"));
    assert_eq!((world.enqueue(), waiting(), world.due(&webhook, noon()).len()), (1, 1, 2));
    keys::revoke(&world.accounts, &world.prefix, noon()).unwrap();
    world.import(selic(6, "13.75"));
    assert_eq!((world.enqueue(), waiting(), world.due(&webhook, noon()).len()), (0, 0, 0));
    assert!(list_all(&world.accounts).unwrap().is_empty());
    while sweep(&world.accounts, noon()).unwrap() {}
    let left = ["webhook", "delivery", "ended"].map(|table| world.count(table));
    assert_eq!(left, [0, 0, 0]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    /// In any order of imports and subscriptions, each subscription gets exactly the events after it.
    #[test]
    fn any_order_of_imports_subscriptions_and_looks_tells_all(steps in proptest::collection::vec(0u8..4, 1..25)) {
        let world = World::new();
        let mut subscribed: Vec<(WebhookId, BTreeSet<String>)> = Vec::new();
        for (number, step) in (1..).zip(steps) {
            match step {
                0 if subscribed.len() < 10 => {
                    subscribed.push((world.subscribe(&ALL), published_events(&world.catalogue)));
                }
                1 => { enqueue_events(&world.accounts, &snapshot(&world.catalogue), EventWindow::ALL, noon()).unwrap(); }
                2 => world.import(filings(&[(number, 4170, "Ata", ""), (number + 500, 4170, "Ata", "")])),
                _ => world.import(selic(5, &format!("13.{number}"))),
            }
        }
        world.enqueue();
        let published = published_events(&world.catalogue);
        for (webhook, before) in subscribed {
            let found = outbox(&world, &webhook);
            let set: BTreeSet<String> = found.iter().cloned().collect();
            prop_assert_eq!(set.len(), found.len());
            let want: BTreeSet<String> = published.difference(&before).cloned().collect();
            prop_assert_eq!(set, want);
        }
    }
}
