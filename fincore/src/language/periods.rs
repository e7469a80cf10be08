//! Days, months and quarters in searches, as the days on which filings about them are delivered.
use crate::types::Date;

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
