//! The words of all names by their trigrams, to find words that are spelled alike.
use std::collections::BTreeMap;

use strsim::osa_distance;

use super::{company_names::CompanyNames, generic_words::is_common};

/// The most words of a name that are joined into one term.
pub(super) const LONGEST_RUN: usize = 4;

/// The words and joined runs of all names, by their trigrams.
#[derive(Debug)]
pub(super) struct TrigramIndex {
    terms: Vec<NameTerm>,
    /// The positions of terms by trigram.
    by_trigram: Vec<Vec<u32>>,
}

/// A word, or a run of words joined into one.
#[derive(Debug)]
pub(super) struct NameTerm {
    text: String,
    trigrams: u32,
    /// Positions of the companies with it.
    pub(super) companies: Vec<u32>,
}

impl NameTerm {
    /// The word, or the joined words.
    pub(super) fn text(&self) -> &str {
        &self.text
    }
}

impl TrigramIndex {
    pub(super) fn new(companies: &[CompanyNames]) -> TrigramIndex {
        let mut terms: BTreeMap<String, Vec<u32>> = BTreeMap::new();
        for (at, company) in (0..).zip(companies) {
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
                    let runs = (2..=LONGEST_RUN)
                        .filter_map(|length| name.words.get(start..start + length));
                    runs.for_each(|run| add(run.concat()));
                }
            }
        }
        let mut index = TrigramIndex {
            terms: Vec::new(),
            by_trigram: vec![Vec::new(); SYMBOLS * SYMBOLS * SYMBOLS],
        };
        for (at, (text, companies)) in (0..).zip(terms) {
            let trigrams = trigrams(&text);
            trigrams.iter().for_each(|trigram| index.by_trigram[*trigram].push(at));
            let trigrams = u32::try_from(trigrams.len()).unwrap_or(u32::MAX);
            index.terms.push(NameTerm { text, trigrams, companies });
        }
        index
    }

    /// The terms whose nearness to a text is at least `least`, with that nearness: 1 if they are the same.
    pub(super) fn near(&self, text: &str, least: f32) -> Vec<(&NameTerm, f32)> {
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

/// How near a text is to a term with which it shares `shared` trigrams.
#[allow(clippy::cast_precision_loss, reason = "words are short")]
fn nearness(text: &str, trigrams: usize, term: &NameTerm, shared: u16, least: f32) -> f32 {
    /// Letters are not compared if the share of trigrams is this much too low: one letter changes three.
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

/// Letters, digits, and the boundary of a word.
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
