//! The whole life of a session, also as another program sees it.
use std::{collections::HashSet, thread};

use super::*;
use crate::{
    accounts::keys::{self, Registration},
    values::{Plan, SecretHash},
};

fn accounts() -> (tempfile::TempDir, Accounts) {
    let dir = tempfile::tempdir().unwrap();
    let accounts = another(&dir);
    (dir, accounts)
}

fn another(dir: &tempfile::TempDir) -> Accounts {
    Accounts::open(dir.path().join("accounts.db")).unwrap()
}

fn issue(accounts: &Accounts) -> Key {
    let who =
        Registration { name: "Ana".parse().unwrap(), email: "ana@example.com".parse().unwrap() };
    keys::issue(accounts, &who, Plan::Free, at(0)).unwrap()
}

fn at(seconds: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(1_790_000_000 + seconds, 0).unwrap()
}

fn rows(accounts: &Accounts) -> i64 {
    accounts.read(|session| session.number("SELECT COUNT(*) FROM session", &[])).unwrap()
}

#[test]
fn a_session_stands_for_its_key_and_ends_with_it() {
    let (_dir, accounts) = accounts();
    let key = issue(&accounts);
    let token = begin(&accounts, &key, at(0)).unwrap();
    let plan = || find(&accounts, &token, at(1)).map(|holder| holder.caller.plan);
    let holder = find(&accounts, &token, at(1)).unwrap();
    assert_eq!(holder.caller, keys::authenticate(&accounts, &key).unwrap());
    assert_eq!(holder.key, key.prefix());
    keys::set_plan(&accounts, &key.prefix(), Plan::Gold).unwrap();
    assert_eq!(plan(), Some(Plan::Gold));
    keys::revoke(&accounts, &key.prefix(), at(2)).unwrap();
    assert_eq!(plan(), None);
    assert!(matches!(begin(&accounts, &key, at(3)), Err(Error::InvalidKey)));
    let unknown = Key::generate().unwrap();
    assert!(matches!(begin(&accounts, &unknown, at(3)), Err(Error::InvalidKey)));
    assert_eq!(rows(&accounts), 1);
}

#[test]
fn clocks_at_the_ends_of_time_are_no_fault() {
    let (_dir, accounts) = accounts();
    let key = issue(&accounts);
    for now in [DateTime::<Utc>::MIN_UTC, DateTime::<Utc>::MAX_UTC] {
        let token = begin(&accounts, &key, now).unwrap();
        assert!(find(&accounts, &token, now).is_some(), "{now}");
        assert!(!sweep(&accounts, now).unwrap());
        end(&accounts, &token, now).unwrap();
        assert!(find(&accounts, &token, now).is_none(), "{now}");
    }
}

#[test]
fn a_session_lasts_thirty_days_to_the_second() {
    let (_dir, accounts) = accounts();
    let token = begin(&accounts, &issue(&accounts), at(0)).unwrap();
    let month = 30 * 24 * 3600;
    // A clock that was set back takes nothing away.
    for (seconds, lasts) in
        [(-60, true), (0, true), (month - 1, true), (month, false), (month + 1, false)]
    {
        assert_eq!(find(&accounts, &token, at(seconds)).is_some(), lasts, "{seconds}");
    }
}

#[test]
fn what_another_program_does_holds_after_a_refresh_and_after_a_restart() {
    let (dir, here) = accounts();
    let (there, key) = (another(&dir), issue(&here));
    there.refresh().unwrap();
    let one = begin(&here, &key, at(0)).unwrap();
    assert!(find(&there, &one, at(1)).is_none());
    let two = begin(&there, &key, at(0)).unwrap();
    let known = |accounts: &Accounts| {
        accounts.refresh().unwrap();
        [&one, &two].map(|token| find(accounts, token, at(1)).is_some())
    };
    assert_eq!([&here, &there].map(known), [[true; 2]; 2]);
    end(&there, &one, at(2)).unwrap();
    end(&there, &one, at(3)).unwrap();
    assert!(find(&there, &one, at(3)).is_none());
    assert_eq!([&here, &there, &another(&dir)].map(known), [[false, true]; 3]);
    keys::revoke(&there, &key.prefix(), at(4)).unwrap();
    assert_eq!([&here, &there, &another(&dir)].map(known), [[false; 2]; 3]);
}

#[test]
fn a_key_has_so_many_sessions_and_the_oldest_ends() {
    let (dir, accounts) = accounts();
    let (key, far) = (issue(&accounts), another(&dir));
    let other = begin(&accounts, &issue(&accounts), at(0)).unwrap();
    let tokens: Vec<_> = (0..MAX_PER_KEY + 3)
        .map(|number| begin(&accounts, &key, at(number as i64)).unwrap())
        .collect();
    far.refresh().unwrap();
    for accounts in [&accounts, &far] {
        let lasting: Vec<bool> =
            tokens.iter().map(|token| find(accounts, token, at(60)).is_some()).collect();
        assert_eq!(lasting, [vec![false; 3], vec![true; MAX_PER_KEY]].concat());
        assert!(find(accounts, &other, at(60)).is_some());
        assert_eq!(accounts.session_count(), MAX_PER_KEY + 1);
    }
    assert_eq!(rows(&accounts), MAX_PER_KEY as i64 + 1);
}

#[test]
fn signing_in_and_out_for_ever_takes_no_more_room() {
    let (dir, accounts) = accounts();
    let (key, far) = (issue(&accounts), another(&dir));
    for round in 0..3 * MAX_ROWS_PER_KEY as i64 {
        let token = begin(&accounts, &key, at(round)).unwrap();
        far.refresh().unwrap();
        assert!(find(&far, &token, at(round)).is_some());
        end(&accounts, &token, at(round)).unwrap();
        far.refresh().unwrap();
        assert!(find(&far, &token, at(round)).is_none());
        assert_eq!(far.session_count(), 0);
    }
    assert_eq!(rows(&accounts), MAX_ROWS_PER_KEY as i64);
}

#[test]
fn the_place_of_the_newest_change_is_not_taken_next() {
    let (_dir, accounts) = accounts();
    let key = issue(&accounts);
    let newest = || {
        const SQL: &str = "SELECT hash FROM session ORDER BY changed DESC LIMIT 1";
        let row = accounts.read(|session| session.first(SQL, &[])).unwrap();
        row.map(|row| row.get::<SecretHash>(0).unwrap())
    };
    let is_there = |hash: SecretHash| {
        const SQL: &str = "SELECT 1 FROM session WHERE hash = ?1";
        accounts.read(|session| session.first(SQL, values![&hash])).unwrap().is_some()
    };
    let mut open = Vec::new();
    for round in 0..6 * MAX_ROWS_PER_KEY as i64 {
        let before = newest();
        open.push(begin(&accounts, &key, at(round)).unwrap());
        assert!(before.is_none_or(is_there), "{round}");
        if round % 7 == 3 || round % 5 == 1 {
            end(&accounts, &open.pop().unwrap(), at(round)).unwrap();
        }
    }
}

#[test]
fn sweeping_forgets_what_is_over_and_followers_go_on() {
    let (dir, accounts) = accounts();
    let (far, key) = (another(&dir), issue(&accounts));
    let old: Vec<_> = (0..5).map(|_| begin(&accounts, &key, at(0)).unwrap()).collect();
    far.refresh().unwrap();
    let days = |days: i64| at(days * 24 * 3600);
    assert!(!sweep(&accounts, days(29)).unwrap());
    assert_eq!((accounts.session_count(), rows(&accounts)), (5, 5));
    assert!(!sweep(&accounts, days(30)).unwrap());
    assert_eq!((accounts.session_count(), rows(&accounts)), (0, 5));
    assert!(!sweep(&accounts, days(32)).unwrap());
    assert_eq!(rows(&accounts), 1);
    let new = begin(&accounts, &key, days(32)).unwrap();
    far.refresh().unwrap();
    assert!(find(&far, &new, days(32)).is_some());
    assert!(old.iter().all(|token| find(&far, token, days(32)).is_none()));
    sweep(&accounts, days(32)).unwrap();
    assert_eq!(rows(&accounts), 1);
    far.refresh().unwrap();
    assert!(find(&far, &new, days(32)).is_some());
}

#[test]
fn a_database_that_lost_the_last_changes_is_read_anew() {
    let (dir, accounts) = accounts();
    let (far, key) = (another(&dir), issue(&accounts));
    let kept = begin(&accounts, &key, at(0)).unwrap();
    let lost = begin(&accounts, &key, at(1)).unwrap();
    far.refresh().unwrap();
    let forget = "DELETE FROM session WHERE changed = 2";
    accounts.write(|tx| tx.execute(forget, &[])).unwrap();
    let new = begin(&accounts, &key, at(2)).unwrap();
    for accounts in [&accounts, &far] {
        accounts.refresh().unwrap();
        let known = [&kept, &lost, &new].map(|token| find(accounts, token, at(3)).is_some());
        assert_eq!(known, [true, false, true]);
    }
}

#[test]
fn many_at_once_never_are_more_than_the_most() {
    let (dir, accounts) = accounts();
    let (key, far) = (issue(&accounts), another(&dir));
    far.refresh().unwrap();
    let tokens: Vec<_> = thread::scope(|scope| {
        let makers = [&accounts, &far, &accounts, &far].map(|accounts| {
            let key = &key;
            scope.spawn(move || {
                let make = |_| begin(accounts, key, at(0)).unwrap();
                (0..MAX_PER_KEY / 2).map(make).collect::<Vec<_>>()
            })
        });
        makers.into_iter().flat_map(|maker| maker.join().unwrap()).collect()
    });
    assert_eq!(
        tokens.iter().map(SessionToken::reveal).collect::<HashSet<_>>().len(),
        2 * MAX_PER_KEY
    );
    for accounts in [&accounts, &far] {
        accounts.refresh().unwrap();
        let lasting = tokens.iter().filter(|token| find(accounts, token, at(1)).is_some());
        assert_eq!(lasting.count(), MAX_PER_KEY);
    }
}

#[test]
fn the_file_has_no_token() {
    let (dir, accounts) = accounts();
    let token = begin(&accounts, &issue(&accounts), at(0)).unwrap();
    let secret = token.reveal().strip_prefix("fis_").unwrap().as_bytes();
    for entry in std::fs::read_dir(dir.path()).unwrap() {
        let bytes = std::fs::read(entry.unwrap().path()).unwrap();
        assert!(!bytes.windows(secret.len()).any(|part| part == secret));
    }
}
