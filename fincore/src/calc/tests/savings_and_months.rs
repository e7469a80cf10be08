//! Savings deposits, months as contracts count them, and the most exact series that is held. The figures were computed
//! apart from this program, from the published files.
use super::*;
use crate::calc::Months;

/// A catalogue with these observations, each a series with its days and values.
fn with_observations(series: &[(u32, &[(&str, &str)])], test: impl FnOnce(&Snapshot)) {
    let dir = tempfile::tempdir().unwrap();
    let catalogue = Catalogue::open(dir.path().join("catalogue.db")).unwrap();
    let mut import =
        crate::import::Import::begin(&catalogue, "2026-10-05T12:00:00Z".parse().unwrap()).unwrap();
    for (number, rows) in series {
        let rows = rows.iter().map(|(day, value)| {
            let (year, rest) = day.split_once('-').unwrap();
            let (month, day) = rest.split_once('-').unwrap();
            format!(r#"{{"data":"{day}/{month}/{year}","valor":"{value}"}}"#)
        });
        let file = format!("[{}]", rows.collect::<Vec<_>>().join(","));
        import.file(&format!("bcdata.sgs.{number}.json"), file.as_bytes()).unwrap();
    }
    import.commit().unwrap();
    test(&catalogue.snapshot(day("2026-10-05")).unwrap());
}

#[test]
fn savings_credit_whole_months_from_the_day_of_the_deposit() {
    with_snapshot(|snapshot| {
        for name in ["savings", "poupanca", "poupança", "Poupança", "savings-monthly", "195", "196"]
        {
            let month = growth(snapshot, name, "2020-01-01", "2020-02-01");
            assert_eq!(month.accumulated.to_string(), "0.2588", "{name}");
            assert_eq!((month.periods, month.number), (1, 196), "{name}");
        }
        let year = correct(snapshot, "savings", "1000", "2020-01-01", "2021-01-01");
        assert_eq!(year.result.to_string(), "1021.12");
        assert_eq!(year.derivation.factor.to_string(), "1.0211207299373204");
        assert_eq!(
            year.rule,
            "The factor is the product of 1 + rate/100 of every whole month from the first day on; a deposit of the 29th, 30th or 31st counts from the next first. 12 months are counted: 2020-01-01 to 2021-01-01. The rule is that of savings deposits made since 4 May 2012. The result is amount × factor, rounded half up to cents."
        );
        // The month that has not ended earns nothing; nor do ten days.
        assert_eq!(growth(snapshot, "savings", "2020-01-01", "2020-12-31").periods, 11);
        let days = growth(snapshot, "savings", "2020-01-10", "2020-01-20");
        assert_eq!((days.periods, days.factor.to_string().as_str()), (0, "1.00"));
        assert!(days.rule_pt.contains("nada é creditado"), "{}", days.rule_pt);
        // A deposit of the 29th, 30th or 31st counts from the first of February: three whole months.
        for from in ["2020-01-29", "2020-01-30", "2020-01-31", "2020-02-01"] {
            let spring = correct(snapshot, "savings", "1000", from, "2020-05-01");
            assert_eq!(spring.result.to_string(), "1007.21", "{from}");
            assert_eq!(spring.derivation.periods, 3);
        }
        // An open period ends with the last month that is credited.
        let open = Accumulation::new("savings".parse().unwrap(), day("2026-07-01"));
        let open = accumulate(snapshot, open).unwrap();
        assert_eq!((open.to, open.periods), (day("2026-08-01"), 1));
    });
}

#[test]
fn savings_that_are_not_held_are_refused_with_what_they_need() {
    with_snapshot(|snapshot| {
        let said =
            |from: &str, to: &str| refusal(accumulate(snapshot, query("poupança", from, to)));
        assert_eq!(
            said("2020-01-10", "2020-03-10"),
            "a savings deposit of 2020-01-10 needs series 195 (savings), which has no observations yet; held are deposits of the first of a month, which stand for those of the 29th to 31st before it too"
        );
        assert_eq!(
            said("2012-05-03", "2020-03-10"),
            "a savings deposit of 2012-05-03 follows the rule of before 2012-05-04 and needs series 25 (savings-until-2012), which has no observations yet"
        );
        assert!(said("2014-01-01", "2020-01-01").contains("begin on 2015-01-01"));
        assert!(said("2026-01-01", "2026-10-01").contains("newest value is dated 2026-07-01"));
    });
}

#[test]
fn the_day_of_the_deposit_decides_the_rule_of_savings() {
    const OLD: &[(&str, &str)] =
        &[("2012-05-03", "0.5000"), ("2012-06-03", "0.5157"), ("2012-07-03", "0.5868")];
    const NEW: &[(&str, &str)] = &[
        ("2012-05-04", "0.4828"),
        ("2012-05-10", "0.4273"),
        ("2012-06-04", "0.4134"),
        ("2012-06-10", "0.4134"),
    ];
    with_observations(&[(25, OLD), (195, NEW)], |snapshot| {
        let old = growth(snapshot, "savings", "2012-05-03", "2012-08-03");
        assert_eq!((old.number, old.factor.to_string().as_str()), (25, "1.01611053758238"));
        assert!(old.rule.ends_with("savings deposits made until 3 May 2012."), "{}", old.rule);
        let new = growth(snapshot, "savings", "2012-05-10", "2012-07-10");
        assert_eq!((new.number, new.factor.to_string().as_str()), (195, "1.008424664582"));
        // The error names the missing days of the rule's series.
        let missing = refusal(accumulate(snapshot, query("savings", "2012-05-05", "2012-06-05")));
        assert_eq!(missing, "series savings: there is no value for 2012-05-05");
    });
}

#[test]
fn savings_are_interest_that_inflation_is_taken_from() {
    with_snapshot(|snapshot| {
        let query = RealRate {
            to: Some(day("2020-12-01")),
            interest: "savings".parse().unwrap(),
            ..RealRate::new(day("2020-01-01"))
        };
        let real = real_rate(snapshot, query).unwrap();
        assert_eq!(real.months, 12);
        assert_eq!(real.interest.factor.to_string(), "1.0211207299373204");
        assert_eq!(real.interest.periods, 12);
    });
}

#[test]
fn the_igp_m_is_compounded_from_unrounded_months_where_they_are_held() {
    const ROUNDED: &[(&str, &str)] = &[
        ("2021-01-01", "2.58"),
        ("2021-02-01", "2.53"),
        ("2021-03-01", "2.94"),
        ("2021-04-01", "1.51"),
    ];
    const UNROUNDED: &[(&str, &str)] = &[
        ("2021-01-01", "2.5800012345"),
        ("2021-02-01", "2.5299987654"),
        ("2021-03-01", "2.9399954321"),
    ];
    with_observations(&[(189, ROUNDED), (28655, UNROUNDED)], |snapshot| {
        let exact = growth(snapshot, "igp-m", "2021-01-01", "2021-03-31");
        assert_eq!((exact.number, exact.series.as_ref()), (28655, "igp-m-unrounded"));
        assert_eq!(exact.factor.to_string(), "1.0826742225055765");
        assert!(exact.rule.contains("SGS 28655, unrounded"), "{}", exact.rule);
        // Its number means the rounded months; so does a month that only they have.
        let rounded = growth(snapshot, "189", "2021-01-01", "2021-03-31");
        assert_eq!((rounded.number, rounded.factor.to_string().as_str()), (189, "1.082674270556"));
        assert!(rounded.rule.contains("the last digit may differ"), "{}", rounded.rule);
        assert_eq!(growth(snapshot, "igpm", "2021-01-01", "2021-04-01").number, 189);
        let open = Accumulation::new("igp-m".parse().unwrap(), day("2021-01-01"));
        assert_eq!(accumulate(snapshot, open).unwrap().number, 189);
    });
    with_snapshot(|snapshot| {
        // Published are 17.78 % and 5.45 %: rounded months differ in the last digit, and the answer says so.
        for (year, percent) in [("2021", "17.79252084"), ("2022", "5.45842157")] {
            let (from, to) = (format!("{year}-01-01"), format!("{year}-12-01"));
            let compounded = growth(snapshot, "igp-m", &from, &to);
            assert_eq!(
                (compounded.number, compounded.accumulated.to_string().as_str()),
                (189, percent)
            );
            assert!(compounded.rule_pt.contains("o último dígito pode diferir"));
        }
    });
}

#[test]
fn twelve_months_of_the_ipca_come_with_the_published_figure_where_it_is_held() {
    let months = [0.54, 1.01, 1.62, 1.06, 0.47, 0.67, -0.68, -0.36, -0.29, 0.59, 0.41, 0.62];
    let rows: Vec<(String, String)> = (1..)
        .zip(months)
        .map(|(month, rate)| (format!("2022-{month:02}-01"), format!("{rate:.2}")))
        .collect();
    let rows: Vec<(&str, &str)> = rows.iter().map(|(day, rate)| (&**day, &**rate)).collect();
    with_observations(&[(433, &rows), (13522, &[("2022-12-01", "5.79")])], |snapshot| {
        let year = growth(snapshot, "ipca", "2022-01-01", "2022-12-01");
        assert_eq!(year.accumulated.to_string(), "5.78484196");
        let published = year.published.clone().unwrap();
        assert_eq!((published.number, published.value.to_string().as_str()), (13522, "5.79"));
        assert!(
            year.rule.ends_with("The published figure of these 12 months is 5.79 % (SGS 13522).")
        );
        assert!(year.rule_pt.ends_with("é 5,79 % (SGS 13522)."), "{}", year.rule_pt);
        assert_eq!(growth(snapshot, "ipca", "2022-02-01", "2022-12-01").published, None);
        let twelve = refusal(accumulate(snapshot, query("13522", "2022-12-01", "2022-12-01")));
        assert!(twelve.contains("it is a rate of 12 months"), "{twelve}");
    });
}

#[test]
fn contracts_count_the_month_of_the_first_day_and_not_that_of_the_last() {
    with_snapshot(|snapshot| {
        let rent = |months: Months| Correction {
            to: Some(day("2025-05-10")),
            months,
            ..Correction::new("2500".parse().unwrap(), day("2024-05-10"), "igp-m".parse().unwrap())
        };
        let inclusive = correction(snapshot, rent(Months::Inclusive)).unwrap();
        assert_eq!(inclusive.result.to_string(), "2699.47");
        assert!(inclusive.rule.contains("13 months are counted: 2024-05 to 2025-05."));
        let contract = correction(snapshot, rent(Months::Contract)).unwrap();
        assert_eq!(contract.result.to_string(), "2712.76");
        assert_eq!(contract.derivation.factor.to_string(), "1.0851041753272339");
        assert!(contract.rule.contains("12 months are counted: 2024-05 to 2025-04."));
        assert!(contract.rule_pt.contains("Contam-se 12 meses: de 05/2024 a 04/2025."));
        // Without a last day the newest month counts; within one month none does.
        let of = |from: &str, to: Option<&str>| {
            let series = "ipca".parse().unwrap();
            let (months, to) = (Months::Contract, to.map(day));
            accumulate(
                snapshot,
                Accumulation { months, to, ..Accumulation::new(series, day(from)) },
            )
        };
        let open = of("2026-07-01", None).unwrap();
        assert_eq!((open.to, open.periods), (day("2026-09-01"), 2));
        let none = of("2026-07-01", Some("2026-07-31")).unwrap();
        assert_eq!((none.periods, none.factor.to_string().as_str()), (0, "1.00"));
        assert!(none.rule.contains("No month is counted."));
        // A spread is earned on the business days of the months that count: those of 2024 are 253.
        let spread = Correction {
            to: Some(day("2025-01-20")),
            months: Months::Contract,
            spread: Some("6".parse().unwrap()),
            ..Correction::new("1".parse().unwrap(), day("2024-01-20"), "ipca".parse().unwrap())
        };
        let spread = correction(snapshot, spread).unwrap();
        assert_eq!(spread.spread.as_ref().unwrap().business_days, 253);
        let cdi =
            Accumulation { months: Months::Contract, ..query("cdi", "2024-01-02", "2024-02-02") };
        assert_eq!(
            refusal(accumulate(snapshot, cdi)),
            "only months of a monthly index, such as igp-m, can be counted in this way; cdi-daily is none"
        );
    });
}

#[test]
fn amount_times_factor_is_the_result_with_a_spread_too() {
    with_snapshot(|snapshot| {
        let query = Correction {
            to: Some(day("2021-01-01")),
            spread: Some("2".parse().unwrap()),
            ..Correction::new("1000".parse().unwrap(), day("2020-01-01"), "cdi".parse().unwrap())
        };
        let corrected = correction(snapshot, query).unwrap();
        assert_eq!(corrected.derivation.factor.to_string(), "1.0480473605853038");
        assert_eq!(corrected.derivation.accumulated.to_string(), "4.80473606");
        assert_eq!(corrected.result.to_string(), "1048.05");
        let spread = corrected.spread.as_ref().unwrap();
        assert_eq!(spread.business_days, 251);
        assert_eq!(spread.factor.to_string(), "1.0199198496577856");
        assert_eq!(spread.index_factor.to_string(), "1.0275781581630712");
    });
}
