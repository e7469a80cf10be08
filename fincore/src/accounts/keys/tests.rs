//! The whole life of a key, also as another program sees it.
use std::{
    collections::HashSet,
    sync::{
        RwLock,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Instant,
};

use super::*;
use crate::{
    accounts::limits::Limits,
    values::{CallerId, plans::WINDOW},
};

fn accounts() -> (tempfile::TempDir, Accounts) {
    let dir = tempfile::tempdir().unwrap();
    let accounts = Accounts::open(dir.path().join("accounts.db")).unwrap();
    (dir, accounts)
}

fn ana() -> Registration {
    Registration { name: "Ana".parse().unwrap(), email: "ana@example.com".parse().unwrap() }
}

fn at(seconds: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(seconds, 0).unwrap()
}

fn plan_of(accounts: &Accounts, key: &Key) -> Option<Plan> {
    authenticate(accounts, key).ok().map(|holder| holder.plan)
}

#[test]
fn a_key_goes_through_its_life() {
    let (_dir, accounts) = accounts();
    let key = issue(&accounts, &ana(), Plan::Free, at(5)).unwrap();
    assert_eq!(plan_of(&accounts, &key), Some(Plan::Free));

    let record = set_plan(&accounts, &key.prefix(), Plan::Gold).unwrap();
    assert_eq!((record.plan, plan_of(&accounts, &key)), (Plan::Gold, Some(Plan::Gold)));

    let record = revoke(&accounts, &key.prefix(), at(9)).unwrap();
    assert_eq!((record.revoked, plan_of(&accounts, &key)), (Some(at(9)), None));
    assert_eq!(revoke(&accounts, &key.prefix(), at(10)).unwrap().revoked, Some(at(9)));
    assert!(set_plan(&accounts, &key.prefix(), Plan::Gold).is_err());
    assert_eq!(list(&accounts).unwrap(), [record]);
}

#[test]
fn a_key_is_exchanged_for_one_with_its_plan_and_usage() {
    let (_dir, accounts) = accounts();
    let old = issue(&accounts, &ana(), Plan::Gold, at(5)).unwrap();
    let id = id(&accounts, &old.prefix()).unwrap();
    let token = crate::accounts::sessions::begin(&accounts, &old, at(6)).unwrap();
    let (usage, today) = (crate::accounts::usage::Usage::default(), "2026-11-17".parse().unwrap());
    usage.count(id, today, "/a", crate::accounts::usage::Outcome::Success);
    usage.flush(&accounts).unwrap();

    let new = rotate(&accounts, id, at(7)).unwrap();
    assert_eq!([&old, &new].map(|key| plan_of(&accounts, key)), [None, Some(Plan::Gold)]);
    assert!(crate::accounts::sessions::find(&accounts, &token, at(7)).is_none());
    let own = authenticate(&accounts, &new).unwrap().key.unwrap();
    let report = usage
        .report(&accounts, own, &crate::accounts::usage::UsageQuery::default(), today)
        .unwrap();
    assert_eq!(
        (report.total.requests, report.key.as_str()),
        (1, format!("{}…", new.prefix()).as_str())
    );
    let records = list(&accounts).unwrap();
    assert_eq!(records.iter().map(|one| one.revoked).collect::<Vec<_>>(), [Some(at(7)), None]);
    assert_eq!((&records[1].email, records[1].created), (&ana().email, at(7)));
    assert!(matches!(rotate(&accounts, id, at(8)), Err(Error::InvalidKey)));

    revoke_by_id(&accounts, own, at(9)).unwrap();
    assert_eq!(plan_of(&accounts, &new), None);
    assert!(matches!(revoke_by_id(&accounts, own, at(9)), Err(Error::InvalidKey)));
}

#[test]
fn exchanging_a_key_gives_no_second_limit() {
    let (dir, accounts) = accounts();
    let other = Accounts::open(dir.path().join("accounts.db")).unwrap();
    let start = Instant::now();
    let limits = Limits::new(WINDOW, start);
    let mut key = issue(&accounts, &ana(), Plan::Bronze, at(1)).unwrap();
    let first = authenticate(&accounts, &key).unwrap();
    let mut admitted = 0;
    for exchange in 0..26 {
        // Another server that has not heard of the exchange yet counts requests with the old key.
        other.refresh().unwrap();
        let next = rotate(&accounts, id(&accounts, &key.prefix()).unwrap(), at(exchange)).unwrap();
        for (accounts, key) in [(&other, &key), (&accounts, &next)] {
            let caller = authenticate(accounts, key).unwrap();
            admitted += (0..100).filter(|_| limits.admit(&caller, start).is_ok()).count();
        }
        key = next;
    }
    assert_eq!(admitted, 100);

    drop(accounts);
    let reopened = Accounts::open(dir.path().join("accounts.db")).unwrap();
    let last = authenticate(&reopened, &key).unwrap();
    assert_eq!((last.id, last.plan), (first.id, first.plan));
    assert_ne!(last.key, first.key);
    let another = issue(&reopened, &ana(), Plan::Bronze, at(99)).unwrap();
    let another = authenticate(&reopened, &another).unwrap();
    assert_ne!(another.id, last.id, "each key has a limit of its own");
    assert_eq!(another.id, CallerId::of_key(another.key.unwrap()));
}

#[test]
fn a_limit_is_exact_while_a_key_is_exchanged() {
    let (_dir, accounts) = accounts();
    let start = Instant::now();
    let limits = Limits::new(WINDOW, start);
    let mut key = issue(&accounts, &ana(), Plan::Bronze, at(1)).unwrap();
    let known = RwLock::new(key.clone());
    let is_done = AtomicBool::new(false);
    let admitted = thread::scope(|scope| {
        let ask = || {
            let mut admitted = 0;
            while !is_done.load(Ordering::Relaxed) {
                let key = known.read().unwrap().clone();
                let caller = authenticate(&accounts, &key);
                admitted +=
                    usize::from(caller.is_ok_and(|caller| limits.admit(&caller, start).is_ok()));
            }
            admitted
        };
        let askers = [(); 4].map(|()| scope.spawn(ask));
        for exchange in 0..26 {
            let of = authenticate(&accounts, &key).unwrap().key.unwrap();
            key = rotate(&accounts, of, at(exchange)).unwrap();
            *known.write().unwrap() = key.clone();
        }
        // Enough for the last key to use up a limit of its own, if it had one.
        let caller = authenticate(&accounts, &key).unwrap();
        let last = (0..200).filter(|_| limits.admit(&caller, start).is_ok()).count();
        is_done.store(true, Ordering::Relaxed);
        askers.into_iter().map(|asker| asker.join().unwrap()).sum::<usize>() + last
    });
    assert_eq!(admitted, 100);
}

#[test]
fn the_same_person_may_have_several_keys() {
    let (_dir, accounts) = accounts();
    let keys: Vec<Key> =
        (0..3).map(|_| issue(&accounts, &ana(), Plan::Free, at(1)).unwrap()).collect();
    let ids: HashSet<_> = keys.iter().map(|key| authenticate(&accounts, key).unwrap().id).collect();
    assert_eq!((ids.len(), list(&accounts).unwrap().len()), (3, 3));
}

#[test]
fn what_another_program_does_holds_after_a_refresh() {
    let (dir, server) = accounts();
    let operator = Accounts::open(dir.path().join("accounts.db")).unwrap();
    let key = issue(&operator, &ana(), Plan::Bronze, at(1)).unwrap();
    let steps: [(&dyn Fn(), _); 3] = [
        (&|| (), Some(Plan::Bronze)),
        (&|| drop(set_plan(&operator, &key.prefix(), Plan::Platinum)), Some(Plan::Platinum)),
        (&|| drop(revoke(&operator, &key.prefix(), at(2))), None),
    ];
    for (step, wanted) in steps {
        step();
        server.refresh().unwrap();
        assert_eq!(plan_of(&server, &key), wanted);
    }
}

#[test]
fn an_unknown_prefix_and_an_ambiguous_one_are_refused() {
    let (_dir, accounts) = accounts();
    let keys: Vec<Key> =
        (0..63).map(|_| issue(&accounts, &ana(), Plan::Free, at(1)).unwrap()).collect();
    // With 63 keys and 62 characters, two keys share the first one.
    let mut seen = HashSet::new();
    let shared = keys.iter().map(|key| &key.reveal()[..5]).find(|short| !seen.insert(*short));
    let shared: KeyPrefix = shared.unwrap().parse().unwrap();
    let message = revoke(&accounts, &shared, at(2)).unwrap_err().to_string();
    assert_eq!(message, format!("more than one key starts with {shared}"));
    assert!(list(&accounts).unwrap().iter().all(|record| record.revoked.is_none()));

    let unknown: KeyPrefix = "fin_~".replace('~', "0000000").parse().unwrap();
    assert!(matches!(
        revoke(&accounts, &unknown, at(2)),
        Err(Error::NotFound { what: Resource::Key, .. })
    ));
    assert_eq!(
        id(&accounts, &keys[0].prefix()).unwrap(),
        authenticate(&accounts, &keys[0]).unwrap().key.unwrap()
    );
}

#[test]
fn the_file_holds_no_key_and_is_for_its_owner_only() {
    let (dir, accounts) = accounts();
    let keys: Vec<Key> =
        (0..20).map(|_| issue(&accounts, &ana(), Plan::Free, at(1)).unwrap()).collect();
    for entry in std::fs::read_dir(dir.path()).unwrap() {
        let path = entry.unwrap().path();
        let bytes = std::fs::read(&path).unwrap();
        for key in &keys {
            // Not even the part after the prefix.
            let secret = &key.reveal().as_bytes()[12..];
            assert!(!bytes.windows(secret.len()).any(|part| part == secret), "{path:?}");
        }
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600, "{path:?}");
        }
    }
}

#[test]
fn no_key_is_issued_where_keys_cannot_be_read() {
    let (dir, accounts) = accounts();
    let key = issue(&accounts, &ana(), Plan::Gold, at(1)).unwrap();
    let other = issue(&accounts, &ana(), Plan::Gold, at(1)).unwrap();
    let holder = authenticate(&accounts, &key).unwrap().key.unwrap();
    let database = rusqlite::Connection::open(dir.path().join("accounts.db")).unwrap();
    let set = |plan: &str| {
        let sql = "UPDATE key SET plan = ?1, changed = changed + 10 WHERE id = 2";
        assert_eq!(database.execute(sql, [plan]).unwrap(), 1);
    };
    set("no plan");
    let refused = [
        issue(&accounts, &ana(), Plan::Gold, at(2)),
        register(&accounts, &ana(), at(2)),
        rotate(&accounts, holder, at(2)),
    ];
    for refused in refused {
        assert!(matches!(refused, Err(Error::Unavailable { .. })), "{:?}", refused.err());
    }
    let rows: u32 = database.query_row("SELECT COUNT(*) FROM key", [], |row| row.get(0)).unwrap();
    assert_eq!((rows, plan_of(&accounts, &key)), (2, Some(Plan::Gold)));
    set("gold");
    let new = rotate(&accounts, holder, at(3)).unwrap();
    assert_eq!(
        [&key, &other, &new].map(|key| plan_of(&accounts, key).is_some()),
        [false, true, true]
    );
}

#[test]
fn reading_never_waits_for_a_writer() {
    let (_dir, accounts) = accounts();
    let key = issue(&accounts, &ana(), Plan::Free, at(1)).unwrap();
    let other = rusqlite::Connection::open(accounts.path().unwrap()).unwrap();
    other.execute_batch("BEGIN EXCLUSIVE; UPDATE key SET plan = 'gold'").unwrap();
    accounts.refresh().unwrap();
    assert_eq!(plan_of(&accounts, &key), Some(Plan::Free));
    assert_eq!(list(&accounts).unwrap()[0].plan, Plan::Free);
    assert_eq!(
        id(&accounts, &key.prefix()).unwrap(),
        authenticate(&accounts, &key).unwrap().key.unwrap()
    );
}

#[test]
fn keys_are_still_known_after_a_restart() {
    let (dir, first) = accounts();
    let key = issue(&first, &ana(), Plan::Gold, at(1)).unwrap();
    let holder = authenticate(&first, &key).unwrap();
    drop(first);
    let again = Accounts::open(dir.path().join("accounts.db")).unwrap();
    assert_eq!(authenticate(&again, &key).unwrap(), holder);
}

#[test]
fn a_backup_holds_everything_and_overwrites_nothing() {
    let (dir, accounts) = accounts();
    let key = issue(&accounts, &ana(), Plan::Gold, at(1)).unwrap();
    let copy = dir.path().join("copy.db");
    accounts.backup(&copy).unwrap();
    let message = accounts.backup(&copy).unwrap_err().to_string();
    assert!(message.ends_with("copy.db exists already"), "{message}");
    assert!(accounts.backup(&dir.path().join("nowhere/copy.db")).is_err());

    let restored = Accounts::open(&copy).unwrap();
    assert_eq!(plan_of(&restored, &key), Some(Plan::Gold));
    assert_eq!(list(&restored).unwrap(), list(&accounts).unwrap());
}

#[test]
fn a_check_counts_rows_and_sees_damage() {
    let (_dir, accounts) = accounts();
    issue(&accounts, &ana(), Plan::Gold, at(1)).unwrap();
    let checkup = accounts.check().unwrap();
    let tables: Vec<_> =
        checkup.tables.iter().map(|table| (table.name.as_str(), table.rows)).collect();
    let webhooks = [("delivery", 0), ("ended", 0), ("event", 0)];
    let others =
        [("key", 1), ("link", 0), ("session", 0), ("told", 0), ("usage", 0), ("webhook", 0)];
    assert_eq!((tables, checkup.version), ([&webhooks[..], &others[..]].concat(), 7));
    assert_eq!(checkup.problems, Vec::<String>::new());

    let orphan =
        "PRAGMA foreign_keys = off; INSERT INTO usage VALUES (9, '2026-01-01', 'x', 1, 0, 0, 0)";
    rusqlite::Connection::open(accounts.path().unwrap()).unwrap().execute_batch(orphan).unwrap();
    let checkup = accounts.check().unwrap();
    assert_eq!(checkup.problems, ["rows of usage that refer to a missing row of key: 1"]);
    assert_eq!(checkup.tables[7].newest.as_deref(), Some("2026-01-01"));
}
