//! Filings at the size of twenty years: 1.5 million of them, generated, imported once, then queried.
//!
//! The import itself is timed too: once whole, and as one year into an empty catalogue.
use std::{hint::black_box, time::Instant};

use criterion::{BatchSize, Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use fincore::{Catalogue, Date, Import, Limit, Offset, Search, Snapshot, filings};

mod generator;

const ROWS_A_YEAR: u64 = 75_000;

/// A list by what is written in a query string.
fn list(category: Option<&str>, days: Option<(&str, &str)>, offset: u64) -> filings::List {
    let day = |text: &str| text.parse().expect("a date");
    filings::List {
        category: category.map(str::to_owned),
        from: days.map(|(from, _)| day(from)),
        to: days.map(|(_, to)| day(to)),
        limit: Limit::default(),
        offset: Offset::new(offset).expect("a small offset"),
    }
}

fn import(catalogue: &Catalogue, tables: impl Iterator<Item = (String, Vec<u8>)>) -> usize {
    let mut import =
        Import::begin(catalogue, fincore::chrono::Utc::now()).expect("nobody else imports");
    let rows = tables.map(|(name, table)| import.file(&name, &table).expect("it is well formed"));
    let rows = rows.map(|imported| imported.tally.new).sum();
    import.commit().expect("the disk has room");
    rows
}

fn queries(criterion: &mut Criterion, snapshot: &Snapshot) {
    let mut group = criterion.benchmark_group("filings");
    let lists = [
        ("list", list(None, None, 0)),
        ("list_of_days", list(None, Some(("2010-01-01", "2019-12-31")), 0)),
        ("list_of_category", list(Some("Reunião da Administração"), None, 0)),
        (
            "list_of_category_and_days",
            list(Some("fato relevante"), Some(("2010-01-01", "2019-12-31")), 0),
        ),
        ("list_at_offset_100000", list(None, None, 100_000)),
    ];
    for (name, query) in lists {
        group.bench_function(name, |bench| {
            bench.iter(|| filings::list(snapshot, black_box(query.clone())));
        });
    }
    let searches = [
        ("search_one_word", "assembleia"),
        ("search_two_words", "fato relevante"),
        ("search_two_words_of_a_name", "banco energia"),
        ("search_prefix_of_one", "a"),
        ("search_prefix_of_three", "con"),
        ("search_prefix_of_six", "assemb"),
        ("search_nothing", "zzzz"),
    ];
    for (name, words) in searches {
        let q = words.parse().expect("words");
        let query = Search { q, limit: Limit::default(), offset: Offset::default() };
        group.bench_function(name, |bench| {
            bench.iter(|| filings::search(snapshot, black_box(query.clone())));
        });
    }
    group.bench_function("find", |bench| {
        let id: fincore::FilingId = "20100000005".parse().expect("an id");
        bench.iter(|| filings::find(snapshot, black_box(id)));
    });
    group.bench_function("of_company", |bench| {
        let (limit, offset) = (Limit::default(), Offset::default());
        let query = filings::OfCompany { id: "1".parse().expect("an id"), limit, offset };
        bench.iter(|| filings::of_company(snapshot, black_box(query.clone())));
    });
    group.finish();
}

fn at_scale(criterion: &mut Criterion) {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let catalogue = Catalogue::open(dir.path().join("catalogue.db")).expect("a new catalogue");
    let start = Instant::now();
    let rows = import(&catalogue, generator::tables(2005..=2024, ROWS_A_YEAR));
    let seconds = start.elapsed().as_secs_f64();
    eprintln!("{rows} filings generated and imported in {seconds:.1} s");
    queries(criterion, &catalogue.snapshot(Date::MAX).expect("a snapshot"));
}

fn import_of_a_year(criterion: &mut Criterion) {
    let tables: Vec<_> = generator::tables(2024..=2024, ROWS_A_YEAR).collect();
    let mut group = criterion.benchmark_group("import");
    group
        .sampling_mode(SamplingMode::Flat)
        .sample_size(10)
        .throughput(Throughput::Elements(ROWS_A_YEAR));
    group.bench_function("a_year", |bench| {
        let empty = || {
            let dir = tempfile::tempdir().expect("a temporary directory");
            let catalogue =
                Catalogue::open(dir.path().join("catalogue.db")).expect("a new catalogue");
            (dir, catalogue, tables.clone())
        };
        let run = |(dir, catalogue, tables): (_, Catalogue, Vec<_>)| {
            import(&catalogue, tables.into_iter());
            dir
        };
        bench.iter_batched(empty, run, BatchSize::PerIteration);
    });
    group.finish();
}

criterion_group!(benches, import_of_a_year, at_scale);
criterion_main!(benches);
