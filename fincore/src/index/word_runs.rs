//! The runs of words in the filings of a block: single words, and the longer runs that are needed to find phrases without
//! reading many filings.
//!
//! A run of two words is indexed if both are in more than [`RARE`] filings of the block; a run of three if both of its
//! pairs are; and so on. So if a run is not indexed, either no filing has it, or one of its parts is rare and the
//! few filings with that part are read.
//!
//! A block may have millions of words, so each takes little memory.
use foldhash::{HashMap, HashMapExt};

/// A run in no more filings of a block than this is not extended: that many filings are read quickly.
pub(crate) const RARE: u64 = 16;

/// Longer phrases are looked for in the filings that have all their runs of this length.
///
/// Of the runs in the filings of 2024 and 2025, one in seven is longer than four words. Positions instead of runs
/// would need a walk over every common word.
pub(crate) const LONGEST_RUN: usize = 12;

/// The longest run of words in names that is stored. Longer phrases are compared with the names themselves: companies
/// are few.
pub(crate) const LONGEST_NAME_RUN: usize = 4;

/// The words of filings, by their numbers.
#[derive(Default)]
pub(crate) struct BlockTexts {
    words: HashMap<Box<str>, u32>,
    filings: Vec<WordFilings>,
    /// Every text of every filing, as the numbers of its words.
    runs: Vec<u32>,
    texts: Vec<TextStart>,
}

/// The filings that have a word, each once, in order.
#[derive(Default)]
pub(crate) struct WordFilings {
    /// Anywhere.
    pub(crate) all: Vec<u32>,
    /// In the class or the head of the subject.
    pub(crate) head: Vec<u32>,
}

/// A text ends before the next one's start.
struct TextStart {
    start: usize,
    filing: u32,
}

fn push(numbers: &mut Vec<u32>, number: u32) {
    if numbers.last() != Some(&number) {
        numbers.push(number);
    }
}

impl BlockTexts {
    /// The number of a word. A new word must be added to a filing afterwards.
    pub(crate) fn word_number(&mut self, word: &str) -> u32 {
        if let Some(id) = self.words.get(word) {
            return *id;
        }
        let id = number(self.filings.len());
        self.words.insert(word.into(), id);
        self.filings.push(WordFilings::default());
        id
    }

    /// Adds a word that a filing is found by besides those of its texts. Filings come in the order of their numbers.
    pub(crate) fn add_word(&mut self, filing: u32, word: u32) {
        let filings = &mut self.filings[word as usize];
        push(&mut filings.all, filing);
        push(&mut filings.head, filing);
    }

    /// Adds one text of a filing; its first `head` words are its head.
    pub(crate) fn add_text(&mut self, filing: u32, words: &[u32], head: usize) {
        if words.is_empty() {
            return;
        }
        self.texts.push(TextStart { start: self.runs.len(), filing });
        self.runs.extend_from_slice(words);
        let (head, detail) = words.split_at(head.min(words.len()));
        head.iter().for_each(|word| self.add_word(filing, *word));
        for word in detail {
            push(&mut self.filings[*word as usize].all, filing);
        }
    }

    /// Every word with its filings, in order.
    pub(crate) fn words(&self) -> Vec<(&str, &WordFilings)> {
        let words = self.words.iter().map(|(word, id)| (&**word, &self.filings[*id as usize]));
        let mut words: Vec<_> = words.collect();
        words.sort_unstable_by_key(|(word, _)| *word);
        words
    }

    /// The runs of two words and more.
    pub(crate) fn into_runs(self) -> Runs {
        let mut words: Vec<(Box<str>, u32)> = self.words.into_iter().collect();
        words.sort_unstable();
        let size = |id: u32| number(self.filings[id as usize].all.len());
        let sizes = words.iter().map(|(_, id)| size(*id)).collect();
        // Words get numbers in their order, so that runs are in order if their numbers are.
        let mut ranks = vec![0; words.len()];
        for (rank, (_, id)) in (0..).zip(&words) {
            ranks[*id as usize] = rank;
        }
        let runs: Vec<u32> = self.runs.iter().map(|id| ranks[*id as usize]).collect();
        Runs {
            words: words.into_iter().map(|(word, _)| word).collect(),
            single: runs.clone(),
            runs,
            texts: self.texts,
            sizes,
            length: 1,
        }
    }
}

/// The runs of one length after the other.
pub(crate) struct Runs {
    words: Vec<Box<str>>,
    /// The words of all texts.
    single: Vec<u32>,
    /// The run that starts at each place, of the length that was found last; or [`NONE`].
    runs: Vec<u32>,
    texts: Vec<TextStart>,
    /// How many filings have each run.
    sizes: Vec<u32>,
    length: usize,
}

/// No run.
const NONE: u32 = u32::MAX;

impl Runs {
    /// The runs of the next length.
    pub(crate) fn next(&mut self) -> Option<RunsOfLength> {
        if self.length == LONGEST_RUN || self.sizes.is_empty() {
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
                self.runs[place] = if is_extended(pair.0) && is_extended(pair.1) {
                    *ids.entry(pair).or_insert_with(|| {
                        firsts.push(number(place));
                        counts.push(0);
                        number(firsts.len() - 1)
                    })
                } else {
                    NONE
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

    /// The filings of all runs; `counts` says how often each run occurs.
    fn collect(&self, firsts: Vec<u32>, counts: &[u32]) -> RunsOfLength {
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
        RunsOfLength { firsts, starts, ends, filings }
    }

    /// The runs that were found last, by their texts, in order: terms are looked up and added fastest so.
    pub(crate) fn sorted<'r>(
        &'r self,
        found: &'r RunsOfLength,
    ) -> impl Iterator<Item = (String, &'r [u32])> {
        let mut order: Vec<usize> = (0..found.firsts.len()).collect();
        order.sort_unstable_by_key(|run| self.words_at(found.firsts[*run]));
        order.into_iter().map(|run| (self.text_at(found.firsts[run]), found.filings(run)))
    }

    /// The words of a run, by its first place.
    fn words_at(&self, first: u32) -> &[u32] {
        &self.single[first as usize..first as usize + self.length]
    }

    fn text_at(&self, first: u32) -> String {
        let mut text = String::new();
        for word in self.words_at(first) {
            if !text.is_empty() {
                text.push(' ');
            }
            text.push_str(&self.words[*word as usize]);
        }
        text
    }
}

/// The runs of one length, with their filings.
pub(crate) struct RunsOfLength {
    /// The place where each one occurs first.
    firsts: Vec<u32>,
    starts: Vec<u32>,
    ends: Vec<u32>,
    filings: Vec<u32>,
}

impl RunsOfLength {
    /// The filings with a run, each once, in order.
    fn filings(&self, run: usize) -> &[u32] {
        &self.filings[self.starts[run] as usize..self.ends[run] as usize]
    }
}

/// A block has fewer words than numbers have bits for.
fn number(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(NONE)
}
