//! `finserve sync` of archives with financial statements: what arrives, what is not read again, and who is told.
use fincore::{
    events::{self, EventWindow, EventsQuery},
    export::{Dataset, Export, Format, Query},
    filings,
    statements::{self, FormsQuery, StatementKind, StatementQuery},
};
use serde_json::{Value, json};

use crate::{
    harness::forget_statements,
    made_statements::Archive,
    publisher::Conditional,
    sync::{Place, today},
};

const ARGUMENTS: [&str; 4] = ["--only", "filings.dfp,filings.itr", "--since", "2024-01-01"];
const REVENUE: &str = "Receita de Venda de Bens e/ou Serviços";
const YEAR: &str = "2024-01-01";

/// A data directory whose statements are those of the publisher.
fn place() -> Place {
    let place = Place::days_ago(0);
    forget_statements(place.data.path());
    place
}

/// The annual form of a year.
fn annual() -> Archive {
    let mut archive = Archive::new("dfp", 2024);
    archive
        .form(("2024-12-31", 1), (990_001, &today().to_string()))
        .lines("DRE_con", YEAR, &[("3.01", REVENUE, "1000.0")])
        .lines("BPA_con", "", &[("1", "Ativo Total", "5000.0")]);
    archive
}

/// The quarterly forms of a year, of which CVM has the values of the newest versions alone.
fn quarterly(second_versions: &[(u32, u32, &'static str)]) -> Archive {
    let mut archive = Archive::new("itr", 2024);
    let received = today().to_string();
    archive.form(("2024-03-31", 1), (990_101, &received)).lines(
        "DRE_con",
        YEAR,
        &[("3.01", REVENUE, "200.0")],
    );
    let newest = second_versions.len() - 1;
    for (place, (version, document, value)) in second_versions.iter().enumerate() {
        let form = archive.form(("2024-06-30", *version), (*document, &received));
        if place == newest {
            form.lines("DRE_con", YEAR, &[("3.01", REVENUE, value)]);
        }
    }
    archive
}

fn publish(place: &Place, archives: &[Archive]) {
    place.publisher.publish(|published| {
        for archive in archives {
            published.archives.insert(archive.name(), archive.bytes());
        }
    });
}

/// The forms of Petrobras with statements: form, end of the period, version, and the filing.
fn forms(place: &Place) -> Vec<String> {
    let query = FormsQuery::new("9512".parse().unwrap());
    let listed = statements::list(&place.snapshot(), query).unwrap();
    let told = |row: &statements::StatementForm| {
        let filing = row.filing_id.unwrap();
        let found = filings::find(&place.snapshot(), filing).unwrap();
        assert_eq!(found.date.to_string(), today().to_string(), "{filing}");
        format!("{} v{} {filing}", row.period_end, row.version)
    };
    listed.data.iter().map(told).collect()
}

/// The revenue of the years to date, newest first.
fn revenues(place: &Place) -> Vec<String> {
    let mut query = StatementQuery::new("9512".parse().unwrap(), StatementKind::Income);
    query.period = statements::Period::YearToDate;
    let page = statements::statement(&place.snapshot(), query).unwrap();
    page.data.iter().map(|row| row.accounts[0].value.to_string()).collect()
}

/// The forms that were announced, of all events since the beginning.
fn announced(place: &Place) -> Vec<Value> {
    let page =
        events::list(&place.snapshot(), EventWindow::default(), EventsQuery::default()).unwrap();
    assert!(!page.more);
    let published = page.data.iter().filter(|event| event.kind == "statement.published");
    published
        .map(|event| {
            let data: Value = serde_json::from_str(event.data.get()).unwrap();
            json!([data["filing_id"], data["version"], data["kinds"]])
        })
        .collect()
}

/// The forms of which an export since a data version has rows.
fn changed_since(place: &Place, version: u64) -> Vec<String> {
    let query = Query { since: Some(version), ..Query::new(Dataset::Statements, Format::Ndjson) };
    let (mut export, mut out) = (Export::begin(place.snapshot(), query).unwrap(), Vec::new());
    while export.write(&mut out).unwrap() {}
    let text = String::from_utf8(out).unwrap();
    let mut found: Vec<String> = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter(|row| row["change"] == "added")
        .map(|row| format!("{} v{}", row["period_end"].as_str().unwrap(), row["version"]))
        .collect();
    found.dedup();
    found
}

/// The answers to requests for the archives of 2024.
fn statuses(place: &Place) -> Vec<(String, u16)> {
    let asked = place.publisher.asked();
    let archives = asked.iter().filter(|asked| asked.target.ends_with("_2024.zip"));
    let name = |target: &str| target.rsplit('/').next().unwrap()[..3].to_owned();
    let mut found: Vec<(String, u16)> =
        archives.map(|asked| (name(&asked.target), asked.status)).collect();
    found.sort();
    found
}

fn check_archives_that_tell_changes(conditional: Conditional) {
    let place = place();
    place.publisher.conditional(conditional);
    publish(&place, &[annual(), quarterly(&[(1, 990_102, "410.0")])]);
    place.succeed(&ARGUMENTS);
    let first =
        ["2024-12-31 v1 dfp-990001", "2024-06-30 v1 itr-990102", "2024-03-31 v1 itr-990101"];
    assert_eq!(forms(&place), first);
    assert_eq!(revenues(&place), ["1000000", "410000", "200000"]);
    let told = announced(&place);
    assert_eq!(told.len(), 3, "{told:?}");
    assert!(told.contains(&json!(["dfp-990001", 1, ["balance-sheet", "income"]])), "{told:?}");
    assert_eq!(statuses(&place), [("dfp".into(), 200), ("itr".into(), 200)]);

    // Nothing is read again.
    let before = place.seen();
    let output = place.succeed(&ARGUMENTS);
    assert!(output.lines().all(|line| line.ends_with(": nothing new")), "{output}");
    assert_eq!(statuses(&place), [("dfp".into(), 304), ("itr".into(), 304)]);
    assert_eq!((place.seen(), announced(&place).len()), (before, 3));

    // A company files again: this form comes, and no other.
    let version = place.snapshot().version().unwrap();
    publish(&place, &[quarterly(&[(1, 990_102, ""), (2, 990_202, "420.5")])]);
    place.succeed(&ARGUMENTS);
    assert_eq!(statuses(&place), [("dfp".into(), 304), ("itr".into(), 200)]);
    assert_eq!(changed_since(&place, version), ["2024-06-30 v2"]);
    let mut now = vec!["2024-06-30 v2 itr-990202"];
    now.extend(&first[1..]);
    now.insert(0, first[0]);
    assert_eq!(forms(&place), now);
    assert_eq!(revenues(&place), ["1000000", "420500", "200000"]);
    assert_eq!(announced(&place)[3..], [json!(["itr-990202", 2, ["income"]])]);
}

#[test]
fn statements_arrive_with_their_filings_and_later_only_what_changed() {
    check_archives_that_tell_changes(Conditional::ByTag);
}

#[test]
#[ignore = "long"]
fn archives_with_a_time_instead_of_a_tag_are_not_read_again_either() {
    check_archives_that_tell_changes(Conditional::ByTime);
}

#[test]
#[ignore = "long"]
fn the_same_archive_again_changes_nothing() {
    let place = place();
    publish(&place, &[annual(), quarterly(&[(1, 990_102, "410.0")])]);
    place.succeed(&ARGUMENTS);
    let before = place.seen();
    let output = place.succeed(&ARGUMENTS);
    assert!(output.lines().all(|line| line.ends_with(": nothing new")), "{output}");
    assert_eq!((place.seen(), announced(&place).len()), (before, 3));
}

#[test]
fn a_damaged_archive_brings_neither_filings_nor_statements() {
    let place = place();
    publish(&place, &[annual()]);
    let mut damaged = quarterly(&[(1, 990_102, "410.0")]).bytes();
    let half = damaged.len() / 2;
    damaged.truncate(half);
    place.publisher.publish(|published| {
        published.archives.insert("itr_cia_aberta_2024.zip".into(), damaged);
    });
    let ran = place.sync(&ARGUMENTS);
    assert_eq!(ran.code, Some(1), "{}", ran.output);
    assert!(ran.output.contains("filings.itr: failed: "), "{}", ran.output);
    assert_eq!(forms(&place), ["2024-12-31 v1 dfp-990001"]);
    publish(&place, &[quarterly(&[(1, 990_102, "410.0")])]);
    place.succeed(&ARGUMENTS);
    assert_eq!(forms(&place).len(), 3);
}
