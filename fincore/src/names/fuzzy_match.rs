//! Finds companies whose names are near to words with typing errors, or that are joined or split differently.
//!
//! Words are compared by the trigrams they share, and by the number of letters to change. Besides single words, runs
//! of words at the start of a name are compared as if they were joined, so that `smartfit` and `rede dor` find what
//! is written in two and three words.
use std::collections::HashMap;

use super::{
    Names,
    company_names::CompanyNames,
    trigrams::{LONGEST_RUN, TrigramIndex, is_common},
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

    /// How much it says about a company that it has this word.
    #[allow(clippy::cast_precision_loss, reason = "there are few companies")]
    fn weight(&self, word: &str) -> f32 {
        match is_common(word) {
            true => 0.15,
            false => {
                1.0 / (1.0 + 0.5 * (self.vocabulary.companies_with(word).len() as f32).ln_1p())
            }
        }
    }

    /// The codes of the companies that are nearest, best first.
    pub(super) fn find_nearest(&self, words: &[&str]) -> Vec<u32> {
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
            (score + if company.starts_with_any(words) { START } else { 0.0 }, company)
        });
        let shown = if words.len() == 1 { SHOWN[0] } else { SHOWN[1] };
        let mut scored: Vec<(f32, &CompanyNames)> =
            scored.filter(|(score, _)| *score >= shown).collect();
        let top = scored.iter().map(|(score, _)| *score).fold(0.0, f32::max);
        scored.retain(|(score, _)| *score >= top - MARGIN);
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
        scored.into_iter().map(|(_, company)| company.code).collect()
    }

    /// The active company whose name these words are, but for joining, splitting or a typing error.
    pub(super) fn confident_match(&self, words: &[&str]) -> Option<u32> {
        const SHORTEST: usize = 5;
        let joined = words.concat();
        if joined.len() < SHORTEST
            || !self.vocabulary.companies_with(&joined).is_empty() && words.len() == 1
        {
            return None;
        }
        let sure = if words.len() == 1 { SURE[0] } else { SURE[1] };
        let near = self.trigrams().near(&joined, sure).into_iter();
        let near = near.flat_map(|(term, near)| {
            term.companies.iter().map(move |at| (near, &self.companies[*at as usize]))
        });
        let active = near.filter(|(_, company)| company.standing == 0);
        let best = active.max_by(|(a, one), (b, other)| {
            (a.total_cmp(b))
                .then_with(|| one.is_listed.cmp(&other.is_listed))
                .then_with(|| other.code.cmp(&one.code))
        });
        best.map(|(_, company)| company.code)
    }
}
