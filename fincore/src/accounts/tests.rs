//! Files that are lost, replaced, damaged for a moment, locked, and readable by others.
use std::{fs, io::Write};

use chrono::DateTime;

use super::*;
use crate::{
    accounts::{
        keys::{self, Registration},
        links::{self, NewLink},
        store_copy,
    },
    store::sqlite_file,
    values::{Key, Plan},
};

fn directory() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("accounts.db");
    (dir, path)
}

fn register(accounts: &Accounts) -> Result<Key> {
    let who =
        Registration { name: "Ana".parse().unwrap(), email: "ana@example.com".parse().unwrap() };
    keys::issue(accounts, &who, Plan::Free, chrono::DateTime::UNIX_EPOCH)
}

#[track_caller]
fn unavailable<T: std::fmt::Debug>(outcome: Result<T>) -> String {
    let err = outcome.unwrap_err();
    assert!(matches!(err, Error::Unavailable { .. }), "{err:?}");
    err.to_string()
}

#[test]
fn accounts_that_are_lost_are_not_made_anew() {
    let (dir, path) = directory();
    assert!(!Accounts::are_missing(&path));
    drop(Accounts::open(&path).unwrap());
    fs::remove_file(&path).unwrap();
    assert!(Accounts::are_missing(&path));
    let said = unavailable(Accounts::open(&path));
    assert!(said.contains("accounts.made") && said.contains("restore a backup"), "{said}");
    assert!(!path.exists());
    fs::remove_file(dir.path().join("accounts.made")).unwrap();
    drop(Accounts::open(&path).unwrap());
    // Those of earlier versions have no marker yet.
    fs::remove_file(dir.path().join("accounts.made")).unwrap();
    drop(Accounts::open(&path).unwrap());
    assert!(dir.path().join("accounts.made").exists());
}

#[test]
fn a_key_into_a_file_that_is_gone_is_none_and_known_ones_stay() {
    let (dir, path) = directory();
    let accounts = Accounts::open(&path).unwrap();
    let key = register(&accounts).unwrap();
    let away = dir.path().join("away.db");
    for hidden in ["accounts.db", "accounts.db-wal"] {
        let hidden = dir.path().join(hidden);
        accounts.verify().unwrap();
        fs::rename(&hidden, &away).unwrap();
        assert!(unavailable(accounts.verify()).contains("cannot be found"));
        unavailable(register(&accounts));
        assert!(keys::authenticate(&accounts, &key).is_ok());
        assert!(!hidden.exists(), "it is not made anew");
        // Another file under its name must not be used.
        fs::copy(&away, &hidden).unwrap();
        assert!(unavailable(accounts.verify()).contains("was replaced"));
        unavailable(register(&accounts));
        fs::rename(&away, &hidden).unwrap();
        accounts.verify().unwrap();
        register(&accounts).unwrap();
    }
    drop(accounts);
    assert_eq!(keys::list(&Accounts::open(&path).unwrap()).unwrap().len(), 3);
}

#[test]
fn a_file_that_was_damaged_for_a_moment_is_whole_again() {
    let (_dir, path) = directory();
    let accounts = Accounts::open(&path).unwrap();
    for _ in 0..200 {
        register(&accounts).unwrap();
    }
    // All of it into the file itself, and none of it in memory.
    sqlite_file::shrink_log(&path).unwrap();
    accounts.read(|session| session.query("PRAGMA shrink_memory", &[])).unwrap();
    let whole = fs::read(&path).unwrap();
    // In place, as a disk does it.
    let write = |bytes: &[u8]| {
        fs::OpenOptions::new().write(true).open(&path).unwrap().write_all(bytes).unwrap();
    };
    let header = 4096;
    write(&[&whole[..header], &vec![0xff; whole.len() - header]].concat());
    unavailable(keys::list(&accounts));
    unavailable(register(&accounts));
    unavailable(accounts.verify());
    write(&whole);
    accounts.verify().unwrap();
    register(&accounts).unwrap();
    assert_eq!(keys::list(&accounts).unwrap().len(), 201);
    assert!(accounts.quick_check().unwrap().is_empty());
}

#[test]
fn damage_anywhere_stops_every_write_until_the_file_is_sound() {
    let (_dir, path) = directory();
    let accounts = Accounts::open(&path).unwrap();
    let key = register(&accounts).unwrap();
    sqlite_file::shrink_log(&path).unwrap();
    let of_sessions =
        "SELECT rootpage FROM sqlite_master WHERE tbl_name = 'session' AND rootpage > 0";
    let pages = accounts.read(|session| session.query(of_sessions, &[])).unwrap();
    accounts.read(|session| session.query("PRAGMA shrink_memory", &[])).unwrap();
    let whole = fs::read(&path).unwrap();
    let mut damaged = whole.clone();
    for page in &pages {
        let end = usize::try_from(page.get::<i64>(0).unwrap()).unwrap() * 4096;
        damaged[end - 4096..end].fill(0xff);
    }
    let write = |bytes: &[u8]| {
        fs::OpenOptions::new().write(true).open(&path).unwrap().write_all(bytes).unwrap();
    };
    write(&damaged);
    unavailable(accounts.refresh());
    // Both writes go to an intact file.
    let new = NewLink { name: "a".parse().unwrap(), path: None };
    let writes = || {
        let id = keys::authenticate(&accounts, &key).unwrap().key.unwrap();
        [
            accounts.write(|tx| tx.execute("UPDATE key SET name = 'Ana'", &[])).map(drop),
            register(&accounts).map(drop),
            links::create(&accounts, id, &new, DateTime::UNIX_EPOCH).map(drop),
            keys::revoke(&accounts, &key.prefix(), DateTime::UNIX_EPOCH).map(drop),
        ]
    };
    for _ in 0..3 {
        for written in writes() {
            unavailable(written);
        }
        unavailable(accounts.verify());
    }
    write(&whole);
    accounts.verify().unwrap();
    accounts.refresh().unwrap();
    writes().into_iter().for_each(Result::unwrap);
}

#[test]
fn a_transaction_that_was_left_open_does_not_stick() {
    let (_dir, path) = directory();
    let store = SqliteStore::open(path).unwrap();
    let left: Result<()> = store.writer.lock().run(&store.identity, call_budget(), |connection| {
        Ok(connection.execute_batch("BEGIN IMMEDIATE")?)
    });
    assert!(left.is_ok());
    let accounts = Accounts::with_store(Box::new(store)).unwrap();
    register(&accounts).unwrap();
}

#[test]
fn a_locked_file_is_busy_for_all_who_wait() {
    let (_dir, path) = directory();
    let accounts = Accounts::open(&path).unwrap();
    let other = rusqlite::Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| assert!(matches!(register(&accounts), Err(Error::Busy(_)))));
        }
    });
    other.execute_batch("ROLLBACK").unwrap();
    register(&accounts).unwrap();
}

#[test]
fn changes_of_others_are_found_at_once_and_without_waiting() {
    let (_dir, path) = directory();
    let accounts = Accounts::open(&path).unwrap();
    let other = Accounts::open(&path).unwrap();
    let key = register(&other).unwrap();
    assert!(keys::authenticate(&accounts, &key).is_err());
    // A writer is no reason to wait.
    let writer = rusqlite::Connection::open(&path).unwrap();
    writer.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert!(accounts.refresh_at_once().unwrap());
    assert!(keys::authenticate(&accounts, &key).is_ok());
    let _others_refresh = accounts.last_changes.lock();
    assert!(!accounts.refresh_at_once().unwrap());
}

#[cfg(unix)]
#[test]
fn a_file_that_others_can_read_becomes_private() {
    use std::os::unix::fs::PermissionsExt;
    let (_dir, path) = directory();
    let accounts = Accounts::open(&path).unwrap();
    let names = ["", "-wal", "-shm"].map(|suffix| format!("{}{suffix}", path.display()));
    for name in &names {
        fs::set_permissions(name, fs::Permissions::from_mode(0o664)).unwrap();
    }
    drop(Accounts::open(&path).unwrap());
    for name in &names {
        assert_eq!(fs::metadata(name).unwrap().permissions().mode() & 0o777, 0o600, "{name}");
    }
    drop(accounts);
}

#[test]
fn accounts_that_are_in_no_file_are_backed_up_as_one() {
    let (dir, path) = directory();
    let accounts = Accounts::open(&path).unwrap();
    register(&accounts).unwrap();
    let target = dir.path().join("backup.db");
    store_copy::copy_to_new_file(&*accounts.store, &target).unwrap();
    assert!(!accounts.copy_to(&Accounts::open(&target).unwrap()).unwrap().is_new);
    let left = fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name());
    assert!(left.into_iter().all(|name| !name.to_string_lossy().contains(".copying")));
}

#[test]
fn accounts_that_have_lost_changes_are_read_anew() {
    let (_dir, path) = directory();
    let accounts = Accounts::open(&path).unwrap();
    let [first, second] = [register(&accounts).unwrap(), register(&accounts).unwrap()];
    let other = rusqlite::Connection::open(&path).unwrap();
    // As a standby that had not heard of the last change, and then went on by itself.
    other.execute_batch("DELETE FROM key WHERE changed = 2").unwrap();
    accounts.refresh().unwrap();
    let knows = |key: &Key| keys::authenticate(&accounts, key).is_ok();
    assert!(knows(&first) && !knows(&second));
    let third = register(&accounts).unwrap();
    assert!(knows(&first) && knows(&third));
    other.execute_batch("DELETE FROM key WHERE changed = 2").unwrap();
    let elsewhere = Accounts::open(&path).unwrap();
    let fourth = register(&elsewhere).unwrap();
    let fifth = register(&elsewhere).unwrap();
    accounts.refresh().unwrap();
    assert!(knows(&first) && !knows(&third) && knows(&fourth) && knows(&fifth));
    other.execute_batch("DELETE FROM key").unwrap();
    accounts.refresh().unwrap();
    assert!(!knows(&first) && !knows(&fifth));
}
