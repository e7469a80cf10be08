//! Backups of a server that runs, put back; and files that are lost while it runs.
use std::{
    fs,
    path::Path,
    process::{Command, Output},
    time::{Duration, Instant},
};

use fincore::{Plan, keys};

use crate::{
    harness::{Reply, Server, filled, finserve, new_key, with},
    operation::ask,
};

const ANA: &str = r#"{"name":"Ana","email":"ana@example.com"}"#;

fn run(data: &Path, arguments: &[&str]) -> Output {
    finserve(arguments).arg("--data").arg(data).output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&[&output.stdout[..], &output.stderr].concat()).into_owned()
}

fn register(server: &Server) -> Reply {
    server.post("/api/v1/plans/register", "", ANA)
}

#[test]
fn a_backup_of_a_running_server_is_put_back() {
    let server = Server::start();
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("backup.zip");
    let file = file.to_str().unwrap();
    let made = run(server.data.path(), &["backup", file]);
    assert!(said(&made).contains("accounts.db and catalogue.db complete and verified"), "{made:?}");
    let again = run(server.data.path(), &["backup", file]);
    assert!(said(&again).contains("exists already"), "{again:?}");
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1, "nothing else is left");

    // Not over a server, and not over data without being told to.
    let refused = run(server.data.path(), &["restore", file, "--replace"]);
    assert!(said(&refused).contains("a server is running"), "{refused:?}");
    let elsewhere = filled();
    let refused = run(elsewhere.path(), &["restore", file]);
    assert!(said(&refused).contains("--replace"), "{refused:?}");
    let restored = run(elsewhere.path(), &["restore", file, "--replace"]);
    assert!(said(&restored).contains("before-restore-"), "{restored:?}");
    let known = keys::list(&server.accounts()).unwrap();
    let kept = fincore::Accounts::open(elsewhere.path().join("accounts.db")).unwrap();
    assert_eq!(keys::list(&kept).unwrap(), known);
    let answer = |server: &Server| server.get("/api/v1/market/selic").text().to_owned();
    assert_eq!(answer(&Server::start_on(elsewhere, &[])), answer(&server));
}

#[test]
fn a_restore_that_is_refused_leaves_nothing_behind() {
    let place = tempfile::tempdir().unwrap();
    let no_backup = place.path().join("notes.zip");
    fs::write(&no_backup, "these are notes").unwrap();
    let names = |directory: &Path| {
        let mut names: Vec<_> =
            fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    };
    let refuse = |data: &Path| {
        let refused = run(data, &["restore", no_backup.to_str().unwrap()]);
        assert_eq!(refused.status.code(), Some(1), "{refused:?}");
        assert!(said(&refused).contains("is not a backup"), "{refused:?}");
    };
    refuse(&place.path().join("new/data"));
    assert_eq!(names(place.path()), ["notes.zip"]);
    let empty = tempfile::tempdir().unwrap();
    refuse(empty.path());
    assert!(names(empty.path()).is_empty());
    // A lock that a server has left stays, and so does what else is there.
    let served = filled();
    fs::write(served.path().join("serve.lock"), "").unwrap();
    let before = names(served.path());
    refuse(served.path());
    assert_eq!(names(served.path()), before);
}

#[test]
fn what_a_newer_version_has_used_is_not_changed() {
    let data = filled();
    drop(fincore::Accounts::open(data.path().join("accounts.db")).unwrap());
    let file = data.path().join("bcdata.sgs.433.json");
    fs::write(&file, r#"[{"data":"01/09/2026","valor":"0.48"}]"#).unwrap();
    // The catalogue is of the version before, so that opening it would change it.
    let set_version = |name: &str, version: u32| {
        let database = rusqlite::Connection::open(data.path().join(name)).unwrap();
        database.pragma_update(None, "user_version", version).unwrap();
        database.pragma_update(None, "journal_mode", "delete").unwrap();
    };
    set_version("accounts.db", 99);
    let message = "accounts.db was made by a newer program: it is at version 99, this program supports 7; \
        use the newer finserve, or restore a backup from before it";
    let read = |name: &str| fs::read(data.path().join(name)).unwrap();
    set_version("catalogue.db", 11);
    let before = (read("catalogue.db"), read("accounts.db"));
    let file = file.to_str().unwrap();
    for command in
        [&["import", file][..], &["sync"], &["rebuild"], &["serve", "--listen", "127.0.0.1:0"]]
    {
        let refused = run(data.path(), command);
        assert_eq!(refused.status.code(), Some(1), "{command:?}");
        assert!(said(&refused).contains(message), "{command:?}: {refused:?}");
        assert!((read("catalogue.db"), read("accounts.db")) == before, "{command:?}");
    }
}

#[test]
fn nothing_is_written_to_accounts_that_are_damaged() {
    use std::io::Write;
    let server = Server::process(&["--admin", "127.0.0.1:0", "--registrations-per-hour", "100000"]);
    let path = server.data.path().join("accounts.db");
    let with_key = with(&new_key(&server.accounts(), Plan::Platinum));
    let get = |target: &str| server.keyless("GET", target, &with_key).status;
    assert_eq!(get("/api/v1/links"), 200);
    // All of it into the file itself.
    let database = rusqlite::Connection::open(&path).unwrap();
    database.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    // What a registration or a link does not touch.
    let pages: Vec<usize> = {
        let sql = "SELECT rootpage FROM sqlite_master WHERE tbl_name = 'session' AND rootpage > 0";
        let mut pages = database.prepare(sql).unwrap();
        let pages = pages.query_map([], |row| row.get::<_, u32>(0)).unwrap();
        pages.map(|page| page.unwrap() as usize).collect()
    };
    drop(database);
    let whole = fs::read(&path).unwrap();
    let mut damaged = whole.clone();
    pages.iter().for_each(|page| damaged[(page - 1) * 4096..page * 4096].fill(0xff));
    let write = |bytes: &[u8]| {
        fs::OpenOptions::new().write(true).open(&path).unwrap().write_all(bytes).unwrap();
    };
    write(&damaged);
    let deadline = Instant::now() + Duration::from_secs(120);
    let is_ready = || ask(&server, "/ready").0 == 200;
    while is_ready() {
        // Something that is counted, and so written.
        get("/api/v1/market/selic/current");
        assert!(Instant::now() < deadline, "the damage is not met");
    }
    for _ in 0..3 {
        register(&server).expect_error(503, "unavailable");
        let sent = "name=Ana&email=ana%40example.com";
        let form = format!(
            "POST /pricing HTTP/1.1\r\nHost: test\r\nConnection: close\r\nContent-Length: {}\r\n\
             Content-Type: application/x-www-form-urlencoded\r\n\r\n{sent}",
            sent.len()
        );
        assert_eq!(server.send(form.as_bytes()).status, 503);
        let link = server.post("/api/v1/links", &with_key, r#"{"name":"a"}"#);
        link.expect_error(503, "unavailable");
        assert_eq!(get("/api/v1/market/selic/current"), 200, "keys that are known go on working");
        assert!(!is_ready());
    }
    write(&whole);
    while !is_ready() {
        assert!(Instant::now() < deadline, "the repair is not met");
    }
    assert_eq!(register(&server).status, 201);
    assert_eq!(server.post("/api/v1/links", &with_key, r#"{"name":"a"}"#).status, 201);
}

#[test]
fn a_second_server_needs_to_share() {
    let server = Server::start_with(&["--shared"]);
    let second = ["serve", "--listen", "127.0.0.1:0"];
    let refused = run(server.data.path(), &second);
    assert_eq!(refused.status.code(), Some(1));
    assert!(said(&refused).contains("--shared"), "{refused:?}");
}

#[test]
fn accounts_that_are_lost_are_not_begun_anew() {
    let server = Server::start();
    let data = server.data.path();
    let (file, away) = (data.join("accounts.db"), data.join("away.db"));
    fs::rename(&file, &away).unwrap();
    let refused = register(&server);
    refused.expect_error(503, "unavailable");
    assert_eq!(refused.header("retry-after"), Some("5"));
    assert_eq!(server.get("/api/v1/market/selic").status, 200, "keys that are known go on working");
    for command in [&["keys", "list"][..], &["check"], &["backup", "copy.zip"]] {
        let output = run(data, command);
        assert_eq!(output.status.code(), Some(1), "{command:?}: {output:?}");
    }
    assert!(!file.exists());
    fs::rename(&away, &file).unwrap();
    assert_eq!(register(&server).status, 201);
}

#[test]
fn a_catalogue_that_was_damaged_for_a_moment_is_whole_again() {
    use std::io::Write;
    let mut server = Server::process(&[]);
    // The server has all of it in the file itself.
    let path = server.data.path().join("catalogue.db");
    let whole = fs::read(&path).unwrap();
    let write = |bytes: &[u8]| {
        fs::OpenOptions::new().write(true).open(&path).unwrap().write_all(bytes).unwrap();
    };
    let damaged = [&whole[..4096], &vec![0xff; whole.len() - 4096]].concat();
    write(&damaged);
    let ask = |n: u32| server.get(&format!("/api/v1/filings?limit=1&offset={n}")).status;
    let deadline = Instant::now() + Duration::from_secs(120);
    let mut asked = 0;
    while ask(asked) != 503 {
        asked += 1;
        assert!(Instant::now() < deadline, "the damage is not met");
    }
    write(&whole);
    for n in 0..50 {
        assert_eq!(ask(50_000 + n), 200);
    }
    assert!(Command::new("kill").arg(server.pid().to_string()).status().unwrap().success());
    assert!(server.wait().success());
}
