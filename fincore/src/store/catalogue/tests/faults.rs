//! Which connections a fault makes unfit for use.
use rusqlite::ffi;
use tempfile::TempDir;

use super::*;
use crate::accounts::Accounts;

/// A cache size by which a connection of the pool is known again.
const MARK: i64 = -1234;

fn mark(catalogue: &Catalogue) {
    let set = |connection: &Connection| Ok(connection.pragma_update(None, "cache_size", MARK)?);
    catalogue.snapshot(TODAY).unwrap().read(set).unwrap();
    assert!(has_marked_connection(catalogue));
}

/// A catalogue with so few connections that a test has all of them: on a busy machine the pool opens more than are needed.
fn catalogue() -> (TempDir, Catalogue) {
    let dir = tempfile::tempdir().unwrap();
    let catalogue = Catalogue::open_with_readers(dir.path().join("catalogue.db"), FEWEST_READERS);
    (dir, catalogue.unwrap())
}

fn has_marked_connection(catalogue: &Catalogue) -> bool {
    let size = |connection: &Connection| {
        Ok(connection.pragma_query_value(None, "cache_size", |row| row.get::<_, i64>(0))?)
    };
    let all = [(); FEWEST_READERS].map(|()| catalogue.snapshot(TODAY).unwrap());
    all.iter().any(|snapshot| snapshot.read(size).unwrap() == MARK)
}

fn corrupt() -> rusqlite::Error {
    rusqlite::Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_CORRUPT), None)
}

#[test]
fn an_error_of_another_file_costs_no_connection() {
    let (dir, catalogue) = catalogue();
    mark(&catalogue);
    // A connection is given up when it was in use during a fault.
    let in_use = catalogue.snapshot(TODAY).unwrap();
    assert!(Error::from(corrupt()).is_damage());
    let foreign = dir.path().join("foreign.db");
    std::fs::write(&foreign, "no database at all").unwrap();
    assert!(Catalogue::open(&foreign).is_err() && Accounts::open(&foreign).is_err());
    drop(in_use);
    assert!(has_marked_connection(&catalogue));
}

#[test]
fn a_fault_of_the_file_costs_the_connections_of_this_file_only() {
    let rename = |catalogue: &Catalogue, from: &str, to: &str| {
        let by_hand = Connection::open(catalogue.path()).unwrap();
        by_hand.execute_batch(&format!("ALTER TABLE {from} RENAME TO {to}")).unwrap();
    };
    const COUNT: &str = "SELECT COUNT(*) FROM rate";
    type Read = fn(&Snapshot) -> Result<()>;
    let reads: [Read; 3] = [
        |snapshot| snapshot.count(COUNT, []).map(drop),
        |snapshot| snapshot.rows(COUNT, [], |_| Ok(())).map(drop),
        |snapshot| snapshot.read(|connection| Ok(connection.prepare(COUNT).map(drop)?)),
    ];
    for (at, read) in reads.into_iter().enumerate() {
        let ((_dir, damaged), (_other_dir, sound)) = (catalogue(), catalogue());
        mark(&damaged);
        mark(&sound);
        rename(&damaged, "rate", "hidden");
        let snapshot = damaged.snapshot(TODAY).unwrap();
        let others = [&damaged, &sound].map(|catalogue| catalogue.snapshot(TODAY).unwrap());
        assert!(matches!(read(&snapshot), Err(Error::Unavailable { .. })), "{at}");
        drop((snapshot, others));
        rename(&damaged, "hidden", "rate");
        assert!(!has_marked_connection(&damaged), "{at}");
        assert!(has_marked_connection(&sound), "{at}");
    }
}

#[test]
fn a_wrong_statement_is_no_fault_of_a_whole_file() {
    let (_dir, catalogue) = catalogue();
    mark(&catalogue);
    let snapshot = catalogue.snapshot(TODAY).unwrap();
    for wrong in ["SELECT x FROM never", "SELECT never FROM rate", "SELECT"] {
        let err = snapshot.count(wrong, []).unwrap_err();
        assert!(matches!(err, Error::Storage { .. }) && !err.is_damage(), "{wrong}: {err:?}");
    }
    drop(snapshot);
    assert!(has_marked_connection(&catalogue));
}

#[test]
fn a_file_that_has_lost_a_table_is_damaged() {
    let (_dir, catalogue) = catalogue();
    let snapshot = catalogue.snapshot(TODAY).unwrap();
    Connection::open(catalogue.path()).unwrap().execute_batch("DROP TABLE meta").unwrap();
    drop(snapshot);
    assert!(catalogue.snapshot(TODAY).unwrap_err().is_damage());
    assert!(catalogue.write(noon()).unwrap_err().is_damage());
    assert!(
        Catalogue::open(catalogue.path()).unwrap_err().to_string().contains("restore a backup")
    );
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("accounts.db");
    let accounts = Accounts::open(&path).unwrap();
    Connection::open(&path).unwrap().execute_batch("DROP TABLE session").unwrap();
    assert!(accounts.refresh().unwrap_err().is_damage());
}
