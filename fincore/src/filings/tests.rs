//! Compares the stored filings with a simple model, after any sequence of imports.
use std::collections::BTreeMap;

use proptest::prelude::*;

use super::{
    entry::{Link, NewFiling},
    store::Filings,
    *,
};
use crate::{
    catalogue::{Catalogue, OnConflict, Writer, temporary},
    types::{Form, Words, words},
};

const NAMES: [&str; 3] = ["VALE S.A.", "PETRÓLEO  BRASILEIRO S.A.", "Vale do Rio Doce"];
const CATEGORIES: [&str; 3] = ["Assembleia", "ASSEMBLÉIA", "Fato Relevante"];
const SUBJECTS: [&str; 5] = ["", "Ata", "ata da ata", "Vale-transporte 2024 || ata", "Eleição 202"];
const QUERIES: [&str; 12] = [
    "v",
    "va",
    "vale",
    "ata",
    "at",
    "a",
    "assembl",
    "20",
    "2024",
    "vale ata",
    "s.a. vale",
    "da at",
];

/// The numbers that a test filing is made from.
type Seed = (u64, u8, usize, usize, usize, u32);

fn entry(&(number, day, name, category, subject, version): &Seed) -> NewFiling<'static> {
    NewFiling {
        id: FilingId::new(Form::Ipe, number).unwrap(),
        date: Date::new(2024, 2, day).unwrap(),
        company: CvmCode::new([1, 1, 2][name]).unwrap(),
        company_name: NAMES[name].into(),
        category: CATEGORIES[category].into(),
        kind: "AGO".into(),
        species: "".into(),
        subject: SUBJECTS[subject].into(),
        reference_date: None,
        version,
        link: Link::Usual(Some(7)),
    }
}

fn seeds() -> impl Strategy<Value = Vec<Vec<Seed>>> {
    let seed = (1u64..12, 1u8..5, 0usize..3, 0usize..3, 0usize..5, 1u32..3);
    let file = proptest::collection::btree_map(1u64..12, seed, 0..10);
    let file = file.prop_map(|rows| {
        rows.into_iter().map(|(id, row)| (id, row.1, row.2, row.3, row.4, row.5)).collect()
    });
    proptest::collection::vec(file, 1..5)
}

/// The words of a filing, split as the search does.
fn words_of(entry: &NewFiling<'_>) -> Vec<String> {
    let text = [&*entry.company_name, &entry.category, &entry.kind, &entry.subject].join(" ");
    words(&fold(&text)).map(str::to_owned).collect()
}

fn matches(entry: &NewFiling<'_>, query: &str) -> bool {
    let (words, folded) = (words_of(entry), fold(query));
    let wanted: Vec<&str> = crate::types::words(&folded).collect();
    let (last, others) = wanted.split_last().unwrap();
    others.iter().all(|wanted| words.iter().any(|word| word == wanted))
        && words.iter().any(|word| word.starts_with(last))
}

fn check(snapshot: &Snapshot, model: &BTreeMap<i64, NewFiling<'static>>) {
    let newest: Vec<FilingId> = model.values().rev().map(|entry| entry.id).collect();
    let ids = |page: &Page<Filing>| page.data.iter().map(|filing| filing.id).collect::<Vec<_>>();
    let all = list(snapshot, List::default()).unwrap();
    assert_eq!((ids(&all), all.total), (newest.clone(), newest.len() as u64));
    for category in CATEGORIES {
        for day in 1..5 {
            let day = Date::new(2024, 2, day);
            let query = List { category: Some(category.into()), from: day, ..List::default() };
            let page = list(snapshot, query).unwrap();
            let wanted = model
                .values()
                .rev()
                .filter(|entry| fold(&entry.category) == fold(category) && Some(entry.date) >= day);
            let wanted: Vec<_> = wanted.map(|entry| entry.id).collect();
            assert_eq!((ids(&page), page.total), (wanted.clone(), wanted.len() as u64));
        }
    }
    for q in QUERIES {
        let words: Words = q.parse().unwrap();
        let query = Search { q: words, limit: Limit::default(), offset: Offset::default() };
        let page = search(snapshot, query).unwrap();
        let wanted = model.values().rev().filter(|entry| matches(entry, q));
        let wanted: Vec<_> = wanted.map(|entry| entry.id).collect();
        assert_eq!((ids(&page), page.total), (wanted.clone(), wanted.len() as u64), "{q}");
    }
    for entry in model.values() {
        let filing = find(snapshot, entry.id).unwrap();
        assert_eq!((filing.date, filing.version), (entry.date, entry.version));
        assert_eq!(
            (&*filing.company_name, &*filing.category),
            (&*entry.company_name, &*entry.category)
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn lists_searches_and_totals_follow_every_import(files in seeds()) {
        let dir = tempfile::tempdir().unwrap();
        let catalogue = Catalogue::open(dir.path().join("catalogue.db")).unwrap();
        let mut model: BTreeMap<i64, NewFiling<'static>> = BTreeMap::new();
        for file in files {
            let mut entries: Vec<_> = file.iter().map(entry).collect();
            let writer = catalogue.write(crate::catalogue::noon()).unwrap();
            let mut filings = Filings::default();
            filings.store(&writer, &mut entries, OnConflict::Replace).unwrap();
            filings.finish(&writer).unwrap();
            writer.commit().unwrap();
            for entry in entries {
                model.retain(|_, known| known.id != entry.id);
                model.insert(entry.id.key(entry.date), entry);
            }
            check(&catalogue.snapshot(Date::MAX).unwrap(), &model);
        }
    }
}

/// A catalogue with these filings, after somebody has `tampered` with it; it goes with its directory.
fn stored(
    entries: &mut [NewFiling<'_>],
    tampered: impl FnOnce(&Writer),
) -> (tempfile::TempDir, Snapshot) {
    let (dir, catalogue) = temporary();
    let writer = catalogue.write(crate::catalogue::noon()).unwrap();
    let mut filings = Filings::default();
    filings.store(&writer, entries, OnConflict::Replace).unwrap();
    filings.finish(&writer).unwrap();
    tampered(&writer);
    writer.commit().unwrap();
    let snapshot = catalogue.snapshot(Date::MAX).unwrap();
    (dir, snapshot)
}

#[test]
fn what_is_known_can_be_kept() {
    let dir = tempfile::tempdir().unwrap();
    let catalogue = Catalogue::open(dir.path().join("catalogue.db")).unwrap();
    let writer = catalogue.write(crate::catalogue::noon()).unwrap();
    let mut filings = Filings::default();
    let official = entry(&(5, 1, 0, 0, 3, 1));
    let bundled = entry(&(5, 1, 0, 0, 0, 1));
    filings.store(&writer, &mut [official], OnConflict::Replace).unwrap();
    let tally = filings.store(&writer, &mut [bundled], OnConflict::Keep).unwrap();
    assert_eq!(tally.unchanged, 1);
    filings.finish(&writer).unwrap();
    writer.commit().unwrap();
    let snapshot = catalogue.snapshot(Date::MAX).unwrap();
    let filing = find(&snapshot, "5".parse().unwrap()).unwrap();
    assert_eq!(filing.description, SUBJECTS[3]);
}

#[test]
fn a_filing_is_served_with_its_class_for_a_subject_and_midnight_for_a_date() {
    let (_dir, snapshot) = stored(&mut [entry(&(5, 1, 1, 2, 0, 1))], |_| ());
    let filing = find(&snapshot, "5".parse().unwrap()).unwrap();
    assert_eq!(
        serde_json::to_string(&*filing).unwrap(),
        r#"{"id":"5","company_id":"1","company_name":"PETRÓLEO  BRASILEIRO S.A.","category":"Fato Relevante","type":"AGO","species":"","description":"Fato Relevante · AGO","date":"2024-02-01T00:00:00-03:00","reference_date":null,"version":1,"url":"https://www.rad.cvm.gov.br/ENET/frmDownloadDocumento.aspx?Tela=ext&descTipo=IPE&CodigoInstituicao=1&numProtocolo=5&numSequencia=7&numVersao=1"}"#
    );
}

#[test]
fn a_company_is_unknown_where_neither_registry_nor_filings_name_it() {
    let (_dir, snapshot) = stored(&mut [entry(&(5, 1, 0, 0, 0, 1))], |_| ());
    let of = |id: &str| of_company(&snapshot, OfCompany::new(id.parse().unwrap()));
    assert_eq!(of("000001").unwrap().total, 1);
    for id in ["2", "33.000.167/0001-01"] {
        let message = of(id).unwrap_err().to_string();
        assert_eq!(message, format!("there is no company {id:?}"));
    }
}

#[test]
fn rows_are_counted_where_running_totals_are_damaged() {
    for damage in [
        "UPDATE filing_total SET filings = 0 WHERE day = (SELECT MAX(day) FROM filing_total)",
        "UPDATE filing_total SET filings = 0",
        "DELETE FROM filing_total",
    ] {
        let mut days = [entry(&(5, 1, 0, 0, 0, 1)), entry(&(6, 3, 0, 0, 0, 1))];
        let (_dir, snapshot) = stored(&mut days, |writer| {
            writer.prepare(damage).unwrap().execute([]).unwrap();
        });
        for category in [None, Some("assembleia".to_owned())] {
            let query = List { from: Date::new(2024, 2, 2), category, ..List::default() };
            let page = list(&snapshot, query).unwrap();
            assert_eq!((page.total, page.data.len()), (1, 1), "{damage}");
        }
    }
}

#[test]
fn nothing_beyond_the_end_is_walked() {
    // A page beyond the end must not even query the tables that rows are read from.
    let (_dir, snapshot) = stored(&mut [entry(&(5, 1, 0, 0, 0, 1))], |writer| {
        for table in ["filing", "filing_search"] {
            writer.prepare(&format!("DROP TABLE {table}")).unwrap().execute([]).unwrap();
        }
    });
    let offset = Offset::new(1).unwrap();
    let page = list(&snapshot, List { offset, ..List::default() }).unwrap();
    assert_eq!((page.data.len(), page.total), (0, 1));
    let page = search(&snapshot, Search { offset, ..Search::new("vale").unwrap() }).unwrap();
    assert_eq!((page.data.len(), page.total), (0, 1));
    assert!(list(&snapshot, List::default()).is_err());
}
