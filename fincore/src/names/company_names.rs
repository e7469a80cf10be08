//! The names of one company.
use super::abbreviations::short_forms;
use crate::{language::is_particle, types::words};

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
    /// Whether a filing of it is held.
    pub(crate) has_filings: bool,
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
    /// A bit for each word that is not its legal form.
    core: u64,
}

impl Alias {
    /// Whether it only matches as a whole.
    pub(super) fn is_expression(&self) -> bool {
        matches!(self.kind, AliasKind::Reviewed | AliasKind::Short) && self.words.len() > 1
    }

    pub(super) fn new(kind: AliasKind, words: Vec<String>) -> Alias {
        let texts: Vec<&str> = words.iter().map(String::as_str).collect();
        let core = core_places(&texts).filter(|at| *at < 64).fold(0, |all, at| all | 1 << at);
        Alias { kind, words, core }
    }

    /// Its words but for its legal form, what a court added to it, and particles.
    pub(super) fn core(&self) -> impl Iterator<Item = &str> {
        let is_core = |at: &usize| *at < 64 && self.core & (1 << at) != 0;
        (0..self.words.len()).filter(is_core).map(|at| self.words[at].as_str())
    }
}

/// The words that are left of a name without its legal form, what a court or a regulator added to it, and particles: `vale` of
/// `VALE S.A.`
pub(super) fn core<'a>(words: &[&'a str]) -> Vec<&'a str> {
    core_places(words).map(|at| words[at]).collect()
}

fn core_places(words: &[&str]) -> impl Iterator<Item = usize> {
    let start = if let ["massa", "falida", ..] = words { 2 } else { 0 };
    let is_end = |(at, word): &(usize, &&str)| *at > start && ENDINGS.contains(word);
    // What became of the company stands after its name.
    let end = words.iter().enumerate().find(is_end).map_or(words.len(), |(at, _)| at);
    // `Banco Bradesco` is `Bradesco`, but `Banco do Brasil` is not `Brasil`.
    let bank_of = matches!(words, ["banco" | "bco", second, ..] if is_particle(second));
    let is_form = move |word: &str| match word {
        "banco" | "bco" => !bank_of,
        word => FORMS.contains(&word) || is_particle(word),
    };
    let keeps_all = words[start..end].iter().all(|word| is_form(word));
    let places: Vec<usize> = (start..end).filter(|at| keeps_all || !is_form(words[*at])).collect();
    places.into_iter()
}

/// The words that begin what became of a company.
const ENDINGS: [&str; 5] = ["falencia", "falida", "liquidacao", "rec", "recuperacao"];

/// What a name says of its legal form.
const FORMS: [&str; 15] = [
    "sa",
    "cia",
    "companhia",
    "ltda",
    "holding",
    "holdings",
    "participacoes",
    "part",
    "grupo",
    "inc",
    "ltd",
    "nv",
    "plc",
    "spe",
    "corp",
];

/// Where a name comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum AliasKind {
    /// The legal name in the registry.
    Legal,
    /// The trade name in the registry.
    Trade,
    /// A reviewed brand, nickname or former name.
    Reviewed,
    /// A short form that follows from another name: `Energisa MS`.
    Short,
    /// A name under which it filed.
    Filed,
}

impl CompanyNames {
    pub(super) fn add(&mut self, kind: AliasKind, folded: &str) {
        let words = split_words(folded);
        if !words.is_empty() && !self.names.iter().any(|known| known.words == words) {
            self.names.push(Alias::new(kind, words));
        }
    }

    /// Adds the short forms of its names.
    pub(super) fn add_short_forms(&mut self) {
        let forms: Vec<Vec<String>> =
            self.names.iter().flat_map(|name| short_forms(&name.words)).collect();
        for words in forms {
            if !self.names.iter().any(|known| known.words == words) {
                self.names.push(Alias::new(AliasKind::Short, words));
            }
        }
    }

    /// Whether it has these words side by side in a name.
    pub(crate) fn has_phrase(&self, phrase: &[String]) -> bool {
        self.names.iter().any(|name| name.words.windows(phrase.len()).any(|run| run == phrase))
    }

    /// Whether a word belongs to a reviewed name of several words that stands among these.
    pub(super) fn has_in_expression(&self, word: &str, words: &[&str]) -> bool {
        let stands = |name: &&Alias| words.windows(name.words.len()).any(|run| name.words == run);
        let mut expressions = self.names.iter().filter(|name| name.is_expression()).filter(stands);
        expressions.any(|name| name.words.iter().any(|known| known == word))
    }

    /// Whether a word stands in one of the names that it was registered or filed under.
    pub(crate) fn has_own_word(&self, word: &str) -> bool {
        let own = self.names.iter().filter(|name| {
            matches!(name.kind, AliasKind::Legal | AliasKind::Trade | AliasKind::Filed)
        });
        own.flat_map(|name| &name.words).any(|known| known == word)
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
