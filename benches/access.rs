//! What limiting and counting cost a request, with 1,000 callers on 2 threads.
#![allow(missing_docs)]
use std::{
    hint::black_box,
    thread,
    time::{Duration, Instant},
};

use chrono::DateTime;
use criterion::{Criterion, criterion_group, criterion_main};
use fincore::{
    Accounts, Caller, Date, Key, Plan,
    keys::{self, Registration},
    limits::Limits,
    plans::WINDOW,
    usage::{Outcome, Usage},
};

const CALLERS: usize = 1000;
const THREADS: u64 = 2;
const ENDPOINT: &str = "/api/v1/market/selic";

fn access(c: &mut Criterion) {
    let dir = tempfile::tempdir().expect("a directory");
    let accounts = Accounts::open(dir.path().join("accounts.db")).expect("a new file");
    let who = Registration {
        name: "Ana".parse().expect("a name"),
        email: "ana@example.com".parse().expect("an address"),
    };
    let keys: Vec<Key> = (0..CALLERS)
        .map(|_| keys::issue(&accounts, &who, Plan::Platinum, DateTime::UNIX_EPOCH).expect("a key"))
        .collect();
    let callers: Vec<Caller> =
        keys.iter().map(|key| keys::authenticate(&accounts, key).expect("it is known")).collect();
    let today = Date::new(2026, 11, 14).expect("a day");

    c.bench_function("limit and count a request, 1000 callers, 2 threads", |b| {
        let start = Instant::now();
        let (limits, usage) = (Limits::new(WINDOW, start), Usage::default());
        let request = |n: u64| {
            let caller = callers[usize::try_from(n).unwrap_or_default() % CALLERS];
            // 30 requests a minute from each: all pass, and old ones are forgotten all the time.
            let now = start + Duration::from_millis(n * 2);
            let passed = limits.admit(&caller, now).is_ok();
            let outcome = if passed { Outcome::Success } else { Outcome::RateLimited };
            usage.count(caller.key.expect("it has a key"), today, ENDPOINT, outcome);
        };
        b.iter_custom(|requests| on_threads(requests, request));
    });

    c.bench_function("recognise a key, 1000 keys, 2 threads", |b| {
        b.iter_custom(|requests| {
            on_threads(requests, |n| {
                let text = keys[usize::try_from(n).unwrap_or_default() % CALLERS].reveal();
                let key: Key = black_box(text).parse().expect("it is a key");
                let _ = black_box(keys::authenticate(&accounts, &key));
            })
        });
    });
}

/// The time of `requests` requests a thread: what one costs while the other threads work as well.
fn on_threads(requests: u64, request: impl Fn(u64) + Sync) -> Duration {
    let started = Instant::now();
    thread::scope(|scope| {
        for thread in 0..THREADS {
            let request = &request;
            scope.spawn(move || (0..requests).for_each(|n| request(n * THREADS + thread)));
        }
    });
    started.elapsed()
}

criterion_group!(benches, access);
criterion_main!(benches);
