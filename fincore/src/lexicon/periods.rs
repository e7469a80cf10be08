//! Days, months and quarters in searches, in all spellings, as the days on which filings about them are delivered.
use std::{collections::HashMap, sync::LazyLock};

use crate::values::{Date, tsv};

/// Portuguese and English names of the months and their abbreviations, folded.
const MONTHS: [[&str; 4]; 12] = [
    ["janeiro", "jan", "january", "jan"],
    ["fevereiro", "fev", "february", "feb"],
    ["marco", "mar", "march", "mar"],
    ["abril", "abr", "april", "apr"],
    ["maio", "mai", "may", "may"],
    ["junho", "jun", "june", "jun"],
    ["julho", "jul", "july", "jul"],
    ["agosto", "ago", "august", "aug"],
    ["setembro", "set", "september", "sep"],
    ["outubro", "out", "october", "oct"],
    ["novembro", "nov", "november", "nov"],
    ["dezembro", "dez", "december", "dec"],
];

/// The first and the last day of something.
pub(crate) type Days = (Date, Date);

/// The day, or the month of a year, that these words begin with: how many words it takes, and its days.
pub(crate) fn day_or_month(words: &[&str]) -> Option<(usize, Days)> {
    day_of_year(words).map(|(length, day)| (length, (day, day))).or_else(|| month_of_year(words))
}

/// `18/10/2024`, `18/10/24`, `2024-10-18`, `18 de outubro de 2024`, `October 18, 2024`.
fn day_of_year(words: &[&str]) -> Option<(usize, Date)> {
    let number = |word: &str, length| word.parse::<u8>().ok().filter(|_| word.len() <= length);
    if let [month, day, year, ..] = words
        && let (Some(month), Some(day), Some(year)) =
            (month_named(month), number(day, 2), year_of(year))
    {
        return Some((3, Date::new(year, month, day)?));
    }
    if let [day, month, year, ..] = words
        && let (Some(day), Some(month), Some(year)) =
            (number(day, 2), number(month, 2), year_of(year).or_else(|| short_year(year)))
    {
        return Some((3, Date::new(year, month, day)?));
    }
    if let [year, month, day, ..] = words
        && let (Some(year), Some(month), Some(day)) =
            (year_of(year), number(month, 2), number(day, 2))
    {
        return Some((3, Date::new(year, month, day)?));
    }
    let (first, rest) = words.split_first()?;
    let day = number(first.strip_suffix('o').unwrap_or(first), 2)?;
    let particles = usize::from(rest.first() == Some(&"de"));
    let (length, (first, _)) = month_of_year(&rest[particles..])?;
    Some((1 + particles + length, Date::new(first.year(), first.month(), day)?))
}

/// A year of this century, in four digits.
fn year_of(word: &str) -> Option<u16> {
    word.parse().ok().filter(|_| word.len() == 4 && word.starts_with("20"))
}

/// A year of this century, in the two digits that people write.
fn short_year(word: &str) -> Option<u16> {
    let year = word.parse::<u16>().ok().filter(|year| word.len() == 2 && (10..40).contains(year));
    year.map(|year| 2000 + year)
}

/// The number of a month, by its name.
fn month_named(word: &str) -> Option<u8> {
    let month = MONTHS.iter().position(|names| names.contains(&word))?;
    u8::try_from(month).ok().map(|month| month + 1)
}

/// `outubro de 2024`, `out/24`, `October 2024`.
fn month_of_year(words: &[&str]) -> Option<(usize, Days)> {
    /// The longest abbreviation: after a whole name, two digits may be a day.
    const SHORT: usize = 3;
    let (first, rest) = words.split_first()?;
    let month = month_named(first)?;
    let particles = usize::from(matches!(rest.first(), Some(&("de" | "do" | "of"))));
    let year = rest.get(particles)?;
    let short = || short_year(year).filter(|_| first.len() == SHORT && *first != "may");
    let year = year_of(year).or_else(short)?;
    let first = Date::new(year, month, 1)?;
    let next =
        if month == 12 { Date::new(year + 1, 1, 1)? } else { Date::new(year, month + 1, 1)? };
    Some((2 + particles, (first, next.days_before(1))))
}

/// The days on which the report of a quarter is delivered, given its name: `3t24`.
pub(crate) fn season_of(quarter: &str) -> Option<Days> {
    let (number, year) = quarter.split_once('t')?;
    let year: u16 = 2000 + year.parse::<u16>().ok().filter(|_| year.len() == 2)?;
    let (year, from, to) = match number {
        "1" => (year, 4, 6),
        "2" => (year, 7, 9),
        "3" => (year, 10, 12),
        "4" => (year + 1, 1, 4),
        _ => return None,
    };
    // Few report in the first ten days, none later than some two and a half months.
    Some((Date::new(year, from, 10)?, Date::new(year, to, 20)?))
}

/// Quarters by all spellings of their ordinals.
static ORDINALS: LazyLock<HashMap<&str, u32>> = LazyLock::new(|| {
    let row = |[quarter, spellings]: [_; 2]| Ok((tsv::number(quarter)?, spellings));
    let rows = tsv::embedded("quarter.tsv", include_str!("quarter.tsv"), "quarter\tspellings", row);
    let spelled = |(quarter, spellings)| tsv::list(spellings).map(move |word| (word, quarter));
    rows.into_iter().flat_map(spelled).collect()
});

/// The quarter that these words begin with: how many words it takes, and its name.
pub(crate) fn parse(words: &[&str]) -> Option<(usize, String)> {
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

    #[test]
    fn a_month_has_its_days() {
        let of = |text: &str| month_of_year(&text.split(' ').collect::<Vec<_>>());
        let days = |from: &str, to: &str| (from.parse().unwrap(), to.parse().unwrap());
        assert_eq!(of("fevereiro de 2024 vale"), Some((3, days("2024-02-01", "2024-02-29"))));
        assert_eq!(of("december 2024"), Some((2, days("2024-12-01", "2024-12-31"))));
        assert_eq!(of("out 24"), Some((2, days("2024-10-01", "2024-10-31"))));
        assert_eq!((of("outubro 24"), of("out 3")), (None, None));
        assert_eq!((of("maio"), of("mar aberto"), of("2024")), (None, None, None));
    }

    #[test]
    fn a_day_is_read_in_every_spelling() {
        let of = |text: &str| day_or_month(&text.split(' ').collect::<Vec<_>>());
        let day = |day: &str| (day.parse().unwrap(), day.parse().unwrap());
        for text in ["18 10 2024", "2024 10 18", "18 10 24", "october 18 2024", "oct 18 2024"] {
            assert_eq!(of(text), Some((3, day("2024-10-18"))), "{text}");
        }
        assert_eq!(of("18 de outubro de 2024 vale"), Some((5, day("2024-10-18"))));
        assert_eq!(of("1o maio 2025"), Some((3, day("2025-05-01"))));
        assert_eq!((of("31 02 2024"), of("10 2024"), of("2024 13 01")), (None, None, None));
    }

    #[test]
    fn a_quarter_is_reported_after_its_end() {
        let days = |from: &str, to: &str| Some((from.parse().unwrap(), to.parse().unwrap()));
        assert_eq!(season_of("3t24"), days("2024-10-10", "2024-12-20"));
        assert_eq!(season_of("4t23"), days("2024-01-10", "2024-04-20"));
        assert_eq!((season_of("ago"), season_of("5t24")), (None, None));
    }
}

#[cfg(test)]
mod quarter_tests {
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
