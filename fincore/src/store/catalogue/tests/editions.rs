//! Copies of a catalogue, and switching from one file to another while others read.
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::*;
use crate::values::Error;

#[test]
fn a_copy_is_compact_and_has_the_same_data() {
    let (dir, catalogue) = catalogue();
    let long = "x".repeat(1 << 20);
    write(&catalogue, &long);
    write(&catalogue, "short");
    let edition = catalogue.snapshot(TODAY).unwrap().edition().unwrap();
    let target = dir.path().join("copy.db");
    assert_eq!(catalogue.write_copy(&target).unwrap(), edition);
    assert!(std::fs::metadata(&target).unwrap().len() < 1 << 20, "what was deleted takes no room");
    for beside in ["copy.db-wal", "copy.db-journal"] {
        assert!(!dir.path().join(beside).exists(), "{beside}");
    }
    let copy = Catalogue::open(&target).unwrap();
    let snapshot = copy.snapshot(TODAY).unwrap();
    assert_eq!(snapshot.edition().unwrap(), edition);
    assert_eq!(snapshot.meta("bundle").unwrap().as_deref(), Some("short"));
    assert!(copy.quick_check().unwrap().is_empty());
    // A copy never replaces a file.
    assert!(matches!(catalogue.write_copy(&target), Err(Error::Invalid(_))));
}

#[test]
fn a_damaged_catalogue_is_not_copied() {
    let (dir, catalogue) = catalogue();
    write(&catalogue, &"x".repeat(1 << 20));
    let path = catalogue.path();
    let bytes = std::fs::read(&path).unwrap();
    drop(catalogue);
    std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
    if let Ok(catalogue) = Catalogue::open(&path) {
        assert!(catalogue.write_copy(&dir.path().join("copy.db")).is_err());
    }
    assert!(!dir.path().join("copy.db").exists());
}

#[test]
fn snapshots_keep_the_file_that_they_were_taken_of() {
    let (dir, catalogue) = catalogue();
    write(&catalogue, "old");
    let clone = catalogue.clone();
    let before = catalogue.snapshot(TODAY).unwrap();
    let fingerprint = before.fingerprint();
    let other = Catalogue::open(dir.path().join("other.db")).unwrap();
    write(&other, "new");
    clone.switch_to(&other);
    let after = catalogue.snapshot(TODAY).unwrap();
    assert_eq!(before.meta("bundle").unwrap().as_deref(), Some("old"));
    assert_eq!(after.meta("bundle").unwrap().as_deref(), Some("new"));
    assert_ne!(after.fingerprint(), fingerprint);
    assert_eq!(catalogue.path(), dir.path().join("other.db"));
    // The old file may go: it is not opened again.
    std::fs::remove_file(dir.path().join("catalogue.db")).unwrap();
    assert_eq!(before.meta("bundle").unwrap().as_deref(), Some("old"));
    drop(before);
    catalogue.verify().unwrap();
    // Writes go to the new edition.
    write(&catalogue, "newer");
    assert_eq!(other.snapshot(TODAY).unwrap().meta("bundle").unwrap().as_deref(), Some("newer"));
}

#[test]
fn the_same_data_in_another_file_has_another_fingerprint() {
    let (dir, catalogue) = catalogue();
    let first = catalogue.snapshot(TODAY).unwrap().fingerprint();
    let copy = dir.path().join("copy.db");
    catalogue.write_copy(&copy).unwrap();
    catalogue.switch_to(&Catalogue::open(&copy).unwrap());
    assert_ne!(catalogue.snapshot(TODAY).unwrap().fingerprint(), first);
}

#[test]
fn readers_see_only_whole_versions_and_never_go_back() {
    const SWITCHES: u64 = 40;
    let (dir, source) = catalogue();
    write(&source, "1");
    let open = |number: u64| {
        let path = dir.path().join(format!("{number}.db"));
        source.write_copy(&path).unwrap();
        Catalogue::open(path).unwrap()
    };
    let served = open(0);
    let (done, read) = (AtomicBool::new(false), AtomicU64::new(0));
    #[expect(clippy::disallowed_methods, reason = "tests know the time")]
    let now = std::time::Instant::now;
    let reader = |recent: bool| {
        let mut last = 0;
        while !done.load(Ordering::Relaxed) {
            let taken =
                if recent { served.recent_snapshot(TODAY, now()) } else { served.snapshot(TODAY) };
            let snapshot = taken.unwrap();
            let version = snapshot.version().unwrap();
            assert_eq!(snapshot.meta("bundle").unwrap(), Some(version.to_string()));
            let made = snapshot.memo(|connection| Ok(version_of(connection)?.unsigned_abs()));
            assert_eq!(*made.unwrap(), version, "what was computed is of the same data");
            assert!(version >= last, "{version} after {last}");
            last = version;
            read.fetch_add(1, Ordering::Relaxed);
        }
    };
    std::thread::scope(|scope| {
        for number in 0..4 {
            scope.spawn(move || reader(number % 2 == 0));
        }
        for number in 1..=SWITCHES {
            write(&source, &(number + 1).to_string());
            served.switch_to(&open(number));
            if number > 1 {
                std::fs::remove_file(dir.path().join(format!("{}.db", number - 2))).unwrap();
            }
        }
        done.store(true, Ordering::Relaxed);
    });
    assert!(read.load(Ordering::Relaxed) > SWITCHES);
    assert_eq!(served.snapshot(TODAY).unwrap().version().unwrap(), SWITCHES + 1);
}
