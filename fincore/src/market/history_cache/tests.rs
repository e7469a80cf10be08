use proptest::prelude::*;

use super::*;
use crate::{
    answers::Page,
    import::bundle,
    market::{FxHistory, History, quotes, series::Series},
    store::Catalogue,
    values::{Limit, Pair, Plan},
};

fn filled() -> (tempfile::TempDir, Catalogue) {
    let dir = tempfile::tempdir().unwrap();
    let catalogue = bundle::filled_copy(dir.path()).unwrap();
    (dir, catalogue)
}

/// An answer as a client would see it; a refusal by its message.
fn shown<T: serde::Serialize>(page: Result<Page<T>>) -> String {
    page.map_or_else(|err| err.to_string(), |page| serde_json::to_string(&page).unwrap())
}

/// The answer from memory and the one from the file.
fn both(snapshot: &Snapshot, number: u32, query: &History) -> (String, String) {
    let series = Series::from(number);
    (shown(series.history(snapshot, query)), shown(series.history_from_file(snapshot, query)))
}

fn both_of_quotes(snapshot: &Snapshot, query: &FxHistory) -> (String, String) {
    let from_file = quotes::history_from(snapshot, query, None);
    (shown(quotes::history(snapshot, query)), shown(from_file))
}

#[test]
fn whole_histories_are_the_same_from_memory_and_from_the_file() {
    let (_dir, catalogue) = filled();
    for (plan, today) in
        [(Plan::Platinum, "2026-11-15"), (Plan::Free, "2026-11-15"), (Plan::Platinum, "1990-01-01")]
    {
        let snapshot = catalogue.snapshot(today.parse().unwrap()).unwrap().for_plan(plan);
        for series in Series::all(&snapshot).unwrap() {
            let query = History { limit: Limit::MAX, ..History::default() };
            let (memory, file) = both(&snapshot, series.number, &query);
            assert_eq!(memory, file, "{} {plan} {today}", series.number);
        }
        for currency in ["USD", "EUR", "JPY", "XXX"] {
            let pair = Pair::in_reais(currency.parse().unwrap());
            let query = FxHistory { pair, limit: Limit::MAX, ..FxHistory::default() };
            let (memory, file) = both_of_quotes(&snapshot, &query);
            assert_eq!(memory, file, "{pair} {plan} {today}");
        }
    }
    let snapshot = catalogue.snapshot(Date::MAX).unwrap();
    assert!(Series::from(432).cached_history(&snapshot).unwrap().is_some());
    assert!(quotes::cached_history(&snapshot, Pair::default()).unwrap().is_some());
}

#[test]
fn a_series_without_rows_is_not_cached() {
    let (_dir, catalogue) = filled();
    let snapshot = catalogue.snapshot(Date::MAX).unwrap();
    for number in 900_000..900_010 {
        assert!(Series::from(number).cached_history(&snapshot).unwrap().is_none());
    }
    let cache = snapshot.memo(|_| Ok(HistoryCache::<u32, Rate>::default())).unwrap();
    assert!(lock(&cache.entries).histories.is_empty());
}

#[test]
fn a_history_that_does_not_fit_is_not_cached() {
    let (_dir, catalogue) = filled();
    let snapshot = catalogue.snapshot(Date::MAX).unwrap();
    let cache = snapshot.memo(|_| Ok(HistoryCache::<u32, Rate>::default())).unwrap();
    lock(&cache.entries).bytes = MOST_BYTES - 1000;
    let query = History { limit: Limit::MAX, ..History::default() };
    let (memory, file) = both(&snapshot, 432, &query);
    assert_eq!(memory, file);
    assert!(Series::from(432).cached_history(&snapshot).unwrap().is_none());
    assert_eq!(lock(&cache.entries).bytes, MOST_BYTES - 1000);
}

#[test]
fn a_value_that_cannot_be_read_is_left_out_and_counted_each_time() {
    let (dir, catalogue) = filled();
    let file = rusqlite::Connection::open(dir.path().join("catalogue.db")).unwrap();
    let damage = "UPDATE rate SET value = 'x' WHERE series = 432 AND date = '2020-01-02'";
    assert_eq!(file.execute(damage, []).unwrap(), 1);
    let snapshot = catalogue.snapshot(Date::MAX).unwrap();
    let query = History { limit: Limit::MAX, ..History::default() };
    for _ in 0..2 {
        let before = catalogue.skipped_corrupt_values();
        let (memory, file) = both(&snapshot, 432, &query);
        assert_eq!(memory, file);
        assert!(!memory.contains("2020-01-02") && catalogue.skipped_corrupt_values() > before);
    }
    let (memory, file) = both(&snapshot, 433, &query);
    assert_eq!(memory, file);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2, ..ProptestConfig::default() })]
    #[test]
    fn any_page_is_the_same_from_memory_and_from_the_file(
        pages in prop::collection::vec((
            prop::option::of(720_000..742_000_i32),
            prop::option::of(720_000..742_000_i32),
            (700_000..742_000_i32, 0..Plan::ALL.len()),
            (1..2000_u32, prop_oneof![0..30_u64, 0..20_000_u64, Just(1_000_000_000)]),
        ), 40),
    ) {
        let (_dir, catalogue) = filled();
        let day = |number: i32| Date::from_day_number(number).unwrap();
        for (from, to, (today, plan), (limit, offset)) in pages {
            let snapshot = catalogue.snapshot(day(today)).unwrap().for_plan(Plan::ALL[plan]);
            let (from, to) = (from.map(day), to.map(day));
            let (limit, offset) = (Limit::new(limit).unwrap(), Offset::new(offset).unwrap());
            let query = History { from, to, limit, offset };
            for number in [432, 433, 4389, 1, 10813] {
                let (memory, file) = both(&snapshot, number, &query);
                prop_assert_eq!(memory, file);
            }
            let query = FxHistory { from, to, limit, offset, ..FxHistory::default() };
            let (memory, file) = both_of_quotes(&snapshot, &query);
            prop_assert_eq!(memory, file);
        }
    }
}
