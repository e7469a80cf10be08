//! Old exports and what changed since, held against new exports.
use std::collections::BTreeMap;

use chrono::TimeDelta;

use super::*;
use crate::store::changes;

const DATASETS: [Dataset; 9] = [
    Dataset::One(432),
    Dataset::One(433),
    Dataset::One(4389),
    Dataset::One(1),
    Dataset::One(777),
    Dataset::Series,
    Dataset::Fx,
    Dataset::Companies,
    Dataset::Filings,
];

/// The columns that identify a row.
fn key_columns(dataset: Dataset) -> &'static [&'static str] {
    match dataset {
        Dataset::One(_) => &["date"],
        Dataset::Series => &["series", "name", "date"],
        Dataset::Fx => &["date", "pair"],
        Dataset::Companies | Dataset::Filings => &["id"],
        Dataset::Statements | Dataset::Financials => unreachable!("tested with statements"),
    }
}

/// An export as its reader keeps it: rows by their key.
type Kept = BTreeMap<String, Object>;

type Object = serde_json::Map<String, serde_json::Value>;

fn rows(snapshot: Snapshot, query: Query) -> Vec<(String, Object)> {
    let read = |line: String| {
        let row: Object = serde_json::from_str(&line).unwrap();
        let key: Vec<String> =
            key_columns(query.dataset).iter().map(|name| row[*name].to_string()).collect();
        (key.join(" "), row)
    };
    match lines(snapshot, query) {
        Ok(lines) => lines.into_iter().map(read).collect(),
        // A series without observations is not there yet.
        Err(err) if matches!(err.kind(), ErrorKind::NotFound(Resource::Dataset, _)) => Vec::new(),
        Err(err) => panic!("{err}"),
    }
}

/// Applies what changed; every row of it is checked for what it says.
fn apply(kept: &mut Kept, dataset: Dataset, delta: Vec<(String, Object)>) {
    for (key, mut row) in delta {
        let change = row.remove("change").unwrap();
        match change.as_str().unwrap() {
            "added" | "changed" => drop(kept.insert(key, row)),
            "removed" => {
                for (name, value) in row {
                    assert_eq!(value.is_null(), !key_columns(dataset).contains(&&*name), "{name}");
                }
                kept.remove(&key);
            }
            other => panic!("{other}"),
        }
    }
}

/// Numbers that look random and are the same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        u32::try_from(self.0 % u64::from(limit)).unwrap()
    }
}

/// Some files of a day: days around it, ahead too; companies that come and go; filings that change.
fn files(dice: &mut Dice, today: Date) -> Vec<(String, String)> {
    let mut files = Vec::new();
    for (series, price) in [
        (432, "1"),
        (433, "0."),
        (12, "0.0"),
        (777, "-"),
        (1, "5.2"),
        (10813, "5.1"),
        (21619, "6.2"),
        (21620, "6.1"),
    ] {
        if dice.below(3) > 0 {
            continue;
        }
        let days = (0..1 + dice.below(6)).map(|_| {
            let day = Date::from_day_number(today.day_number() + 6).unwrap();
            let day = day.days_before(dice.below(40));
            // Only this series is monthly.
            let day = if series == 433 { day.first_of_month() } else { day };
            (day, format!("{price}{}", 1 + dice.below(3)))
        });
        let days: BTreeMap<Date, String> = days.collect();
        let days: Vec<_> = days.into_iter().collect();
        files.push((format!("bcdata.sgs.{series}.json"), sgs(&days)));
    }
    if dice.below(3) == 0 {
        let codes: Vec<u32> = (1..30).filter(|_| dice.below(4) > 0).collect();
        let companies: Vec<_> =
            codes.into_iter().map(|code| (code, format!("X {}", dice.below(2)))).collect();
        files.push(("cad_cia_aberta.csv".into(), registry(&companies)));
    }
    if dice.below(2) == 0 {
        let filings = (0..1 + dice.below(5)).map(|_| {
            let (id, day) = (1 + dice.below(60), today.days_before(dice.below(3)));
            (id, (format!("s {}", dice.below(3)), day))
        });
        let filings: BTreeMap<u32, (String, Date)> = filings.collect();
        let filings: Vec<_> =
            filings.into_iter().map(|(id, (subject, day))| (id, subject, day)).collect();
        files.push(("ipe_cia_aberta_2026.csv".into(), ipe(&filings)));
    }
    files
}

#[test]
fn an_old_export_and_what_changed_since_give_the_new_export() {
    let (_dir, catalogue) = temporary();
    let mut dice = Dice(20_261_115);
    let mut now: DateTime<Utc> = "2026-03-01T15:00:00Z".parse().unwrap();
    // Every export that was ever made: its version and rows.
    let mut old: Vec<(Dataset, u64, Kept)> =
        DATASETS.map(|dataset| (dataset, 0, Kept::new())).into();
    let mut changes = [0; 3];
    for _ in 0..50 {
        now += TimeDelta::hours(dice.below(48).into());
        let mut import = Import::begin(&catalogue, now).unwrap().force();
        import = import.keep_changes_for(TimeDelta::days(20));
        for (name, text) in files(&mut dice, Date::in_brasilia(now)) {
            import.file(&name, text.as_bytes()).unwrap();
        }
        import.commit().unwrap();
        // Some read it at once, some after days, in which nothing is imported.
        now += TimeDelta::hours(dice.below(4).saturating_sub(2).saturating_mul(30).into());
        let snapshot = || catalogue.snapshot(Date::in_brasilia(now)).unwrap();
        let first = changes::complete_after(&snapshot()).unwrap();
        for dataset in DATASETS {
            let query = Query::new(dataset, Format::Ndjson);
            let new: Kept = rows(snapshot(), query).into_iter().collect();
            let known = old.iter().filter(|(of, version, _)| *of == dataset && *version >= first);
            for (_, version, kept) in known {
                let delta = rows(snapshot(), Query { since: Some(*version), ..query });
                for (_, row) in &delta {
                    let names = ["added", "changed", "removed"];
                    let at = names.iter().position(|name| row["change"] == *name).unwrap();
                    changes[at] += 1;
                }
                let mut kept = kept.clone();
                apply(&mut kept, dataset, delta);
                assert_eq!(kept, new, "{dataset} since {version}");
            }
            old.push((dataset, snapshot().version().unwrap(), new));
        }
        old.retain(|(_, version, _)| *version >= first);
    }
    // The log was cut, and each kind of change was met.
    assert!(changes::complete_after(&catalogue.snapshot(Date::MAX).unwrap()).unwrap() > 0);
    assert!(changes.iter().all(|times| *times > 50), "{changes:?}");
}

#[test]
fn what_comes_and_goes_between_is_nothing() {
    let (_dir, catalogue) = temporary();
    let companies = |codes: &[u32]| {
        let rows: Vec<_> = codes.iter().map(|code| (*code, "X".to_owned())).collect();
        [("cad_cia_aberta.csv", registry(&rows))]
    };
    for codes in [&[1, 2][..], &[1, 2, 3], &[1, 4], &[1, 2]] {
        import(&catalogue, noon(), &companies(codes));
    }
    let since = |version| {
        let query =
            Query { since: Some(version), ..Query::new(Dataset::Companies, Format::Ndjson) };
        let lines = lines(catalogue.snapshot(Date::MAX).unwrap(), query).unwrap();
        lines
            .iter()
            .map(|line| line[..line.find(",\"name\"").unwrap()].to_owned())
            .collect::<Vec<_>>()
    };
    let row = |change: &str, id: u32| format!("{{\"change\":\"{change}\",\"id\":\"{id}\"");
    assert_eq!(since(0), [row("added", 1), row("added", 2)]);
    assert_eq!(since(1), [row("changed", 2)]);
    assert_eq!(since(2), [row("changed", 2), row("removed", 3)]);
    assert_eq!(since(3), [row("added", 2), row("removed", 4)]);
    assert_eq!(since(4), [""; 0]);
}

#[test]
fn a_day_that_has_come_is_added_although_nothing_changed() {
    let (_dir, catalogue) = temporary();
    let days = ["2026-11-15", "2026-11-16", "2026-11-17"].map(|text| (day(text), "15.00".into()));
    import(&catalogue, noon(), &[("bcdata.sgs.432.json", sgs(&days))]);
    let since = |today: &str, version| {
        let query = Query { since: Some(version), ..Query::new(Dataset::One(432), Format::Ndjson) };
        lines(catalogue.snapshot(day(today)).unwrap(), query).unwrap()
    };
    assert_eq!(since("2026-11-15", 1), [""; 0]);
    let added = |day: &str| {
        format!(r#"{{"change":"added","date":"{day}","value":15.00,"origin":"published"}}"#)
    };
    assert_eq!(since("2026-11-16", 1), [added("2026-11-16")]);
    assert_eq!(since("2026-11-15", 0), [added("2026-11-15")]);
    assert_eq!(since("2026-11-17", 0).len(), 3);
}

#[test]
fn a_delta_has_its_column_in_every_format() {
    let (_dir, catalogue) = temporary();
    for companies in [&[(1, "A".to_owned()), (2, "B".to_owned())][..], &[(1, "C".to_owned())]] {
        import(&catalogue, noon(), &[("cad_cia_aberta.csv", registry(companies))]);
    }
    let query = |format| Query { since: Some(1), ..Query::new(Dataset::Companies, format) };
    let snapshot = || catalogue.snapshot(Date::MAX).unwrap();
    let csv = lines(snapshot(), query(Format::Csv(Dialect::Standard))).unwrap();
    assert_eq!(
        csv,
        [
            "change,id,name,trade_name,cnpj,status,sector,tickers,registered_on,cancelled_on",
            "changed,1,C,,00.000.000/0001-91,ATIVO,,,2026-01-02,",
            "removed,2,,,,,,,,",
        ]
    );
    #[cfg(feature = "parquet")]
    assert!(export_all(snapshot(), query(Format::Parquet)).unwrap().0.ends_with(b"PAR1"));
}
