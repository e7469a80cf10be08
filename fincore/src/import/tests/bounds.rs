//! Tables in several batches, imports at the same time, and other limits.
use super::*;

/// Stores filings as one batch of a table.
fn batch(
    import: &mut Import,
    position: BatchPosition,
    filings: &[(&str, &str)],
) -> Result<Tally, ImportError> {
    let row = |(line, (id, subject)): (usize, &(&str, &str))| {
        let value = NewFiling {
            id: id.parse().unwrap(),
            date: "2026-11-10".parse().unwrap(),
            company: "1023".parse().unwrap(),
            company_name: "BANCO S.A.".into(),
            category: "Fato Relevante".into(),
            kind: "".into(),
            species: "".into(),
            subject: (*subject).to_owned().into(),
            reference_date: None,
            version: 1,
            link: crate::filings::filing::Link::Usual(Some(7)),
        };
        ParsedRow { line: line + 2, value, is_complete: true }
    };
    let rows = filings.iter().enumerate().map(row).collect();
    import.store_filings(rows, position, &[], &mut Imported::new(""))
}

#[test]
fn of_the_same_filing_in_two_batches_of_a_table_the_newest_counts() {
    let (_dir, catalogue) = catalogue();
    let mut first = Import::begin(&catalogue, crate::store::catalogue::noon()).unwrap();
    batch(&mut first, BatchPosition::Only, &[("1", "um"), ("2", "dois")]).unwrap();
    first.state = State::Changed;
    first.commit().unwrap();

    let mut import = Import::begin(&catalogue, crate::store::catalogue::noon()).unwrap();
    let outcome = batch(&mut import, BatchPosition::First, &[("1", "um"), ("2", "zwei")]).unwrap();
    assert_eq!(outcome, tally(0, 1, 1));
    // Twice the same counts once; a new table may revise what an earlier one has.
    assert_eq!(
        batch(&mut import, BatchPosition::Later, &[("2", "zwei"), ("3", "x")]).unwrap(),
        tally(1, 0, 0)
    );
    assert_eq!(batch(&mut import, BatchPosition::First, &[("2", "dois")]).unwrap(), tally(0, 1, 0));
    // Of different ones with the same version and day, the later one counts.
    for subject in ["zwei", ""] {
        let outcome = batch(&mut import, BatchPosition::Later, &[("4", "x"), ("2", subject)]);
        assert_eq!(outcome.unwrap().changed, 1);
        let stored = crate::filings::store::stored_filing(&import.writer, "2".parse().unwrap());
        assert_eq!(stored.unwrap().unwrap().subject.unwrap_or_default(), subject);
    }
}

#[test]
fn a_second_import_is_told_that_one_is_running() {
    let (_dir, catalogue) = catalogue();
    let first = Import::begin(&catalogue, crate::store::catalogue::noon()).unwrap();
    let second = Import::begin(&catalogue, crate::store::catalogue::noon()).map(|_| ());
    assert!(matches!(second, Err(Error::Busy(said)) if said == "another import is running"));
    drop(first);
    Import::begin(&catalogue, crate::store::catalogue::noon()).unwrap();
}

#[test]
fn a_file_that_is_too_long_for_its_kind_is_refused() {
    let long = vec![b' '; (16 << 20) + 1];
    let message = Import::verify("bcdata.sgs.432.json", Cursor::new(long)).unwrap_err().to_string();
    assert!(message.contains("but no file of its kind has over 16 MiB"), "{message}");
}

#[test]
fn a_name_cannot_steer_the_terminal() {
    let message = Import::verify("a\u{1b}[2J.csv", Cursor::new(b"")).unwrap_err().to_string();
    assert_eq!(message, "a\\u{1b}[2J.csv: the file is empty");
}
