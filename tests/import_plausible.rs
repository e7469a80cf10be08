//! Figures that cannot be right are refused, unless the operator insists.
use crate::{harness::finserve, import_published::Place};

fn one(day: &str, value: &str) -> String {
    format!("[{{\"data\":\"{day}\",\"valor\":\"{value}\"}}]")
}

/// Imports with `--force`, and gives the report.
fn force(place: &Place, name: &str, content: &str) -> String {
    let file = place.file(name, content);
    let output = finserve(&["import", "--force", "--data"]).arg(place.data()).arg(file).output();
    let output = output.unwrap();
    assert_eq!(output.status.code(), Some(0));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn what_a_series_cannot_have_needs_force() {
    let place = Place::new();
    // The bundled data ends with a Selic of 13.75 on 4 November 2026, and a dollar of 4.9859 on 5 October.
    let wrong = [
        ("bcdata.sgs.432.json", one("05/11/2026", "1375"), "0.25 to 60 is plausible"),
        ("bcdata.sgs.432.json", one("05/11/2026", "5.1247"), "multiples of 0.01"),
        ("bcdata.sgs.432.json", one("05/11/2026", "5.25"), "beside 13.75 on 2026-11-04"),
        ("bcdata.sgs.432.json", one("01/11/2026", "5.25"), "beside 13.75 on 2026-10-31"),
        ("bcdata.sgs.433.json", one("01/09/2026", "99999999.99"), "-5 to 10 is plausible"),
        ("bcdata.sgs.1.json", one("06/10/2026", "512.47"), "0.5 to 50 is plausible"),
        ("bcdata.sgs.1.json", one("06/10/2026", "8.00"), "beside 4.9859 on 2026-10-05"),
        ("bcdata.sgs.4389.json", one("04/09/2026", "1390"), "is plausible"),
    ];
    for (name, content, reason) in &wrong {
        let message = place.refuse(name, content);
        assert!(message.contains(reason), "{message} lacks {reason}");
        assert!(message.contains("--force accepts it"), "{message}");
    }
    for (name, content, _) in &wrong {
        force(&place, name, content);
    }
    // What is right again needs no force, although its neighbours are wrong.
    let report = place.accept("bcdata.sgs.433.json", one("01/09/2026", "0.48"));
    assert!(report.contains("1 changed"), "{report}");
}

#[test]
fn dollars_are_no_selic_in_an_empty_catalogue_either() {
    let dir = tempfile::tempdir().unwrap();
    let catalogue = fincore::Catalogue::open(dir.path().join("catalogue.db")).unwrap();
    let mut import = fincore::Import::begin(&catalogue, fincore::chrono::Utc::now()).unwrap();
    let rows = r#"[{"data":"03/09/2026","valor":"5.0962"},{"data":"04/09/2026","valor":"5.1247"}]"#;
    let err = import.file("bcdata.sgs.432.json", rows.as_bytes()).unwrap_err();
    assert!(matches!(err, fincore::Error::Refused { can_be_forced: true, .. }), "{err}");
    assert!(err.to_string().contains("SGS 432 on 2026-09-03: 5.0962"), "{err}");
}

#[test]
fn buying_is_never_dearer_than_selling() {
    let place = Place::new();
    place.accept("bcdata.sgs.21620.json", one("10/11/2026", "6.0000"));
    let message = place.refuse("bcdata.sgs.21619.json", one("10/11/2026", "5.9000"));
    assert!(
        message.contains("EUR on 2026-11-10")
            && message.contains("6.0000")
            && message.contains("5.9000"),
        "{message}"
    );
    assert!(!message.contains("--force"), "{message}");
    let report = place.accept("bcdata.sgs.21619.json", one("10/11/2026", "6.0010"));
    assert!(report.contains("1 new"), "{report}");
    let message = place.refuse("bcdata.sgs.21620.json", one("10/11/2026", "6.0020"));
    assert!(message.contains("bought at 6.0020 and sold at 6.0010"), "{message}");
    // A file with both sides may move them together, and so may two files.
    place.accept("20261110.csv", "10/11/2026;978;B;EUR;5,90000000;5,91000000;1,1;1,1\r\n");
    let sell = place.file("bcdata.sgs.21619.json", one("10/11/2026", "5.8100"));
    let buy = place.file("bcdata.sgs.21620.json", one("10/11/2026", "5.8000"));
    let output = crate::harness::import(&place.data(), &[&sell, &buy]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}

#[test]
fn what_is_kept_but_not_served_is_told() {
    let place = Place::new();
    let report = place.accept("bcdata.sgs.21619.json", one("10/11/2026", "6.0000"));
    assert!(report.contains("note: 1 day has only one side; it is served as the series eur-sell until the other side is there"), "{report}");
    let day = |days| (chrono::Utc::now() + chrono::TimeDelta::days(days)).format("%d/%m/%Y");
    let rows = format!("data;valor\n{};13,75\n{};13,75\n", day(30), day(31));
    let report = place.accept("bcdata.sgs.432.csv", &*rows);
    assert!(
        report.contains("note: 2 days after today are kept, and served when they come"),
        "{report}"
    );
}
