//! Finds companies by the words of a search, best match first.
use std::cmp::Reverse;

use super::{
    Differences, Names,
    company_names::{Alias, AliasKind, CompanyNames, TICKER_ROOT},
    trigrams::is_common,
    vocabulary::{IN_NAME, WordOwner, merge},
};
use crate::types::Words;

/// The companies that match.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct RankedCompanies {
    /// Their codes, best first.
    pub(crate) codes: Vec<u32>,
    /// Whether nothing matches exactly, so that these are the nearest.
    pub(crate) fuzzy: bool,
    /// How those differ from the search.
    pub(crate) differences: Differences,
}

/// A company that some words of a search nearly name.
#[derive(Debug)]
pub(crate) struct NearlyMeant<'w> {
    pub(crate) code: u32,
    /// The words that name it.
    pub(crate) words: Vec<&'w str>,
    /// What they were taken for, unless they are its own.
    pub(crate) meant: Option<String>,
}

/// How well a company matches; the smallest is best.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    /// Identified by number or ticker; by the whole of a reviewed name; otherwise; by its sector only.
    tier: u8,
    standing: u8,
    unlisted: bool,
    /// No registered or reviewed name is just the words.
    longer: bool,
    /// Legal name, trade or reviewed name, name of a filing, several of them, or the sector too.
    place: u8,
    /// The name does not start with the words.
    inside: bool,
    /// The last word is only a prefix.
    incomplete: bool,
    /// How many other words the name has.
    others: usize,
    code: u32,
}

impl Names {
    /// The companies with all the words, the last one as a prefix, or with this number or ticker. If there
    /// is none, the nearest ones.
    pub(crate) fn search(&self, query: &Words) -> RankedCompanies {
        let words: Vec<&str> = query.all().collect();
        if words.iter().any(|word| !word.is_ascii()) {
            return RankedCompanies::default();
        }
        let mut ranks: Vec<Rank> = Vec::new();
        let identified = self.find_identified(&words);
        let mut matching = self.find_having_all(&words);
        // Written in one word where the name has several, or the other way round.
        let joined = words.concat();
        if words.len() > 1 {
            matching.extend(self.vocabulary.companies_with(&joined));
            merge(&mut matching);
        }
        for (at, places) in matching {
            let sector_only = places & IN_NAME == 0;
            let company = &self.companies[at as usize];
            let by = match (identified.contains(&at), sector_only) {
                (true, _) => MatchedBy::Identity,
                (_, true) => MatchedBy::Sector,
                (_, false) => MatchedBy::Name,
            };
            ranks.push(rank(company, &words, by));
        }
        for at in identified {
            let company = &self.companies[at as usize];
            if !ranks.iter().any(|rank| rank.code == company.code) {
                ranks.push(rank(company, &words, MatchedBy::Identity));
            }
        }
        let phrases: Vec<&[String]> = query.phrases().collect();
        if !phrases.is_empty() {
            let has =
                |company: &CompanyNames| phrases.iter().all(|phrase| company.has_phrase(phrase));
            ranks.retain(|rank| self.get(rank.code).is_some_and(has));
            ranks.sort_unstable();
            return RankedCompanies {
                codes: ranks.into_iter().map(|rank| rank.code).collect(),
                ..RankedCompanies::default()
            };
        }
        if ranks.is_empty() {
            let codes = self.find_nearest(&words);
            let differences = self.differences(&words, &codes);
            return RankedCompanies { fuzzy: !codes.is_empty(), codes, differences };
        }
        ranks.sort_unstable();
        let codes = ranks.into_iter().map(|rank| rank.code).collect();
        RankedCompanies { codes, ..RankedCompanies::default() }
    }

    /// The company that a search is about, if it names one: the best match of the longest run of words that names a company
    /// by its number or ticker, a listed company or, by several words, an active one; or else any whose name starts with the
    /// run.
    pub(crate) fn meant_company(&self, words: &[&str]) -> Option<u32> {
        let words = &words[..words.len().min(LOOKED_AT)];
        let well_known = |run: &[&str], best: &Rank| {
            best.tier < 2 || !best.unlisted || run.len() > 1 && best.standing == 0
        };
        self.best_of_runs(words, well_known)
            .or_else(|| self.best_of_runs(words, |_, best| !best.inside && best.place < 2))
    }

    /// The best match of the longest run of words whose best match is accepted.
    fn best_of_runs(
        &self,
        words: &[&str],
        accepts: impl Fn(&[&str], &Rank) -> bool,
    ) -> Option<u32> {
        /// Hardly a name has more words.
        const LONGEST: usize = 5;
        let lengths = (1..=words.len().min(LONGEST)).rev();
        let runs = lengths.flat_map(|length| words.windows(length));
        let mut best = runs.filter(|run| self.says_something(run)).filter_map(|run| {
            let identified =
                self.find_identified(run).into_iter().map(|at| (at, MatchedBy::Identity));
            let named = self.find_named(run).into_iter().map(|at| (at, MatchedBy::Name));
            let ranks =
                identified.chain(named).map(|(at, by)| rank(&self.companies[at as usize], run, by));
            ranks.min().filter(|best| accepts(run, best))
        });
        best.next().map(|best| best.code)
    }

    /// The company that some words nearly name, and which words those are.
    pub(crate) fn nearly_meant_company<'w>(&self, words: &[&'w str]) -> Option<NearlyMeant<'w>> {
        let words = &words[..words.len().min(LOOKED_AT)];
        for length in (1..=words.len().min(4)).rev() {
            for run in words.windows(length) {
                if !self.says_something(run) {
                    continue;
                }
                if let Some((code, term)) = self.confident_match(run) {
                    let company = self.get(code);
                    let is_word = |company: &&CompanyNames| company.words().any(|own| own == term);
                    // A name that is joined or split otherwise is given as a whole.
                    let meant = match company.filter(is_word) {
                        Some(_) => term.to_owned(),
                        None => company.map(|it| it.legal_name.clone()).unwrap_or_default(),
                    };
                    let meant = Some(meant).filter(|meant| !run.contains(&meant.as_str()));
                    return Some(NearlyMeant { code, words: run.to_vec(), meant });
                }
            }
        }
        self.meant_company(words).map(|code| {
            let company = self.get(code);
            let own = |word: &&str| {
                company.is_some_and(|company| company.words().any(|known| known == *word))
            };
            NearlyMeant { code, words: words.iter().copied().filter(own).collect(), meant: None }
        })
    }

    /// The positions of companies with all these words in names, none of them as a prefix.
    fn find_named(&self, words: &[&str]) -> Vec<u32> {
        let Some((first, others)) = words.split_first() else { return Vec::new() };
        let in_name = |(at, place): &WordOwner| (place & IN_NAME != 0).then_some(*at);
        let mut all: Vec<u32> =
            self.vocabulary.companies_with(first).iter().filter_map(in_name).collect();
        for word in others {
            let has: Vec<u32> =
                self.vocabulary.companies_with(word).iter().filter_map(in_name).collect();
            all.retain(|company| has.binary_search(company).is_ok());
        }
        all
    }

    /// Whether a run of words may be the name of a company: not if many companies have all of them.
    fn says_something(&self, run: &[&str]) -> bool {
        const MANY: usize = 40;
        !run.iter().all(|word| is_common(word)) && self.find_named(run).len() <= MANY
    }

    /// The positions of companies with all the words, the last one as a prefix, and where they have them.
    pub(super) fn find_having_all(&self, words: &[&str]) -> Vec<WordOwner> {
        let Some((last, others)) = words.split_last() else { return Vec::new() };
        let mut all: Vec<WordOwner> = self.vocabulary.companies_with_prefix(last);
        for word in others {
            let has = self.vocabulary.companies_with(word);
            all.retain_mut(|(company, places)| {
                match has.binary_search_by_key(company, |(at, _)| *at) {
                    Ok(at) => {
                        *places |= has[at].1;
                        true
                    }
                    Err(_) => false,
                }
            });
        }
        let before = all.len();
        all.extend(self.with_expression(words).map(|at| (at, IN_NAME)));
        if all.len() > before {
            merge(&mut all);
        }
        all
    }

    /// The positions of companies with a reviewed name of several words that begins with these, the last one as a prefix.
    fn with_expression(&self, words: &[&str]) -> impl Iterator<Item = u32> {
        let known = words.split_first().filter(|(_, others)| !others.is_empty());
        let known = known.and_then(|(first, _)| self.expressions.get(*first));
        let begins = |(name, code): &(Vec<String>, u32)| {
            let (last, others) = words.split_last()?;
            let fits = name.len() >= words.len()
                && name.iter().zip(others).all(|(known, word)| known == word)
                && name[others.len()].starts_with(last);
            self.by_code.get(code).filter(|_| fits).and_then(|at| u32::try_from(*at).ok())
        };
        known.into_iter().flatten().filter_map(begins)
    }

    /// The positions of companies that these words identify: by code, CNPJ or ticker.
    pub(super) fn find_identified(&self, words: &[&str]) -> Vec<u32> {
        // `cvm 9512`, `codigo cvm 9512`
        const SAID: [&str; 7] = ["cvm", "codigo", "cod", "cnpj", "ticker", "numero", "no"];
        let words: Vec<&str> = words.iter().copied().filter(|word| !SAID.contains(word)).collect();
        let word = match words[..] {
            [word] => word,
            // `PETR4.SA`
            [ticker, "sa"] if is_ticker(ticker) => ticker,
            _ => return Vec::new(),
        };
        let code = word.parse::<u32>().ok().filter(|_| word.len() < CNPJ_ROOT);
        let by_code = code.and_then(|code| self.by_code.get(&code));
        if let Some(at) = by_code {
            return u32::try_from(*at).into_iter().collect();
        }
        if word.len() >= CNPJ_ROOT && word.starts_with(|c: char| c.is_ascii_digit()) {
            let companies = (0..).zip(&self.companies);
            let with_cnpj = companies.filter(|(_, company)| company.cnpj.starts_with(word));
            let by_cnpj: Vec<u32> = with_cnpj.map(|(at, _)| at).collect();
            if !by_cnpj.is_empty() {
                return by_cnpj;
            }
        }
        self.find_by_ticker(word).to_vec()
    }

    /// The codes of the companies that a word identifies.
    pub(crate) fn codes_identified_by(&self, word: &str) -> Vec<u32> {
        let found = self.find_identified(&[word]);
        found.into_iter().map(|at| self.companies[at as usize].code).collect()
    }

    /// The codes of the companies that trade under a ticker in two words: `PETR 4`, `PETR4.SA`.
    pub(crate) fn codes_of_split_ticker(&self, first: &str, second: &str) -> Vec<u32> {
        let ticker = match second {
            "sa" => first.to_owned(),
            _ if first.len() == TICKER_ROOT => [first, second].concat(),
            _ => return Vec::new(),
        };
        if is_ticker(&ticker) { self.codes_identified_by(&ticker) } else { Vec::new() }
    }

    /// The code of the company that trades under a ticker, in one of its forms.
    pub(crate) fn code_of_ticker(&self, ticker: &str) -> Option<u32> {
        let found = self.find_by_ticker(ticker).iter().map(|at| &self.companies[*at as usize]);
        // The active one, then the one registered last, as with companies that share a CNPJ.
        let best = found.min_by_key(|company| (company.standing, Reverse(company.code)));
        best.map(|company| company.code)
    }

    /// Companies by a ticker, its fractional form (`PETR4F`), another class of shares, or the root alone.
    fn find_by_ticker(&self, word: &str) -> &[u32] {
        let whole = word.strip_suffix('f').filter(|_| is_ticker(word)).unwrap_or(word);
        let root =
            whole.get(..TICKER_ROOT).filter(|_| is_ticker(whole) || whole.len() == TICKER_ROOT);
        let trading = [Some(word), Some(whole), root].into_iter().flatten();
        trading.filter_map(|ticker| self.by_ticker.get(ticker)).next().map_or(&[], Vec::as_slice)
    }
}

/// How many words of a search may name the company: people start with it, or write little else.
const LOOKED_AT: usize = 8;

/// The characters of a CNPJ that stand for the company; the rest is for the branch.
const CNPJ_ROOT: usize = 8;

/// Four letters or digits, then one or two digits, and perhaps the mark of fractional lots.
fn is_ticker(word: &str) -> bool {
    let Some((root, number)) = word.split_at_checked(TICKER_ROOT) else { return false };
    let number = number.strip_suffix('f').unwrap_or(number);
    root.starts_with(|c: char| c.is_ascii_lowercase())
        && (1..=2).contains(&number.len())
        && number.bytes().all(|byte| byte.is_ascii_digit())
}

/// What of a company the words match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MatchedBy {
    /// Its number or ticker.
    Identity,
    Name,
    /// Nothing but its sector.
    Sector,
}

fn rank(company: &CompanyNames, words: &[&str], by: MatchedBy) -> Rank {
    let best = company.names.iter().filter_map(|name| fit(name, words)).min();
    let known_whole =
        company.names.iter().any(|name| name.kind == AliasKind::Reviewed && name.words == words);
    let is_whole = |name: &Alias| name.kind != AliasKind::Filed && name.words == words;
    let longer = !company.names.iter().any(is_whole);
    let (place, inside, incomplete, others) = best.unwrap_or((3, true, true, usize::MAX));
    Rank {
        tier: match by {
            MatchedBy::Identity => 0,
            _ if known_whole => 1,
            MatchedBy::Name => 2,
            MatchedBy::Sector => 3,
        },
        standing: company.standing,
        unlisted: !company.is_listed,
        longer,
        place,
        inside,
        incomplete,
        others,
        code: company.code,
    }
}

/// How well one name has all the words.
fn fit(name: &Alias, words: &[&str]) -> Option<(u8, bool, bool, usize)> {
    let (last, others) = words.split_last()?;
    let whole = name.words.iter().any(|word| word == last);
    let has_all = others.iter().all(|word| name.words.iter().any(|known| known == word))
        && (whole || name.words.iter().any(|word| word.starts_with(last)));
    let starts = name.words.len() >= words.len()
        && name.words.iter().zip(others).all(|(known, word)| known == word)
        && name.words[words.len() - 1].starts_with(last);
    let place = match name.kind {
        AliasKind::Legal => 0,
        AliasKind::Trade | AliasKind::Reviewed => 1,
        AliasKind::Filed => 2,
    };
    has_all.then(|| (place, !starts, !whole, name.words.len().saturating_sub(words.len())))
}
