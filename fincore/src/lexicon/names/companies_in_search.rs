//! Finds the companies that a search names for certain: by ticker, number or ISIN, by a whole name, or by the start of
//! a name
//! that few companies have.
use std::{cmp::Reverse, ops::Range};

use crate::{
    lexicon::{
        Names, is_particle,
        market_words::market_words,
        names::{
            IN_NAME,
            company_names::{Alias, AliasKind, CompanyNames},
            generic_words::{is_common, is_ordinary, is_region},
        },
    },
    values::{CNPJ_ROOT, Cnpj, Identifier, TICKER_ROOT, is_ticker},
};

/// A company that some words of a search name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CompanyInSearch {
    /// Its code, or those of all companies that it may be.
    pub(crate) codes: Vec<u32>,
    /// Whether the first ones are meant before the others: they have the name themselves, the others took them over.
    pub(crate) is_ranked: bool,
    /// The words that name it.
    pub(crate) at: Range<usize>,
    /// How surely they do.
    certainty: Certainty,
    /// The codes of all companies whose names start with the words.
    pub(crate) family: Vec<u32>,
}

impl CompanyInSearch {
    fn new(certainty: Certainty, codes: Vec<u32>) -> CompanyInSearch {
        CompanyInSearch { codes, is_ranked: false, at: 0..0, certainty, family: Vec::new() }
    }

    /// Whether the words are its whole name or identify it, or start the name of hardly another listed company.
    pub(crate) fn is_certain(&self) -> bool {
        self.certainty >= Certainty::Start
    }
}

/// How surely words name a company; the greatest is surest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Certainty {
    /// They are in the middle of a name that hardly another company has.
    Inside,
    /// They start the name of a company that is not listed.
    Few,
    /// Its name starts with them, and it is listed.
    Start,
    /// They are the whole of a name.
    Whole,
    /// Its number or ticker.
    Identity,
}

/// The most words of a name, and of a search that may name companies.
const LONGEST: usize = 6;
const LOOKED_AT: usize = 12;

/// The most companies that a search names.
const MOST: usize = 3;

/// Companies whose names start with the same words, or have them at all: with more, the words name no one of them.
const FEW_START: usize = 12;
const FEW_HAVE: usize = 4;

impl Names {
    /// The companies with filings that a search names for certain, in the order of its words. `is_topic` says of each word
    /// whether it belongs to what is asked of a company.
    pub(crate) fn companies_in_search(
        &self,
        words: &[&str],
        is_topic: &[bool],
    ) -> Vec<CompanyInSearch> {
        let mut named = self.surest_in_search(words, is_topic);
        let has_filings = |code: &u32| self.get(*code).is_some_and(|company| company.has_filings);
        named.retain(|named| named.codes.iter().any(has_filings));
        named.sort_by_key(|named| named.at.start);
        named
    }

    /// The company that words name most surely.
    pub(crate) fn surest_company(&self, words: &[&str]) -> Option<CompanyInSearch> {
        let mut is_topic = vec![false; words.len()];
        for at in 0..words.len() {
            let length = market_words(&words[at..]).map_or(0, |market| market.length);
            is_topic[at..at + length].fill(true);
        }
        self.surest_in_search(words, &is_topic).into_iter().next()
    }

    /// The companies that a search names for certain, the surest first.
    fn surest_in_search(&self, words: &[&str], is_topic: &[bool]) -> Vec<CompanyInSearch> {
        let words = &words[..words.len().min(LOOKED_AT)];
        let mut found: Vec<CompanyInSearch> = Vec::new();
        for length in 1..=LONGEST.min(words.len()) {
            for start in 0..=words.len() - length {
                let at = start..start + length;
                let topic = is_topic[at.clone()].iter().all(|is_topic| *is_topic);
                let after_cvm = start > 0 && matches!(words[start - 1], "cvm" | "codigo" | "cod");
                let named = match &words[at.clone()] {
                    [number] if after_cvm => self.numbered(number),
                    run => self.named_by(run, topic),
                };
                let named = named.filter(|named| !named.codes.is_empty());
                found.extend(named.map(|named| CompanyInSearch { at, ..named }));
            }
        }
        // Names at the start come first, then the longest, then the most certain.
        found.sort_by_key(|named| {
            let starts = named.certainty > Certainty::Inside;
            (Reverse((starts, named.at.len(), named.certainty)), named.at.start)
        });
        let mut named: Vec<CompanyInSearch> = Vec::new();
        for one in found {
            let overlaps = |other: &CompanyInSearch| {
                one.at.start < other.at.end && other.at.start < one.at.end
            };
            // A certain name leaves no room for guesses.
            let is_guess = one.certainty == Certainty::Inside && !named.is_empty();
            if named.len() < MOST && !is_guess && !named.iter().any(overlaps) {
                named.push(one);
            }
        }
        named
    }

    /// The companies with this number or ticker.
    fn numbered(&self, word: &str) -> Option<CompanyInSearch> {
        Some(CompanyInSearch::new(Certainty::Identity, self.codes_identified_by(word)))
    }

    /// The companies that just these words name.
    fn named_by(&self, run: &[&str], is_topic: bool) -> Option<CompanyInSearch> {
        if let Some((length, codes)) = self.expression(run)
            && length == run.len()
        {
            return Some(self.ranked(CompanyInSearch::new(Certainty::Whole, codes), run));
        }
        let identified = match run {
            [word] if is_number_of_company(word) => self.codes_identified_by(word),
            [root, number] => self.codes_of_split_ticker(root, number),
            _ => Vec::new(),
        };
        if !identified.is_empty() && !is_topic {
            return Some(CompanyInSearch::new(Certainty::Identity, identified));
        }
        let (Some(first), Some(last)) = (run.first(), run.last()) else { return None };
        if is_particle(first) || is_particle(last) || run.iter().all(|word| is_common(word)) {
            return None;
        }
        let companies = self.companies_having(run);
        let family: Vec<u32> = companies
            .iter()
            .filter(|company| company.fit(run) >= Some(Certainty::Start))
            .map(|company| company.code)
            .collect();
        let starting = family.len();
        let mut ranked: Vec<_> = companies
            .iter()
            .filter_map(|company| {
                let (certainty, kind, others) = company.best_fit(run)?;
                let is_whole = certainty == Certainty::Whole && kind != AliasKind::Filed;
                // A namesake that never filed, or not for years, is not meant.
                let is_silent = company.standing > 1 && !company.has_filings;
                let standing = (is_silent, Reverse(is_whole), company.standing, !company.is_listed);
                let standing = (standing, Reverse(certainty));
                Some((standing, kind, others, company.code, company.is_listed))
            })
            .collect();
        ranked.sort_unstable();
        let (standing, kind, .., is_listed) = ranked.first()?;
        let (Reverse(certainty), is_listed) = (standing.1, *is_listed);
        // Of listed companies whose names start alike, none is meant more than the others.
        let is_alike = certainty == Certainty::Start && is_listed;
        let most = if is_alike { MOST } else { 1 };
        let alike = ranked.iter().filter(|other| other.0 == *standing).take(most);
        let mut codes: Vec<u32> = alike.map(|other| other.3).collect();
        if *kind == AliasKind::Reviewed {
            let carries = |code: &&u32| {
                !codes.contains(code) && self.get(**code).is_some_and(|it| it.has_filings)
            };
            let others: Vec<u32> = family.iter().filter(carries).copied().collect();
            codes.extend(others.into_iter().take(MOST));
        }
        let says_little = |word: &&str| is_ordinary(word) || is_region(word);
        let is_ordinary = is_topic || run.iter().all(says_little);
        let certainty = match certainty {
            Certainty::Whole if !is_ordinary || run.len() > 1 && !is_topic => Certainty::Whole,
            _ if is_ordinary => return None,
            Certainty::Start if is_listed && starting <= FEW_START => Certainty::Start,
            Certainty::Start if starting <= FEW_START => Certainty::Few,
            _ if companies.len() <= FEW_HAVE && run.len() > 1 => Certainty::Inside,
            _ => return None,
        };
        let named = CompanyInSearch { family, ..CompanyInSearch::new(certainty, codes) };
        Some(self.ranked(named, run))
    }

    /// Puts those companies first that have the words in names of their own.
    fn ranked(&self, mut named: CompanyInSearch, run: &[&str]) -> CompanyInSearch {
        let is_own = |code: &u32| {
            self.get(*code).is_some_and(|it| run.iter().all(|word| it.has_own_word(word)))
        };
        named.codes.sort_by_key(|code| !is_own(code));
        let own = named.codes.iter().filter(|code| is_own(code)).count();
        named.is_ranked = (1..named.codes.len()).contains(&own);
        named
    }

    /// The companies with all these words in names.
    fn companies_having(&self, run: &[&str]) -> Vec<&CompanyNames> {
        let mut said = run.iter().filter(|word| !is_particle(word));
        let with = |word: &str| {
            let owners = self.vocabulary.companies_with(word).iter();
            owners.filter(|(_, place)| place & IN_NAME != 0).map(|(at, _)| *at).collect::<Vec<_>>()
        };
        let Some(first) = said.next() else { return Vec::new() };
        let mut all = with(first);
        for word in said {
            let has = with(word);
            all.retain(|company| has.binary_search(company).is_ok());
        }
        all.into_iter().map(|at| &self.companies[at as usize]).collect()
    }
}

impl CompanyNames {
    fn fit(&self, run: &[&str]) -> Option<Certainty> {
        self.best_fit(run).map(|(certainty, ..)| certainty)
    }

    /// How surely these words name it, by which kind of name, and how many other words that has.
    fn best_fit(&self, run: &[&str]) -> Option<(Certainty, AliasKind, usize)> {
        let fits = self.names.iter().filter_map(|name| {
            let (certainty, others) = fit(name, run)?;
            Some((certainty, name.kind, others))
        });
        fits.min_by_key(|(certainty, kind, others)| (Reverse(*certainty), *kind, *others))
    }
}

/// How surely words name the owner of a name, and how many other words that has.
fn fit(name: &Alias, run: &[&str]) -> Option<(Certainty, usize)> {
    /// Legal forms and similar words, which people leave out.
    const FORMS: [&str; 9] = ["sa", "s", "a", "cia", "companhia", "ltda", "bco", "banco", "grupo"];
    let words: Vec<&str> = name.words.iter().map(String::as_str).collect();
    let said = |words: &[&str]| -> Vec<String> {
        words.iter().filter(|word| !is_particle(word)).map(|word| (*word).to_owned()).collect()
    };
    let wanted = said(run);
    let whole = said(&words);
    let core = whole.iter().position(|word| !FORMS.contains(&word.as_str())).unwrap_or_default();
    let end = whole.iter().position(|word| word == "sa").filter(|end| *end > 0);
    let end = end.unwrap_or(whole.len());
    // Nor does `brasil` at the end tell a company from others.
    let counted = whole.iter().filter(|word| !FORMS.contains(&word.as_str()) && *word != "brasil");
    let others = counted.filter(|word| !wanted.contains(word)).count();
    // `banco` tells a bank from others of its name, the legal forms tell nothing.
    let is_bank = matches!(whole.first().map(String::as_str), Some("bco" | "banco" | "grupo"));
    let short = whole.get(core..end.max(core)).unwrap_or_default();
    // `Petróleo Brasileiro S.A. - Petrobras`
    let acronym = whole.get(end + 1..).unwrap_or_default();
    if short == wanted && !is_bank || whole.get(..end) == Some(&wanted[..]) || acronym == wanted {
        return Some((Certainty::Whole, others));
    }
    if name.is_expression() {
        return None;
    }
    let starts = whole.starts_with(&wanted) || whole[core.min(whole.len())..].starts_with(&wanted);
    if starts {
        return Some((Certainty::Start, others));
    }
    let inside = whole.windows(wanted.len().max(1)).any(|words| words == wanted);
    inside.then_some((Certainty::Inside, others))
}

/// Whether a word may be the number or the ticker of a company: years and small numbers are something else.
fn is_number_of_company(word: &str) -> bool {
    let is_digits = word.bytes().all(|byte| byte.is_ascii_digit());
    let is_year = word.len() == 4 && (word.starts_with("19") || word.starts_with("20"));
    !is_digits && !is_ordinary(word) || is_digits && word.len() >= 4 && !is_year
}

/// The companies that an identifier stands for.
#[derive(Debug)]
pub(crate) struct IdentifiedCompanies {
    /// Their positions, in order.
    pub(crate) positions: Vec<u32>,
    /// Whether they have this very identifier: not if only its beginning is theirs, as in `PETR99`.
    pub(crate) is_theirs: bool,
}

/// Words that only say what the next one is: `cvm 9512`, `ticker PETR4`.
pub(crate) const LABELS: [&str; 9] =
    ["cvm", "codigo", "cod", "cnpj", "ticker", "tickers", "numero", "no", "isin"];

/// The numbers that the exchange gives to shares and units of a company itself. One that has tickers may have others of them
/// that no form lists.
const CLASSES: [&str; 8] = ["3", "4", "5", "6", "7", "8", "11", "12"];

impl Names {
    /// The companies that an identifier stands for; none if it is unknown.
    pub(crate) fn identify(&self, identifier: &Identifier) -> IdentifiedCompanies {
        let theirs = |positions| IdentifiedCompanies { positions, is_theirs: true };
        match identifier {
            Identifier::Code(code) => {
                let at = self.by_code.get(&code.get());
                theirs(at.and_then(|at| u32::try_from(*at).ok()).into_iter().collect())
            }
            Identifier::Cnpj(cnpj) => self.with_cnpj(cnpj),
            Identifier::Ticker(ticker) => match self.find_by_ticker(ticker) {
                [] => {
                    let by_root = self.by_ticker.get(&ticker[..TICKER_ROOT.min(ticker.len())]);
                    let positions = by_root.cloned().unwrap_or_default();
                    IdentifiedCompanies { positions, is_theirs: false }
                }
                known => theirs(known.to_vec()),
            },
            Identifier::Isin(_) => {
                let by_root = identifier.ticker_root().and_then(|root| self.by_ticker.get(root));
                theirs(by_root.cloned().unwrap_or_default())
            }
        }
    }

    /// The companies with this CNPJ or this beginning of one; or else the company of whose branches it is one.
    fn with_cnpj(&self, cnpj: &str) -> IdentifiedCompanies {
        let beginning_with = |text: &str| -> Vec<u32> {
            let companies = (0..).zip(&self.companies);
            let with_cnpj = companies.filter(|(_, company)| company.cnpj.starts_with(text));
            with_cnpj.map(|(at, _)| at).collect()
        };
        let positions = beginning_with(cnpj);
        if !positions.is_empty() || cnpj.len() <= CNPJ_ROOT {
            return IdentifiedCompanies { positions, is_theirs: true };
        }
        let is_theirs = cnpj.parse::<Cnpj>().is_ok();
        IdentifiedCompanies { positions: beginning_with(&cnpj[..CNPJ_ROOT]), is_theirs }
    }

    /// The positions of companies that these words identify: by code, CNPJ, ticker or ISIN.
    pub(crate) fn find_identified(&self, words: &[&str]) -> Vec<u32> {
        let words: Vec<&str> =
            words.iter().copied().filter(|word| !LABELS.contains(word)).collect();
        let ticker;
        let word = match words[..] {
            [word] => word,
            [ticker, "sa"] if is_ticker(ticker) => ticker,
            // `PETR 4`
            [root, number] if root.len() == TICKER_ROOT && CLASSES.contains(&number) => {
                ticker = [root, number].concat();
                &ticker
            }
            _ => return Vec::new(),
        };
        self.find_identified_by(word)
    }

    /// The positions of companies that a word identifies; four letters may be those that tickers begin with.
    fn find_identified_by(&self, word: &str) -> Vec<u32> {
        let identifier = Identifier::of_word(word);
        let found = identifier.map(|identifier| self.identify(&identifier));
        match found.filter(|found| found.is_theirs && !found.positions.is_empty()) {
            Some(found) => found.positions,
            None => match self.find_by_ticker(word) {
                [] => self.find_by_root(word),
                known => known.to_vec(),
            },
        }
    }

    /// The codes of the companies that a word identifies.
    pub(crate) fn codes_identified_by(&self, word: &str) -> Vec<u32> {
        self.codes_of(&self.find_identified_by(word))
    }

    /// The codes of the companies that trade under a ticker in two words: `PETR 4`, `PETR4.SA`.
    fn codes_of_split_ticker(&self, first: &str, second: &str) -> Vec<u32> {
        let ticker = match second {
            "sa" => first.to_owned(),
            _ if first.len() == TICKER_ROOT => [first, second].concat(),
            _ => return Vec::new(),
        };
        if is_ticker(&ticker) { self.codes_identified_by(&ticker) } else { Vec::new() }
    }

    fn codes_of(&self, positions: &[u32]) -> Vec<u32> {
        positions.iter().map(|at| self.companies[*at as usize].code).collect()
    }

    /// The code of the company that trades under a ticker, in one of its forms, or that may have such shares.
    pub(crate) fn code_of_ticker(&self, ticker: &str) -> Option<u32> {
        let found = match self.find_by_ticker(ticker) {
            [] => {
                let (root, class) = ticker.split_at_checked(TICKER_ROOT)?;
                let class = class.strip_suffix('f').unwrap_or(class);
                let is_plausible = class.is_empty() || CLASSES.contains(&class);
                self.by_ticker.get(root).filter(|_| is_plausible).map_or(&[][..], Vec::as_slice)
            }
            found => found,
        };
        let found = found.iter().map(|at| &self.companies[*at as usize]);
        // The active one, then the one registered last, as with companies that share a CNPJ.
        let best = found.min_by_key(|company| (company.standing, Reverse(company.code)));
        best.map(|company| company.code)
    }

    /// Companies by a ticker, or its fractional form (`PETR4F`).
    fn find_by_ticker(&self, word: &str) -> &[u32] {
        let whole = word.strip_suffix('f').filter(|_| is_ticker(word));
        let trading = [Some(word), whole].into_iter().flatten();
        let trading = trading.filter(|word| word.len() != TICKER_ROOT);
        trading.filter_map(|ticker| self.by_ticker.get(ticker)).next().map_or(&[], Vec::as_slice)
    }

    /// Companies whose tickers begin with these four letters. Of tickers that have ended, only if the letters are no word of a
    /// name.
    fn find_by_root(&self, word: &str) -> Vec<u32> {
        let all = self.by_ticker.get(word).filter(|_| word.len() == TICKER_ROOT);
        let all = all.map_or(&[][..], Vec::as_slice);
        let trades = |at: &&u32| {
            let company = &self.companies[**at as usize];
            company.tickers.iter().any(|ticker| ticker.starts_with(word))
        };
        let current: Vec<u32> = all.iter().filter(trades).copied().collect();
        if current.is_empty() && self.vocabulary.companies_with(word).is_empty() {
            all.to_vec()
        } else {
            current
        }
    }

    /// The known tickers that begin with the same letters, in capital letters.
    pub(crate) fn tickers_of_root(&self, root: &str) -> Vec<String> {
        let companies = self.by_ticker.get(root).into_iter().flatten();
        let all = companies.flat_map(|at| &self.companies[*at as usize].tickers);
        let mut all: Vec<String> = all.map(|ticker| ticker.to_ascii_uppercase()).collect();
        all.retain(|ticker| ticker.to_ascii_lowercase().starts_with(root));
        all.dedup();
        all
    }

    /// The known ticker that two letters side by side were swapped in: `PERT4`.
    pub(crate) fn swapped_ticker(&self, ticker: &str) -> Option<(&str, &CompanyNames)> {
        (0..TICKER_ROOT - 1).find_map(|at| {
            let mut bytes = ticker.as_bytes().to_vec();
            bytes.swap(at, at + 1);
            let swapped = String::from_utf8(bytes).ok()?;
            let (known, positions) = self.by_ticker.get_key_value(&swapped)?;
            let company = &self.companies[*positions.first()? as usize];
            Some((known.as_str(), company))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn company(code: u32, names: &[&str], is_listed: bool) -> CompanyNames {
        let mut company = CompanyNames { code, is_listed, ..CompanyNames::default() };
        names.iter().for_each(|name| company.add(AliasKind::Legal, name));
        company
    }

    #[test]
    fn a_name_is_meant_by_its_whole_its_start_or_its_acronym() {
        let fit = |names: &[&str], run: &[&str]| company(1, names, true).fit(run);
        assert_eq!(fit(&["light s a"], &["light"]), Some(Certainty::Whole));
        assert_eq!(
            fit(&["cia energetica de minas sa"], &["energetica", "minas"]),
            Some(Certainty::Whole)
        );
        assert_eq!(
            fit(&["petroleo brasileiro sa petrobras"], &["petrobras"]),
            Some(Certainty::Whole)
        );
        assert_eq!(fit(&["rumo malha norte sa"], &["rumo"]), Some(Certainty::Start));
        assert_eq!(fit(&["banco mercantil do brasil sa"], &["mercantil"]), Some(Certainty::Start));
        assert_eq!(fit(&["rumo malha norte sa"], &["malha", "norte"]), Some(Certainty::Inside));
        assert_eq!(fit(&["rumo malha norte sa"], &["vale"]), None);
    }

    #[test]
    fn years_and_small_numbers_name_no_company() {
        for (word, names) in
            [("9512", true), ("2024", false), ("11", false), ("petr4", true), ("energia", false)]
        {
            assert_eq!(is_number_of_company(word), names, "{word}");
        }
    }
}
