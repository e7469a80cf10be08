//! Usage adds up, even with failures, restarts and threads in between.
use std::{
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

use chrono::DateTime;

use super::*;
use crate::{
    accounts::{
        keys::{self, Registration},
        links,
    },
    values::Plan,
};

const SELIC: &str = "/api/v1/market/selic";
const FX: &str = "/api/v1/market/fx";

fn accounts() -> (tempfile::TempDir, Accounts) {
    let dir = tempfile::tempdir().unwrap();
    let accounts = Accounts::open(dir.path().join("accounts.db")).unwrap();
    (dir, accounts)
}

fn new_key(accounts: &Accounts) -> KeyId {
    let who =
        Registration { name: "Ana".parse().unwrap(), email: "ana@example.com".parse().unwrap() };
    let key = keys::issue(accounts, &who, Plan::Gold, DateTime::UNIX_EPOCH).unwrap();
    keys::authenticate(accounts, &key).unwrap().key.unwrap()
}

fn day(text: &str) -> Date {
    text.parse().unwrap()
}

#[test]
fn reports_by_day_and_endpoint_what_is_written_and_what_is_not() {
    let (_dir, accounts) = accounts();
    let (key, other) = (new_key(&accounts), new_key(&accounts));
    let (usage, today) = (Usage::default(), day("2026-11-14"));
    usage.count(key, day("2026-10-15"), SELIC, Outcome::Success);
    usage.count(key, day("2026-10-16"), SELIC, Outcome::Success);
    usage.count(key, today, SELIC, Outcome::Success);
    usage.flush(&accounts).unwrap();
    usage.count(key, today, SELIC, Outcome::Failure);
    usage.count(key, today, FX, Outcome::RateLimited);
    usage.count(other, today, FX, Outcome::Success);
    usage.count(other, today, format!("{FX}/{}", "pairs"), Outcome::Success);

    let report = usage.report(&accounts, key, &UsageQuery::default(), today).unwrap();
    let json = serde_json::to_value(&report).unwrap();
    let prefix = report.key.clone();
    let wanted = serde_json::json!({
        "key": prefix, "plan": "gold", "rate_limit": 500,
        "from": "2026-10-16", "to": "2026-11-14",
        "total": { "requests": 3, "errors": 1, "rate_limited": 1 },
        "data": [
            { "date": "2026-11-14", "requests": 2, "errors": 1, "rate_limited": 1,
              "endpoints": { "/api/v1/market/selic": 2 } },
            { "date": "2026-10-16", "requests": 1, "errors": 0, "rate_limited": 0,
              "endpoints": { "/api/v1/market/selic": 1 } },
        ],
    });
    assert_eq!(json, wanted);
    assert_eq!((prefix.chars().count(), &prefix[..4], prefix.ends_with('…')), (13, "fin_", true));

    let report = usage.report(&accounts, other, &UsageQuery::default(), today).unwrap();
    let endpoints = [(FX.to_owned(), 1), (format!("{FX}/pairs"), 1)];
    assert_eq!(report.data[0].endpoints, BTreeMap::from(endpoints));
}

#[test]
fn covers_the_days_asked_for() {
    let (_dir, accounts) = accounts();
    let (key, usage, today) = (new_key(&accounts), Usage::default(), day("2026-11-14"));
    let cases = [
        (None, None, "2026-10-16", "2026-11-14"),
        (Some("2026-11-01"), None, "2026-11-01", "2026-11-14"),
        (None, Some("2026-01-31"), "2026-01-02", "2026-01-31"),
        (Some("2020-01-01"), Some("2030-01-01"), "2020-01-01", "2030-01-01"),
    ];
    for (from, to, first, last) in cases {
        let query = UsageQuery { from: from.map(day), to: to.map(day) };
        let report = usage.report(&accounts, key, &query, today).unwrap();
        assert_eq!((report.from, report.to), (day(first), day(last)));
    }
    let backwards = UsageQuery { from: Some(today), to: Some(day("2026-11-13")) };
    assert!(usage.report(&accounts, key, &backwards, today).is_err());
}

#[test]
fn a_million_requests_of_64_threads_add_up_while_being_written() {
    let (_dir, accounts) = accounts();
    let keys: Vec<KeyId> = (0..8).map(|_| new_key(&accounts)).collect();
    let (usage, today, done) = (Usage::default(), day("2026-11-14"), AtomicBool::new(false));
    thread::scope(|scope| {
        let threads: Vec<_> = (0..64)
            .map(|n| {
                let (usage, key) = (&usage, keys[n % 8]);
                scope.spawn(move || {
                    for request in 0..15_625 {
                        let ended = match request % 5 {
                            0 => Outcome::Failure,
                            1 => Outcome::RateLimited,
                            _ => Outcome::Success,
                        };
                        usage.count(key, today, if request % 2 == 0 { SELIC } else { FX }, ended);
                    }
                })
            })
            .collect();
        let watch = scope.spawn(|| {
            let mut before = 0;
            while !done.load(Ordering::Relaxed) {
                usage.flush(&accounts).unwrap();
                let query = UsageQuery::default();
                let total = usage.report(&accounts, keys[0], &query, today).unwrap().total;
                let seen = total.requests + total.rate_limited;
                assert!(seen >= before, "{seen} after {before}");
                before = seen;
            }
        });
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        done.store(true, Ordering::Relaxed);
        watch.join().unwrap();
    });
    usage.flush(&accounts).unwrap();
    // Another program sees all of it in the file.
    for key in keys {
        let query = UsageQuery::default();
        let report = Usage::default().report(&accounts, key, &query, today).unwrap();
        let total = Counts { requests: 100_000, errors: 25_000, rate_limited: 25_000, by_links: 0 };
        assert_eq!(report.total, total);
        assert_eq!(report.data[0].endpoints.values().sum::<u64>(), 100_000);
    }
}

#[test]
fn what_cannot_be_written_is_kept_and_written_once_later() {
    let (_dir, accounts) = accounts();
    let (key, usage, today) = (new_key(&accounts), Usage::default(), day("2026-11-14"));
    let block = |sql: &'static str| accounts.write(|tx| tx.execute(sql, &[])).unwrap();
    block("CREATE UNIQUE INDEX one_a_day ON usage (date)");
    usage.count(key, today, SELIC, Outcome::Success);
    usage.count(key, today, FX, Outcome::Success);
    assert!(usage.flush(&accounts).is_err());
    usage.count(key, today, FX, Outcome::Success);
    let requests = |usage: &Usage| {
        usage.report(&accounts, key, &UsageQuery::default(), today).unwrap().total.requests
    };
    assert_eq!(requests(&usage), 3);

    block("DROP INDEX one_a_day");
    usage.flush(&accounts).unwrap();
    usage.flush(&accounts).unwrap();
    assert_eq!((requests(&usage), requests(&Usage::default())), (3, 3));
}

#[test]
fn more_than_a_batch_is_written_and_what_waits_is_bounded() {
    let (_dir, accounts) = accounts();
    let (key, usage, today) = (new_key(&accounts), Usage::default(), day("2026-11-14"));
    let requests = |usage: &Usage| {
        usage.report(&accounts, key, &UsageQuery::default(), today).unwrap().total.requests
    };
    for number in 0..2 * BATCH + 1 {
        usage.count(key, today, format!("/{number}"), Outcome::Success);
    }
    usage.flush(&accounts).unwrap();
    assert_eq!(
        (usage.unwritten_requests(), requests(&Usage::default())),
        (0, 2 * BATCH as u64 + 1)
    );
    assert_eq!(usage.slots.load(Ordering::Relaxed), 0);
    // Every key has few endpoints, so that many keys are needed to reach the limit.
    for number in 0..u32::try_from(MOST_SLOTS).unwrap() {
        usage.count(KeyId::new(1000 + number), today, SELIC, Outcome::Success);
    }
    usage.count(key, today, SELIC, Outcome::RateLimited);
    assert_eq!((usage.lost_requests(), usage.unwritten_requests()), (1, MOST_SLOTS as u64));
}

#[test]
fn the_use_of_a_link_is_written_without_a_count() {
    let (_dir, accounts) = accounts();
    let (key, usage, now) = (new_key(&accounts), Usage::default(), DateTime::UNIX_EPOCH);
    let new = links::NewLink { name: "Budget".parse().unwrap(), path: None };
    let (_, token) = links::create(&accounts, key, &new, now).unwrap();
    let last_used = || links::list(&accounts, key).unwrap()[0].last_used;
    // The count was taken by a flush before the use was noted.
    usage.link_uses.note(token.hash(), now);
    usage.flush(&accounts).unwrap();
    assert_eq!(last_used(), Some(now));
    // The only count is of a key that is gone, so that the first attempt fails.
    let later = now + chrono::TimeDelta::minutes(1);
    usage.count(KeyId::new(1000), day("2026-11-14"), SELIC, Outcome::Success);
    usage.link_uses.note(token.hash(), later);
    usage.flush(&accounts).unwrap();
    assert_eq!((usage.lost_requests(), last_used()), (1, Some(later)));
}

#[test]
fn the_use_of_a_link_outlives_a_flush_that_fails() {
    let (_dir, accounts) = accounts();
    let (key, usage, now) = (new_key(&accounts), Usage::default(), DateTime::UNIX_EPOCH);
    let new = links::NewLink { name: "Budget".parse().unwrap(), path: None };
    let (_, token) = links::create(&accounts, key, &new, now).unwrap();
    let block = |sql: &'static str| accounts.write(|tx| tx.execute(sql, &[])).unwrap();
    let (today, minute) = (day("2026-11-14"), chrono::TimeDelta::minutes(1));
    let use_link = |time| {
        usage.count_by_link(key, token.hash(), today, time, SELIC, Outcome::Success);
    };
    block("CREATE UNIQUE INDEX one_a_day ON usage (date)");
    usage.count(key, today, FX, Outcome::Success);
    use_link(now);
    assert!(usage.flush(&accounts).is_err());
    use_link(now + minute);
    assert!(usage.flush(&accounts).is_err());
    block("DROP INDEX one_a_day");
    usage.flush(&accounts).unwrap();
    assert_eq!(links::list(&accounts, key).unwrap()[0].last_used, Some(now + minute));
}

#[test]
fn a_month_that_is_summed_keeps_all_but_its_days() {
    let (_dir, accounts) = accounts();
    let (key, usage) = (new_key(&accounts), Usage::default());
    let link = crate::values::link::LinkToken::generate().unwrap().hash();
    usage.count(key, day("2025-01-02"), SELIC, Outcome::Success);
    usage.count(key, day("2025-01-02"), SELIC, Outcome::Failure);
    usage.count(key, day("2025-01-31"), FX, Outcome::RateLimited);
    usage.count_by_link(key, link, day("2025-01-31"), DateTime::UNIX_EPOCH, FX, Outcome::Success);
    usage.flush(&accounts).unwrap();
    let report = |from, to| {
        let query = UsageQuery { from: Some(day(from)), to: Some(day(to)) };
        usage.report(&accounts, key, &query, day("2026-11-14")).unwrap()
    };
    let before = report("2025-01-01", "2025-01-31");
    sum_by_month(&accounts, day("2025-02-01"), &UsagePosition::default()).unwrap();
    let after = report("2025-01-01", "2025-01-31");
    assert_eq!(after.total, before.total);
    let [month] = &*after.data else { panic!("{after:?}") };
    assert_eq!((month.date, month.counts), (day("2025-01-01"), before.total));
    assert_eq!(month.endpoints, BTreeMap::from([(SELIC.to_owned(), 2), (FX.to_owned(), 1)]));
    // The days are gone: the first one stands for the month, and the others have none.
    assert_eq!(report("2025-01-01", "2025-01-01").total, before.total);
    assert_eq!(report("2025-01-02", "2025-01-31").total, Counts::default());
}
