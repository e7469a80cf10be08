//! Snapshots, writers, and the tag of the data.
use rusqlite::StatementStatus;

use super::*;
use crate::{store::catalogue::temporary as catalogue, values::Plan};

mod editions;
pub(crate) mod faults;

const TODAY: Date = Date::MAX;

#[test]
fn a_snapshot_does_not_see_a_later_commit() {
    let (_dir, catalogue) = catalogue();
    let before = catalogue.snapshot(TODAY).unwrap();
    let writer = catalogue.write(crate::store::catalogue::noon()).unwrap();
    writer.set_meta("bundle", "x").unwrap();
    writer.commit().unwrap();
    let after = catalogue.snapshot(TODAY).unwrap();
    assert_eq!((before.version().unwrap(), before.meta("bundle").unwrap()), (0, None));
    assert_eq!((after.version().unwrap(), after.meta("bundle").unwrap()), (1, Some("x".into())));
}

#[test]
fn the_tag_tells_the_same_data_from_other_data() {
    let tag_after = |sources: &[&str]| {
        let (_dir, catalogue) = catalogue();
        for source in sources {
            let mut writer = catalogue.write(crate::store::catalogue::noon()).unwrap();
            writer.note("kind", source.as_bytes());
            writer.commit().unwrap();
        }
        catalogue.snapshot(TODAY).unwrap().tag().to_owned()
    };
    assert_eq!(tag_after(&["a", "b"]), tag_after(&["a", "b"]));
    for other in [&["a"][..], &["b", "a"], &["a", "c"], &[]] {
        assert_ne!(tag_after(&["a", "b"]), tag_after(other));
    }
}

#[test]
fn the_tag_does_not_change_between_versions_of_the_program() {
    let (_dir, catalogue) = catalogue();
    let mut writer = catalogue.write(crate::store::catalogue::noon()).unwrap();
    writer.note("SGS 432", b"[]");
    writer.commit().unwrap();
    let tag = catalogue.snapshot(TODAY).unwrap().tag().to_owned();
    assert_eq!(tag, "5b5fa42921ec0f1250b7806400f2ca80");
}

#[test]
fn a_momentary_error_does_not_stick_to_a_connection() {
    let (_dir, catalogue) = catalogue();
    // The first read of a snapshot fails after its transaction has begun.
    let rename = |from: &str, to: &str| {
        let connection = Connection::open(catalogue.path()).unwrap();
        connection.execute_batch(&format!("ALTER TABLE {from} RENAME TO {to}")).unwrap();
    };
    rename("meta", "hidden");
    for _ in 0..100 {
        assert!(matches!(
            catalogue.snapshot(TODAY),
            Err(crate::values::error::Error::Unavailable { .. })
        ));
    }
    rename("hidden", "meta");
    let snapshots: Vec<_> = (0..100).map(|_| catalogue.snapshot(TODAY).unwrap()).collect();
    assert!(snapshots.iter().all(|snapshot| snapshot.version().unwrap() == 0));
}

#[test]
fn hundreds_of_snapshots_live_at_once() {
    let (_dir, catalogue) = catalogue();
    let snapshots: Vec<_> = (0..READERS).map(|_| catalogue.snapshot(TODAY).unwrap()).collect();
    assert_eq!(snapshots.len(), 512);
}

#[test]
fn waiting_for_a_connection_ends_at_the_deadline() {
    let dir = tempfile::tempdir().unwrap();
    let catalogue = Catalogue::open_with_readers(dir.path().join("catalogue.db"), 2).unwrap();
    let _all = [(); 2].map(|()| catalogue.snapshot(TODAY).unwrap());
    let time = std::time::Duration::from_millis(10);
    let refused =
        crate::store::deadline::for_at_most(time, || catalogue.snapshot(TODAY)).unwrap_err();
    assert!(
        matches!(&refused, Error::Busy(why) if why.contains("longer than it may")),
        "{refused}"
    );
}

#[test]
fn what_can_be_shared_between_threads() {
    fn send<T: Send>() {}
    fn sync<T: Sync>() {}
    send::<(
        Catalogue,
        crate::accounts::Accounts,
        crate::accounts::limits::Limits,
        crate::accounts::usage::Usage,
    )>();
    sync::<(
        Catalogue,
        crate::accounts::Accounts,
        crate::accounts::limits::Limits,
        crate::accounts::usage::Usage,
    )>();
    send::<Snapshot>();
}

#[test]
fn a_writer_that_is_dropped_leaves_nothing() {
    let (_dir, catalogue) = catalogue();
    catalogue.write(crate::store::catalogue::noon()).unwrap().set_meta("bundle", "x").unwrap();
    let snapshot = catalogue.snapshot(TODAY).unwrap();
    assert_eq!((snapshot.version().unwrap(), snapshot.meta("bundle").unwrap()), (0, None));
}

#[test]
fn a_snapshot_cannot_write() {
    let (_dir, catalogue) = catalogue();
    let now = catalogue.snapshot(TODAY).unwrap();
    for snapshot in [now.first_releases().unwrap(), now.as_of(TODAY).unwrap(), now] {
        assert!(snapshot.read(Ok).unwrap().execute("DELETE FROM meta", []).is_err());
    }
}

#[test]
fn cached_statements_are_not_compiled_again_when_parameters_change() {
    let (_dir, catalogue) = catalogue();
    let snapshot = catalogue.snapshot(TODAY).unwrap();
    // A range over an indexed column: a parameter whose value SQLite would plan by.
    const SQL: &str = "SELECT date FROM rate WHERE series = ?1 AND date >= ?2 AND value LIKE ?3";
    for n in 0..100 {
        let mut statement = snapshot.read(Ok).unwrap().prepare_cached(SQL).unwrap();
        let _ = statement.query_row((n, n.to_string(), n.to_string()), |_| Ok(()));
    }
    let statement = snapshot.read(Ok).unwrap().prepare_cached(SQL).unwrap();
    assert_eq!(statement.get_status(StatementStatus::RePrepare), 0);
}

fn write(catalogue: &Catalogue, text: &str) {
    let mut writer = catalogue.write(noon()).unwrap();
    writer.set_meta("bundle", text).unwrap();
    writer.note("kind", text.as_bytes());
    writer.commit().unwrap();
}

#[test]
fn recent_snapshots_share_a_view_and_see_a_commit_after_a_millisecond() {
    let (_dir, catalogue) = catalogue();
    #[expect(clippy::disallowed_methods, reason = "tests know the time")]
    let start = std::time::Instant::now();
    let at = |micros| {
        catalogue.recent_snapshot(TODAY, start + std::time::Duration::from_micros(micros)).unwrap()
    };
    let before = at(0).fingerprint();
    write(&catalogue, "x");
    assert_eq!(at(999).fingerprint(), before);
    assert_eq!(at(999).meta("bundle").unwrap(), None);
    // A snapshot of its own sees it at once.
    assert_ne!(catalogue.snapshot(TODAY).unwrap().fingerprint(), before);
    let (one, other) = (at(1000), at(1000));
    assert_ne!(one.fingerprint(), before);
    assert_eq!(one.fingerprint(), other.fingerprint());
    // Those that are in use see nothing of what comes later.
    write(&catalogue, "y");
    assert_eq!(one.meta("bundle").unwrap().as_deref(), Some("x"));
    assert_eq!(at(5000).meta("bundle").unwrap().as_deref(), Some("y"));
    drop((one, other));
    assert_eq!(at(9000).meta("bundle").unwrap().as_deref(), Some("y"));
}

#[test]
fn a_recent_fingerprint_is_that_of_a_recent_snapshot() {
    let (_dir, catalogue) = catalogue();
    #[expect(clippy::disallowed_methods, reason = "tests know the time")]
    let start = std::time::Instant::now();
    let after = |micros| start + std::time::Duration::from_micros(micros);
    let known = |plan, micros| catalogue.recent_fingerprint(TODAY, plan, after(micros));
    let taken = |plan, micros| {
        let snapshot = catalogue.recent_snapshot(TODAY, after(micros)).unwrap();
        Some(snapshot.for_plan(plan).fingerprint())
    };
    assert_eq!(known(Plan::Gold, 0), None);
    let before = taken(Plan::Platinum, 0);
    for plan in Plan::ALL {
        assert_eq!(known(plan, 999), taken(plan, 999));
        assert_eq!(known(plan, 1000), None);
    }
    write(&catalogue, "x");
    assert_eq!(known(Plan::Platinum, 999), before);
    let new = taken(Plan::Platinum, 1000);
    assert_ne!(new, before);
    assert_eq!(known(Plan::Platinum, 1999), new);
    // One that comes late with an older view changes nothing.
    let OpenFile { readers, idle, watch, .. } = &*catalogue.current.load_full();
    idle.note(after(500), &ReadTransaction::open(readers, watch).unwrap());
    assert_eq!(known(Plan::Platinum, 1999), new);
    // Where values cannot be read, only a snapshot knows whether these are the data.
    catalogue.current.load().corrupt_values.note("another tag");
    assert_eq!(known(Plan::Platinum, 1999), None);
}

#[test]
fn a_fingerprint_tells_days_plans_and_damage_apart() {
    let (_dir, catalogue) = catalogue();
    let taken = |today| catalogue.snapshot(today).unwrap();
    let same = taken(TODAY).fingerprint();
    assert_eq!(taken(TODAY).fingerprint(), same);
    assert_eq!(taken(TODAY).for_plan(Plan::Platinum).fingerprint(), same);
    assert_ne!(taken(TODAY).for_plan(Plan::Gold).fingerprint(), same);
    assert_ne!(taken(TODAY.days_before(1)).fingerprint(), same);
    catalogue.current.load().corrupt_values.note(taken(TODAY).tag());
    assert_ne!(taken(TODAY).fingerprint(), same);
}

#[test]
fn what_is_changed_by_hand_is_other_data() {
    let (_dir, catalogue) = catalogue();
    #[expect(clippy::disallowed_methods, reason = "tests know the time")]
    let start = std::time::Instant::now();
    let at = |millis| {
        catalogue.recent_snapshot(TODAY, start + std::time::Duration::from_millis(millis)).unwrap()
    };
    let before = at(0).fingerprint();
    assert_eq!(at(2).fingerprint(), before);
    let by_hand = Connection::open(catalogue.path()).unwrap();
    by_hand.execute("INSERT INTO meta (name, value) VALUES ('bundle', 'x')", []).unwrap();
    let after = at(4).fingerprint();
    assert_ne!(after, before);
    assert_eq!(at(6).fingerprint(), after);
    // Others hear of it too.
    assert_eq!(catalogue.snapshot(TODAY).unwrap().fingerprint(), after);
}

#[test]
fn those_that_are_kept_leave_half_of_few_connections_to_others() {
    let dir = tempfile::tempdir().unwrap();
    let catalogue = Catalogue::open_with_readers(dir.path().join("catalogue.db"), 4).unwrap();
    #[expect(clippy::disallowed_methods, reason = "tests know the time")]
    let start = std::time::Instant::now();
    let recent: Vec<_> = (0..4).map(|_| catalogue.recent_snapshot(TODAY, start).unwrap()).collect();
    drop(recent);
    let _others = (catalogue.snapshot(TODAY).unwrap(), catalogue.snapshot(TODAY).unwrap());
    assert_eq!(catalogue.current.load().readers.open(), 4);
}

#[test]
fn a_path_that_leads_elsewhere_is_noticed() {
    let (dir, catalogue) = catalogue();
    let (path, away) = (dir.path().join("catalogue.db"), dir.path().join("away.db"));
    catalogue.verify().unwrap();
    std::fs::rename(&path, &away).unwrap();
    let gone = catalogue.verify().unwrap_err();
    assert!(matches!(gone, crate::values::error::Error::Unavailable { .. }), "{gone:?}");
    // Neither a reader nor a writer makes it anew.
    let _many: Vec<_> = (0..20).map(|_| catalogue.snapshot(TODAY)).collect();
    assert!(catalogue.write(noon()).is_err() && !path.exists());
    std::fs::copy(&away, &path).unwrap();
    assert!(catalogue.verify().unwrap_err().to_string().contains("was replaced"));
    std::fs::rename(&away, &path).unwrap();
    catalogue.verify().unwrap();
    assert!(catalogue.quick_check().unwrap().is_empty());
}

#[test]
fn a_writer_leaves_no_log_unless_a_snapshot_needs_it() {
    let (dir, catalogue) = catalogue();
    let log = || std::fs::metadata(dir.path().join("catalogue.db-wal")).unwrap().len();
    // SQLite does not write again what is there already.
    let mut letters = ('a'..='z').map(|letter| letter.to_string().repeat(6 << 20));
    let mut begin = || {
        let long = letters.next().unwrap();
        let writer = catalogue.write(noon()).unwrap();
        // So that it goes to the log before the end.
        writer.connection().pragma_update(None, "cache_size", 10).unwrap();
        for name in ["bundle", "other"] {
            writer.set_meta(name, &long).unwrap();
        }
        writer
    };
    begin().commit().unwrap();
    assert_eq!(log(), 0);
    drop(begin());
    assert_eq!(log(), 0);
    let snapshot = catalogue.snapshot(TODAY).unwrap();
    snapshot.meta("bundle").unwrap();
    begin().commit().unwrap();
    drop(begin());
    assert!(log() > 6 << 20);
    catalogue.shrink_log().unwrap();
    assert!(log() > 6 << 20, "somebody reads from it");
    drop(snapshot);
    catalogue.shrink_log().unwrap();
    assert_eq!(log(), 0);
}

#[test]
fn a_look_neither_makes_a_file_nor_brings_one_up_to_date() {
    let (dir, catalogue) = catalogue();
    let path = catalogue.path();
    drop(catalogue);
    let missing = dir.path().join("missing.db");
    assert!(matches!(Catalogue::open_to_read(&missing), Err(Error::Unavailable { .. })));
    assert!(!missing.exists());
    let looked_at = Catalogue::open_to_read(&path).unwrap();
    assert_eq!(looked_at.snapshot(TODAY).unwrap().version().unwrap(), 0);
    drop(looked_at);
    let known = CATALOGUE_SCHEMA.migrations.len();
    let older = format!("it is at version 5, this program reads version {known}");
    for (change, said) in [
        ("UPDATE meta SET value = '0' WHERE name = 'index_version'", "search index"),
        ("PRAGMA user_version = 5", &older),
    ] {
        Connection::open(&path).unwrap().execute_batch(change).unwrap();
        let before = std::fs::read(&path).unwrap();
        let err = Catalogue::open_to_read(&path).unwrap_err();
        assert!(matches!(err, Error::Outdated { .. }), "{err}");
        assert!(err.to_string().contains(said), "{err}");
        assert!(std::fs::read(&path).unwrap() == before, "{change}");
    }
    let newer = format!("PRAGMA user_version = {}", known + 1);
    Connection::open(&path).unwrap().execute_batch(&newer).unwrap();
    let newer = Catalogue::open_to_read(&path).unwrap_err();
    assert!(newer.to_string().contains("made by a newer program"), "{newer}");
}
