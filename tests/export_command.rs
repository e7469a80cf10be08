//! `finserve export`: whole datasets as operators get them.
use std::{
    fs,
    io::Read,
    path::Path,
    process::{Output, Stdio},
};

use serde_json::Value;

use crate::harness::{Server, filled, finserve};

fn export(data: &Path, arguments: &[&str]) -> Output {
    finserve(&["export", "--data"]).arg(data).args(arguments).output().unwrap()
}

/// What a successful export wrote to the standard output.
fn exported(data: &Path, arguments: &[&str]) -> String {
    let output = export(data, arguments);
    assert!(output.status.success(), "{output:?}");
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.starts_with("exported: ") && said.contains(", data version "), "{said}");
    String::from_utf8(output.stdout).unwrap()
}

fn names(directory: &Path) -> Vec<String> {
    let names = fs::read_dir(directory).unwrap();
    let mut names: Vec<String> =
        names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn writes_what_the_server_answers() {
    let server = Server::shared();
    let data = server.data.path();
    let answer = server.get("/api/v1/market/ipca?from=2026-01-01&limit=1000").json();
    let lines = exported(data, &["ipca", "--from", "2026-01-01"]);
    let rows: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    // JSON leaves out the origin of a published figure.
    let mut wanted = answer["data"].clone();
    for row in wanted.as_array_mut().unwrap() {
        row["origin"] = "published".into();
    }
    assert_eq!(Value::from(rows), wanted);
    // The first pair of them, by code.
    let quotes = exported(data, &["fx", "--format", "csv", "--dialect", "br"]);
    assert!(quotes.starts_with("\u{feff}date;pair;buy;sell;origin\r\n"), "{}", &quotes[..80]);
    let companies = exported(data, &["companies"]);
    let total = server.get("/api/v1/companies?limit=1").json()["total"].clone();
    assert_eq!(Value::from(companies.lines().count()), total);
}

#[cfg(not(feature = "parquet"))]
#[test]
fn a_build_without_parquet_writes_no_file_of_that_name() {
    let (data, out) = (filled(), tempfile::tempdir().unwrap());
    let file = out.path().join("selic.parquet");
    let output = export(data.path(), &["selic", "--out", file.to_str().unwrap()]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("this build has no support for Parquet"), "{said}");
    assert!(!file.exists());
}

#[cfg(feature = "parquet")]
#[test]
fn a_file_appears_when_it_is_complete_and_replaces_the_old_one() {
    let (data, out) = (filled(), tempfile::tempdir().unwrap());
    let file = out.path().join("selic.parquet");
    fs::write(&file, "old").unwrap();
    let name = file.to_str().unwrap();
    let output = export(data.path(), &["SELIC", "--format", "parquet", "--out", name]);
    assert!(output.status.success(), "{output:?}");
    assert!(output.stdout.is_empty());
    let said = String::from_utf8(output.stderr).unwrap();
    let bytes = fs::read(&file).unwrap();
    assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"));
    let length =
        format!(" rows, {} bytes, data version 1 (--since 1 exports later changes)\n", bytes.len());
    assert!(said.starts_with(name) && said.ends_with(&length), "{said}");
    assert_eq!(names(out.path()), ["selic.parquet"]);
}

#[test]
fn a_failure_leaves_the_old_file_and_no_part_of_a_new_one() {
    let (data, out) = (filled(), tempfile::tempdir().unwrap());
    let file = out.path().join("ipca.ndjson");
    fs::write(&file, "old").unwrap();
    let catalogue = rusqlite::Connection::open(data.path().join("catalogue.db")).unwrap();
    let sql = "UPDATE rate SET value = 'x' WHERE series = 433 AND date = '1990-03-01'";
    assert_eq!(catalogue.execute(sql, []).unwrap(), 1);
    let output = export(data.path(), &["ipca", "--out", file.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("the export is not complete"), "{said}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "old");
    assert_eq!(names(out.path()), ["ipca.ndjson"]);
}

#[test]
fn tells_what_changed_since_a_version() {
    let data = filled();
    let file = data.path().join("bcdata.sgs.433.json");
    fs::write(&file, r#"[{"data":"01/07/2026","valor":"9.99"}]"#).unwrap();
    let output = finserve(&["import", "--force", "--data"]).arg(data.path()).arg(&file).output();
    assert!(output.unwrap().status.success());
    let changed = exported(data.path(), &["ipca", "--since", "1"]);
    let first = "{\"change\":\"changed\",\"date\":\"2026-07-01\",\"value\":9.99,\"origin\":\"published\"}\n";
    assert!(changed.ends_with(first), "{changed}");
    let none = exported(data.path(), &["companies", "--since", "2", "--format", "csv"]);
    assert_eq!(none.lines().count(), 1, "{none}");
}

#[test]
fn says_what_is_wrong_with_the_command() {
    let data = filled();
    let cases: [(&[&str], &str); 10] = [
        (&["nope"], "there is no dataset \"nope\""),
        (&["777777"], "there is no dataset \"777777\""),
        (&["fx", "--format", "xml"], "[possible values: ndjson, csv, parquet]"),
        (&["fx", "--format", "csv", "--dialect", "us"], "[possible values: standard, br]"),
        (&["fx", "--dialect", "br"], "--dialect only applies to CSV: add --format csv"),
        (&["companies", "--from", "2026-01-01"], "companies are not dated"),
        (&["fx", "--since", "1", "--to", "2026-01-01"], "from and to cannot be combined with it"),
        (&["fx", "--out", "/nonexistent/x.csv"], "x.csv: there is no directory /nonexistent\n"),
        (&["fx", "--since", "0"], "the change log starts after data version 1"),
        (&["fx", "--since", "99"], "there is no data version 99 yet: the newest one is 1"),
    ];
    for (arguments, message) in cases {
        let output = export(data.path(), arguments);
        assert!(!output.status.success(), "{arguments:?}");
        assert!(output.stdout.is_empty(), "{arguments:?}");
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains(message), "{arguments:?}: {said}");
    }
    // A look at data must not create it.
    let nowhere = data.path().join("nowhere");
    assert!(!export(&nowhere, &["fx"]).status.success());
    assert!(!nowhere.exists());
}

#[test]
fn without_a_data_directory_the_bundled_data_is_exported() {
    let (here, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let output = finserve(&["export", "ipca", "--from", "2026-07-01", "--format", "csv"])
        .current_dir(here.path())
        .env("HOME", home.path())
        .env_remove("XDG_CACHE_HOME")
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && said.contains("using the bundled data"), "{said}");
    assert_eq!(
        output.stdout,
        b"date,value,origin\n2026-08-01,-0.32,published\n2026-07-01,0.07,published\n"
    );
    assert_eq!(fs::read_dir(here.path()).unwrap().count(), 0);
}

#[test]
fn a_reader_that_has_seen_enough_ends_it_quietly() {
    let data = filled();
    let mut child = finserve(&["export", "filings", "--data"])
        .arg(data.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut out = child.stdout.take().unwrap();
    out.read_exact(&mut [0; 100]).unwrap();
    drop(out);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
}

#[test]
fn a_link_stays_one_and_the_name_of_a_file_says_its_format() {
    let data = filled();
    let place = tempfile::tempdir().unwrap();
    let (real, link) = (place.path().join("real"), place.path().join("ipca.csv"));
    fs::write(&real, "old").unwrap();
    std::os::unix::fs::symlink(&real, &link).unwrap();
    let output = export(data.path(), &["ipca", "--out", link.to_str().unwrap()]);
    assert!(output.status.success(), "{output:?}");
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(fs::read_to_string(&real).unwrap().starts_with("date,value,origin\r\n"));
    assert_eq!(names(place.path()), ["ipca.csv", "real"]);
}
