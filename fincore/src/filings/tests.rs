//! Compares the stored filings with a simple model, after any sequence of imports.
use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::*;
use crate::{
    filings::{Filings, Link, NewFiling},
    index::BlockSizes,
    lexicon::{self, equivalents, periods},
    store::{Catalogue, OnConflict, Writer, catalogue::temporary},
    values::{CvmCode, Date, Form, Limit, Offset, Words, fold, words::words},
};

pub(crate) mod coverage;
mod recount;

const NAMES: [&str; 4] =
    ["VALE S.A.", "PETRÓLEO  BRASILEIRO S.A.", "Vale do Rio Doce", "Banco do Vale S/A"];
const CATEGORIES: [&str; 4] =
    ["Assembleia", "ASSEMBLÉIA", "Fato Relevante", "Dados Econômico-Financeiros"];
const TYPES: [&str; 3] = ["AGO", "", "Press-release"];
const SUBJECTS: [&str; 9] = [
    "",
    "Ata",
    "ata da ata",
    "Vale-transporte 2024 || ata",
    "Eleição 202",
    "Aumento de capital por subscrição",
    "Capital: aumento de 2 %",
    "Juros sobre o capital próprio e dividendos do 3º trimestre de 2023",
    "Aumento do capital e aumento de capital social",
];
const QUERIES: [&str; 32] = [
    "v",
    "va",
    "vale",
    "ata",
    "at",
    "a",
    "assembl",
    "20",
    "2024",
    "2023",
    "vale ata",
    "s.a. vale",
    "da at",
    "1",
    "rio doce",
    "\"rio doce\"",
    "\"vale do rio\"",
    "\"aumento de capital\"",
    "\"aumento de\" social",
    "\"aumento de capital por subscrição\"",
    "\"do rio doce ata\"",
    "\"de capital\" vale",
    "aumento capital",
    "jcp",
    "juros sobre capital próprio",
    "3T23",
    "dividendo",
    "terceiro trimestre de 2023",
    "atas",
    "assembleias vale",
    "release",
    "\"ata",
];

/// The numbers that a test filing is made from.
type Seed = (u64, u8, usize, usize, usize, usize, u32);

fn entry(&(number, day, name, category, kind, subject, version): &Seed) -> NewFiling<'static> {
    NewFiling {
        id: FilingId::new(Form::Ipe, number).unwrap(),
        date: Date::new(2024, 2, day).unwrap(),
        company: CvmCode::new([1, 1, 2, 3][name]).unwrap(),
        company_name: NAMES[name].into(),
        category: CATEGORIES[category].into(),
        kind: TYPES[kind].into(),
        species: "".into(),
        subject: SUBJECTS[subject].into(),
        reference_date: Date::new(2023, 9, if subject % 2 == 0 { 30 } else { 29 }),
        version,
        link: Link::Usual(Some(7)),
    }
}

fn seeds() -> impl Strategy<Value = Vec<Vec<Seed>>> {
    let seed = (1u8..12, 0usize..4, 0usize..4, 0usize..3, 0usize..9, 1u32..3);
    let file = proptest::collection::btree_map(1u64..80, seed, 0..60);
    let file = file.prop_map(|rows| {
        rows.into_iter().map(|(id, row)| (id, row.0, row.1, row.2, row.3, row.4, row.5)).collect()
    });
    proptest::collection::vec(file, 1..5)
}

/// A model of the filings that needs no index.
#[derive(Default)]
struct Model {
    filings: BTreeMap<i64, NewFiling<'static>>,
    /// Every name under which a company ever filed.
    names: BTreeMap<u32, BTreeSet<String>>,
}

impl Model {
    fn add(&mut self, entry: NewFiling<'static>) {
        self.filings.retain(|_, known| known.id != entry.id);
        let names = self.names.entry(entry.company.get()).or_default();
        names.insert(fold(&entry.company_name));
        self.filings.insert(entry.id.key(entry.date), entry);
    }

    /// The texts of a filing: its own, and the names of its company.
    fn texts(&self, entry: &NewFiling<'_>) -> [Vec<Vec<String>>; 2] {
        let split = |text: &str| words(&fold(text)).map(str::to_owned).collect::<Vec<_>>();
        let own = [&*entry.category, &entry.kind, &entry.subject].map(split);
        let names = self.names[&entry.company.get()].iter().map(|name| split(name));
        [own.to_vec(), names.collect()]
    }

    /// All words by which a filing is found.
    fn words(&self, entry: &NewFiling<'_>) -> BTreeSet<String> {
        let [own, names] = self.texts(entry);
        let mut all: BTreeSet<String> = own.iter().chain(&names).flatten().cloned().collect();
        let class = [own[0].clone(), own[1].clone()].concat();
        for text in [&class, &own[2]] {
            let text: Vec<&str> = text.iter().map(String::as_str).collect();
            lexicon::for_each_extra_word(&text, |word| all.extend([word.to_owned()]));
        }
        let reference = entry.reference_date.unwrap();
        all.extend([entry.date.year().to_string(), reference.year().to_string()]);
        if fold(&entry.category) == "dados economico-financeiros" {
            all.extend(periods::ending_on(reference));
        }
        all.insert(entry.company.to_string());
        all
    }

    fn matches(&self, entry: &NewFiling<'_>, query: &str, years_anywhere: bool) -> bool {
        let words = self.words(entry);
        let years = [entry.date.year(), entry.reference_date.unwrap().year()];
        let is_year = |word: &str| {
            word.len() == 4 && word.parse().is_ok_and(|year: u16| (1990..2050).contains(&year))
        };
        let texts = self.texts(entry).concat();
        let has = |word: &str, begun: bool| {
            if is_year(word) && !years_anywhere {
                return years.iter().any(|year| year.to_string() == word);
            }
            let forms = equivalents::forms(word);
            forms.iter().any(|form| words.contains(form))
                || begun && words.iter().any(|known| known.starts_with(word))
        };
        let parsed: Words = query.parse().unwrap();
        let parts = parsed.parts();
        parts.iter().enumerate().all(|(at, part)| match part {
            crate::values::words::Part::Phrase(phrase) => {
                texts.iter().any(|text| text.windows(phrase.len()).any(|run| run == phrase))
            }
            crate::values::words::Part::Cnpj(..) => unreachable!(),
            crate::values::words::Part::Words(wanted) => {
                let last = at + 1 == parts.len();
                let one = |at: usize| {
                    let begun = last && at + 1 == wanted.len();
                    // The last word says something, or one after it does.
                    !begun && lexicon::is_particle(&wanted[at]) || has(&wanted[at], begun)
                };
                let wanted: Vec<&str> = wanted.iter().map(String::as_str).collect();
                let meanings = lexicon::meanings(&wanted);
                let covered = |at: &usize| meanings.iter().any(|meaning| meaning.at.contains(at));
                meanings
                    .iter()
                    .all(|meaning| words.contains(&meaning.word) || meaning.at.clone().all(one))
                    && (0..wanted.len()).filter(|at| !covered(at)).all(one)
            }
        })
    }

    /// The ids of the filings that meet a condition, newest first.
    fn ids(&self, meets: impl Fn(&NewFiling<'_>) -> bool) -> Vec<FilingId> {
        self.filings.values().rev().filter(|entry| meets(entry)).map(|entry| entry.id).collect()
    }
}

fn ids(page: &Page<Filing>) -> Vec<FilingId> {
    page.data.iter().map(|filing| filing.id).collect()
}

fn check(snapshot: &Snapshot, model: &Model) {
    let limit = Limit::<1000>::MAX;
    let newest = model.ids(|_| true);
    let all = list(snapshot, List { limit, ..List::default() }).unwrap();
    assert_eq!((ids(&all), all.total), (newest.clone(), newest.len() as u64));
    // Every page, whatever its size.
    for size in [1, 7] {
        let pages = (0..newest.len() as u64 + 1).step_by(size as usize).flat_map(|offset| {
            let (limit, offset) = (Limit::new(size).unwrap(), Offset::new(offset).unwrap());
            let page = list(snapshot, List { limit, offset, ..List::default() }).unwrap();
            assert_eq!(page.total, newest.len() as u64);
            ids(&page)
        });
        assert_eq!(pages.collect::<Vec<_>>(), newest);
    }
    for (at, category) in CATEGORIES.iter().enumerate() {
        for day in 1..12 {
            let (from, to) = (Date::new(2024, 2, day), Date::new(2024, 2, (day + 3).min(29)));
            let kind = (at % 2 == 0).then(|| TYPES[usize::from(day) % 3]);
            let company = (day % 2 == 0).then_some(["1", "2", "3", "77"][at]);
            let query = List {
                company: company.map(|code| code.parse().unwrap()),
                category: Some((*category).into()),
                r#type: kind.map(str::to_owned),
                from,
                to,
                limit,
                offset: Offset::default(),
            };
            let page = list(snapshot, query).unwrap();
            let wanted = model.ids(|entry| {
                fold(&entry.category) == fold(category)
                    && kind.is_none_or(|kind| fold(&entry.kind) == fold(kind))
                    && company.is_none_or(|code| entry.company.to_string() == code)
                    && (from..=to).contains(&Some(entry.date))
            });
            assert_eq!((ids(&page), page.total), (wanted.clone(), wanted.len() as u64));
        }
    }
    for (at, q) in QUERIES.iter().enumerate() {
        let from = (at % 3 == 0).then(|| Date::new(2024, 2, 4)).flatten();
        let query = Search { limit, from, ..Search::new(q).unwrap() };
        let page = search(snapshot, query.clone()).unwrap();
        let matching = |years_anywhere| {
            model.ids(|entry| {
                from.is_none_or(|from| entry.date >= from)
                    && model.matches(entry, q, years_anywhere)
            })
        };
        let strictly = Some(matching(false)).filter(|ids| !ids.is_empty());
        let wanted = strictly.unwrap_or_else(|| matching(true));
        let same = |ids: &[FilingId]| ids.iter().copied().collect::<BTreeSet<_>>();
        let (found, wanted) = (same(&ids(&page)), same(&wanted));
        assert_eq!((found.len() as u64, page.data.len()), (page.total, found.len()), "{q}");
        // Of a company that is named, near matches come before what others have filed with all words.
        assert!(found.is_superset(&wanted), "{q}");
        if !page.meta.fuzzy && page.meta.linked.is_empty() {
            assert_eq!(found, wanted, "{q}");
        }
        let ranked = search(snapshot, Search { order: Order::Relevance, ..query.clone() }).unwrap();
        assert_eq!((same(&ids(&ranked)), ranked.total), (found, page.total), "{q}");
        for (order, whole) in [(Order::Newest, ids(&page)), (Order::Relevance, ids(&ranked))] {
            let pages = (0..=page.total).step_by(7).flat_map(|offset| {
                let (limit, offset) = (Limit::new(7).unwrap(), Offset::new(offset).unwrap());
                let page = Search { order, limit, offset, ..query.clone() };
                ids(&search(snapshot, page).unwrap())
            });
            assert_eq!(pages.collect::<Vec<_>>(), whole, "{q}");
        }
    }
    for entry in model.filings.values() {
        let filing = find(snapshot, entry.id).unwrap();
        assert_eq!((filing.date, filing.version), (entry.date, entry.version));
        assert_eq!(
            (&*filing.company_name, &*filing.category),
            (&*entry.company_name, &*entry.category)
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn lists_searches_and_totals_follow_every_import(files in seeds()) {
        let dir = tempfile::tempdir().unwrap();
        let catalogue = Catalogue::open(dir.path().join("catalogue.db")).unwrap();
        let mut model = Model::default();
        for file in files {
            let mut entries: Vec<_> = file.iter().map(entry).collect();
            let writer = catalogue.write(crate::store::catalogue::noon()).unwrap();
            let mut filings = Filings::default();
            filings.sizes = BlockSizes::SMALL;
            filings.store(&writer, &mut entries, OnConflict::Replace).unwrap();
            filings.finish(&writer).unwrap();
            let mut writer = writer;
            writer.note("test", format!("{file:?}").as_bytes());
            writer.commit().unwrap();
            entries.into_iter().for_each(|entry| model.add(entry));
            check(&catalogue.snapshot(Date::MAX).unwrap(), &model);
        }
        assert_eq!(catalogue.check().unwrap().problems, [""; 0]);
    }
}

/// A catalogue with these filings, after `tampered` has changed it; it goes with its directory.
fn stored(
    entries: &mut [NewFiling<'_>],
    tampered: impl FnOnce(&Writer),
) -> (tempfile::TempDir, Snapshot) {
    let (dir, catalogue) = temporary();
    let writer = catalogue.write(crate::store::catalogue::noon()).unwrap();
    let mut filings = Filings::default();
    filings.store(&writer, entries, OnConflict::Replace).unwrap();
    filings.finish(&writer).unwrap();
    tampered(&writer);
    writer.commit().unwrap();
    let snapshot = catalogue.snapshot(Date::MAX).unwrap();
    (dir, snapshot)
}

#[test]
fn an_index_that_was_made_in_another_way_is_made_anew() {
    let (dir, snapshot) = stored(&mut [entry(&(5, 1, 1, 2, 0, 0, 1))], |writer| {
        let tamper = "UPDATE meta SET value = '1-other' WHERE name = 'index_version';
            DELETE FROM filing_block; DELETE FROM filing_place; DELETE FROM filing_term; DELETE FROM term";
        writer.connection().execute_batch(tamper).unwrap();
    });
    let total =
        |snapshot: &Snapshot| search(snapshot, Search::new("petroleo").unwrap()).unwrap().total;
    assert_eq!(total(&snapshot), 0);
    drop(snapshot);
    let catalogue = Catalogue::open(dir.path().join("catalogue.db")).unwrap();
    assert_eq!(total(&catalogue.snapshot(Date::MAX).unwrap()), 1);
    assert!(catalogue.check().unwrap().problems.is_empty());
}

#[test]
fn what_is_known_can_be_kept() {
    let dir = tempfile::tempdir().unwrap();
    let catalogue = Catalogue::open(dir.path().join("catalogue.db")).unwrap();
    let writer = catalogue.write(crate::store::catalogue::noon()).unwrap();
    let mut filings = Filings::default();
    let official = entry(&(5, 1, 0, 0, 0, 3, 1));
    let bundled = entry(&(5, 1, 0, 0, 0, 0, 1));
    filings.store(&writer, &mut [official], OnConflict::Replace).unwrap();
    let tally = filings.store(&writer, &mut [bundled], OnConflict::Keep).unwrap();
    assert_eq!(tally.unchanged, 1);
    filings.finish(&writer).unwrap();
    writer.commit().unwrap();
    let snapshot = catalogue.snapshot(Date::MAX).unwrap();
    let filing = find(&snapshot, "5".parse().unwrap()).unwrap();
    assert_eq!(filing.subject.as_deref(), Some(SUBJECTS[3]));
}

#[test]
fn a_filing_is_served_with_its_class_for_a_subject_and_midnight_for_a_date() {
    let (_dir, snapshot) = stored(&mut [entry(&(5, 1, 1, 2, 0, 0, 1))], |_| ());
    let filing = find(&snapshot, "5".parse().unwrap()).unwrap();
    assert_eq!(
        serde_json::to_string(&*filing).unwrap(),
        r#"{"id":"5","company_id":"1","company_name":"PETRÓLEO  BRASILEIRO S.A.","category":"Fato Relevante","type":"AGO","species":"","description":"Fato Relevante · AGO","subject":null,"date":"2024-02-01T00:00:00-03:00","reference_date":"2023-09-30","version":1,"url":"https://www.rad.cvm.gov.br/ENET/frmDownloadDocumento.aspx?Tela=ext&descTipo=IPE&CodigoInstituicao=1&numProtocolo=5&numSequencia=7&numVersao=1"}"#
    );
}

#[test]
fn a_company_is_unknown_where_neither_registry_nor_filings_name_it() {
    let (_dir, snapshot) = stored(&mut [entry(&(5, 1, 0, 0, 0, 0, 1))], |_| ());
    let of = |id: &str| of_company(&snapshot, OfCompany::new(id.parse().unwrap()));
    assert_eq!(of("000001").unwrap().total, 1);
    for id in ["2", "33.000.167/0001-01"] {
        let message = of(id).unwrap_err().to_string();
        assert_eq!(message, format!("there is no company {id:?}"));
    }
}

#[test]
fn nothing_beyond_the_end_is_walked() {
    // A page beyond the end must not even query the tables that rows are read from.
    let (_dir, snapshot) = stored(&mut [entry(&(5, 1, 0, 0, 0, 0, 1))], |writer| {
        writer.prepare("DROP TABLE filing").unwrap().execute([]).unwrap();
    });
    let offset = Offset::new(1).unwrap();
    let page = list(&snapshot, List { offset, ..List::default() }).unwrap();
    assert_eq!((page.data.len(), page.total), (0, 1));
    let page = search(&snapshot, Search { offset, ..Search::new("vale").unwrap() }).unwrap();
    assert_eq!((page.data.len(), page.total), (0, 1));
    assert!(list(&snapshot, List::default()).is_err());
}
