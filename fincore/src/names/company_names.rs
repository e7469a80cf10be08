//! The names of one company.
use crate::types::words;

/// The letters that all tickers of a company share.
pub(super) const TICKER_ROOT: usize = 4;

/// A company with its names.
#[derive(Debug, Default)]
pub(crate) struct CompanyNames {
    /// Its CVM code.
    pub(crate) code: u32,
    /// Whether the registry has it.
    pub(super) registered: bool,
    /// 0 active, 1 in between, 2 cancelled; companies that file without being registered count as in between.
    pub(crate) standing: u8,
    /// Those of the registry and reviewed ones that trade, in lower case.
    pub(crate) tickers: Vec<String>,
    /// Reviewed ones that the registry lacks, in lower case; some have ended.
    pub(super) other_tickers: Vec<String>,
    /// Whether one of its tickers trades.
    pub(crate) is_listed: bool,
    /// Without punctuation, in lower case.
    pub(crate) cnpj: String,
    /// The legal name, as published; of a company that the registry lacks, the newest that it filed under.
    pub(crate) legal_name: String,
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
    /// Whether it only matches as a whole.
    pub(super) fn is_expression(&self) -> bool {
        self.kind == AliasKind::Reviewed && self.words.len() > 1
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
    Reviewed,
    /// A name under which it filed.
    Filed,
}

impl CompanyNames {
    pub(super) fn add(&mut self, kind: AliasKind, folded: &str) {
        let words = split_words(folded);
        if !words.is_empty() && !self.names.iter().any(|known| known.words == words) {
            self.names.push(Alias { kind, words });
        }
    }

    /// Whether it has these words side by side in a name.
    pub(crate) fn has_phrase(&self, phrase: &[String]) -> bool {
        self.names.iter().any(|name| name.words.windows(phrase.len()).any(|run| run == phrase))
    }

    /// The tickers of the registry and the reviewed ones.
    pub(super) fn all_tickers(&self) -> impl Iterator<Item = &str> {
        self.tickers.iter().chain(&self.other_tickers).map(String::as_str)
    }

    /// All words that its filings are found by, besides its code; some more than once. A reviewed name of several words
    /// only matches as a whole: `petrobras distribuidora` is not a name of what `petrobras` means.
    pub(crate) fn words(&self) -> impl Iterator<Item = &str> {
        let names = self.names.iter().filter(|name| !name.is_expression());
        let names = names.flat_map(|name| &name.words).map(String::as_str);
        let tickers = self.tickers.iter().map(String::as_str);
        let cnpj = self.cnpj.get(..8).into_iter().chain([self.cnpj.as_str()]);
        names.chain(tickers).chain(cnpj).filter(|word| !word.is_empty())
    }
}

/// The words of a folded text that a search can match.
pub(super) fn split_words(folded: &str) -> Vec<String> {
    words(folded).filter(|word| word.is_ascii()).map(str::to_owned).collect()
}
