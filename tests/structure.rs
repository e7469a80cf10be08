//! What ARCHITECTURE.md says of the structure, held against the sources: which module may use which, and
//! that no landed migration was edited.
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use sha2::{Digest, Sha256};

mod layers;
use layers::{FINCORE, finserve};

#[test]
fn modules_use_only_those_below_them() {
    for (crate_name, layers) in [("fincore", FINCORE.to_vec()), ("finserve", finserve())] {
        let found = uses(crate_name);
        let mut below = BTreeSet::new();
        for (module, allowed) in layers {
            let used = found.get(module).cloned().unwrap_or_default();
            let wanted: BTreeSet<String> = allowed.iter().map(ToString::to_string).collect();
            assert_eq!(used, wanted, "{crate_name}: {module} uses other modules than it may");
            assert!(wanted.is_subset(&below), "{crate_name}: {module} uses what is not below it");
            below.insert(module.to_owned());
        }
        let known: BTreeSet<&String> = found.keys().collect();
        assert_eq!(known, below.iter().collect(), "{crate_name} has other modules");
    }
}

/// The package that fuzzes compiles modules of the server by links to them, so whatever those use must be there too.
#[test]
fn the_fuzzed_modules_are_complete() {
    let fuzzed = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/src");
    let declared: BTreeSet<String> = fs::read_to_string(fuzzed.join("lib.rs"))
        .unwrap()
        .lines()
        .filter_map(|line| {
            Some(line.strip_prefix("mod ")?.trim_end_matches([';', ' ', '{']).to_owned())
        })
        .collect();
    let first = |module: &str| module.split('/').next().unwrap().to_owned();
    // That of the package has only the part without engines.
    for (module, used) in finserve().iter().filter(|(module, _)| *module != "cluster") {
        if declared.contains(&first(module)) {
            let missing: Vec<_> =
                used.iter().filter(|used| !declared.contains(&first(used))).collect();
            assert!(missing.is_empty(), "fuzz/src/lib.rs lacks {missing:?}, which {module} uses");
        }
    }
}

/// Which module uses which, by the paths in its sources; tests do not count.
fn uses(crate_name: &str) -> BTreeMap<String, BTreeSet<String>> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(crate_name).join("src");
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for path in rust_files(&source) {
        let relative = path.strip_prefix(&source).unwrap();
        let inside: Vec<&str> = relative.iter().map(|part| part.to_str().unwrap()).collect();
        let names: Vec<&str> = inside.iter().map(|part| part.trim_end_matches(".rs")).collect();
        if matches!(names[..], ["lib" | "main"])
            || names.iter().any(|name| ["tests", "refusals"].contains(name))
        {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let text = without_tests(&text);
        let module = module_of(&names);
        let used = found.entry(module.clone()).or_default();
        for path in paths(text) {
            let target = match path[0].as_str() {
                "crate" => path[1..].to_vec(),
                // A file in a folder of `http` is a module of its own; elsewhere the folder is.
                "super" if names[0] == "http" && names.len() == 2 => {
                    [vec!["http".to_owned()], path[1..].to_vec()].concat()
                }
                _ => continue,
            };
            let target = module_of(&target.iter().map(String::as_str).collect::<Vec<_>>());
            if target != module {
                used.insert(target);
            }
        }
    }
    found
}

/// The module that a path leads to: the first name, but in `http` each file.
fn module_of(names: &[&str]) -> String {
    match names {
        ["http", file, ..] if file.starts_with(|c: char| c.is_ascii_lowercase()) => {
            let is_file =
                Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("src/http/{file}.rs")).exists();
            if is_file { format!("http/{file}") } else { "http".to_owned() }
        }
        [first, ..] => (*first).to_owned(),
        [] => String::new(),
    }
}

/// Every path that starts with `crate::` or `super::`, as `use` lines and code have them.
fn paths(text: &str) -> Vec<Vec<String>> {
    let code: Vec<&str> =
        text.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    let code = code.join("\n");
    let mut found = Vec::new();
    for start in ["crate::", "super::"] {
        for (at, _) in code.match_indices(start) {
            let before = code[..at].chars().next_back();
            if before.is_none_or(|c| !c.is_alphanumeric() && c != '_' && c != ':') {
                expand(&code[at..], &mut Vec::new(), &mut found);
            }
        }
    }
    found
}

/// Follows a path, into each branch of its braces.
fn expand(text: &str, before: &mut Vec<String>, found: &mut Vec<Vec<String>>) {
    let name: String = text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    before.push(name.clone());
    match text[name.len()..].strip_prefix("::") {
        Some(rest) if rest.starts_with('{') => {
            let mut depth = 0;
            let mut start = 1;
            for (at, c) in rest.char_indices() {
                match c {
                    '{' => depth += 1,
                    '}' => depth -= 1,
                    _ => (),
                }
                if (c == ',' && depth == 1) || depth == 0 {
                    let branch = rest[start..at].trim();
                    if !branch.is_empty() {
                        expand(branch, before, found);
                    }
                    start = at + 1;
                }
                if depth == 0 {
                    break;
                }
            }
        }
        Some(rest) => expand(rest, before, found),
        None => found.push(before.clone()),
    }
    before.pop();
}

/// The source up to its tests, which stand last.
fn without_tests(text: &str) -> &str {
    let tests =
        ["#[cfg(test)]\nmod ", "#[cfg(test)]\npub(crate) mod ", "#[cfg(test)]\n#[cfg(feature"];
    let end = tests.iter().filter_map(|start| text.find(start)).min();
    &text[..end.unwrap_or(text.len())]
}

pub(crate) fn rust_files(directory: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|end| end == "rs") {
            files.push(path);
        }
    }
    files
}

/// The SHA-256 of every migration that has landed, in short: files out there were made by them.
const MIGRATIONS: [(&str, &str); 12] = [
    ("accounts/0001_accounts.sql", "cfa3a40910ebe7a5"),
    ("accounts/0002_application_id.sql", "cf97b9d876e0c429"),
    ("accounts/0003_webhooks.sql", "b1e704dcca9354d7"),
    ("accounts/0004_sessions.sql", "724824d27572da84"),
    ("catalogue/0001_market.sql", "d9926f65af5c369c"),
    ("catalogue/0002_companies_and_filings.sql", "59f41fd0c0f14037"),
    ("catalogue/0003_application_id.sql", "5bc233756e1cff22"),
    ("catalogue/0004_changes_and_freshness.sql", "b17077541ffddb04"),
    ("catalogue/0005_identity.sql", "07b446a71803f1da"),
    ("catalogue/0006_search.sql", "0ddc78800f9f043a"),
    ("postgres/0001_accounts.sql", "7ed267c749dceb33"),
    ("postgres/0002_sessions.sql", "f476f3b2e8fb50b2"),
];

#[test]
fn a_landed_migration_never_changes() {
    let server = Path::new(env!("CARGO_MANIFEST_DIR"));
    let library = server.join("../fincore/migrations");
    let mut found = Vec::new();
    for (kind, folder) in [
        ("accounts", library.join("accounts")),
        ("catalogue", library.join("catalogue")),
        ("postgres", server.join("migrations")),
    ] {
        for entry in fs::read_dir(&folder).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            let digest = Sha256::digest(fs::read(folder.join(&name)).unwrap());
            let digest: String = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
            found.push((format!("{kind}/{name}"), digest));
        }
    }
    found.sort();
    let known = MIGRATIONS.map(|(name, digest)| (name.to_owned(), digest.to_owned()));
    assert_eq!(found, known, "write a new migration instead of editing one that has landed");
}

/// Files that know the words of another layer.
#[test]
fn each_layer_keeps_to_its_own_words() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let sources = |folder: &str| {
        let files = rust_files(&root.join(folder)).into_iter();
        let files = files.filter(|path| !path.ends_with("tests.rs"));
        files.map(|path| {
            let text = fs::read_to_string(&path).unwrap();
            let code = without_tests(&text).to_owned();
            (path, code)
        })
    };
    // HTTP in the library, SQL in the server, and status codes outside of the files that know them.
    for (path, code) in sources("fincore/src") {
        for word in ["hyper::", "http::", "/pricing", "--force", "StatusCode"] {
            assert!(!code.contains(word), "{}: {word}", path.display());
        }
    }
    for (path, code) in sources("finserve/src") {
        // Tables and sessions of PostgreSQL's own are none of the library's business.
        let is_postgres = path.to_string_lossy().contains("cluster/postgres");
        for word in ["rusqlite", "SELECT ", "INSERT ", "UPDATE "] {
            let is_own = is_postgres && word != "rusqlite";
            assert!(is_own || !code.contains(word), "{}: {word}", path.display());
        }
        let knows = ["http/reply.rs", "http/refusal.rs", "src/admin.rs"];
        let knows = knows.iter().any(|file| path.ends_with(file));
        assert!(knows || !code.contains("StatusCode"), "{}: StatusCode", path.display());
        let serves = ["http/server.rs", "http/exchange.rs", "http/listener.rs", "src/admin.rs"];
        let waits = path.iter().any(|part| part == "cluster");
        let serves = waits || serves.iter().any(|file| path.ends_with(file));
        assert!(serves || !code.contains("async "), "{}: async", path.display());
    }
}
