//! Three oracles: the days of SGS 11 (since 1991) and SGS 12 (since 1994), ANBIMA's list to 2099, and the crate
//! `bdays`.
use bdays::HolidayCalendar;
use chrono::NaiveDate;
use proptest::prelude::*;

use super::*;

fn day(text: &str) -> Date {
    text.parse().unwrap()
}

/// All days from the first to the last, both included.
fn days(from: &str, to: &str) -> impl Iterator<Item = Date> {
    let to = day(to);
    std::iter::once(day(from)).chain(later_days(day(from))).take_while(move |day| *day <= to)
}

/// The days of the range on which the calendar and an oracle differ.
fn differences(from: &str, to: &str, is_business_day: impl Fn(Date) -> bool) -> Vec<Date> {
    days(from, to).filter(|day| super::is_business_day(*day) != is_business_day(*day)).collect()
}

fn upstream(name: &str) -> Option<String> {
    let folder = crate::import::sample_files::upstream("")?;
    std::fs::read(folder.join(name)).ok().map(|bytes| String::from_utf8(bytes).unwrap())
}

/// `31/12/2026` as `2026-12-31`.
fn brazilian(text: &str) -> Date {
    day(&text.split('/').rev().collect::<Vec<_>>().join("-"))
}

#[test]
fn has_exactly_the_days_of_the_cdi() {
    // Banks worked wherever there is an overnight rate.
    let table = include_str!("../../data/cdi.csv");
    let rated: std::collections::BTreeSet<Date> =
        table.lines().skip(1).map(|line| day(line.split_once(',').unwrap().0)).collect();
    let last = rated.last().unwrap().to_string();
    assert!(last.as_str() > "2026-09-01");
    assert_eq!(differences("1994-06-30", &last, |day| rated.contains(&day)), []);
}

#[test]
fn has_exactly_the_days_of_the_selic_since_1991() {
    let Some(text) = upstream("bcb/longer/bcdata.sgs.11.json") else { return };
    let parts = text.split("\"data\":").skip(1);
    let rated: std::collections::BTreeSet<Date> =
        parts.map(|part| brazilian(part.split('"').nth(1).unwrap())).collect();
    let last = rated.last().unwrap().to_string();
    assert_eq!(differences("1991-01-01", &last, |day| rated.contains(&day)), []);
}

#[test]
fn has_the_holidays_that_anbima_publishes() {
    let Some(text) = upstream("anbima/feriados_nacionais.csv") else { return };
    let rows = text.lines().skip(1).filter_map(|line| line.split(';').next());
    let closed: std::collections::BTreeSet<Date> =
        rows.filter(|text| text.contains('/')).map(brazilian).collect();
    assert!(closed.len() > 1200);
    let differs = |day: &Date| holiday(*day).is_some() != closed.contains(day);
    assert_eq!(days("2001-01-01", "2099-12-31").filter(differs).collect::<Vec<_>>(), []);
}

#[test]
fn agrees_with_another_calendar_since_2000() {
    let theirs = bdays::calendars::brazil::BRSettlement;
    let is_business_day = |day: Date| theirs.is_bday(NaiveDate::from(day));
    assert_eq!(differences("2000-01-01", "2299-12-31", is_business_day), []);
}

#[test]
fn names_holidays() {
    let cases = [
        ("2023-11-20", None),
        ("2024-11-20", Some("Dia da Consciência Negra")),
        ("2026-02-16", Some("Carnaval")),
        ("2026-02-17", Some("Carnaval")),
        ("2026-02-18", None),
        ("2026-04-03", Some("Sexta-feira Santa")),
        ("2026-06-04", Some("Corpus Christi")),
        ("1999-04-01", Some("Quinta-feira Santa")),
        ("2000-04-20", None),
        ("2000-04-21", Some("Tiradentes")),
        ("2026-11-15", Some("Proclamação da República")),
    ];
    for (date, name) in cases {
        assert_eq!(holiday(day(date)).map(|holiday| holiday.pt), name, "{date}");
    }
}

#[test]
fn counts_and_adds_from_days_off_as_the_market_does() {
    // From a Saturday, a Sunday that is a holiday, a Monday, and over Carnival.
    let cases = [
        ("2026-11-14", 0, "2026-11-16"),
        ("2026-11-15", 1, "2026-11-17"),
        ("2026-11-15", -1, "2026-11-13"),
        ("2026-11-16", 0, "2026-11-16"),
        ("2026-02-13", 1, "2026-02-18"),
        ("2026-02-18", -1, "2026-02-13"),
        ("2026-01-01", 252, "2027-01-07"),
    ];
    for (from, number, to) in cases {
        assert_eq!(add(day(from), number), Some(day(to)), "{from} {number}");
        assert_eq!(count(day(from), day(to)), number, "{from} {to}");
    }
}

#[test]
fn ends_with_the_calendar() {
    assert_eq!((next(Date::MAX), previous(Date::MIN)), (None, None));
    for number in [i32::MAX, i32::MIN, 3_000_000, -3_000_000] {
        assert_eq!(add(day("2026-11-16"), number), None);
    }
    assert_eq!(add(Date::MAX, 0), Some(Date::MAX));
    assert_eq!(add(Date::MIN, -1), None);
    let all = count(Date::MIN, Date::MAX);
    assert_eq!(add(Date::MIN, all), Some(Date::MAX));
    assert_eq!(count(Date::MAX, Date::MIN), -all);
}

#[test]
fn lists_business_days_of_a_range() {
    let (_dir, catalogue) = crate::store::catalogue::temporary();
    let snapshot = catalogue.snapshot(day("2026-11-15")).unwrap();
    let list = |from: Option<&str>, to: Option<&str>| {
        let query = BusinessDaysQuery { from: from.map(day), to: to.map(day) };
        business_days(&snapshot, query)
    };
    let week = list(Some("2026-11-13"), Some("2026-11-20")).unwrap();
    let wanted = ["2026-11-13", "2026-11-16", "2026-11-17", "2026-11-18", "2026-11-19"].map(day);
    assert_eq!((week.data, week.total), (wanted.to_vec(), 5));
    let month = list(None, None).unwrap();
    assert_eq!(
        (month.data.first(), month.data.last()),
        (Some(&day("2026-11-16")), Some(&day("2026-12-15")))
    );
    assert_eq!(list(Some("2026-11-14"), Some("2026-11-15")).unwrap().total, 0);
    assert_eq!(list(Some("9999-12-31"), None).unwrap().data, [Date::MAX]);
    assert!(list(Some("2026-11-16"), Some("2026-11-15")).is_err());
    assert!(list(Some("2001-01-01"), Some("2101-01-01")).is_ok());
    let message = list(Some("2001-01-01"), Some("2101-01-02")).err().map(|err| err.to_string());
    assert!(message.is_some_and(|message| message.contains("100 years")));
}

proptest! {
    #[test]
    fn counting_is_walking(from in 1i32..3_652_000, length in 0i32..2000) {
        let to = (from + length).min(Date::MAX.day_number());
        let [from, to] = [from, to].map(|number| Date::from_day_number(number).unwrap());
        let walked = std::iter::once(from).chain(later_days(from)).take_while(|day| *day < to);
        let walked = walked.filter(|day| is_business_day(*day)).count();
        prop_assert_eq!(count(from, to), i32::try_from(walked).unwrap());
        prop_assert_eq!(count(to, from), -count(from, to));
    }

    #[test]
    fn adding_is_the_inverse_of_counting(from in 1i32..3_652_059, number in -4000i32..4000) {
        let from = Date::from_day_number(from).unwrap();
        if let Some(to) = add(from, number) {
            prop_assert!(is_business_day(to));
            prop_assert_eq!(count(from, to), number);
        }
    }

    #[test]
    fn the_next_day_is_the_nearest(number in 2i32..3_652_059) {
        let day = Date::from_day_number(number).unwrap();
        if let Some(next) = next(day) {
            prop_assert!(is_business_day(next) && next > day);
            prop_assert_eq!(previous(next) == Some(day), is_business_day(day));
        }
    }
}
