//! Quarters of a year: `3T24`, `9M24`, `3º trimestre de 2024`, `terceiro trimestre de 2024`, `1º semestre de 2024`; `q3 2024`,
//! `third quarter of 2024`.
use std::{collections::HashMap, sync::LazyLock};

use crate::types::{Date, tsv};

/// Quarters by all spellings of their ordinals.
static ORDINALS: LazyLock<HashMap<&str, u32>> = LazyLock::new(|| {
    let row = |[quarter, spellings]: [_; 2]| Ok((tsv::number(quarter)?, spellings));
    let rows = tsv::embedded("quarter.tsv", include_str!("quarter.tsv"), "quarter\tspellings", row);
    let spelled = |(quarter, spellings)| tsv::list(spellings).map(move |word| (word, quarter));
    rows.into_iter().flat_map(spelled).collect()
});

/// The quarter that these words begin with: how many words it takes, and its name.
pub(super) fn parse(words: &[&str]) -> Option<(usize, String)> {
    let (first, rest) = words.split_first()?;
    if let Some(found) = one_word(first) {
        return Some((1, found));
    }
    let number = *ORDINALS.get(first)?;
    let (quarter, noun, rest) = match rest.split_first() {
        _ if first.len() == 2 && first.contains(['t', 'q']) => (number, 0, rest),
        Some((&("trimestre" | "tri" | "trim" | "t" | "quarter"), rest)) => (number, 1, rest),
        // A half is reported with its last quarter.
        Some((&("semestre" | "sem" | "half"), rest)) if number <= 2 => (2 * number, 1, rest),
        _ => return None,
    };
    let (particles, rest) = match rest {
        [of, year, and, ..] if (*of, *year, *and) == ("do", "ano", "de") => (3, &rest[3..]),
        ["de" | "do" | "of", ..] => (1, &rest[1..]),
        _ => (0, rest),
    };
    let year = year(rest.first()?)?;
    Some((1 + noun + particles + 1, quarter_word(quarter, year)))
}

/// The quarter with whose report a longer part of the year is reported.
const PARTS: [(&str, u32); 5] = [("6m", 2), ("9m", 3), ("12m", 4), ("1s", 2), ("2s", 4)];

/// `3t24`, `3t2024`, `3q24`, `3tri24`; `9m24`, `1s24`.
fn one_word(word: &str) -> Option<String> {
    for (part, quarter) in PARTS {
        if let Some(year) = word.strip_prefix(part).and_then(year) {
            return Some(quarter_word(quarter, year));
        }
    }
    let quarter = word.chars().next()?.to_digit(10).filter(|quarter| (1..=4).contains(quarter))?;
    let rest = word.get(1..)?;
    let digits = ["trim", "tri", "t", "q"].iter().find_map(|sign| rest.strip_prefix(sign))?;
    Some(quarter_word(quarter, year(digits)?))
}

/// A year of two or four digits, without its century.
fn year(text: &str) -> Option<u32> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    match (digits, text.len()) {
        (true, 2) => text.parse().ok(),
        (true, 4) if text.starts_with("20") => text[2..].parse().ok(),
        _ => None,
    }
}

fn quarter_word(quarter: u32, year: u32) -> String {
    format!("{quarter}t{year:02}")
}

/// The quarter that ends on a day, if one does.
pub(crate) fn ending_on(day: Date) -> Option<String> {
    let ends = matches!((day.month(), day.day()), (3 | 12, 31) | (6 | 9, 30));
    (ends && (2000..2100).contains(&day.year()))
        .then(|| quarter_word(u32::from(day.month() / 3), u32::from(day.year() % 100)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quarter(text: &str) -> Option<(usize, String)> {
        parse(&text.split(' ').collect::<Vec<_>>())
    }

    #[test]
    fn every_spelling_is_the_same_quarter() {
        let spellings = [
            ("3t24", 1),
            ("q3 2024", 2),
            ("third quarter of 2024", 4),
            ("3t2024", 1),
            ("3q24", 1),
            ("3tri24", 1),
            ("9m24", 1),
            ("3t 24", 2),
            ("3o trimestre de 2024", 4),
            ("3 trimestre 2024", 3),
            ("3 tri 24", 3),
            ("terceiro trimestre de 2024 e", 4),
            ("terceiro trimestre do ano de 2024", 6),
        ];
        for (text, words) in spellings {
            assert_eq!(quarter(text), Some((words, "3t24".to_owned())), "{text}");
        }
    }

    #[test]
    fn a_half_of_a_year_is_its_last_quarter() {
        assert_eq!(quarter("primeiro semestre de 2024"), Some((4, "2t24".to_owned())));
        assert_eq!(quarter("2o semestre 2023"), Some((3, "4t23".to_owned())));
        assert_eq!(quarter("3o semestre 2023"), None);
    }

    #[test]
    fn what_is_no_quarter_is_left_alone() {
        for text in ["5t24", "3t", "3t1924", "3 de 2024", "terceiro", "trimestre", "3t24x", "t24"] {
            assert_eq!(quarter(text), None, "{text}");
        }
    }

    #[test]
    fn quarters_end_on_their_last_day() {
        let of = |year, month, day| ending_on(Date::new(year, month, day).unwrap());
        assert_eq!(of(2024, 9, 30), Some("3t24".to_owned()));
        assert_eq!(of(2023, 12, 31), Some("4t23".to_owned()));
        assert_eq!((of(2024, 9, 29), of(2024, 10, 31)), (None, None));
    }
}
