//! Financial statements, from archives to answers: periods, scopes, versions, layouts, and what is refused.
use std::{
    fs,
    path::{Path, PathBuf},
    process::Output,
};

use fincore::Plan;
use serde_json::{Value, json};

use crate::{
    access,
    csv::table,
    get,
    harness::{self, Reply, Server, new_key, with},
    made_statements::{Archive, Line},
};

const REVENUE: &str = "Receita de Venda de Bens e/ou Serviços";
const PROFIT: &str = "Lucro/Prejuízo Consolidado do Período";
const SHARE: &str = "Lucro por Ação - (Reais / Ação)";

/// Writes an archive into the data directory, and imports it.
fn import(data: &Path, archive: &Archive) -> Output {
    import_bytes(data, &archive.name(), &archive.bytes())
}

fn import_bytes(data: &Path, name: &str, bytes: &[u8]) -> Output {
    let file = data.join(name);
    fs::write(&file, bytes).unwrap();
    harness::import(data, &[&file])
}

#[track_caller]
fn imported(data: &Path, archive: &Archive) {
    let output = import(data, archive);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// A year of twelve months, its year before, and the three quarterly forms of it.
pub(crate) fn year_2024() -> [Archive; 2] {
    let mut annual = Archive::new("dfp", 2024);
    let year = "2024-01-01";
    annual
        .form(("2024-12-31", 1), (9001, "2025-03-10"))
        .lines(
            "DRE_con",
            year,
            &[
                ("3.01", REVENUE, "1000.0000000000"),
                ("3.01.01", "Venda, própria", "0.5000000000"),
                ("3.11", PROFIT, "100.0000000000"),
                ("3.99.01.01", SHARE, "1.2345000000"),
            ],
        )
        .before("DRE_con", ("2023-01-01", "2023-12-31"), &[("3.01", REVENUE, "850.0000000000")])
        .lines("DRE_ind", year, &[("3.01", REVENUE, "600.0000000000")])
        .lines("BPA_con", "", &[("1", "Ativo Total", "5000.0000000000")])
        .lines("BPP_con", "", &[("2", "Passivo Total", "5000.0000000000")])
        .lines("DFC_MI_con", year, &[("6.01", "Caixa Líquido", "400.0000000000")])
        .lines("DMPL_con", year, &[("5.01", "Saldos Iniciais", "70.0000000000")]);
    let mut quarterly = Archive::new("itr", 2024);
    let quarters: [(&str, u32, &str, [&str; 2], &str); 3] = [
        ("2024-03-31", 9101, "2024-05-10", ["200.0", "200.0"], "90.0"),
        ("2024-06-30", 9102, "2024-08-10", ["210.0", "410.0"], "190.0"),
        ("2024-09-30", 9103, "2024-11-10", ["220.0", "630.0"], "290.0"),
    ];
    for (quarter, (end, document, received, [own, to_date], cash)) in (0..).zip(quarters) {
        let start = ["2024-01-01", "2024-04-01", "2024-07-01"][quarter];
        let lines = |value: &'static str| -> [Line; 2] {
            [("3.01", REVENUE, value), ("3.99.01.01", SHARE, "0.3")]
        };
        let form = quarterly
            .form((end, 1), (document, received))
            .lines("DRE_con", start, &lines(own))
            .lines("DFC_MI_con", year, &[("6.01", "Caixa Líquido", cash)])
            .lines("BPA_con", "", &[("1", "Ativo Total", "4000.0")]);
        if quarter > 0 {
            form.lines("DRE_con", year, &lines(to_date));
        }
    }
    [annual, quarterly]
}

/// The year before as it was filed.
fn year_2023() -> Archive {
    let mut archive = Archive::new("dfp", 2023);
    archive.form(("2023-12-31", 1), (8001, "2024-03-07")).in_units().lines(
        "DRE_con",
        "2023-01-01",
        &[("3.01", REVENUE, "800000.0000000000")],
    );
    archive
}

fn server() -> Server {
    let data = harness::filled_without_statements();
    let [annual, quarterly] = year_2024();
    let files = [annual, quarterly, year_2023()].map(|archive| {
        let file = data.path().join(archive.name());
        fs::write(&file, archive.bytes()).unwrap();
        file
    });
    let output = harness::import(data.path(), &files.each_ref().map(PathBuf::as_path));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Server::start_over(data)
}

fn path(target: &str) -> String {
    format!("/api/v1/companies/PETR4/statements{target}")
}

#[track_caller]
fn ok(server: &Server, target: &str) -> Reply {
    let reply = server.get(&path(target));
    assert_eq!(reply.status, 200, "{target}: {}", reply.text());
    reply
}

/// The end, origin and first account of each period.
#[track_caller]
fn periods(server: &Server, target: &str) -> Value {
    let json = ok(server, target).json();
    let period =
        |row: &Value| json!([row["period_end"], row["origin"], row["accounts"][0]["value"]]);
    json["data"].as_array().unwrap().iter().map(period).collect()
}

#[test]
fn statements_are_read_by_period_day_and_layout() {
    let server = server();
    forms_are_listed_with_what_they_have(&server);
    values_leave_in_reais_with_every_digit(&server);
    quarters_are_filed_or_the_difference_of_two_periods(&server);
    a_day_in_the_past_knows_what_cvm_had_received(&server);
    periods_are_columns_where_the_layout_is_wide(&server);
    the_command_line_shows_periods_as_columns(&server);
    figures_are_made_of_accounts(&server);
    companies_are_compared_by_their_figures(&server);
}

fn forms_are_listed_with_what_they_have(server: &Server) {
    let json = ok(server, "").json();
    assert_eq!(json["total"], 6);
    let row = |at: usize| json["data"][at].clone();
    assert_eq!(
        row(0),
        json!({
            "form": "DFP", "period_start": "2024-01-01", "period_end": "2024-12-31", "scope": "consolidated", "version": 1,
            "received": "2025-03-10", "kinds": ["balance-sheet", "income", "cash-flow", "equity-changes"],
            "filing_id": "dfp-9001",
        })
    );
    assert_eq!(
        (row(1)["scope"].as_str(), &row(1)["kinds"]),
        (Some("individual"), &json!(["income"]))
    );
    assert_eq!(row(2)["form"], "ITR");
    let within = ok(server, "?from=2024-01-01&to=2024-09-30&limit=1").json();
    assert_eq!(
        (&within["total"], &within["data"][0]["period_end"]),
        (&json!(3), &json!("2024-09-30"))
    );
    let csv = ok(server, "?format=csv&limit=1");
    let lines = table(csv.text(), ',');
    assert_eq!(lines[1][6], "balance-sheet income cash-flow equity-changes");
    assert_eq!(server.get("/api/v1/filings/dfp-9001").status, 200);
}

fn values_leave_in_reais_with_every_digit(server: &Server) {
    let json = ok(server, "/income").json();
    assert_eq!(json["total"], 2);
    let newest = &json["data"][0];
    let about = ["period_start", "scope", "form", "version", "received", "currency", "origin"];
    assert_eq!(
        about.map(|name| newest[name].clone()),
        [
            json!("2024-01-01"),
            json!("consolidated"),
            json!("DFP"),
            json!(1),
            json!("2025-03-10"),
            json!("BRL"),
            json!("filed")
        ]
    );
    assert_eq!(newest["filing_ids"], json!(["dfp-9001"]));
    let text = ok(server, "/income").text().to_owned();
    // Thousands become reais, and earnings per share stay as they are; the older form is in units.
    for account in [
        format!(r#"{{"code":"3.01","name":"{REVENUE}","value":1000000,"fixed":true}}"#),
        r#"{"code":"3.01.01","name":"Venda, própria","value":500,"fixed":false}"#.to_owned(),
        format!(r#"{{"code":"3.99.01.01","name":"{SHARE}","value":1.2345,"fixed":false}}"#),
        format!(r#"{{"code":"3.01","name":"{REVENUE}","value":800000,"fixed":true}}"#),
    ] {
        assert!(text.contains(&account), "{account}: {text}");
    }
    let depth = ok(server, "/income?depth=2&limit=1").json();
    let codes = depth["data"][0]["accounts"].as_array().unwrap();
    assert_eq!(codes.iter().map(|one| &one["code"]).collect::<Vec<_>>(), ["3.01", "3.11"]);
    let individual = ok(server, "/income?scope=individual").json();
    assert_eq!(individual["total"], 1);
    assert_eq!(individual["data"][0]["accounts"][0]["value"], 600_000);
}

fn quarters_are_filed_or_the_difference_of_two_periods(server: &Server) {
    assert_eq!(
        periods(server, "/income?period=quarter"),
        json!([
            ["2024-12-31", "computed", 370_000],
            ["2024-09-30", "filed", 220_000],
            ["2024-06-30", "filed", 210_000],
            ["2024-03-31", "filed", 200_000],
        ])
    );
    let fourth = ok(server, "/income?period=quarter&limit=1").json();
    let fourth = &fourth["data"][0];
    assert_eq!(fourth["period_start"], "2024-10-01");
    assert_eq!(fourth["filing_ids"], json!(["dfp-9001", "itr-9103"]));
    // Net income is not in the quarterly forms, and earnings per share are never computed.
    assert_eq!(fourth["accounts"].as_array().unwrap().len(), 1, "{fourth}");
    // Cash flows are filed for the year to date alone.
    assert_eq!(
        periods(server, "/cash-flow?period=quarter"),
        json!([
            ["2024-12-31", "computed", 110_000],
            ["2024-09-30", "computed", 100_000],
            ["2024-06-30", "computed", 100_000],
            ["2024-03-31", "filed", 90_000],
        ])
    );
    assert_eq!(
        periods(server, "/income?period=ytd&from=2024-01-01"),
        json!([
            ["2024-12-31", "filed", 1_000_000],
            ["2024-09-30", "filed", 630_000],
            ["2024-06-30", "filed", 410_000],
            ["2024-03-31", "filed", 200_000],
        ])
    );
    assert_eq!(
        periods(server, "/income?period=ttm&limit=1"),
        json!([["2024-12-31", "computed", 1_000_000]])
    );
    assert_eq!(
        periods(server, "/balance-sheet?period=ttm"),
        json!([["2024-12-31", "filed", 5_000_000]])
    );
    assert_eq!(ok(server, "/balance-sheet?period=quarter").json()["total"], 4);
}

fn a_day_in_the_past_knows_what_cvm_had_received(server: &Server) {
    assert_eq!(
        periods(server, "/income?as_of=2025-03-09"),
        json!([["2023-12-31", "filed", 800_000]])
    );
    let json = ok(server, "/income?as_of=2025-03-10").json();
    assert_eq!((&json["total"], &json["meta"]["as_of"]), (&json!(2), &json!("2025-03-10")));
    // Without the annual form there is no fourth quarter.
    assert_eq!(ok(server, "/income?as_of=2025-03-09&period=quarter").json()["total"], 3);
    assert_eq!(ok(server, "/income?as_of=2024-01-01").json()["total"], 0);
    let restated = periods(server, "/income?restated=true");
    let wanted = json!([["2024-12-31", "filed", 1_000_000], ["2023-12-31", "restated", 850_000]]);
    assert_eq!(restated, wanted);
    let later = ok(server, "/income?restated=true&to=2023-12-31").json();
    assert_eq!(later["data"][0]["filing_ids"], json!(["dfp-9001"]));
}

#[test]
fn an_older_archive_never_replaces_a_newer_version() {
    let data = harness::filled_without_statements();
    let second = |value: &'static str| {
        let mut archive = Archive::new("dfp", 2024);
        archive.form(("2024-12-31", 1), (9001, "2025-03-10"));
        archive.form(("2024-12-31", 2), (9002, "2025-06-01")).lines(
            "DRE_con",
            "2024-01-01",
            &[("3.01", REVENUE, value)],
        );
        archive
    };
    imported(data.path(), &second("1100.0"));
    // The archive of before the correction, and the newer one once more.
    imported(data.path(), &year_2024()[0]);
    let server = Server::start_over(data);
    assert_eq!(periods(&server, "/income"), json!([["2024-12-31", "filed", 1_100_000]]));
    let json = ok(&server, "/income").json();
    assert_eq!(
        (&json["data"][0]["version"], &json["data"][0]["received"]),
        (&json!(2), &json!("2025-06-01"))
    );
    assert_eq!(
        periods(&server, "/income?as_of=2025-05-31"),
        json!([["2024-12-31", "filed", 1_000_000]])
    );
    let versions = ok(&server, "?to=2024-12-31").json();
    let versions = versions["data"].as_array().unwrap().iter();
    let consolidated = versions.filter(|row| row["scope"] == "consolidated");
    let consolidated: Vec<_> = consolidated.map(|row| &row["version"]).collect();
    assert_eq!(consolidated, [2, 1]);
}

fn periods_are_columns_where_the_layout_is_wide(server: &Server) {
    let wide = ok(server, "/income?layout=wide").json();
    assert_eq!((&wide["total"], &wide["limit"]), (&json!(2), &json!(5)));
    assert_eq!(
        wide["data"][0],
        json!({ "code": "3.01", "name": REVENUE, "2024-12-31": 1_000_000, "2023-12-31": 800_000 })
    );
    assert_eq!(wide["data"][1]["2023-12-31"], Value::Null);
    let csv = ok(server, "/income?layout=wide&format=csv&dialect=br");
    let lines = table(csv.text().trim_start_matches('\u{feff}'), ';');
    assert_eq!(lines[0], ["code", "name", "2024-12-31", "2023-12-31"]);
    assert_eq!(lines[2], ["3.01.01", "Venda, própria", "500", ""]);
    let long = ok(server, "/income?format=csv");
    let lines = table(long.text(), ',');
    assert_eq!((lines.len(), lines[1][8].as_str(), lines[1][10].as_str()), (6, "3.01", "1000000"));
    assert_eq!(long.header("x-total-count"), Some("2"));
    let equity = ok(server, "/equity-changes?layout=wide").json();
    assert_eq!(equity["data"][0]["column"], "Patrimônio Líquido");
    if cfg!(feature = "parquet") {
        let parquet = ok(server, "/income?layout=wide&format=parquet");
        assert_eq!(parquet.header("content-type"), Some("application/vnd.apache.parquet"));
        assert!(parquet.body.starts_with(b"PAR1") && parquet.body.ends_with(b"PAR1"));
        for query in ["statements", "financials", "financials?period=ttm"] {
            let and = if query.contains('?') { '&' } else { '?' };
            let target = format!("/api/v1/companies/9512/{query}{and}format=parquet");
            assert!(server.get(&target).body.starts_with(b"PAR1"), "{target}");
        }
    }
    // A page is of periods, whatever the rows.
    let second = ok(server, "/income?layout=wide&limit=1&offset=1");
    assert_eq!(second.json()["data"][0]["2023-12-31"], 800_000);
    assert!(second.header("link").unwrap().contains("rel=\"prev\""));
}

fn the_command_line_shows_periods_as_columns(server: &Server) {
    let shown = |arguments: &[&str]| {
        get::printed(get::on(server.data.path(), &[&["statements", "PETR4"], arguments].concat()))
    };
    let (rows, _) = shown(&["income", "--depth", "2", "--format", "table"]);
    let lines: Vec<&str> = rows.lines().collect();
    assert!(lines[0].starts_with("code") && lines[0].ends_with("2024-12-31  2023-12-31"), "{rows}");
    assert!(lines[1].starts_with("3.01") && lines[1].ends_with("1000000      800000"), "{rows}");
    let (rows, _) = shown(&["income", "--all", "--depth", "1"]);
    assert_eq!(rows, "code,name\n");
    let (forms, _) = shown(&[]);
    assert_eq!(forms.lines().count(), 7, "{forms}");
    let (json, _) = shown(&["income", "--layout", "long", "--format", "json"]);
    assert_eq!(json.trim_end(), ok(server, "/income?layout=long").text());
}

fn figures_are_made_of_accounts(server: &Server) {
    let get = |query: &str| {
        let reply = server.get(&format!("/api/v1/companies/9512/financials{query}"));
        assert_eq!(reply.status, 200, "{query}: {}", reply.text());
        reply
    };
    let annual = get("").json();
    assert_eq!((&annual["total"], &annual["limit"]), (&json!(2), &json!(5)));
    let newest = &annual["data"][0];
    let figures = [
        "period_end",
        "scope",
        "revenue",
        "net_income",
        "total_assets",
        "net_margin",
        "eps",
        "ebitda",
    ];
    assert_eq!(
        json!(figures.map(|name| &newest[name])),
        json!(["2024-12-31", "consolidated", 1_000_000, 100_000, 5_000_000, 10.00, 1.2345, null])
    );
    let sourced = get("?sources=true&limit=1").json();
    let sourced = &sourced["data"][0];
    assert_eq!(sourced["revenue"], json!({ "value": 1_000_000, "from": ["3.01"] }));
    assert_eq!(sourced["ebit"], json!({ "value": null, "from": [], "reason": "no_account" }));
    let quarters = get("?period=quarter").json();
    let revenue = |row: &Value| row["revenue"].clone();
    let quarters: Vec<_> = quarters["data"].as_array().unwrap().iter().map(revenue).collect();
    assert_eq!(quarters, [370_000, 220_000, 210_000, 200_000]);
    assert_eq!(
        get("?period=ttm&from=2024-12-31").json()["data"][0]["operating_cash_flow"],
        400_000
    );
    assert_eq!(get("?scope=individual").json()["data"][0]["revenue"], 600_000);
    let lines = table(get("?format=csv&limit=1").text(), ',');
    assert_eq!(lines[0][..5], ["period_start", "period_end", "scope", "plan", "revenue"]);
    assert_eq!((lines.len(), lines[0].len(), &*lines[1][4]), (2, 33, "1000000"));
    for (query, message) in
        [("period=ytd", "annual, quarter or ttm"), ("sources=1", "sources"), ("limit=0", "limit")]
    {
        let reply = server.get(&format!("/api/v1/companies/9512/financials?{query}"));
        let said = reply.expect_error(400, "bad_request");
        assert!(said.contains(message), "{query}: {said}");
    }
}

fn companies_are_compared_by_their_figures(server: &Server) {
    let get = |query: &str| server.get(&format!("/api/v1/financials{query}"));
    let own = |json: &Value| {
        let rows = json["data"].as_array().unwrap().clone();
        rows.into_iter().find(|row| row["company_id"] == "9512").unwrap()
    };
    let json = get("?metric=net_income,revenue&year=2024&order=-revenue&limit=1000").json();
    let row = own(&json);
    assert_eq!(row.as_object().unwrap().len(), 7, "{row}");
    assert_eq!((&row["net_income"], &row["revenue"]), (&json!(100_000), &json!(1_000_000)));
    assert_eq!(own(&get("?year=2023&limit=1000").json())["revenue"], 800_000);
    let sector = get("?sector=petroleo%20e%20gas&limit=1000").json();
    assert_eq!(own(&sector)["period_end"], "2024-12-31");
    let nothing = get("?sector=zzz").json();
    assert_eq!(nothing["total"], 0);
    assert!(nothing["meta"]["hints"][0].as_str().unwrap().contains("zzz"), "{nothing}");
    let csv = get("?metric=revenue&year=2024&format=csv");
    let header = ["company_id", "name", "period_end", "scope", "plan", "revenue"];
    assert_eq!(table(csv.text(), ',')[0], header);
    if cfg!(feature = "parquet") {
        assert!(get("?format=parquet&year=2024").body.starts_with(b"PAR1"));
    }
    for query in
        ["metric=profit", "metric=", "order=-profit", "year=24", "period=ytd", "limit=1001"]
    {
        let said = get(&format!("?{query}")).expect_error(400, "bad_request");
        let (name, _) = query.split_once('=').unwrap();
        assert!(said.contains(name) || said.contains("ytd"), "{query}: {said}");
    }
}

#[test]
fn what_cannot_be_answered_is_refused_with_a_reason() {
    let server = Server::shared();
    for (target, message) in [
        ("/income?period=monthly", "\"monthly\" is not a period (annual, quarter, ytd or ttm)"),
        ("/income?layout=tall", "layout"),
        ("/income?scope=group", "scope"),
        ("/income?depth=0", "depth"),
        ("/income?depth=10", "depth"),
        ("/income?limit=201", "limit"),
        ("/income?restated=yes", "restated"),
        ("/income?as_of=2999-01-01", "2999-01-01"),
        ("/income?from=2024-02-01&to=2024-01-01", "from"),
        ("/income?format=xml", "a format of tables (json"),
        ("/equity-changes?period=quarter", "annual or ytd"),
        ("/equity-changes?period=ttm", "annual or ytd"),
        ("?period=annual", "period"),
    ] {
        let said = server.get(&path(target)).expect_error(400, "bad_request");
        assert!(said.contains(message), "{target}: {said}");
    }
    let said = server.get(&path("/profit")).expect_error(404, "not_found");
    assert!(said.contains("balance-sheet"), "{said}");
    for target in ["999999/statements", "999999/statements/income", "ZZZZ9/statements/income"] {
        server.get(&format!("/api/v1/companies/{target}")).expect_error(404, "not_found");
    }
}

#[test]
fn statements_are_for_gold() {
    let server = Server::start();
    let keys = [Plan::Free, Plan::Bronze, Plan::Gold].map(|plan| new_key(&server.accounts(), plan));
    access::wait_for(&server, &keys[2], Plan::Gold.id());
    for target in ["", "/income"] {
        for key in &keys[..2] {
            let reply = server.keyless("GET", &path(target), &with(key));
            reply.expect_error(403, "plan_required");
            assert_eq!(reply.json()["required_plan"], "gold");
        }
        assert_eq!(server.keyless("GET", &path(target), &with(&keys[2])).status, 200);
        let csv = server.keyless("GET", &path(&format!("{target}?format=csv")), &with(&keys[2]));
        csv.expect_error(403, "plan_required");
        assert_eq!(csv.json()["feature"], "csv");
    }
}

#[test]
fn a_malformed_archive_changes_nothing() {
    let data = harness::filled_without_statements();
    imported(data.path(), &year_2023());
    let [annual, _] = year_2024();
    let whole = annual.bytes();
    let [mut broken, _] = year_2024();
    broken.rename_column("DRE_con", "VL_CONTA", "VALOR");
    let broken = broken.bytes();
    for bytes in [&whole[..whole.len() / 2], &broken[..]] {
        let output = import_bytes(data.path(), &annual.name(), bytes);
        assert!(!output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
        assert!(!output.stderr.is_empty());
    }
    let server = Server::start_over(data);
    assert_eq!(periods(&server, "/income"), json!([["2023-12-31", "filed", 800_000]]));
    assert_eq!(ok(&server, "").json()["total"], 1);
    server.get("/api/v1/filings/dfp-9001").expect_error(404, "not_found");
}
