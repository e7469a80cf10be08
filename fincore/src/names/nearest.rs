//! Finds companies whose names are near to words with typing errors, or joined and split otherwise.
//!
//! Words are compared by the trigrams they share, and by the number of letters to change. Besides single words, runs
//! of words at the start of a name are compared as if they were joined, so that `smartfit` and `rede dor` find what
//! is written in two and three words.
use std::collections::{BTreeMap, HashMap};

use strsim::osa_distance;

use super::{Named, Names};
use crate::language::is_particle;

/// How near two words must be to count at all.
const NEAR: f32 = 0.45;
/// How near a term must be to words that are joined: trigrams of one of them alone do not count.
const SAME: f32 = 0.8;
/// How near a company must be to be shown, by one word and by several: of several, one may be something else.
const SHOWN: [f32; 2] = [0.55, 0.42];
/// How much farther than the nearest one.
const MARGIN: f32 = 0.12;
/// What it adds that a name starts with one of the words.
const START: f32 = 0.08;
/// How near a name must be to be surely meant, by one word and by several: of those, one may be something else.
const SURE: [f32; 2] = [0.75, 0.92];
/// The most companies shown.
const MOST: usize = 20;
/// So many words of a search are compared; hardly a name has more.
const LOOKED_AT: usize = 6;
/// Names are joined over so many words.
const RUN: usize = 4;

/// Words that many names have, and that say nothing about which company it is.
const COMMON: [&str; 13] = [
    "sa",
    "cia",
    "companhia",
    "banco",
    "bco",
    "grupo",
    "holding",
    "participacoes",
    "part",
    "comercio",
    "industria",
    "ltda",
    "empresa",
];

/// Whether a word says nothing about which company it is.
pub(super) fn is_common(word: &str) -> bool {
    COMMON.contains(&word) || is_particle(word)
}

/// The words and joined runs of all names, by their trigrams.
#[derive(Debug)]
pub(super) struct Grams {
    terms: Vec<Term>,
    /// The places of terms with a trigram.
    by_trigram: Vec<Vec<u32>>,
}

#[derive(Debug)]
struct Term {
    text: String,
    trigrams: u32,
    /// Places of the companies with it.
    companies: Vec<u32>,
}

impl Grams {
    pub(super) fn of(names: &Names) -> Grams {
        let mut terms: BTreeMap<String, Vec<u32>> = BTreeMap::new();
        for (at, company) in (0..).zip(&names.companies).filter(|(_, company)| company.registered) {
            let mut add = |text: String| {
                let companies = terms.entry(text).or_default();
                if companies.last() != Some(&at) {
                    companies.push(at);
                }
            };
            for name in &company.names {
                name.words.iter().for_each(|word| add(word.clone()));
                let core = name.words.iter().position(|word| !is_common(word));
                for start in [Some(0), core.filter(|core| *core > 0)].into_iter().flatten() {
                    let runs = (2..=RUN).filter_map(|length| name.words.get(start..start + length));
                    runs.for_each(|run| add(run.concat()));
                }
            }
        }
        let mut grams =
            Grams { terms: Vec::new(), by_trigram: vec![Vec::new(); SYMBOLS * SYMBOLS * SYMBOLS] };
        for (at, (text, companies)) in (0..).zip(terms) {
            let trigrams = trigrams(&text);
            trigrams.iter().for_each(|trigram| grams.by_trigram[*trigram].push(at));
            let trigrams = u32::try_from(trigrams.len()).unwrap_or(u32::MAX);
            grams.terms.push(Term { text, trigrams, companies });
        }
        grams
    }

    /// The terms that are so near to a text, and how near they are: 1 if they are the same.
    fn near(&self, text: &str, least: f32) -> Vec<(&Term, f32)> {
        let trigrams = trigrams(text);
        let mut shared = vec![0_u16; self.terms.len()];
        for trigram in &trigrams {
            self.by_trigram[*trigram].iter().for_each(|term| shared[*term as usize] += 1);
        }
        let near = self.terms.iter().zip(shared).filter(|(_, shared)| *shared > 1);
        let near = near.filter_map(|(term, shared)| {
            let near = nearness(text, trigrams.len(), term, shared, least);
            (near >= least).then_some((term, near))
        });
        near.collect()
    }
}

/// How near a text is to a term with which it shares so many trigrams.
#[allow(clippy::cast_precision_loss, reason = "words are short")]
fn nearness(text: &str, trigrams: usize, term: &Term, shared: u16, least: f32) -> f32 {
    /// Letters are not compared if the share of trigrams is so much below what is needed: one letter changes three.
    const FAR_BELOW: f32 = 0.35;
    /// Nor if it is below this.
    const WORTH_COMPARING: f32 = 0.25;
    // A letter many times over has few trigrams.
    if text.len() > 2 * term.text.len() + 2 {
        return 0.0;
    }
    let same = 2.0 * f32::from(shared) / (trigrams as f32 + term.trigrams as f32);
    if term.text.starts_with(text) && text.len() >= 4 {
        return same.max(0.9);
    }
    let longest = text.len().max(term.text.len());
    let of_other_length = text.len().abs_diff(term.text.len()) > longest / 4;
    if same < WORTH_COMPARING.max(least - FAR_BELOW) || text.len() < 4 || of_other_length {
        return same;
    }
    let changes = osa_distance(text, &term.text);
    match changes <= longest / 4 {
        true => same.max(1.0 - changes as f32 / longest as f32),
        false => same,
    }
}

/// Letters, digits, and what is around a word.
const SYMBOLS: usize = 37;

/// The trigrams of a word, with its start and end, each once.
fn trigrams(text: &str) -> Vec<usize> {
    let symbol = |byte: u8| match byte {
        b'a'..=b'z' => usize::from(byte - b'a') + 1,
        b'0'..=b'9' => usize::from(byte - b'0') + 27,
        _ => 0,
    };
    let symbols: Vec<usize> =
        [0, 0].into_iter().chain(text.bytes().map(symbol)).chain([0]).collect();
    let number =
        |window: &[usize]| window.iter().fold(0, |number, symbol| number * SYMBOLS + symbol);
    let mut trigrams: Vec<usize> = symbols.windows(3).map(number).collect();
    trigrams.sort_unstable();
    trigrams.dedup();
    trigrams
}

impl Named {
    /// Whether one of its names starts with one of these words, but for words that many names have.
    fn starts_with_any(&self, words: &[&str]) -> bool {
        let starts =
            self.names.iter().filter_map(|name| name.words.iter().find(|word| !is_common(word)));
        starts.into_iter().any(|start| words.contains(&start.as_str()))
    }
}

impl Names {
    /// Computes what is otherwise computed by the first search that finds nothing.
    pub(crate) fn prepare(&self) {
        self.grams();
    }

    fn grams(&self) -> &Grams {
        self.grams.get_or_init(|| Grams::of(self))
    }

    /// How much it says about a company that it has this word.
    #[allow(clippy::cast_precision_loss, reason = "there are few companies")]
    fn weight(&self, word: &str) -> f32 {
        match is_common(word) {
            true => 0.15,
            false => 1.0 / (1.0 + 0.5 * (self.vocabulary.word(word).len() as f32).ln_1p()),
        }
    }

    /// The codes of the registered companies that are nearest, best first.
    pub(super) fn nearest(&self, words: &[&str]) -> Vec<u32> {
        let words = &words[..words.len().min(LOOKED_AT)];
        let weights: Vec<f32> = words.iter().map(|word| self.weight(word)).collect();
        let sum: f32 = weights.iter().sum();
        // For each company, how near each word is to one of its own.
        let mut best: HashMap<u32, Vec<f32>> = HashMap::new();
        for start in 0..words.len() {
            for end in start + 1..=words.len().min(start + RUN) {
                // A word that says nothing by itself does so in a joined name.
                if end - start == 1 && is_common(words[start]) {
                    continue;
                }
                let joined = words[start..end].concat();
                let least = if end - start > 1 { SAME } else { NEAR };
                for (term, near) in self.grams().near(&joined, least) {
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
        let mut scored: Vec<(f32, &Named)> = scored.filter(|(score, _)| *score >= shown).collect();
        let top = scored.iter().map(|(score, _)| *score).fold(0.0, f32::max);
        scored.retain(|(score, _)| *score >= top - MARGIN);
        // Those that are about as near are ordered by standing.
        let step = |score: f32| (score * 20.0).round();
        scored.sort_by(|(a, one), (b, other)| {
            let standing = |company: &Named| (company.standing, !company.is_listed);
            (step(*b).total_cmp(&step(*a)))
                .then_with(|| standing(one).cmp(&standing(other)))
                .then_with(|| b.total_cmp(a))
                .then_with(|| one.code.cmp(&other.code))
        });
        scored.truncate(MOST);
        scored.into_iter().map(|(_, company)| company.code).collect()
    }

    /// The active company whose name these words are, but for joining, splitting or a typing error.
    pub(super) fn surely(&self, words: &[&str]) -> Option<u32> {
        const SHORTEST: usize = 5;
        let joined = words.concat();
        if joined.len() < SHORTEST || !self.vocabulary.word(&joined).is_empty() && words.len() == 1
        {
            return None;
        }
        let sure = if words.len() == 1 { SURE[0] } else { SURE[1] };
        let near = self.grams().near(&joined, sure).into_iter();
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
