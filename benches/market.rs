//! Market queries in process: what a request costs before HTTP.
use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use fincore::{
    Catalogue, Date, Limit, Snapshot, bundle,
    market::{
        self,
        transform::{Frequency, Nature, Transformation, Units, transform},
    },
};

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
    transformations(criterion, &snapshot);
}

/// What it costs to transform the newest 10,000 days of a daily rate.
fn transformations(criterion: &mut Criterion, snapshot: &Snapshot) {
    const SELIC_DAILY: u32 = 11;
    let mut days = market::all(snapshot, SELIC_DAILY).expect("the bundle has the series");
    days.truncate(10_000);
    days.reverse();
    assert_eq!(days.len(), 10_000, "the series is long enough");
    let known = market::known_series().iter().find(|series| series.number == SELIC_DAILY);
    let nature = Nature::of(known.expect("a known series"));
    let month = Some(Frequency::Month);
    let usual = Transformation::default();
    let mut group = criterion.benchmark_group("transform_10000_days");
    for (name, how) in [
        ("month_compound", Transformation { frequency: month, ..usual }),
        ("accumulated_12m", Transformation { units: Units::Accumulated12Months, ..usual }),
        ("index", Transformation { units: Units::Index, ..usual }),
        ("percent_year_ago", Transformation { units: Units::PercentYearAgo, ..usual }),
    ] {
        group.bench_function(name, |bench| {
            bench.iter(|| transform(black_box(&days), &nature, &how));
        });
    }
    group.finish();
}

criterion_group!(benches, market);
criterion_main!(benches);
