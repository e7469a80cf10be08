//! Which company the words of a search name, and which of the words name it.
use std::ops::Range;

use super::{
    Names,
    generic_words::{is_common, is_generic},
    search::{MatchedBy, Rank, WantedName, rank},
    vocabulary::{IN_NAME, WordOwner},
};
use crate::{language::is_particle, types::Identifier};

/// A company that a search names for certain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NamedCompany {
    /// Its CVM code.
    pub(crate) code: u32,
    /// The places of the words that name it; the others are about something else.
    pub(crate) words: Range<usize>,
    /// Whether they are its whole name or identify it; otherwise they are words that hardly another company has.
    pub(crate) is_whole: bool,
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

/// How many words of a search may name the company: people start with it, or write little else.
const LOOKED_AT: usize = 12;

/// Hardly a name has more words.
const LONGEST: usize = 5;

/// How certain it is that a run of words names a company, the least certain first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Certainty {
    /// The words stand somewhere in its name, and in hardly another.
    Inside,
    /// Its name starts with the words, and hardly another does.
    Start,
    /// The name of a listed company starts with the words, and of no other listed one.
    ListedStart,
    /// They are the whole name, but for its legal form.
    Whole,
    /// The whole name of a listed company.
    ListedWhole,
    /// A ticker, a CNPJ or an ISIN.
    Identified,
}

impl Names {
    /// The company that a search names for certain, and the words that name it: by its ticker, CNPJ or ISIN, by its whole
    /// name or a brand, or by words that hardly another company has.
    ///
    /// A longer run of words counts more than one of its words (`light energia` is not `light`), and a listed company more
    /// than others. Words that are in documents as well as in names, such as `energia` and `capital`, name nothing by
    /// themselves, unless they are the whole search.
    pub(crate) fn named_for_certain(&self, words: &[&str]) -> Option<NamedCompany> {
        let words = &words[..words.len().min(LOOKED_AT)];
        let lengths = 1..=words.len().min(LONGEST);
        let runs =
            lengths.flat_map(|length| (0..=words.len() - length).map(move |at| at..at + length));
        let named = runs.filter_map(|run| {
            let (certainty, code) = self.certainty(words, &run)?;
            // Where two runs are equally certain, the first in the search counts.
            let key = match certainty {
                Certainty::Identified => (2, run.len(), certainty),
                // A run of several words says more than each of them.
                Certainty::Whole | Certainty::ListedWhole => (1, run.len(), certainty),
                Certainty::Start | Certainty::ListedStart if run.len() > 1 => {
                    (1, run.len(), certainty)
                }
                _ => (1, 1, certainty),
            };
            Some((
                key,
                std::cmp::Reverse(run.start),
                NamedCompany { code, words: run, is_whole: certainty >= Certainty::Whole },
            ))
        });
        named.max_by_key(|(key, start, _)| (*key, *start)).map(|(_, _, named)| named)
    }

    /// How certain it is that a run of words names a company, and which.
    fn certainty(&self, words: &[&str], run: &Range<usize>) -> Option<(Certainty, u32)> {
        /// How many companies may share words that name one of them for certain.
        const FEW: usize = 3;
        let text = &words[run.clone()];
        let (first, last) = (text.first()?, text.last()?);
        if is_particle(first) || is_particle(last) || text.iter().any(|word| !word.is_ascii()) {
            return None;
        }
        if let [word] = text
            && let Some(identifier) = Identifier::of_word(word)
        {
            // A number alone may be anything.
            let found = match identifier {
                Identifier::Code(_) => return None,
                identifier => self.identify(&identifier),
            };
            let companies = found.positions.iter().map(|at| &self.companies[*at as usize]);
            let best =
                companies.min_by_key(|company| (company.standing, std::cmp::Reverse(company.code)));
            return best.filter(|_| found.is_theirs).map(|best| (Certainty::Identified, best.code));
        }
        let says_little = text.iter().all(|word| is_generic(word));
        if says_little && text.len() == 1 && words.len() > 1 {
            return None;
        }
        let (positions, wanted) = (self.find_in_names(text), WantedName::new(text));
        let ranks = positions
            .iter()
            .map(|at| rank(&self.companies[*at as usize], &wanted, MatchedBy::Name));
        let best = ranks.min()?;
        let is_listed = !best.unlisted;
        let certainty = match (best.tier < 2, is_listed) {
            (true, true) => Certainty::ListedWhole,
            // `Estado de São Paulo` may be part of anything.
            (true, false) if !says_little => Certainty::Whole,
            _ if says_little || best.standing > 0 || !self.stand_side_by_side(best, text) => {
                return None;
            }
            _ if is_listed && !best.inside && self.is_only_listed(&positions) => {
                Certainty::ListedStart
            }
            _ if positions.len() > FEW => return None,
            _ if !best.inside => Certainty::Start,
            _ => Certainty::Inside,
        };
        Some((certainty, best.code))
    }

    /// The positions of companies that have these words in names, or a reviewed name of just these words.
    fn find_in_names(&self, words: &[&str]) -> Vec<u32> {
        let mut positions = self.find_named(words);
        if let Some((length, codes)) =
            self.expression(words).filter(|(length, _)| *length == words.len())
        {
            debug_assert_eq!(length, words.len());
            let at = codes.iter().filter_map(|code| self.by_code.get(code));
            positions.extend(at.filter_map(|at| u32::try_from(*at).ok()));
            positions.sort_unstable();
            positions.dedup();
        }
        positions
    }

    fn stand_side_by_side(&self, best: Rank, words: &[&str]) -> bool {
        let run: Vec<&str> = words.iter().copied().filter(|word| !is_particle(word)).collect();
        self.get(best.code)
            .is_some_and(|company| company.names.iter().any(|name| name.has_run(&run)))
    }

    /// Whether only one of these companies is active and listed.
    fn is_only_listed(&self, positions: &[u32]) -> bool {
        let companies = positions.iter().map(|at| &self.companies[*at as usize]);
        companies.filter(|company| company.is_listed && company.standing == 0).count() == 1
    }

    /// The company that a search is about: the one that it names for certain; or else the best match of the longest run of
    /// words that names a listed company or, by several words, an active one; or else any whose name starts with the run.
    pub(crate) fn meant_company(&self, words: &[&str]) -> Option<u32> {
        if let Some(named) = self.named_for_certain(words) {
            return Some(named.code);
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
    pub(crate) fn nearly_meant_company<'w>(&self, words: &[&'w str]) -> Option<NearlyMeant<'w>> {
        let words = &words[..words.len().min(LOOKED_AT)];
        let others = words.iter().find_map(|word| self.of_unknown_ticker(word));
        let named = self.named_for_certain(words);
        let spelled = self.nearly_spelled_company(words);
        match (named, spelled, others) {
            (Some(named), Some(spelled), _)
                if spelled.code == named.code && spelled.words.len() > named.words.len() =>
            {
                Some(spelled)
            }
            (Some(NamedCompany { code, words: run, .. }), ..) => {
                Some(NearlyMeant { code, words: words[run].to_vec(), meant: None })
            }
            (None, spelled, Some(other)) => {
                Some(spelled.filter(|spelled| spelled.code == other.code).unwrap_or(other))
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
    fn nearly_spelled_company<'w>(&self, words: &[&'w str]) -> Option<NearlyMeant<'w>> {
        for length in (1..=words.len().min(4)).rev() {
            for run in words.windows(length) {
                if !self.says_something(run) {
                    continue;
                }
                if let Some((code, term)) = self.confident_match(run) {
                    let company = self.get(code);
                    let is_word =
                        |company: &&_| super::CompanyNames::words(company).any(|own| own == term);
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

#[cfg(test)]
#[cfg(feature = "bundle")]
mod tests {
    use crate::{bundle, names::Names, types::Date};

    #[test]
    fn a_search_names_a_company_for_certain_or_none() {
        let dir = tempfile::tempdir().unwrap();
        let catalogue = bundle::filled_copy(dir.path()).unwrap();
        let snapshot = catalogue.snapshot(Date::MAX).unwrap();
        let names = snapshot.memo(Names::read).unwrap();
        let named = |text: &str| {
            let words: Vec<&str> = text.split(' ').collect();
            let named = names.named_for_certain(&words)?;
            Some((named.code, words[named.words].join(" ")))
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
