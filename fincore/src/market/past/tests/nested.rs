//! The past of a snapshot that is itself of an earlier day, or of the past.
use std::collections::HashSet;

use proptest::{prelude::*, test_runner::TestRunner};

use super::*;
use crate::market;

/// The days of October on which the catalogue below got another IPCA.
const IMPORTS: [(&str, &str); 3] = [("09", "0.48"), ("20", "0.49"), ("25", "0.50")];

fn october(number: u8) -> Date {
    Date::new(2026, 10, number).unwrap()
}

fn catalogue() -> (tempfile::TempDir, Catalogue) {
    let (dir, catalogue) = temporary();
    for (day, value) in IMPORTS {
        let time = format!("2026-10-{day}T12:00:00Z");
        import_rates(&catalogue, &time, 433, &[("01/09/2026", value)]);
    }
    (dir, catalogue)
}

/// The value that was known at the end of a day, or the refusal.
fn value(past: &Result<Snapshot>) -> String {
    match past {
        Ok(past) => market::ipca_current(past).unwrap().value.to_string(),
        Err(err) => err.to_string(),
    }
}

/// The expected answer to `as_of`, from a snapshot of a day of October.
fn expected(present: u8, day: u8) -> String {
    if day > present {
        return Invalid::AsOfFuture { day: october(day).into(), today: october(present).into() }
            .to_string();
    }
    let known = |import: &&(&str, &str)| import.0.parse::<u8>().unwrap() <= day;
    match IMPORTS.iter().rfind(known) {
        Some((_, value)) => (*value).to_owned(),
        None => {
            let since = Some(october(9).into());
            Invalid::AsOfBeforeFirstImport { day: october(day).into(), since }.to_string()
        }
    }
}

#[test]
fn the_past_of_a_past_is_that_of_the_earlier_day() {
    let (_dir, catalogue) = catalogue();
    let now = catalogue.snapshot(october(31)).unwrap();
    let then = as_of(&now, october(15)).unwrap();
    for day in [9, 15, 20, 31] {
        let past = as_of(&then, october(day));
        assert_eq!(value(&past), "0.48", "{day}");
        let past = past.unwrap();
        assert_eq!((past.today(), past.present_day()), (october(day.min(15)), october(31)));
    }
    let message = value(&as_of(&then, october(8)));
    assert!(message.contains("knows its past since 2026-10-09"), "{message}");
}

#[test]
fn a_snapshot_of_an_earlier_day_knows_no_later_import_as_of_that_day() {
    let (_dir, catalogue) = catalogue();
    for (day, known) in [(9, "0.48"), (15, "0.48"), (20, "0.49"), (25, "0.50")] {
        let snapshot = catalogue.snapshot(october(day)).unwrap();
        assert_eq!(value(&as_of(&snapshot, october(day))), known, "{day}");
    }
    let early = catalogue.snapshot(october(8)).unwrap();
    let message = value(&as_of(&early, october(8)));
    assert!(message.contains("knows its past since 2026-10-09"), "{message}");
}

#[test]
fn the_last_day_of_the_calendar_has_a_past() {
    let (_dir, catalogue) = catalogue();
    let last = catalogue.snapshot(Date::MAX).unwrap();
    assert_eq!(value(&as_of(&last, Date::MAX)), "0.50");
}

#[test]
fn fingerprints_tell_every_two_pasts_apart() {
    let (_dir, catalogue) = catalogue();
    let mut fingerprints = HashSet::new();
    for present in (8..=31).map(october) {
        let now = catalogue.snapshot(present).unwrap();
        let mut snapshots = vec![first_releases(&now).unwrap()];
        for day in (9..=31).map(october).filter(|day| *day <= present) {
            snapshots.push(as_of(&now, day).unwrap());
        }
        snapshots.push(now);
        for mut snapshot in snapshots {
            for plan in Plan::ALL {
                snapshot = snapshot.for_plan(plan);
                let is_new = fingerprints.insert(snapshot.fingerprint());
                assert!(is_new, "{:?} of {} on {plan}", snapshot.knowledge(), snapshot.today());
            }
        }
    }
}

#[test]
fn a_past_that_a_later_import_does_not_reach_keeps_the_name_of_its_data() {
    let (_dir, catalogue) = catalogue();
    let before = catalogue.snapshot(october(25)).unwrap();
    import_rates(&catalogue, "2026-10-25T13:00:00Z", 433, &[("01/09/2026", "0.51")]);
    let after = catalogue.snapshot(october(25)).unwrap();
    let [old, new] = [&before, &after].map(|snapshot| as_of(snapshot, october(25)).unwrap());
    assert_eq!((value(&Ok(old)), value(&Ok(new))), ("0.50".into(), "0.51".into()));
    let [old, new] = [&before, &after].map(|snapshot| as_of(snapshot, october(25)).unwrap());
    assert_eq!((old.tag(), new.tag()), (before.tag(), after.tag()));
    assert_ne!(old.fingerprint(), new.fingerprint());
}

#[test]
fn before_any_import_the_present_is_all_that_is_known() {
    let dir = tempfile::tempdir().unwrap();
    let catalogue = crate::import::bundle::filled_copy(dir.path()).unwrap();
    let now = catalogue.snapshot(october(31)).unwrap();
    let today = as_of(&now, october(31)).unwrap();
    let current = |snapshot: &Snapshot| market::selic_current(snapshot).unwrap().answer;
    assert_eq!(current(&today), current(&now));
    assert!(as_of(&now, october(30)).is_err());
}

#[test]
fn any_chain_of_pasts_is_as_of_its_earliest_day() {
    let (_dir, catalogue) = catalogue();
    let chains = (8..32_u8, prop::collection::vec(8..32_u8, 1..4));
    let mut runner = TestRunner::new(ProptestConfig::with_cases(300));
    let checked = runner.run(&chains, |(present, days)| {
        let now = catalogue.snapshot(october(present)).unwrap();
        let mut chain = as_of(&now, october(days[0]));
        prop_assert_eq!(value(&chain), expected(present, days[0]));
        let mut earliest = days[0];
        for day in &days[1..] {
            let Ok(past) = &chain else { return Ok(()) };
            let next = as_of(past, october(*day));
            // A day after the present one is refused, whatever the chain knows.
            earliest = if *day > present { *day } else { earliest.min(*day) };
            prop_assert_eq!(value(&next), expected(present, earliest), "{:?}", &days);
            chain = next;
        }
        let Ok(past) = chain else { return Ok(()) };
        let direct = as_of(&now, october(earliest)).unwrap();
        prop_assert_eq!(past.fingerprint(), direct.fingerprint());
        prop_assert_eq!(past.today(), direct.today());
        // Another present day is another snapshot, though it answers the same.
        let from_itself = as_of(&catalogue.snapshot(october(earliest)).unwrap(), october(earliest));
        prop_assert_eq!(value(&from_itself), value(&Ok(direct)));
        prop_assert_eq!(
            from_itself.unwrap().fingerprint() == past.fingerprint(),
            earliest == present
        );
        Ok(())
    });
    checked.unwrap();
}
