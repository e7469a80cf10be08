//! Filings of twenty years, from ten thousand to 1.5 million of them: generated, imported, then queried. The cost of
//! a query must hardly grow with their number.
//!
//! The import itself is timed too: once whole, and as one year into an empty catalogue.
use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use criterion::{BatchSize, Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use fincore::{Catalogue, Date, Import, Offset, Snapshot, filings};

mod generator;

const ROWS_A_YEAR: u64 = 75_000;

/// A list by what is written in a query string.
fn list(category: Option<&str>, days: Option<(&str, &str)>, offset: u64) -> filings::List {
    let day = |text: &str| text.parse().expect("a date");
    filings::List {
        category: category.map(str::to_owned),
        from: days.map(|(from, _)| day(from)),
        to: days.map(|(_, to)| day(to)),
        offset: Offset::new(offset).expect("a small offset"),
        ..Default::default()
    }
}

fn import(catalogue: &Catalogue, tables: impl Iterator<Item = (String, Vec<u8>)>) -> usize {
    let mut import =
        Import::begin(catalogue, fincore::chrono::Utc::now()).expect("the only import");
    let rows = tables.map(|(name, table)| import.file(&name, &table).expect("it is well formed"));
    let rows = rows.map(|imported| imported.tally.new).sum();
    import.commit().expect("the disk has room");
    rows
}

fn queries(criterion: &mut Criterion, snapshot: &Snapshot, filings: u64) {
    let mut group = criterion.benchmark_group(format!("filings_{filings}"));
    group.warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(1));
    let lists = [
        ("list", list(None, None, 0)),
        ("list_of_days", list(None, Some(("2010-01-01", "2019-12-31")), 0)),
        ("list_of_category", list(Some("Reunião da Administração"), None, 0)),
        (
            "list_of_category_and_days",
            list(Some("fato relevante"), Some(("2010-01-01", "2019-12-31")), 0),
        ),
        ("list_in_the_middle", list(None, None, filings / 2)),
        ("list_at_the_end", list(None, None, filings - 20)),
        ("list_of_category_at_the_end", list(Some("assembleia"), None, filings / 7)),
    ];
    for (name, query) in lists {
        group.bench_function(name, |bench| {
            bench.iter(|| filings::list(snapshot, black_box(query.clone())));
        });
    }
    let search = |words: &str| filings::Search::new(words).expect("words");
    let filtered = filings::Search {
        company: Some("1".parse().expect("a company")),
        category: Some("assembleia".into()),
        from: Some("2010-01-01".parse().expect("a date")),
        ..search("ata")
    };
    let searches = [
        ("search_one_word", search("assembleia")),
        ("search_prefix_of_one", search("a")),
        ("search_prefix_of_two", search("co")),
        ("search_prefix_of_three", search("con")),
        ("search_prefix_of_six", search("assemb")),
        ("search_year", search("2015")),
        ("search_nothing", search("zzzz")),
        ("search_two_words", search("fato relevante")),
        ("search_two_words_of_a_name", search("banco energia")),
        ("search_three_words", search("conselho administracao ata")),
        ("search_three_words_of_subjects", search("ca de pi")),
        ("search_phrase", search("\"conselho de administração\"")),
        ("search_phrase_of_subjects", search("\"ca de pi\"")),
        ("search_with_filters", filtered.clone()),
        (
            "search_page_of_the_end",
            filings::Search {
                offset: Offset::new(200_000).expect("small"),
                ..search("assembleia")
            },
        ),
        (
            "search_by_relevance",
            filings::Search { order: filings::Order::Relevance, ..search("banco assembleia") },
        ),
    ];
    for (name, query) in searches {
        group.bench_function(name, |bench| {
            bench.iter(|| filings::search(snapshot, black_box(query.clone())));
        });
    }
    group.bench_function("find", |bench| {
        let id: fincore::FilingId = "20100000005".parse().expect("an id");
        bench.iter(|| filings::find(snapshot, black_box(id)));
    });
    group.bench_function("of_company", |bench| {
        let query = filings::OfCompany::new("1".parse().expect("an id"));
        bench.iter(|| filings::of_company(snapshot, black_box(query.clone())));
    });
    group.finish();
}

fn at_scale(criterion: &mut Criterion) {
    // 20 years each.
    for rows_a_year in [500, 5_000, 50_000, ROWS_A_YEAR] {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let catalogue = Catalogue::open(dir.path().join("catalogue.db")).expect("a new catalogue");
        let start = Instant::now();
        let rows = import(&catalogue, generator::tables(2005..=2024, rows_a_year));
        let seconds = start.elapsed().as_secs_f64();
        eprintln!("{rows} filings generated and imported in {seconds:.1} s");
        let snapshot = catalogue.snapshot(Date::MAX).expect("a snapshot");
        queries(criterion, &snapshot, rows_a_year * 20);
    }
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
