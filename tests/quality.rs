//! Whether searches find what people mean: queries as Brazilian analysts type them, with the answers they expect.
//!
//! `tests/queries` has two files of each kind, and two of a third set, written by others in the words of investors, with
//! pasted identifiers, brands, English names and what is not there. They were written from the registry and the filings
//! before the ranking existed, and split at random. The ranking was tuned on the first half; the second was not looked at. To see the
//! figures by kind of query: `cargo test -p finserve --test tests quality -- --nocapture --include-ignored`.
use std::{collections::BTreeMap, fmt::Write};

use fincore::{Catalogue, Date, bundle, companies, filings};

const COMPANIES: [&str; 2] =
    [include_str!("queries/companies-tuning.tsv"), include_str!("queries/companies-held.tsv")];
const COMPANIES_OF_THE_MARKET: [&str; 2] = [
    include_str!("queries/companies-third-tuning.tsv"),
    include_str!("queries/companies-third-held.tsv"),
];
const FILINGS: [&str; 2] =
    [include_str!("queries/filings-tuning.tsv"), include_str!("queries/filings-held.tsv")];

/// Written by others in the words of investors, journalists and lawyers, after the ranking existed.
const FILINGS_THIRD: [&str; 2] = [
    include_str!("queries/filings-third-tuning.tsv"),
    include_str!("queries/filings-third-held.tsv"),
];

/// What is wanted if nothing is a right answer: no row, or rows that are marked as near matches.
const NOTHING: &str = "-";

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

#[test]
fn companies_are_found_by_what_people_call_them() {
    let (_dir, catalogue) = bundled();
    let snapshot = catalogue.snapshot(Date::MAX).unwrap();
    let place = |query: &Query| {
        let codes: Vec<&str> = query.wanted.split(',').map(str::trim).collect();
        let found =
            companies::search(&snapshot, companies::Search::new(query.text).unwrap()).unwrap();
        if query.wanted == NOTHING {
            // Nothing is found, or the answer says that it is not what was asked for.
            return Some((found.data.is_empty() || found.meta.fuzzy).then_some(0));
        }
        Some(found.data.iter().position(|company| codes.contains(&&*company.id.to_string())))
    };
    let [tuned, held] = [("companies", COMPANIES[0]), ("companies, held", COMPANIES[1])]
        .map(|(title, table)| score(title, table, place));
    assert!(tuned.queries >= 150 && held.queries >= 150);
    assert!(tuned.of(tuned.first) >= 900 && tuned.of(tuned.five) >= 960);
    assert!(held.of(held.first) >= 870 && held.of(held.five) >= 930);
    let [tuned, held] =
        [("third", COMPANIES_OF_THE_MARKET[0]), ("third, held", COMPANIES_OF_THE_MARKET[1])]
            .map(|(title, table)| score(title, table, place));
    assert!(tuned.queries >= 150 && held.queries >= 150);
    assert!(tuned.of(tuned.first) >= 980 && tuned.of(tuned.five) >= 990);
    assert!(held.of(held.first) >= 960 && held.of(held.five) >= 980);
}

#[test]
fn filings_are_found_by_what_they_are_about() {
    let (_dir, catalogue) = bundled();
    let snapshot = catalogue.snapshot(Date::MAX).unwrap();
    let place = |order: filings::Order| {
        let snapshot = &snapshot;
        move |query: &Query| {
            let search = filings::Search { order, ..filings::Search::new(query.text).unwrap() };
            let found = filings::search(snapshot, search).unwrap();
            if query.wanted == NOTHING {
                return Some((found.total == 0 || found.meta.fuzzy).then_some(0));
            }
            Some(found.data.iter().position(|filing| meets(filing, query.wanted)))
        }
    };
    // In tenths of a percent: first and among five, in the default order and by relevance.
    for (title, table, least) in [
        ("filings", FILINGS[0], [[970, 990], [970, 990]]),
        ("filings, held", FILINGS[1], [[930, 980], [940, 980]]),
        ("filings, third", FILINGS_THIRD[0], [[940, 960], [940, 960]]),
        ("filings, third held", FILINGS_THIRD[1], [[915, 945], [915, 945]]),
    ] {
        let orders = [filings::Order::Newest, filings::Order::Relevance];
        for (order, [first, five]) in orders.into_iter().zip(least) {
            let score = score(&format!("{title}, {order:?}"), table, place(order));
            assert!(score.queries >= 150, "{title}");
            let is_enough = score.of(score.first) >= first && score.of(score.five) >= five;
            assert!(is_enough, "{title}, {order:?}");
        }
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
