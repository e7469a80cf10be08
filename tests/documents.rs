//! What the documents promise: the figures of README and guide, the examples of `openapi.yaml`, and that
//! DESIGN.md explains each dependency and ARCHITECTURE.md names each module.
use std::path::Path;

use fincore::plans::{self, Offer};
use serde_json::Value;

use crate::{
    guide::{Page, page, pages},
    harness::Server,
    structure::rust_files,
};

const ARCHITECTURE: &str = include_str!("../ARCHITECTURE.md");
const DESIGN: &str = include_str!("../DESIGN.md");
const MANIFEST: &str = include_str!("../Cargo.toml");
const OPENAPI: &str = include_str!("../openapi.yaml");

#[test]
fn the_plans_of_the_guide_are_those_of_the_library() {
    let guide = page("docs/plans-and-limits.md");
    let row =
        |offer: &Offer| format!("| {} | {} | {} | ", offer.name, offer.price, offer.rate_limit);
    let header = "| plan | US$ a month | requests a minute |";
    let table = guide.lines().skip_while(|line| !line.starts_with(header)).skip(2);
    let rows: Vec<&str> = table.take_while(|line| line.starts_with('|')).collect();
    let offers = plans::list().plans;
    assert_eq!(rows.len(), offers.len());
    for (shown, offer) in rows.into_iter().zip(&offers) {
        assert!(shown.starts_with(&row(offer)), "{shown} is not {}", row(offer));
    }
}

#[test]
fn the_guide_says_what_the_bundle_covers() {
    let guide = page("docs/market-data.md") + &page("docs/companies-and-filings.md");
    let total = |path: &str| Server::shared().get(path).json()["total"].as_u64().unwrap();
    let thousands = |number: u64| format!("{},{:03}", number / 1000, number % 1000);
    let pairs = Server::shared().get("/api/v1/market/fx/pairs").json();
    let days: Vec<(&str, u64)> = pairs["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|pair| (pair["pair"].as_str().unwrap(), pair["days"].as_u64().unwrap()))
        .collect();
    let named = |pair: &str| {
        guide.contains(&format!("{} ", &pair[..3])) || guide.contains(&format!("{},", &pair[..3]))
    };
    let of = |wanted: &str| days.iter().find(|(pair, _)| *pair == wanted).unwrap().1;
    let (euro, pound) = (of("EUR/BRL"), of("GBP/BRL"));
    let single = days.iter().filter(|(_, days)| *days <= 3).count();
    let weeks: Vec<_> = days.iter().filter(|(_, days)| (24..=25).contains(days)).collect();
    assert!(weeks.iter().all(|(pair, _)| named(pair)), "{weeks:?}");
    assert_eq!(days.len(), 3 + weeks.len() + single);
    for claim in [
        format!("EUR on {euro} days, GBP on {pound}"),
        format!("{single} others on one to three single days"),
        format!("the {} of CVM's registry", thousands(total("/api/v1/companies"))),
        format!("| filings | {}:", thousands(total("/api/v1/filings"))),
    ] {
        assert!(guide.contains(&claim), "{claim}");
    }
}

/// The Rust examples of README and guide; that they are the same is tested below.
#[allow(dead_code, clippy::print_stdout, reason = "compiled, not run")]
mod first_example {
    use fincore::{Catalogue, bundle, market};

    fn main() -> fincore::Result<()> {
        let catalogue = Catalogue::open("catalogue.db")?;
        bundle::fill(&catalogue)?;

        let snapshot = catalogue.snapshot("2026-10-05".parse()?)?;
        let now = market::overview(&snapshot)?;
        println!("Selic {} % a year, dollar at R$ {}", now.selic.value, now.fx.sell);
        Ok(())
    }
}

#[allow(dead_code, reason = "compiled, not run")]
mod second_example {
    use fincore::{
        chrono::{DateTime, Utc},
        webhooks::{SignatureHeaders, verify},
    };

    fn check(
        secret: &str,
        headers: &SignatureHeaders<'_>,
        body: &[u8],
        now: DateTime<Utc>,
    ) -> fincore::Result<()> {
        verify(&secret.parse()?, headers, body, now)
    }
}

#[allow(dead_code, clippy::print_stdout, reason = "compiled, not run")]
mod third_example {
    use fincore::{Catalogue, market::History};
    use finserve_client::{Client, Settings, Source, market};

    async fn selic(source: &Source) -> finserve_client::Result<()> {
        let newest = market::selic(source, History::default()).await?;
        println!("{} % a year since {}", newest.data[0].value, newest.data[0].date);
        Ok(())
    }

    async fn both() -> Result<(), Box<dyn std::error::Error>> {
        selic(&Catalogue::open("catalogue.db")?.into()).await?;
        let settings = Settings { key: Some("fin_…".parse()?), ..Settings::default() };
        selic(&Client::new("http://localhost:8080", settings)?.into()).await?;
        Ok(())
    }
}

#[test]
fn the_rust_examples_compile() {
    let compiled: Vec<&str> = include_str!("documents.rs").lines().map(str::trim).collect();
    let mut compared = 0;
    for Page { name, text } in pages() {
        for example in text.split("```rust,no_run\n").skip(1) {
            let (example, _) = example.split_once("```").unwrap();
            let example: Vec<&str> = example.lines().map(str::trim).collect();
            let is_compiled = compiled.windows(example.len()).any(|lines| lines == example);
            assert!(is_compiled, "{name}: {example:?}");
            compared += 1;
        }
    }
    assert_eq!(compared, 4);
}

/// Every room at the top of a crate, and each one of `http`.
#[test]
fn the_architecture_names_every_room() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut rooms = 0;
    for folder in ["fincore/src", "finserve/src", "finserve/src/http"] {
        for path in rust_files(&root.join(folder)) {
            let name = path.file_stem().unwrap().to_str().unwrap();
            let is_room =
                path.parent() == Some(&root.join(folder)) && !["lib", "main"].contains(&name);
            let known = ["", "/", ".rs"].map(|end| format!("`{name}{end}"));
            let known = known.iter().any(|name| ARCHITECTURE.contains(name));
            assert!(known || !is_room, "{folder}/{name}");
            rooms += usize::from(is_room);
        }
    }
    assert!(rooms > 30, "{rooms}");
}

/// The other way round: whatever looks like a source file or a folder is there. In the tables, names after the first one of a
/// row may leave out its folder.
#[test]
fn what_the_architecture_names_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folders = ["fincore", "finserve", "clients", "tests", "benches"];
    let files: Vec<_> = folders.iter().flat_map(|folder| rust_files(&root.join(folder))).collect();
    let (mut table, mut named) = (root.clone(), 0);
    for line in ARCHITECTURE.lines() {
        let cell = line.strip_prefix("| ").and_then(|row| row.split(" | ").next());
        let is_row = cell.is_some_and(|cell| cell.starts_with('`'));
        let names = |text: &'static str| text.split('`').skip(1).step_by(2);
        let is_path = |name: &&str| name.ends_with(".rs") || name.ends_with("/");
        if let Some(sources) = cell.filter(|_| line.ends_with("| holds |")) {
            table = root.join(sources.trim_matches('`'));
        } else if let Some(cell) = cell.filter(|_| is_row) {
            let first = Path::new(names(cell).next().unwrap()).parent().unwrap_or(Path::new(""));
            for name in names(cell).filter(is_path) {
                let is_there = table.join(name).exists() || table.join(first).join(name).exists();
                assert!(is_there, "{name}: {line}");
                named += 1;
            }
        }
        for name in names(line).filter(|name| name.ends_with(".rs") && !is_row) {
            assert!(files.iter().any(|file| file.ends_with(name)), "{name}: {line}");
            named += 1;
        }
    }
    assert!(named > 50, "{named}");
}

/// Every dependency has its sentence in DESIGN.md.
#[test]
fn the_design_says_why_for_each_dependency() {
    let (_, dependencies) = MANIFEST.split_once("[workspace.dependencies]\n").unwrap();
    let (dependencies, _) = dependencies.split_once("\n[").unwrap();
    for line in dependencies.lines().filter(|line| line.contains('=')) {
        let name = line.split_whitespace().next().unwrap();
        assert!(name == "fincore" || DESIGN.contains(&format!("`{name}`")), "{name}");
    }
}

/// A list is asked for as many rows as its example shows; of the other parameters only those are given that must
/// be. What Free includes is asked for without a key: it is shown as it is for everybody.
#[test]
fn the_examples_of_openapi_are_what_the_server_answers() {
    let document: Value = serde_norway::from_str(OPENAPI).unwrap();
    let server = Server::start();
    let (mut checked, mut tables) = (0, 0);
    for (path, item) in document["paths"].as_object().unwrap() {
        let operation = &item["get"];
        // What belongs to a key differs from key to key, and this from day to day or from catalogue to catalogue.
        const CHANGING: [&str; 12] = [
            "/api/v1/financials",
            "/api/v1/companies/{id}/financials",
            "/api/v1/companies/{id}/statements",
            "/api/v1/companies/{id}/statements/{kind}",
            "/api/v1/market/series/{series}/revisions",
            "/api/v1/market/selic/decisions",
            "/api/v1/links",
            "/api/v1/plans/usage",
            "/api/v1/status",
            "/api/v1/calendar/business-days",
            "/api/v1/export",
            "/api/v1/events",
        ];
        let changes = CHANGING.contains(&path.as_str()) || path.starts_with("/api/v1/webhooks");
        let content = &operation["responses"]["200"]["content"];
        let example = &content["application/json"]["example"];
        if changes || example.is_null() {
            continue;
        }
        let (mut target, mut query) = (path.clone(), Vec::new());
        for parameter in operation["parameters"].as_array().into_iter().flatten() {
            let reference = parameter["$ref"].as_str().unwrap().trim_start_matches('#');
            let parameter = document.pointer(reference).unwrap();
            let name = parameter["name"].as_str().unwrap();
            let value = parameter["example"].as_str().unwrap_or_default();
            match parameter["in"].as_str() {
                Some("path") => target = target.replace(&format!("{{{name}}}"), value),
                _ if name == "limit" => {
                    query.push(format!("limit={}", example["limit"].as_u64().unwrap_or(1)));
                }
                _ if parameter["required"] == true => query.push(format!("{name}={value}")),
                _ => (),
            }
        }
        if !query.is_empty() {
            target = format!("{target}?{}", query.join("&"));
        }
        let paid = operation["x-plan"].as_str().is_some_and(|plan| plan != "free");
        let reply = if paid { server.get(&target) } else { server.keyless("GET", &target, "") };
        assert_eq!(reply.status, 200, "{target}: {}", reply.text());
        assert_eq!(reply.json(), *example, "{target}");
        checked += 1;
        if let Some(example) = content["text/csv"]["example"].as_str() {
            let mark = if target.contains('?') { '&' } else { '?' };
            let csv = server.get(&format!("{target}{mark}format=csv"));
            assert_eq!(csv.text(), example, "{target}");
            tables += 1;
        }
    }
    assert_eq!((checked, tables), (34, 2));
}
