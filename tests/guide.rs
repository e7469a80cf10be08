//! README and the pages of `docs/`: their commands work as shown, their links lead somewhere, and what is made from the
//! program is as the program is.
use std::{
    env, fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use serde_json::Value;

use crate::harness::{fill, finserve};

/// A page of the guide, or the README.
pub(crate) struct Page {
    pub(crate) name: String,
    pub(crate) text: String,
}

/// The README and every page below `docs`, by name.
pub(crate) fn pages() -> Vec<Page> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let entries = fs::read_dir(root.join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|end| end == "md")).collect();
    paths.sort();
    paths.insert(0, root.join("README.md"));
    let page = |path: &PathBuf| Page {
        name: path.strip_prefix(&root).unwrap().display().to_string(),
        text: fs::read_to_string(path).unwrap(),
    };
    paths.iter().map(page).collect()
}

pub(crate) fn page(name: &str) -> String {
    let found = pages().into_iter().find(|page| page.name == name);
    found.unwrap_or_else(|| panic!("there is no {name}")).text
}

/// A command and the output that is shown below it; nothing where none is shown.
struct Example<'p> {
    command: &'p str,
    output: &'p str,
}

/// Every command in the console blocks of a page, in order.
fn examples(text: &str) -> Vec<Example<'_>> {
    let blocks = text.split("```console\n").skip(1);
    let blocks = blocks.filter_map(|rest| rest.split_once("```").map(|(block, _)| block));
    let commands = blocks.flat_map(|block| block.strip_prefix("$ ").unwrap_or("").split("\n$ "));
    commands
        .map(|example| {
            let (command, output) = example.split_once('\n').unwrap_or((example, ""));
            Example { command, output: output.trim() }
        })
        .collect()
}

/// The server that a page is about: in the current directory, and on another port.
struct Started {
    server: Child,
    address: String,
    announced: String,
}

impl Started {
    fn start(directory: &Path) -> Started {
        let mut server = finserve(&["--listen", "127.0.0.1:0"])
            .current_dir(directory)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let lines = BufReader::new(server.stdout.take().unwrap()).lines();
        let announced: Vec<String> = lines.take(3).map(Result::unwrap).collect();
        let (_, address) = announced[0].split_once("http://").unwrap();
        let (address, announced) = (address.to_owned(), announced.join("\n"));
        Started { server, address, announced }
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// Whether there is a program of this name. The tests need nothing but Rust, and do without it.
fn is_installed(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok()
}

/// Runs the commands of a page in order, beside a server over the bundled data. Returns how many outputs were compared.
fn run(page: &Page) -> usize {
    let directory = tempfile::tempdir().unwrap();
    fill(&directory.path().join("finserve-data"));
    let started = Started::start(directory.path());
    let has_curl = is_installed("curl");
    let all = examples(&page.text);
    let examples = all.iter().filter(|example| {
        // This test does not build the program, and has started the server itself.
        let is_done = example.command.starts_with("cargo ") || example.command == "finserve";
        !is_done && (has_curl || !example.command.contains("curl "))
    });
    let examples: Vec<&Example<'_>> = examples.collect();

    // One shell for all, because later commands use the variables of earlier ones.
    let mut script = String::new();
    for (n, Example { command, .. }) in examples.iter().enumerate() {
        let command = command.replace("localhost:8080", &started.address);
        script +=
            &format!("{{ {command}\n}} >out.{n} 2>err.{n} || echo \"exit code $?\" >>out.{n}\n");
    }
    let programs = Path::new(env!("CARGO_BIN_EXE_finserve")).parent().unwrap();
    let path = format!("{}:{}", programs.display(), env::var("PATH").unwrap());
    let shell = Command::new("sh")
        .args(["-c", &script])
        .current_dir(directory.path())
        .env("PATH", path)
        .env("HOME", directory.path())
        .env("no_proxy", "*")
        .env_remove("FINSERVE_DATA")
        .status();
    assert!(shell.unwrap().success());

    let (mut compared, mut wrong) = (0, Vec::new());
    for (n, Example { command, output }) in examples.iter().enumerate() {
        let read = |name: &str| fs::read_to_string(directory.path().join(format!("{name}.{n}")));
        let (given, errors) = (read("out").unwrap(), read("err").unwrap());
        let place = format!("{}: {command}", page.name);
        assert!(!given.contains("exit code"), "{place}: {given}{errors}");
        if !output.is_empty() {
            let given = given.replace('\r', "");
            if given.trim() != *output {
                wrong.push(format!("{place}: {errors}\n{}\nnot\n{output}\n", given.trim()));
            }
            compared += 1;
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    if let Some(start) = all.iter().find(|example| example.command == "finserve") {
        assert_eq!(started.announced.replace(&started.address, "127.0.0.1:8080"), start.output);
        compared += 1;
    }
    compared
}

#[test]
fn the_commands_of_the_readme_work_when_they_are_pasted_in_order() {
    assert!(run(&pages()[0]) >= 5);
}

#[test]
#[ignore = "long"]
fn the_commands_of_every_page_work_when_they_are_pasted_in_order() {
    let compared: usize = pages().iter().map(run).sum();
    assert!(compared >= 40, "{compared}");
}

/// `docs/endpoints.md` is made from `openapi.yaml`. To write it anew: `UPDATE_DOCS=1 cargo test -p finserve --test tests
/// endpoints`.
#[test]
fn the_guide_lists_all_endpoints() {
    let document: Value = serde_norway::from_str(include_str!("../openapi.yaml")).unwrap();
    let mut made = String::from(
        "# Endpoints\n\nThis page lists every endpoint of the API with the plan that it needs; \
         [openapi.yaml](../openapi.yaml) has their parameters and answers, and `/docs` on a server lets you try them. \
         It is made from `openapi.yaml`.\n",
    );
    for tag in document["tags"].as_array().unwrap() {
        let name = tag["name"].as_str().unwrap();
        let about = tag["description"].as_str().unwrap().trim();
        made += &format!(
            "\n## {name}\n\n{about}\n\n| endpoint | gives | plan |\n| --- | --- | --- |\n"
        );
        for (path, item) in document["paths"].as_object().unwrap() {
            for (method, operation) in item.as_object().unwrap() {
                if operation["tags"][0] != name {
                    continue;
                }
                let method =
                    if method == "get" { String::new() } else { method.to_uppercase() + " " };
                let plan = operation["x-plan"].as_str().unwrap_or("any");
                let plan = plan[..1].to_uppercase() + &plan[1..];
                let summary = operation["summary"].as_str().unwrap();
                made += &format!("| `{method}{path}` | {summary} | {plan} |\n");
            }
        }
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/endpoints.md");
    if env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&path, &made).unwrap();
    }
    assert!(fs::read_to_string(path).unwrap() == made, "docs/endpoints.md is old: see this test");
}

/// How long a page may be, and that its links lead somewhere.
#[test]
fn pages_are_short_and_their_links_lead_somewhere() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut links = 0;
    for Page { name, text } in pages() {
        let most = if name == "README.md" { 150 } else { 250 };
        assert!(text.lines().count() <= most, "{name}");
        assert!(text.starts_with("# "), "{name}");
        for target in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            if target.contains("://") {
                continue;
            }
            let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
            let folder = root.join(&name).parent().unwrap().to_owned();
            let file = if file.is_empty() { root.join(&name) } else { folder.join(file) };
            assert!(file.exists(), "{name}: {target}");
            if !anchor.is_empty() {
                let text = fs::read_to_string(&file).unwrap();
                let mut headings = text.lines().filter(|line| line.starts_with('#'));
                assert!(headings.any(|heading| slug(heading) == anchor), "{name}: {target}");
            }
            links += 1;
        }
    }
    assert!(links > 100, "{links}");
}

/// The anchor of a heading.
fn slug(heading: &str) -> String {
    let text = heading.trim_start_matches('#').trim().to_lowercase().replace(' ', "-");
    text.chars().filter(|c| c.is_alphanumeric() || "-_".contains(*c)).collect()
}
