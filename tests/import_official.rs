//! Every official file at hand is imported as it is, in any order.
use std::{
    fs,
    path::{Path, PathBuf},
};

use fincore::{Catalogue, Import, bundle};

use crate::harness::upstream;

/// Files that no import knows, and those that are older than others by design.
const LEFT_OUT: [&str; 11] = [
    "M20170512.csv",
    "feriados_nacionais.csv",
    "meta_cad_cia_aberta.txt",
    "README.md",
    "composicao_capital",
    "_con_2023",
    "_geral_2025",
    "copom_meetings",
    "/recorded/",
    "/history/",
    "/statements/",
];

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else if !LEFT_OUT.iter().any(|part| path.display().to_string().contains(part)) {
            found.push(path);
        }
    }
}

fn import(catalogue: &Catalogue, files: &[PathBuf]) {
    let mut import = Import::begin(catalogue, fincore::chrono::Utc::now()).unwrap();
    for path in files {
        let name = path.display().to_string();
        Import::verify(&name, fs::File::open(path).unwrap()).unwrap();
        let imported = import.read(&name, fs::File::open(path).unwrap()).unwrap();
        // No row of theirs is bad, and no column is new.
        assert!(
            !imported.left_out.iter().any(|(_, told)| told.contains("cannot be read")),
            "{imported:?}"
        );
        assert!(!imported.notes.iter().any(|note| note.contains("columns")), "{imported:?}");
    }
    import.commit().unwrap();
}

/// The official files lie beside the project on some machines.
#[test]
#[ignore = "long"]
fn no_official_file_is_doubted_in_any_order() {
    let Some(upstream) = upstream() else { return };
    let mut found = Vec::new();
    files(&upstream, &mut found);
    found.sort();
    // An older registry is refused after a newer one.
    found.retain(|path| !path.ends_with("cad_cia_aberta.2025-06-07.csv"));
    assert!(found.len() > 60, "{}", found.len());
    // Filings do not depend on their order, and take long.
    let is_ipe = |path: &&PathBuf| path.display().to_string().contains("ipe_");
    let short: Vec<PathBuf> = found.iter().filter(|path| !is_ipe(path)).cloned().collect();
    let backwards: Vec<PathBuf> = short.iter().rev().cloned().collect();
    for (order, filled) in [
        (&found, Filled::With),
        (&short, Filled::Without),
        (&backwards, Filled::With),
        (&backwards, Filled::Without),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let catalogue = match filled {
            Filled::With => bundle::filled_copy(dir.path()).unwrap(),
            Filled::Without => Catalogue::open(dir.path().join("catalogue.db")).unwrap(),
        };
        import(&catalogue, order);
    }
}

/// Whether a catalogue has the bundled data.
#[derive(Clone, Copy)]
enum Filled {
    With,
    Without,
}
