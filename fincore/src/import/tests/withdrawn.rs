//! Withdrawn rows are removed, and rows that an answer or a file merely lacks are kept.
use super::*;
use crate::{
    filings::{Search, search_words},
    import::sample_files::FILINGS_HEADER,
    market,
    publish::{
        events::{self, EventsQuery},
        export::{self, dataset},
    },
    store::{Change, catalogue::noon, changes},
};

/// An answer of SGS with these days, all with the same figure.
fn answer(days: &[String]) -> String {
    let rows = days.iter().map(|day| format!(r#"{{"data":"{day}","valor":"0.05"}}"#));
    format!("[{}]", rows.collect::<Vec<_>>().join(","))
}

/// The first days of these months of 2026, or these days of October.
fn months(months: impl IntoIterator<Item = u8>) -> Vec<String> {
    months.into_iter().map(|month| format!("01/{month:02}/2026")).collect()
}

fn october(days: impl IntoIterator<Item = u8>) -> Vec<String> {
    days.into_iter().map(|day| format!("{day:02}/10/2026")).collect()
}

/// Imports the answer to a request for the running year; today is 2026-11-15.
fn synchronise(catalogue: &Catalogue, series: u32, days: &[String]) -> Imported {
    let mut import = Import::begin(catalogue, noon()).unwrap().from_publisher();
    import.covers("2026-01-01".parse().unwrap(), "2026-11-15".parse().unwrap());
    let name = format!("bcdata.sgs.{series}.json");
    let imported = import.file(&name, answer(days).as_bytes()).unwrap();
    import.commit().unwrap();
    assert_eq!(catalogue.check().unwrap().problems, [""; 0]);
    imported
}

fn stored(catalogue: &Catalogue, series: u32) -> Vec<String> {
    let snapshot = catalogue.snapshot(Date::MAX).unwrap();
    let rows = market::all(&snapshot, series).unwrap();
    rows.iter().rev().map(|row| row.date.to_string()).collect()
}

#[test]
fn a_figure_that_was_published_too_early_goes_with_its_source() {
    let (_dir, catalogue) = catalogue();
    synchronise(&catalogue, 433, &months(1..=12));
    assert_eq!(stored(&catalogue, 433).len(), 12);
    // That of November is not due yet, and that of December is in the future.
    let imported = synchronise(&catalogue, 433, &months(1..=10));
    assert_eq!(imported.tally, Tally { removed: 2, ..tally(0, 0, 10) });
    let told = "figures that the source has withdrawn: 2 (2026-11-01, 2026-12-01)";
    assert_eq!(imported.notes, [told]);
    assert_eq!(stored(&catalogue, 433).last().unwrap(), "2026-10-01");
    let snapshot = catalogue.snapshot(Date::MAX).unwrap();
    let removed = changes::since(&snapshot, 1).unwrap().map(|entry| {
        let entry = entry.unwrap();
        (entry.key, entry.change)
    });
    let removed: Vec<_> = removed.collect();
    let gone = |day: &str| (day.to_owned(), Change::Removed);
    assert_eq!(removed, [gone("2026-11-01"), gone("2026-12-01")]);
}

#[test]
fn an_answer_that_was_cut_short_removes_nothing() {
    let (_dir, catalogue) = catalogue();
    synchronise(&catalogue, 433, &months(1..=12));
    let imported = synchronise(&catalogue, 433, &months(1..=3));
    assert_eq!(imported.tally, tally(0, 0, 3));
    assert!(
        imported.notes[0].starts_with("stored figures that the answer lacks, which are kept: 9")
    );
    // Without a request for the days it is a file of the operator's.
    let file = ("bcdata.sgs.433.json", &*answer(&months(1..=10)));
    assert_eq!(import(&catalogue, &[file]).unwrap()[0].tally, tally(0, 0, 10));
    assert_eq!(stored(&catalogue, 433).len(), 12);
}

#[test]
fn of_figures_between_others_only_a_few_are_removed() {
    let (_dir, catalogue) = catalogue();
    let days = || (1..=30).filter(|day| day % 7 < 5);
    synchronise(&catalogue, 12, &october(days()));
    let all = stored(&catalogue, 12).len();
    assert_eq!(stored(&catalogue, 4389).len(), all);
    let lacking = |lacks: &[u8]| october(days().filter(|day| !lacks.contains(day)));
    assert_eq!(synchronise(&catalogue, 12, &lacking(&[2, 3, 4])).tally.removed, 0);
    // The computed rate per year goes with the rate per day.
    assert_eq!(synchronise(&catalogue, 12, &lacking(&[2, 3])).tally.removed, 2);
    assert_eq!((stored(&catalogue, 12).len(), stored(&catalogue, 4389).len()), (all - 2, all - 2));
    // A figure of a business day that is merely late is kept.
    assert_eq!(synchronise(&catalogue, 12, &lacking(&[2, 3, 29, 30])).tally.removed, 0);
}

#[test]
fn impossible_days_are_refused_by_name() {
    let (_dir, catalogue) = catalogue();
    for (day, said) in [
        ("01/01/0001", "SGS 433 is dated 0001-01-01, but begins on 1980-01-01 at the earliest"),
        ("01/01/2099", "SGS 433 is dated 2099-01-01, more than 70 days after today"),
    ] {
        let text = answer(&[day.to_owned()]);
        let message =
            import(&catalogue, &[("bcdata.sgs.433.json", &text)]).unwrap_err().to_string();
        assert!(message.contains(said), "{message}");
        let mut forced = Import::begin(&catalogue, noon()).unwrap().force();
        assert_eq!(forced.file("bcdata.sgs.433.json", text.as_bytes()).unwrap().tally.new, 1);
    }
}

/// A table of event documents with these numbers, delivered from January on, three a day.
fn event_documents(ids: impl IntoIterator<Item = u32>) -> String {
    let mut table = FILINGS_HEADER.to_owned();
    for id in ids {
        let day = Date::from_day_number(
            Date::new(2026, 1, 5).unwrap().day_number() + id.cast_signed() / 3,
        );
        let day = day.unwrap();
        table += &format!(
            "33.000.167/0001-01;PETROBRAS;9512;{day};Fato Relevante;;;Assunto {id};{day};AP;;1;https://cvm/?numProtocolo={}&numSequencia=5\n",
            5000 + id
        );
    }
    table
}

fn import_filings(import: Import, table: &str) -> Imported {
    let mut import = import;
    let imported = import.file("ipe_cia_aberta_2026.csv", table.as_bytes()).unwrap();
    import.commit().unwrap();
    imported
}

fn total(catalogue: &Catalogue) -> u64 {
    let snapshot = catalogue.snapshot("2026-11-15".parse().unwrap()).unwrap();
    let found = search_words::search(&snapshot, Search::new("assunto").unwrap()).unwrap().total;
    assert_eq!(catalogue.check().unwrap().problems, [""; 0]);
    found
}

#[test]
fn withdrawn_filings_are_removed_and_make_events() {
    let (_dir, catalogue) = catalogue();
    let downloaded = |table: &str| {
        import_filings(Import::begin(&catalogue, noon()).unwrap().from_publisher(), table)
    };
    downloaded(&event_documents(0..100));
    assert_eq!(total(&catalogue), 100);
    let imported = downloaded(&event_documents((0..102).filter(|id| ![7, 8].contains(id))));
    assert_eq!(imported.tally, Tally { removed: 2, ..tally(2, 0, 98) });
    assert_eq!(imported.notes, ["filings that CVM has withdrawn: 2"]);
    assert_eq!(total(&catalogue), 100);

    let snapshot = catalogue.snapshot("2026-11-15".parse().unwrap()).unwrap();
    let all = EventsQuery { limit: Limit::MAX, ..EventsQuery::default() };
    let news = events::list(&snapshot, events::EventWindow::ALL, all).unwrap().data;
    let gone: Vec<_> = news.iter().filter(|event| event.kind == "filing.withdrawn").collect();
    assert_eq!(gone.len(), 2);
    let data = gone[0].data.get();
    assert!(data.starts_with(r#"{"id":"5007","company_id":"9512""#), "{data}");
    assert!(data.contains(r#""subject":"Assunto 7""#), "{data}");
    let all = export::Query::new(dataset::Dataset::Filings, export::Format::Ndjson);
    let delta = export::Query { since: Some(1), ..all };
    let (mut export, mut text) = (export::Export::begin(snapshot, delta).unwrap(), Vec::new());
    while export.write(&mut text).unwrap() {}
    let text = String::from_utf8(text).unwrap();
    assert_eq!(text.matches(r#""change":"removed""#).count(), 2, "{text}");
    assert_eq!(text.matches(r#""change":"added""#).count(), 2, "{text}");
}

#[test]
fn more_than_two_in_a_hundred_are_kept_unless_forced() {
    let (_dir, catalogue) = catalogue();
    let begin = || Import::begin(&catalogue, noon()).unwrap().from_publisher();
    import_filings(begin(), &event_documents(0..100));
    let lacks = event_documents((0..101).filter(|id| ![7, 8, 9].contains(id)));
    let imported = import_filings(begin(), &lacks);
    assert_eq!(imported.tally, tally(1, 0, 97));
    let told = "the file lacks 3 of 101 stored filings, which are kept: \
                only a forced import removes them, because they are over 2 %, or the file is older or an excerpt";
    assert_eq!(imported.notes, [told]);
    assert_eq!(import_filings(begin().force(), &lacks).tally.removed, 3);
    assert_eq!(total(&catalogue), 98);
}

#[test]
fn only_a_whole_and_newer_file_removes_anything() {
    let (_dir, catalogue) = catalogue();
    let begin = || Import::begin(&catalogue, noon()).unwrap();
    let removed = |import: Import, table: &str| import_filings(import, table).tally.removed;
    import_filings(begin(), &event_documents(0..100));
    // Parts of a file, an older one, and one with a row that cannot be read.
    assert_eq!(removed(begin(), &event_documents(0..20)), 0);
    assert_eq!(removed(begin(), &event_documents(1..98)), 0);
    assert_eq!(removed(begin().from_publisher(), &event_documents(1..90)), 0);
    let bad = event_documents(1..103).replacen("2026-02-01;AP", "yesterday;AP", 1);
    assert_eq!(removed(begin().from_publisher(), &bad), 0);
    assert_eq!(total(&catalogue), 103);
    // The whole file, from the operator.
    assert_eq!(removed(begin(), &event_documents(1..104)), 1);
    assert_eq!(total(&catalogue), 103);
}

#[test]
fn a_filing_of_the_far_future_is_left_out() {
    let (_dir, catalogue) = catalogue();
    let table = event_documents(0..3);
    let future = table.replacen("2026-01-05;AP", "2099-01-05;AP", 1);
    let imported = import_filings(Import::begin(&catalogue, noon()).unwrap(), &future);
    assert_eq!(imported.tally, tally(2, 0, 0));
    let reason = "filings that are delivered after tomorrow (5000 on 2099-01-05)".to_owned();
    assert_eq!(imported.left_out, [(1, reason)]);
    // Tomorrow is possible: a clock may be a little behind.
    let tomorrow = table.replacen("2026-01-05;AP", "2026-11-16;AP", 1);
    let imported = import_filings(Import::begin(&catalogue, noon()).unwrap(), &tomorrow);
    assert_eq!((imported.tally.new, imported.left_out.len()), (1, 0));
}
