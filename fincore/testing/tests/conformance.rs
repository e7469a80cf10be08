//! Accounts in a file, and limits in memory.
use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};

use fincore::{Accounts, Catalogue, limits::Limits, plans::WINDOW};
use fincore_testing::{accounts, limits};

#[test]
fn a_file_does_what_accounts_must_do() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    let catalogue = Catalogue::open(path("catalogue.db")).unwrap();
    let open = |name: &str| Accounts::open(path(name)).unwrap();
    let (one, other) = (open("accounts.db"), open("accounts.db"));
    accounts::check(&accounts::Trial { one: &one, other: &other, catalogue: &catalogue });
    accounts::check_copy(&one, &open("copy.db"));
}

#[test]
fn memory_does_what_limits_must_do() {
    let start = Instant::now();
    let passed = AtomicU64::new(0);
    limits::check(&limits::Trial {
        limits: &Limits::new(WINDOW, start),
        window: WINDOW,
        now: &|| start + Duration::from_millis(passed.load(Ordering::Relaxed)),
        wait: &|time| {
            let millis = u64::try_from(time.as_millis()).unwrap();
            passed.fetch_add(millis, Ordering::Relaxed);
        },
        first_key: 1,
    });
}
