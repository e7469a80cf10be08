//! Whether searches find what people mean: queries as Brazilian analysts type them, with the answers they expect.
//!
//! `tests/queries` has two files of each kind. They were written from the registry and the filings before the ranking
//! existed, and split at random. The ranking was tuned on the first half; the second was not looked at. To see the
//! figures by kind of query: `cargo test -p finserve --test tests quality -- --nocapture --include-ignored`.
use std::{collections::BTreeMap, fmt::Write, fs};

use fincore::{Catalogue, Date, Import, bundle, companies, filings};

use crate::harness::upstream;

const COMPANIES: [&str; 2] =
    [include_str!("queries/companies-tuning.tsv"), include_str!("queries/companies-held.tsv")];
const FILINGS: [&str; 2] =
    [include_str!("queries/filings-tuning.tsv"), include_str!("queries/filings-held.tsv")];

/// One query: its kind, its text, and what a right answer is.
struct Query {
    kind: &'static str,
    text: &'static str,
    wanted: &'static str,
}

fn queries(table: &'static str) -> impl Iterator<Item = Query> {
    table.lines().filter(|line| !line.starts_with('#')).map(|line| {
        let mut cells = line.split('\t');
        let mut cell = || cells.next().unwrap_or_else(|| panic!("too few cells: {line}"));
        Query { kind: cell(), text: cell(), wanted: cell() }
    })
}

/// How often the right answer was first, and among the first five.
#[derive(Clone, Copy, Default)]
struct Score {
    queries: usize,
    first: usize,
    five: usize,
}

impl Score {
    fn add(&mut self, place: Option<usize>) {
        self.queries += 1;
        self.first += usize::from(place == Some(0));
        self.five += usize::from(place.is_some_and(|place| place < 5));
    }

    /// In tenths of a percent.
    fn of(self, hits: usize) -> usize {
        hits * 1000 / self.queries.max(1)
    }

    fn line(self, kind: &str) -> String {
        let share = |hits| format!("{:3}.{} %", self.of(hits) / 10, self.of(hits) % 10);
        format!("{kind:18} {:4} {} {}", self.queries, share(self.first), share(self.five))
    }
}

/// Scores a table, prints it by kind, and returns the whole. `place` is where the first right answer is; `None`
/// outside if the query cannot be asked of this data.
fn score(
    title: &str,
    table: &'static str,
    place: impl Fn(&Query) -> Option<Option<usize>>,
) -> Score {
    let mut kinds: BTreeMap<&str, Score> = BTreeMap::new();
    let mut all = Score::default();
    for query in queries(table) {
        let Some(place) = place(&query) else { continue };
        kinds.entry(query.kind).or_default().add(place);
        all.add(place);
    }
    let mut text = format!("{title:18}    n   first    five\n");
    for (kind, score) in kinds {
        let _ = writeln!(text, "{}", score.line(kind));
    }
    eprintln!("{text}{}", all.line("all"));
    all
}

/// The bundled data.
fn bundled() -> (tempfile::TempDir, Catalogue) {
    let dir = tempfile::tempdir().unwrap();
    let catalogue = bundle::filled_copy(dir.path()).unwrap();
    (dir, catalogue)
}

/// Adds the subjects of filings, where the official files are at hand. Returns whether they are.
fn add_subjects(catalogue: &Catalogue) -> bool {
    let Some(official) = upstream() else { return false };
    let mut import = Import::begin(catalogue, "2026-11-15T12:00:00Z".parse().unwrap()).unwrap();
    for name in ["ipe_cia_aberta_2024.zip", "ipe_cia_aberta_2025.zip"] {
        import.file(name, &fs::read(official.join("cvm").join(name)).unwrap()).unwrap();
    }
    import.commit().unwrap();
    true
}

#[test]
fn companies_are_found_by_what_people_call_them() {
    let (_dir, catalogue) = bundled();
    let snapshot = catalogue.snapshot(Date::MAX).unwrap();
    let place = |query: &Query| {
        let codes: Vec<&str> = query.wanted.split(',').map(str::trim).collect();
        let found =
            companies::search(&snapshot, companies::Search::new(query.text).unwrap()).unwrap();
        Some(found.data.iter().position(|company| codes.contains(&&*company.id.to_string())))
    };
    let [tuned, held] = [("companies", COMPANIES[0]), ("companies, held", COMPANIES[1])]
        .map(|(title, table)| score(title, table, place));
    assert!(tuned.queries >= 150 && held.queries >= 150);
    assert!(tuned.of(tuned.first) >= 900 && tuned.of(tuned.five) >= 960);
    assert!(held.of(held.first) >= 870 && held.of(held.five) >= 930);
}

#[test]
#[ignore = "long"]
fn filings_are_found_by_what_they_are_about() {
    let (_dir, catalogue) = bundled();
    let has_subjects = add_subjects(&catalogue);
    let snapshot = catalogue.snapshot(Date::MAX).unwrap();
    let mut all = Vec::new();
    filings::each(&snapshot, &filings::List::default(), |filing| {
        all.push(filing);
        Ok(())
    })
    .unwrap();
    let place = |order: filings::Order| {
        let (snapshot, all) = (&snapshot, &all);
        move |query: &Query| {
            // Without subjects, some queries have no right answer.
            if !has_subjects && !all.iter().any(|filing| meets(filing, query.wanted)) {
                return None;
            }
            let search = filings::Search { order, ..filings::Search::new(query.text).unwrap() };
            let found = filings::search(snapshot, search).unwrap();
            Some(found.data.iter().position(|filing| meets(filing, query.wanted)))
        }
    };
    let newest = [("filings", FILINGS[0]), ("filings, held", FILINGS[1])]
        .map(|(title, table)| score(title, table, place(filings::Order::Newest)));
    let relevant = [("by relevance", FILINGS[0]), ("by relevance, held", FILINGS[1])]
        .map(|(title, table)| score(title, table, place(filings::Order::Relevance)));
    if !has_subjects {
        return;
    }
    for [tuned, held] in [newest, relevant] {
        assert!(tuned.queries >= 150 && held.queries >= 150);
        assert!(tuned.of(tuned.first) >= 850 && tuned.of(tuned.five) >= 920);
        assert!(held.of(held.first) >= 820 && held.of(held.five) >= 890);
    }
}

/// Whether a filing meets all conditions: `company=9512; category=Fato Relevante; text=capital|aumento`.
fn meets(filing: &filings::Filing, wanted: &str) -> bool {
    wanted.split("; ").all(|condition| {
        let (name, value) = condition.split_once('=').expect("a condition");
        let value = plain(value.trim());
        let delivered = filing.date.to_string();
        let reference = filing.reference_date.map(|date| date.to_string()).unwrap_or_default();
        match name.trim() {
            "company" => value.split(',').any(|code| code.trim() == filing.company_id.to_string()),
            "category" => plain(&filing.category) == value,
            "type" => plain(&filing.r#type).contains(&value),
            "species" => plain(&filing.species).contains(&value),
            "text" => {
                let levels = [&filing.category, &filing.r#type, &filing.species];
                let text = levels.map(String::as_str).join(" · ") + " · " + &filing.description();
                value.split('|').any(|part| plain(&text).contains(part))
            }
            "year" => delivered.starts_with(&value) || reference.starts_with(&value),
            "delivered" => delivered.starts_with(&value),
            "reference" => reference.starts_with(&value),
            other => panic!("{other} is not a condition"),
        }
    })
}

/// Small letters without accents.
fn plain(text: &str) -> String {
    let letters = text.to_lowercase();
    let plain = letters.chars().map(|c| match c {
        'á' | 'à' | 'ã' | 'â' | 'ä' => 'a',
        'é' | 'è' | 'ê' => 'e',
        'í' => 'i',
        'ó' | 'ô' | 'õ' | 'ö' => 'o',
        'ú' | 'ü' => 'u',
        'ç' => 'c',
        c => c,
    });
    plain.collect()
}
