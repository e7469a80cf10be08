//! Periods of which the data lacks a part.
use super::*;

#[test]
fn what_the_data_lacks_is_said() {
    with_snapshot(|snapshot| {
        let to = |series: &str, from: &str, to: &str| {
            refusal(accumulate(snapshot, query(series, from, to)))
        };
        assert_eq!(
            to("ipca", "2020-01-01", "2026-09-01"),
            "series ipca: its newest value is dated 2026-08-01, before 2026-09-01; leave out the last day to calculate up to there"
        );
        assert_eq!(
            to("ipca", "1979-12-31", "2020-01-01"),
            "series ipca: its values begin on 1980-01-01, after 1979-12-01"
        );
        assert!(to("cdi", "2026-08-01", "2026-09-04").contains("newest value is dated 2026-09-03"));
        assert!(to("ipca", "2020-02-01", "2020-01-01").contains("after"));
        assert!(to("tjlp", "2020-01-01", "2020-02-01").contains("a rate per year"));
        assert!(to("nope", "2020-01-01", "2020-02-01").contains("nope"));
        // Days without rates before the newest one are no gap: the last day may be a Sunday.
        assert_eq!(growth(snapshot, "cdi", "2026-08-28", "2026-08-30").periods, 1);
        // Without a last day it goes up to the newest value, and says which that is.
        let open =
            accumulate(snapshot, Accumulation::new("ipca".parse().unwrap(), day("2026-01-01")));
        assert_eq!(open.unwrap().to, day("2026-08-01"));
        let open = Correction::new("1".parse().unwrap(), day("2026-09-03"), "cdi".parse().unwrap());
        let open = correction(snapshot, open).unwrap();
        assert_eq!((open.derivation.to, open.derivation.periods), (day("2026-09-04"), 1));
    });
}

#[test]
fn periods_that_begin_or_end_after_the_data_are_refused() {
    with_snapshot(|snapshot| {
        for index in ["cdi", "ipca", "usd-sell", "usd-monthly"] {
            let future =
                Correction::new("1".parse().unwrap(), day("2099-01-01"), index.parse().unwrap());
            let said = refusal(correction(snapshot, future.clone()));
            assert!(
                said.contains("its newest value is dated") && !said.contains("leave out"),
                "{said}"
            );
            let on_a_day = Correction { to: Some(future.from), ..future.clone() };
            assert!(refusal(correction(snapshot, on_a_day)).contains("its newest value is dated"));
            let long = Correction { from: day("2020-01-01"), to: Some(future.from), ..future };
            assert!(
                refusal(correction(snapshot, long)).contains("leave out the last day"),
                "{index}"
            );
        }
        // Those that are far from the asked days do not stand for them.
        for (from, to) in [("2014-01-02", "2020-01-02"), ("2026-06-15", "2026-07-31")] {
            assert!(
                refusal(accumulate(snapshot, query("eur-sell", from, to)))
                    .contains("no value near")
            );
        }
        let monthly = growth(snapshot, "usd-monthly", "2024-01-15", "2024-12-31");
        assert_eq!(
            (monthly.first.as_ref().unwrap().date, monthly.periods),
            (day("2024-01-01"), 12)
        );
        // The newest quote is that of the Friday before.
        let weekend = growth(snapshot, "usd-sell", "2026-08-03", "2026-08-30");
        assert_eq!(weekend.last.as_ref().unwrap().date, day("2026-08-28"));
    });
}

#[test]
fn a_day_that_is_missing_among_daily_rates_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let catalogue = Catalogue::open(dir.path().join("catalogue.db")).unwrap();
    let mut import =
        crate::import::Import::begin(&catalogue, "2026-11-05T12:00:00Z".parse().unwrap()).unwrap();
    // From Monday to Friday of one week and of the next but one; Monday 7 September is a holiday.
    let rows = ["31/08", "01/09", "02/09", "03/09", "04/09", "14/09", "15/09"]
        .map(|day| format!(r#"{{"data":"{day}/2026","valor":"0.05"}}"#));
    let file = format!("[{}]", rows.join(","));
    import.file("bcdata.sgs.12.json", file.as_bytes()).unwrap();
    import.commit().unwrap();
    let snapshot = catalogue.snapshot(day("2026-11-05")).unwrap();
    assert_eq!(growth(&snapshot, "cdi", "2026-08-31", "2026-09-07").periods, 5);
    assert_eq!(growth(&snapshot, "cdi", "2026-09-12", "2026-09-15").periods, 2);
    for (from, to) in [
        ("2026-09-04", "2026-09-14"),
        ("2026-09-08", "2026-09-15"),
        ("2026-09-04", "2026-09-08"),
        ("2026-09-09", "2026-09-10"),
    ] {
        let said = refusal(accumulate(&snapshot, query("cdi", from, to)));
        assert!(said.contains("there is no value from 2026-09-0"), "{from} {to}: {said}");
    }
}
