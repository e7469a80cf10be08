//! `finserve sync` with every kind of fault at every publisher: what is said of each.
use chrono::Days;

use crate::{
    publisher::Fault,
    sync::{Place, today},
};

/// What is wrong, for which dataset, and what is said of it.
struct Trouble {
    only: &'static str,
    target: &'static str,
    fault: Fault,
    words: &'static str,
}

fn trouble(only: &'static str, target: &'static str, fault: Fault, words: &'static str) -> Trouble {
    Trouble { only, target, fault, words }
}

/// Every kind of fault, at every publisher.
fn troubles(place: &Place) -> Vec<Trouble> {
    let mut registry = Vec::new();
    place.publisher.publish(|published| {
        let mut older = published.clone();
        older.day = older.day - Days::new(1);
        registry = older.registry();
    });
    vec![
        trouble("selic", "sgs.432/", Fault::Page, "HTML"),
        trouble("selic", "sgs.432/", Fault::Status(404), "404 (not found)"),
        trouble("cdi", "/sgs/", Fault::Status(406), "406 (not acceptable)"),
        trouble(
            "selic",
            "sgs.432/",
            Fault::Instead(b"{\"erro\":1}".to_vec()),
            "the central bank answered",
        ),
        trouble("selic", "sgs.432/", Fault::Instead(Vec::new()), "empty"),
        trouble("selic", "sgs.432/", Fault::Status(500), "500 (internal error) (5 tries)"),
        trouble("fx", "/", Fault::Status(504), "504 (not available)"),
        trouble("selic", "sgs.432/", Fault::Limited("0"), "429 (too many requests)"),
        trouble("selic", "sgs.432/", Fault::Drip, "too slowly"),
        trouble("selic", "sgs.432/", Fault::Cut, "broke off"),
        trouble("selic", "sgs.432/", Fault::CompressedCut, "after "),
        trouble("selic", "sgs.432/", Fault::LongerLength, "broke off"),
        trouble("selic", "sgs.432/", Fault::ShorterLength, "line 1"),
        trouble("fx", "/", Fault::Page, "HTML"),
        trouble("fx", "/", Fault::Half, "line"),
        trouble("companies", "/cad_cia_aberta.csv", Fault::Page, "HTML"),
        trouble("companies", "/cad_cia_aberta.csv", Fault::Half, ""),
        trouble("companies", "/cad_cia_aberta.csv", Fault::Cut, "broke off"),
        trouble("companies", "/cad_cia_aberta.csv", Fault::Status(404), "404 (not found)"),
        trouble("companies", "/cad_cia_aberta.csv", Fault::Instead(half(&registry)), "are missing"),
        trouble("companies", "/cad_cia_aberta.csv", Fault::Instead(registry), "the known one"),
        trouble("filings", "/ipe_", Fault::Half, "zip archive is damaged"),
        trouble("filings", "/ipe_", Fault::Page, "HTML"),
        trouble("filings", "/ipe_", Fault::Cut, "broke off"),
        trouble("filings", "/cvm/", Fault::Status(404), "none of the files"),
    ]
}

/// The first half of a registry, with a whole last line, but newer.
fn half(registry: &[u8]) -> Vec<u8> {
    let lines: Vec<&[u8]> = registry.split_inclusive(|byte| *byte == b'\n').collect();
    let newest = today().to_string();
    let first = String::from_utf8_lossy(lines[1]).into_owned();
    let mut fields: Vec<&str> = first.split(';').collect();
    fields[8] = &newest;
    let newest =
        fields.join(";").into_bytes().into_iter().filter(u8::is_ascii).collect::<Vec<u8>>();
    [lines[0], &newest, &lines[2..lines.len() / 2].concat()].concat()
}

#[test]
#[ignore = "long"]
fn every_fault_is_said_and_leaves_the_data_as_it_was() {
    let place = Place::days_ago(0);
    place.sync_here(&[]).unwrap();
    troubles(&place).into_iter().for_each(|trouble| suffer(&place, trouble));
    place.sync_here(&["--only", "selic,cdi,fx,companies,filings"]).unwrap();
    place.assert_complete(today());
    for name in ["selic", "cdi", "fx", "companies", "filings"] {
        assert_eq!(place.went(name).error, None, "{name}");
    }
}

/// One faulty run: nothing changes, and what happened is said.
fn suffer(place: &Place, Trouble { only, target, fault, words }: Trouble) {
    let what = format!("{only}: {fault:.40?}");
    let before = place.seen();
    let good = place.went(only).last_success;
    place.publisher.break_down(target, fault);
    let said = place.sync_here(&["--only", only, "--timeout", "1"]).unwrap_err();
    place.publisher.recover();
    assert!(said.starts_with(&format!("{only}: failed: ")), "{what}: {said}");
    assert!(said.contains(words), "{what}: {said}");
    assert_eq!(place.seen(), before, "{what}");
    let went = place.went(only);
    assert!(went.error.as_ref().is_some_and(|error| error.contains(words)), "{what}: {went:?}");
    assert_eq!(went.last_success, good, "{what}");
}
