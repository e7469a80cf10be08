//! Counts the matches of many searches without the index: for every filing, whether it meets the search.
use std::{collections::HashMap, fs, path::Path};

use super::*;
use crate::{Import, import::sample_files::upstream, names::Names, types::Part};

/// Words by number.
#[derive(Default)]
struct Numbers {
    by_word: HashMap<String, u32>,
    words: Vec<String>,
}

impl Numbers {
    fn of(&mut self, word: &str) -> u32 {
        if let Some(number) = self.by_word.get(word) {
            return *number;
        }
        let number = u32::try_from(self.words.len()).unwrap();
        self.by_word.insert(word.to_owned(), number);
        self.words.push(word.to_owned());
        number
    }

    fn beginning(&self, prefix: &str) -> Vec<u32> {
        let all = (0..).zip(&self.words);
        all.filter(|(_, word)| word.starts_with(prefix)).map(|(number, _)| number).collect()
    }
}

/// A filing, as far as a search is concerned.
struct Doc {
    filing: Filing,
    /// Its category and its type, folded.
    category: String,
    r#type: String,
    /// All words by which it is found.
    words: Vec<u32>,
    /// Its texts and names.
    texts: Vec<Vec<u32>>,
}

struct Recount {
    numbers: Numbers,
    docs: Vec<Doc>,
    /// For every word, the places of the filings that are found by it.
    with: Vec<Vec<usize>>,
    names: Names,
}

impl Recount {
    fn of(snapshot: &Snapshot) -> Recount {
        let names = Names::read(snapshot.connection()).unwrap();
        let mut numbers = Numbers::default();
        let mut docs = Vec::new();
        each(snapshot, &List::default(), |filing| {
            docs.push(doc(&mut numbers, &names, filing));
            Ok(())
        })
        .unwrap();
        let mut with = vec![Vec::new(); numbers.words.len()];
        for (at, doc) in docs.iter().enumerate() {
            doc.words.iter().for_each(|word| with[*word as usize].push(at));
        }
        Recount { numbers, docs, with, names }
    }

    /// What a word of a search means: its forms, or all that begins so as well.
    fn meant(&self, word: &str, begun: bool) -> Condition {
        let forms = language::forms(word);
        let mut meant = if begun { self.numbers.beginning(word) } else { Vec::new() };
        meant.extend(forms.iter().filter_map(|form| self.numbers.by_word.get(form)));
        Condition::Word(meant)
    }

    /// The conditions of a search: for every unit alternatives, for every alternative all of which must be met.
    fn conditions(&self, words: &Words) -> Vec<Vec<Vec<Condition>>> {
        let parts = words.parts();
        let mut all = Vec::new();
        for (at, part) in parts.iter().enumerate() {
            let last = at + 1 == parts.len();
            match part {
                Part::Phrase(phrase) => {
                    let numbers = phrase.iter().map(|word| self.numbers.by_word.get(word).copied());
                    all.push(vec![vec![Condition::Phrase(numbers.collect())]]);
                }
                Part::Cnpj(whole, words) => {
                    let begins = Condition::Word(self.numbers.beginning(whole));
                    let literally = words
                        .iter()
                        .enumerate()
                        .map(|(at, word)| self.meant(word, last && at + 1 == words.len()));
                    all.push(vec![vec![begins], literally.collect()]);
                }
                Part::Words(words) => {
                    let next = parts.get(at + 1);
                    let before_cnpj = matches!(next, Some(Part::Cnpj(..)));
                    all.extend(self.in_words(words, last, before_cnpj));
                }
            }
        }
        all
    }

    fn in_words(
        &self,
        words: &[String],
        last: bool,
        before_cnpj: bool,
    ) -> Vec<Vec<Vec<Condition>>> {
        let texts: Vec<&str> = words.iter().map(String::as_str).collect();
        let meanings = language::meanings(&texts);
        let one = |at: usize| self.meant(texts[at], last && at + 1 == texts.len());
        let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
        let mut all = Vec::new();
        let mut at = 0;
        while at < texts.len() {
            if let Some((length, codes)) = self.names.expression(&texts[at..]) {
                let of_company = codes.into_iter().map(|code| vec![Condition::Company(code)]);
                let literally = (at..at + length).map(one).collect();
                all.push(of_company.chain([literally]).collect());
                at += length;
                continue;
            }
            if let [root, number, ..] = texts[at..]
                && let codes = self.names.codes_of_split_ticker(root, number)
                && !codes.is_empty()
            {
                let of_company = codes.into_iter().map(|code| vec![Condition::Company(code)]);
                all.push(of_company.chain([vec![one(at), one(at + 1)]]).collect());
                at += 2;
                continue;
            }
            if let Some(meaning) = meanings.iter().find(|meaning| meaning.at.start == at) {
                let short = self.numbers.by_word.get(&meaning.word).copied();
                let short = Condition::Word(short.into_iter().collect());
                all.push(vec![vec![short], meaning.at.clone().map(one).collect()]);
                at = meaning.at.end;
                continue;
            }
            let names_a_number = match texts[at..] {
                ["cvm" | "codigo" | "cnpj", next, ..] => is_number(next) || next == "cvm",
                ["cnpj"] => before_cnpj,
                _ => false,
            };
            if !names_a_number {
                let identified = match is_year(texts[at]) {
                    true => Vec::new(),
                    false => self.names.codes_identified_by(texts[at]),
                };
                let companies = identified.into_iter().map(|code| vec![Condition::Company(code)]);
                all.push(companies.chain([vec![one(at)]]).collect());
            }
            at += 1;
        }
        all
    }

    fn count(&self, query: &Search) -> u64 {
        let mut meets = self.admitted(query);
        for unit in &self.conditions(&query.q) {
            let mut any = vec![false; self.docs.len()];
            for all in unit {
                let mut both = vec![true; self.docs.len()];
                for condition in all {
                    both.iter_mut()
                        .zip(self.met_by(condition))
                        .for_each(|(both, met)| *both &= met);
                }
                any.iter_mut().zip(both).for_each(|(any, both)| *any |= both);
            }
            meets.iter_mut().zip(any).for_each(|(meets, any)| *meets &= any);
        }
        meets.into_iter().filter(|meets| *meets).count() as u64
    }

    /// Which filings the filters admit.
    fn admitted(&self, query: &Search) -> Vec<bool> {
        let category = query.category.as_deref().map(fold);
        let kind = query.r#type.as_deref().map(fold);
        let company = query.company.as_ref().map(CompanyRef::to_string);
        let admits = |doc: &Doc| {
            category.as_ref().is_none_or(|category| *category == doc.category)
                && kind.as_ref().is_none_or(|kind| *kind == doc.r#type)
                && query.from.is_none_or(|day| doc.filing.date >= day)
                && query.to.is_none_or(|day| doc.filing.date <= day)
                && company.as_ref().is_none_or(|code| *code == doc.filing.company_id.to_string())
        };
        self.docs.iter().map(admits).collect()
    }

    /// Which filings meet a condition.
    fn met_by(&self, condition: &Condition) -> Vec<bool> {
        let is_met = |doc: &Doc| match condition {
            Condition::Company(code) => doc.filing.company_id.get() == *code,
            Condition::Word(_) => false,
            Condition::Phrase(phrase) => doc.texts.iter().any(|text| {
                text.windows(phrase.len())
                    .any(|run| run.iter().zip(phrase).all(|(word, wanted)| Some(*word) == *wanted))
            }),
        };
        let with = |words: &mut dyn Iterator<Item = u32>| {
            let mut met = vec![false; self.docs.len()];
            words.for_each(|word| self.with[word as usize].iter().for_each(|at| met[*at] = true));
            met
        };
        match condition {
            Condition::Word(meant) => with(&mut meant.iter().copied()),
            // One word is met by whatever has it.
            Condition::Phrase(phrase) if phrase.len() == 1 => with(&mut phrase[0].into_iter()),
            _ => self.docs.iter().map(is_met).collect(),
        }
    }
}

fn is_year(word: &str) -> bool {
    word.len() == 4 && word.parse().is_ok_and(|year: u16| (1990..2050).contains(&year))
}

enum Condition {
    /// Of this company.
    Company(u32),
    /// One of these words.
    Word(Vec<u32>),
    /// These words side by side; one that nobody has is `None`.
    Phrase(Vec<Option<u32>>),
}

/// What the description says of how filings are found, once more and without an index.
fn doc(numbers: &mut Numbers, names: &Names, filing: Filing) -> Doc {
    let split = |text: &str| words(&fold(text)).map(str::to_owned).collect::<Vec<_>>();
    let levels = [&filing.category, &filing.r#type, &filing.species];
    let levels: Vec<Vec<String>> = levels
        .iter()
        .map(|level| {
            let folded = fold(level);
            split(folded.strip_suffix(" nao considerados fatos relevantes").unwrap_or(&folded))
        })
        .collect();
    let joined = [&filing.category, &filing.r#type, &filing.species];
    let joined: Vec<&str> =
        joined.into_iter().map(String::as_str).filter(|level| !level.is_empty()).collect();
    let subject = filing.subject.as_deref().map(split).unwrap_or_default();
    let mut all: Vec<String> = levels.concat();
    let whole: Vec<String> = joined.iter().flat_map(|level| split(level)).collect();
    for text in [whole, subject.clone()] {
        let text: Vec<&str> = text.iter().map(String::as_str).collect();
        language::for_each_extra_word(&text, |word| all.push(word.to_owned()));
    }
    all.extend(subject.clone());
    all.push(filing.date.year().to_string());
    all.extend(filing.reference_date.map(|date| date.year().to_string()));
    let periodic = ["dados economico-financeiros", "itr"].contains(&&*fold(&filing.category))
        && !fold(&filing.r#type).contains("anuais");
    if let Some(date) = filing.reference_date.filter(|_| periodic) {
        all.extend(language::quarter_ending_on(date));
    }
    let mut texts = levels;
    texts.push(subject);
    all.push(filing.company_id.to_string());
    if let Some(company) = names.get(filing.company_id.get()) {
        all.extend(company.words().map(str::to_owned));
        texts.extend(company.names.iter().map(|name| name.words.clone()));
    }
    all.sort_unstable();
    all.dedup();
    let mut number = |words: &[String]| words.iter().map(|word| numbers.of(word)).collect();
    let (words, texts) = (number(&all), texts.iter().map(|text| number(text)).collect());
    let (category, r#type) = (fold(&filing.category), fold(&filing.r#type));
    Doc { filing, category, r#type, words, texts }
}

/// A catalogue with the bundled filings.
fn filled() -> (tempfile::TempDir, Catalogue) {
    let dir = tempfile::tempdir().unwrap();
    let catalogue = crate::bundle::filled_copy(dir.path()).unwrap();
    (dir, catalogue)
}

/// The same, with the subjects of the official files where those are at hand.
fn with_subjects() -> (tempfile::TempDir, Catalogue) {
    let (dir, catalogue) = filled();
    if let Some(official) = upstream("cvm") {
        let mut import = Import::begin(&catalogue, crate::catalogue::noon()).unwrap();
        for name in ["ipe_cia_aberta_2024.zip", "ipe_cia_aberta_2025.zip"] {
            import.file(name, &fs::read(official.join(name)).unwrap()).unwrap();
        }
        import.commit().unwrap();
    }
    (dir, catalogue)
}

/// The queries of the files beside the tests of the whole program.
fn written() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/queries");
    let files = fs::read_dir(folder).into_iter().flatten();
    let texts = files.map(|file| fs::read_to_string(file.unwrap().path()).unwrap());
    let queries = texts.flat_map(|text| {
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        lines.filter_map(|line| line.split('\t').nth(1).map(str::to_owned)).collect::<Vec<_>>()
    });
    queries.collect()
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((z ^ (z >> 31)) % end as u64).unwrap()
    }
}

/// A search made of what some filing has: words, beginnings of words, phrases, filters.
fn made(recount: &Recount, random: &mut Random) -> Search {
    let doc = &recount.docs[random.below(recount.docs.len())];
    let word = |number: &u32| recount.numbers.words[*number as usize].clone();
    let mut parts = Vec::new();
    for _ in 0..=random.below(3) {
        let any = word(&doc.words[random.below(doc.words.len())]);
        match random.below(4) {
            0 => {
                let text = &doc.texts[random.below(doc.texts.len())];
                let start = random.below(text.len().max(1));
                let run = &text[start..text.len().min(start + 1 + random.below(6))];
                parts.push(format!("\"{}\"", run.iter().map(word).collect::<Vec<_>>().join(" ")));
            }
            _ => parts.push(any),
        }
    }
    if random.below(3) == 0
        && let Some(last) = parts.last_mut()
    {
        last.truncate(1 + random.below(last.len()));
    }
    let mut query = Search::new(&parts.join(" ")).unwrap_or(Search::new("a").unwrap());
    let filing = &doc.filing;
    if random.below(3) == 0 {
        query.company = Some(CompanyRef::Id(filing.company_id.into()));
    }
    if random.below(3) == 0 {
        query.category = Some(filing.category.clone());
    }
    if random.below(4) == 0 {
        query.r#type = Some(filing.r#type.clone());
    }
    if random.below(3) == 0 {
        query.from = Some(filing.date.days_before(u32::try_from(random.below(100)).unwrap()));
    }
    if random.below(5) == 0 {
        query.to = Some(filing.date);
    }
    query
}

#[test]
fn totals_equal_a_recount() {
    let (_dir, catalogue) = filled();
    compare(&catalogue, written().iter().step_by(20), 60);
}

#[test]
#[ignore = "long"]
fn every_total_equals_a_recount() {
    let (_dir, catalogue) = with_subjects();
    compare(&catalogue, written().iter(), 1000);
}

/// Compares the totals of these searches, and of so many more.
fn compare<'q>(catalogue: &Catalogue, written: impl Iterator<Item = &'q String>, more: usize) {
    let snapshot = catalogue.snapshot(Date::MAX).unwrap();
    let recount = Recount::of(&snapshot);
    assert_eq!(recount.docs.len(), 83_914);
    let mut random = Random(11);
    let mut queries: Vec<Search> = written.map(|text| Search::new(text).unwrap()).collect();
    queries.extend((0..more).map(|_| made(&recount, &mut random)));
    let mut found = 0;
    for query in &queries {
        let page = search(&snapshot, query.clone()).unwrap();
        let total = if page.meta.fuzzy { 0 } else { page.total };
        assert_eq!(total, recount.count(query), "{query:?}");
        found += u64::from(total > 0);
    }
    // Most of them find something, or nothing would be tested.
    assert!(found * 2 > queries.len() as u64, "{found} of {}", queries.len());
}
