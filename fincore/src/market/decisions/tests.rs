//! Decisions of small imports, and of the bundled data.
use super::*;
use crate::{
    answers::table::csv,
    import::Import,
    market::{self, freshness::newest_expected, holes::next_due},
    store::{
        Catalogue,
        catalogue::{noon, temporary},
    },
    values::{Error, Limit, Offset, Plan},
};

const MEETINGS: &str = "first_day,second_day\n2026-01-27,2026-01-28\n2026-03-17,2026-03-18\n";

fn day(text: &str) -> Date {
    text.parse().unwrap()
}

fn import(catalogue: &Catalogue, files: &[(&str, String)]) {
    let mut import = Import::begin(catalogue, noon()).unwrap();
    for (name, text) in files {
        import.file(name, text.as_bytes()).unwrap();
    }
    import.commit().unwrap();
}

/// The target on every day from the first of these to the last, which all follow one another.
fn targets(from: &str, to: &str, target: impl Fn(Date) -> &'static str) -> String {
    let days = (day(from).day_number()..=day(to).day_number()).filter_map(Date::from_day_number);
    let row = |day: Date| {
        let (year, month, of_month) = (day.year(), day.month(), day.day());
        format!(r#"{{"data":"{of_month:02}/{month:02}/{year}","valor":"{}"}}"#, target(day))
    };
    format!("[{}]", days.map(row).collect::<Vec<_>>().join(","))
}

/// The target of 2026 up to this day: kept in January, lowered in March.
fn year(to: &str) -> (&'static str, String) {
    let lowered = day("2026-03-19");
    let target = |day| if day < lowered { "15.00" } else { "14.75" };
    ("bcdata.sgs.432.json", targets("2026-01-01", to, target))
}

fn calendar() -> (&'static str, String) {
    ("copom.csv", MEETINGS.to_owned())
}

fn on(catalogue: &Catalogue, today: &str) -> Decisions {
    let snapshot = catalogue.snapshot(day(today)).unwrap();
    market::selic_decisions(&snapshot, History::default()).unwrap()
}

/// Meeting and first day of each decision, and the second days of the meetings to come.
fn days(decisions: &Decisions) -> (Vec<String>, Vec<String>) {
    let row = |row: &Decision| {
        let date = row.date.map_or("-".to_owned(), |date| date.to_string());
        format!("{date} {}", row.effective_from)
    };
    let next = decisions.upcoming.iter().map(|meeting| meeting.second_day.to_string());
    (decisions.page.data.iter().map(row).collect(), next.collect())
}

#[test]
fn a_calendar_adds_dates_meetings_without_a_change_and_those_to_come() {
    let (_dir, catalogue) = temporary();
    import(&catalogue, &[year("2026-04-02")]);
    let without = on(&catalogue, "2026-04-02");
    assert_eq!(days(&without), (vec!["- 2026-03-19".to_owned()], vec![]));
    assert_eq!(without.page.meta.source, "BCB SGS 432");
    import(&catalogue, &[calendar()]);
    let with = on(&catalogue, "2026-04-02");
    let both = ["2026-03-18 2026-03-19", "2026-01-28 2026-01-29"].map(String::from);
    assert_eq!(days(&with), (both.to_vec(), vec![]));
    assert_eq!(with.page.meta.source, "BCB SGS 432 and calendar of Copom meetings");
    assert_eq!(with.page.meta.unit, Some("percent per year"));
    assert_eq!(
        serde_json::to_string(&with).unwrap().split(r#","total""#).next().unwrap(),
        r#"{"data":[{"date":"2026-03-18","effective_from":"2026-03-19","before":15.00,"after":14.75,"change":-0.25},{"date":"2026-01-28","effective_from":"2026-01-29","before":15.00,"after":15.00,"change":0.00}]"#
    );
}

#[test]
fn a_meeting_is_to_come_then_awaited_then_decided() {
    let (_dir, catalogue) = temporary();
    import(&catalogue, &[year("2026-03-18"), calendar()]);
    let january = || vec!["2026-01-28 2026-01-29".to_owned()];
    let march = || vec!["2026-03-18".to_owned()];
    for today in ["2026-03-16", "2026-03-17", "2026-03-18"] {
        assert_eq!(days(&on(&catalogue, today)), (january(), march()), "{today}");
    }
    // Its day has passed, and its target is not known: it is neither.
    assert_eq!(days(&on(&catalogue, "2026-03-19")), (january(), vec![]));
    import(&catalogue, &[year("2026-03-19")]);
    let both = [vec!["2026-03-18 2026-03-19".to_owned()], january()].concat();
    // The evening of the second day, and the days after.
    for today in ["2026-03-18", "2026-03-19", "2026-05-01"] {
        assert_eq!(days(&on(&catalogue, today)), (both.clone(), vec![]), "{today}");
    }
    // Later decisions stay hidden, as in the history.
    assert_eq!(days(&on(&catalogue, "2026-03-17")), (january(), march()));
    assert_eq!(days(&on(&catalogue, "2026-01-01")).0, [""; 0]);
}

#[test]
fn decisions_come_in_pages_and_ranges_by_the_day_from_which_they_hold() {
    let (_dir, catalogue) = temporary();
    import(&catalogue, &[year("2026-04-02"), calendar()]);
    let snapshot = catalogue.snapshot(day("2026-04-02")).unwrap();
    let ask = |from: Option<&str>, to: Option<&str>, (limit, offset)| {
        let (limit, offset) = (Limit::new(limit).unwrap(), Offset::new(offset).unwrap());
        let query = History { from: from.map(day), to: to.map(day), limit, offset };
        let found = market::selic_decisions(&snapshot, query).unwrap().page;
        let rows: Vec<String> =
            found.data.iter().map(|row| row.effective_from.to_string()).collect();
        (rows.join(" "), found.total)
    };
    for (from, to, page, wanted) in [
        (None, None, (1, 0), ("2026-03-19", 2)),
        (None, None, (1, 1), ("2026-01-29", 2)),
        (None, None, (1, 2), ("", 2)),
        (Some("2026-03-19"), None, (20, 0), ("2026-03-19", 1)),
        (Some("2026-03-20"), None, (20, 0), ("", 0)),
        (None, Some("2026-01-29"), (20, 0), ("2026-01-29", 1)),
        (None, Some("2026-01-28"), (20, 0), ("", 0)),
        (None, Some("9999-12-31"), (20, 0), ("2026-03-19 2026-01-29", 2)),
    ] {
        assert_eq!(ask(from, to, page), (wanted.0.to_owned(), wanted.1), "{from:?} {to:?}");
    }
    let wrong = History {
        from: Some(day("2026-02-01")),
        to: Some(day("2026-01-01")),
        ..History::default()
    };
    assert!(matches!(market::selic_decisions(&snapshot, wrong), Err(Error::Invalid(_))));
    let mut csv = Vec::new();
    let all = market::selic_decisions(&snapshot, History::default()).unwrap();
    csv::write_csv(&all.page.data, csv::Dialect::Unix, &mut csv).unwrap();
    let wanted = "date,effective_from,before,after,change\n2026-03-18,2026-03-19,15.00,14.75,-0.25\n2026-01-28,2026-01-29,15.00,15.00,0.00\n";
    assert_eq!(String::from_utf8(csv).unwrap(), wanted);
}

#[test]
fn a_small_plan_sees_the_decisions_of_a_year() {
    let dir = tempfile::tempdir().unwrap();
    let catalogue = crate::import::bundle::filled_copy(dir.path()).unwrap();
    let ask = |plan, from: Option<&str>| {
        let snapshot = catalogue.snapshot(day("2026-11-18")).unwrap().for_plan(plan);
        let query = History { from: from.map(day), ..History::default() };
        market::selic_decisions(&snapshot, query).map(|found| found.page.total)
    };
    assert_eq!(ask(Plan::Free, None).unwrap(), 6);
    assert_eq!(ask(Plan::Free, Some("2025-11-04")).unwrap(), 6);
    assert!(matches!(ask(Plan::Free, Some("2025-11-03")), Err(Error::PlanRequired(_))));
    assert!(ask(Plan::Gold, None).unwrap() > 100);
}

#[test]
fn the_bundled_calendar_fits_the_bundled_targets() {
    let dir = tempfile::tempdir().unwrap();
    let catalogue = crate::import::bundle::filled_copy(dir.path()).unwrap();
    let snapshot = catalogue.snapshot(day("2026-11-18")).unwrap();
    let query = History { from: Some(day("2026-01-01")), ..History::default() };
    let found = market::selic_decisions(&snapshot, query).unwrap();
    let (rows, next) = days(&found);
    // Every change of the year follows a meeting. That of 4 November is awaited: the bundled targets end on that day.
    let wanted = ["09-16", "08-05", "06-17", "04-29", "03-18", "01-28"];
    for (row, day) in rows.iter().zip(wanted) {
        assert!(row.starts_with(&format!("2026-{day}")), "{rows:?}");
    }
    assert_eq!((rows.len(), next.len(), &*next[0]), (6, 9, "2026-12-09"));
    // The first day of the series is no decision.
    let all = History { limit: Limit::MAX, ..History::default() };
    let all = market::selic_decisions(&snapshot, all).unwrap().page.data;
    assert!(all.iter().all(|row| row.effective_from > day("1999-03-06")), "{:?}", all.last());
}

#[test]
fn a_newer_calendar_replaces_the_meetings_of_its_years_but_for_the_past() {
    let (_dir, catalogue) = temporary();
    import(&catalogue, &[calendar()]);
    let meetings = |catalogue: &Catalogue| -> Vec<String> {
        let snapshot = catalogue.snapshot(Date::MIN).unwrap();
        Meetings::of(&snapshot).unwrap().0.iter().map(|one| one.second_day.to_string()).collect()
    };
    let give = |rows: &str| {
        import(&catalogue, &[("copom.csv", format!("first_day,second_day\n{rows}"))]);
        meetings(&catalogue).join(" ")
    };
    // It is 15 November 2026. One that took place may be missing at the start, not later on.
    let kept = give("2026-12-08,2026-12-09\n");
    assert_eq!(kept, "2026-01-28 2026-03-18 2026-12-09");
    assert_eq!(give("2026-12-01,2026-12-02\n"), "2026-01-28 2026-03-18 2026-12-02");
    assert_eq!(give("2026-01-27,2026-01-28\n2026-12-01,2026-12-02\n"), "2026-01-28 2026-12-02");
    assert_eq!(give("2027-01-26,2027-01-27\n"), "2026-01-28 2026-12-02 2027-01-27");
    // A repeated import changes nothing.
    let version = || catalogue.snapshot(Date::MIN).unwrap().version().unwrap();
    let before = version();
    give("2027-01-26,2027-01-27\n");
    assert_eq!(version(), before);
    // The bundle adds only years of which nothing is known.
    crate::import::bundle::fill_market(&catalogue).unwrap();
    assert_eq!(meetings(&catalogue).join(" "), "2026-01-28 2026-12-02 2027-01-27");
}

#[test]
fn on_the_day_after_a_meeting_its_target_is_not_due_yet() {
    let (_dir, catalogue) = temporary();
    import(&catalogue, &[year("2026-03-18"), calendar()]);
    // Today, the day that is expected, whether the target is stale, and when the next one is due.
    for (today, expected, stale, due) in [
        ("2026-03-17", "2026-03-17", false, None),
        ("2026-03-18", "2026-03-18", false, Some("2026-03-20")),
        ("2026-03-19", "2026-03-18", false, Some("2026-03-20")),
        ("2026-03-20", "2026-03-20", true, Some("2026-03-20")),
    ] {
        let snapshot = catalogue.snapshot(day(today)).unwrap();
        assert_eq!(newest_expected(&snapshot, SELIC).unwrap(), Some(day(expected)), "{today}");
        assert_eq!(market::selic_current(&snapshot).unwrap().meta.stale, Some(stale), "{today}");
        assert_eq!(next_due(&snapshot, SELIC).unwrap(), due.map(day), "{today}");
    }
    // Without the meeting in the calendar it would be.
    let (_dir, catalogue) = temporary();
    import(&catalogue, &[year("2026-03-18")]);
    let snapshot = catalogue.snapshot(day("2026-03-19")).unwrap();
    assert_eq!(market::selic_current(&snapshot).unwrap().meta.stale, Some(true));
}
