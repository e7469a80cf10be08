//! Every figure that is served, against the tables of `data/` and against the official files.
use std::{collections::BTreeMap, fs, path::Path};

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::harness::Server;

type Figures = BTreeMap<String, String>;

#[derive(Deserialize)]
struct Answer<'a> {
    #[serde(borrow)]
    data: Vec<Row<'a>>,
}

#[derive(Deserialize)]
struct Row<'a> {
    date: &'a str,
    #[serde(borrow)]
    value: Option<&'a RawValue>,
    #[serde(borrow)]
    buy: Option<&'a RawValue>,
    #[serde(borrow)]
    sell: Option<&'a RawValue>,
}

/// A whole history as date and digits, fetched in pieces as long as the service gives.
fn served(path: &str) -> Figures {
    let mut all = Figures::new();
    let mut to = "9999-12-31".to_owned();
    loop {
        let sign = if path.contains('?') { '&' } else { '?' };
        let reply =
            Server::shared().get(&format!("/api/v1/market/{path}{sign}limit=10000&to={to}"));
        let answer: Answer<'_> = serde_json::from_slice(&reply.body).unwrap();
        let before = all.len();
        for row in &answer.data {
            let digits: Vec<_> =
                [row.value, row.buy, row.sell].into_iter().flatten().map(RawValue::get).collect();
            all.insert(row.date.to_owned(), digits.join(" "));
        }
        if all.len() == before {
            return all;
        }
        to = all.keys().next().unwrap().clone();
    }
}

#[track_caller]
fn assert_same(name: &str, served: &Figures, published: &Figures) {
    let differs = published.iter().find(|(date, digits)| served.get(*date) != Some(digits));
    assert_eq!(differs, None, "{name}: {} served", served.len());
    assert_eq!(served.len(), published.len(), "{name}");
}

#[test]
fn serves_every_figure_of_the_tables() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../data");
    let table = |name: &str| fs::read_to_string(data.join(name)).unwrap();
    for name in ["selic", "ipca"] {
        let split =
            |line: &str| line.split_once(',').map(|(date, value)| (date.into(), value.into()));
        let published = table(&format!("{name}.csv")).lines().skip(1).filter_map(split).collect();
        assert_same(name, &served(name), &published);
    }
    assert_eq!(served("cdi").len(), table("cdi.csv").lines().count() - 1);
    let mut quotes: BTreeMap<String, Figures> = BTreeMap::new();
    for line in table("fx.csv").lines().skip(1) {
        let [currency, date, buy, sell] = line.split(',').collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        if !buy.is_empty() && !sell.is_empty() {
            quotes.entry(currency.into()).or_default().insert(date.into(), format!("{buy} {sell}"));
        }
    }
    for (currency, published) in &quotes {
        assert_same(currency, &served(&format!("fx?pair={currency}BRL")), published);
    }
}

/// The official files lie beside the project on some machines; elsewhere the tables are the measure.
#[test]
fn serves_every_figure_of_the_official_files() {
    #[derive(Deserialize)]
    struct Record {
        data: String,
        valor: String,
    }
    let upstream = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/upstream/bcb");
    if !upstream.exists() {
        return;
    }
    let series = |number: u32| -> Figures {
        let text = fs::read_to_string(upstream.join(format!("bcdata.sgs.{number}.json"))).unwrap();
        let records: Vec<Record> = serde_json::from_str(&text).unwrap();
        let iso = |date: &str| format!("{}-{}-{}", &date[6..], &date[3..5], &date[..2]);
        records.into_iter().map(|record| (iso(&record.data), record.valor)).collect()
    };
    assert_same("selic", &served("selic"), &series(432));
    assert_same("ipca", &served("ipca"), &series(433));
    let cdi = served("cdi");
    assert!(cdi.keys().eq(series(12).keys()));
    for (date, annual) in series(1178).range("2018-10-01".to_owned()..) {
        // Since October 2018 the CDI equals the Selic, whose annual rate is published (SGS 1178).
        assert!(cdi.get(date).is_none_or(|ours| ours == annual), "{date}");
    }
    let (buy, sell) = (series(10813), series(1));
    let both = sell
        .iter()
        .filter_map(|(date, sell)| Some((date.clone(), format!("{} {sell}", buy.get(date)?))))
        .collect();
    assert_same("USD/BRL", &served("fx"), &both);
}
