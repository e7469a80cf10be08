//! Finds the company that the words of a search are about, if they name none for certain; and completes names while
//! they are typed.
use crate::{
    lexicon::{
        Names, WordOwner,
        names::{
            IN_NAME,
            company_names::{self, AliasKind, CompanyNames},
            generic_words::is_common,
            name_search::{MatchedBy, Rank, WantedName, fit, rank},
            reviewed_names::is_former,
        },
    },
    values::{Identifier, Words},
};

/// A company that some words of a search nearly name.
#[derive(Debug)]
pub(crate) struct NearlyMeant<'w> {
    pub(crate) code: u32,
    /// The words that name it.
    pub(crate) words: Vec<&'w str>,
    /// The name they were taken for, unless they are its own.
    pub(crate) meant: Option<String>,
}

/// How many words of a search may name the company: people start with it, or write little else.
const LOOKED_AT: usize = 12;

/// Hardly a name has more words.
const LONGEST: usize = 5;

impl Names {
    /// The company that a search is about: the one that it names for certain; or else the best match of the longest run of
    /// words that names a listed company or, by several words, an active one; or else any whose name starts with the run.
    pub(crate) fn meant_company(&self, words: &[&str]) -> Option<u32> {
        if let Some(named) = self.surest_company(words) {
            return named.codes.first().copied();
        }
        let words = &words[..words.len().min(LOOKED_AT)];
        let well_known = |run: &[&str], best: &Rank| {
            best.tier == 0 || !best.unlisted || run.len() > 1 && best.standing == 0
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
        let lengths = (1..=words.len().min(LONGEST)).rev();
        let runs = lengths.flat_map(|length| words.windows(length));
        let mut best = runs.filter(|run| self.says_something(run)).filter_map(|run| {
            let wanted = WantedName::new(run);
            let identified =
                self.find_identified(run).into_iter().map(|at| (at, MatchedBy::Identity));
            let named = self.find_named(run).into_iter().map(|at| (at, MatchedBy::Name));
            let ranks = identified
                .chain(named)
                .map(|(at, by)| rank(&self.companies[at as usize], &wanted, by));
            ranks.min().filter(|best| accepts(run, best))
        });
        best.next().map(|best| best.code)
    }

    /// The company that some words name for certain or nearly name, and which words those are.
    /// One word that `is_frequent` elsewhere is no typing error.
    pub(crate) fn nearly_meant_company<'w>(
        &self,
        words: &[&'w str],
        is_frequent: &dyn Fn(&str) -> bool,
    ) -> Option<NearlyMeant<'w>> {
        let words = &words[..words.len().min(LOOKED_AT)];
        let others = words.iter().find_map(|word| self.of_unknown_ticker(word));
        let named =
            self.surest_company(words).and_then(|named| Some((*named.codes.first()?, named.at)));
        let spelled = self.nearly_spelled_company(words, is_frequent);
        match (named, spelled, others) {
            (Some((code, run)), Some(spelled), _)
                if spelled.code == code && spelled.words.len() > run.len() =>
            {
                Some(spelled)
            }
            (Some((code, run)), ..) => {
                Some(NearlyMeant { code, words: words[run].to_vec(), meant: None })
            }
            (None, spelled, Some(other)) => {
                let says_more = |spelled: &NearlyMeant<'_>| {
                    spelled.code == other.code && spelled.words.len() > other.words.len()
                };
                Some(spelled.filter(says_more).unwrap_or(other))
            }
            (None, Some(spelled), None) => Some(spelled),
            (None, None, None) => self.meant_company(words).map(|code| {
                let company = self.get(code);
                let own = |word: &&str| {
                    company.is_some_and(|company| company.words().any(|known| known == *word))
                };
                let words = words.iter().copied().filter(own).collect();
                NearlyMeant { code, words, meant: None }
            }),
        }
    }

    /// The company whose tickers begin like one that no company has: `PETR99`.
    fn of_unknown_ticker<'w>(&self, word: &'w str) -> Option<NearlyMeant<'w>> {
        let identifier = Identifier::of_word(word)?;
        let found = self.identify(&identifier);
        let at = found.positions.first().filter(|_| !found.is_theirs)?;
        let company = &self.companies[*at as usize];
        Some(NearlyMeant {
            code: company.code,
            words: vec![word],
            meant: Some(company.legal_name.clone()),
        })
    }

    /// The company whose name some words are but for spelling.
    pub(crate) fn nearly_spelled_company<'w>(
        &self,
        words: &[&'w str],
        is_frequent: &dyn Fn(&str) -> bool,
    ) -> Option<NearlyMeant<'w>> {
        for length in (1..=words.len().min(4)).rev() {
            for run in words.windows(length) {
                let is_other = matches!(run, [word] if is_frequent(word));
                if is_other || !self.says_something(run) {
                    continue;
                }
                if let Some((code, term)) = self.confident_match(run) {
                    let company = self.get(code);
                    let is_word = |company: &&_| {
                        company_names::CompanyNames::words(company).any(|own| own == term)
                    };
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
        None
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
}

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
    /// The spelling that the text was corrected to.
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

#[cfg(test)]
mod tests {
    use crate::import::bundle;

    use crate::{lexicon::names::Names, values::Date};

    #[test]
    fn a_search_names_a_company_for_certain_or_none() {
        let dir = tempfile::tempdir().unwrap();
        let catalogue = bundle::filled_copy(dir.path()).unwrap();
        let snapshot = catalogue.snapshot(Date::MAX).unwrap();
        let names = snapshot.memo(Names::read).unwrap();
        let named = |text: &str| {
            let words: Vec<&str> = text.split(' ').collect();
            let named = names.surest_company(&words)?;
            Some((named.codes[0], words[named.at].join(" ")))
        };
        for (text, code, words) in [
            ("moodys eleva rating petrobras", 9512, "petrobras"),
            ("bonds no exterior jbs", 20575, "jbs"),
            ("recuperacao judicial light", 19879, "light"),
            ("debentures light energia 2024", 23000, "light energia"),
            ("dividendos do banco do brasil", 1023, "banco do brasil"),
            ("vale3 fato relevante", 4170, "vale3"),
            ("ata energisa ms", 5576, "energisa ms"),
            ("reserva de capital gerdau", 3980, "gerdau"),
            ("resultado magalu 3t24", 22470, "magalu"),
        ] {
            assert_eq!(named(text), Some((code, words.to_owned())), "{text}");
        }
        for text in [
            "aumento de capital social",
            "fato relevante 2024",
            "emissao de debentures",
            "energia eletrica",
        ] {
            assert_eq!(named(text), None, "{text}");
        }
    }
}
