//! The names of one company, with their short forms and English words.
use std::{collections::HashMap, str::FromStr, sync::LazyLock};

use crate::{
    lexicon::{is_particle, names::generic_words::is_generic},
    values::{Error, Result, tsv, words::words},
};

/// A company with its names.
#[derive(Debug, Default)]
pub(crate) struct CompanyNames {
    /// Its CVM code.
    pub(crate) code: u32,
    pub(crate) registered: bool,
    /// 0 active, 1 in between, 2 cancelled; companies that file without being registered count as in between.
    pub(crate) standing: u8,
    /// Those of the registry and reviewed ones that trade, in lower case.
    pub(crate) tickers: Vec<String>,
    /// Reviewed ones that the registry lacks, in lower case; some have ended.
    pub(crate) other_tickers: Vec<String>,
    /// One of its tickers trades.
    pub(crate) is_listed: bool,
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
    pub(crate) fn is_expression(&self) -> bool {
        matches!(self.kind, AliasKind::Reviewed | AliasKind::Short) && self.words.len() > 1
    }

    pub(crate) fn new(kind: AliasKind, words: Vec<String>) -> Alias {
        let texts: Vec<&str> = words.iter().map(String::as_str).collect();
        let core = core_places(&texts).filter(|at| *at < 64).fold(0, |all, at| all | 1 << at);
        Alias { kind, words, core }
    }

    /// Its words but for its legal form, what a court added to it, and particles.
    pub(crate) fn core(&self) -> impl Iterator<Item = &str> {
        let is_core = |at: &usize| *at < 64 && self.core & (1 << at) != 0;
        (0..self.words.len()).filter(is_core).map(|at| self.words[at].as_str())
    }
}

/// The words that are left of a name without its legal form, what a court or a regulator added to it, and particles: `vale` of
/// `VALE S.A.`
pub(crate) fn core<'a>(words: &[&'a str]) -> Vec<&'a str> {
    core_places(words).map(|at| words[at]).collect()
}

fn core_places(words: &[&str]) -> impl Iterator<Item = usize> {
    let start = if let ["massa", "falida", ..] = words { 2 } else { 0 };
    let is_end = |(at, word): &(usize, &&str)| *at > start && ENDINGS.contains(word);
    // A company's later state stands after its name.
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

/// Words of a name that denote its legal form.
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
    pub(crate) fn add(&mut self, kind: AliasKind, folded: &str) {
        let words = split_words(folded);
        if !words.is_empty() && !self.names.iter().any(|known| known.words == words) {
            self.names.push(Alias::new(kind, words));
        }
    }

    /// Adds the short forms of its names.
    pub(crate) fn add_short_forms(&mut self) {
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
    pub(crate) fn has_in_expression(&self, word: &str, words: &[&str]) -> bool {
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
    pub(crate) fn all_tickers(&self) -> impl Iterator<Item = &str> {
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
pub(crate) fn split_words(folded: &str) -> Vec<String> {
    words(folded).filter(|word| word.is_ascii()).map(str::to_owned).collect()
}

struct Abbreviation {
    kind: Kind,
    words: Vec<&'static str>,
    letters: Vec<&'static str>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    State,
    /// An activity of power companies.
    Activity,
}

impl FromStr for Kind {
    type Err = Error;

    fn from_str(text: &str) -> Result<Kind> {
        match text {
            "state" => Ok(Kind::State),
            "activity" => Ok(Kind::Activity),
            _ => Err(Error::in_file(text, "a state or an activity")),
        }
    }
}

static ALL: LazyLock<Vec<Abbreviation>> = LazyLock::new(|| {
    let table = include_str!("abbreviations.tsv");
    tsv::embedded("abbreviations.tsv", table, "kind\twords\tletters", |[kind, words, letters]| {
        let (words, letters) = (words.split(' ').collect(), tsv::list(letters).collect());
        Ok(Abbreviation { kind: kind.parse()?, words, letters })
    })
});

/// The short forms of a name.
fn short_forms(words: &[String]) -> Vec<Vec<String>> {
    let begins = |at: usize, with: &[&str]| {
        words.get(at..at + with.len()).is_some_and(|run| run.iter().zip(with).all(|(a, b)| a == b))
    };
    let mut forms = Vec::new();
    // A brand of one or two words, and then the state or the activity.
    for at in 1..words.len().min(3) {
        if words[..at].iter().any(|word| is_generic(word)) {
            continue;
        }
        let short = |letters: &str| -> Vec<String> {
            words[..at].iter().cloned().chain([letters.to_owned()]).collect()
        };
        for kind in [Kind::State, Kind::Activity] {
            let fits = |line: &&Abbreviation| line.kind == kind && begins(at, &line.words);
            let letters = ALL.iter().find(fits).map(|line| &line.letters);
            forms.extend(letters.into_iter().flatten().map(|letters| short(letters)));
        }
    }
    forms
}

/// The words that a word may stand for; none if it says nothing. `None` if it is not in the table.
pub(crate) fn portuguese(word: &str) -> Option<&'static [&'static str]> {
    static NAMES: LazyLock<HashMap<&str, Vec<&str>>> =
        LazyLock::new(|| rows().into_iter().collect());
    NAMES.get(word).map(Vec::as_slice)
}

fn rows() -> Vec<(&'static str, Vec<&'static str>)> {
    let row = |[word, names]: [_; 2]| Ok((word, tsv::list(names).collect()));
    tsv::embedded("english.tsv", include_str!("english.tsv"), "word\tnames", row)
}

#[cfg(test)]
mod abbreviations_tests {
    use super::*;

    #[test]
    fn states_and_activities_have_letters() {
        let forms = |text: &str| -> Vec<String> {
            let words: Vec<String> = text.split(' ').map(str::to_owned).collect();
            short_forms(&words).into_iter().map(|form| form.join(" ")).collect()
        };
        assert_eq!(forms("energisa mato grosso do sul dist de energia sa"), ["energisa ms"]);
        assert_eq!(forms("copel geracao e transmissao sa"), ["copel gt", "copel get"]);
        assert_eq!(forms("cemig distribuicao sa"), ["cemig d", "cemig dis"]);
        assert_eq!(forms("equatorial para distribuidora de energia sa"), ["equatorial pa"]);
        assert!(forms("banco do estado do para sa").is_empty());
        assert!(forms("petrobras").is_empty());
    }
}

#[cfg(test)]
mod english_tests {
    use super::*;
    use crate::values::fold;

    #[test]
    fn words_are_folded_and_stand_once() {
        let mut seen = std::collections::BTreeSet::new();
        for (english, words) in rows() {
            assert!(seen.insert(english), "{english}");
            assert!(words.iter().chain([&english]).all(|word| fold(word) == *word), "{english}");
        }
    }
}
