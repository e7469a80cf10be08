//! Companies by all the names that people have for them.
//!
//! [`Names`] holds, in memory, what the registry and the filings say: legal and trade names, the names under which
//! filings were made, tickers, CNPJ and code; and the reviewed [`known`] table of brands and nicknames. Searches for
//! companies rank them, the search index of filings takes their words.
use std::{
    collections::{BTreeMap, HashMap},
    sync::OnceLock,
};

use rusqlite::Connection;

use crate::{
    error::Result,
    sqlite::code,
    types::{fold, words},
};

mod known;
mod nearest;
mod search;
mod suggest;
mod vocabulary;

pub(crate) use known::names as known;
use search::ROOT;
use vocabulary::Vocabulary;

/// All companies of the registry, and those that only file.
#[derive(Debug, Default)]
pub(crate) struct Names {
    /// In the order of codes.
    pub(crate) companies: Vec<Named>,
    by_code: HashMap<u32, usize>,
    /// The places of companies by their tickers, and by the roots of those.
    by_ticker: HashMap<String, Vec<u32>>,
    vocabulary: Vocabulary,
    /// Reviewed names of several words with the codes of their companies, by their first word.
    expressions: HashMap<String, Vec<(Vec<String>, u32)>>,
    /// Made when the first search finds nothing as it stands.
    grams: OnceLock<nearest::Grams>,
}

/// A company with its names.
#[derive(Debug, Default)]
pub(crate) struct Named {
    /// Its CVM code.
    pub(crate) code: u32,
    /// Whether the registry has it.
    pub(crate) registered: bool,
    /// 0 active, 1 in between, 2 cancelled; those that only file count as in between.
    pub(crate) standing: u8,
    /// Those of the registry, in small letters.
    pub(crate) tickers: Vec<String>,
    /// Reviewed ones that the registry lacks, in small letters; some have ended.
    other_tickers: Vec<String>,
    /// Whether one of its tickers trades.
    pub(crate) is_listed: bool,
    /// Without its marks, in small letters.
    pub(crate) cnpj: String,
    /// The legal name, as published.
    pub(crate) shown: String,
    /// Each once, as words.
    pub(crate) names: Vec<Alias>,
    /// The words of its sector.
    pub(crate) sector: Vec<String>,
}

/// One name of a company.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Alias {
    pub(crate) kind: AliasKind,
    pub(crate) words: Vec<String>,
}

impl Alias {
    /// Whether it only counts as a whole.
    fn is_expression(&self) -> bool {
        self.kind == AliasKind::Known && self.words.len() > 1
    }
}

/// Where a name comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum AliasKind {
    /// The legal name in the registry.
    Legal,
    /// The trade name in the registry.
    Trade,
    /// A reviewed brand, nickname or former name.
    Known,
    /// A name under which it filed.
    Filed,
}

impl Names {
    /// Reads the names from a catalogue.
    pub(crate) fn read(connection: &Connection) -> Result<Names> {
        const COMPANIES: &str =
            "SELECT id, standing, tickers, cnpj, name, trade_name, sector FROM company";
        const FILERS: &str = "SELECT company, name FROM filer ORDER BY company, id";
        let mut companies: BTreeMap<u32, Named> = BTreeMap::new();
        let mut statement = connection.prepare_cached(COMPANIES)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            // What cannot be read is not served, and so has no names.
            let Ok(code) = code(row, 0) else { continue };
            let text =
                |column| row.get_ref(column).ok().and_then(|value| value.as_str().ok()).map(fold);
            let mut named = Named {
                code: code.get(),
                registered: true,
                standing: row.get(1).unwrap_or(1),
                tickers: text(2)
                    .unwrap_or_default()
                    .split(' ')
                    .filter(|text| !text.is_empty())
                    .map(str::to_owned)
                    .collect(),
                cnpj: text(3)
                    .unwrap_or_default()
                    .chars()
                    .filter(char::is_ascii_alphanumeric)
                    .collect(),
                sector: split(&text(6).unwrap_or_default()),
                shown: row.get(4).unwrap_or_default(),
                ..Named::default()
            };
            named.is_listed = !named.tickers.is_empty();
            named.add(AliasKind::Legal, &text(4).unwrap_or_default());
            named.add(AliasKind::Trade, &text(5).unwrap_or_default());
            companies.insert(code.get(), named);
        }
        let mut statement = connection.prepare_cached(FILERS)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let (Ok(code), Ok(name)) = (code(row, 0), row.get_ref(1)?.as_str()) else { continue };
            let named = companies.entry(code.get()).or_insert_with(|| Named {
                code: code.get(),
                standing: 1,
                ..Named::default()
            });
            named.add(AliasKind::Filed, &fold(name));
        }
        for (company, name) in known::names() {
            if let Some(named) = companies.get_mut(&company) {
                named.add(AliasKind::Known, name);
            }
        }
        for (company, ticker, trades) in known::tickers() {
            if let Some(named) = companies.get_mut(&company) {
                named.other_tickers.push(ticker.to_owned());
                named.is_listed |= trades;
            }
        }
        let companies: Vec<Named> = companies.into_values().collect();
        let by_code = companies.iter().enumerate().map(|(at, named)| (named.code, at)).collect();
        let by_ticker = by_ticker(&companies);
        let vocabulary = Vocabulary::of(&companies);
        let mut expressions: HashMap<String, Vec<(Vec<String>, u32)>> = HashMap::new();
        for company in &companies {
            for name in company.names.iter().filter(|name| name.is_expression()) {
                let known = expressions.entry(name.words[0].clone()).or_default();
                known.push((name.words.clone(), company.code));
            }
        }
        Ok(Names { companies, by_code, by_ticker, vocabulary, expressions, grams: OnceLock::new() })
    }

    /// The companies that have these words side by side in a name.
    pub(crate) fn with_phrase<'n>(
        &'n self,
        phrase: &'n [String],
    ) -> impl Iterator<Item = &'n Named> {
        self.companies.iter().filter(move |company| company.has_phrase(phrase))
    }

    /// The longest reviewed name of several words that these words begin with: its length, and the codes of the
    /// companies that have it.
    pub(crate) fn expression(&self, words: &[&str]) -> Option<(usize, Vec<u32>)> {
        let known = self.expressions.get(*words.first()?)?;
        let begins =
            |name: &[String]| name.len() <= words.len() && name.iter().eq(&words[..name.len()]);
        let longest =
            known.iter().filter(|(name, _)| begins(name)).map(|(name, _)| name.len()).max()?;
        let fitting = known.iter().filter(|(name, _)| name.len() == longest && begins(name));
        Some((longest, fitting.map(|(_, code)| *code).collect()))
    }

    /// The company with this code.
    pub(crate) fn get(&self, code: u32) -> Option<&Named> {
        self.by_code.get(&code).map(|at| &self.companies[*at])
    }
}

impl Named {
    fn add(&mut self, kind: AliasKind, folded: &str) {
        let words = split(folded);
        if !words.is_empty() && !self.names.iter().any(|known| known.words == words) {
            self.names.push(Alias { kind, words });
        }
    }

    /// Whether it has these words side by side in a name.
    pub(crate) fn has_phrase(&self, phrase: &[String]) -> bool {
        self.names.iter().any(|name| name.words.windows(phrase.len()).any(|run| run == phrase))
    }

    /// The tickers of the registry and the reviewed ones.
    fn all_tickers(&self) -> impl Iterator<Item = &str> {
        self.tickers.iter().chain(&self.other_tickers).map(String::as_str)
    }

    /// Everything by which its filings are found besides its code; some words more than once. A reviewed name of
    /// several words only counts as a whole: `petrobras distribuidora` is not a name of what `petrobras` means.
    pub(crate) fn words(&self) -> impl Iterator<Item = &str> {
        let names = self.names.iter().filter(|name| !name.is_expression());
        let names = names.flat_map(|name| &name.words).map(String::as_str);
        let tickers = self.tickers.iter().map(String::as_str);
        let cnpj = self.cnpj.get(..8).into_iter().chain([self.cnpj.as_str()]);
        names.chain(tickers).chain(cnpj).filter(|word| !word.is_empty())
    }
}

/// The places of companies by their tickers, and by the roots of those.
fn by_ticker(companies: &[Named]) -> HashMap<String, Vec<u32>> {
    let mut all: HashMap<String, Vec<u32>> = HashMap::new();
    for (at, company) in (0..).zip(companies) {
        let tickers = company.all_tickers().flat_map(|ticker| [Some(ticker), ticker.get(..ROOT)]);
        for ticker in tickers.flatten() {
            let places = all.entry(ticker.to_owned()).or_default();
            if places.last() != Some(&at) {
                places.push(at);
            }
        }
    }
    all
}

/// The words of a folded text that a search can find.
fn split(folded: &str) -> Vec<String> {
    words(folded).filter(|word| word.is_ascii()).map(str::to_owned).collect()
}
