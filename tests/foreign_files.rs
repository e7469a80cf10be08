//! Database files that are not ours are refused, and left alone.
use std::{
    fs,
    io::{BufRead, BufReader},
    path::Path,
    process::Stdio,
};

use fincore::{Accounts, Catalogue};

use crate::harness::{filled, finserve};

/// A whole SQLite database of some other program: one table, `CREATE TABLE t(a)`, without rows.
fn foreign() -> Vec<u8> {
    const PAGE: usize = 512;
    let mut file = vec![0; 2 * PAGE];
    let mut put = |at: usize, bytes: &[u8]| file[at..at + bytes.len()].copy_from_slice(bytes);
    // The header: size of a page, versions, fractions of payload; pages, schema, encoding, version.
    put(0, b"SQLite format 3\0\x02\0\x01\x01\0\x40\x20\x20\0\0\0\x01\0\0\0\x02");
    put(40, b"\0\0\0\x01\0\0\0\x04");
    put(56, b"\0\0\0\x01");
    put(92, b"\0\0\0\x01\0\x2e\x5f\x20");
    // A row of the schema: its length, its number, the types of its columns, and the columns.
    let sql = b"CREATE TABLE t(a)";
    let mut row = vec![6, 23, 15, 15, 1, u8::try_from(sql.len() * 2 + 13).unwrap()];
    row.extend(b"tablett\x02");
    row.extend(sql);
    let length = u8::try_from(row.len()).unwrap();
    row.splice(0..0, [length, 1]);
    let at = PAGE - row.len();
    put(at, &row);
    // Two leaves: one with that row, one empty.
    let start = u16::try_from(at).unwrap().to_be_bytes();
    put(100, &[13, 0, 0, 0, 1, start[0], start[1], 0, start[0], start[1]]);
    put(PAGE, &[13, 0, 0, 0, 0, 2, 0, 0]);
    file
}

#[test]
fn a_file_that_is_not_ours_is_refused_and_left_alone() {
    let own = tempfile::tempdir().unwrap();
    let path = |name: &str| own.path().join(name);
    drop(Accounts::open(path("accounts.db")).unwrap());
    drop(Catalogue::open(path("catalogue.db")).unwrap());
    let other = |name: &str| {
        let other = if name == "accounts.db" { "catalogue.db" } else { "accounts.db" };
        fs::read(path(other)).unwrap()
    };
    let import = ["import", "bcdata.sgs.433.json"];
    for name in ["accounts.db", "catalogue.db"] {
        let contents = [
            ("empty", Vec::new()),
            ("of another program", foreign()),
            ("the other one", other(name)),
            ("a text", b"these are notes\n".repeat(100)),
        ];
        for (what, content) in contents {
            let command: &[&str] = if name == "accounts.db" { &["keys", "list"] } else { &import };
            for command in [&["serve", "--listen", "127.0.0.1:0"], command] {
                let data = filled();
                let file = data.path().join(name);
                fs::write(&file, &content).unwrap();
                let ipca = data.path().join("bcdata.sgs.433.json");
                fs::write(&ipca, r#"[{"data":"01/09/2026","valor":"0.48"}]"#).unwrap();
                let place = format!("{command:?} with a {name} that is {what}");
                let errors = refused(command, data.path(), &place);
                assert!(errors.contains(file.to_str().unwrap()), "{place}: {errors}");
                // A server logs for programs where there is no terminal.
                let begins =
                    ["finserve: ", "{\"time\":"].iter().any(|begin| errors.starts_with(begin));
                let sentence = begins && errors.lines().count() == 1;
                assert!(sentence, "{place}: {errors}");
                assert!(fs::read(&file).unwrap() == content, "{place}: the file has changed");
            }
        }
    }
}

#[cfg(unix)]
#[test]
fn what_is_no_file_is_refused_and_nothing_waits_for_it() {
    for name in ["accounts.db", "catalogue.db"] {
        for what in ["a pipe", "a directory", "a link to nothing"] {
            let data = filled();
            let file = data.path().join(name);
            let _ = fs::remove_file(&file);
            match what {
                "a pipe" => {
                    let made = std::process::Command::new("mkfifo").arg(&file).status().unwrap();
                    assert!(made.success());
                }
                "a directory" => fs::create_dir(&file).unwrap(),
                _ => std::os::unix::fs::symlink(data.path().join("nowhere"), &file).unwrap(),
            }
            let place = format!("a {name} that is {what}");
            let errors = refused(&["serve", "--listen", "127.0.0.1:0"], data.path(), &place);
            assert!(errors.contains(file.to_str().unwrap()), "{place}: {errors}");
            assert_eq!(errors.lines().count(), 1, "{place}: {errors}");
            assert!(errors.contains("restore a"), "{place}: {errors}");
        }
    }
}

/// What a command says that must fail; one that listens instead is stopped.
fn refused(command: &[&str], data: &Path, place: &str) -> String {
    let mut child = finserve(command)
        .arg("--data")
        .arg(data)
        .current_dir(data)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    if !line.is_empty() {
        let _ = child.kill();
    }
    let output = child.wait_with_output().unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), line.as_str()), (Some(1), ""), "{place}: {errors}");
    errors
}
