//! Transformations of small series that are computed by hand.
use super::*;
use crate::{
    market::Rhythm,
    values::{Date, error::ErrorKind},
};

fn day(text: &str) -> Date {
    text.parse().unwrap()
}

fn rows(rows: &[(&str, &str)]) -> Vec<Rate> {
    rows.iter().map(|(date, value)| Rate::published(day(date), value.parse().unwrap())).collect()
}

fn nature(quantity: Quantity, rhythm: Rhythm) -> Nature {
    Nature { name: "x".to_owned(), quantity, rhythm }
}

/// The rows of a transformation that is written as the parameters of a query, oldest first; `~` marks a partial one.
fn told(rows: &[Rate], nature: &Nature, query: &str) -> Result<Vec<String>> {
    let fields = query.split_terminator('&').map(|field| field.split_once('=').unwrap());
    let object: serde_json::Value = fields.map(|(name, value)| (name, value.to_owned())).collect();
    let transformation: Transformation = serde_json::from_value(object).unwrap();
    let told = transform(rows, nature, &transformation)?.into_iter().map(|row| {
        let mark = if row.partial { " ~" } else { "" };
        format!("{} {}{mark}", row.date, row.value)
    });
    Ok(told.collect())
}

#[track_caller]
fn assert_told(observations: &[Rate], nature: &Nature, query: &str, wanted: &[&str]) {
    assert_eq!(told(observations, nature, query).unwrap(), wanted, "{query}");
}

#[track_caller]
fn assert_refused(nature: &Nature, query: &str, parameter: &str) {
    let err = told(&rows(&[("2024-01-01", "1.0")]), nature, query).unwrap_err();
    let at_fault = match err.kind() {
        ErrorKind::Invalid(invalid) => invalid.parameter(),
        _ => None,
    };
    assert_eq!(at_fault, Some(parameter), "{query}: {err}");
}

/// Monthly prices: from 2023-11 to 2025-02, 100, 101, 102 and so on.
fn prices() -> Vec<Rate> {
    let month = |number: u32| {
        let (year, month) = (2023 + (number + 10) / 12, (number + 10) % 12 + 1);
        let value = format!("{}.0", 100 + number);
        Rate::published(day(&format!("{year}-{month:02}-01")), value.parse().unwrap())
    };
    (0..16).map(month).collect()
}

#[test]
fn periods_are_dated_by_their_first_day_and_shown_once_they_have_ended() {
    let level = nature(Quantity::Level, Rhythm::BusinessDays);
    let days = rows(&[
        ("2024-03-27", "4.98"),
        ("2024-03-28", "5.0000"),
        // The 29th was Good Friday, and the 28th the last business day of month, week and quarter.
        ("2024-04-01", "5.06"),
        ("2024-04-05", "5.07"),
        ("2024-04-08", "5.03"),
    ]);
    assert_told(&days, &level, "frequency=month", &["2024-03-01 4.990000"]);
    let weeks = ["2024-03-25 4.990000", "2024-04-01 5.065000"];
    assert_told(&days, &level, "frequency=week", &weeks);
    let all = [weeks[0], weeks[1], "2024-04-08 5.030000 ~"];
    assert_told(&days, &level, "frequency=week&partial=true", &all);
    assert_told(&days, &level, "frequency=quarter", &["2024-01-01 4.990000"]);
    assert_told(&days, &level, "frequency=year", &[]);
    assert_told(&days, &level, "frequency=year&partial=true", &["2024-01-01 5.028000 ~"]);
    for (aggregate, value) in [
        ("first", "4.98"),
        ("last", "5.0000"),
        ("min", "4.98"),
        ("max", "5.0000"),
        ("sum", "9.9800"),
    ] {
        let query = format!("frequency=month&aggregate={aggregate}");
        assert_told(&days, &level, &query, &[&format!("2024-03-01 {value}")]);
    }
    // A series of all days needs the last one.
    let daily = nature(Quantity::RateOfDay, Rhythm::Daily);
    assert_told(&days[..2], &daily, "frequency=month", &[]);
    let sunday = [days.clone(), rows(&[("2024-04-14", "5.1")])].concat();
    assert_eq!(told(&sunday, &daily, "frequency=week").unwrap().len(), 3);
    // A monthly one needs the last month.
    let monthly = nature(Quantity::Level, Rhythm::Monthly);
    assert_told(
        &prices(),
        &monthly,
        "frequency=year&aggregate=last",
        &["2023-01-01 101.0", "2024-01-01 113.0"],
    );
    assert_eq!(told(&prices(), &monthly, "frequency=month").unwrap().len(), 16);
}

#[test]
fn changes_are_exact_and_rows_without_a_predecessor_left_out() {
    let level = nature(Quantity::Level, Rhythm::BusinessDays);
    let days = rows(&[
        ("2024-01-02", "4.0"),
        ("2024-01-03", "4.025"),
        ("2024-01-04", "0"),
        ("2024-01-05", "-2.5"),
    ]);
    assert_told(
        &days,
        &level,
        "units=change",
        &["2024-01-03 0.025", "2024-01-04 -4.025", "2024-01-05 -2.5"],
    );
    assert_told(
        &days,
        &level,
        "units=percent_change",
        &["2024-01-03 0.6250", "2024-01-04 -100.0000"],
    );
    assert_told(&days, &level, "units=year_ago", &[]);
    // Thirds: rounded once, in the end.
    let thirds = rows(&[
        ("2024-01-02", "1"),
        ("2024-01-03", "1"),
        ("2024-01-31", "2"),
        ("2024-02-01", "1"),
        ("2024-02-02", "2"),
        ("2024-02-29", "2"),
    ]);
    assert_told(&thirds, &level, "frequency=month", &["2024-01-01 1.33", "2024-02-01 1.67"]);
    assert_told(&thirds, &level, "frequency=month&units=change", &["2024-02-01 0.33"]);
    assert_told(&thirds, &level, "frequency=month&units=percent_change", &["2024-02-01 25.0000"]);
    assert_told(
        &thirds,
        &level,
        "frequency=month&units=index&base=2024-02-01",
        &["2024-01-01 80.0000", "2024-02-01 100.0000"],
    );
}

#[test]
fn a_year_ago_is_the_same_day_or_period_and_52_weeks_for_weeks() {
    let monthly = nature(Quantity::Level, Rhythm::Monthly);
    let year_ago = told(&prices(), &monthly, "units=year_ago").unwrap();
    assert_eq!(
        year_ago,
        ["2024-11-01 12.0", "2024-12-01 12.0", "2025-01-01 12.0", "2025-02-01 12.0"]
    );
    assert_told(
        &prices(),
        &monthly,
        "frequency=year&aggregate=last&units=percent_year_ago",
        &["2024-01-01 11.8812"],
    );
    let level = nature(Quantity::Level, Rhythm::Daily);
    let days =
        rows(&[("2023-02-28", "1"), ("2024-02-28", "2"), ("2024-02-29", "3"), ("2025-02-28", "4")]);
    assert_told(&days, &level, "units=year_ago", &["2024-02-28 1", "2025-02-28 2"]);
    let weeks = rows(&[("2023-01-08", "1"), ("2024-01-07", "3")]);
    assert_told(&weeks, &level, "frequency=week&units=year_ago", &["2024-01-01 2.00"]);
}

#[test]
fn rates_of_a_period_compound() {
    let rate = nature(Quantity::RateOfPeriod, Rhythm::Monthly);
    let months = rows(&[("2024-01-01", "10.00"), ("2024-02-01", "-50"), ("2024-03-01", "0.1")]);
    assert_told(&months, &rate, "frequency=quarter", &["2024-01-01 -44.9450"]);
    assert_told(&months, &rate, "frequency=quarter&aggregate=mean", &["2024-01-01 -13.3000"]);
    assert_told(
        &months,
        &rate,
        "units=index",
        &["2024-01-01 100.0000", "2024-02-01 50.0000", "2024-03-01 50.0500"],
    );
    assert_told(
        &months,
        &rate,
        "units=index&base=2024-03-01",
        &["2024-01-01 199.8002", "2024-02-01 99.9001", "2024-03-01 100.0000"],
    );
    // An index that fell to zero cannot be the base, but rows before it can.
    let lost = rows(&[("2024-01-01", "1"), ("2024-02-01", "-100"), ("2024-03-01", "5")]);
    assert_told(
        &lost,
        &rate,
        "units=index",
        &["2024-01-01 100.0000", "2024-02-01 0.0000", "2024-03-01 0.0000"],
    );
    let err = told(&lost, &rate, "units=index&base=2024-03-01").unwrap_err().to_string();
    assert!(err.contains("cannot be the base of an index"), "{err}");
}

#[test]
fn twelve_months_in_a_row_accumulate() {
    let rate = nature(Quantity::RateOfPeriod, Rhythm::Monthly);
    let months: Vec<Rate> = prices()
        .into_iter()
        .map(|row| Rate::published(row.date, "1.00".parse().unwrap()))
        .collect();
    let wanted: Vec<String> =
        ["2024-10-01", "2024-11-01", "2024-12-01", "2025-01-01", "2025-02-01"]
            .map(|date| format!("{date} 12.6825"))
            .into();
    assert_eq!(told(&months, &rate, "units=accumulated_12m").unwrap(), wanted);
    assert_eq!(told(&months, &rate, "units=accumulated_12m&frequency=month").unwrap(), wanted);
    // Without one of the months none of the twelve that need it.
    let mut gap = months;
    gap.remove(1);
    assert_eq!(told(&gap, &rate, "units=accumulated_12m").unwrap(), wanted[2..]);
    // Days are compounded to months first, and the last of those must have ended.
    let daily = nature(Quantity::RateOfPeriod, Rhythm::BusinessDays);
    let mut days: Vec<Rate> = prices()
        .iter()
        .flat_map(|row| {
            let second = Date::new(row.date.year(), row.date.month(), 15).unwrap();
            [row.date, second].map(|date| Rate::published(date, "0.5".parse().unwrap()))
        })
        .collect();
    assert_eq!(told(&days, &daily, "units=accumulated_12m").unwrap().len(), 4);
    assert_eq!(
        told(&days, &daily, "units=accumulated_12m&partial=true").unwrap()[4],
        "2025-02-01 12.7160 ~"
    );
    days.push(Rate::published(day("2025-02-28"), "0".parse().unwrap()));
    assert_eq!(told(&days, &daily, "units=accumulated_12m").unwrap()[4], "2025-02-01 12.7160");
}

#[test]
fn only_changes_begins_with_the_first_and_goes_with_units() {
    let target = nature(Quantity::RateOfDay, Rhythm::Daily);
    let days = rows(&[
        ("2024-01-30", "11.75"),
        ("2024-01-31", "11.750"),
        ("2024-02-01", "11.25"),
        ("2024-02-02", "11.25"),
        ("2024-02-03", "10.75"),
    ]);
    assert_told(
        &days,
        &target,
        "only=changes",
        &["2024-01-30 11.75", "2024-02-01 11.25", "2024-02-03 10.75"],
    );
    assert_told(
        &days,
        &target,
        "only=changes&units=change",
        &["2024-02-01 -0.500", "2024-02-03 -0.50"],
    );
    assert_told(
        &days,
        &target,
        "only=changes&frequency=month&aggregate=last",
        &["2024-01-01 11.750"],
    );
}

#[test]
fn what_has_no_meaning_is_refused_with_what_has() {
    let level = nature(Quantity::Level, Rhythm::BusinessDays);
    let rate = nature(Quantity::RateOfPeriod, Rhythm::Monthly);
    let target = nature(Quantity::RateOfDay, Rhythm::Daily);
    for (nature, query, parameter) in [
        (&level, "aggregate=mean", "aggregate"),
        (&level, "aggregate=compound&frequency=month", "aggregate"),
        (&target, "aggregate=compound&frequency=month", "aggregate"),
        (&target, "aggregate=sum&frequency=month", "aggregate"),
        (&rate, "aggregate=sum&frequency=year", "aggregate"),
        (&rate, "aggregate=mean&frequency=year&units=index", "aggregate"),
        (&rate, "aggregate=last&frequency=month&units=accumulated_12m", "aggregate"),
        (&rate, "aggregate=compound&units=accumulated_12m", "aggregate"),
        (&rate, "units=accumulated_12m&frequency=quarter", "frequency"),
        (&rate, "units=accumulated_12m&frequency=year", "frequency"),
        (&rate, "frequency=week", "frequency"),
        (&level, "units=accumulated_12m", "units"),
        (&target, "units=accumulated_12m", "units"),
        (&level, "base=2024-01-01", "base"),
        (&level, "base=2024-01-02&units=index", "base"),
        (&rate, "base=2024-01-02&units=index", "base"),
    ] {
        assert_refused(nature, query, parameter);
    }
    let zero = rows(&[("2024-01-01", "0.0"), ("2024-01-02", "1")]);
    assert!(told(&zero, &level, "units=index").is_err());
    assert_eq!(told(&[], &level, "units=index").unwrap(), [""; 0]);
    assert_eq!(told(&[], &level, "frequency=month").unwrap(), [""; 0]);
}

#[test]
fn numbers_that_do_not_fit_machine_words_are_computed_all_the_same() {
    let level = nature(Quantity::Level, Rhythm::Daily);
    let long = rows(&[
        ("2024-01-30", "999999999999999999"),
        ("2024-01-31", "0.000000000000000001"),
        ("2024-02-29", "999999999999999999"),
    ]);
    assert_told(
        &long,
        &level,
        "frequency=month&aggregate=max",
        &["2024-01-01 999999999999999999", "2024-02-01 999999999999999999"],
    );
    let means = [
        "2024-01-01 499999999999999999.50000000000000000050",
        "2024-02-01 999999999999999999.00000000000000000000",
    ];
    assert_told(&long, &level, "frequency=month", &means);
    assert_told(&long, &level, "frequency=month&units=percent_change", &["2024-02-01 100.0000"]);
    let first = told(&long, &level, "units=percent_change").unwrap();
    assert_eq!(first[0], "2024-01-31 -100.0000");
    assert_eq!(first[1], "2024-02-29 99999999999999999899999999999999999900.0000");
}
