//! Counts the matches of many searches without the index: for every filing, whether it meets the search.
use std::{collections::HashMap, fs, path::Path};

use super::*;
use crate::{
    Import,
    filings::{
        ClassLevels, MeantCompany,
        tests::{search_tiers, search_units},
    },
    import::sample_files::upstream,
    index::{Condition, TermKind},
    lexicon::{self, Names, periods},
    values::first_key,
};

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
    /// Those of its class and subject, and those that stand for them.
    text_words: Vec<u32>,
    texts: Vec<Vec<u32>>,
    names: Vec<Vec<u32>>,
}

struct Recount {
    numbers: Numbers,
    docs: Vec<Doc>,
    /// For every word, the places of the filings that are found by it.
    with: Vec<Vec<usize>>,
    names: Names,
    classes: ClassLevels,
    class_ids: HashMap<String, [String; 3]>,
}

impl Recount {
    fn of(snapshot: &Snapshot) -> Recount {
        let names = snapshot.read(Names::read).unwrap();
        let mut numbers = Numbers::default();
        let mut docs = Vec::new();
        for filing in all(snapshot, &List::default()).unwrap() {
            docs.push(doc(&mut numbers, &names, filing.unwrap()));
        }
        let mut with = vec![Vec::new(); numbers.words.len()];
        for (at, doc) in docs.iter().enumerate() {
            doc.words.iter().for_each(|word| with[*word as usize].push(at));
        }
        let classes = snapshot.read(ClassLevels::read).unwrap();
        Recount { numbers, docs, with, names, classes, class_ids: class_ids(snapshot) }
    }

    /// How many filings meet a search, and whether the company that it names has one of them; `None` if it names none.
    fn count(&self, query: &Search) -> (u64, Option<bool>) {
        let units = search_units::units(&query.q, &self.names, &self.classes);
        let all = search_tiers::all(&units);
        let admitted = self.admitted(query);
        let count = |condition: &Condition| {
            let both = admitted.iter().zip(self.met_by(condition));
            both.filter(|(admitted, met)| **admitted && *met).count() as u64
        };
        let meant = MeantCompany::of(&units, &self.names);
        let named = meant.filter(|company| company.is_certain);
        let has_own =
            named.map(|company| count(&Condition::All(vec![company.filings, all.clone()])) > 0);
        (count(&all), has_own)
    }

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

    fn met_by(&self, condition: &Condition) -> Vec<bool> {
        let met_each = |conditions: &[Condition]| {
            conditions.iter().map(|one| self.met_by(one)).collect::<Vec<_>>()
        };
        let at_least = |least: usize, met: &[Vec<bool>]| {
            let met_at = |at| met.iter().filter(|one| one[at]).count();
            (0..self.docs.len()).map(|at| met_at(at) >= least).collect()
        };
        let by_doc = |is_met: &dyn Fn(&Doc) -> bool| self.docs.iter().map(is_met).collect();
        let number = |word: &String| self.numbers.by_word.get(word).copied();
        let with = |words: &[u32]| {
            let mut met = vec![false; self.docs.len()];
            let having = words.iter().flat_map(|word| &self.with[*word as usize]);
            having.for_each(|at| met[*at] = true);
            met
        };
        let has_phrase = |texts: &[Vec<u32>], phrase: &[String]| {
            let wanted: Vec<Option<u32>> = phrase.iter().map(number).collect();
            let is_run =
                |run: &[u32]| run.iter().zip(&wanted).all(|(one, wanted)| Some(*one) == *wanted);
            texts.iter().any(|text| text.windows(phrase.len()).any(is_run))
        };
        match condition {
            Condition::All(conditions) => at_least(conditions.len(), &met_each(conditions)),
            Condition::Any(conditions) => at_least(1, &met_each(conditions)),
            Condition::AtLeast(least, conditions) => at_least(*least, &met_each(conditions)),
            Condition::Keys(keys) => {
                by_doc(&|doc| (keys.first..=keys.last).contains(&first_key(doc.filing.date)))
            }
            Condition::Term(TermKind::Company, code) => {
                by_doc(&|doc| doc.filing.company_id.to_string() == *code)
            }
            Condition::Term(TermKind::Category, folded) => by_doc(&|doc| doc.category == *folded),
            Condition::Term(TermKind::Type, folded) => by_doc(&|doc| doc.r#type == *folded),
            Condition::Term(TermKind::Class, id) => {
                let class = &self.class_ids[id];
                by_doc(&|doc| class_of(&doc.filing) == *class)
            }
            Condition::Word(word) => with(&number(word).into_iter().collect::<Vec<_>>()),
            Condition::Text(word) => {
                let wanted = number(word);
                by_doc(&|doc| {
                    wanted.is_some_and(|word| doc.text_words.binary_search(&word).is_ok())
                })
            }
            Condition::Prefix(prefix) => with(&self.numbers.beginning(prefix)),
            // One word is met by whatever has it.
            Condition::Phrase(phrase) if phrase.len() == 1 => {
                with(&number(&phrase[0]).into_iter().collect::<Vec<_>>())
            }
            Condition::Phrase(phrase) => {
                by_doc(&|doc| has_phrase(&doc.texts, phrase) || has_phrase(&doc.names, phrase))
            }
            Condition::TextPhrase(phrase) => by_doc(&|doc| has_phrase(&doc.texts, phrase)),
            Condition::Term(..) | Condition::Head(_) => panic!("{condition:?} only orders"),
        }
    }
}

/// Category, type and species, as they stand.
fn class_of(filing: &Filing) -> [String; 3] {
    [filing.category.clone(), filing.r#type.clone(), filing.species.clone()]
}

/// The classes of a catalogue, by their ids.
fn class_ids(snapshot: &Snapshot) -> HashMap<String, [String; 3]> {
    let read = |row: &rusqlite::Row<'_>| {
        let class = [row.get(1)?, row.get(2)?, row.get(3)?];
        Ok((row.get::<_, i64>(0)?.to_string(), class))
    };
    let classes = snapshot.rows("SELECT id, category, type, species FROM class", [], read);
    classes.unwrap().into_iter().collect()
}

/// Derives how a filing is found from the documented rules, without an index.
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
        lexicon::for_each_extra_word(&text, |word| all.push(word.to_owned()));
    }
    all.extend(subject.clone());
    all.push(filing.date.year().to_string());
    all.extend(filing.reference_date.map(|date| date.year().to_string()));
    let periodic = ["dados economico-financeiros", "itr"].contains(&&*fold(&filing.category))
        && !fold(&filing.r#type).contains("anuais");
    if let Some(date) = filing.reference_date.filter(|_| periodic) {
        all.extend(periods::ending_on(date));
    }
    let mut texts = levels;
    texts.push(subject);
    let mut text_words: Vec<u32> = all.iter().map(|word| numbers.of(word)).collect();
    text_words.sort_unstable();
    let mut name_texts = Vec::new();
    all.push(filing.company_id.to_string());
    if let Some(company) = names.get(filing.company_id.get()) {
        all.extend(company.words().map(str::to_owned));
        name_texts.extend(company.names.iter().map(|name| name.words.clone()));
    }
    all.sort_unstable();
    all.dedup();
    let mut number = |words: &[String]| words.iter().map(|word| numbers.of(word)).collect();
    let words = number(&all);
    let mut numbered = |texts: &[Vec<String>]| texts.iter().map(|text| number(text)).collect();
    let (texts, names) = (numbered(&texts), numbered(&name_texts));
    let (category, r#type) = (fold(&filing.category), fold(&filing.r#type));
    Doc { filing, category, r#type, words, text_words, texts, names }
}

/// A catalogue with the bundled filings.
fn filled() -> (tempfile::TempDir, Catalogue) {
    let dir = tempfile::tempdir().unwrap();
    let catalogue = crate::import::bundle::filled_copy(dir.path()).unwrap();
    (dir, catalogue)
}

/// Adds the subjects of the official files where those are at hand.
fn with_subjects() -> (tempfile::TempDir, Catalogue) {
    let (dir, catalogue) = filled();
    if let Some(official) = upstream("cvm") {
        let mut import = Import::begin(&catalogue, crate::store::catalogue::noon()).unwrap();
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
                let texts: Vec<&Vec<u32>> = doc.texts.iter().chain(&doc.names).collect();
                let text = texts[random.below(texts.len())];
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
        let (meeting, has_own) = recount.count(query);
        // Near matches are shown if nothing meets the search, or nothing of the company that it names.
        if page.meta.fuzzy {
            assert!(meeting == 0 || has_own == Some(false), "{query:?}");
        } else {
            assert_eq!(page.total, meeting, "{query:?}");
        }
        found += u64::from(!page.meta.fuzzy && page.total > 0);
    }
    // Most of them find something, or nothing would be tested.
    assert!(found * 2 > queries.len() as u64, "{found} of {}", queries.len());
}
