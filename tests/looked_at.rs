//! Data that is only looked at: completions and `finserve get` leave it as it is.
use std::{fs, path::Path};

use rusqlite::Connection;

use crate::{
    completion::candidates,
    get::on,
    harness::{filled, finserve},
};

const QUESTION: &[&str] = &["company", "PETR4"];

/// What a command that failed said.
fn refused(data: &Path) -> String {
    let output = on(data, QUESTION);
    assert!(!output.status.success() && output.stdout.is_empty(), "{output:?}");
    String::from_utf8(output.stderr).unwrap()
}

#[test]
#[ignore = "long"]
fn a_file_of_another_version_is_left_as_it_is() {
    let data = filled();
    let file = data.path().join("catalogue.db");
    let whole = fs::read(&file).unwrap();
    for (change, said) in [
        ("UPDATE meta SET value = '1' WHERE name = 'index_version'", "finserve check --data"),
        ("PRAGMA user_version = 5", "finserve check --data"),
        ("PRAGMA user_version = 999", "made by a newer program"),
    ] {
        fs::write(&file, &whole).unwrap();
        Connection::open(&file).unwrap().execute_batch(change).unwrap();
        let before = fs::read(&file).unwrap();
        assert_eq!(candidates(data.path(), &["get", "company", "petr"]), Vec::<String>::new());
        let message = refused(data.path());
        assert!(message.contains(said), "{change}: {message}");
        assert!(fs::read(&file).unwrap() == before, "{change}: the file was changed");
        let left: Vec<_> = fs::read_dir(data.path()).unwrap().flatten().collect();
        assert!(left.iter().all(|entry| !entry.path().to_string_lossy().ends_with("-wal")));
    }
    // What the message says to run helps.
    fs::write(&file, &whole).unwrap();
    let change = "UPDATE meta SET value = '1' WHERE name = 'index_version'";
    Connection::open(&file).unwrap().execute_batch(change).unwrap();
    let checked = finserve(&["check", "--data"]).arg(data.path()).output().unwrap();
    assert!(checked.status.success(), "{checked:?}");
    assert!(on(data.path(), QUESTION).status.success());
    assert_eq!(candidates(data.path(), &["get", "company", "petr"])[0], "PETR3");
}

#[cfg(unix)]
#[test]
fn the_right_to_read_is_enough_while_the_file_is_in_use() {
    use std::os::unix::{fs::PermissionsExt, process::CommandExt};
    /// Somebody who owns nothing, for where the tests may do everything.
    const NOBODY: u32 = 65534;
    let data = filled();
    let allow = |path: &Path, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    let file = data.path().join("catalogue.db");
    allow(&file, 0o444);
    allow(data.path(), 0o555);
    let may_do_everything = tempfile::tempfile_in(data.path()).is_ok();
    let get = || {
        let mut command = finserve(&["get", "company", "PETR4", "--data"]);
        command.arg(data.path());
        if may_do_everything {
            command.uid(NOBODY).gid(NOBODY);
        }
        command.output()
    };
    // The program may lie where nobody else can reach it.
    let Ok(alone) = get() else { return };
    let message = String::from_utf8(alone.stderr).unwrap();
    assert!(
        !alone.status.success()
            && message.contains("unless a running server has the file open; run this as the owner"),
        "{message}"
    );

    // As a server has it open; SQLite gives what it keeps beside a file the same rights.
    allow(data.path(), 0o755);
    allow(&file, 0o644);
    let open = Connection::open(&file).unwrap();
    let count = "SELECT COUNT(*) FROM company";
    let _: i64 = open.query_row(count, [], |row| row.get(0)).unwrap();
    allow(&file, 0o444);
    allow(data.path(), 0o555);
    let beside = get().unwrap();
    assert!(beside.status.success(), "{beside:?}");
    assert!(String::from_utf8(beside.stdout).unwrap().contains("PETR4"));
    // So that the directory can be removed.
    allow(data.path(), 0o755);
}
