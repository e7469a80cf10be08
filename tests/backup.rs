//! Backups of a server that runs, put back; and files that are lost while it runs.
use std::{
    fs,
    path::Path,
    process::{Command, Output},
    time::{Duration, Instant},
};

use fincore::keys;

use crate::harness::{Reply, Server, filled, finserve};

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
