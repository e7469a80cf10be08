//! Every company and filing, and every total, against what can be counted in the tables they come from.
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use fincore::{
    Catalogue, Date, Import, Limit, Offset, Page, Search, Snapshot, Tally, bundle, companies,
    filings,
};

use crate::harness;

/// What identifies a filing, and all that is counted.
struct Row {
    id: String,
    date: String,
    company: String,
    category: String,
}

struct Place {
    _dir: tempfile::TempDir,
    catalogue: Catalogue,
}

impl Place {
    fn new() -> Place {
        let dir = tempfile::tempdir().unwrap();
        let catalogue = Catalogue::open(dir.path().join("catalogue.db")).unwrap();
        Place { _dir: dir, catalogue }
    }

    fn bundled() -> Place {
        let dir = tempfile::tempdir().unwrap();
        let catalogue = bundle::filled_copy(dir.path()).unwrap();
        Place { _dir: dir, catalogue }
    }

    fn snapshot(&self) -> Snapshot {
        self.catalogue.snapshot(Date::MAX).unwrap()
    }

    fn import(&self, files: &[PathBuf]) -> Tally {
        let mut import = Import::begin(&self.catalogue, fincore::chrono::Utc::now()).unwrap();
        let mut tally = Tally::default();
        for path in files {
            let name = path.display().to_string();
            tally += import.file(&name, &fs::read(path).unwrap()).unwrap().tally;
        }
        import.commit().unwrap();
        tally
    }
}

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../data")
}

fn upstream() -> Option<PathBuf> {
    harness::upstream().map(|upstream| upstream.join("cvm"))
}

/// All rows of a list, page by page.
fn walk<T: Clone>(limit: u32, page: impl Fn(Limit<1000>, Offset) -> Page<T>) -> Vec<T> {
    let mut all = Vec::new();
    loop {
        let offset = all.len() as u64;
        let page = page(Limit::new(limit).unwrap(), Offset::new(offset).unwrap());
        assert_eq!((page.limit, page.offset), (limit, offset));
        if page.data.is_empty() {
            assert_eq!(page.total, offset);
            return all;
        }
        all.extend(page.data);
    }
}

/// Rows counted by some property of theirs.
fn counted<'r>(rows: &'r [Row], by: impl Fn(&'r Row) -> &'r str) -> BTreeMap<&'r str, u64> {
    rows.iter().fold(BTreeMap::new(), |mut counts, row| {
        *counts.entry(by(row)).or_default() += 1;
        counts
    })
}

fn check_filings(snapshot: &Snapshot, rows: &[Row]) {
    let list = |query: filings::List| filings::list(snapshot, query).unwrap();
    let served =
        walk(1000, |limit, offset| list(filings::List { limit, offset, ..Default::default() }));
    let ids: BTreeSet<String> = served.iter().map(|filing| filing.id.to_string()).collect();
    assert_eq!(ids.len(), served.len(), "a page overlaps another");
    assert!(ids.iter().eq(rows.iter().map(|row| &row.id).collect::<BTreeSet<_>>()));
    assert!(served.is_sorted_by_key(|filing| std::cmp::Reverse((filing.date, filing.id))));

    for (category, total) in counted(rows, |row| &row.category) {
        let query = filings::List { category: Some(category.to_lowercase()), ..Default::default() };
        assert_eq!(list(query).total, total, "{category}");
    }
    for (date, total) in counted(rows, |row| &row.date) {
        let day = Some(date.parse().unwrap());
        let query = filings::List { from: day, to: day, ..Default::default() };
        assert_eq!(list(query).total, total, "{date}");
    }
    for (company, total) in counted(rows, |row| &row.company) {
        let of = |limit, offset| {
            let company = filings::OfCompany::new(company.parse().unwrap());
            filings::of_company(snapshot, filings::OfCompany { limit, offset, ..company }).unwrap()
        };
        assert_eq!(of(Limit::default(), Offset::default()).total, total, "{company}");
    }
    let of_category = walk(333, |limit, offset| {
        let category = Some("ASSEMBLÉIA".to_owned());
        list(filings::List { category, limit, offset, ..Default::default() })
    });
    assert_eq!(of_category.len() as u64, counted(rows, |row| &row.category)["Assembleia"]);
}

fn check_companies(snapshot: &Snapshot, rows: &BTreeMap<String, Vec<String>>) {
    let list = |query| companies::list(snapshot, query).unwrap();
    let served =
        walk(100, |limit, offset| list(companies::List { limit, offset, ..Default::default() }));
    let shown = |company: &companies::Company| {
        let row = vec![
            company.cnpj.unwrap().to_string(),
            company.name.clone(),
            company.trade_name.clone().unwrap_or_default(),
            company.status.clone().unwrap(),
            company.sector.clone(),
        ];
        (company.id.to_string(), row)
    };
    assert_eq!(served.len(), rows.len());
    assert_eq!(&served.iter().map(shown).collect::<BTreeMap<_, _>>(), rows);
    for company in &served {
        let id = format!("{:0>6}", company.id).parse().unwrap();
        assert_eq!(companies::find(snapshot, id).unwrap().answer, *company);
    }
    for column in [3, 4] {
        let values: BTreeSet<&String> = rows.values().map(|row| &row[column]).collect();
        for value in values {
            let filter = Some(value.to_uppercase());
            let query = match column {
                3 => companies::List { status: filter, ..Default::default() },
                _ => companies::List { sector: filter, ..Default::default() },
            };
            // Some sectors differ in nothing but case.
            let same = |row: &&Vec<String>| row[column].to_uppercase() == value.to_uppercase();
            assert_eq!(list(query).total, rows.values().filter(same).count() as u64, "{value}");
        }
    }
}

/// These columns of each line of a table but the first.
fn columns<const N: usize>(text: &str, separator: char, columns: [usize; N]) -> Vec<[String; N]> {
    let row = |line: &str| {
        let fields: Vec<&str> = line.trim_end_matches('\r').split(separator).collect();
        columns.map(|column| fields[column].to_owned())
    };
    text.split_terminator('\n').skip(1).map(row).collect()
}

#[test]
fn serves_every_company_and_filing_of_the_bundle() {
    let place = Place::bundled();
    let table = |name: &str| fs::read_to_string(data().join(name)).unwrap();

    let companies = columns(&table("companies.tsv"), '\t', [0, 1, 2, 3, 4, 6]);
    let companies = companies.into_iter().map(|[id, rest @ ..]| (id, rest.to_vec())).collect();
    check_companies(&place.snapshot(), &companies);

    let filings = (2021..=2026)
        .flat_map(|year| columns(&table(&format!("filings_{year}.tsv")), '\t', [0, 1, 2, 4]))
        .map(|[id, date, company, category]| Row { id, date, company, category })
        .collect::<Vec<_>>();
    check_filings(&place.snapshot(), &filings);
}

#[test]
#[ignore = "long"]
fn serves_every_company_and_filing_of_the_official_files() {
    let Some(upstream) = upstream() else { return };
    let place = Place::new();
    let names: Vec<String> = [
        "cad_cia_aberta.csv",
        "fca_cia_aberta_valor_mobiliario_2025.csv",
        "ipe_cia_aberta_2024.zip",
        "ipe_cia_aberta_2025.zip",
        "fre_cia_aberta_2024.csv",
        "fre_cia_aberta_2025.csv",
        "fca_cia_aberta_2025.csv",
    ]
    .map(str::to_owned)
    .into_iter()
    .chain((2021..=2025).map(|year| format!("dfp_cia_aberta_{year}.csv")))
    .collect();
    place.import(&names.iter().map(|name| upstream.join(name)).collect::<Vec<_>>());

    let companies =
        columns(&official(&upstream.join("cad_cia_aberta.csv")), ';', [9, 0, 1, 2, 7, 10]);
    let companies = companies.into_iter().map(|[id, rest @ ..]| (id, rest.to_vec())).collect();
    check_companies(&place.snapshot(), &companies);

    let mut filings = Vec::new();
    for name in &names[2..] {
        let text = official(&upstream.join(name));
        let (form, _) = name.split_once('_').unwrap();
        let rows = if form == "ipe" {
            columns(&text, ';', [12, 8, 2, 4])
        } else {
            columns(&text, ';', [6, 7, 4, 5])
        };
        for [id, date, company, category] in rows {
            let id = match id.split("numProtocolo=").nth(1) {
                Some(rest) => rest.split('&').next().unwrap().to_owned(),
                None => format!("{form}-{id}"),
            };
            let company = company.trim_start_matches('0').to_owned();
            filings.push(Row { id, date, company, category });
        }
    }
    check_filings(&place.snapshot(), &filings);
}

/// What CVM itself changed from June 2025 to May 2026.
#[test]
fn a_newer_official_registry_updates_the_older_one() {
    let Some(upstream) = upstream() else { return };
    let place = Place::new();
    let older = upstream.join("cad_cia_aberta.2025-06-07.csv");
    let newer = upstream.join("cad_cia_aberta.csv");
    place.import(std::slice::from_ref(&older));
    let tally = place.import(&[newer]);
    assert_eq!((tally.new, tally.removed), (20, 0));
    let mut import = Import::begin(&place.catalogue, fincore::chrono::Utc::now()).unwrap();
    let refused = import.file("cad.csv", &fs::read(&older).unwrap()).unwrap_err().to_string();
    assert!(refused.contains("the known one on 2026-05-19"), "{refused}");
}

/// What the bundle has of a file is as in the file, subjects included: importing it changes nothing.
#[test]
#[ignore = "long"]
fn the_bundle_has_the_filings_of_official_files() {
    let Some(upstream) = upstream() else { return };
    let place = Place::bundled();
    let file = [upstream.join("ipe_cia_aberta_2025.zip")];
    let tally = place.import(&file);
    assert_eq!((tally.new, tally.changed, tally.unchanged), (0, 0, 24_583));
    let zip = place.import(&[upstream.join("dfp_cia_aberta_2025.zip")]);
    // Its four filings are there already, their statements and shares too.
    assert_eq!((zip.new, zip.changed, zip.unchanged), (0, 0, 64));
}

/// The text of an official file, which is a table or the only member of an archive.
fn official(path: &Path) -> String {
    let mut bytes = fs::read(path).unwrap();
    if path.extension().is_some_and(|end| end == "zip") {
        let mut archive = zip::ZipArchive::new(std::io::Cursor::new(bytes)).unwrap();
        let mut member = archive.by_index(0).unwrap();
        bytes = Vec::new();
        std::io::copy(&mut member, &mut bytes).unwrap();
    }
    // No byte of these files means something else in ISO 8859-1, where it is its own code point.
    bytes.into_iter().map(char::from).collect()
}

fn search(q: &str) -> Search {
    Search { q: q.parse().unwrap(), limit: Limit::default(), offset: Offset::default() }
}

#[test]
fn finds_petrobras_by_any_name_and_number() {
    let place = Place::bundled();
    let snapshot = place.snapshot();
    let queries = [
        "petrobras",
        "PETRÓLEO BRASILEIRO",
        "petroleo",
        "PETR4",
        "petr3",
        "33000167000101",
        "33.000.167/0001-01",
        "9512",
        "009512",
        "brasileiro petrol",
    ];
    for q in queries {
        let found = companies::search(&snapshot, search(q).into()).unwrap();
        assert_eq!(found.data[0].id.to_string(), "9512", "{q}");
        assert_eq!(found.data[0].tickers, ["PETR3", "PETR4"]);
    }
    let found = fincore::search::global(&snapshot, search("petrobras")).unwrap();
    assert_eq!(found.companies[0].id.to_string(), "9512");
    // The registered trade name of the distributor that it has sold still has its name.
    let of =
        |filing: &filings::Filing| ["9512", "24295"].contains(&&*filing.company_id.to_string());
    assert!(found.filings.iter().all(of));
}

#[test]
#[ignore = "long"]
fn every_total_of_a_search_is_what_its_pages_hold() {
    let place = Place::bundled();
    let snapshot = place.snapshot();
    let queries = [
        "vale",
        "banco do brasil",
        "assembl",
        "ata age",
        "s.a.",
        "a",
        "cv",
        "fato relevante",
        "zzz",
    ];
    for q in queries {
        let page = |limit, offset| Search { limit, offset, ..search(q) };
        let filings = walk(1000, |limit, offset| {
            let query = filings::Search { limit, offset, ..filings::Search::new(q).unwrap() };
            filings::search(&snapshot, query).unwrap()
        });
        let keys: BTreeSet<_> = filings.iter().map(|filing| filing.id).collect();
        assert_eq!(keys.len(), filings.len(), "{q}");
        // The newest first within each of the groups that docs/search-ranking.md lists.
        let is_newer =
            |pair: &[filings::Filing]| (pair[1].date, pair[1].id) > (pair[0].date, pair[0].id);
        assert!(filings.windows(2).filter(|pair| is_newer(pair)).count() < 8, "{q}");
        let companies = walk(7, |limit, offset| {
            companies::search(&snapshot, page(limit, offset).into()).unwrap()
        });
        let ids: BTreeSet<_> = companies.iter().map(|company| company.id).collect();
        assert_eq!(ids.len(), companies.len(), "{q}");
    }
}
