//! Which runs of words the filings of a block have: the words, and the longer runs that are needed to find phrases
//! without reading many filings.
//!
//! A run of two words is noted if both are in more than [`RARE`] filings of the block; a run of three if both of its
//! pairs are; and so on. So a run that is not noted is nowhere, or one of its parts is rare, and the few filings that
//! have it are read.
//!
//! A block may have millions of words, so what is kept of each is small.
use std::collections::HashMap;

/// A run that fewer filings of a block have is not extended: so many are read quickly.
pub(super) const RARE: u64 = 16;

/// Longer phrases are looked for in the filings that have all their runs of this length.
pub(super) const LONGEST: usize = 12;

/// The words of filings, by their numbers.
#[derive(Default)]
pub(super) struct Texts {
    words: HashMap<Box<str>, u32>,
    filings: Vec<Filings>,
    /// Every text of every filing, as the numbers of its words.
    runs: Vec<u32>,
    texts: Vec<Text>,
}

/// Which filings have a word, each once, in order.
#[derive(Default)]
pub(super) struct Filings {
    /// Anywhere.
    pub(super) all: Vec<u32>,
    /// In the class or the head of the subject.
    pub(super) head: Vec<u32>,
}

/// A text ends before the next one's start.
struct Text {
    start: usize,
    filing: u32,
}

fn push(numbers: &mut Vec<u32>, number: u32) {
    if numbers.last() != Some(&number) {
        numbers.push(number);
    }
}

impl Texts {
    /// The number of a word. A word that gets one is noted for a filing afterwards.
    pub(super) fn word(&mut self, word: &str) -> u32 {
        if let Some(id) = self.words.get(word) {
            return *id;
        }
        let id = number(self.filings.len());
        self.words.insert(word.into(), id);
        self.filings.push(Filings::default());
        id
    }

    /// Notes a word by which a filing is found besides those of its texts. Filings come in the order of their numbers.
    pub(super) fn extra(&mut self, filing: u32, word: u32) {
        let filings = &mut self.filings[word as usize];
        push(&mut filings.all, filing);
        push(&mut filings.head, filing);
    }

    /// Notes one text of a filing, of which so many words are its head.
    pub(super) fn text(&mut self, filing: u32, words: &[u32], head: usize) {
        if words.is_empty() {
            return;
        }
        self.texts.push(Text { start: self.runs.len(), filing });
        self.runs.extend_from_slice(words);
        let (head, detail) = words.split_at(head.min(words.len()));
        head.iter().for_each(|word| self.extra(filing, *word));
        for word in detail {
            push(&mut self.filings[*word as usize].all, filing);
        }
    }

    /// Every word with its filings, in order.
    pub(super) fn words(&self) -> Vec<(&str, &Filings)> {
        let words = self.words.iter().map(|(word, id)| (&**word, &self.filings[*id as usize]));
        let mut words: Vec<_> = words.collect();
        words.sort_unstable_by_key(|(word, _)| *word);
        words
    }

    /// The runs of two words and more.
    pub(super) fn into_runs(self) -> Runs {
        let sizes = self.filings.iter().map(|filings| number(filings.all.len())).collect();
        let mut words = vec![Box::default(); self.filings.len()];
        for (word, id) in self.words {
            words[id as usize] = word;
        }
        Runs {
            words,
            single: self.runs.clone(),
            runs: self.runs,
            texts: self.texts,
            sizes,
            length: 1,
        }
    }
}

/// The runs of one length after the other.
pub(super) struct Runs {
    words: Vec<Box<str>>,
    /// The words of all texts.
    single: Vec<u32>,
    /// The run that starts at each place, of the length that was found last; or [`NONE`].
    runs: Vec<u32>,
    texts: Vec<Text>,
    /// How many filings have each run.
    sizes: Vec<u32>,
    length: usize,
}

/// No run.
const NONE: u32 = u32::MAX;

impl Runs {
    /// Those of the next length.
    pub(super) fn next(&mut self) -> Option<OfLength> {
        if self.length == LONGEST || self.sizes.is_empty() {
            return None;
        }
        self.length += 1;
        let is_extended = |run: u32| run != NONE && u64::from(self.sizes[run as usize]) > RARE;
        let mut ids: HashMap<(u32, u32), u32> = HashMap::new();
        let (mut firsts, mut counts) = (Vec::new(), Vec::new());
        for at in 0..self.texts.len() {
            let end = self.texts.get(at + 1).map_or(self.runs.len(), |next| next.start);
            for place in self.texts[at].start..end {
                let next = if place + 1 < end { self.runs[place + 1] } else { NONE };
                let pair = (self.runs[place], next);
                // The run at this place has been used by the one before, and is not needed any more.
                self.runs[place] = match is_extended(pair.0) && is_extended(pair.1) {
                    true => *ids.entry(pair).or_insert_with(|| {
                        firsts.push(number(place));
                        counts.push(0);
                        number(firsts.len() - 1)
                    }),
                    false => NONE,
                };
                if let Some(count) = counts.get_mut(self.runs[place] as usize) {
                    *count += 1;
                }
            }
        }
        drop(ids);
        let found = self.collect(firsts, &counts);
        self.sizes = (0..found.firsts.len()).map(|run| number(found.filings(run).len())).collect();
        Some(found)
    }

    /// The filings of all runs, of which there are so many.
    fn collect(&self, firsts: Vec<u32>, counts: &[u32]) -> OfLength {
        let mut starts = Vec::with_capacity(counts.len());
        let mut total = 0;
        for count in counts {
            starts.push(total);
            total += count;
        }
        let mut ends = starts.clone();
        let mut filings = vec![0; total as usize];
        for (at, text) in self.texts.iter().enumerate() {
            let end = self.texts.get(at + 1).map_or(self.runs.len(), |next| next.start);
            for run in self.runs[text.start..end].iter().filter(|run| **run != NONE) {
                let (start, end) = (starts[*run as usize] as usize, ends[*run as usize] as usize);
                if filings[start..end].last() != Some(&text.filing) {
                    filings[end] = text.filing;
                    ends[*run as usize] += 1;
                }
            }
        }
        OfLength { firsts, starts, ends, filings }
    }

    /// The words of a run, by its first place.
    pub(super) fn name(&self, first: u32) -> String {
        let first = first as usize;
        let words = self.single[first..first + self.length].iter();
        words.map(|word| &*self.words[*word as usize]).collect::<Vec<_>>().join(" ")
    }
}

/// The runs of one length, with their filings.
pub(super) struct OfLength {
    /// Where each one stands first.
    pub(super) firsts: Vec<u32>,
    starts: Vec<u32>,
    ends: Vec<u32>,
    filings: Vec<u32>,
}

impl OfLength {
    /// The filings with a run, each once, in order.
    pub(super) fn filings(&self, run: usize) -> &[u32] {
        &self.filings[self.starts[run] as usize..self.ends[run] as usize]
    }
}

/// A block has fewer words than numbers have bits for.
fn number(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(NONE)
}
