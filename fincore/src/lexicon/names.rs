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
use strsim::osa_distance;

use crate::{
    lexicon::names::{
        company_names::{AliasKind, split_words},
        generic_words::is_common,
        reviewed_names::{Trading, tickers},
    },
    values::{CvmCode, Result, TICKER_ROOT, fold},
};

mod companies_in_search;
mod company_names;
mod fuzzy_match;
mod generic_words;
mod meant_company;
mod name_search;
mod not_registered;
pub(crate) mod reviewed_names;

pub(crate) use companies_in_search::CompanyInSearch;
pub(crate) use company_names::CompanyNames;
pub(crate) use meant_company::{NearlyMeant, SuggestedCompany, SuggestionReason, capitalised};
pub(crate) use name_search::UnknownInSearch;
pub(crate) use reviewed_names::{current_tickers, reviewed_names};

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
            let Ok(code) = row.get::<_, CvmCode>(0) else { continue };
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
            let (Ok(code), Ok(name)) = (row.get::<_, CvmCode>(0), row.get_ref(1)?.as_str()) else {
                continue;
            };
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

/// Where a company has a word.
pub(crate) const IN_NAME: u8 = 1;
const IN_SECTOR: u8 = 2;

/// A company that has a word: its position among the companies, and where it has the word.
pub(crate) type WordOwner = (u32, u8);

/// All words, in order.
#[derive(Debug, Default)]
pub(crate) struct Vocabulary {
    words: Vec<(String, Vec<WordOwner>)>,
}

impl Vocabulary {
    pub(crate) fn new(companies: &[CompanyNames]) -> Vocabulary {
        let mut all: Vec<(&str, u32, u8)> = Vec::new();
        for (at, company) in (0..).zip(companies) {
            all.extend(company.words().map(|word| (word, at, IN_NAME)));
            all.extend(company.sector.iter().map(|word| (word.as_str(), at, IN_SECTOR)));
        }
        all.sort_unstable();
        let groups = all.chunk_by(|(a, ..), (b, ..)| a == b);
        let words = groups.map(|group| {
            let companies = group.chunk_by(|(_, a, _), (_, b, _)| a == b);
            let has = companies.map(|same| {
                (same[0].1, same.iter().fold(0, |places, (_, _, place)| places | place))
            });
            (group[0].0.to_owned(), has.collect())
        });
        Vocabulary { words: words.collect() }
    }

    /// The companies with a word.
    pub(crate) fn companies_with(&self, word: &str) -> &[WordOwner] {
        match self.words.binary_search_by(|(known, _)| known.as_str().cmp(word)) {
            Ok(at) => &self.words[at].1,
            Err(_) => &[],
        }
    }

    /// The companies with a word that has a prefix, each once, in order.
    pub(crate) fn companies_with_prefix(&self, prefix: &str) -> Vec<WordOwner> {
        let from = self.words.partition_point(|(word, _)| word.as_str() < prefix);
        let words = self.words[from..].iter().take_while(|(word, _)| word.starts_with(prefix));
        let mut all: Vec<WordOwner> = words.flat_map(|(_, has)| has.iter().copied()).collect();
        merge(&mut all);
        all
    }
}

/// Orders companies, and merges the entries of the same company.
pub(crate) fn merge(all: &mut Vec<WordOwner>) {
    all.sort_unstable();
    all.dedup_by(|(later, place), (company, places)| {
        let same = later == company;
        if same {
            *places |= *place;
        }
        same
    });
}

/// The most words of a name that are joined into one term.
pub(crate) const LONGEST_RUN: usize = 4;

/// The words and joined runs of all names, by their trigrams.
#[derive(Debug)]
pub(crate) struct TrigramIndex {
    terms: Vec<NameTerm>,
    /// The positions of terms by trigram.
    by_trigram: Vec<Vec<u32>>,
}

/// A word, or a run of words joined into one.
#[derive(Debug)]
pub(crate) struct NameTerm {
    text: String,
    trigrams: u32,
    /// Positions of the companies with it.
    pub(crate) companies: Vec<u32>,
}

impl NameTerm {
    /// The word, or the joined words.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }
}

impl TrigramIndex {
    pub(crate) fn new(companies: &[CompanyNames]) -> TrigramIndex {
        let mut terms: BTreeMap<String, Vec<u32>> = BTreeMap::new();
        for (at, company) in (0..).zip(companies) {
            let mut add = |text: String| {
                let companies = terms.entry(text).or_default();
                if companies.last() != Some(&at) {
                    companies.push(at);
                }
            };
            for name in &company.names {
                name.words.iter().for_each(|word| add(word.clone()));
                let core = name.words.iter().position(|word| !is_common(word));
                for start in [Some(0), core.filter(|core| *core > 0)].into_iter().flatten() {
                    let runs = (2..=LONGEST_RUN)
                        .filter_map(|length| name.words.get(start..start + length));
                    runs.for_each(|run| add(run.concat()));
                }
            }
        }
        let mut index = TrigramIndex {
            terms: Vec::new(),
            by_trigram: vec![Vec::new(); SYMBOLS * SYMBOLS * SYMBOLS],
        };
        for (at, (text, companies)) in (0..).zip(terms) {
            let trigrams = trigrams(&text);
            trigrams.iter().for_each(|trigram| index.by_trigram[*trigram].push(at));
            let trigrams = u32::try_from(trigrams.len()).unwrap_or(u32::MAX);
            index.terms.push(NameTerm { text, trigrams, companies });
        }
        index
    }

    /// The terms whose nearness to a text is at least `least`, with that nearness: 1 if they are the same.
    pub(crate) fn near(&self, text: &str, least: f32) -> Vec<(&NameTerm, f32)> {
        let trigrams = trigrams(text);
        let mut shared = vec![0_u16; self.terms.len()];
        for trigram in &trigrams {
            self.by_trigram[*trigram].iter().for_each(|term| shared[*term as usize] += 1);
        }
        let near = self.terms.iter().zip(shared).filter(|(_, shared)| *shared > 1);
        let near = near.filter_map(|(term, shared)| {
            let near = nearness(text, trigrams.len(), term, shared, least);
            (near >= least).then_some((term, near))
        });
        near.collect()
    }
}

/// How near a text is to a term with which it shares `shared` trigrams.
#[allow(clippy::cast_precision_loss, reason = "words are short")]
fn nearness(text: &str, trigrams: usize, term: &NameTerm, shared: u16, least: f32) -> f32 {
    /// Letters are not compared if the share of trigrams is this much too low: one letter changes three.
    const FAR_BELOW: f32 = 0.35;
    /// Nor if it is below this.
    const WORTH_COMPARING: f32 = 0.25;
    // A letter many times over has few trigrams.
    if text.len() > 2 * term.text.len() + 2 {
        return 0.0;
    }
    let same = 2.0 * f32::from(shared) / (trigrams as f32 + term.trigrams as f32);
    if term.text.starts_with(text) && text.len() >= 4 {
        return same.max(0.9);
    }
    let longest = text.len().max(term.text.len());
    let of_other_length = text.len().abs_diff(term.text.len()) > longest / 4;
    if same < WORTH_COMPARING.max(least - FAR_BELOW) || text.len() < 4 || of_other_length {
        return same;
    }
    let changes = osa_distance(text, &term.text);
    if changes <= longest / 4 { same.max(1.0 - changes as f32 / longest as f32) } else { same }
}

/// Letters, digits, and the boundary of a word.
const SYMBOLS: usize = 37;

/// The trigrams of a word, with its start and end, each once.
fn trigrams(text: &str) -> Vec<usize> {
    let symbol = |byte: u8| match byte {
        b'a'..=b'z' => usize::from(byte - b'a') + 1,
        b'0'..=b'9' => usize::from(byte - b'0') + 27,
        _ => 0,
    };
    let symbols: Vec<usize> =
        [0, 0].into_iter().chain(text.bytes().map(symbol)).chain([0]).collect();
    let number =
        |window: &[usize]| window.iter().fold(0, |number, symbol| number * SYMBOLS + symbol);
    let mut trigrams: Vec<usize> = symbols.windows(3).map(number).collect();
    trigrams.sort_unstable();
    trigrams.dedup();
    trigrams
}
