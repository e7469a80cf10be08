//! Compares the directory in memory with the tables it is read from.
use super::*;
use crate::{
    import::bundle,
    index::{bitmap::decode, terms, update::rebuild},
    store::Catalogue,
    values::Date,
};

fn bundled() -> (tempfile::TempDir, Catalogue) {
    let dir = tempfile::tempdir().unwrap();
    let catalogue = bundle::filled_copy(dir.path()).unwrap();
    (dir, catalogue)
}

/// All filings of all blocks are those of the tables.
fn check(connection: &Connection, directory: &Directory) {
    let mut places = connection.prepare("SELECT key FROM filing_place WHERE place = ?1").unwrap();
    let mut rows = connection.prepare("SELECT count, bits FROM filing_term WHERE id = ?1").unwrap();
    let mut all = connection.prepare("SELECT id FROM term WHERE kind = ?1").unwrap();
    for entry in &directory.blocks {
        assert_eq!(entry.keys.get(entry.block.filings), None);
        for number in 0..entry.block.filings {
            let key = places.query_row([entry.block.place(number)], |row| row.get(0)).ok();
            assert_eq!(entry.keys.get(number), key, "{:?} {number}", entry.block);
        }
    }
    for kind in TermKind::ALL {
        let terms = all.query_map([kind.number()], |row| row.get(0)).unwrap();
        for term in terms.map(|term| term.unwrap()).chain([terms::first_of(kind) | 0x7ff_ffff]) {
            for entry in &directory.blocks {
                let Some(has) = directory.has(entry, term) else {
                    assert!(!has_summary(kind));
                    continue;
                };
                let row = entry.block.row(term);
                let stored = rows
                    .query_row([row], |row| Ok((row.get::<_, u32>(0)?, row.get::<_, Vec<u8>>(1)?)));
                let (count, bits) = stored.unwrap_or_default();
                assert_eq!(has.count(), u64::from(count), "{kind:?} {term} {:?}", entry.block);
                match has {
                    TermFilings::Many(_) => assert!(count > FEW),
                    TermFilings::Few(numbers) => {
                        let numbers: Vec<u32> = numbers.iter().map(|one| (*one).into()).collect();
                        assert_eq!(numbers, Vec::from_iter(decode(&bits).unwrap()));
                    }
                }
            }
        }
    }
}

#[test]
fn blocks_have_in_memory_what_they_have_in_the_file() {
    let (_dir, catalogue) = bundled();
    let snapshot = catalogue.snapshot(Date::MAX).unwrap();
    let directory = snapshot.read(Directory::read).unwrap();
    assert!(directory.blocks.len() > 1);
    check(snapshot.read(Ok).unwrap(), &directory);
}

#[test]
fn words_are_found_as_in_the_file() {
    let (_dir, catalogue) = bundled();
    let snapshot = catalogue.snapshot(Date::MAX).unwrap();
    let connection = snapshot.read(Ok).unwrap();
    let words = WordList::read(connection).unwrap();
    let mut prefixes = std::collections::BTreeSet::new();
    for kind in WordList::KINDS {
        for (text, term) in terms::terms_with_prefix(connection, kind, "").unwrap() {
            assert_eq!(words.find(kind, &text), Some(term), "{text}");
            assert_eq!(words.find(kind, &format!("{text}~")), None, "{text}");
            prefixes.extend(
                (1..=text.len())
                    .step_by(3)
                    .filter_map(|length| text.get(..length).map(str::to_owned)),
            );
        }
    }
    for prefix in prefixes.iter().step_by(7).map(String::as_str).chain(["", "~", "zzzz"]) {
        let mut plain = std::collections::BTreeMap::<String, [Option<TermId>; 2]>::new();
        for (at, kind) in [TermKind::Name, TermKind::Text].into_iter().enumerate() {
            for (text, term) in terms::terms_with_prefix(connection, kind, prefix).unwrap() {
                plain.entry(text).or_default()[at] = Some(term);
            }
        }
        let found: Vec<_> = words.with_prefix(prefix, [TermKind::Name, TermKind::Text]).collect();
        assert_eq!(found, Vec::from_iter(plain.into_values()), "{prefix}");
    }
}

#[test]
fn an_index_that_is_made_anew_is_read_anew() {
    let (dir, catalogue) = bundled();
    let snapshot = catalogue.snapshot(Date::MAX).unwrap();
    let connection = snapshot.read(Ok).unwrap();
    let directory = Directory::read(connection).unwrap();
    assert!(directory.is_current(connection).unwrap());
    let file = Connection::open(dir.path().join("catalogue.db")).unwrap();
    file.execute("BEGIN", []).unwrap();
    rebuild(&file, |_| ()).unwrap();
    assert!(!directory.is_current(&file).unwrap());
    check(&file, &Directory::read(&file).unwrap());
    let shelf = DirectoryCache::default();
    let old = shelf.directory(connection).unwrap();
    assert!(Arc::ptr_eq(&old, &shelf.directory(connection).unwrap()));
    // Each sees its own, even by turns.
    for connection in [&file, connection, &file] {
        assert!(shelf.directory(connection).unwrap().is_current(connection).unwrap());
    }
}
