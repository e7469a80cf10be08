//! Which company the words of a search are about, if they name none for certain, and which of the words say so.
use super::{
    Names,
    generic_words::is_common,
    search::{MatchedBy, Rank, WantedName, rank},
    vocabulary::{IN_NAME, WordOwner},
};
use crate::types::Identifier;

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
    pub(super) fn nearly_spelled_company<'w>(
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
