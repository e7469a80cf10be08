//! `finserve calc` on a data directory: whatever the format, a script gets the result.
use serde_json::Value;

use crate::{
    get::printed,
    harness::{Server, finserve},
};

/// Calculations, the address that asks the same, and where that has lists of steps with `steps=true`.
const CALCULATIONS: [(&[&str], &str, &[&str]); 6] = [
    (
        &[
            "correction",
            "--amount",
            "1000",
            "--from",
            "2026-01-01",
            "--to",
            "2026-03-01",
            "--index",
            "ipca",
        ],
        "correction?amount=1000&from=2026-01-01&to=2026-03-01&index=ipca",
        &["/steps"],
    ),
    (
        &["accumulated", "--series", "cdi", "--from", "2026-01-01", "--to", "2026-03-01"],
        "accumulated?series=cdi&from=2026-01-01&to=2026-03-01",
        &["/steps"],
    ),
    (
        &["real-rate", "--from", "2026-01-01", "--to", "2026-03-01"],
        "real-rate?from=2026-01-01&to=2026-03-01",
        &["/interest/steps", "/inflation/steps"],
    ),
    (
        &["convert", "--amount", "10", "--from", "USD", "--to", "EUR"],
        "convert?amount=10&from=USD&to=EUR",
        &[],
    ),
    (
        &["convert", "--amount", "10", "--from", "EUR", "--to", "BRL", "--side", "buy"],
        "convert?amount=10&from=EUR&to=BRL&side=buy",
        &[],
    ),
    (
        &["rate", "--value", "-1.5", "--from", "year365", "--to", "day"],
        "rate?value=-1.5&from=year365&to=day",
        &[],
    ),
];

fn calc(arguments: &[&str], more: &[&str]) -> String {
    let mut command = finserve(&["calc"]);
    command.args(arguments).args(more).arg("--data").arg(Server::shared().data.path());
    command.env_remove("FINSERVE_SERVER").env_remove("FINSERVE_KEY");
    printed(command.output().unwrap()).0
}

fn api(address: &str) -> String {
    let reply = Server::shared().get(&format!("/api/v1/calc/{address}"));
    assert_eq!(reply.status, 200, "{address}");
    reply.text().to_owned()
}

/// The columns of the first row of CSV, and the number of rows. No text here has a quote in it.
fn first_row(csv: &str) -> (Vec<(String, String)>, usize) {
    let cells = |line: &str| {
        let quoted = line.split('"').enumerate();
        let parts = quoted.map(
            |(at, part)| {
                if at % 2 == 1 { part.to_owned() } else { part.replace(',', "\n") }
            },
        );
        parts.collect::<String>().split('\n').map(str::to_owned).collect::<Vec<_>>()
    };
    let mut lines = csv.split_terminator('\n');
    let (names, values) = (cells(lines.next().unwrap()), cells(lines.next().unwrap()));
    assert_eq!(names.len(), values.len(), "{csv}");
    (names.into_iter().zip(values).collect(), 1 + lines.count())
}

/// Every plain member of an answer but `meta` and the steps, under the name of its column.
fn plain(name: &str, value: &Value, found: &mut Vec<(String, String)>) {
    let inner = |key: &str| if name.is_empty() { key.to_owned() } else { format!("{name}.{key}") };
    match value {
        Value::Object(members) => {
            for (key, value) in
                members.iter().filter(|(key, _)| !["meta", "steps"].contains(&key.as_str()))
            {
                plain(&inner(key), value, found);
            }
        }
        Value::Array(rows) => {
            for (number, row) in (1..).zip(rows) {
                plain(&inner(&number.to_string()), row, found);
            }
        }
        Value::String(text) => found.push((name.to_owned(), text.clone())),
        other => found.push((name.to_owned(), other.to_string())),
    }
}

#[test]
fn a_script_gets_the_result_of_every_calculator() {
    for (arguments, address, _) in CALCULATIONS {
        let json = api(address);
        let mut wanted = Vec::new();
        plain("", &serde_json::from_str(&json).unwrap(), &mut wanted);
        let (columns, rows) = first_row(&calc(arguments, &[]));
        assert_eq!(rows, 1, "{arguments:?}");
        assert_eq!(columns.len(), wanted.len(), "{arguments:?}: {columns:?}");
        for (name, value) in wanted {
            let (_, found) = columns.iter().find(|(known, _)| *known == name).unwrap();
            // Figures keep their digits; the test reads them as numbers.
            let same =
                found == &value || found.parse::<f64>().is_ok_and(|it| value.parse() == Ok(it));
            assert!(same, "{arguments:?}: {name} is {found}, not {value}");
        }
        assert_eq!(calc(arguments, &["--format", "ndjson"]), format!("{json}\n"));
    }
}

#[test]
fn with_steps_every_row_has_the_result_and_a_step() {
    for (arguments, address, lists) in
        CALCULATIONS.into_iter().filter(|(.., lists)| !lists.is_empty())
    {
        let json = api(&format!("{address}&steps=true"));
        let answer: Value = serde_json::from_str(&json).unwrap();
        let steps = lists.iter().map(|list| answer.pointer(list).unwrap().as_array().unwrap());
        let steps: Vec<&Value> = steps.flatten().collect();
        let (result, _) = first_row(&calc(arguments, &[]));
        let (columns, rows) = first_row(&calc(arguments, &["--steps"]));
        assert_eq!(rows, steps.len(), "{arguments:?}");
        assert_eq!(columns[..result.len()], result, "{arguments:?}");
        let (_, date) = columns.iter().find(|(name, _)| name == "steps.date").unwrap();
        assert_eq!(*date, steps[0]["date"], "{arguments:?}");
        assert_eq!(columns.iter().any(|(name, _)| name == "steps"), lists.len() > 1);
        assert_eq!(calc(arguments, &["--steps", "--format", "ndjson"]), format!("{json}\n"));
        let table = calc(arguments, &["--steps", "--format", "table"]);
        assert!(
            !table.contains('{') && table.contains("\nsteps\n") == (lists.len() == 1),
            "{table}"
        );
    }
}

/// The API lists at most a thousand steps; the command asks for one page after the other.
#[test]
fn all_steps_are_listed_over_as_many_pages_as_they_take() {
    let days = "real-rate?from=2019-01-01&to=2024-12-01&interest=cdi&steps=true";
    let page: Value = serde_json::from_str(&api(days)).unwrap();
    let periods = page["interest"]["periods"].as_u64().unwrap();
    assert!(periods > 1_000 && page["interest"]["steps"].as_array().unwrap().len() == 1_000);
    let arguments =
        ["real-rate", "--from", "2019-01-01", "--to", "2024-12-01", "--interest", "cdi", "--steps"];
    let whole: Value = serde_json::from_str(&calc(&arguments, &["--format", "json"])).unwrap();
    let steps = whole["interest"]["steps"].as_array().unwrap();
    assert_eq!(steps.len() as u64, periods);
    assert_eq!(steps.last().unwrap()["product"], whole["interest"]["factor"]);
    assert_eq!(whole["inflation"]["steps"], page["inflation"]["steps"]);
    let second: Value = serde_json::from_str(&api(&format!("{days}&offset=1000"))).unwrap();
    assert_eq!(second["interest"]["steps"].as_array().unwrap()[..], steps[1_000..]);
    for wrong in ["limit=1001", "limit=0", "offset=-1"] {
        let reply = Server::shared().get(&format!("/api/v1/calc/{days}&{wrong}"));
        assert_eq!(reply.status, 400, "{wrong}");
    }
}

#[test]
fn an_amount_with_two_readings_is_refused_and_a_page_takes_it_in_its_language() {
    for amount in ["10.000", "10,000"] {
        for query in ["correction?index=ipca&from=2026-01-01", "convert?from=USD&to=BRL"] {
            let reply = Server::shared().get(&format!("/api/v1/calc/{query}&amount={amount}"));
            assert_eq!(reply.status, 400, "{query} {amount}");
            let said = reply.json()["message"].as_str().unwrap().to_owned();
            assert!(said.contains("10 with a decimal mark, 10000 with a thousands mark"), "{said}");
        }
    }
    for (language, address) in [("pt", "amount=10000&"), ("en", "amount=10.0000&")] {
        let typed =
            format!("/calc/correction?amount=10.000&index=ipca&from=2026-01&lang={language}");
        let reply = Server::shared().get(&typed);
        assert_eq!(reply.status, 303, "{language}");
        assert!(reply.header("location").unwrap().contains(address), "{language}");
    }
}

#[test]
fn contracts_and_savings_are_calculated_in_the_terminal_too() {
    let rent = ["accumulated", "--series", "igpm", "--from", "2024-05-10", "--to", "2025-05-10"];
    let contract = calc(&rent, &["--months", "contract", "--format", "ndjson"]);
    assert!(contract.contains("\"factor\":1.0851041753272339,"), "{contract}");
    let savings = ["accumulated", "--series", "poupança", "--from", "2020-01-01"];
    let month = calc(&savings, &["--to", "2020-02-01", "--format", "ndjson"]);
    assert!(
        month.contains("\"number\":196,") && month.contains("\"accumulated\":0.2588,"),
        "{month}"
    );
}
