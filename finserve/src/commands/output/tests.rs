use fincore::table::{ColumnKind, Dialect};

use super::*;

const PLAIN: Screen = Screen { is_terminal: false, width: None, colour: false };

fn to_table(json: &str, screen: Screen) -> String {
    table(&Answer::read(json, &[]).unwrap(), screen)
}

fn as_csv(json: &str) -> String {
    let rows = csv(&Answer::read(json, &[]).unwrap(), &[], Dialect::Standard).unwrap();
    String::from_utf8(rows).unwrap()
}

/// A calculation as the API answers it.
const CALCULATION: &str = r#"{"amount":1000,"factor":1.0123456789012345678901234567,"result":1012.35,
"first":{"date":"2020-01-01","value":0.21},"rule":"whole months, both ends",
"steps":[{"date":"2020-01-01","value":0.21,"factor":1.0021},{"date":"2020-02-01","value":-0.25,"factor":0.99959475}]}"#;

#[test]
fn figures_stand_right_and_texts_left() {
    let json = r#"{"data":[{"date":"2026-05-01","unit":"a","value":0.840},{"date":"2026-04-01","unit":"bcd","value":-12.7}],"total":2,"limit":20,"offset":0}"#;
    let table = "date        unit  value\n2026-05-01  a     0.840\n2026-04-01  bcd   -12.7\n";
    assert_eq!(to_table(json, PLAIN), table);
}

#[test]
fn facts_come_before_steps_and_keep_their_order_and_digits() {
    let text = "amount       1000
factor       1.0123456789012345678901234567
result       1012.35
first.date   2020-01-01
first.value  0.21
rule         whole months, both ends

steps
date        value      factor
2020-01-01   0.21      1.0021
2020-02-01  -0.25  0.99959475
";
    assert_eq!(to_table(CALCULATION, PLAIN), text);
}

#[test]
fn a_result_is_one_row_of_csv() {
    let facts = r#"{"amount":1000,"factor":1.0123456789012345678901234567,"day":{"date":"2020-01-01","none":null},"tickers":["A","B"]}"#;
    let row = "amount,factor,day.date,day.none,tickers\r\n1000,1.0123456789012345678901234567,2020-01-01,,A B\r\n";
    assert_eq!(as_csv(facts), row);
    let quotes = r#"{"result":8.68,"quotes":[{"pair":"USD/BRL","value":5.0},{"pair":"EUR/BRL","value":5.80}]}"#;
    let row = "result,quotes.1.pair,quotes.1.value,quotes.2.pair,quotes.2.value\r\n8.68,USD/BRL,5.0,EUR/BRL,5.80\r\n";
    assert_eq!(as_csv(quotes), row);
}

#[test]
fn every_step_is_a_row_of_csv_after_the_result() {
    let steps = "amount,factor,result,first.date,first.value,rule,steps.date,steps.value,steps.factor\r
1000,1.0123456789012345678901234567,1012.35,2020-01-01,0.21,\"whole months, both ends\",2020-01-01,0.21,1.0021\r
1000,1.0123456789012345678901234567,1012.35,2020-01-01,0.21,\"whole months, both ends\",2020-02-01,-0.25,0.99959475\r
";
    assert_eq!(as_csv(CALCULATION), steps);
    let steps = "real,interest.number,inflation.number,steps,steps.date\r
1.5,11,433,interest.steps,2020-01-02\r
1.5,11,433,inflation.steps,2020-01-01\r
";
    assert_eq!(as_csv(TWO), steps);
}

/// A calculation from two others.
const TWO: &str = r#"{"real":1.5,"interest":{"number":11,"steps":[{"date":"2020-01-02"}]},"inflation":{"number":433,"steps":[{"date":"2020-01-01"}]}}"#;

#[test]
fn steps_inside_are_tables_too() {
    let text = "real              1.5
interest.number   11
inflation.number  433

interest.steps
date
2020-01-02

inflation.steps
date
2020-01-01
";
    assert_eq!(to_table(TWO, PLAIN), text);
}

#[test]
fn an_empty_list_has_its_columns() {
    let json = r#"{"data":[],"total":0,"limit":20,"offset":0}"#;
    let headings = [("date", ColumnKind::Day), ("value", ColumnKind::Figure)];
    let answer = Answer::read(json, &headings).unwrap();
    assert_eq!(csv(&answer, &headings, Dialect::Standard).unwrap(), b"date,value\r\n");
    assert_eq!(table(&answer, PLAIN), "nothing found\n");
}

#[test]
fn csv_says_of_every_figure_where_it_comes_from() {
    let headings =
        [("date", ColumnKind::Day), ("value", ColumnKind::Figure), ("origin", ColumnKind::Text)];
    let csv = |json: &str| {
        let answer = Answer::read(json, &headings).unwrap();
        String::from_utf8(csv(&answer, &headings, Dialect::Standard).unwrap()).unwrap()
    };
    let published = r#"{"data":[{"date":"2026-08-01","value":-0.32}],"total":1}"#;
    assert_eq!(csv(published), "date,value,origin\r\n2026-08-01,-0.32,published\r\n");
    let both = r#"{"data":[{"date":"2026-08-28","value":14.00,"origin":"carried"},{"date":"2026-08-27","value":14.00}],"total":2}"#;
    assert_eq!(
        csv(both),
        "date,value,origin\r\n2026-08-28,14.00,carried\r\n2026-08-27,14.00,published\r\n"
    );
}

#[test]
fn a_text_that_is_a_formula_elsewhere_is_a_text_here() {
    let json = r#"{"data":[{"a":"=1+1","b":"-5","c":"x,\"y\"\n"}]}"#;
    assert_eq!(as_csv(json), "a,b,c\r\n'=1+1,-5,\"x,\"\"y\"\"\n\"\r\n");
}

#[test]
fn long_texts_are_cut_to_the_width_and_figures_are_not() {
    let long = "x".repeat(200);
    let json = format!(
        r#"{{"data":[{{"id":"1","cnpj":"","name":"{long}","tickers":["PETR3","PETR4"],"status":"ATIVO","sector":"{long}"}}]}}"#
    );
    for width in [40, 60, 80, 132] {
        let screen = Screen { width: Some(width), ..PLAIN };
        let text = to_table(&json, screen);
        let widest = text.lines().map(|line| line.chars().count()).max().unwrap();
        assert!(widest <= width && widest > width - 12 && text.contains('…'), "{width}: {text}");
    }
    let figures = r#"{"data":[{"date":"2026-01-01","value":123456789.123456789}]}"#;
    assert!(to_table(figures, Screen { width: Some(32), ..PLAIN }).contains("123456789.123456789"));
}

#[test]
fn nothing_in_an_answer_steers_the_terminal() {
    let json = r#"{"data":[{"name":"a\u001b[31mb\nc"}],"meta":{"source":"x"}}"#;
    assert_eq!(to_table(json, PLAIN), "name\na\\u{1b}[31mb\\nc\n");
}

#[test]
fn colour_is_for_screens_that_want_it() {
    let json = r#"{"data":[{"date":"2026-01-01","value":1},{"date":"2026-01-02","value":2}]}"#;
    let colour = Screen { is_terminal: true, width: Some(80), colour: true };
    assert!(to_table(json, colour).starts_with("\x1b[1mdate        value\x1b[0m\n"));
    let answer = Answer::read(json, &[]).unwrap();
    assert!(chart(&answer, "a", colour).unwrap().contains("\x1b[36m"));
    assert!(!chart(&answer, "a", PLAIN).unwrap().contains('\x1b'));
}

#[test]
fn every_chart_fits_its_screen() {
    let rows = |figures: &[&str]| {
        let rows = figures.iter().enumerate();
        let row = |(at, figure): (usize, &&str)| {
            format!(r#"{{"date":"2026-{:02}-01","value":{figure}}}"#, at % 12 + 1)
        };
        format!("{{\"data\":[{}]}}", rows.map(row).collect::<Vec<_>>().join(","))
    };
    for figures in [
        &["0"][..],
        &["5", "5", "5"],
        &["-1", "1"],
        &["0.00000001", "0.00000002"],
        &["1e300", "-1e300"],
        &["123456789012", "123456789013"],
        &["-0.32", "0.88", "13.90"],
    ] {
        for width in [0, 20, 80, 300] {
            let answer = Answer::read(&rows(figures), &[]).unwrap();
            let text = chart(&answer, "a", Screen { width: Some(width), ..PLAIN }).unwrap();
            assert_eq!(text.lines().count(), 16, "{figures:?} {width}\n{text}");
            let curve = text.lines().skip(1).take(13);
            let widest = curve.map(|line| line.chars().count()).max().unwrap();
            assert!(width < 60 || widest <= width, "{figures:?} {width}\n{text}");
            assert!(text.chars().any(|c| ('\u{2801}'..='\u{28ff}').contains(&c)), "{text}");
        }
    }
    for nothing in ["{\"data\":[]}", "{\"data\":[{\"id\":1}]}", "{\"date\":\"2026-01-01\"}"] {
        assert!(chart(&Answer::read(nothing, &[]).unwrap(), "a", PLAIN).is_none());
    }
}
