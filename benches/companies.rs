//! Companies of the bundled registry: what a list, a look-up and a search cost before HTTP.
use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use fincore::{Catalogue, Date, Limit, Offset, Search, bundle, companies, search};

fn companies(criterion: &mut Criterion) {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let catalogue = Catalogue::open(dir.path().join("catalogue.db")).expect("a new catalogue");
    bundle::fill(&catalogue).expect("the bundle fits");
    let snapshot = catalogue.snapshot(Date::MAX).expect("a snapshot");

    let mut group = criterion.benchmark_group("companies");
    group.bench_function("list", |bench| {
        bench.iter(|| companies::list(&snapshot, black_box(companies::List::default())));
    });
    group.bench_function("list_of_status_and_sector", |bench| {
        let query = companies::List {
            status: Some("ativo".into()),
            sector: Some("bancos".into()),
            ..Default::default()
        };
        bench.iter(|| companies::list(&snapshot, black_box(query.clone())));
    });
    for (name, id) in [("find_by_code", "9512"), ("find_by_cnpj", "33.000.167/0001-01")] {
        let id: fincore::CompanyRef = id.parse().expect("an id");
        group.bench_function(name, |bench| {
            bench.iter(|| companies::find(&snapshot, black_box(id.clone())));
        });
    }
    let searches = [
        ("search_name", "petrobras"),
        ("search_ticker", "PETR4"),
        ("search_cnpj", "33000167000101"),
        ("search_common_word", "banco"),
        ("search_one_letter", "s"),
    ];
    for (name, words) in searches {
        let q = words.parse().expect("words");
        let query = Search { q, limit: Limit::default(), offset: Offset::default() };
        group.bench_function(name, |bench| {
            bench.iter(|| companies::search(&snapshot, black_box(query.clone().into())));
        });
    }
    group.bench_function("global_search", |bench| {
        let q = "petrobras".parse().expect("a word");
        let query = Search { q, limit: Limit::default(), offset: Offset::default() };
        bench.iter(|| search::global(&snapshot, black_box(query.clone())));
    });
    group.finish();
}

criterion_group!(benches, companies);
criterion_main!(benches);
