//! `finserve get` on a data directory: formats, parts of lists, charts, and what is refused.
use std::{
    io::Read,
    path::Path,
    process::{Output, Stdio},
};

use serde_json::Value;

use crate::harness::{Server, finserve};

/// Runs a command on the data of the shared server, which goes on serving.
pub(crate) fn get(arguments: &[&str]) -> Output {
    on(Server::shared().data.path(), arguments)
}

pub(crate) fn on(data: &Path, arguments: &[&str]) -> Output {
    finserve(&["get"])
        .args(arguments)
        .arg("--data")
        .arg(data)
        .env_remove("FINSERVE_SERVER")
        .env_remove("FINSERVE_KEY")
        .env_remove("COLUMNS")
        .output()
        .unwrap()
}

/// What a successful command printed, and what it said beside that.
#[track_caller]
pub(crate) fn printed(output: Output) -> (String, String) {
    let text = |bytes| String::from_utf8(bytes).unwrap();
    let (shown, said) = (text(output.stdout), text(output.stderr));
    assert!(output.status.success(), "{shown}{said}");
    (shown, said)
}

/// What a command that failed said.
#[track_caller]
fn refused(arguments: &[&str], code: i32) -> String {
    let output = get(arguments);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {said}");
    assert!(output.stdout.is_empty(), "{arguments:?}");
    said
}

/// Commands, and the address that asks the same.
pub(crate) const QUESTIONS: &[(&[&str], &str)] = &[
    (&["market"], "market/overview"),
    (&["market", "overview"], "market/overview"),
    (&["market", "selic", "--from", "2025-01-01"], "market/selic?from=2025-01-01"),
    (&["market", "cdi", "--limit", "500"], "market/cdi?limit=500"),
    (
        &["market", "ipca", "--from", "1990-01-01", "--to", "1990-12-31"],
        "market/ipca?from=1990-01-01&to=1990-12-31",
    ),
    (&["market", "fx", "--pair", "eur-brl", "--limit", "300"], "market/fx?pair=eur-brl&limit=300"),
    (&["market", "fx", "--offset", "40"], "market/fx?offset=40"),
    (&["market", "pairs"], "market/fx/pairs"),
    (&["market", "selic", "--current"], "market/selic/current"),
    (&["market", "fx", "--current", "--pair", "GBPBRL"], "market/fx/current?pair=GBPBRL"),
    (&["series"], "market/series"),
    (&["series", "--search", "reservas"], "market/series?q=reservas"),
    (&["series", "IGPM"], "market/series/IGPM"),
    (&["series", "189", "--current"], "market/series/189/current"),
    (
        &["series", "ipca,igpm", "--from", "2024-01-01", "--frequency", "year"],
        "market/series?from=2024-01-01&frequency=year&ids=ipca%2Cigpm",
    ),
    (
        &["series", "ipca", "--summary", "--from", "2020-01-01", "--to", "2020-12-31"],
        "market/series/ipca/summary?from=2020-01-01&to=2020-12-31",
    ),
    (&["companies"], "companies"),
    (
        &["companies", "--status", "ativo", "--sector", "bancos"],
        "companies?status=ativo&sector=bancos",
    ),
    (&["companies", "petrobras"], "companies/search?q=petrobras"),
    (&["companies", "petrobas"], "companies/search?q=petrobas"),
    (&["companies", "banco", "--status", "ativo"], "companies/search?q=banco&status=ativo"),
    (&["company", "9512"], "companies/9512"),
    (&["company", "33.000.167/0001-01"], "companies/33.000.167%2F0001-01"),
    (&["company", "petr4"], "companies/9512"),
    (&["company", "PETR4.SA"], "companies/9512"),
    (&["company", "Vale S.A."], "companies/4170"),
    (&["company", "vale"], "companies/4170"),
    (&["company", "itau unibanco holding s.a."], "companies/19348"),
    (&["filings", "--limit", "50"], "filings?limit=50"),
    (
        &["filings", "--company", "PETR4", "--category", "fato relevante"],
        "filings?company=PETR4&category=fato+relevante",
    ),
    (
        &["filings", "dividendos", "--type", "outros avisos", "--order", "relevance"],
        "filings/search?q=dividendos&type=outros+avisos&order=relevance",
    ),
    (&["filings", "\"fato relevante\" 2024"], "filings/search?q=%22fato+relevante%22+2024"),
    (&["filing", "dfp-155122"], "filings/dfp-155122"),
    (&["statements", "PETR4"], "companies/PETR4/statements"),
    (
        &["statements", "9512", "income", "--period", "ttm", "--depth", "2"],
        "companies/9512/statements/income?period=ttm&depth=2&layout=wide",
    ),
    (&["financials", "PETR4", "--period", "ttm"], "companies/PETR4/financials?period=ttm"),
    (
        &["financials", "--year", "2024", "--order", "-net_income"],
        "financials?year=2024&order=-net_income",
    ),
    (&["categories"], "filings/categories"),
    (&["calendar", "2026-11-20"], "calendar/2026-11-20"),
    (
        &["calendar", "--from", "2026-01-01", "--to", "2026-12-31"],
        "calendar/business-days?from=2026-01-01&to=2026-12-31",
    ),
    (&["search", "vale", "--limit", "3"], "search?q=vale&limit=3"),
];

#[test]
fn json_is_the_answer_of_the_api_to_the_last_digit() {
    for (arguments, address) in QUESTIONS {
        let (json, _) = printed(get(&[arguments, &["--format", "json"][..]].concat()));
        let reply = Server::shared().get(&format!("/api/v1/{address}"));
        assert_eq!(reply.status, 200, "{address}");
        // The address of the next page writes the same parameters in the order of the command.
        let parts = |text: &str| {
            let (rows, next) = text.split_once(",\"next\":\"").unwrap_or((text, ""));
            (rows.to_owned(), next.split('?').next().unwrap().to_owned())
        };
        assert_eq!(parts(json.trim_end_matches('\n')), parts(reply.text()), "{arguments:?}");
    }
}

#[test]
fn csv_is_that_of_the_api_byte_for_byte() {
    let mut lists = 0;
    for (arguments, address) in QUESTIONS {
        let mark = if address.contains('?') { '&' } else { '?' };
        for dialect in ["standard", "br"] {
            let asked = match dialect {
                "br" => format!("/api/v1/{address}{mark}format=csv&dialect=br"),
                _ => format!("/api/v1/{address}{mark}format=csv"),
            };
            let reply = Server::shared().get(&asked);
            // What is no list has no CSV there.
            if reply.status != 200 {
                continue;
            }
            let flags = ["--format", "csv", "--dialect", dialect];
            let (csv, _) = printed(get(&[arguments, &flags[..]].concat()));
            let wanted = match dialect {
                "br" => reply.text().to_owned(),
                // In a pipe, lines end as other programs expect it.
                _ => reply.text().replace("\r\n", "\n"),
            };
            assert_eq!(csv, wanted, "{arguments:?}");
            lists += 1;
        }
    }
    assert!(lists >= 34, "{lists}");
}

#[test]
fn without_a_terminal_rows_are_csv() {
    let (rows, said) = printed(get(&["market", "ipca", "--limit", "2"]));
    assert_eq!(rows, "date,value,origin\n2026-08-01,-0.32,published\n2026-07-01,0.07,published\n");
    assert_eq!(said, "2 of 560; --all for all\n");
    let unknown = get(&["companies", "--status", "unknown"]);
    let [empty, said] =
        [unknown.stdout, unknown.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    assert!(empty.starts_with("id,name,trade_name,") && empty.lines().count() == 1, "{empty}");
    assert_eq!(unknown.status.code(), Some(1), "{said}");
    let wrong =
        "finserve: no company has the status \"unknown\"; the statuses are ATIVO, CANCELADA, ";
    assert!(said.starts_with(wrong), "{said}");
    let (fact, _) = printed(get(&["calendar", "2026-11-16"]));
    assert_eq!(
        fact,
        "date,business_day,previous,next,holiday\n2026-11-16,true,2026-11-13,2026-11-17,\n"
    );
}

#[test]
fn a_row_is_a_line_of_ndjson() {
    let (lines, _) = printed(get(&["market", "cdi", "--limit", "3", "--format", "ndjson"]));
    let reply = Server::shared().get("/api/v1/market/cdi?limit=3");
    assert!(lines.lines().all(|line| reply.text().contains(line)), "{lines}");
    assert_eq!(lines.lines().count(), 3);
    let (both, _) = printed(get(&["search", "vale", "--limit", "2", "--format", "ndjson"]));
    let lists = both.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let lists: Vec<String> = lists.map(|row| row["list"].as_str().unwrap().to_owned()).collect();
    assert_eq!(lists, ["companies", "companies", "filings", "filings"]);
}

#[test]
fn tables_say_what_they_show() {
    let table =
        |arguments: &[&str]| printed(get(&[arguments, &["--format", "table"][..]].concat()));
    let (rows, said) = table(&["market", "fx", "--limit", "2"]);
    let wanted = "date        pair        buy    sell\n2026-09-04  USD/BRL  5.1247  5.1253\n2026-09-03  USD/BRL  5.0956  5.0962\n";
    assert_eq!(rows, wanted);
    let stale = "stale: this copy ends there, and newer figures are due";
    let source = "BRL per unit; BCB PTAX, closing bulletin";
    let said: Vec<&str> = said.lines().collect();
    assert!(said[0].starts_with(source) && said[0].ends_with(stale), "{said:?}");
    assert_eq!(said[1], "2 of 6701; --all for all");
    let (facts, _) = table(&["company", "PETR4"]);
    assert!(facts.contains("tickers        PETR3 PETR4\n"), "{facts}");
    let (near, said) = table(&["companies", "petrobas", "--limit", "1"]);
    assert!(near.contains("PETROBRAS"), "{near}");
    let near = "nothing matches exactly: these are the nearest matches; \"petrobas\" was taken for \"petrobras\"\n";
    assert!(said.contains(near), "{said}");
}

#[test]
fn long_lists_come_page_by_page_and_are_whole() {
    let (csv, said) = printed(get(&["companies", "--all"]));
    let (_, rows) = csv.split_once('\n').unwrap();
    let export = finserve(&["export", "companies", "--format", "csv", "--data"])
        .arg(Server::shared().data.path())
        .output()
        .unwrap();
    let export = String::from_utf8(export.stdout).unwrap();
    // The export is ordered otherwise, perhaps.
    let sorted = |rows: &str| {
        let mut rows: Vec<String> = rows.split('\n').map(str::to_owned).collect();
        rows.sort();
        rows
    };
    assert_eq!(sorted(rows), sorted(export.split_once('\n').unwrap().1));
    assert_eq!(said, "");
    let (json, _) =
        printed(get(&["companies", "--limit", "1500", "--offset", "5", "--format", "json"]));
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(
        (&json["limit"], &json["offset"], &json["total"]),
        (&1500.into(), &5.into(), &2562.into())
    );
    let rows = json["data"].as_array().unwrap();
    assert_eq!(rows.len(), 1500);
    let one = Server::shared().get("/api/v1/companies?limit=1&offset=1504").json();
    assert_eq!(rows[1499], one["data"][0]);
    let (short, said) = printed(get(&["market", "ipca", "--limit", "99999"]));
    assert_eq!(short.lines().count(), 561);
    assert_eq!(said, "");
}

#[test]
fn a_chart_shows_axes_days_and_extremes() {
    let arguments = ["market", "ipca", "--from", "2025-09-01", "--to", "2026-08-31", "--chart"];
    let (chart, _) = printed(get(&arguments));
    assert_eq!(chart, include_str!("charts/ipca.txt"));
    let (all, said) = printed(get(&["series", "igpm", "--chart"]));
    let last = "min -1.93 (2023-06-01), max 4.34 (2020-09-01), last 0.84 (2026-05-01)\n";
    assert!(all.starts_with("igpm, percent per month, BCB SGS 189\n"), "{all}");
    assert!(all.contains("2010-01-01") && all.ends_with(last), "{all}");
    assert_eq!(said, "stale: this copy ends there, and newer figures are due\n");
    // The sell side.
    let (fx, _) = printed(get(&["market", "fx", "--chart", "--limit", "2"]));
    assert!(
        fx.ends_with(
            "min 5.0962 (2026-09-03), max 5.1253 (2026-09-04), last 5.1253 (2026-09-04)\n"
        ),
        "{fx}"
    );
}

#[test]
fn what_is_wrong_is_said_with_what_helps() {
    for (arguments, message) in [
        (&["market", "selic", "--from", "x"][..], "--from: \"x\" is not a date (YYYY-MM-DD)"),
        (
            &["market", "selic", "--pair", "EURBRL"],
            "--pair is unknown; this takes --from, --to, --limit, --offset",
        ),
        (&["market", "--limit", "2"], "--limit is unknown; this takes --as-of"),
        (&["calendar", "soon"], "\"soon\" is not a date (YYYY-MM-DD)"),
        (&["filings", "--company", "petrobras"], "--company: \"petrobras\" is not a company"),
        (
            &["filings", "--company", "petrobras"],
            "; finserve get companies \"petrobras\" searches for it",
        ),
        (&["companies", "?"], "QUERY: \"?\" is not a text with at least one letter or digit"),
        (
            &["market", "overview", "--chart"],
            "--chart draws one history: add it to finserve get market selic, cdi",
        ),
        (&["market", "--chart"], "ipca or fx, or to finserve get series with a name or number"),
        (&["market", "pairs", "--chart"], "--chart draws one history"),
        (&["series", "--chart"], "--chart draws one history"),
        (
            &["market", "ipca", "--chart", "--format", "csv"],
            "--chart draws a chart: leave out --format",
        ),
        (
            &["market", "ipca", "--format", "json", "--dialect", "br"],
            "--dialect only applies to CSV",
        ),
        (&["market", "ipca", "--limit", "0"], "\"0\" is not a whole number of at least 1"),
        (&["market", "gold"], "invalid value 'gold'"),
    ] {
        let said = refused(arguments, 2);
        assert!(said.contains(message), "{arguments:?}: {said}");
    }
    for (arguments, message) in [
        (&["series", "nothing"][..], "finserve get series lists the series that have some"),
        (&["market", "fx", "--pair", "XXXBRL"], "finserve get market pairs lists the pairs"),
        (
            &["company", "itau"],
            "companies match \"itau\": finserve get companies \"itau\" lists them",
        ),
        (&["company", "zzzzzz"], "no company is called \"zzzzzz\""),
        (&["filing", "1"], "filing"),
        (&["company", "999999"], "there is no company \"999999\"; finserve get companies"),
        (&["market", "ipca", "--from", "2030-01-01", "--chart"], "there is nothing to draw"),
    ] {
        let said = refused(arguments, 1);
        assert!(said.contains(message), "{arguments:?}: {said}");
    }
    let none = tempfile::tempdir().unwrap();
    let output = on(none.path(), &["market"]);
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("name the data directory with --data"), "{said}");
}

#[test]
fn a_reader_that_has_seen_enough_ends_it_silently() {
    let mut command = finserve(&["get", "filings", "--limit", "3000", "--data"])
        .arg(Server::shared().data.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = [0; 3];
    let mut output = command.stdout.take().unwrap();
    output.read_exact(&mut first).unwrap();
    drop(output);
    let output = command.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(&first, b"id,");
    assert!(!String::from_utf8(output.stderr).unwrap().contains("rror"));
}

#[test]
fn a_new_user_gets_the_bundled_figures_without_any_directory() {
    let (here, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let run = |home: &Path| {
        let output = finserve(&["get", "market", "selic", "--limit", "1"])
            .current_dir(here.path())
            .env("HOME", home)
            .env_remove("XDG_CACHE_HOME")
            .output()
            .unwrap();
        printed(output)
    };
    for _ in 0..2 {
        let (rows, said) = run(home.path());
        assert_eq!(rows, "date,value,origin\n2026-11-04,13.75,published\n");
        assert!(
            said.contains("using the bundled data; `finserve sync` downloads newer data"),
            "{said}"
        );
    }
    assert_eq!(here.path().read_dir().unwrap().count(), 0);
    let cache = home.path().join(".cache/finserve");
    let names: Vec<_> = cache.read_dir().unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(names.len() == 1 && names[0].to_str().unwrap().starts_with("bundle-"), "{names:?}");
}
