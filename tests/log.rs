//! `finserve log`: the change log as operators read it.
use std::{fs, path::Path, process::Output};

use serde_json::Value;

use crate::harness::{Server, finserve, import};

fn log(data: &Path, arguments: &[&str]) -> Output {
    finserve(&["log", "--data"]).arg(data).args(arguments).output().unwrap()
}

/// Imports one series, given as `(day, value)`.
fn import_series(data: &Path, number: u32, rows: &[(&str, &str)]) {
    let rows = rows.iter().map(|(day, value)| format!(r#"{{"data":"{day}","valor":"{value}"}}"#));
    let file = data.join(format!("bcdata.sgs.{number}.json"));
    fs::write(&file, format!("[{}]", rows.collect::<Vec<_>>().join(","))).unwrap();
    let output = import(data, &[&file]);
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn lists_what_imports_did_and_nothing_of_the_bundle() {
    let server = Server::start();
    let data = server.data.path();
    let output = log(data, &[]);
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "no changes\n");
    assert_eq!(String::from_utf8(log(data, &["--json"]).stdout).unwrap(), "[]\n");

    import_series(data, 433, &[("01/07/2026", "0.31"), ("01/09/2026", "0.48")]);
    import_series(data, 433, &[("01/10/2026", "0.22")]);
    let entries: Value = serde_json::from_slice(&log(data, &["--json"]).stdout).unwrap();
    let shown: Vec<String> = entries
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| {
            let of = |name: &str| entry[name].as_str().unwrap().to_owned();
            assert!(of("time").ends_with('Z'), "{entry}");
            format!("{} {} {} {}", entry["version"], of("dataset"), of("key"), of("change"))
        })
        .collect();
    let want = ["2 ipca 2026-07-01 changed", "2 ipca 2026-09-01 added", "3 ipca 2026-10-01 added"];
    assert_eq!(shown, want);

    // By default a line for each import, an empty one, and the table.
    let whole = String::from_utf8(log(data, &[]).stdout).unwrap();
    let lines: Vec<&str> = whole.lines().collect();
    assert_eq!(lines.len(), 7, "{whole}");
    assert!(lines[0].starts_with("      2 20") && lines[0].ends_with(" ipca 1 added, 1 changed"));
    assert!(lines[1].starts_with("      3 20") && lines[1].ends_with(" ipca 1 added"), "{whole}");
    assert!(lines[2].is_empty() && lines[3].contains("version"), "{whole}");
    let all = String::from_utf8(log(data, &["--all"]).stdout).unwrap();
    assert_eq!(all.lines().collect::<Vec<_>>(), lines[3..]);

    let table = String::from_utf8(log(data, &["--since", "2"]).stdout).unwrap();
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines.len(), 2, "{table}");
    assert!(lines[0].contains("version") && lines[0].contains("dataset"), "{table}");
    assert!(lines[1].contains(" added   ipca            2026-10-01"), "{table}");
    assert_eq!(String::from_utf8(log(data, &["--since", "3"]).stdout).unwrap(), "no changes\n");
}

#[test]
fn says_how_far_back_it_goes() {
    let server = Server::start();
    let data = server.data.path();
    let output = log(data, &["--since", "0"]);
    assert_eq!(output.status.code(), Some(1));
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.contains("the change log starts after data version 1"), "{message}");
    let nowhere = log(Path::new("/nonexistent"), &[]);
    assert_eq!(nowhere.status.code(), Some(1));
    assert!(String::from_utf8(nowhere.stderr).unwrap().contains("--data"));
}

#[test]
fn a_reader_that_has_seen_enough_ends_it() {
    let server = Server::start();
    let data = server.data.path();
    let rows: Vec<(String, &str)> = (0..9_000)
        .map(|n| (format!("{:02}/{:02}/{}", n % 28 + 1, n / 28 % 12 + 1, 1990 + n / 336), "1.0"))
        .collect();
    let rows: Vec<(&str, &str)> = rows.iter().map(|(day, value)| (day.as_str(), *value)).collect();
    import_series(data, 99_999, &rows);
    let pipe = std::process::Command::new("sh")
        .arg("-c")
        .arg(format!(
            "{} log --data {} | head -n 1",
            env!("CARGO_BIN_EXE_finserve"),
            data.display()
        ))
        .output()
        .unwrap();
    assert!(pipe.status.success());
    let newest = String::from_utf8(log(data, &[]).stdout).unwrap();
    assert!(newest.contains("\nthe newest 50 of 9000 changes; --all prints all\n"), "{newest}");
    assert_eq!(newest.lines().count(), 1 + 3 + 1 + 50);
    assert_eq!(String::from_utf8(pipe.stderr).unwrap(), "");
    assert_eq!(String::from_utf8(pipe.stdout).unwrap().lines().count(), 1);
}

#[test]
fn old_changes_are_forgotten_when_data_comes_in() {
    let server = Server::start();
    let data = server.data.path();
    import_series(data, 433, &[("01/09/2026", "0.48")]);
    let file = data.join("catalogue.db");
    let old = "UPDATE revision SET time = strftime('%Y-%m-%dT%H:%M:%SZ', 'now', '-100 days')";
    assert_eq!(rusqlite::Connection::open(file).unwrap().execute(old, []).unwrap(), 2);

    let series = data.join("bcdata.sgs.433.json");
    let import = |value: &str, arguments: &[&str]| {
        fs::write(&series, format!(r#"[{{"data":"01/10/2026","valor":"{value}"}}]"#)).unwrap();
        let output =
            finserve(&["import", "--data"]).arg(data).args(arguments).arg(&series).output();
        assert!(output.unwrap().status.success());
        let entries: Value = serde_json::from_slice(&log(data, &["--json"]).stdout).unwrap();
        entries.as_array().unwrap().len()
    };
    assert_eq!(import("0.21", &["--keep-changes", "120"]), 2);
    assert_eq!(import("0.22", &[]), 2, "that of 100 days ago is gone, there are two newer ones");
    let message = String::from_utf8(log(data, &["--since", "1"]).stderr).unwrap();
    assert!(message.contains("starts after data version 2"), "{message}");
}
