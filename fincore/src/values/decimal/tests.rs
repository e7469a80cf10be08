//! Digits, order, arithmetic and every format.
use std::{collections::HashSet, hash::BuildHasher};

use proptest::prelude::*;

use super::*;

fn decimal(text: &str) -> Decimal {
    text.parse().unwrap()
}

#[test]
fn keeps_the_published_digits() {
    let same = ["0", "0.00", "-0.68", "45.00", "4.0200", "0.00000370", "659.99000000", "82.39"];
    for text in same {
        let number: Decimal = text.parse().unwrap();
        assert_eq!(number.to_string(), text);
        assert_eq!(serde_json::to_string(&number).unwrap(), text);
    }
}

#[test]
fn every_format_gets_the_digits() {
    #[derive(Serialize)]
    struct Row {
        date: &'static str,
        value: Decimal,
    }
    #[derive(Serialize)]
    struct Flat {
        id: u8,
        #[serde(flatten)]
        row: Row,
    }
    #[derive(Serialize)]
    #[serde(tag = "kind", rename_all = "lowercase")]
    enum Tagged {
        Rate(Row),
    }
    let row = || Row { date: "2026-10-05", value: decimal("4.0200") };

    let json = r#"{"date":"2026-10-05","value":4.0200}"#;
    assert_eq!(serde_json::to_string(&row()).unwrap(), json);
    assert_eq!(serde_json::to_vec_pretty(&row().value).unwrap(), b"4.0200");
    let flat = serde_json::to_string(&Flat { id: 1, row: row() }).unwrap();
    assert_eq!(flat, r#"{"id":1,"date":"2026-10-05","value":4.0200}"#);
    let tagged = serde_json::to_string(&Tagged::Rate(row())).unwrap();
    assert_eq!(tagged, r#"{"kind":"rate","date":"2026-10-05","value":4.0200}"#);
    let value = serde_json::to_value(row()).unwrap();
    assert_eq!(value, serde_json::json!({ "date": "2026-10-05", "value": 4.02 }));

    let yaml = serde_norway::to_string(&row()).unwrap();
    assert_eq!(yaml, "date: 2026-10-05\nvalue: '4.0200'\n");
    let mut csv = csv::Writer::from_writer(Vec::new());
    csv.serialize(row()).unwrap();
    assert_eq!(csv.into_inner().unwrap(), b"date,value\n2026-10-05,4.0200\n");
    let binary = postcard::to_stdvec(&row()).unwrap();
    let read = <(&str, &str)>::deserialize(&mut postcard::Deserializer::from_bytes(&binary));
    assert_eq!(read.unwrap(), ("2026-10-05", "4.0200"));
}

#[test]
fn compares_by_value() {
    let largest = "999999999999999999";
    let ascending = [
        "-999999999999999999",
        "-999999999999999998",
        "-10",
        "-9.99",
        "-0.100000000000000001",
        "-0.1",
        "-0.000000000000000001",
        "0",
        "0.000000000000000001",
        "0.000000000000000002",
        "0.1",
        "0.100000000000000001",
        "4.0200",
        "4.02000001",
        "99999999999999999.8",
        "99999999999999999.9",
        "999999999999999998",
        largest,
    ];
    for (left, a) in ascending.iter().enumerate() {
        for (right, b) in ascending.iter().enumerate() {
            assert_eq!(decimal(a).cmp(&decimal(b)), left.cmp(&right), "{a} and {b}");
        }
    }
    // As floats these are the same number.
    assert_eq!(decimal(largest).to_f64(), decimal("999999999999999998").to_f64());
}

#[test]
fn trailing_zeros_change_neither_equality_nor_hash() {
    let hasher = std::hash::RandomState::new();
    for (a, b) in [("4.0", "4.00"), ("0", "-0.000"), ("40", "40.0"), ("-1.50", "-1.5")] {
        assert_eq!(decimal(a), decimal(b));
        assert_eq!(hasher.hash_one(decimal(a)), hasher.hash_one(decimal(b)), "{a} and {b}");
    }
    let different = ["4", "40", "0.4", "0.04", "-4", "0"].map(decimal);
    assert_eq!(HashSet::from(different).len(), different.len());
    assert_eq!(decimal("4.0200").decimals(), 4);
}

#[test]
fn calculates_exactly_or_not_at_all() {
    let (largest, smallest) = ("999999999999999999", "0.000000000000000001");
    let show = |result: Option<Decimal>| result.map(|number| number.to_string());
    let cases = [
        // Two numbers, their sum, difference and product.
        ("1.10", "0.9", Some("2.00"), Some("0.20"), Some("0.990")),
        ("-0.5", "0.50", Some("0.00"), Some("-1.00"), Some("-0.250")),
        ("0", "0.00", Some("0.00"), Some("0.00"), Some("0.00")),
        (largest, "0", Some(largest), Some(largest), Some("0")),
        (largest, "1", None, Some("999999999999999998"), Some(largest)),
        (largest, "0.1", None, None, Some("99999999999999999.9")),
        (smallest, smallest, Some("0.000000000000000002"), Some("0.000000000000000000"), None),
        (largest, largest, None, Some("0"), None),
        // A product with 20 decimals fits once its last two, zeros, are dropped.
        (
            "0.1000000000",
            "0.5000000000",
            Some("0.6000000000"),
            Some("-0.4000000000"),
            Some("0.050000000000000000"),
        ),
    ];
    for (a, b, sum, difference, product) in cases {
        let (a, b) = (decimal(a), decimal(b));
        assert_eq!(show(a.checked_add(b)).as_deref(), sum, "{a} + {b}");
        assert_eq!(show(a.checked_sub(b)).as_deref(), difference, "{a} - {b}");
        assert_eq!(show(a.checked_mul(b)).as_deref(), product, "{a} * {b}");
    }
}

#[test]
fn reads_padded_numbers_with_a_comma() {
    let read = |text| Decimal::parse_with(text, ',').unwrap().to_string();
    assert_eq!(read("000000001,9883"), "1.9883");
    assert_eq!(read("00000000,02179"), "0.02179");
    assert_eq!(read("1430550"), "1430550");
}

#[test]
fn refuses_what_is_no_number() {
    let wrong = [
        "",
        "-",
        ".",
        ".5",
        "5.",
        "1,5",
        "1.5.2",
        "NaN",
        "inf",
        "1e5",
        "+1",
        " 1",
        "1 ",
        "--1",
        "0x10",
        "１",
        "1234567890123456789",
        "0.1234567890123456789",
    ];
    for text in wrong {
        let message = text.parse::<Decimal>().unwrap_err().to_string();
        assert_eq!(message, format!("{text:?} is not a number like 1.25"));
    }
}

#[test]
fn json_is_read_with_its_digits() {
    let read = |json: &str| serde_json::from_str::<Vec<Option<Decimal>>>(json);
    let numbers = read(r#"[13.750, -0.32, null, "4.0200", 999999999999999999]"#).unwrap();
    let texts: Vec<_> = numbers.iter().flatten().map(ToString::to_string).collect();
    assert_eq!(texts, ["13.750", "-0.32", "4.0200", "999999999999999999"]);
    for wrong in ["[1e5]", "[true]", "[\"\"]", "[1234567890123456789]", "[{}]", "[\"1.5\\n\"]"] {
        assert!(read(wrong).is_err(), "{wrong}");
    }
}

proptest! {
    #[test]
    fn what_is_printed_parses_back(digits in -(10i64.pow(18) - 1)..10i64.pow(18), decimals in 0u8..=18) {
        // The sign of a zero is not kept: `-0.00` reads as `0.00`.
        let number = Decimal::from_parts(digits, decimals);
        prop_assert_eq!(number.to_string().parse::<Decimal>().unwrap().parts(), number.parts());
    }

    #[test]
    fn padded_with_zeros_a_number_stays_the_same(
        digits in -(10i64.pow(9) - 1)..10i64.pow(9),
        decimals in 0u8..=9,
        zeros in 0u8..=9,
        more in 1i64..10i64.pow(9),
    ) {
        let number = Decimal::from_parts(digits, decimals);
        let padded = digits * 10i64.pow(zeros.into());
        let longer = Decimal::from_parts(padded, decimals + zeros);
        let hasher = std::hash::RandomState::new();
        prop_assert_eq!(number, longer);
        prop_assert_eq!(hasher.hash_one(number), hasher.hash_one(longer));
        prop_assert!(number < Decimal::from_parts(padded + more, decimals + zeros));
        prop_assert_eq!(number.checked_sub(longer), Some(Decimal::from(0)));
    }

    #[test]
    fn no_text_panics(text in "[-0-9.,eN]{0,30}|\\PC*") {
        let _ = text.parse::<Decimal>();
    }
}
