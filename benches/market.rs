//! Market queries in process: what a request costs before HTTP.
use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use fincore::{Catalogue, Date, Limit, bundle, market};

fn market(criterion: &mut Criterion) {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let catalogue = Catalogue::open(dir.path().join("catalogue.db")).expect("a new catalogue");
    bundle::fill(&catalogue).expect("the bundle fits");

    let mut group = criterion.benchmark_group("market");
    group.bench_function("snapshot", |bench| bench.iter(|| catalogue.snapshot(Date::MAX)));

    let snapshot = catalogue.snapshot(Date::MAX).expect("a snapshot");
    group.bench_function("selic_current", |bench| {
        bench.iter(|| market::selic_current(black_box(&snapshot)));
    });
    group.bench_function("overview", |bench| bench.iter(|| market::overview(black_box(&snapshot))));
    group.bench_function("fx_pairs", |bench| {
        bench.iter(|| market::fx_pairs(black_box(&snapshot), market::FxPairs::default()));
    });
    for rows in [20, 1000] {
        let limit = Limit::new(rows).expect("a limit within bounds");
        let query = market::History { limit, ..Default::default() };
        group.bench_function(format!("selic_{rows}_rows"), |bench| {
            bench.iter(|| market::selic(&snapshot, black_box(query.clone())));
        });
        group.bench_function(format!("selic_{rows}_rows_as_json"), |bench| {
            bench.iter(|| {
                market::selic(&snapshot, black_box(query.clone()))
                    .map(|answer| serde_json::to_vec(&answer))
            });
        });
    }
    group.finish();
}

criterion_group!(benches, market);
criterion_main!(benches);
