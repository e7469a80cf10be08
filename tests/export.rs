//! Bulk export: whole datasets from one snapshot, or what changed since a version.
use std::{collections::BTreeMap, fs, io::Read, path::Path};

use fincore::Plan;
use serde_json::{Value, json};

use crate::{
    csv::table,
    harness::{Reply, Server, import, new_key, with},
};

/// A request on Platinum. Tests share keys, and a key has two exports at a time: then it is asked again.
fn request(server: &Server, method: &str, target: &str, headers: &str) -> Reply {
    loop {
        let reply = server.request(method, target, headers);
        if reply.status != 429 {
            return reply;
        }
    }
}

#[track_caller]
pub(crate) fn ok(server: &Server, target: &str) -> Reply {
    let reply = request(server, "GET", target, "");
    assert_eq!(reply.status, 200, "{target}: {}", reply.text());
    reply
}

pub(crate) fn export(dataset: &str) -> String {
    format!("/api/v1/export/{dataset}")
}

/// The rows of NDJSON.
pub(crate) fn rows(reply: &Reply) -> Vec<Value> {
    assert_eq!(reply.status, 200, "{}", reply.text());
    reply.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
#[ignore = "long"]
fn lists_the_datasets_and_each_is_as_listed() {
    let server = Server::shared();
    let list = ok(server, "/api/v1/export");
    let json = list.json();
    let datasets = json["data"].as_array().unwrap();
    assert_eq!(json["total"], datasets.len());
    assert!(json["data_version"].is_u64());
    let names: Vec<&str> = datasets.iter().map(|row| row["dataset"].as_str().unwrap()).collect();
    for name in ["selic", "cdi", "ipca", "fx", "series", "companies", "filings"] {
        assert!(names.contains(&name), "{names:?}");
    }
    for row in datasets {
        let has_parquet = cfg!(feature = "parquet");
        let formats = ["ndjson", "csv"].into_iter().chain(has_parquet.then_some("parquet"));
        assert_eq!(row["formats"], json!(formats.collect::<Vec<_>>()));
        let reply = ok(server, row["url"].as_str().unwrap());
        assert_eq!(reply.header("etag"), row["etag"].as_str(), "{row}");
        assert_eq!(reply.header("x-total-count"), Some(&*row["rows"].to_string()), "{row}");
        assert_eq!(reply.header("x-data-version"), Some(&*json["data_version"].to_string()));
        let lines = reply.body.iter().filter(|byte| **byte == b'\n').count();
        assert_eq!(row["rows"], lines, "{row}");
        if lines < 100_000 {
            assert_eq!(row["bytes"], reply.body.len(), "{row}");
        }
    }
    let again = format!("If-None-Match: {}\r\n", list.header("etag").unwrap());
    assert_eq!(request(server, "GET", "/api/v1/export", &again).status, 304);
}

/// All pages of a list.
fn pages(server: &Server, list: &str) -> Vec<Value> {
    let mut all = Vec::new();
    loop {
        let mark = if list.contains('?') { '&' } else { '?' };
        let page = ok(server, &format!("{list}{mark}limit=1000&offset={}", all.len())).json();
        all.extend(page["data"].as_array().unwrap().iter().cloned());
        if page["total"] == all.len() {
            return all;
        }
    }
}

#[test]
fn an_export_is_all_pages_of_its_list() {
    let server = Server::shared();
    for (dataset, list) in [
        ("selic?from=2020-01-01", "/api/v1/market/selic?from=2020-01-01"),
        ("ipca?from=1990-01-01&to=1999-12-31", "/api/v1/market/ipca?from=1990-01-01&to=1999-12-31"),
        ("igp-m", "/api/v1/market/series/igp-m"),
        ("filings?from=2024-04-01&to=2024-04-30", "/api/v1/filings?from=2024-04-01&to=2024-04-30"),
    ] {
        let mut wanted = pages(server, list);
        // JSON leaves out the origin of a published figure.
        for row in
            wanted.iter_mut().filter(|row| !list.contains("filings") && row["origin"].is_null())
        {
            row["origin"] = json!("published");
        }
        assert_eq!(rows(&ok(server, &export(dataset))), wanted, "{dataset}");
    }
    // Companies are listed by name, and exported by their code.
    let by_id = |mut rows: Vec<Value>| {
        rows.sort_by_key(|row| row["id"].as_str().unwrap().to_owned());
        rows
    };
    let companies = rows(&ok(server, &export("companies")));
    assert_eq!(by_id(companies), by_id(pages(server, "/api/v1/companies")));
}

#[cfg(not(feature = "parquet"))]
#[test]
fn a_build_without_parquet_says_which_formats_it_has() {
    let server = Server::shared();
    let list = ok(server, "/api/v1/export").json();
    assert_eq!(list["data"][0]["formats"], json!(["ndjson", "csv"]));
    let parquet = format!("{}?format=parquet", export("selic"));
    let message = request(server, "GET", &parquet, "").expect_error(400, "bad_request");
    assert!(message.ends_with("(ndjson or csv)"), "{message}");
}

#[cfg(feature = "parquet")]
#[test]
fn every_format_says_what_it_is() {
    let server = Server::shared();
    for (format, accept, media, file) in [
        ("ndjson", "application/x-ndjson", "application/x-ndjson", "ipca.ndjson"),
        ("csv", "text/csv", "text/csv; charset=utf-8; header=present", "ipca.csv"),
        (
            "parquet",
            "application/vnd.apache.parquet",
            "application/vnd.apache.parquet",
            "ipca.parquet",
        ),
    ] {
        let by_name = ok(server, &format!("{}?format={format}", export("ipca")));
        let by_header = request(server, "GET", &export("ipca"), &format!("Accept: {accept}\r\n"));
        assert_eq!(by_name.body, by_header.body);
        assert_eq!(by_name.header("etag"), by_header.header("etag"));
        assert_eq!(by_name.header("content-type"), Some(media));
        let file = format!("attachment; filename=\"{file}\"");
        assert_eq!(by_name.header("content-disposition"), Some(&*file));
        let vary = "X-API-Key, Authorization, Cookie, Sec-Fetch-Site, Accept, Accept-Encoding";
        assert_eq!(by_name.header("vary"), Some(vary));
        assert_eq!(by_name.header("cache-control"), Some("private, max-age=60"));
        let head = request(server, "HEAD", &format!("{}?format={format}", export("ipca")), "");
        assert!(head.status == 200 && head.body.is_empty());
        for name in ["content-type", "content-disposition", "etag", "x-total-count", "vary"] {
            assert_eq!(head.header(name), by_name.header(name), "{format} {name}");
        }
        let again = format!("If-None-Match: {}\r\n", by_name.header("etag").unwrap());
        let same = request(server, "GET", &format!("{}?format={format}", export("ipca")), &again);
        assert_eq!((same.status, same.body.len()), (304, 0));
    }
    let tags = ["ndjson", "csv", "csv&dialect=br", "parquet"].map(|format| {
        let reply = ok(server, &format!("{}?format={format}", export("ipca")));
        reply.header("etag").unwrap().to_owned()
    });
    assert!(tags.iter().enumerate().all(|(at, tag)| !tags[..at].contains(tag)), "{tags:?}");
}

#[test]
fn csv_has_the_rows_of_ndjson() {
    let server = Server::shared();
    let objects = rows(&ok(server, &export("ipca")));
    let brazilian = ok(server, &format!("{}?format=csv&dialect=br", export("ipca")));
    let lines = table(brazilian.text().strip_prefix('\u{feff}').unwrap(), ';');
    assert_eq!(brazilian.header("x-total-count"), Some(&*(lines.len() - 1).to_string()));
    assert_eq!(lines[0], ["date", "value", "origin"]);
    for (line, row) in lines[1..].iter().zip(&objects) {
        let date = row["date"].as_str().unwrap();
        assert_eq!(line[0], format!("{}/{}/{}", &date[8..], &date[5..7], &date[..4]));
        assert_eq!(line[1].replace(',', ".").parse::<f64>().unwrap(), row["value"]);
    }
    assert_eq!(lines.len(), objects.len() + 1);
}

#[test]
fn streams_are_compressed_on_the_way() {
    let server = Server::shared();
    let plain = ok(server, &export("companies")).body;
    let zstd = request(server, "GET", &export("companies"), "Accept-Encoding: gzip, zstd\r\n");
    assert_eq!(zstd.header("content-encoding"), Some("zstd"));
    assert_eq!(zstd::stream::decode_all(&zstd.body[..]).unwrap(), plain);
    let gzip = request(server, "GET", &export("companies"), "Accept-Encoding: gzip\r\n");
    assert_eq!(gzip.header("content-encoding"), Some("gzip"));
    let mut unpacked = Vec::new();
    flate2::read::GzDecoder::new(&gzip.body[..]).read_to_end(&mut unpacked).unwrap();
    assert_eq!(unpacked, plain);
}

#[cfg(feature = "parquet")]
#[test]
fn parquet_is_not_compressed_again() {
    let server = Server::shared();
    let parquet = format!("{}?format=parquet", export("companies"));
    let parquet = request(server, "GET", &parquet, "Accept-Encoding: gzip, zstd\r\n");
    assert_eq!(parquet.header("content-encoding"), None);
    assert!(parquet.body.starts_with(b"PAR1") && parquet.body.ends_with(b"PAR1"));
}

#[test]
fn each_plan_gets_what_it_pays_for() {
    let server = Server::start();
    let accounts = server.accounts();
    let [bronze, gold] = [Plan::Bronze, Plan::Gold].map(|plan| with(&new_key(&accounts, plan)));
    let feature = |target: &str, headers: &str| {
        let reply = server.keyless("GET", target, headers);
        reply.expect_error(403, "plan_required");
        reply.json()["feature"].as_str().unwrap().to_owned()
    };
    for target in ["/api/v1/export", "/api/v1/export/selic", "/api/v1/export/selic?format=csv"] {
        assert_eq!(feature(target, ""), "bulk_export");
        assert_eq!(feature(target, &bronze), "bulk_export");
    }
    assert_eq!(server.keyless("GET", "/api/v1/export", &gold).status, 200);
    assert_eq!(server.keyless("GET", "/api/v1/export/selic", &gold).status, 200);
    for parameters in ["format=csv", "format=csv&since=x", "format=csv&nonsense=1"] {
        assert_eq!(feature(&format!("/api/v1/export/selic?{parameters}"), &gold), "csv");
    }
    if cfg!(feature = "parquet") {
        assert_eq!(feature("/api/v1/export/selic?format=parquet", &gold), "csv");
        let accept = format!("{gold}Accept: application/vnd.apache.parquet\r\n");
        assert_eq!(feature("/api/v1/export/selic", &accept), "csv");
    }
}

#[test]
fn wrong_questions_are_named() {
    let server = Server::shared();
    let refused =
        |target: &str| request(server, "GET", target, "").expect_error(400, "bad_request");
    let selic = export("selic");
    let has_parquet = cfg!(feature = "parquet");
    let formats = if has_parquet { "(ndjson, csv or parquet)" } else { "(ndjson or csv)" };
    assert!(refused(&format!("{selic}?format=json")).contains(formats));
    assert!(refused(&format!("{selic}?dialect=br")).contains("only CSV has dialects"));
    let takes = "takes from, to, since, frequency, aggregate, units, base, only, partial, as_of, format, dialect";
    assert!(refused(&format!("{selic}?limit=5")).contains(takes));
    for since in ["x", "-1", "%2B1", "1.5", "", "99999999999999999999"] {
        let message = refused(&format!("{selic}?since={since}"));
        assert!(message.contains("is not a data version (a whole number"), "{message}");
    }
    assert!(refused(&format!("{selic}?from=2026-02-30")).contains("is not a date"));
    assert!(refused(&format!("{selic}?from=2026-02-02&to=2026-02-01")).contains("2026-02-02"));
    // The log of the bundle starts with version 1.
    let message = refused(&format!("{selic}?since=0"));
    assert!(message.contains("change log") && message.contains("without since"), "{message}");
    let missing = server.get(&export("bitcoin")).expect_error(404, "not_found");
    assert!(missing.contains("GET /api/v1/export lists the datasets"), "{missing}");
}

/// Imports IPCA, given as days and values.
fn import_ipca(data: &Path, rows: &[(&str, &str)]) {
    let rows = rows.iter().map(|(day, value)| format!(r#"{{"data":"{day}","valor":"{value}"}}"#));
    let file = data.join("bcdata.sgs.433.json");
    fs::write(&file, format!("[{}]", rows.collect::<Vec<_>>().join(","))).unwrap();
    let output = import(data, &[&file]);
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn deltas_applied_to_an_old_export_give_the_new_one() {
    let server = Server::start();
    let by_day = |rows: Vec<Value>| -> BTreeMap<String, Value> {
        rows.into_iter().map(|row| (row["date"].as_str().unwrap().to_owned(), row)).collect()
    };
    let first = ok(&server, &export("ipca"));
    let mut held = by_day(rows(&first));
    let mut version = first.header("x-data-version").unwrap().to_owned();
    for published in [
        vec![("01/07/2026", "0.31"), ("01/09/2026", "0.48")],
        vec![("01/09/2026", "0.49"), ("01/10/2026", "0.22")],
    ] {
        import_ipca(server.data.path(), &published);
        let delta = ok(&server, &format!("{}?since={version}", export("ipca")));
        let file = format!("attachment; filename=\"ipca-since-{version}.ndjson\"");
        assert_eq!(delta.header("content-disposition"), Some(&*file));
        let changes = rows(&delta);
        assert_eq!(delta.header("x-total-count"), Some(&*changes.len().to_string()));
        assert!(!changes.is_empty());
        for mut row in changes {
            let date = row["date"].as_str().unwrap().to_owned();
            let change = row.as_object_mut().unwrap().remove("change").unwrap();
            match change.as_str().unwrap() {
                "removed" => held.remove(&date),
                "added" | "changed" => held.insert(date, row),
                other => panic!("{other}"),
            };
        }
        version = delta.header("x-data-version").unwrap().to_owned();
        assert_eq!(held, by_day(rows(&ok(&server, &export("ipca")))));
    }
    let nothing = ok(&server, &format!("{}?since={version}&format=csv", export("ipca")));
    assert_eq!(nothing.header("x-total-count"), Some("0"));
    assert_eq!(nothing.text(), "change,date,value,origin\r\n");
}
