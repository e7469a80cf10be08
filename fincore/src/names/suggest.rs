//! Completes names and tickers while they are typed.
use super::{Names, company_names::CompanyNames, vocabulary::IN_NAME};

impl Names {
    /// Companies with names that have all the words, the last one as a prefix: active and listed ones
    /// first, and those whose names start with the words.
    pub(crate) fn suggest(&self, words: &[&str], most: usize) -> Vec<&CompanyNames> {
        let Some(first) = words.first() else { return Vec::new() };
        let identified = self.find_identified(words).into_iter().map(|at| (at, IN_NAME));
        let fitting = self.find_having_all(words).into_iter().chain(identified);
        let companies = fitting
            .filter(|(_, places)| places & IN_NAME != 0)
            .map(|(at, _)| &self.companies[at as usize]);
        let mut keyed: Vec<_> = companies
            .map(|company| {
                let starts = company.names.iter().any(|name| name.words[0].starts_with(first));
                ((company.standing, !company.is_listed, !starts, company.code), company)
            })
            .collect();
        let most = most.min(keyed.len());
        if most < keyed.len() {
            keyed.select_nth_unstable_by_key(most, |(key, _)| *key);
        }
        keyed.truncate(most);
        keyed.sort_unstable_by_key(|(key, _)| *key);
        keyed.dedup_by_key(|(key, _)| *key);
        keyed.into_iter().map(|(_, company)| company).collect()
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
