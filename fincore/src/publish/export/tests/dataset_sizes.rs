use super::*;
use crate::market::past;

#[test]
fn tells_every_dataset_with_its_rows_and_length() {
    let (_dir, catalogue) = temporary();
    let value = |day: &str, value: &str| sgs(&[(super::day(day), value.to_owned())]);
    import(
        &catalogue,
        noon(),
        &[
            ("bcdata.sgs.433.json", value("2026-08-01", "-0.11")),
            ("bcdata.sgs.12.json", value("2026-08-03", "0.05")),
            ("bcdata.sgs.1.json", value("2026-09-04", "5.10")),
            ("bcdata.sgs.10813.json", value("2026-09-04", "5.09")),
            ("bcdata.sgs.999999.json", value("2027-01-01", "5.09")),
            ("ipe_cia_aberta_2026.csv", ipe(&[(7, "um".into(), super::day("2026-11-10"))])),
        ],
    );
    let snapshot = || catalogue.snapshot(super::day("2026-11-15")).unwrap();
    let listed = sizes(&snapshot()).unwrap();
    let shown: Vec<_> = listed.iter().map(|one| (&*one.dataset, one.rows)).collect();
    let want = [("cdi", 1), ("ipca", 1), ("usd-sell", 1), ("cdi-daily", 1), ("usd-buy", 1)];
    assert_eq!(shown[..5], want);
    assert_eq!(shown[5..], [("fx", 1), ("series", 5), ("filings", 1)]);
    for one in &listed {
        let query = Query::new(one.dataset.parse().unwrap(), Format::Ndjson);
        let (bytes, _) = export_all(snapshot(), query).unwrap();
        assert_eq!(one.bytes, bytes.len() as u64, "{}", one.dataset);
    }
    let newest: Vec<_> = listed.iter().map(|one| one.newest.unwrap().to_string()).collect();
    assert_eq!(newest[5..], ["2026-09-04", "2026-09-04", "2026-11-10"]);
    // A second call measures nothing again; another day does.
    assert_eq!(sizes(&snapshot()).unwrap(), listed);
    let later = sizes(&catalogue.snapshot(super::day("2027-01-01")).unwrap()).unwrap();
    assert_eq!(later.len(), listed.len() + 1);
}

#[test]
fn the_past_has_sizes_of_its_own() {
    let (_dir, catalogue) = temporary();
    for (time, day) in
        [("2026-11-10T12:00:00Z", "2026-08-01"), ("2026-11-15T12:00:00Z", "2026-09-01")]
    {
        let rows = sgs(&[(super::day(day), "0.50".to_owned())]);
        import(&catalogue, time.parse().unwrap(), &[("bcdata.sgs.433.json", rows)]);
    }
    // The present of the same day is measured first.
    let then = catalogue.snapshot(super::day("2026-11-12")).unwrap();
    let past = past::as_of(&then, then.today()).unwrap();
    for (snapshot, rows) in [(&then, 2), (&past, 1), (&then, 2)] {
        let listed = sizes(snapshot).unwrap();
        assert_eq!((&*listed[0].dataset, listed[0].rows), ("ipca", rows));
    }
}

#[test]
fn first_values_have_sizes_of_their_own() {
    let (_dir, catalogue) = temporary();
    for (time, value) in [("2026-11-10T12:00:00Z", "0.5"), ("2026-11-15T12:00:00Z", "10.55")] {
        let rows = sgs(&[(super::day("2026-08-01"), value.to_owned())]);
        import(&catalogue, time.parse().unwrap(), &[("bcdata.sgs.433.json", rows)]);
    }
    let now = catalogue.snapshot(super::day("2026-11-15")).unwrap();
    let first = past::first_releases(&now).unwrap();
    for snapshot in [&now, &first, &now] {
        let measured = dataset::measure_all(snapshot).unwrap();
        assert_eq!(sizes(snapshot).unwrap(), measured);
    }
    assert_ne!(sizes(&now).unwrap()[0].bytes, sizes(&first).unwrap()[0].bytes);
}
