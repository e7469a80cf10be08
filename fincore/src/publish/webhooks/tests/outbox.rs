//! Calls over simulated time.
use chrono::TimeDelta;

use super::*;

/// A world with one webhook that has this number of calls due.
fn waiting_for(calls: u32) -> (World, WebhookId) {
    let world = World::new();
    let webhook = world.subscribe(&ALL);
    let rows: Vec<_> = (1..=calls).map(|id| (id, 4170, "Ata", "")).collect();
    world.import(filings(&rows));
    assert_eq!(world.enqueue(), u64::from(calls));
    (world, webhook)
}

fn after(seconds: i64) -> DateTime<Utc> {
    noon() + TimeDelta::seconds(seconds)
}

#[test]
fn a_call_is_signed_for_its_receiver() {
    let world = World::new();
    let (webhook, secret) = world.create(webhook_for(&ALL)).unwrap();
    let tested = send_test(&world.accounts, world.key, &webhook.id, noon()).unwrap();
    assert_eq!((tested.status, &*tested.kind, tested.attempts), ("pending", "webhook.test", 0));
    let call = &world.due(&webhook.id, noon())[0];
    let body = format!(
        r#"{{"type":"webhook.test","timestamp":"2026-11-15T15:00:00Z","data":{{"webhook":"{}"}}}}"#,
        webhook.id
    );
    assert_eq!((&call.body, &call.event, call.delivery), (&body, &tested.event, tested.id));
    let [(_, id), (_, timestamp), (name, signature)] = call.headers(noon());
    let headers = SignatureHeaders { id: &id, timestamp: &timestamp, signature: &signature };
    assert_eq!((&id, name), (&call.event, "webhook-signature"));
    verify(&secret, &headers, call.body.as_bytes(), noon()).unwrap();
    assert!(verify(&Secret::generate().unwrap(), &headers, call.body.as_bytes(), noon()).is_err());
    assert_eq!(due_webhooks(&world.accounts, noon()).unwrap()[0].host, "example.com:443");
    assert!(!format!("{call:?}").contains(&secret.reveal()["whsec_".len()..]));
}

#[test]
fn ten_attempts_come_on_schedule_under_one_id() {
    let (world, webhook) = waiting_for(1);
    let delays = [0, 5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];
    let (mut seconds, mut events) = (0, Vec::new());
    for (attempt, delay) in (1..).zip(delays) {
        if delay > 0 {
            assert!(world.due(&webhook, after(seconds + delay - 1)).is_empty(), "{attempt}");
            assert!(due_webhooks(&world.accounts, after(seconds + delay - 1)).unwrap().is_empty());
        }
        seconds += delay;
        let call = world.due(&webhook, after(seconds)).remove(0);
        world.record(&call, Err("the connection was refused"), after(seconds));
        events.push(call.event);
        assert_eq!(world.deliveries(&webhook)[0].attempts, attempt);
    }
    events.dedup();
    assert_eq!(events.len(), 1);
    let [failed] = &world.deliveries(&webhook)[..] else { panic!("one delivery") };
    assert_eq!((failed.status, failed.next_attempt_at), ("failed", None));
    assert_eq!(failed.error.as_deref(), Some("the connection was refused"));
    assert!(world.due(&webhook, after(10_000_000)).is_empty());
    assert_eq!(find(&world.accounts, world.key, &webhook).unwrap().failing_since, Some(noon()));
}

#[test]
fn all_arrive_after_an_hour_of_downtime() {
    let (world, webhook) = waiting_for(40);
    let mut arrived = std::collections::BTreeMap::new();
    let mut failures = 0;
    for seconds in (0..4 * 3600).step_by(5) {
        for call in
            due_calls(&world.accounts, &webhook, after(seconds), 7, &Default::default()).unwrap()
        {
            let answer = if seconds < 3600 { Ok(503) } else { Ok(200) };
            failures += i32::from(seconds < 3600);
            world.record(&call, answer, after(seconds));
            if seconds >= 3600 {
                *arrived.entry(call.event).or_insert(0) += 1;
            }
        }
    }
    assert_eq!((arrived.len(), arrived.values().sum::<i32>()), (40, 40));
    // At once, after 5 s, 5 min and 30 min; the next attempt came two hours later.
    assert_eq!(failures, 40 * 4);
    let found = find(&world.accounts, world.key, &webhook).unwrap();
    assert_eq!((found.status, found.failing_since), ("active", None));
    assert!(
        world
            .deliveries(&webhook)
            .iter()
            .all(|one| one.status == "delivered" && one.error.is_none())
    );
}

#[test]
fn five_days_of_failures_disable_a_webhook() {
    const DAY: i64 = 86_400;
    let (world, webhook) = waiting_for(3);
    let fail = |seconds| {
        for call in world.due(&webhook, after(seconds)) {
            world.record(&call, Ok(500), after(seconds));
        }
    };
    let state = || find(&world.accounts, world.key, &webhook).unwrap();
    for hour in 0..5 * 24 {
        if hour == 70 {
            // Something is always waiting for another attempt.
            world.import(filings(&[(99, 4170, "Ata", "")]));
            assert_eq!(world.enqueue(), 1);
        }
        fail(hour * 3600);
    }
    assert_eq!((state().status, state().failing_since), ("active", Some(noon())));
    let rows: Vec<_> = (100..1400).map(|id| (id, 4170, "Ata", "")).collect();
    world.import(filings(&rows));
    assert_eq!(world.enqueue(), 1300);
    let first = world.due(&webhook, after(5 * DAY)).remove(0);
    world.record(&first, Ok(500), after(5 * DAY));
    assert_eq!((state().status, state().disabled_at), ("disabled", Some(after(5 * DAY))));
    let reason =
        "every call failed since 2026-11-15 15:00 UTC, for five days; the last one: HTTP 500";
    assert_eq!(state().reason.as_deref(), Some(reason));
    // Never called again, whatever waits: also before that is written down.
    let all_failed = |reason| {
        let all = world.deliveries(&webhook);
        let said = [Some(reason), Some("HTTP 500")];
        all.iter().all(|one| one.status == "failed" && said.contains(&one.error.as_deref()))
    };
    assert!(world.due(&webhook, after(9 * DAY)).is_empty() && all_failed(reason));
    assert!(due_webhooks(&world.accounts, after(9 * DAY)).unwrap().is_empty());
    assert!(sweep(&world.accounts, after(5 * DAY)).unwrap());
    assert!(!sweep(&world.accounts, after(5 * DAY)).unwrap());
    assert!(all_failed(reason));
    assert_eq!(world.count("delivery WHERE due IS NOT NULL"), 0);
    world.import(selic(5, "13.75"));
    assert_eq!(world.enqueue(), 0);
    // A call that was under way may still have arrived.
    world.record(&first, Ok(200), after(5 * DAY + 9));
    assert_eq!(world.count("delivery WHERE delivered IS NOT NULL"), 1);
    for refused in [
        send_test(&world.accounts, world.key, &webhook, noon()),
        replay(&world.accounts, world.key, &webhook, first.delivery, noon()),
    ] {
        let message = refused.unwrap_err().to_string();
        assert!(message.contains("is disabled (every call failed since"), "{message}");
    }
}

#[test]
fn a_success_makes_failures_forgotten() {
    let (world, webhook) = waiting_for(2);
    let calls = world.due(&webhook, noon());
    world.record(&calls[0], Ok(301), noon());
    let error = world.deliveries(&webhook).pop().unwrap();
    assert_eq!(error.error.as_deref(), Some("HTTP 301: redirects are not followed"));
    assert_eq!((error.response_status, error.status), (Some(301), "pending"));
    assert_eq!(error.next_attempt_at, Some(after(5)));
    world.record(&calls[1], Ok(204), after(1));
    assert_eq!(find(&world.accounts, world.key, &webhook).unwrap().failing_since, None);
    let again = world.due(&webhook, after(6 * 86_400)).remove(0);
    world.record(&again, Err("time-out"), after(6 * 86_400));
    assert_eq!(find(&world.accounts, world.key, &webhook).unwrap().status, "active");
    let last = world.deliveries(&webhook).pop().unwrap();
    assert_eq!((last.response_status, last.error.as_deref()), (None, Some("time-out")));
}

#[test]
fn gone_ends_the_subscription() {
    let (world, webhook) = waiting_for(1200);
    let calls = world.due(&webhook, noon());
    world.record(&calls[0], Ok(410), noon());
    assert!(find(&world.accounts, world.key, &webhook).is_err());
    assert!(world.due(&webhook, noon()).is_empty());
    // The outcome of a call in progress is ignored.
    world.record(&calls[1], Ok(200), noon());
    world.record(&calls[2], Err("x"), noon());
    assert!(sweep(&world.accounts, noon()).unwrap());
    assert_eq!(world.count("delivery"), 200);
    assert!(!sweep(&world.accounts, noon()).unwrap());
    assert_eq!((world.count("delivery"), world.count("ended"), world.count("event")), (0, 0, 1200));
    // Another one does not inherit anything.
    let next = world.subscribe(&ALL);
    assert!(world.deliveries(&next).is_empty());
}

#[test]
fn what_is_under_way_is_not_due_and_a_limit_holds() {
    let (world, webhook) = waiting_for(5);
    let all = world.due(&webhook, noon());
    let under_way = [all[0].delivery, all[2].delivery].into_iter().collect();
    let due = |limit| due_calls(&world.accounts, &webhook, noon(), limit, &under_way).unwrap();
    let ids = |calls: Vec<Call>| calls.into_iter().map(|call| call.delivery).collect::<Vec<_>>();
    assert_eq!(ids(due(2)), [all[1].delivery, all[3].delivery]);
    assert_eq!(ids(due(9)), [all[1].delivery, all[3].delivery, all[4].delivery]);
}

#[test]
fn a_delivery_is_made_anew_under_the_same_id() {
    let (world, webhook) = waiting_for(1);
    let call = world.due(&webhook, noon()).remove(0);
    world.record(&call, Ok(200), after(1));
    assert!(world.due(&webhook, after(2)).is_empty());
    let anew = replay(&world.accounts, world.key, &webhook, call.delivery, after(60)).unwrap();
    assert_eq!((anew.status, anew.attempts, anew.next_attempt_at), ("pending", 0, Some(after(60))));
    assert_eq!((&anew.event, anew.created_at), (&call.event, noon()));
    let again = world.due(&webhook, after(60)).remove(0);
    assert_eq!((&again.event, &again.body), (&call.event, &call.body));
    world.record(&again, Ok(500), after(61));
    assert_eq!(world.deliveries(&webhook)[0].next_attempt_at, Some(after(66)));
    let other = world.subscribe(&ALL);
    let unknown = replay(&world.accounts, world.key, &other, call.delivery, noon());
    assert!(matches!(unknown, Err(Error::NotFound { .. })));
}

#[test]
fn deliveries_are_kept_for_thirty_days_and_those_that_wait_for_longer() {
    const DAY: i64 = 86_400;
    let (world, webhook) = waiting_for(1500);
    let calls = world.due(&webhook, noon());
    for call in &calls[..1499] {
        world.record(call, Ok(200), noon());
    }
    assert!(!sweep(&world.accounts, after(30 * DAY)).unwrap());
    assert_eq!(world.count("delivery"), 1500);
    let mut steps = 0;
    while sweep(&world.accounts, after(30 * DAY + 1)).unwrap() {
        steps += 1;
    }
    assert_eq!((steps, world.count("delivery"), world.count("event")), (2, 1, 1));
    assert_eq!(world.due(&webhook, after(40 * DAY)).len(), 1);
}

#[test]
fn lists_the_newest_delivery_first() {
    let (world, webhook) = waiting_for(3);
    let query = DeliveriesQuery {
        limit: crate::values::page::Limit::new(1).unwrap(),
        offset: crate::values::page::Offset::new(1).unwrap(),
        ..DeliveriesQuery::new(webhook.clone())
    };
    let page = list_deliveries(&world.accounts, world.key, &query).unwrap();
    assert_eq!((page.total, page.limit, page.offset, page.data.len()), (3, 1, 1, 1));
    let all = world.deliveries(&webhook);
    assert_eq!(page.data[0].id, all[1].id);
    assert!(all.is_sorted_by(|newer, older| newer.id > older.id));
}

#[test]
fn a_replay_during_a_call_is_made_although_the_call_succeeds() {
    let (world, webhook) = waiting_for(1);
    let call = world.due(&webhook, noon()).remove(0);
    replay(&world.accounts, world.key, &webhook, call.delivery, after(3)).unwrap();
    world.record(&call, Ok(200), after(6));
    let again = world.due(&webhook, after(7)).remove(0);
    assert_eq!(again.event, call.event);
    world.record(&again, Ok(200), after(7));
    assert!(world.due(&webhook, after(8)).is_empty());
    assert_eq!(world.deliveries(&webhook)[0].status, "delivered");
}

#[test]
fn a_test_comes_before_what_waits() {
    let (world, webhook) = waiting_for(3);
    let tested = send_test(&world.accounts, world.key, &webhook, after(9)).unwrap();
    assert_eq!(tested.next_attempt_at, Some(after(9)));
    let calls = world.due(&webhook, after(9));
    assert_eq!((calls.len(), calls[0].delivery), (4, tested.id));
}

#[test]
fn the_first_failure_after_a_long_silence_disables_nothing() {
    let (world, webhook) = waiting_for(1);
    let mut seconds = 0;
    for delay in [0, 5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400] {
        seconds += delay;
        let call = world.due(&webhook, after(seconds)).remove(0);
        world.record(&call, Ok(500), after(seconds));
    }
    // All attempts have failed, and nothing waits any more. A month later there is other news.
    let month = 30 * 86_400;
    send_test(&world.accounts, world.key, &webhook, after(month)).unwrap();
    let call = world.due(&webhook, after(month)).remove(0);
    world.record(&call, Ok(503), after(month));
    let found = find(&world.accounts, world.key, &webhook).unwrap();
    assert_eq!((found.status, found.failing_since), ("active", Some(after(month))));
    let retried = world.due(&webhook, after(month + 6)).remove(0);
    world.record(&retried, Ok(200), after(month + 6));
    assert_eq!(find(&world.accounts, world.key, &webhook).unwrap().failing_since, None);
}
