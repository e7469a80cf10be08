//! The search for filings: what its words mean, what meets them, and in which order it is shown.
use strsim::osa_distance;

use crate::{
    answers::{CorrectedWords, LinkedWords, Page},
    companies::hint_at_unknown,
    filings::{
        ClassLevels, Filing, MeantCompany, Search, SearchUnit, UnitSense,
        filing::with_index,
        near_search::{NearSearch, near_searches},
        queries::{Filter, page_of},
        search_tiers::{all, tiers, without_links},
        search_units::units,
        with_hints,
    },
    index::{Condition, Executor, KeyPage},
    lexicon::{Names, UnknownInSearch, nearest_word},
    store::Snapshot,
    values::{Error, Invalid, Limit, Offset, Result, Words, fold},
};

/// Filings with all the words. The words are looked for in category, type, species and subject; in all names of the
/// company, its tickers, CVM code and CNPJ; and in the years of delivery and reference.
///
/// The filings of a company that the words name for certain come first, then those that meet the search fully, then
/// those that meet it by the start of a word, a name or a linked word; the newest first among each. By relevance,
/// filings about the words come before filings that only mention them.
pub fn search(snapshot: &Snapshot, query: Search) -> Result<Page<Filing>> {
    let filter = Filter::new(snapshot, &query.filter_fields())?;
    let names = snapshot.memo(Names::read)?;
    let classes = snapshot.memo(ClassLevels::read)?;
    let search = RunningSearch::new(&filter, &query, &query.q, &names, &classes);
    let (found, unknown) = with_index(snapshot, |index| {
        if let Some(found) = search.exactly(index)? {
            return Ok((found, None));
        }
        let respelled = search.respelled(index, &classes)?;
        let found = match with_words(&query.q, &respelled) {
            Some(words) => {
                let search = RunningSearch::new(&filter, &query, &words, &names, &classes);
                let mut found = search.find(index)?;
                found.near.get_or_insert_default().corrected.extend(respelled);
                found
            }
            None => search.nearly(index)?,
        };
        let is_near = found.near.is_some() || found.keys.total == 0;
        let unknown = if is_near { search.unknown(index)? } else { None };
        Ok((found, unknown))
    })?;
    let mut page = page_of(snapshot, found.keys, query.limit, query.offset)?;
    page.meta.linked = found.linked;
    if let Some(near) = found.near.filter(|_| page.total > 0) {
        page.meta.fuzzy = true;
        page.meta.dropped = near.dropped;
        page.meta.corrected =
            near.corrected.into_iter().map(|(from, to)| CorrectedWords { from, to }).collect();
    }
    page = with_hints(snapshot, page, &query.filter_fields())?;
    page.meta.hints.extend(unknown.map(hint_at_unknown));
    Ok(page)
}

/// A search with all that its words mean.
struct RunningSearch<'s> {
    filter: &'s Filter,
    units: Vec<SearchUnit>,
    meant: Option<MeantCompany<'s>>,
    names: &'s Names,
    query: &'s Search,
}

#[derive(Default)]
struct FoundFilings {
    keys: KeyPage,
    linked: Vec<LinkedWords>,
    /// How it differs from the search, if nothing meets it.
    near: Option<NearWords>,
}

/// The words that not all matches have, and those that were taken for others.
#[derive(Default)]
struct NearWords {
    dropped: Vec<String>,
    corrected: Vec<(String, String)>,
}

impl<'s> RunningSearch<'s> {
    fn new(
        filter: &'s Filter,
        query: &'s Search,
        words: &Words,
        names: &'s Names,
        classes: &ClassLevels,
    ) -> RunningSearch<'s> {
        let units = units(words, names, classes);
        let meant = MeantCompany::of(&units, names);
        RunningSearch { filter, units, meant, names, query }
    }

    fn find(&self, index: &Executor<'_>) -> Result<FoundFilings> {
        match self.exactly(index)? {
            Some(found) => Ok(found),
            None => self.nearly(index),
        }
    }

    /// The filings that meet the whole search, unless all are filed by others than the company that is named, or those
    /// whose names start alike.
    fn exactly(&self, index: &Executor<'_>) -> Result<Option<FoundFilings>> {
        let named = self.meant.as_ref().filter(|company| company.is_certain);
        let family = named.map(MeantCompany::with_family);
        let meant = match named {
            None => self.meant.as_ref(),
            Some(company) if self.has_own(index, company)? => Some(company),
            Some(_) => match &family {
                Some(family) if self.has_own(index, family)? => Some(family),
                _ => return Ok(None),
            },
        };
        self.exactly_with(index, meant)
    }

    fn exactly_with(
        &self,
        index: &Executor<'_>,
        meant: Option<&MeantCompany<'_>>,
    ) -> Result<Option<FoundFilings>> {
        let keys = self.page(index, tiers(&self.units, meant, self.query.order))?;
        if keys.total == 0 {
            return Ok(None);
        }
        Ok(Some(FoundFilings { linked: self.linked(index, keys.total)?, keys, near: None }))
    }

    fn nearly(&self, index: &Executor<'_>) -> Result<FoundFilings> {
        let count = |condition| self.count(index, condition).unwrap_or_default();
        for mut near in near_searches(&self.units, self.meant.as_ref(), self.names, &count) {
            // Other companies' filings about the company are nearer than its own about something else.
            if near.is_company_only
                && let Some(found) = self.exactly_with(index, None)?
            {
                return Ok(found);
            }
            match self.near(index, &mut near) {
                Ok(found) if found.keys.total > 0 => return Ok(found),
                Ok(_) => (),
                // A fuzzy match is not worth failing for: such a search is too broad.
                Err(Error::Invalid(Invalid::SearchTooBroad)) => break,
                Err(err) => return Err(err),
            }
        }
        // A company that is named, but has no filings.
        Ok(self.exactly_with(index, None)?.unwrap_or_default())
    }

    /// Words that hardly a filing has, and words of the market that are spelled nearly so.
    fn respelled(
        &self,
        index: &Executor<'_>,
        classes: &ClassLevels,
    ) -> Result<Vec<(String, String)>> {
        /// How many times more filings have the right spelling, at least.
        const RARE: u64 = 50;
        let mut found = Vec::new();
        let unknown =
            self.units.iter().filter(|unit| unit.sense == UnitSense::Word && !unit.is_known);
        for word in unknown.flat_map(|unit| &unit.words) {
            let Some(near) = nearest_word(word, classes.words()) else { continue };
            // Spell the search as the company's own filings do.
            if let Some(company) = self.meant.as_ref().filter(|company| company.is_certain) {
                let own = [company.filings.clone(), Condition::Word(word.clone())];
                if self.count(index, Condition::all(own.into_iter()))? > 0 {
                    continue;
                }
            }
            let is_name = || {
                let company = self.names.nearly_meant_company(&[word], &|_| false);
                let name = company.and_then(|company| company.meant);
                name.is_some_and(|name| osa_distance(word, &name) < osa_distance(word, &near))
            };
            let having = self.count(index, Condition::Prefix(word.clone()))?;
            let is_rare = || -> Result<bool> {
                Ok(having * RARE <= self.count(index, Condition::Text(near.clone()))?)
            };
            if is_rare()? && !is_name() {
                found.push((word.clone(), near));
            }
        }
        Ok(found)
    }

    /// The part of the search that does not exist. A ticker that a filing mentions is not unknown, nor is a standard
    /// such as `IFRS16`.
    fn unknown(&self, index: &Executor<'_>) -> Result<Option<UnknownInSearch>> {
        let mut words: Vec<&str> = Vec::new();
        for word in self.query.q.all().filter(|word| word.is_ascii()) {
            let is_said = self.count(index, Condition::Word(word.to_owned()))? > 0;
            if word.starts_with("ifrs") {
                continue;
            }
            if !is_said || word.bytes().all(|byte| byte.is_ascii_alphabetic()) {
                words.push(word);
            }
        }
        Ok(self.names.unknown_in(&words))
    }

    /// Whether a company has filings that meet the search.
    fn has_own(&self, index: &Executor<'_>, company: &MeantCompany<'_>) -> Result<bool> {
        let own = Condition::all([company.filings.clone(), all(&self.units)].into_iter());
        Ok(self.count(index, own)? > 0)
    }

    fn near(&self, index: &Executor<'_>, near: &mut NearSearch) -> Result<FoundFilings> {
        let mut keys = self.page(index, near.tiers.clone())?;
        if keys.total == 0 {
            return Ok(FoundFilings::default());
        }
        if self.meant.as_ref().is_some_and(|company| company.is_certain) {
            // Other companies' filings with all the words come after the company's own.
            near.tiers.push(Condition::any(
                near.tiers.last().cloned().into_iter().chain([all(&self.units)]),
            ));
            keys = self.page(index, near.tiers.clone())?;
        }
        let dropped = self.dropped(index, near, keys.total)?;
        let corrected = near.corrected.clone().into_iter().collect();
        let near = Some(NearWords { dropped, corrected });
        Ok(FoundFilings { keys, linked: Vec::new(), near })
    }

    fn page(&self, index: &Executor<'_>, tiers: Vec<Condition>) -> Result<KeyPage> {
        self.filter.find(index, tiers, self.query.limit, self.query.offset)
    }

    fn count(&self, index: &Executor<'_>, condition: Condition) -> Result<u64> {
        Ok(self.filter.find(index, vec![condition], Limit::new(1)?, Offset::default())?.total)
    }

    /// The words that were linked to those of the search, if that found more.
    fn linked(&self, index: &Executor<'_>, total: u64) -> Result<Vec<LinkedWords>> {
        let with_links = self.units.iter().filter(|unit| !unit.links.is_empty());
        let linked: Vec<LinkedWords> = with_links.map(SearchUnit::linked_words).collect();
        if linked.is_empty() || self.count(index, without_links(&self.units))? == total {
            Ok(Vec::new())
        } else {
            Ok(linked)
        }
    }

    /// The words that not all of the nearest matches have.
    fn dropped(&self, index: &Executor<'_>, near: &NearSearch, total: u64) -> Result<Vec<String>> {
        let mut dropped = Vec::new();
        for (words, condition) in &near.optional {
            let both = near.tiers.last().cloned().into_iter().chain([condition.clone()]);
            match self.count(index, Condition::all(both)) {
                Ok(having) if having == total => (),
                Ok(_) => dropped.push(words.clone()),
                // Words that are too broad to count are not said to be missing.
                Err(Error::Invalid(Invalid::SearchTooBroad)) => (),
                Err(err) => return Err(err),
            }
        }
        Ok(dropped)
    }
}

/// Replaces some words of a search; `None` if there are none to replace.
fn with_words(words: &Words, others: &[(String, String)]) -> Option<Words> {
    if others.is_empty() {
        return None;
    }
    let folded = fold(words.as_str());
    let other = |word: &str| {
        others.iter().find(|(from, _)| from == word).map_or(word, |(_, to)| to).to_owned()
    };
    let (mut text, mut word) = (String::new(), String::new());
    for letter in folded.chars() {
        if letter.is_alphanumeric() {
            word.push(letter);
        } else {
            text += &other(&std::mem::take(&mut word));
            text.push(letter);
        }
    }
    (text + &other(&word)).parse().ok()
}

impl SearchUnit {
    fn linked_words(&self) -> LinkedWords {
        LinkedWords { from: self.words.join(" "), to: self.links.clone() }
    }
}
