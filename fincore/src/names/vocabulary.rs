//! The words of all companies, and which companies have them.
use super::company_names::CompanyNames;

/// Where a company has a word.
pub(super) const IN_NAME: u8 = 1;
pub(super) const IN_SECTOR: u8 = 2;

/// A company that has a word: its position among the companies, and where it has the word.
pub(super) type WordOwner = (u32, u8);

/// All words, in order.
#[derive(Debug, Default)]
pub(super) struct Vocabulary {
    words: Vec<(String, Vec<WordOwner>)>,
}

impl Vocabulary {
    pub(super) fn new(companies: &[CompanyNames]) -> Vocabulary {
        let mut all: Vec<(&str, u32, u8)> = Vec::new();
        for (at, company) in (0..).zip(companies) {
            all.extend(company.words().map(|word| (word, at, IN_NAME)));
            all.extend(company.sector.iter().map(|word| (word.as_str(), at, IN_SECTOR)));
        }
        all.sort_unstable();
        let groups = all.chunk_by(|(a, ..), (b, ..)| a == b);
        let words = groups.map(|group| {
            let companies = group.chunk_by(|(_, a, _), (_, b, _)| a == b);
            let has = companies.map(|same| {
                (same[0].1, same.iter().fold(0, |places, (_, _, place)| places | place))
            });
            (group[0].0.to_owned(), has.collect())
        });
        Vocabulary { words: words.collect() }
    }

    /// The companies with a word.
    pub(super) fn companies_with(&self, word: &str) -> &[WordOwner] {
        match self.words.binary_search_by(|(known, _)| known.as_str().cmp(word)) {
            Ok(at) => &self.words[at].1,
            Err(_) => &[],
        }
    }

    /// The companies with a word that has a prefix, each once, in order.
    pub(super) fn companies_with_prefix(&self, prefix: &str) -> Vec<WordOwner> {
        let from = self.words.partition_point(|(word, _)| word.as_str() < prefix);
        let words = self.words[from..].iter().take_while(|(word, _)| word.starts_with(prefix));
        let mut all: Vec<WordOwner> = words.flat_map(|(_, has)| has.iter().copied()).collect();
        merge(&mut all);
        all
    }
}

/// Orders companies, and merges the entries of the same company.
pub(super) fn merge(all: &mut Vec<WordOwner>) {
    all.sort_unstable();
    all.dedup_by(|(later, place), (company, places)| {
        let same = later == company;
        if same {
            *places |= *place;
        }
        same
    });
}
