//! Finds companies by the words of a search, best match first.
use super::{
    Differences, Names, UnknownInSearch,
    company_names::{Alias, AliasKind, CompanyNames, core},
    not_registered,
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
    /// What the search names that is not there.
    pub(crate) unknown: Option<UnknownInSearch>,
}

/// How well a company matches; the smallest is best.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Rank {
    /// Identified by number or ticker; by the whole of a name; otherwise; by its sector only.
    pub(super) tier: u8,
    pub(super) standing: u8,
    /// No name has all the words.
    scattered: bool,
    pub(super) unlisted: bool,
    /// The last word is only a prefix.
    pub(super) incomplete: bool,
    /// No registered or reviewed name is just the words.
    longer: bool,
    /// Legal name, trade or reviewed name, name of a filing, several of them, or the sector too.
    pub(super) place: u8,
    /// The name does not start with the words.
    pub(super) inside: bool,
    /// How many other words the name has.
    others: usize,
    pub(super) code: u32,
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
    pub(super) fn ranks(&self, words: &[&str]) -> Vec<Rank> {
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
}

/// What of a company the words match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MatchedBy {
    /// Its number or ticker.
    Identity,
    Name,
    /// Nothing but its sector.
    Sector,
}

/// The words of a search, as a name.
pub(super) struct WantedName<'w> {
    words: &'w [&'w str],
    /// Without legal form and particles.
    core: Vec<&'w str>,
}

impl<'w> WantedName<'w> {
    pub(super) fn new(words: &'w [&'w str]) -> WantedName<'w> {
        WantedName { words, core: core(words) }
    }

    /// Whether one of the names of this company is just the words.
    pub(super) fn is_name_of(&self, company: &CompanyNames) -> bool {
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
pub(super) fn rank(company: &CompanyNames, wanted: &WantedName<'_>, by: MatchedBy) -> Rank {
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
pub(super) fn fit(name: &Alias, words: &[&str]) -> Option<(u8, bool, bool, usize)> {
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
