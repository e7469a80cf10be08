use std::fmt::Write;

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Value, json};

use super::*;
use crate::{
    calc::correction,
    import::Import,
    market::{self, FxHistory, SeriesHistory, queries::FxCurrent, rows, store},
    publish::{
        EventWindow,
        events::{
            self, EventsQuery,
            tests::{File, companies, rates},
        },
        export::{self, Export, Format},
    },
    store::{Catalogue, catalogue::temporary},
    values::{Limit, Plan},
};

mod nested;
pub(crate) mod threads;

fn at(time: &str) -> DateTime<Utc> {
    time.parse().unwrap()
}

fn day(text: &str) -> Date {
    text.parse().unwrap()
}

/// Imports files of the central bank: a name and a body each.
fn import(catalogue: &Catalogue, time: DateTime<Utc>, files: &[File]) {
    let mut import = Import::begin(catalogue, time).unwrap().force();
    for (name, body) in files {
        import.file(name, body.as_bytes()).unwrap();
    }
    import.commit().unwrap();
}

fn import_rates(catalogue: &Catalogue, time: &str, number: u32, rows: &[(&str, &str)]) {
    import(catalogue, at(time), &[rates(number, rows)]);
}

/// The answers of a catalogue: histories, current values, a calculation, an export.
fn answers(snapshot: impl Fn() -> Snapshot) -> Value {
    let now = snapshot();
    let all = |series: &str| SeriesHistory {
        limit: Limit::MAX,
        ..SeriesHistory::new(series.parse().unwrap())
    };
    let rows = |page: Result<Page<rows::Rate>>| page.map(|page| page.data.to_vec()).ok();
    let quotes = FxHistory { limit: Limit::MAX, ..FxHistory::default() };
    let query = export::Query::new("series".parse().unwrap(), Format::Ndjson);
    let mut export = Export::begin(snapshot(), query).unwrap();
    let mut exported = Vec::new();
    while export.write(&mut exported).unwrap() {}
    json!({
        "cdi": rows(market::series(&now, all("cdi"))),
        "selic": rows(market::series(&now, all("12"))),
        "sell": rows(market::series(&now, all("usd-sell"))),
        "quotes": market::fx(&now, quotes).map(|page| page.data.to_vec()).ok(),
        "current": market::fx_current(&now, FxCurrent::default()).ok().map(|quote| quote.answer),
        "export": String::from_utf8(exported).unwrap(),
    })
}

#[test]
fn every_state_after_fifty_random_imports_comes_back() {
    let (_dir, catalogue) = temporary();
    // A small generator of numbers, always the same.
    let mut state = 88_172_645_463_325_252_u64;
    let mut dice = |sides: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % sides
    };
    let (mut time, mut kept) = (at("2026-03-02T15:00:00Z"), Vec::new());
    for _ in 0..50 {
        time += TimeDelta::days(1 + i64::try_from(dice(2)).unwrap());
        let today = Date::in_brasilia(time);
        let mut files = Vec::new();
        for number in [12, 4389, 1, 10_813] {
            let mut body = String::from("[");
            for date in 2..28 {
                if dice(3) == 0 {
                    let comma = if body.len() > 1 { "," } else { "" };
                    let value = match number {
                        12 => format!("0.05{}", dice(4)),
                        4389 => format!("13.{}0", dice(4)),
                        1 => format!("5.1{}", dice(3)),
                        _ => format!("5.0{}", dice(3)),
                    };
                    let row = format!(r#"{comma}{{"data":"{date:02}/02/2026","valor":"{value}"}}"#);
                    write!(body, "{row}").unwrap();
                }
            }
            body.push(']');
            files.push((format!("bcdata.sgs.{number}.json"), body));
        }
        files.retain(|(_, body): &File| body.len() > 2);
        import(&catalogue, time, &files);
        kept.push((today, answers(|| catalogue.snapshot(today).unwrap())));
    }
    let last = Date::in_brasilia(time);
    for (today, before) in &kept {
        let past = || as_of(&catalogue.snapshot(last).unwrap(), *today).unwrap();
        assert_eq!(answers(past), *before, "as of {today}");
    }
    // Reading the past has changed nothing of the present.
    let now = answers(|| catalogue.snapshot(last).unwrap());
    assert_eq!(now, kept.last().unwrap().1);
}

#[test]
fn a_day_ends_at_midnight_in_brasilia() {
    let (_dir, catalogue) = temporary();
    import_rates(&catalogue, "2026-10-09T02:59:59Z", 433, &[("01/08/2026", "0.10")]);
    import_rates(&catalogue, "2026-10-10T02:59:59Z", 433, &[("01/08/2026", "0.20")]);
    import_rates(&catalogue, "2026-10-10T03:00:00Z", 433, &[("01/08/2026", "0.30")]);
    let now = catalogue.snapshot(day("2026-10-31")).unwrap();
    let value = |on: &str| {
        let past = as_of(&now, day(on))?;
        market::ipca_current(&past).map(|rate| rate.value.to_string())
    };
    assert_eq!(value("2026-10-08").unwrap(), "0.10");
    assert_eq!(value("2026-10-09").unwrap(), "0.20");
    assert_eq!(value("2026-10-10").unwrap(), "0.30");
    assert_eq!(value("2026-10-31").unwrap(), "0.30");
    let too_early = value("2026-10-07").unwrap_err().to_string();
    assert_eq!(
        too_early,
        "what was known on 2026-10-07 was not noted; this copy knows its past since 2026-10-08"
    );
    assert!(value("2026-11-01").unwrap_err().to_string().contains("is after today (2026-10-31)"));
}

#[test]
fn the_past_says_when_it_was_and_not_how_fresh() {
    let (_dir, catalogue) = temporary();
    import_rates(&catalogue, "2026-10-09T12:00:00Z", 433, &[("01/08/2026", "0.10")]);
    let now = catalogue.snapshot(day("2026-10-31")).unwrap();
    let past = as_of(&now, day("2026-10-10")).unwrap();
    let meta = market::ipca_current(&past).unwrap().meta;
    assert_eq!((meta.as_of, meta.stale, meta.updated_at), (Some(day("2026-10-10")), None, None));
    assert_eq!(market::ipca_current(&now).unwrap().meta.as_of, None);
}

#[test]
fn revisions_have_every_value_with_its_time() {
    let (_dir, catalogue) = temporary();
    let first = [("01/07/2026", "0.30"), ("01/08/2026", "0.10")];
    import_rates(&catalogue, "2026-10-01T12:00:00Z", 433, &first);
    import_rates(&catalogue, "2026-10-02T12:00:00Z", 433, &[("01/08/2026", "0.20")]);
    import_rates(&catalogue, "2026-10-03T12:00:00Z", 433, &[("01/08/2026", "0.25")]);
    let now = catalogue.snapshot(day("2026-10-31")).unwrap();
    let page = revisions(&now, SeriesHistory::new("ipca".parse().unwrap())).unwrap();
    let expected = json!([
        {"date": "2026-08-01", "value": 0.25, "known_from": "2026-10-03T12:00:00Z", "known_until": null},
        {"date": "2026-08-01", "value": 0.20, "known_from": "2026-10-02T12:00:00Z", "known_until": "2026-10-03T12:00:00Z"},
        {"date": "2026-08-01", "value": 0.10, "known_from": "2026-10-01T12:00:00Z", "known_until": "2026-10-02T12:00:00Z"},
    ]);
    assert_eq!(serde_json::to_value(&page.data).unwrap(), expected);
    assert_eq!(page.total, 3);
    let july =
        SeriesHistory { to: Some(day("2026-07-31")), ..SeriesHistory::new("433".parse().unwrap()) };
    assert_eq!(revisions(&now, july).unwrap().total, 0);
    let first = first_releases(&now).unwrap();
    let current = market::ipca_current(&first).unwrap();
    assert_eq!((current.value.to_string(), current.meta.first_release), ("0.10".into(), true));
    assert!(matches!(
        as_of(&first, day("2026-10-02")),
        Err(crate::values::error::Error::Invalid(_))
    ));
}

#[test]
fn one_side_of_a_quote_is_revised_by_itself() {
    let (_dir, catalogue) = temporary();
    import_rates(&catalogue, "2026-10-01T12:00:00Z", 1, &[("01/09/2026", "5.20")]);
    import_rates(&catalogue, "2026-10-02T12:00:00Z", 10_813, &[("01/09/2026", "5.10")]);
    import_rates(&catalogue, "2026-10-03T12:00:00Z", 1, &[("01/09/2026", "5.30")]);
    let now = catalogue.snapshot(day("2026-10-31")).unwrap();
    let values = |series: &str| {
        let page = revisions(&now, SeriesHistory::new(series.parse().unwrap())).unwrap();
        let value = |row: &Revision| row.value.to_string();
        page.data.iter().map(value).collect::<Vec<_>>()
    };
    assert_eq!(values("usd-sell"), ["5.30", "5.20"]);
    // The buying price came later, and never changed.
    assert!(values("usd-buy").is_empty());
    let quote = |past: Snapshot| market::fx_current(&past, FxCurrent::default()).ok();
    assert_eq!(quote(as_of(&now, day("2026-10-01")).unwrap()), None);
    let then = quote(as_of(&now, day("2026-10-02")).unwrap()).unwrap();
    assert_eq!((then.buy.to_string(), then.sell.to_string()), ("5.10".into(), "5.20".into()));
    let first = quote(first_releases(&now).unwrap()).unwrap();
    assert_eq!((first.buy.to_string(), first.sell.to_string()), ("5.10".into(), "5.20".into()));
}

#[test]
fn a_change_that_is_undone_in_one_import_leaves_nothing() {
    let (_dir, catalogue) = temporary();
    import_rates(&catalogue, "2026-10-01T12:00:00Z", 433, &[("01/08/2026", "0.10")]);
    let files = ["0.20", "0.10"].map(|value| rates(433, &[("01/08/2026", value)]));
    import(&catalogue, at("2026-10-02T12:00:00Z"), &files);
    let now = catalogue.snapshot(day("2026-10-31")).unwrap();
    assert_eq!(revisions(&now, SeriesHistory::new("ipca".parse().unwrap())).unwrap().total, 0);
    let (kept, since): (u64, Option<i64>) = (
        now.count("SELECT COUNT(*) FROM past_rate", []).unwrap(),
        now.first("SELECT known_from FROM rate", [], |row| row.get(0)).unwrap().flatten(),
    );
    assert_eq!((kept, since), (0, Some(1)));
}

#[test]
fn a_first_release_is_the_first_published_value() {
    let (_dir, catalogue) = temporary();
    // The daily CDI gives an annual one, which the published one replaces.
    import_rates(&catalogue, "2026-10-01T12:00:00Z", 12, &[("01/09/2026", "0.051")]);
    import_rates(&catalogue, "2026-10-02T12:00:00Z", 4389, &[("01/09/2026", "13.60")]);
    import_rates(&catalogue, "2026-10-03T12:00:00Z", 4389, &[("01/09/2026", "13.65")]);
    let now = catalogue.snapshot(day("2026-10-31")).unwrap();
    let first = market::cdi_current(&first_releases(&now).unwrap()).unwrap();
    assert_eq!((first.value.to_string(), first.origin), ("13.60".into(), Origin::Published));
    let then = market::cdi_current(&as_of(&now, day("2026-10-01")).unwrap()).unwrap();
    assert_eq!((then.value.to_string(), then.origin), ("13.71".into(), Origin::Computed));
}

#[test]
fn calculations_use_what_was_known() {
    let (_dir, catalogue) = temporary();
    let months: Vec<(String, String)> =
        (1..=8).map(|month| (format!("01/{month:02}/2026"), "0.50".to_owned())).collect();
    let rows = |changed: &str| -> Vec<(String, String)> {
        let value = |(date, value): &(String, String)| {
            let value = if date.starts_with("01/08") { changed } else { value };
            (date.clone(), value.to_owned())
        };
        months.iter().map(value).collect()
    };
    for (time, last) in [("2026-09-10T12:00:00Z", "0.50"), ("2026-09-20T12:00:00Z", "1.50")] {
        let rows = rows(last);
        let rows: Vec<(&str, &str)> =
            rows.iter().map(|(date, value)| (date.as_str(), value.as_str())).collect();
        import_rates(&catalogue, time, 433, &rows);
    }
    let now = catalogue.snapshot(day("2026-10-31")).unwrap();
    let query = || {
        serde_json::from_value::<correction::Accumulation>(json!({
            "series": "ipca", "from": "2026-08-01", "to": "2026-08-31"
        }))
    };
    let result = |snapshot: &Snapshot| {
        serde_json::to_value(correction::accumulate(snapshot, query().unwrap()).unwrap()).unwrap()["accumulated"].clone()
    };
    assert_ne!(result(&now), result(&as_of(&now, day("2026-09-15")).unwrap()));
}

#[test]
fn an_event_about_a_revision_has_the_previous_value() {
    let (_dir, catalogue) = temporary();
    import_rates(&catalogue, "2026-10-01T12:00:00Z", 433, &[("01/08/2026", "0.10")]);
    import_rates(&catalogue, "2026-10-02T12:00:00Z", 433, &[("01/08/2026", "0.20")]);
    let now = catalogue.snapshot(day("2026-10-31")).unwrap();
    let events = events::list(&now, EventWindow::ALL, EventsQuery::default()).unwrap();
    let events = serde_json::to_value(&events).unwrap();
    let data: Vec<&Value> =
        events["data"].as_array().unwrap().iter().map(|event| &event["data"]).collect();
    assert_eq!(data.len(), 2);
    assert_eq!((&data[0]["change"], &data[0]["previous"]), (&json!("added"), &Value::Null));
    assert_eq!((&data[1]["change"], &data[1]["previous"]), (&json!("changed"), &json!(0.10)));
}

#[test]
fn companies_are_exported_as_they_were_registered() {
    let (_dir, catalogue) = temporary();
    for (time, vale) in [("2026-10-01T12:00:00Z", "VALE S.A."), ("2026-10-03T12:00:00Z", "VALE ON")]
    {
        import(&catalogue, at(time), &companies(vale));
    }
    let now = catalogue.snapshot(day("2026-10-31")).unwrap();
    let vale = |snapshot: Snapshot| {
        let query = export::Query::new("companies".parse().unwrap(), Format::Ndjson);
        let mut export = Export::begin(snapshot, query).unwrap();
        let mut out = Vec::new();
        while export.write(&mut out).unwrap() {}
        let out = String::from_utf8(out).unwrap();
        let rows: Vec<Value> =
            out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(rows.len(), 2);
        rows[0]["name"].clone()
    };
    assert_eq!(vale(as_of(&now, day("2026-10-02")).unwrap()), "VALE S.A.");
    assert_eq!(vale(as_of(&now, day("2026-10-03")).unwrap()), "VALE ON");
    assert_eq!(vale(catalogue.snapshot(day("2026-10-31")).unwrap()), "VALE ON");
}

#[test]
fn a_newer_bundle_adds_nothing_to_the_past() {
    use crate::{market::rows::Rate, store::writer::OnConflict};
    let (_dir, catalogue) = temporary();
    let first = [("01/07/2026", "0.30"), ("01/08/2026", "0.10")];
    import_rates(&catalogue, "2026-10-01T12:00:00Z", 433, &first);
    let writer = catalogue.write(at("2026-10-03T12:00:00Z")).unwrap();
    store::remove(&writer, 433, &[day("2026-08-01")]).unwrap();
    writer.commit().unwrap();
    let writer = catalogue.write(at("2026-09-01T00:00:00Z")).unwrap().without_log();
    let bundled = ["2026-08-01", "2026-06-01"]
        .map(|date| Rate::published(day(date), "0.10".parse().unwrap()));
    store::write_rates(&writer, 433, &bundled, OnConflict::Keep).unwrap();
    writer.commit().unwrap();
    import_rates(&catalogue, "2026-10-07T12:00:00Z", 12, &[("01/09/2026", "0.051")]);
    let now = catalogue.snapshot(day("2026-10-31")).unwrap();
    let dates = |on: &str| {
        let past = as_of(&now, day(on)).unwrap();
        let page = market::ipca(&past, History::default()).unwrap();
        page.data.iter().map(|rate| rate.date.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(dates("2026-10-02"), ["2026-08-01", "2026-07-01"]);
    assert_eq!(dates("2026-10-05"), ["2026-07-01"]);
    assert_eq!(dates("2026-10-07"), ["2026-08-01", "2026-07-01", "2026-06-01"]);
    // Bundled rows have no time.
    let page = revisions(&now, SeriesHistory::new("ipca".parse().unwrap())).unwrap();
    let times: Vec<_> = page.data.iter().map(|row| (row.known_from, row.known_until)).collect();
    let noon = |day: &str| Some(at(&format!("2026-10-{day}T12:00:00Z")));
    assert_eq!(times, [(None, None), (noon("01"), noon("03"))]);
}

#[test]
fn the_past_is_no_way_around_a_plan() {
    let (_dir, catalogue) = temporary();
    let months =
        (1..=20).map(|month| format!("01/{:02}/{}", (month - 1) % 12 + 1, 2025 + (month - 1) / 12));
    let months: Vec<String> = months.collect();
    let rows: Vec<(&str, &str)> = months.iter().map(|date| (date.as_str(), "0.10")).collect();
    import_rates(&catalogue, "2026-09-01T12:00:00Z", 433, &rows);
    let now = catalogue.snapshot(day("2026-10-31")).unwrap().for_plan(Plan::Free);
    let history = |snapshot: &Snapshot, from: &str| {
        market::ipca(snapshot, History { from: Some(day(from)), ..History::default() })
    };
    let past = as_of(&now, day("2026-09-10")).unwrap();
    assert!(history(&now, "2025-08-01").is_ok() && history(&now, "2025-07-01").is_err());
    assert!(history(&past, "2025-11-01").is_ok() && history(&past, "2025-10-01").is_err());
    assert_eq!(market::ipca(&past, History::default()).unwrap().total, 10);
}

#[test]
fn a_clock_that_was_set_back_changes_no_earlier_day() {
    let (_dir, catalogue) = temporary();
    import_rates(&catalogue, "2026-10-09T12:00:00Z", 433, &[("01/08/2026", "0.10")]);
    import_rates(&catalogue, "2026-09-09T12:00:00Z", 433, &[("01/08/2026", "0.20")]);
    let now = catalogue.snapshot(day("2026-10-31")).unwrap();
    assert!(as_of(&now, day("2026-09-30")).is_err());
    let then = market::ipca_current(&as_of(&now, day("2026-10-09")).unwrap()).unwrap();
    assert_eq!(then.value.to_string(), "0.20");
    assert_ne!(now.fingerprint(), first_releases(&now).unwrap().fingerprint());
}
