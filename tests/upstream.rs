//! Every figure that is served, against the tables of `data/` and against the official files.
use std::{collections::BTreeMap, fs, path::Path};

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::harness::{Server, upstream};

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
        let mut published: Figures =
            table(&format!("{name}.csv")).lines().skip(1).filter_map(split).collect();
        if name == "selic" {
            // The days that were not published carry the figure of the day before.
            published.extend(of_series(&table("carried.csv")).remove("432").unwrap());
            assert_eq!(published.len(), 10_107);
        }
        assert_same(name, &served(name), &published);
    }
    let tables = of_series(&table("series.csv"));
    for (series, published) in &tables {
        let mut served = served(&format!("series/{series}"));
        if series == "1178" {
            // The days that were not published are computed from SGS 11.
            let (all, gaps) = (served.len(), tables["11"].keys());
            let gaps: Vec<&String> = gaps.filter(|day| !published.contains_key(*day)).collect();
            assert_eq!((all, gaps.len()), (10_112, 979));
            served.retain(|day, _| published.contains_key(day));
        }
        assert_same(series, &served, published);
    }
    assert_eq!(served("cdi").len(), table("cdi.csv").lines().count() - 1);
    let mut quotes: BTreeMap<String, Figures> = BTreeMap::new();
    let mut sides: BTreeMap<String, Figures> = BTreeMap::new();
    for line in table("fx.csv").lines().skip(1) {
        let [currency, date, buy, sell] = line.split(',').collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        for (side, figure) in [("buy", buy), ("sell", sell)] {
            if !figure.is_empty() {
                let side = sides.entry(format!("{currency}-{side}")).or_default();
                side.insert(date.into(), figure.into());
            }
        }
        if !buy.is_empty() && !sell.is_empty() {
            quotes.entry(currency.into()).or_default().insert(date.into(), format!("{buy} {sell}"));
        }
    }
    for (currency, published) in &quotes {
        assert_same(currency, &served(&format!("fx?pair={currency}BRL")), published);
    }
    for currency in ["USD", "EUR", "JPY", "GBP"] {
        for side in ["buy", "sell"] {
            let name = format!("{currency}-{side}");
            assert_same(&name, &served(&format!("series/{name}")), &sides[&name]);
        }
    }
}

/// A table with the columns series, date and value.
fn of_series(table: &str) -> BTreeMap<String, Figures> {
    let mut all: BTreeMap<String, Figures> = BTreeMap::new();
    for line in table.lines().skip(1) {
        let [series, date, value] = line.split(',').collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        all.entry(series.into()).or_default().insert(date.into(), value.into());
    }
    all
}

/// Every official file of a series in the folders, by its number: what all of them publish.
fn official(upstream: &Path) -> BTreeMap<u32, Figures> {
    let mut all: BTreeMap<u32, Figures> = BTreeMap::new();
    for folder in [".", "longer", "api"] {
        for entry in fs::read_dir(upstream.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            let Some(rest) = name.strip_prefix("bcdata.sgs.") else { continue };
            let number = rest.split('.').next().unwrap().parse().unwrap();
            let text = fs::read_to_string(&path).unwrap();
            all.entry(number).or_default().extend(figures(&text));
        }
    }
    all
}

/// The days and digits of an official file, JSON or CSV.
fn figures(text: &str) -> Figures {
    #[derive(Deserialize)]
    struct Record {
        data: String,
        valor: String,
    }
    let iso = |date: &str| format!("{}-{}-{}", &date[6..], &date[3..5], &date[..2]);
    if text.starts_with('[') {
        let records: Vec<Record> = serde_json::from_str(text).unwrap();
        return records.into_iter().map(|record| (iso(&record.data), record.valor)).collect();
    }
    let row = |line: &str| {
        let (date, value) = line.split_once(';').unwrap();
        let unquoted = |field: &str| field.trim_matches('"').replace(',', ".");
        (iso(&unquoted(date)), unquoted(value))
    };
    text.lines().skip(1).map(row).collect()
}

/// Puts right what was corrected after the files were downloaded. What they say of these days is what was bundled before.
fn correct(official: &mut BTreeMap<u32, Figures>) {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../data");
    let table = fs::read_to_string(data.join("corrected.csv")).unwrap();
    for line in table.lines().skip(1) {
        let [series, date, before, value] = line.split(',').collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        let of_series = official.get_mut(&series.parse().unwrap()).unwrap();
        let published = of_series.insert(date.into(), value.into());
        assert!([before, value].contains(&published.unwrap().as_str()), "{line}");
    }
}

/// The official files lie beside the project on some machines; elsewhere the tables are the measure.
#[test]
fn serves_every_figure_of_the_official_files() {
    let Some(upstream) = upstream() else { return };
    let upstream = upstream.join("bcb");
    let mut official = official(&upstream);
    correct(&mut official);
    // Quotes in reais only.
    for of_dollar in [1, 10813] {
        official.get_mut(&of_dollar).unwrap().retain(|date, _| date.as_str() >= "1994-07-01");
    }
    for (number, published) in &official {
        let ours = served(&format!("series/{number}"));
        if (21619..=21624).contains(number) {
            assert_contains(*number, &ours, published);
        } else {
            assert_same(&number.to_string(), &ours, published);
        }
    }
    assert_eq!(official.len(), 22);
    let named = ["selic", "ipca", "cdi"].map(|name| (name, served(name)));
    for (name, ours) in &named {
        assert_same(name, &served(&format!("series/{name}")), ours);
    }
    let [(_, selic), (_, ipca), (_, cdi)] = &named;
    assert_same("selic", selic, &official[&432]);
    assert_same("ipca", ipca, &official[&433]);
    assert!(cdi.keys().eq(official[&12].keys()));
    for (date, annual) in official[&1178].range("2018-10-01".to_owned()..) {
        // Since October 2018 the CDI equals the Selic, whose annual rate is published (SGS 1178).
        assert!(cdi.get(date).is_none_or(|ours| ours == annual), "{date}");
    }
    let (buy, sell) = (&official[&10813], &official[&1]);
    let both = sell
        .iter()
        .filter_map(|(date, sell)| Some((date.clone(), format!("{} {sell}", buy.get(date)?))))
        .collect();
    assert_same("USD/BRL", &served("fx"), &both);
}

/// Bulletins have more days than these series, and write some figures with more zeros.
#[track_caller]
fn assert_contains(number: u32, served: &Figures, published: &Figures) {
    let plain = |digits: &String| digits.trim_end_matches('0').to_owned();
    for (date, digits) in published {
        assert_eq!(served.get(date).map(plain), Some(plain(digits)), "{number} on {date}");
    }
}
