//! Completes names and tickers while they are typed.
use super::{
    Names,
    company_names::{AliasKind, CompanyNames},
    reviewed_names::is_former,
    search::{WantedName, fit},
    vocabulary::IN_NAME,
};
use crate::types::{Identifier, Words};

/// A company that a text may become.
#[derive(Debug)]
pub(crate) struct SuggestedCompany<'n> {
    pub(crate) company: &'n CompanyNames,
    /// Why it is one, if neither its legal nor its trade name says so.
    pub(crate) reason: Option<SuggestionReason>,
}

/// Why a company is suggested: what matches, as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SuggestionReason {
    /// A ticker, its own or a former one.
    Ticker(String),
    /// A CVM code, a CNPJ or an ISIN.
    Number(String),
    /// A name that it had.
    FormerName(String),
    /// A brand, a nickname or a short form.
    OtherName(String),
    /// What the text was taken for.
    Spelling(String),
}

impl Names {
    /// Companies with names that have all the words, the last one as a prefix: first those whose whole name they are, active
    /// and listed ones, and those whose names start with the words. If there is none, those that are spelled alike.
    pub(crate) fn suggest(&self, query: &Words, most: usize) -> Vec<SuggestedCompany<'_>> {
        let words: Vec<&str> = query.all().collect();
        let Some(first) = words.first() else { return Vec::new() };
        let wanted = WantedName::new(&words);
        let identified = self.find_identified(&words).into_iter().map(|at| (at, IN_NAME));
        let fitting = self.find_having_all(&words).into_iter().chain(identified);
        let companies = fitting
            .filter(|(_, places)| places & IN_NAME != 0)
            .map(|(at, _)| &self.companies[at as usize]);
        let mut keyed: Vec<_> = companies
            .map(|company| {
                let starts = company.names.iter().any(|name| name.words[0].starts_with(first));
                let is_whole = wanted.is_name_of(company);
                let key = (!is_whole, company.standing, !company.is_listed, !starts, company.code);
                (key, company)
            })
            .collect();
        let most_of_these = most.min(keyed.len());
        if most_of_these < keyed.len() {
            keyed.select_nth_unstable_by_key(most_of_these, |(key, _)| *key);
        }
        keyed.truncate(most_of_these);
        keyed.sort_unstable_by_key(|(key, _)| *key);
        keyed.dedup_by_key(|(key, _)| *key);
        let found: Vec<_> = keyed
            .into_iter()
            .map(|(_, company)| SuggestedCompany { company, reason: reason(company, &words) })
            .collect();
        if found.is_empty() { self.suggest_spelled_alike(query, most) } else { found }
    }

    /// Active companies whose names are the words but for typing errors.
    fn suggest_spelled_alike(&self, query: &Words, most: usize) -> Vec<SuggestedCompany<'_>> {
        /// Fewer letters are like anything.
        const SHORTEST: usize = 4;
        if query.all().map(str::len).sum::<usize>() < SHORTEST {
            return Vec::new();
        }
        let found = self.search(query);
        let corrected: Vec<String> =
            found.differences.corrected.iter().map(|(_, to)| to.clone()).collect();
        if corrected.is_empty() {
            return Vec::new();
        }
        let companies = found.codes.iter().filter_map(|code| self.get(*code));
        let active = companies.filter(|company| company.standing == 0).take(most);
        let text = corrected.join(" ");
        let spelled = |company| SuggestedCompany {
            company,
            reason: Some(SuggestionReason::Spelling(text.clone())),
        };
        active.map(spelled).collect()
    }

    /// Tickers that start with the only word, each with its company.
    pub(crate) fn tickers_with_prefix(
        &self,
        words: &[&str],
        most: usize,
    ) -> Vec<(&str, &CompanyNames)> {
        // Fewer letters begin too many.
        const SHORTEST: usize = 4;
        let [word] = words else { return Vec::new() };
        if word.len() < SHORTEST {
            return Vec::new();
        }
        let companies =
            self.find_having_all(words).into_iter().map(|(at, _)| &self.companies[at as usize]);
        let tickers = companies.flat_map(|company| {
            company.tickers.iter().map(move |ticker| (ticker.as_str(), company))
        });
        tickers.filter(|(ticker, _)| ticker.starts_with(word)).take(most).collect()
    }
}

/// Why a company matches, if neither its legal nor its trade name nor a ticker that is shown beside it says so.
fn reason(company: &CompanyNames, words: &[&str]) -> Option<SuggestionReason> {
    let fitting = || company.names.iter().filter(|name| fit(name, words).is_some());
    if fitting().any(|name| matches!(name.kind, AliasKind::Legal | AliasKind::Trade)) {
        return None;
    }
    if let [word] = words {
        if company.tickers.iter().any(|ticker| ticker.starts_with(word)) {
            return None;
        }
        match Identifier::of_word(word) {
            Some(Identifier::Ticker(ticker)) => {
                return Some(SuggestionReason::Ticker(ticker.to_ascii_uppercase()));
            }
            Some(_) => return Some(SuggestionReason::Number(word.to_ascii_uppercase())),
            None => (),
        }
    }
    // The shortest is what was typed.
    let name = fitting().min_by_key(|name| (name.kind == AliasKind::Filed, name.words.len()))?;
    let text = name.words.join(" ");
    let was = name.kind == AliasKind::Filed || is_former(company.code, &text);
    let text = capitalised(&text);
    Some(if was { SuggestionReason::FormerName(text) } else { SuggestionReason::OtherName(text) })
}

/// A folded name with capital letters where words begin.
pub(crate) fn capitalised(folded: &str) -> String {
    let words = folded.split(' ').map(|word| {
        if is_small(word) {
            return word.to_owned();
        }
        let (first, rest) = word.split_at_checked(1).unwrap_or((word, ""));
        first.to_ascii_uppercase() + rest
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Whether a word within a name has no capital letter.
fn is_small(word: &str) -> bool {
    matches!(word, "da" | "das" | "de" | "do" | "dos" | "e")
}
