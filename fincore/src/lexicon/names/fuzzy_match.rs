//! Finds companies whose names are near to words with typing errors, or that are joined or split differently.
//!
//! Words are compared by the trigrams they share, and by the number of letters to change. Besides single words, runs
//! of words at the start of a name are compared as if they were joined, so that `smartfit` and `rede dor` find what
//! is written in two and three words.
use std::collections::HashMap;

use crate::lexicon::{
    Names,
    names::{
        LONGEST_RUN, NameTerm, TrigramIndex,
        company_names::CompanyNames,
        generic_words::{is_beside_names, is_common, is_generic},
    },
};

/// How near two words must be to count at all.
const NEAR: f32 = 0.45;
/// How near a term must be to words that are joined: trigrams of one of them alone do not count.
const SAME: f32 = 0.8;
/// How near a company must be to be returned, by one word and by several: one of several may be about something else.
const SHOWN: [f32; 2] = [0.55, 0.42];
/// How much farther away than the nearest company it may be.
const MARGIN: f32 = 0.12;
/// Added to the score if a name starts with one of the words.
const START: f32 = 0.08;
/// Added to the score of the company that the words name for certain.
const NAMED: f32 = 0.2;
/// How near a name must be for a confident match, by one word and by several: one of several may be about something else.
const SURE: [f32; 2] = [0.75, 0.92];
/// The most companies that are returned.
const MOST: usize = 20;
/// The most words of a search that are compared; hardly a name has more.
const LOOKED_AT: usize = 6;

impl CompanyNames {
    /// Whether one of its names starts with one of these words, but for words that many names have.
    fn starts_with_any(&self, words: &[&str]) -> bool {
        let starts =
            self.names.iter().filter_map(|name| name.words.iter().find(|word| !is_common(word)));
        starts.into_iter().any(|start| words.contains(&start.as_str()))
    }
}

impl Names {
    /// Builds the trigram index, which otherwise the first search without an exact match builds.
    pub(crate) fn prepare(&self) {
        self.trigrams();
    }

    fn trigrams(&self) -> &TrigramIndex {
        self.trigrams.get_or_init(|| TrigramIndex::new(&self.companies))
    }

    /// Whether a name has this word, or words that are this one when they are joined, but for a letter or two.
    pub(crate) fn has_term_like(&self, word: &str) -> bool {
        const LIKE: f32 = 0.9;
        !self.trigrams().near(word, LIKE).is_empty()
    }

    /// How much it says about a company that it has this word.
    #[allow(clippy::cast_precision_loss, reason = "there are few companies")]
    fn weight(&self, word: &str) -> f32 {
        if is_common(word) {
            0.15
        } else if is_beside_names(word) {
            0.2
        } else {
            1.0 / (1.0 + 0.5 * (self.vocabulary.companies_with(word).len() as f32).ln_1p())
        }
    }

    /// The codes of the companies that are nearest, best first; the one that the words name for certain is nearer than by its
    /// spelling.
    pub(crate) fn find_nearest(&self, words: &[&str], named: Option<u32>) -> Vec<u32> {
        let words = &words[..words.len().min(LOOKED_AT)];
        let weights: Vec<f32> = words.iter().map(|word| self.weight(word)).collect();
        let sum: f32 = weights.iter().sum();
        // For each company, how near each word is to one of its own.
        let mut best: HashMap<u32, Vec<f32>> = HashMap::new();
        for start in 0..words.len() {
            for end in start + 1..=words.len().min(start + LONGEST_RUN) {
                // A common word says nothing by itself, but it does in a joined name.
                if end - start == 1 && is_common(words[start]) {
                    continue;
                }
                let joined = words[start..end].concat();
                let least = if end - start > 1 { SAME } else { NEAR };
                for (term, near) in self.trigrams().near(&joined, least) {
                    for company in &term.companies {
                        let scores = best.entry(*company).or_insert_with(|| vec![0.0; words.len()]);
                        scores[start..end].iter_mut().for_each(|score| *score = score.max(near));
                    }
                }
            }
        }
        let scored = best.into_iter().map(|(at, scores)| {
            let company = &self.companies[at as usize];
            let score =
                scores.iter().zip(&weights).map(|(score, weight)| score * weight).sum::<f32>()
                    / sum;
            let start = if company.starts_with_any(words) { START } else { 0.0 };
            (score + start, company)
        });
        let shown = if words.len() == 1 { SHOWN[0] } else { SHOWN[1] };
        let mut scored: Vec<(f32, &CompanyNames)> =
            scored.filter(|(score, _)| *score >= shown).collect();
        let top = scored.iter().map(|(score, _)| *score).fold(0.0, f32::max);
        scored.retain(|(score, _)| *score >= top - MARGIN);
        for (score, company) in &mut scored {
            *score += if named == Some(company.code) { NAMED } else { 0.0 };
        }
        // Companies that are about as near are ordered by standing.
        let step = |score: f32| (score * 20.0).round();
        scored.sort_by(|(a, one), (b, other)| {
            let standing = |company: &CompanyNames| (company.standing, !company.is_listed);
            (step(*b).total_cmp(&step(*a)))
                .then_with(|| standing(one).cmp(&standing(other)))
                .then_with(|| b.total_cmp(a))
                .then_with(|| one.code.cmp(&other.code))
        });
        scored.truncate(MOST);
        let mut codes: Vec<u32> = scored.into_iter().map(|(_, company)| company.code).collect();
        if let Some(named) = named.filter(|named| !codes.contains(named)) {
            codes.insert(0, named);
        }
        codes
    }

    /// How the words of a search differ from those of the nearest companies, best first: words that the best one spells
    /// otherwise, and words that not all of them have.
    pub(crate) fn differences(&self, words: &[&str], nearest: &[u32]) -> Differences {
        let mut differences = Differences::default();
        let companies: Vec<&CompanyNames> =
            nearest.iter().filter_map(|code| self.get(*code)).collect();
        let best = nearest.first().and_then(|code| self.by_code.get(code));
        let best = best.and_then(|at| u32::try_from(*at).ok());
        let is_of_best = |term: &NameTerm| best.is_some_and(|at| term.companies.contains(&at));
        let joined = words.concat();
        let is_joined = |(term, _): &(&NameTerm, f32)| is_of_best(term);
        if words.len() > 1 && self.trigrams().near(&joined, SAME).iter().any(is_joined) {
            let name = companies.first().map(|company| company.legal_name.clone());
            differences.corrected.extend(name.map(|name| (words.join(" "), name)));
            return differences;
        }
        for word in &words[..words.len().min(LOOKED_AT)] {
            let has = |company: &&CompanyNames| {
                let mut own = company.words().chain(company.sector.iter().map(String::as_str));
                own.any(|known| known.starts_with(word)) || company.has_in_expression(word, words)
            };
            if companies.iter().all(has) {
                continue;
            }
            let near = self.trigrams().near(word, NEAR).into_iter();
            let near = near.filter(|(term, _)| is_of_best(term) && !is_common(word));
            match near.max_by(|(_, a), (_, b)| a.total_cmp(b)) {
                Some((term, _)) if term.text() != *word => {
                    differences.corrected.push(((*word).to_owned(), term.text().to_owned()));
                }
                Some(_) | None => differences.dropped.push((*word).to_owned()),
            }
        }
        differences
    }

    /// The company whose name these words are, but for joining, splitting or a typing error; and the word or joined
    /// words of its name that are meant.
    pub(crate) fn confident_match(&self, words: &[&str]) -> Option<(u32, &str)> {
        const SHORTEST: usize = 5;
        let joined = words.concat();
        if joined.len() < SHORTEST
            || !self.vocabulary.companies_with(&joined).is_empty() && words.len() == 1
        {
            return None;
        }
        let sure = if words.len() == 1 { SURE[0] } else { SURE[1] };
        let near = self.trigrams().near(&joined, sure).into_iter();
        let near = near.filter(|(term, _)| words.len() > 1 || !is_generic(term.text()));
        let near = near.flat_map(|(term, near)| {
            let text = term.text();
            term.companies.iter().map(move |at| (near, &self.companies[*at as usize], text))
        });
        let best = near.max_by(|(a, one, _), (b, other, _)| {
            (a.total_cmp(b))
                .then_with(|| other.standing.cmp(&one.standing))
                .then_with(|| one.is_listed.cmp(&other.is_listed))
                .then_with(|| other.code.cmp(&one.code))
        });
        let (_, company, text) = best?;
        // Once it is corrected, a word names the company that it names for those who spell it so.
        let meant = self.surest_company(&[text]).and_then(|named| named.codes.first().copied());
        Some((meant.unwrap_or(company.code), text))
    }
}

/// How the words of a search differ from those of the nearest matches.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Differences {
    /// Words that not all of them have.
    pub(crate) dropped: Vec<String>,
    /// Words that are spelled otherwise there: as given, and as they are.
    pub(crate) corrected: Vec<(String, String)>,
}
