//! The whole life of a key, also as another program sees it.
use std::collections::HashSet;

use super::*;

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
    let token = crate::sessions::begin(&accounts, &old, at(6)).unwrap();
    let (usage, today) = (crate::usage::Usage::default(), "2026-11-17".parse().unwrap());
    usage.count(id, today, "/a", crate::usage::Outcome::Success);
    usage.flush(&accounts).unwrap();

    let new = rotate(&accounts, id, at(7)).unwrap();
    assert_eq!([&old, &new].map(|key| plan_of(&accounts, key)), [None, Some(Plan::Gold)]);
    assert!(crate::sessions::find(&accounts, &token, at(7)).is_none());
    let own = authenticate(&accounts, &new).unwrap().id.key().unwrap();
    let report = usage.report(&accounts, own, &crate::usage::UsageQuery::default(), today).unwrap();
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
        authenticate(&accounts, &keys[0]).unwrap().id.key().unwrap()
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
        authenticate(&accounts, &key).unwrap().id.key().unwrap()
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
    assert_eq!((tables, checkup.version), ([&webhooks[..], &others[..]].concat(), 6));
    assert_eq!(checkup.problems, Vec::<String>::new());

    let orphan =
        "PRAGMA foreign_keys = off; INSERT INTO usage VALUES (9, '2026-01-01', 'x', 1, 0, 0, 0)";
    rusqlite::Connection::open(accounts.path().unwrap()).unwrap().execute_batch(orphan).unwrap();
    let checkup = accounts.check().unwrap();
    assert_eq!(checkup.problems, ["rows of usage that refer to a missing row of key: 1"]);
    assert_eq!(checkup.tables[7].newest.as_deref(), Some("2026-01-01"));
}
