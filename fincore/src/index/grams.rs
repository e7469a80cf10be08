//! Which runs of words the filings of a block have: the words, and the longer runs that are needed to find phrases
//! without reading many filings.
//!
//! A run of two words is noted if both are in more than [`RARE`] filings of the block; a run of three if both of its
//! pairs are; and so on. So a run that is not noted is nowhere, or one of its parts is rare, and the few filings that
//! have it are read.
use std::collections::HashMap;

use super::bits::Bits;

/// A run that fewer filings of a block have is not extended: so many are read quickly.
pub(super) const RARE: u64 = 16;

/// Longer phrases are looked for in the filings that have all their runs of this length.
pub(super) const LONGEST: usize = 12;

/// The words of filings, in the order of their numbers.
#[derive(Default)]
pub(super) struct Texts {
    words: HashMap<Box<str>, u32>,
    /// Which filings have a word.
    filings: Vec<Numbers>,
    /// Every text of every filing as words; a text ends before the next one's start.
    runs: Vec<Option<u32>>,
    texts: Vec<Text>,
}

struct Text {
    start: usize,
    filing: u32,
}

/// Ascending numbers, each once.
#[derive(Default)]
struct Numbers(Vec<u32>);

impl Numbers {
    fn push(&mut self, number: u32) {
        if self.0.last() != Some(&number) {
            self.0.push(number);
        }
    }

    fn is_rare(&self) -> bool {
        self.0.len() as u64 <= RARE
    }

    fn bits(&self) -> Bits {
        Bits::from_sorted_iter(self.0.iter().copied()).unwrap_or_default()
    }
}

impl Texts {
    /// Notes that a filing has a word, wherever it stands. Filings come in the order of their numbers.
    pub(super) fn word(&mut self, filing: u32, word: &str) -> u32 {
        let id = match self.words.get(word) {
            Some(id) => *id,
            None => {
                let id = u32::try_from(self.filings.len()).unwrap_or(u32::MAX);
                self.words.insert(word.into(), id);
                self.filings.push(Numbers::default());
                id
            }
        };
        self.filings[id as usize].push(filing);
        id
    }

    /// Notes words of a filing, wherever they stand.
    pub(super) fn words_of(&mut self, filing: u32, words: &[&str]) {
        for word in words {
            self.word(filing, word);
        }
    }

    /// Notes one text of a filing.
    pub(super) fn text(&mut self, filing: u32, words: &[&str]) {
        if words.is_empty() {
            return;
        }
        self.texts.push(Text { start: self.runs.len(), filing });
        for word in words {
            let id = self.word(filing, word);
            self.runs.push(Some(id));
        }
    }

    /// Every word with its filings, in order.
    pub(super) fn words(&self) -> Vec<(String, Bits)> {
        let words = self
            .words
            .iter()
            .map(|(word, id)| (word.to_string(), self.filings[*id as usize].bits()));
        let mut words: Vec<_> = words.collect();
        words.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
        words
    }

    /// Every run of two to [`LONGEST`] words that is noted, with its filings, in order.
    pub(super) fn runs(mut self) -> Vec<(String, Bits)> {
        let mut names = vec![""; self.filings.len()];
        for (word, id) in &self.words {
            names[*id as usize] = word;
        }
        let names: Vec<String> = names.into_iter().map(str::to_owned).collect();
        let single = self.runs.clone();
        let mut found = Vec::new();
        let mut known = std::mem::take(&mut self.filings);
        for length in 2..=LONGEST {
            let mut ids: HashMap<(u32, u32), u32> = HashMap::new();
            let mut longer: Vec<Numbers> = Vec::new();
            // Where each one stands first, so that it can be named.
            let mut places = Vec::new();
            for (at, text) in self.texts.iter().enumerate() {
                let end = self.texts.get(at + 1).map_or(self.runs.len(), |next| next.start);
                for place in text.start..end {
                    let next = if place + 1 < end { self.runs[place + 1] } else { None };
                    let pair = self.runs[place].zip(next).filter(|(left, right)| {
                        !known[*left as usize].is_rare() && !known[*right as usize].is_rare()
                    });
                    // The run at this place has been used by the one before, and is not needed any more.
                    self.runs[place] = pair.map(|pair| {
                        let id = *ids.entry(pair).or_insert_with(|| {
                            longer.push(Numbers::default());
                            places.push(place);
                            u32::try_from(places.len() - 1).unwrap_or(u32::MAX)
                        });
                        longer[id as usize].push(text.filing);
                        id
                    });
                }
            }
            for (numbers, place) in longer.iter().zip(&places) {
                let words = single[*place..place + length].iter().flatten();
                let words: Vec<&str> = words.map(|id| names[*id as usize].as_str()).collect();
                found.push((words.join(" "), numbers.bits()));
            }
            known = longer;
        }
        found.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
        found
    }
}
