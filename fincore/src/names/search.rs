//! Finds companies by the words of a search, best match first.
use std::cmp::Reverse;

use super::{
    Alias, AliasKind, Named, Names,
    nearest::is_common,
    vocabulary::{Has, IN_NAME, merge},
};
use crate::types::Words;

/// The companies that match.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Ranked {
    /// Their codes, best first.
    pub(crate) codes: Vec<u32>,
    /// Whether they are only near to what was asked for.
    pub(crate) fuzzy: bool,
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
    /// The last word is only begun.
    begun: bool,
    /// How many words the name has besides.
    others: usize,
    code: u32,
}

impl Names {
    /// The registered companies with all the words, the last one as a prefix, or with this number or ticker. If there
    /// is none, those that are nearest.
    pub(crate) fn search(&self, query: &Words) -> Ranked {
        let words: Vec<&str> = query.all().collect();
        if words.iter().any(|word| !word.is_ascii()) {
            return Ranked::default();
        }
        let mut ranks: Vec<Rank> = Vec::new();
        let identified = self.identified(&words);
        let mut matching = self.having_all(&words);
        // Written in one word where the name has several, or the other way round.
        let joined = words.concat();
        if words.len() > 1 {
            matching.extend(self.vocabulary.word(&joined));
            merge(&mut matching);
        }
        for (at, places) in matching {
            let sector_only = places & IN_NAME == 0;
            let company = &self.companies[at as usize];
            let by = match (identified.contains(&at), sector_only) {
                (true, _) => By::Identity,
                (_, true) => By::Sector,
                (_, false) => By::Name,
            };
            if company.registered {
                ranks.push(rank(company, &words, by));
            }
        }
        for at in identified {
            let company = &self.companies[at as usize];
            if company.registered && !ranks.iter().any(|rank| rank.code == company.code) {
                ranks.push(rank(company, &words, By::Identity));
            }
        }
        let phrases: Vec<&[String]> = query.phrases().collect();
        if !phrases.is_empty() {
            let has = |company: &Named| phrases.iter().all(|phrase| company.has_phrase(phrase));
            ranks.retain(|rank| self.get(rank.code).is_some_and(has));
            ranks.sort_unstable();
            return Ranked {
                codes: ranks.into_iter().map(|rank| rank.code).collect(),
                fuzzy: false,
            };
        }
        if ranks.is_empty() {
            let codes = self.nearest(&words);
            return Ranked { fuzzy: !codes.is_empty(), codes };
        }
        ranks.sort_unstable();
        Ranked { codes: ranks.into_iter().map(|rank| rank.code).collect(), fuzzy: false }
    }

    /// The company that some words of a search mean, if they mean one: the best match of the longest run of them that
    /// names an identified, listed or, by several words, active company; or else any whose name starts so.
    pub(crate) fn meant(&self, words: &[&str]) -> Option<u32> {
        let words = &words[..words.len().min(LOOKED_AT)];
        let well_known = |run: &[&str], best: &Rank| {
            best.tier < 2 || !best.unlisted || run.len() > 1 && best.standing == 0
        };
        self.best_of_runs(words, well_known)
            .or_else(|| self.best_of_runs(words, |_, best| !best.inside && best.place < 2))
    }

    /// The best match of the longest run of words whose best match will do.
    fn best_of_runs(
        &self,
        words: &[&str],
        will_do: impl Fn(&[&str], &Rank) -> bool,
    ) -> Option<u32> {
        /// Hardly a name has more words.
        const LONGEST: usize = 5;
        let lengths = (1..=words.len().min(LONGEST)).rev();
        let runs = lengths.flat_map(|length| words.windows(length));
        let mut best = runs.filter(|run| self.says_something(run)).filter_map(|run| {
            let identified = self.identified(run).into_iter().map(|at| (at, By::Identity));
            let named = self.named(run).into_iter().map(|at| (at, By::Name));
            let ranks =
                identified.chain(named).map(|(at, by)| rank(&self.companies[at as usize], run, by));
            ranks.min().filter(|best| will_do(run, best))
        });
        best.next().map(|best| best.code)
    }

    /// The company that some words nearly mean, and which words those are.
    pub(crate) fn meant_nearly<'w>(&self, words: &[&'w str]) -> Option<(u32, Vec<&'w str>)> {
        let words = &words[..words.len().min(LOOKED_AT)];
        for length in (1..=words.len().min(4)).rev() {
            for run in words.windows(length) {
                if !self.says_something(run) {
                    continue;
                }
                if let Some(code) = self.surely(run) {
                    return Some((code, run.to_vec()));
                }
            }
        }
        self.meant(words).map(|code| {
            let company = self.get(code);
            let own = |word: &&str| {
                company.is_some_and(|company| company.words().any(|known| known == *word))
            };
            (code, words.iter().copied().filter(own).collect())
        })
    }

    /// The places of companies with all these words, none of them begun, in names.
    fn named(&self, words: &[&str]) -> Vec<u32> {
        let Some((first, others)) = words.split_first() else { return Vec::new() };
        let in_name = |(at, place): &Has| (place & IN_NAME != 0).then_some(*at);
        let mut all: Vec<u32> = self.vocabulary.word(first).iter().filter_map(in_name).collect();
        for word in others {
            let has: Vec<u32> = self.vocabulary.word(word).iter().filter_map(in_name).collect();
            all.retain(|company| has.binary_search(company).is_ok());
        }
        all
    }

    /// Whether a run of words may be the name of a company: not if many companies have all of them.
    fn says_something(&self, run: &[&str]) -> bool {
        const MANY: usize = 40;
        !run.iter().all(|word| is_common(word)) && self.named(run).len() <= MANY
    }

    /// The places of companies with all the words, the last one as a prefix, and where they have them.
    pub(super) fn having_all(&self, words: &[&str]) -> Vec<Has> {
        let Some((last, others)) = words.split_last() else { return Vec::new() };
        let mut all: Vec<Has> = self.vocabulary.begins(last);
        for word in others {
            let has = self.vocabulary.word(word);
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

    /// The places of companies with a reviewed name of several words that begins with these, the last one as a prefix.
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

    /// The places of companies that these words identify: by code, CNPJ or ticker.
    pub(super) fn identified(&self, words: &[&str]) -> Vec<u32> {
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
        if let Some(at) = by_code.filter(|at| self.companies[**at].registered) {
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
        self.by_ticker(word).to_vec()
    }

    /// The codes of the companies that a word identifies.
    pub(crate) fn identified_by(&self, word: &str) -> Vec<u32> {
        let found = self.identified(&[word]);
        found.into_iter().map(|at| self.companies[at as usize].code).collect()
    }

    /// The codes of the companies that trade under a ticker in two words: `PETR 4`, `PETR4.SA`.
    pub(crate) fn traded_as_split(&self, first: &str, second: &str) -> Vec<u32> {
        let ticker = match second {
            "sa" => first.to_owned(),
            _ if first.len() == ROOT => [first, second].concat(),
            _ => return Vec::new(),
        };
        if is_ticker(&ticker) { self.identified_by(&ticker) } else { Vec::new() }
    }

    /// The code of the company that trades under a ticker, in one of its forms.
    pub(crate) fn traded_as(&self, ticker: &str) -> Option<u32> {
        let found = self.by_ticker(ticker).iter().map(|at| &self.companies[*at as usize]);
        // The active one, then the one registered last, as with companies that share a CNPJ.
        let best = found.min_by_key(|company| (company.standing, Reverse(company.code)));
        best.map(|company| company.code)
    }

    /// By a ticker, its fractional form (`PETR4F`), another class of shares, or the root alone.
    fn by_ticker(&self, word: &str) -> &[u32] {
        let whole = word.strip_suffix('f').filter(|_| is_ticker(word)).unwrap_or(word);
        let root = whole.get(..ROOT).filter(|_| is_ticker(whole) || whole.len() == ROOT);
        let trading = [Some(word), Some(whole), root].into_iter().flatten();
        trading.filter_map(|ticker| self.by_ticker.get(ticker)).next().map_or(&[], Vec::as_slice)
    }
}

/// So many words of a search are looked at for a company: people begin with it, or end soon.
const LOOKED_AT: usize = 8;

/// The characters of a CNPJ that stand for the company; the rest is for the branch.
const CNPJ_ROOT: usize = 8;

/// The letters that all tickers of a company share.
pub(super) const ROOT: usize = 4;

/// Four letters or digits, then one or two digits, and perhaps the mark of fractional lots.
fn is_ticker(word: &str) -> bool {
    let Some((root, number)) = word.split_at_checked(ROOT) else { return false };
    let number = number.strip_suffix('f').unwrap_or(number);
    root.starts_with(|c: char| c.is_ascii_lowercase())
        && (1..=2).contains(&number.len())
        && number.bytes().all(|byte| byte.is_ascii_digit())
}

/// What of a company the words match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum By {
    /// Its number or ticker.
    Identity,
    Name,
    /// Nothing but its sector.
    Sector,
}

fn rank(company: &Named, words: &[&str], by: By) -> Rank {
    let best = company.names.iter().filter_map(|name| fit(name, words)).min();
    let known_whole =
        company.names.iter().any(|name| name.kind == AliasKind::Known && name.words == words);
    let is_whole = |name: &Alias| name.kind != AliasKind::Filed && name.words == words;
    let longer = !company.names.iter().any(is_whole);
    let (place, inside, begun, others) = best.unwrap_or((3, true, true, usize::MAX));
    Rank {
        tier: match by {
            By::Identity => 0,
            _ if known_whole => 1,
            By::Name => 2,
            By::Sector => 3,
        },
        standing: company.standing,
        unlisted: !company.is_listed,
        longer,
        place,
        inside,
        begun,
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
        AliasKind::Trade | AliasKind::Known => 1,
        AliasKind::Filed => 2,
    };
    has_all.then(|| (place, !starts, !whole, name.words.len().saturating_sub(words.len())))
}
