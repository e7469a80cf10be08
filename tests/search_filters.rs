//! Filters of filings held against a walk through all of them.
use std::{
    collections::{BTreeSet, HashMap},
    sync::OnceLock,
};

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};

use crate::harness::{Reply, Server};

/// The largest page of a list.
const MOST: usize = 1000;

/// What the filters look at in a filing.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) id: String,
    company: String,
    pub(crate) category: String,
    pub(crate) kind: String,
    pub(crate) species: String,
    /// Empty if there is none.
    pub(crate) subject: String,
    /// `2024-04-30`
    day: String,
}

/// The ways to name a company in a filter.
pub(crate) struct Company {
    pub(crate) id: String,
    cnpj: String,
    pub(crate) tickers: Vec<String>,
    /// 0 active, 1 in between, 2 cancelled.
    standing: u8,
}

pub(crate) fn send(target: &str) -> Reply {
    Server::shared().get(&format!("/api/v1/{target}"))
}

#[track_caller]
pub(crate) fn get(target: &str) -> Value {
    let reply = send(target);
    assert_eq!(reply.status, 200, "{target}: {}", reply.text());
    reply.json()
}

#[track_caller]
pub(crate) fn total(target: &str) -> usize {
    let list = get(&format!("{target}&limit=1"));
    usize::try_from(list["total"].as_u64().unwrap()).unwrap()
}

pub(crate) fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("{value} is no text")).to_owned()
}

fn ids(list: &Value) -> Vec<String> {
    list["data"].as_array().unwrap().iter().map(|row| text(&row["id"])).collect()
}

pub(crate) fn escaped(text: &str) -> String {
    utf8_percent_encode(text, NON_ALPHANUMERIC).to_string()
}

/// All rows of a list, page by page. `list` ends with `?` or has a parameter.
#[track_caller]
pub(crate) fn walk(list: &str) -> Vec<Value> {
    let mut all = Vec::new();
    loop {
        let page = get(&format!("{list}&limit={MOST}&offset={}", all.len()));
        all.extend(page["data"].as_array().unwrap().iter().cloned());
        if page["data"].as_array().unwrap().len() < MOST {
            assert_eq!(page["total"], all.len(), "{list}");
            return all;
        }
    }
}

/// Every filing, newest first.
pub(crate) fn filings() -> &'static [Row] {
    static FILINGS: OnceLock<Vec<Row>> = OnceLock::new();
    FILINGS.get_or_init(|| {
        let row = |row: Value| Row {
            id: text(&row["id"]),
            company: text(&row["company_id"]),
            category: text(&row["category"]),
            kind: text(&row["type"]),
            species: text(&row["species"]),
            subject: row["subject"].as_str().unwrap_or_default().to_owned(),
            day: text(&row["date"])[..10].to_owned(),
        };
        let all: Vec<Row> = walk("filings?").into_iter().map(row).collect();
        let ids: BTreeSet<&str> = all.iter().map(|row| row.id.as_str()).collect();
        assert_eq!(ids.len(), all.len(), "no filing comes twice");
        assert!(all.is_sorted_by(|one, next| one.day >= next.day), "newest first");
        all
    })
}

/// Every company of the registry; of those that share a number, the one that is meant stands first.
pub(crate) fn companies() -> &'static [Company] {
    static COMPANIES: OnceLock<Vec<Company>> = OnceLock::new();
    COMPANIES.get_or_init(|| {
        let company = |row: Value| Company {
            id: text(&row["id"]),
            cnpj: text(&row["cnpj"]),
            tickers: row["tickers"].as_array().unwrap().iter().map(text).collect(),
            standing: match row["status"].as_str() {
                Some("ATIVO") => 0,
                Some("CANCELADA") => 2,
                _ => 1,
            },
        };
        let mut all: Vec<Company> = walk("companies?").into_iter().map(company).collect();
        all.sort_by_key(|company| {
            (company.standing, std::cmp::Reverse(company.id.parse::<u32>().unwrap()))
        });
        all
    })
}

/// Lowercase without accents, by a table of its own.
pub(crate) fn folded(text: &str) -> String {
    let plain = |c: char| match c {
        'á' | 'à' | 'â' | 'ã' => 'a',
        'é' | 'ê' => 'e',
        'í' => 'i',
        'ó' | 'ô' | 'õ' => 'o',
        'ú' | 'ü' => 'u',
        'ç' => 'c',
        c => c,
    };
    text.to_lowercase().chars().map(plain).collect()
}

/// Numbers that are the same in every run (SplitMix64).
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % end as u64).unwrap()
    }

    fn any<'t, T>(&mut self, of: &'t [T]) -> &'t T {
        &of[self.below(of.len())]
    }

    /// A text as somebody else may write it.
    fn written(&mut self, text: &str) -> String {
        match self.below(3) {
            0 => text.to_owned(),
            1 => text.to_uppercase(),
            _ => folded(text),
        }
    }

    /// One of the ways to name the company with this code.
    fn named(&mut self, code: &str) -> String {
        let mut ways = vec![code.to_owned(), format!("{code:0>6}")];
        // A number that several share means the first of them.
        let meant = |has: &dyn Fn(&Company) -> bool| {
            companies().iter().find(|company| has(company)).is_some_and(|first| first.id == code)
        };
        if let Some(company) = companies().iter().find(|company| company.id == code) {
            if meant(&|other| other.cnpj == company.cnpj) {
                let plain = company.cnpj.replace(['.', '/', '-'], "");
                ways.extend([company.cnpj.clone(), plain]);
            }
            for ticker in &company.tickers {
                if meant(&|other| other.tickers.contains(ticker)) {
                    let (small, marked) = (ticker.to_lowercase(), format!("{ticker}.SA"));
                    ways.extend([ticker.clone(), small, marked]);
                }
            }
        }
        self.any(&ways).clone()
    }
}

/// The filters of a request: each as it is given, and what it stands for.
#[derive(Debug, Default)]
struct Filters {
    company: Option<String>,
    category: Option<String>,
    kind: Option<String>,
    from: Option<String>,
    to: Option<String>,
    query: String,
}

const COMPANY: u8 = 1;
const CATEGORY: u8 = 2;
const TYPE: u8 = 4;
const FROM: u8 = 8;
const TO: u8 = 16;

impl Filters {
    /// The chosen filters, with values of filings that are there; most often all of the same one, so that something is
    /// found.
    fn roll(dice: &mut Dice, chosen: u8, anchor: &Row) -> Filters {
        let mut filters = Filters::default();
        let mut give = |name: &str, value: &str| {
            filters.query += &format!("&{name}={}", escaped(value));
        };
        let source = |dice: &mut Dice| match dice.below(6) {
            0 => dice.any(filings()),
            _ => anchor,
        };
        if chosen & COMPANY != 0 {
            let code = &source(dice).company;
            give("company", &dice.named(code));
            filters.company = Some(code.clone());
        }
        if chosen & CATEGORY != 0 {
            let category = &source(dice).category;
            give("category", &dice.written(category));
            filters.category = Some(folded(category));
        }
        if chosen & TYPE != 0 {
            let kind = &source(dice).kind;
            give("type", &dice.written(kind));
            filters.kind = Some(folded(kind));
        }
        let (one, other) = (&anchor.day, &dice.any(filings()).day);
        if chosen & FROM != 0 {
            give("from", one.min(other));
            filters.from = Some(one.min(other).clone());
        }
        if chosen & TO != 0 {
            give("to", one.max(other));
            filters.to = Some(one.max(other).clone());
        }
        filters
    }

    fn admit(&self, row: &Row) -> bool {
        self.company.as_ref().is_none_or(|code| *code == row.company)
            && self.category.as_ref().is_none_or(|category| *category == folded(&row.category))
            && self.kind.as_ref().is_none_or(|kind| *kind == folded(&row.kind))
            && self.from.as_ref().is_none_or(|from| *from <= row.day)
            && self.to.as_ref().is_none_or(|to| row.day <= *to)
    }
}

/// A page from anywhere in the list must be that part of the wanted ids.
#[track_caller]
fn check(dice: &mut Dice, list: &str, wanted: &[&str]) {
    let limit = 1 + dice.below(MOST);
    for offset in [0, dice.below(wanted.len() + 2)] {
        let target = format!("{list}&limit={limit}&offset={offset}");
        let page = get(&target);
        assert_eq!(page["total"], wanted.len(), "{target}");
        assert_eq!(page["meta"].get("fuzzy"), None, "{target}");
        let part: Vec<&str> = wanted.iter().skip(offset).take(limit).copied().collect();
        assert_eq!(ids(&page), part, "{target}");
    }
}

#[test]
#[ignore = "long"]
fn every_combination_of_filters_lists_what_a_walk_finds() {
    let mut dice = Dice(11);
    let mut found = 0;
    for chosen in 0..32 {
        let anchor = dice.any(filings());
        let filters = Filters::roll(&mut dice, chosen, anchor);
        let all = filings().iter().filter(|row| filters.admit(row));
        let wanted: Vec<&str> = all.map(|row| row.id.as_str()).collect();
        check(&mut dice, &format!("filings?{}", filters.query), &wanted);
        found += usize::from(!wanted.is_empty());
    }
    assert!(found > 20, "only {found} combinations find anything");
}

#[test]
fn every_combination_of_filters_lists_what_a_walk_finds_for_a_company() {
    let mut dice = Dice(12);
    let mut found = 0;
    for chosen in (0..32).filter(|chosen| chosen & COMPANY == 0) {
        let anchor = dice.any(filings());
        let filters = Filters::roll(&mut dice, chosen, anchor);
        let own = |row: &&Row| row.company == anchor.company && filters.admit(row);
        let wanted: Vec<&str> = filings().iter().filter(own).map(|row| row.id.as_str()).collect();
        let list = format!("companies/{}/filings?{}", anchor.company, filters.query);
        check(&mut dice, &list, &wanted);
        found += usize::from(!wanted.is_empty());
    }
    assert!(found > 10, "only {found} combinations find anything");
}

#[test]
#[ignore = "long"]
fn every_combination_of_filters_narrows_a_search() {
    const TEXTS: [&str; 4] = ["assembleia", "banco", "conselho de administracao", "2024 ata"];
    let mut dice = Dice(13);
    // In the order of the search, in which some of them match better than others.
    let matches = TEXTS.map(|q| -> Vec<String> {
        let all = walk(&format!("filings/search?q={}", escaped(q)));
        assert!(all.len() > 1000, "{q}: {}", all.len());
        all.iter().map(|row| text(&row["id"])).collect()
    });
    let rows: HashMap<&str, &Row> = filings().iter().map(|row| (row.id.as_str(), row)).collect();
    let mut found = 0;
    for chosen in 0..32 {
        let at = dice.below(TEXTS.len());
        let matching: Vec<&Row> = matches[at].iter().map(|id| rows[id.as_str()]).collect();
        let anchor = *dice.any(&matching);
        let filters = Filters::roll(&mut dice, chosen, anchor);
        let all = matching.iter().filter(|row| filters.admit(row));
        let wanted: Vec<&str> = all.map(|row| row.id.as_str()).collect();
        let list = format!("filings/search?q={}{}", escaped(TEXTS[at]), filters.query);
        if wanted.is_empty() {
            // What is nearest keeps to the filters, too.
            let near = get(&list);
            assert!(near["total"] == 0 || near["meta"]["fuzzy"] == true, "{list}");
            assert!(ids(&near).iter().all(|id| filters.admit(rows[id.as_str()])), "{list}");
        } else {
            check(&mut dice, &list, &wanted);
            found += 1;
        }
    }
    assert!(found > 20, "only {found} combinations find anything");
}

#[test]
fn wrong_values_are_refused_by_name() {
    let lists = ["filings?", "filings/search?q=vale&", "companies/9512/filings?"];
    let company = "a company (a CVM code, a CNPJ or a ticker)";
    let long = "9".repeat(7);
    let cases = [
        ("company", "petrobras", company),
        ("company", "", company),
        ("company", "PETR", company),
        ("company", "PETR4,VALE3", company),
        ("company", "0", company),
        ("company", &*long, company),
        ("company", "33.000.167/0001-02", company),
        ("from", "2024-13-01", "a date (YYYY-MM-DD)"),
        ("to", "30/04/2024", "a date (YYYY-MM-DD)"),
        ("limit", "0", "a whole number from 1 to 1000"),
        ("order", "oldest", "an order (newest or relevance)"),
    ];
    for list in lists {
        for (name, value, wanted) in cases {
            let target = format!("{list}{name}={}", escaped(value));
            let message = send(&target).expect_error(400, "bad_request");
            let takes = match name {
                "company" => !list.starts_with("companies"),
                "order" => list.contains("search"),
                _ => true,
            };
            let told = match takes {
                true => format!("parameter {name:?}: {value:?} is not {wanted}"),
                false => format!("parameter {name:?} is unknown; this endpoint takes "),
            };
            assert!(message.starts_with(&told), "{target}: {message}");
        }
        let turned = format!("{list}from=2024-02-01&to=2024-01-01");
        let message = send(&turned).expect_error(400, "bad_request");
        assert!(message.contains("\"from\""), "{turned}: {message}");
        let twice = format!("{list}type=AGO&type=AGE");
        let message = send(&twice).expect_error(400, "bad_request");
        assert!(message.contains("\"type\""), "{twice}: {message}");
    }
}

#[test]
fn unknown_values_give_empty_lists() {
    let unknown = ["company=999999", "company=ZZZZ9", "company=ZZZZ9.SA", "company=11222333000181"];
    let others = ["category=nothing", "type=nothing", "category=%25", "type=AGO%00"];
    for list in ["filings?", "filings/search?q=petrobras&", "companies/9512/filings?"] {
        let takes_company = !list.starts_with("companies");
        let all = unknown.iter().filter(|_| takes_company).chain(&others[..3]);
        for filter in all {
            let found = get(&format!("{list}{filter}"));
            assert_eq!(
                (&found["total"], &found["data"]),
                (&json!(0), &json!([])),
                "{list}{filter}"
            );
            assert_eq!(found["meta"].get("fuzzy"), None, "{list}{filter}");
        }
        // No text has this character.
        assert_eq!(send(&format!("{list}{}", others[3])).status, 400);
    }
}
