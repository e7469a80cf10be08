//! Finds companies by the words of a search, best match first; or the nearest ones if no company has all words.
use crate::{
    lexicon::{
        Names, WordOwner,
        names::{
            IN_NAME,
            companies_in_search::{CompanyInSearch, LABELS},
            company_names::{self, Alias, AliasKind, CompanyNames, core},
            fuzzy_match::Differences,
            merge,
            not_registered::{self, NotRegistered},
        },
    },
    values::{Identifier, TICKER_ROOT, Words, is_ticker},
};

/// The companies that match.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct RankedCompanies {
    /// Their codes, best first.
    pub(crate) codes: Vec<u32>,
    /// Nothing matches exactly, so that these are the nearest.
    pub(crate) fuzzy: bool,
    /// How those differ from the search.
    pub(crate) differences: Differences,
    /// The part of the search that does not exist.
    pub(crate) unknown: Option<UnknownInSearch>,
}

/// How well a company matches; the smallest is best.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Rank {
    /// Identified by number or ticker; by the whole of a name; otherwise; by its sector only.
    pub(crate) tier: u8,
    pub(crate) standing: u8,
    /// No name has all the words.
    scattered: bool,
    pub(crate) unlisted: bool,
    /// The last word is only a prefix.
    pub(crate) incomplete: bool,
    /// No registered or reviewed name is just the words.
    longer: bool,
    /// Legal name, trade or reviewed name, name of a filing, several of them, or the sector too.
    pub(crate) place: u8,
    /// The name does not start with the words.
    pub(crate) inside: bool,
    /// How many other words the name has.
    others: usize,
    pub(crate) code: u32,
}

impl Names {
    /// The companies with all the words, the last one as a prefix, or with this number or ticker. If there
    /// is none, the nearest ones.
    pub(crate) fn search(&self, query: &Words) -> RankedCompanies {
        let words: Vec<&str> = query.all().collect();
        if words.iter().any(|word| !word.is_ascii()) {
            return RankedCompanies::default();
        }
        let mut ranks = self.ranks(&words);
        let phrases: Vec<&[String]> = query.phrases().collect();
        if !phrases.is_empty() {
            let has =
                |company: &CompanyNames| phrases.iter().all(|phrase| company.has_phrase(phrase));
            ranks.retain(|rank| self.get(rank.code).is_some_and(has));
        } else if ranks.is_empty() {
            return self.search_near(&words);
        } else if let Some(known) = not_registered::find(&words)
            && ranks[0].tier > 0
            && (ranks[0].incomplete || ranks[0].standing > 1)
        {
            // Nothing but the beginning of another name, or a company that is gone.
            ranks.retain(|rank| !rank.incomplete);
            let codes: Vec<u32> = ranks.into_iter().map(|rank| rank.code).collect();
            let unknown = Some(UnknownInSearch::Company(known));
            return RankedCompanies {
                fuzzy: !codes.is_empty(),
                codes,
                unknown,
                ..RankedCompanies::default()
            };
        }
        let codes = ranks.into_iter().map(|rank| rank.code).collect();
        RankedCompanies { codes, ..RankedCompanies::default() }
    }

    /// The companies with all the words, the last one as a prefix, or with this number or ticker; best first.
    pub(crate) fn ranks(&self, words: &[&str]) -> Vec<Rank> {
        let wanted = WantedName::new(words);
        let identified = self.find_identified(words);
        let mut matching = self.find_having_all(words);
        // Written in one word where the name has several, or the other way round.
        let joined = words.concat();
        if words.len() > 1 {
            matching.extend(self.vocabulary.companies_with(&joined));
            merge(&mut matching);
        }
        let mut ranks: Vec<Rank> = Vec::with_capacity(matching.len());
        for (at, places) in matching {
            let by = match (identified.contains(&at), places & IN_NAME == 0) {
                (true, _) => MatchedBy::Identity,
                (_, true) => MatchedBy::Sector,
                (_, false) => MatchedBy::Name,
            };
            ranks.push(rank(&self.companies[at as usize], &wanted, by));
        }
        for at in identified {
            let company = &self.companies[at as usize];
            if !ranks.iter().any(|rank| rank.code == company.code) {
                ranks.push(rank(company, &wanted, MatchedBy::Identity));
            }
        }
        ranks.sort_unstable();
        ranks
    }

    /// The positions of companies with all the words, the last one as a prefix, and where they have them.
    pub(crate) fn find_having_all(&self, words: &[&str]) -> Vec<WordOwner> {
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
}

/// The kind of name that the words match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MatchedBy {
    /// Its number or ticker.
    Identity,
    Name,
    /// Nothing but its sector.
    Sector,
}

/// The words of a search, as a name.
pub(crate) struct WantedName<'w> {
    words: &'w [&'w str],
    /// Without legal form and particles.
    core: Vec<&'w str>,
}

impl<'w> WantedName<'w> {
    pub(crate) fn new(words: &'w [&'w str]) -> WantedName<'w> {
        WantedName { words, core: core(words) }
    }

    /// Whether one of the names of this company is just the words.
    pub(crate) fn is_name_of(&self, company: &CompanyNames) -> bool {
        company.names.iter().any(|name| self.is_whole(company, name))
    }

    /// Whether a name of this company is just the words, but for its legal form.
    fn is_whole(&self, company: &CompanyNames, name: &Alias) -> bool {
        match name.kind {
            AliasKind::Reviewed | AliasKind::Short => {
                name.words == self.words || name.core().eq(self.core.iter().copied())
            }
            // A company that is gone is rarely meant where others have the words as well.
            AliasKind::Legal | AliasKind::Trade | AliasKind::Filed => {
                company.standing < 2 && name.core().eq(self.core.iter().copied())
            }
        }
    }
}

/// How well a company matches the words.
pub(crate) fn rank(company: &CompanyNames, wanted: &WantedName<'_>, by: MatchedBy) -> Rank {
    let words = wanted.words;
    let best = company.names.iter().filter_map(|name| fit(name, words)).min();
    let known_whole = wanted.is_name_of(company);
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
        scattered: best.is_none(),
        unlisted: !company.is_listed,
        incomplete,
        longer,
        place,
        inside,
        others,
        code: company.code,
    }
}

/// How well one name has all the words.
pub(crate) fn fit(name: &Alias, words: &[&str]) -> Option<(u8, bool, bool, usize)> {
    let (last, others) = words.split_last()?;
    let whole = name.words.iter().any(|word| word == last);
    let has_all = others.iter().all(|word| name.words.iter().any(|known| known == word))
        && (whole || name.words.iter().any(|word| word.starts_with(last)));
    let starts = name.words.len() >= words.len()
        && name.words.iter().zip(others).all(|(known, word)| known == word)
        && name.words[words.len() - 1].starts_with(last);
    let place = match name.kind {
        AliasKind::Legal => 0,
        AliasKind::Trade | AliasKind::Reviewed | AliasKind::Short => 1,
        AliasKind::Filed => 2,
    };
    has_all.then(|| (place, !starts, !whole, name.words.len().saturating_sub(words.len())))
}

/// The part of a search that does not exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum UnknownInSearch {
    /// A ticker, a CNPJ, an ISIN or a CVM code that no company has.
    Identifier {
        /// `ticker`, `CNPJ`, `ISIN` or `CVM code`.
        kind: &'static str,
        /// As it was given, in capital letters.
        given: String,
        /// The nearest tickers: those of the same company, or one with two letters swapped.
        nearest: Vec<String>,
    },
    /// A well-known company that does not file with CVM.
    Company(NotRegistered),
}

/// The most words of a search that are looked at.
const LOOKED_AT: usize = 12;

impl Names {
    /// The nearest companies: those that a part of the search identifies; those whose Portuguese names it has in English; those
    /// that are spelled alike. None if the search names what is known not to be there.
    fn search_near(&self, words: &[&str]) -> RankedCompanies {
        let is_number = |word: &&str| word.bytes().any(|byte| byte.is_ascii_digit());
        let has_number = words.iter().any(is_number);
        // `cvm 9512`
        let says = |word: &&str| !has_number || !LABELS.contains(word);
        let words: Vec<&str> = words.iter().copied().filter(says).take(LOOKED_AT).collect();
        let words = &words[..];
        let near = self.identified_in(words);
        if !near.codes.is_empty() {
            return near;
        }
        if let (true, [word]) = (near.unknown.is_some(), words)
            && !self.has_term_like(word)
        {
            return self.named_like_ticker(word, near);
        }
        if let Some(known) = not_registered::find(words) {
            let unknown = Some(UnknownInSearch::Company(known));
            return RankedCompanies { unknown, ..RankedCompanies::default() };
        }
        if let Some(found) = self.search_in_portuguese(words) {
            return found;
        }
        let named = self.surest_company(words).filter(CompanyInSearch::is_certain);
        let is_active = |code: &u32| self.get(*code).is_some_and(|company| company.standing == 0);
        let named = named.and_then(|named| named.codes.into_iter().find(is_active));
        // One of many words that is spelled nearly like a name may be about something else.
        let spelled = || self.nearly_spelled_company(words, &|_| false).filter(|_| words.len() < 4);
        let named = named.or_else(|| spelled().map(|spelled| spelled.code));
        let codes = self.find_nearest(words, named);
        let differences = self.differences(words, &codes);
        RankedCompanies { fuzzy: !codes.is_empty(), codes, differences, unknown: near.unknown }
    }

    /// The unknown name among some words of a search for filings.
    pub(crate) fn unknown_in(&self, words: &[&str]) -> Option<UnknownInSearch> {
        let words = &words[..words.len().min(LOOKED_AT)];
        let unknown = self.identified_in(words).unknown;
        unknown.or_else(|| not_registered::find_within(words).map(UnknownInSearch::Company))
    }

    /// Companies for an unknown ticker: active companies that have its letters as a word of their names (`ITAU5`), but
    /// not those whose names merely begin with them (`MELI34`).
    fn named_like_ticker(&self, word: &str, near: RankedCompanies) -> RankedCompanies {
        let Some(root) = word.get(..TICKER_ROOT).filter(|_| is_ticker(word)) else { return near };
        let ranks = self.ranks(&[root]).into_iter();
        let ranks = ranks.filter(|rank| !rank.incomplete && rank.standing == 0 && rank.tier < 3);
        let codes: Vec<u32> = ranks.map(|rank| rank.code).collect();
        let mut found = RankedCompanies { fuzzy: !codes.is_empty(), codes, ..near };
        if found.fuzzy {
            found.differences.corrected.push((word.to_owned(), root.to_owned()));
        }
        found
    }

    /// The companies that words of a search identify, whatever the others say; or what it names that no company has.
    fn identified_in(&self, words: &[&str]) -> RankedCompanies {
        let mut found = RankedCompanies { fuzzy: true, ..RankedCompanies::default() };
        let mut positions = Vec::new();
        let mut identifying = Vec::new();
        for word in words {
            let identifier = match Identifier::of_word(word) {
                // One number of several words may be anything.
                Some(Identifier::Code(_)) if words.len() > 1 => continue,
                Some(identifier) => identifier,
                None => continue,
            };
            let known = self.identify(&identifier);
            // `eco101` is a name.
            if known.positions.is_empty() && !self.vocabulary.companies_with(word).is_empty() {
                continue;
            }
            if !known.positions.is_empty() && known.is_theirs {
                identifying.push(*word);
                positions.extend(known.positions);
                continue;
            }
            let (kind, mut nearest) = match &identifier {
                Identifier::Code(_) => ("CVM code", Vec::new()),
                Identifier::Cnpj(_) => ("CNPJ", Vec::new()),
                Identifier::Isin(_) => ("ISIN", Vec::new()),
                Identifier::Ticker(_) => (
                    "ticker",
                    identifier
                        .ticker_root()
                        .map(|root| self.tickers_of_root(root))
                        .unwrap_or_default(),
                ),
            };
            if let Some(first) = known.positions.first() {
                let company = &self.companies[*first as usize];
                let meant = nearest.first().map_or_else(
                    || company.legal_name.clone(),
                    |ticker| ticker.to_ascii_lowercase(),
                );
                found.differences.corrected.push(((*word).to_owned(), meant));
                identifying.push(*word);
            } else if let Identifier::Ticker(ticker) = &identifier
                && let Some((swapped, company)) = self.swapped_ticker(ticker)
            {
                nearest.push(swapped.to_ascii_uppercase());
                found.differences.corrected.push(((*word).to_owned(), swapped.to_owned()));
                positions
                    .extend(self.by_code.get(&company.code).and_then(|at| u32::try_from(*at).ok()));
                identifying.push(*word);
            }
            positions.extend(known.positions);
            let given = word.to_ascii_uppercase();
            found.unknown.get_or_insert(UnknownInSearch::Identifier { kind, given, nearest });
        }
        let mut companies: Vec<_> =
            positions.iter().map(|at| &self.companies[*at as usize]).collect();
        companies.sort_by_key(|company| (company.standing, !company.is_listed, company.code));
        companies.dedup_by_key(|company| company.code);
        if let Some(first) = companies.first() {
            let has = |word: &&&str| {
                identifying.contains(*word) || first.words().any(|own| own == **word)
            };
            let others = words.iter().filter(|word| !has(word));
            found.differences.dropped = others.map(|word| (*word).to_owned()).collect();
            // One known ticker among unknown ones says enough.
            if found.differences.corrected.is_empty() {
                found.unknown = None;
            }
        }
        found.codes = companies.iter().map(|company| company.code).collect();
        found.fuzzy = !found.codes.is_empty();
        found
    }

    /// The companies that have all the words once English ones are in Portuguese.
    fn search_in_portuguese(&self, words: &[&str]) -> Option<RankedCompanies> {
        /// Every alternative is a search of its own.
        const MOST: usize = 12;
        if !words.iter().any(|word| company_names::portuguese(word).is_some()) {
            return None;
        }
        let mut all: Vec<Vec<&str>> = vec![Vec::new()];
        for word in words {
            let others = company_names::portuguese(word).unwrap_or_default();
            let is_known = company_names::portuguese(word).is_none()
                || !self.vocabulary.companies_with(word).is_empty() && !others.is_empty();
            let alternatives: Vec<&[&str]> = match others {
                [] if !is_known => vec![&[]],
                others => {
                    let given = is_known.then_some(std::slice::from_ref(word));
                    given.into_iter().chain(others.iter().map(std::slice::from_ref)).collect()
                }
            };
            let longer = all
                .iter()
                .flat_map(|words| alternatives.iter().map(move |more| [&words[..], more].concat()));
            all = longer.take(MOST).collect();
        }
        // A name that no company uses any more is not meant.
        let ranked =
            all.iter().filter(|translated| !translated.is_empty()).filter_map(|translated| {
                let ranks = self.ranks(translated);
                let best = *ranks.first().filter(|best| best.tier < 3 && best.standing == 0)?;
                Some((best, translated, ranks))
            });
        let (_, translated, ranks) = ranked.min_by_key(|(best, ..)| *best)?;
        let mut found = RankedCompanies { fuzzy: true, ..RankedCompanies::default() };
        found.differences.corrected.push((words.join(" "), translated.join(" ")));
        found.codes = ranks.into_iter().map(|rank| rank.code).collect();
        Some(found)
    }
}
