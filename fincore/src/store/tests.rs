//! Files that are created, migrated, refused and left alone.
use std::{fs, path::PathBuf};

use rusqlite::Connection;

use super::*;
use crate::store::sqlite_file::{open, version_of};

const ID: &str = "PRAGMA application_id = 7";

fn schema(migrations: &'static [&'static str]) -> Schema {
    Schema {
        what: "a test file",
        application_id: 7,
        migrations,
        unmarked: 1,
        table: "a",
        remedy: "remove it",
        audience: Audience::Default,
    }
}

fn directory() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.db");
    (dir, path)
}

#[test]
fn migrates_step_by_step_and_refuses_a_newer_file() {
    let (_dir, path) = directory();
    let version = |steps| version_of(&open(&path, &schema(steps)).unwrap()).unwrap();
    assert_eq!(version(&["CREATE TABLE a (x)"]), 1);
    assert_eq!(version(&["CREATE TABLE a (x)", ID]), 2);
    assert_eq!(version(&["CREATE TABLE a (x)", ID, "CREATE TABLE b (x)"]), 3);
    let message = open(&path, &schema(&["CREATE TABLE a (x)"])).unwrap_err().to_string();
    assert!(message.contains("newer program"), "{message}");
}

#[test]
fn a_failing_migration_leaves_the_file_as_it_was() {
    let (dir, path) = directory();
    assert!(open(&path, &schema(&["CREATE TABLE a (x); CREATE TABLE a (x)"])).is_err());
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    drop(open(&path, &schema(&[ID])).unwrap());
    assert!(open(&path, &schema(&[ID, "CREATE TABLE b (x); CREATE TABLE b (x)"])).is_err());
    let connection = open(&path, &schema(&[ID])).unwrap();
    let tables: i64 =
        connection.query_row("SELECT COUNT(*) FROM sqlite_master", [], |row| row.get(0)).unwrap();
    assert_eq!((tables, version_of(&connection).unwrap()), (0, 1));
}

#[test]
fn refuses_a_file_that_is_not_ours_and_leaves_it_alone() {
    let (_dir, path) = directory();
    let foreign = |sql: &str| {
        let (dir, path) = directory();
        Connection::open(&path).unwrap().execute_batch(sql).unwrap();
        let bytes = fs::read(&path).unwrap();
        drop(dir);
        bytes
    };
    let cases = [
        (Vec::new(), "is empty"),
        (b"<html>not a database, but long enough".to_vec(), "is not a database"),
        (foreign("CREATE TABLE notes (x)"), "is another program's database"),
        (foreign("CREATE TABLE a (x); PRAGMA application_id = 8"), "is another program's"),
        (foreign("CREATE TABLE b (x); PRAGMA user_version = 1"), "is another program's"),
        (foreign("CREATE TABLE a (x); PRAGMA user_version = 2"), "is another program's"),
    ];
    for (bytes, why) in cases {
        fs::write(&path, &bytes).unwrap();
        let message = open(&path, &schema(&["CREATE TABLE a (x)", ID])).unwrap_err().to_string();
        assert!(message.contains("a.db"), "{message}");
        assert!(message.contains(why), "{message} lacks {why}");
        assert!(message.contains("is not a test file: it is"), "{message}");
        assert!(message.ends_with("move the file away and restore a backup"), "{message}");
        assert_eq!(fs::read(&path).unwrap(), bytes);
    }
}

#[cfg(unix)]
#[test]
fn refuses_a_link_to_nothing_and_follows_others() {
    let (dir, path) = directory();
    let target = dir.path().join("volume.db");
    std::os::unix::fs::symlink(&target, &path).unwrap();
    let message = open(&path, &schema(&[ID])).unwrap_err().to_string();
    assert!(message.contains("a link to a file that does not exist"), "{message}");
    assert!(path.is_symlink() && !target.exists());
    drop(open(&target, &schema(&[ID])).unwrap());
    assert!(open(&path, &schema(&[ID])).is_ok() && path.is_symlink());
}

#[test]
fn several_programs_create_one_file() {
    let (dir, path) = directory();
    let opened: Vec<_> = std::thread::scope(|scope| {
        let open = || open(&path, &schema(&["CREATE TABLE a (x)", ID])).unwrap();
        let programs: Vec<_> = (0..8).map(|_| scope.spawn(open)).collect();
        programs.into_iter().map(|program| program.join().unwrap()).collect()
    });
    // One after the other: of two that close at the same time, neither may be the one that removes the log.
    drop(opened);
    let names = fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name());
    assert_eq!(names.collect::<Vec<_>>(), ["a.db"]);
}
