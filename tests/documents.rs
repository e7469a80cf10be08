//! What the documents promise: the commands and figures of the README, the examples of `openapi.yaml`, and that
//! DESIGN.md explains each dependency and ARCHITECTURE.md names each module.
use std::{
    env, fs,
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
};

use fincore::plans::{self, Offer};
use serde_json::Value;

use crate::{
    harness::{Server, finserve},
    structure::rust_files,
};

const README: &str = include_str!("../README.md");
const ARCHITECTURE: &str = include_str!("../ARCHITECTURE.md");
const DESIGN: &str = include_str!("../DESIGN.md");
const MANIFEST: &str = include_str!("../Cargo.toml");
const OPENAPI: &str = include_str!("../openapi.yaml");

/// A command of the README and the output that is shown below it; nothing where none is shown.
struct Example {
    command: &'static str,
    output: &'static str,
}

/// Every command in the README's console blocks, in order.
fn examples() -> Vec<Example> {
    let blocks = README.split("```console\n").skip(1);
    let blocks = blocks.filter_map(|rest| rest.split_once("```").map(|(block, _)| block));
    let commands = blocks.flat_map(|block| block.strip_prefix("$ ").unwrap_or("").split("\n$ "));
    commands
        .map(|example| {
            let (command, output) = example.split_once('\n').unwrap_or((example, ""));
            Example { command, output: output.trim() }
        })
        .collect()
}

#[test]
fn the_curl_examples_of_the_readme_give_what_they_show() {
    let shown =
        |example: &Example| example.command.starts_with("curl ") && !example.output.is_empty();
    let mut compared = 0;
    for Example { command, output } in examples().into_iter().filter(shown) {
        // What goes through a pipe is left to the test that has a shell.
        if command.contains(" | ") {
            continue;
        }
        let url = command
            .split(['\'', '"', ' '])
            .find(|word| word.contains("localhost:8080"))
            .expect(command);
        let target = &url[url.find("8080").unwrap() + 4..];
        let reply = if command.contains("X-API-Key") {
            Server::shared().get(target)
        } else {
            Server::shared().keyless("GET", target, "")
        };
        // Compared as text, because digits count.
        assert_eq!(reply.text(), output, "{command}");
        compared += 1;
    }
    assert!(compared >= 7, "{compared}");
}

/// The server that the README starts: in the current directory, and on another port.
struct Readme {
    server: Child,
    address: String,
    announced: String,
}

impl Readme {
    fn start(directory: &Path) -> Readme {
        let mut server = finserve(&["--listen", "127.0.0.1:0"])
            .current_dir(directory)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(server.stdout.take().unwrap()).lines();
        let announced: Vec<String> = lines.take(3).map(Result::unwrap).collect();
        let (_, address) = announced[0].split_once("http://").unwrap();
        let (address, announced) = (address.to_owned(), announced.join("\n"));
        Readme { server, address, announced }
    }
}

impl Drop for Readme {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// Whether there is a program of this name. The tests need nothing but Rust, and do without it.
fn is_installed(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok()
}

#[test]
fn the_commands_of_the_readme_work_when_they_are_pasted_in_order() {
    let directory = tempfile::tempdir().unwrap();
    let readme = Readme::start(directory.path());
    let skip_curl = !is_installed("curl");
    let examples: Vec<Example> = examples()
        .into_iter()
        .filter(|example| {
            let command = example.command;
            // This test does not build the program, and has started the server itself.
            let done = command.starts_with("cargo ") || command == "finserve";
            let skipped = skip_curl && command.contains("curl ");
            !done && !skipped
        })
        .collect();

    // One shell for all, because later commands use the variables of earlier ones.
    let mut script = String::new();
    for (n, Example { command, .. }) in examples.iter().enumerate() {
        let command = command.replace("localhost:8080", &readme.address);
        script +=
            &format!("{{ {command}\n}} >out.{n} 2>err.{n} || echo \"exit code $?\" >>out.{n}\n");
    }
    let programs = Path::new(env!("CARGO_BIN_EXE_finserve")).parent().unwrap();
    let path = format!("{}:{}", programs.display(), env::var("PATH").unwrap());
    let shell = Command::new("sh")
        .args(["-c", &script])
        .current_dir(directory.path())
        .env("PATH", path)
        .env("no_proxy", "*")
        .env_remove("FINSERVE_DATA")
        .status();
    assert!(shell.unwrap().success());

    for (n, Example { command, output }) in examples.iter().enumerate() {
        let read = |name: &str| fs::read_to_string(directory.path().join(format!("{name}.{n}")));
        let (given, errors) = (read("out").unwrap(), read("err").unwrap());
        assert!(!given.contains("exit code"), "{command}: {given}{errors}");
        if !output.is_empty() {
            assert_eq!(given.replace('\r', "").trim(), *output, "{command}: {errors}");
        }
    }
    let start = self::examples().into_iter().find(|example| example.command == "finserve").unwrap();
    assert_eq!(readme.announced.replace(&readme.address, "127.0.0.1:8080"), start.output);
}

#[test]
fn the_plans_of_the_readme_are_those_of_the_library() {
    let row =
        |offer: &Offer| format!("| {} | {} | {} | ", offer.name, offer.price, offer.rate_limit);
    let header = "| plan | US$ a month | requests a minute |";
    let table = README.lines().skip_while(|line| !line.starts_with(header)).skip(2);
    let rows: Vec<&str> = table.take_while(|line| line.starts_with('|')).collect();
    let offers = plans::list().plans;
    assert_eq!(rows.len(), offers.len());
    for (shown, offer) in rows.into_iter().zip(&offers) {
        assert!(shown.starts_with(&row(offer)), "{shown} is not {}", row(offer));
    }
}

#[test]
fn the_readme_says_what_the_bundle_covers() {
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
        README.contains(&format!("{} ", &pair[..3])) || README.contains(&format!("{},", &pair[..3]))
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
        assert!(README.contains(&claim), "{claim}");
    }
}

/// The Rust examples of the README; that they are the same is tested below.
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
        webhooks::{Signed, verify},
    };

    fn check(
        secret: &str,
        headers: &Signed<'_>,
        body: &[u8],
        now: DateTime<Utc>,
    ) -> fincore::Result<()> {
        verify(&secret.parse()?, headers, body, now)
    }
}

#[test]
fn the_rust_examples_of_the_readme_compile() {
    let compiled: Vec<&str> = include_str!("documents.rs").lines().map(str::trim).collect();
    let mut compared = 0;
    for example in README.split("```rust,no_run\n").skip(1) {
        let (example, _) = example.split_once("```").unwrap();
        let example: Vec<&str> = example.lines().map(str::trim).collect();
        assert!(compiled.windows(example.len()).any(|lines| lines == example), "{example:?}");
        compared += 1;
    }
    assert_eq!(compared, 2);
}

/// Every module at the top of a crate, and each file of `http`.
#[test]
fn the_architecture_names_every_module() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut modules = 0;
    for folder in ["fincore/src", "finserve/src", "finserve/src/http"] {
        for entry in fs::read_dir(root.join(folder)).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            // These three are described by their folders.
            if !name.ends_with(".rs") || ["lib.rs", "http.rs", "types.rs"].contains(&&*name) {
                continue;
            }
            let known =
                ["`", "/"].iter().any(|start| ARCHITECTURE.contains(&format!("{start}{name}`")));
            assert!(known, "{folder}/{name}");
            modules += 1;
        }
    }
    assert!(modules > 40, "{modules}");
}

/// The other way round: whatever looks like a source file or a folder is there. In the tables, names after the first one of a
/// row may leave out its folder.
#[test]
fn what_the_architecture_names_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folders = ["fincore", "finserve", "tests", "benches"];
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
    assert!(named > 150, "{named}");
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
        const CHANGING: [&str; 5] = [
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
    assert_eq!((checked, tables), (31, 2));
}
