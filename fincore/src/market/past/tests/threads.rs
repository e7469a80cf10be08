//! The past and the present, asked for at the same time.
use std::thread;

use super::*;
use crate::market;

/// The days of October on which the catalogue below got another IPCA.
const IMPORTS: [(&str, &str); 3] = [("09", "0.48"), ("20", "0.49"), ("25", "0.50")];

/// Few connections, so that threads wait for each other.
const READERS: usize = 16;

fn catalogue() -> (tempfile::TempDir, Catalogue) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("catalogue.db");
    let catalogue = Catalogue::open_with_readers(path, READERS).unwrap();
    for (day, value) in IMPORTS {
        let time = format!("2026-10-{day}T12:00:00Z");
        import_rates(&catalogue, &time, 433, &[("01/09/2026", value)]);
    }
    (dir, catalogue)
}

fn value(snapshot: &Snapshot) -> String {
    market::ipca_current(snapshot).unwrap().value.to_string()
}

/// How often this process has the file open.
#[cfg(target_os = "linux")]
fn descriptors(catalogue: &Catalogue) -> usize {
    let path = catalogue.path().canonicalize().unwrap();
    let open = std::fs::read_dir("/proc/self/fd").unwrap();
    open.filter(|file| {
        let target = file.as_ref().ok().and_then(|file| std::fs::read_link(file.path()).ok());
        target.is_some_and(|target| target == path)
    })
    .count()
}

#[test]
fn present_and_past_never_mix() {
    let (_dir, catalogue) = catalogue();
    let ask = |turn: usize| {
        let now = catalogue.snapshot(day("2026-10-31")).unwrap();
        match turn % 5 {
            0 => assert_eq!(value(&first_releases(&now).unwrap()), "0.48"),
            1 => assert_eq!(value(&now), "0.50"),
            past => {
                let (number, wanted) = IMPORTS[past - 2];
                let then = as_of(&now, day(&format!("2026-10-{number}"))).unwrap();
                assert_eq!(value(&then), wanted);
                assert_eq!(value(&as_of(&then, day("2026-10-09")).unwrap()), "0.48");
                assert_eq!((value(&then), value(&now)), (wanted.to_owned(), "0.50".to_owned()));
            }
        }
        assert_eq!(value(&catalogue.snapshot(day("2026-10-31")).unwrap()), "0.50");
    };
    thread::scope(|scope| {
        for first in 0..2 {
            scope.spawn(move || (0..100).for_each(|turn| ask(first * 3 + turn)));
        }
    });
}

#[cfg(target_os = "linux")]
#[test]
fn asking_for_the_past_keeps_few_files_open() {
    let (_dir, catalogue) = catalogue();
    let now = catalogue.snapshot(day("2026-10-31")).unwrap();
    // On a busy machine a pool opens more connections than are needed, but never more than it may have.
    const MOST: usize = READERS + READERS / 4;
    for _ in 0..50 {
        drop(as_of(&now, day("2026-10-20")).unwrap());
        drop(first_releases(&now).unwrap());
    }
    assert!(descriptors(&catalogue) <= MOST);
    let several = [(); READERS / 4].map(|()| as_of(&now, day("2026-10-20")).unwrap());
    assert!((several.len()..=MOST).contains(&descriptors(&catalogue)));
    let time = std::time::Duration::from_millis(1);
    let one_more = crate::store::deadline::for_at_most(time, || first_releases(&now));
    assert!(matches!(one_more, Err(crate::values::error::Error::Busy(_))));
}
