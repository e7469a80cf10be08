//! What a search for companies returns if no company has all its words.
use super::{
    CompanyInSearch, Names, english, identified::LABELS, not_registered,
    not_registered::NotRegistered, search::RankedCompanies,
};
use crate::types::{Identifier, TICKER_ROOT, is_ticker};

/// What a search names that is not there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum UnknownInSearch {
    /// A ticker, a CNPJ, an ISIN or a CVM code that no company has.
    Identifier {
        /// `ticker`, `CNPJ`, `ISIN` or `CVM code`.
        kind: &'static str,
        /// As it was given, in capital letters.
        given: String,
        /// What comes nearest: tickers of the same company, or one with two letters swapped.
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
    pub(super) fn search_near(&self, words: &[&str]) -> RankedCompanies {
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

    /// What some words of a search for filings name that is not there.
    pub(crate) fn unknown_in(&self, words: &[&str]) -> Option<UnknownInSearch> {
        let words = &words[..words.len().min(LOOKED_AT)];
        let unknown = self.identified_in(words).unknown;
        unknown.or_else(|| not_registered::find_within(words).map(UnknownInSearch::Company))
    }

    /// What to return for a ticker that no company has: active companies that have its letters as a word of their names
    /// (`ITAU5`), but not those whose names merely begin with them (`MELI34`).
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
        if !words.iter().any(|word| english::portuguese(word).is_some()) {
            return None;
        }
        let mut all: Vec<Vec<&str>> = vec![Vec::new()];
        for word in words {
            let others = english::portuguese(word).unwrap_or_default();
            let is_known = english::portuguese(word).is_none()
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
        // What no company calls itself any more is not what is meant.
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
