//! `finserve doctor`: what it finds, and that it says so with its exit code.
use std::{fs, os::unix::fs::PermissionsExt, path::Path};

use serde_json::Value;

use crate::harness::{Server, filled, finserve};

/// Runs `finserve doctor --json` on a data directory.
fn doctor(data: &Path, arguments: &[&str]) -> (Value, Option<i32>) {
    let mut command = finserve(&["doctor", "--json", "--data"]);
    let output = command.arg(data).args(arguments).output().unwrap();
    let json = serde_json::from_slice(&output.stdout);
    let json =
        json.unwrap_or_else(|err| panic!("{err}: {}", String::from_utf8_lossy(&output.stderr)));
    (json, output.status.code())
}

/// What is said with a verdict about a subject.
fn said<'a>(report: &'a Value, verdict: &str, about: &str) -> Vec<&'a str> {
    let findings = report["findings"].as_array().unwrap().iter();
    let meant = findings.filter(|found| found["verdict"] == verdict && found["about"] == about);
    meant.map(|found| found["says"].as_str().unwrap()).collect()
}

#[test]
fn whoever_is_wrong_is_told_what_to_do() {
    let data = filled();
    let (report, code) = doctor(data.path(), &["--offline"]);
    // The bundled data has been old since it was bundled.
    assert!(said(&report, "wrong", "data").iter().any(|says| says.starts_with("Stale: selic 20")));
    assert_eq!(code, Some(1));
    let findings = report["findings"].as_array().unwrap();
    let wrong = findings.iter().filter(|found| found["verdict"] == "wrong");
    assert_eq!(report["wrong"], wrong.clone().count());
    assert!(wrong.clone().all(|found| !found["remedy"].as_str().unwrap().is_empty()));
    assert!(
        said(&report, "fine", "files").iter().any(|says| says.contains("catalogue.db is sound"))
    );
    assert_eq!(said(&report, "fine", "clock").len(), 1);
    assert!(said(&report, "wrong", "sources").is_empty(), "nobody is asked offline");
}

#[test]
fn a_look_creates_nothing() {
    let parent = tempfile::tempdir().unwrap();
    let missing = parent.path().join("missing");
    let (report, code) = doctor(&missing, &["--offline"]);
    assert!(said(&report, "wrong", "files")[0].contains("cannot be examined"));
    assert_eq!((code, missing.exists()), (Some(1), false));
    let (report, _) = doctor(parent.path(), &["--offline"]);
    assert!(said(&report, "wrong", "files")[0].contains("there is no"));
    assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 0);
}

#[test]
fn files_that_others_read_and_files_that_are_not_ours_are_found() {
    let data = filled();
    fs::write(data.path().join("accounts.db"), "something else, and long enough to be read")
        .unwrap();
    let all = fs::Permissions::from_mode(0o644);
    fs::set_permissions(data.path().join("accounts.db"), all).unwrap();
    let (report, _) = doctor(data.path(), &["--offline"]);
    let wrong = said(&report, "wrong", "files");
    assert!(wrong.contains(&"accounts.db can be read by others (mode 644)."), "{wrong:?}");
    assert!(wrong.iter().any(|says| says.starts_with("accounts.db cannot be used")), "{wrong:?}");
}

#[test]
fn a_publisher_that_cannot_be_reached_is_named() {
    // Nobody listens on port 1.
    let nowhere = "http://127.0.0.1:1";
    let server = Server::shared();
    let here = format!("http://{}", server.address);
    let (report, _) = doctor(
        filled().path(),
        &[
            "--sgs-url",
            nowhere,
            "--olinda-url",
            &here,
            "--ptax-url",
            &here,
            "--bcb-url",
            &here,
            "--cvm-url",
            nowhere,
        ],
    );
    let wrong = said(&report, "wrong", "sources");
    assert_eq!(wrong.len(), 2, "{wrong:?}");
    assert!(wrong[0].starts_with("SGS does not answer") && wrong[1].starts_with("CVM does not"));
    assert_eq!(said(&report, "fine", "sources").len(), 3);
}

#[test]
fn a_server_that_believes_anybody_is_found_and_one_that_does_not_is_not() {
    for (proxies, verdict) in [(&["--trusted-proxy", "127.0.0.1"][..], "wrong"), (&[], "fine")] {
        let server = Server::start_with(proxies);
        let url = format!("http://{}", server.address);
        let (report, _) = doctor(server.data.path(), &["--offline", "--url", &url]);
        let forged = said(&report, verdict, "proxy");
        assert!(forged[0].starts_with("A forged X-Forwarded-For is"), "{report}");
        assert!(said(&report, "wrong", "TLS")[0].contains("is not encrypted"));
        assert!(
            said(&report, "fine", "files").iter().any(|says| says.contains("A server is running"))
        );
    }
}

#[test]
fn whether_a_server_is_ready_is_one_question() {
    let (report, code) = doctor(Path::new("nowhere"), &["--ready", "127.0.0.1:1"]);
    assert_eq!(report["findings"].as_array().unwrap().len(), 1);
    assert_eq!((said(&report, "wrong", "server").len(), code), (1, Some(1)));
}

#[test]
fn the_version_names_the_commit_and_sqlite() {
    let output = finserve(&["--version"]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.starts_with(concat!("finserve ", env!("CARGO_PKG_VERSION"), " (commit ")),
        "{text}"
    );
    assert!(text.contains(&format!("SQLite {}", fincore::sqlite_version())), "{text}");
}

#[test]
fn every_shell_gets_completions() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let output = finserve(&["completions", shell]).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success() && text.contains("FINSERVE_COMPLETE"), "{shell}");
    }
}

#[test]
fn every_command_gets_a_manual_page() {
    let directory = tempfile::tempdir().unwrap();
    let pages = directory.path().join("man");
    assert!(finserve(&["man"]).arg(&pages).output().unwrap().status.success());
    for page in ["finserve.1", "finserve-serve.1", "finserve-keys-create.1", "finserve-doctor.1"] {
        let text = fs::read_to_string(pages.join(page)).unwrap();
        assert!(text.contains(".SH NAME") && !text.contains('\x1b'), "{page}");
    }
}
