//! Which files make filings complete, and which do not.
use chrono::{DateTime, Utc};

use crate::{
    filings::coverage::{self, FormCoverage},
    import::{Import, bundle, sample_files::FILINGS_HEADER},
    search::datasets,
    store::Catalogue,
    values::{Date, Form},
};

/// Today, in all of these tests.
const TODAY: &str = "2026-11-17";

fn bundled() -> (tempfile::TempDir, Catalogue) {
    let dir = tempfile::tempdir().unwrap();
    let catalogue = bundle::filled_copy(dir.path()).unwrap();
    (dir, catalogue)
}

fn at(day: &str) -> DateTime<Utc> {
    format!("{day}T12:00:00Z").parse().unwrap()
}

fn import(catalogue: &Catalogue, day: &str, name: &str, table: &str) {
    let mut import = Import::begin(catalogue, at(day)).unwrap();
    import.file(name, table.as_bytes()).unwrap();
    import.commit().unwrap();
}

fn coverage(catalogue: &Catalogue, form: Form) -> FormCoverage {
    let snapshot = catalogue.snapshot(TODAY.parse().unwrap()).unwrap();
    coverage::coverage(&snapshot).unwrap()[form as usize]
}

/// From when to when, and whether it is stale.
fn shown(coverage: FormCoverage) -> String {
    let span = coverage.span.map(|span| format!("{} {}", span.from, span.to)).unwrap_or_default();
    format!("{span} {}", if coverage.stale { "stale" } else { "fresh" })
}

/// A table of event documents that were delivered on these days.
fn event_documents<'d>(days: impl IntoIterator<Item = &'d str>) -> String {
    let mut table = FILINGS_HEADER.to_owned();
    for (number, day) in days.into_iter().enumerate() {
        let id = 2_000_000 + number;
        table += &format!(
            "33.000.167/0001-01;PETROBRAS;9512;{day};Fato Relevante;;;Assunto;{day};AP;;1;https://www.rad.cvm.gov.br/ENET/frmDownloadDocumento.aspx?Tela=ext&descTipo=IPE&CodigoInstituicao=1&numProtocolo={id}&numSequencia=5&numVersao=1\n"
        );
    }
    table
}

/// An index of annual statements of a year, with so many, the last of them received on this day.
fn annual_statements(year: u16, statements: u32, last: &str) -> String {
    let mut table =
        "CNPJ_CIA;DT_REFER;VERSAO;DENOM_CIA;CD_CVM;CATEG_DOC;ID_DOC;DT_RECEB;LINK_DOC\n".to_owned();
    for number in 0..statements {
        let received = if number == 0 { last } else { "2026-09-01" };
        let id = 900_000 + number;
        table += &format!(
            "33.000.167/0001-01;{year}-12-31;1;PETROBRAS;009512;DFP;{id};{received};http://www.rad.cvm.gov.br/ENETCONSULTA/frmDownloadDocumento.aspx?CodigoInstituicao=1&NumeroSequencialDocumento={id}\n"
        );
    }
    table
}

/// Every Monday of a year up to today.
fn mondays() -> Vec<String> {
    let first: Date = "2026-01-05".parse().unwrap();
    let days = (0..46).map(|week| first.day_number() + 7 * week);
    let days: Vec<String> =
        days.map(|day| Date::from_day_number(day).unwrap().to_string()).collect();
    assert_eq!(days[45], "2026-11-16");
    days
}

#[test]
fn the_bundle_says_how_far_each_form_reaches() {
    let (_dir, catalogue) = bundled();
    let all = Form::ALL.map(|form| shown(coverage(&catalogue, form)));
    assert_eq!(
        all,
        [
            "2024-01-01 2025-06-07 stale",
            "2021-05-06 2026-05-19 stale",
            " stale",
            "2023-07-31 2025-06-20 stale",
            "2025-01-02 2025-05-31 stale",
        ]
    );
}

#[test]
fn a_few_newer_filings_complete_nothing() {
    let (_dir, catalogue) = bundled();
    let days = ["2026-11-16"; 12];
    import(&catalogue, TODAY, "ipe_cia_aberta_2026.csv", &event_documents(days));
    assert_eq!(shown(coverage(&catalogue, Form::Ipe)), "2024-01-01 2025-06-07 stale");
    import(
        &catalogue,
        TODAY,
        "dfp_cia_aberta_2026.csv",
        &annual_statements(2026, 12, "2026-11-16"),
    );
    assert_eq!(shown(coverage(&catalogue, Form::Dfp)), "2021-05-06 2026-05-19 stale");
    let snapshot = catalogue.snapshot(TODAY.parse().unwrap()).unwrap();
    let status = datasets::status(&snapshot).unwrap();
    let found = status.data.iter().find(|dataset| dataset.dataset == "filings.ipe").unwrap();
    // It is there, and beyond what is complete.
    assert_eq!(found.newest.unwrap().to_string(), "2026-11-16");
    assert_eq!(found.held_until().unwrap().to_string(), "2025-06-07");
    assert!(found.stale);
}

#[test]
fn a_whole_file_of_the_year_is_fresh_and_leaves_the_gap_before_it() {
    let (_dir, catalogue) = bundled();
    let days = mondays();
    let table = event_documents(days.iter().map(String::as_str));
    import(&catalogue, TODAY, "ipe_cia_aberta_2026.csv", &table);
    assert_eq!(shown(coverage(&catalogue, Form::Ipe)), "2026-01-05 2026-11-16 fresh");
    // A part of what is stored by now is not whole, however new it is.
    let part = event_documents(days[..40].iter().map(String::as_str));
    let snapshot = |catalogue: &Catalogue| catalogue.snapshot(TODAY.parse().unwrap()).unwrap();
    let version = snapshot(&catalogue).version().unwrap();
    import(&catalogue, TODAY, "ipe_cia_aberta_2026.csv", &part);
    assert_eq!(shown(coverage(&catalogue, Form::Ipe)), "2026-01-05 2026-11-16 fresh");
    assert_eq!(snapshot(&catalogue).version().unwrap(), version);
}

#[test]
fn a_periodic_form_is_fresh_for_as_long_as_its_file_was_seen_lately() {
    let (_dir, catalogue) = bundled();
    let table = annual_statements(2025, 800, "2026-10-30");
    import(&catalogue, "2026-11-02", "dfp_cia_aberta_2025.csv", &table);
    // The bundle has 730 others of that year, so this file is a part.
    assert!(coverage(&catalogue, Form::Dfp).stale);
    let table = annual_statements(2026, 800, "2026-10-30");
    import(&catalogue, "2026-11-02", "dfp_cia_aberta_2026.csv", &table);
    // It is whole, but was last seen fifteen days ago.
    assert_eq!(shown(coverage(&catalogue, Form::Dfp)), "2021-05-06 2026-10-30 stale");
    let tag = |catalogue: &Catalogue| {
        let snapshot = catalogue.snapshot(TODAY.parse().unwrap()).unwrap();
        (snapshot.tag().to_owned(), datasets::freshness_tag(&snapshot).unwrap())
    };
    let before = tag(&catalogue);
    import(&catalogue, "2026-11-12", "dfp_cia_aberta_2026.csv", &table);
    assert_eq!(shown(coverage(&catalogue, Form::Dfp)), "2021-05-06 2026-10-30 fresh");
    let after = tag(&catalogue);
    assert_eq!(before.0, after.0, "seeing a file again is no new data");
    assert_ne!(before.1, after.1, "but answers change");
}

#[test]
fn a_day_reads_the_files_once() {
    let (_dir, catalogue) = bundled();
    let writer = catalogue.write(at(TODAY)).unwrap();
    // Every time that it is read, it is counted.
    const SQL: &str = "UPDATE filing_file SET last = 'x' WHERE form = 0 AND year = 2024";
    assert_eq!(writer.connection().execute(SQL, []).unwrap(), 1);
    writer.commit().unwrap();
    let expected = |day: &str| {
        let snapshot = catalogue.snapshot(day.parse().unwrap()).unwrap();
        coverage::coverage(&snapshot).unwrap()[0].expected
    };
    let (before, again) = (expected("2026-11-17"), expected("2026-11-17"));
    assert_eq!((before, catalogue.skipped_corrupt_values()), (again, 1));
    // After midnight the first answer reads them, and no other one.
    let (after, again) = (expected("2026-12-17"), expected("2026-12-17"));
    assert!(before < after);
    assert_eq!((after, catalogue.skipped_corrupt_values()), (again, 2));
}
