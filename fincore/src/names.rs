//! Companies by all names that people use for them.
//!
//! [`Names`] holds in memory what the registry and the filings say: legal and trade names, the names that companies filed
//! under, tickers, CNPJ and code; and the [`reviewed_names`]: brands, nicknames and former names. Searches for companies
//! rank them, and the search index of filings includes their words.
use std::{
    collections::{BTreeMap, HashMap},
    sync::OnceLock,
};

use rusqlite::Connection;

use crate::{
    error::Result,
    sqlite::code,
    types::{TICKER_ROOT, fold},
};

mod abbreviations;
mod companies_in_search;
mod company_names;
mod english;
mod fuzzy_match;
mod generic_words;
mod identified;
mod meant_company;
mod near_search;
mod not_registered;
mod reviewed_names;
mod search;
mod suggest;
mod trigrams;
mod vocabulary;

pub(crate) use companies_in_search::CompanyInSearch;
pub(crate) use company_names::CompanyNames;
use company_names::{AliasKind, split_words};
pub(crate) use fuzzy_match::Differences;
pub(crate) use meant_company::NearlyMeant;
pub(crate) use near_search::UnknownInSearch;
use reviewed_names::{Trading, tickers};
pub(crate) use reviewed_names::{current_tickers, reviewed_names};
pub(crate) use suggest::{SuggestedCompany, SuggestionReason, capitalised};
use trigrams::TrigramIndex;
use vocabulary::Vocabulary;

/// All companies of the registry, and those that file without being registered.
#[derive(Debug, Default)]
pub(crate) struct Names {
    /// In the order of codes.
    pub(crate) companies: Vec<CompanyNames>,
    by_code: HashMap<u32, usize>,
    /// The positions of companies by their tickers, and by the roots of those.
    by_ticker: HashMap<String, Vec<u32>>,
    vocabulary: Vocabulary,
    /// Reviewed names of several words with the codes of their companies, by their first word.
    expressions: HashMap<String, Vec<(Vec<String>, u32)>>,
    /// Built when the first search has no exact match.
    trigrams: OnceLock<TrigramIndex>,
}

impl Names {
    /// Reads the names from a catalogue.
    pub(crate) fn read(connection: &Connection) -> Result<Names> {
        const COMPANIES: &str =
            "SELECT id, standing, tickers, cnpj, name, trade_name, sector FROM company";
        const FILERS: &str = "SELECT company, name FROM filer ORDER BY company, id";
        let mut companies: BTreeMap<u32, CompanyNames> = BTreeMap::new();
        let mut statement = connection.prepare_cached(COMPANIES)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            // A corrupt company is not served, and so has no names.
            let Ok(code) = code(row, 0) else { continue };
            let text =
                |column| row.get_ref(column).ok().and_then(|value| value.as_str().ok()).map(fold);
            let mut named = CompanyNames {
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
                sector: split_words(&text(6).unwrap_or_default()),
                legal_name: row.get(4).unwrap_or_default(),
                ..CompanyNames::default()
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
            let named = companies.entry(code.get()).or_insert_with(|| CompanyNames {
                code: code.get(),
                standing: 1,
                tickers: current_tickers(code.get()).map(str::to_owned).collect(),
                ..CompanyNames::default()
            });
            if !named.registered {
                // Its newest name stands last.
                name.clone_into(&mut named.legal_name);
            }
            named.has_filings = true;
            named.add(AliasKind::Filed, &fold(name));
        }
        for (company, name) in reviewed_names() {
            if let Some(named) = companies.get_mut(&company) {
                named.add(AliasKind::Reviewed, name);
            }
        }
        for (company, ticker, trading) in tickers() {
            if let Some(named) = companies.get_mut(&company) {
                named.other_tickers.push(ticker.to_owned());
                named.is_listed |= trading == Trading::Current;
            }
        }
        companies.values_mut().for_each(CompanyNames::add_short_forms);
        let companies: Vec<CompanyNames> = companies.into_values().collect();
        let by_code = companies.iter().enumerate().map(|(at, named)| (named.code, at)).collect();
        let by_ticker = by_ticker(&companies);
        let vocabulary = Vocabulary::new(&companies);
        let mut expressions: HashMap<String, Vec<(Vec<String>, u32)>> = HashMap::new();
        for company in &companies {
            for name in company.names.iter().filter(|name| name.is_expression()) {
                let known = expressions.entry(name.words[0].clone()).or_default();
                known.push((name.words.clone(), company.code));
            }
        }
        Ok(Names {
            companies,
            by_code,
            by_ticker,
            vocabulary,
            expressions,
            trigrams: OnceLock::new(),
        })
    }

    /// The companies that have these words side by side in a name.
    pub(crate) fn with_phrase<'n>(
        &'n self,
        phrase: &'n [String],
    ) -> impl Iterator<Item = &'n CompanyNames> {
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
    pub(crate) fn get(&self, code: u32) -> Option<&CompanyNames> {
        self.by_code.get(&code).map(|at| &self.companies[*at])
    }
}

/// The positions of companies by their tickers, and by the roots of those.
fn by_ticker(companies: &[CompanyNames]) -> HashMap<String, Vec<u32>> {
    let mut all: HashMap<String, Vec<u32>> = HashMap::new();
    for (at, company) in (0..).zip(companies) {
        let tickers =
            company.all_tickers().flat_map(|ticker| [Some(ticker), ticker.get(..TICKER_ROOT)]);
        for ticker in tickers.flatten() {
            let positions = all.entry(ticker.to_owned()).or_default();
            if positions.last() != Some(&at) {
                positions.push(at);
            }
        }
    }
    all
}
