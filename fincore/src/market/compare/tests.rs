use super::*;
use crate::{
    market::{self, SeriesHistory},
    store::Catalogue,
    values::{Limit, Offset, Plan},
};

const TODAY: &str = "2026-10-05";

fn snapshot(dir: &tempfile::TempDir) -> Snapshot {
    let catalogue: Catalogue = crate::import::bundle::filled_copy(dir.path()).unwrap();
    catalogue.snapshot(TODAY.parse().unwrap()).unwrap()
}

/// A query with these parameters, and how its series are transformed.
fn asked(ids: &str, from: &str, to: &str) -> Comparison {
    let day = |text: &str| (!text.is_empty()).then(|| text.parse().unwrap());
    Comparison { from: day(from), to: day(to), ..Comparison::new(ids.parse().unwrap()) }
}

fn how(query: &[(&str, &str)]) -> Option<Transformation> {
    let object = query.iter().map(|(name, value)| ((*name).to_owned(), (*value).into())).collect();
    Some(serde_json::from_value(serde_json::Value::Object(object)).unwrap())
}

/// The rows as JSON: digits count.
fn rows(answer: &ComparedSeries) -> String {
    let text = serde_json::to_string(answer).unwrap();
    let rows = text.split_once("\"data\":").and_then(|(_, rest)| rest.split_once(",\"total\""));
    rows.unwrap().0.to_owned()
}

#[test]
fn each_series_has_a_column_in_the_order_and_by_the_name_of_the_query() {
    let dir = tempfile::tempdir().unwrap();
    let all = snapshot(&dir);
    let answer = market::compare(&all, asked("IGPM,433", "2024-11-01", "2024-12-31"), None);
    assert_eq!(
        rows(&answer.unwrap()),
        r#"[{"date":"2024-12-01","IGPM":0.94,"433":0.52},{"date":"2024-11-01","IGPM":1.30,"433":0.39}]"#
    );
}

#[test]
fn a_date_that_one_series_lacks_is_null_there() {
    let dir = tempfile::tempdir().unwrap();
    let all = snapshot(&dir);
    let query = asked("ipca,usd-sell,selic", "2023-12-29", "2024-01-02");
    let answer = market::compare(&all, query, None).unwrap();
    assert_eq!(
        rows(&answer),
        r#"[{"date":"2024-01-02","ipca":null,"usd-sell":4.8916,"selic":11.75},{"date":"2024-01-01","ipca":0.42,"usd-sell":null,"selic":11.75},{"date":"2023-12-31","ipca":null,"usd-sell":null,"selic":11.75},{"date":"2023-12-30","ipca":null,"usd-sell":null,"selic":11.75},{"date":"2023-12-29","ipca":null,"usd-sell":4.8413,"selic":11.75}]"#
    );
    assert_eq!(answer.total, 5);
    let units: Vec<_> = answer.meta.series.iter().map(|(_, meta)| meta.unit.unwrap()).collect();
    assert_eq!(units, ["percent per month", "BRL per unit", "percent per year"]);
}

#[test]
fn every_column_is_the_history_of_its_series() {
    let dir = tempfile::tempdir().unwrap();
    let all = snapshot(&dir);
    let names = ["ipca", "cdi", "usd-sell", "selic"];
    let month = how(&[("frequency", "month"), ("units", "percent_change"), ("partial", "true")]);
    for transformation in [None, month] {
        let query = Comparison { limit: Limit::MAX, ..asked(&names.join(","), "2015-01-01", "") };
        let together = market::compare(&all, query, transformation).unwrap();
        for (place, name) in names.iter().enumerate() {
            let alone = SeriesHistory {
                from: Some("2015-01-01".parse().unwrap()),
                limit: Limit::MAX,
                ..SeriesHistory::new(name.parse().unwrap())
            };
            let (alone, meta) = match transformation {
                None => {
                    let page = market::series(&all, alone).unwrap();
                    let rates = page.data.iter().map(|row| (row.date, row.value.to_string()));
                    (rates.collect::<Vec<_>>(), page.meta)
                }
                Some(transformation) => {
                    let page = market::transformed(&all, alone, transformation).unwrap();
                    let rates = page.data.iter().map(|row| (row.date, row.value.to_string()));
                    (rates.collect(), page.meta)
                }
            };
            let column = together.data.iter().filter_map(|row| {
                row.values[place].as_ref().map(|value| (row.date, value.to_string()))
            });
            assert_eq!(column.collect::<Vec<_>>(), alone, "{name}");
            assert_eq!(together.meta.series[place], ((*name).to_owned(), meta), "{name}");
        }
    }
}

#[test]
fn pages_follow_one_another_and_the_total_counts_dates() {
    let dir = tempfile::tempdir().unwrap();
    let all = snapshot(&dir);
    let page = |limit, offset| {
        let (limit, offset) = (Limit::new(limit).unwrap(), Offset::new(offset).unwrap());
        let query = Comparison { limit, offset, ..asked("ipca,cdi", "2026-08-01", "") };
        market::compare(&all, query, None).unwrap()
    };
    let whole = page(10_000, 0);
    assert_eq!(whole.total, whole.data.len() as u64);
    let parts = [0, 20, 40, 60].map(|offset| page(20, offset));
    assert!(parts.iter().all(|part| part.total == whole.total));
    let parts: Vec<_> = parts.into_iter().flat_map(|part| part.data).collect();
    assert_eq!(parts, whole.data);
}

#[test]
fn what_cannot_be_compared_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let all = snapshot(&dir);
    let refused = |ids: &str, transformation| {
        market::compare(&all, asked(ids, "", ""), transformation).unwrap_err().to_string()
    };
    let twice = "\"ipca\" and \"433\" are the same series; name each series once";
    assert_eq!(refused("ipca,igp-m,433", None), twice);
    assert!(refused("ipca,nope", None).contains("nope"));
    assert!(refused("ipca,999999", None).contains("999999"));
    let said = refused("ipca,selic", how(&[("units", "accumulated_12m")]));
    assert!(said.starts_with("selic is not a rate"), "{said}");
    let said = refused("ipca,cdi", how(&[("units", "index"), ("base", "2024-01-01")]));
    assert!(said.starts_with("no row of cdi is dated 2024-01-01"), "{said}");
    for (ids, said) in [
        ("1,2,3,4,5,6,7,8,9,10,11", "is not a list of at most 10 series (it has 11)"),
        ("ipca,,cdi", "\"\" is not a series"),
        ("", "\"\" is not a series"),
    ] {
        let message = ids.parse::<SeriesIds>().unwrap_err().to_string();
        assert!(message.contains(said), "{message}");
    }
}

#[test]
fn a_small_plan_sees_the_window_of_each_series() {
    let dir = tempfile::tempdir().unwrap();
    let all = snapshot(&dir).for_plan(Plan::Free);
    let query = Comparison { limit: Limit::MAX, ..asked("ipca,igp-m", "", "") };
    let answer = market::compare(&all, query, None).unwrap();
    for place in 0..2 {
        let months = answer.data.iter().filter(|row| row.values[place].is_some());
        assert_eq!(months.count(), 13, "{place}");
    }
    assert!(matches!(
        market::compare(&all, asked("igp-m,ipca", "2025-06-01", ""), None),
        Err(Error::PlanRequired(_))
    ));
}

#[test]
fn csv_has_the_columns_of_the_query() {
    let dir = tempfile::tempdir().unwrap();
    let all = snapshot(&dir);
    let query = asked("ipca,selic", "2026-01-01", "");
    let year = how(&[("frequency", "year"), ("partial", "true")]);
    let answer = market::compare(&all, query, year).unwrap();
    let mut csv = Vec::new();
    let unix = crate::answers::table::Dialect::Unix;
    crate::answers::table::write_csv(&answer, unix, &mut csv).unwrap();
    let csv = String::from_utf8(csv).unwrap();
    assert!(csv.starts_with("date,ipca,selic,partial\n2026-01-01,"), "{csv}");
    assert!(csv.ends_with(",true\n"), "{csv}");
    assert!(rows(&answer).ends_with(r#","partial":true}]"#));
}
