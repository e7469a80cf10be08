//! What ARCHITECTURE.md says of the structure, held against the sources: which room may use which, where files lie, and
//! that no landed migration was edited.
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use sha2::{Digest, Sha256};

/// Which room may use which: one line a room, from the lowest to the highest.
const LAYERS: &str = include_str!("layers.txt");

/// The most files of a folder, besides those that are the root of a folder of their own.
const MOST_FILES: usize = 30;

#[test]
fn rooms_use_only_those_below_them() {
    for (crate_name, lines) in layers() {
        let sources = Sources::read(crate_name);
        let rooms: Vec<&str> = lines.iter().map(|(room, _)| *room).collect();
        let found = sources.uses_of_rooms(&rooms);
        let mut below = BTreeSet::new();
        for (room, allowed) in lines {
            let wanted: BTreeSet<&str> = allowed.into_iter().collect();
            assert_eq!(found[room], wanted, "{crate_name}: {room} uses other rooms than it may");
            assert!(wanted.is_subset(&below), "{crate_name}: {room} uses what is not below it");
            below.insert(room);
        }
    }
}

#[test]
fn no_files_use_one_another_in_a_circle() {
    for (crate_name, _) in layers() {
        let uses = Sources::read(crate_name).uses;
        let mut done = BTreeSet::new();
        for file in uses.keys() {
            visit(file, &uses, &mut Vec::new(), &mut done);
        }
    }
}

/// Follows what a file uses; fails where that leads back to it.
fn visit<'u>(
    file: &'u Module,
    uses: &'u BTreeMap<Module, BTreeSet<Module>>,
    way: &mut Vec<&'u Module>,
    done: &mut BTreeSet<&'u Module>,
) {
    if let Some(start) = way.iter().position(|known| *known == file) {
        let circle: Vec<String> = way[start..].iter().map(|module| module.join("/")).collect();
        panic!("a circle: {}", circle.join(" → "));
    }
    if done.contains(file) {
        return;
    }
    way.push(file);
    for used in &uses[file] {
        // A root names what is in its folder, and what is there may use what the root declares.
        let is_family = used.starts_with(file) || file.starts_with(used);
        if !is_family {
            visit(used, uses, way, done);
        }
    }
    way.pop();
    done.insert(file);
}

#[test]
fn no_file_lies_loose_and_no_folder_is_crowded() {
    let source = source("finserve");
    let mut folders: BTreeMap<PathBuf, usize> = BTreeMap::new();
    for path in rust_files(&source) {
        let is_root = path.with_extension("").is_dir();
        let folder = path.parent().unwrap().to_owned();
        let is_start = matches!(path.file_stem().unwrap().to_str(), Some("lib" | "main"));
        assert!(is_root || is_start || folder != source, "{} lies loose", path.display());
        *folders.entry(folder).or_default() += usize::from(!is_root);
    }
    for (folder, files) in folders {
        assert!(files <= MOST_FILES, "{} has {files} files", folder.display());
    }
}

/// A room, and the rooms that it may use.
type Layer = (&'static str, Vec<&'static str>);

/// The lines of the table, crate by crate.
fn layers() -> Vec<(&'static str, Vec<Layer>)> {
    let mut crates: Vec<(&str, Vec<Layer>)> = Vec::new();
    for line in LAYERS.lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
        match (line.strip_prefix('['), line.split_once(':')) {
            (Some(name), _) => crates.push((name.trim_end_matches(']'), Vec::new())),
            (None, Some((room, uses))) => {
                let (_, rooms) = crates.last_mut().expect("a crate comes first");
                rooms.push((room, uses.split_whitespace().collect()));
            }
            (None, None) => panic!("{line:?} names no room"),
        }
    }
    crates
}

/// A module by the names on the way to it.
type Module = Vec<String>;

/// The files of a crate, and which of them use which.
struct Sources {
    uses: BTreeMap<Module, BTreeSet<Module>>,
}

impl Sources {
    /// Reads them; tests do not count.
    fn read(crate_name: &str) -> Sources {
        let source = source(crate_name);
        let mut texts = BTreeMap::new();
        for path in rust_files(&source) {
            let relative = path.strip_prefix(&source).unwrap().with_extension("");
            let module: Module =
                relative.iter().map(|name| name.to_str().unwrap().to_owned()).collect();
            let is_test = module.iter().any(|name| ["tests", "refusals"].contains(&name.as_str()));
            if !is_test && module != ["lib"] && module != ["main"] {
                texts.insert(module, fs::read_to_string(&path).unwrap());
            }
        }
        let used_by = |module: &Module, text: &str| {
            let used = paths(without_tests(text)).into_iter();
            let used = used.filter_map(|path| file_of(&absolute(module, &path)?, &texts));
            used.filter(|used| used != module).collect()
        };
        let uses = texts.iter().map(|(module, text)| (module.clone(), used_by(module, text)));
        Sources { uses: uses.collect() }
    }

    /// Which room uses which. A file is in the smallest room of the table that holds it.
    fn uses_of_rooms<'r>(&self, rooms: &[&'r str]) -> BTreeMap<&'r str, BTreeSet<&'r str>> {
        let room_of = |module: &Module| {
            let path = format!("{}/", module.join("/"));
            let holds = |room: &&&'r str| path.starts_with(&format!("{room}/"));
            let room = rooms.iter().filter(holds).max_by_key(|room| room.len()).copied();
            room.unwrap_or_else(|| panic!("{path} is in no room of the table"))
        };
        let mut found: BTreeMap<_, BTreeSet<_>> =
            rooms.iter().map(|room| (*room, BTreeSet::new())).collect();
        for (module, used) in &self.uses {
            let room = room_of(module);
            let used = used.iter().map(room_of).filter(|used| *used != room);
            found.entry(room).or_default().extend(used);
        }
        found
    }
}

/// A path that starts at the root of the crate; nothing for one that leads out of it.
fn absolute(module: &Module, path: &[String]) -> Option<Module> {
    let mut start = module.clone();
    let mut rest = path;
    match rest[0].as_str() {
        "crate" => start.clear(),
        "super" => {
            start.pop()?;
        }
        _ => return None,
    }
    rest = &rest[1..];
    while rest.first().is_some_and(|name| name == "super") {
        start.pop()?;
        rest = &rest[1..];
    }
    Some([start, rest.to_vec()].concat())
}

/// The file that a path leads to, which may end with something that is in the file.
fn file_of(path: &Module, files: &BTreeMap<Module, String>) -> Option<Module> {
    (1..=path.len()).rev().map(|end| path[..end].to_vec()).find(|path| files.contains_key(path))
}

fn source(crate_name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(crate_name).join("src")
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
const MIGRATIONS: [(&str, &str); 24] = [
    ("accounts/0001_accounts.sql", "cfa3a40910ebe7a5"),
    ("accounts/0002_application_id.sql", "cf97b9d876e0c429"),
    ("accounts/0003_webhooks.sql", "b1e704dcca9354d7"),
    ("accounts/0004_sessions.sql", "724824d27572da84"),
    ("accounts/0005_self_registered.sql", "2174e166851028ee"),
    ("accounts/0006_links.sql", "7545d9037fb461d0"),
    ("accounts/0007_holder.sql", "25c3f0a69673cd6b"),
    ("catalogue/0001_market.sql", "d9926f65af5c369c"),
    ("catalogue/0002_companies_and_filings.sql", "59f41fd0c0f14037"),
    ("catalogue/0003_application_id.sql", "5bc233756e1cff22"),
    ("catalogue/0004_changes_and_freshness.sql", "b17077541ffddb04"),
    ("catalogue/0005_identity.sql", "07b446a71803f1da"),
    ("catalogue/0006_search.sql", "0ddc78800f9f043a"),
    ("catalogue/0007_filing_files.sql", "3c55872c9b691b96"),
    ("catalogue/0008_incomplete_windows.sql", "b35d45d184c6c29c"),
    ("catalogue/0009_notes_and_withdrawn_filings.sql", "bed4ca49e10e3a84"),
    ("catalogue/0010_copom_meetings.sql", "a32929138a7001cd"),
    ("catalogue/0011_past.sql", "0024cb1a8debb6c0"),
    ("catalogue/0012_statements.sql", "8f8145e3bd631bdc"),
    ("postgres/0001_accounts.sql", "7ed267c749dceb33"),
    ("postgres/0002_sessions.sql", "f476f3b2e8fb50b2"),
    ("postgres/0003_self_registered.sql", "f0f070ba1b491ef7"),
    ("postgres/0004_links.sql", "97d61bf9295abbc1"),
    ("postgres/0005_holder.sql", "4af82088134cb3a3"),
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
        let knows = ["message/reply.rs", "message/refusal.rs", "observe/admin.rs"];
        let knows = knows.iter().any(|file| path.ends_with(file));
        assert!(knows || !code.contains("StatusCode"), "{}: StatusCode", path.display());
        let serves = [
            "http/server.rs",
            "pipeline/dispatch.rs",
            "net/listener.rs",
            "transport/stop_signals.rs",
            "observe/admin.rs",
        ];
        let waits = path.iter().any(|part| part == "cluster");
        let serves = waits || serves.iter().any(|file| path.ends_with(file));
        assert!(serves || !code.contains("async "), "{}: async", path.display());
    }
}
