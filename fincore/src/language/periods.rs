//! Days, months and quarters in searches, as the days on which filings about them are delivered.
use crate::types::Date;

/// Portuguese and English names of the months, folded.
const MONTHS: [[&str; 3]; 12] = [
    ["janeiro", "jan", "january"],
    ["fevereiro", "fev", "february"],
    ["marco", "mar", "march"],
    ["abril", "abr", "april"],
    ["maio", "mai", "may"],
    ["junho", "jun", "june"],
    ["julho", "jul", "july"],
    ["agosto", "ago", "august"],
    ["setembro", "set", "september"],
    ["outubro", "out", "october"],
    ["novembro", "nov", "november"],
    ["dezembro", "dez", "december"],
];

/// The first and the last day of something.
pub(crate) type Days = (Date, Date);

/// The day, or the month of a year, that these words begin with: how many words it takes, and its days.
pub(crate) fn day_or_month(words: &[&str]) -> Option<(usize, Days)> {
    day_of_year(words).map(|(length, day)| (length, (day, day))).or_else(|| month_of_year(words))
}

/// `18/10/2024`, `2024-10-18`, `18 de outubro de 2024`.
fn day_of_year(words: &[&str]) -> Option<(usize, Date)> {
    let number = |word: &str, length| word.parse::<u8>().ok().filter(|_| word.len() <= length);
    if let [day, month, year, ..] = words
        && let (Some(day), Some(month), Some(year)) =
            (number(day, 2), number(month, 2), year_of(year))
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

fn month_of_year(words: &[&str]) -> Option<(usize, Days)> {
    let (first, rest) = words.split_first()?;
    let month = MONTHS.iter().position(|names| names.contains(first))?;
    let particles = usize::from(matches!(rest.first(), Some(&("de" | "do" | "of"))));
    let year = year_of(rest.get(particles)?)?;
    let month = u8::try_from(month).ok()? + 1;
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
        assert_eq!((of("maio"), of("mar aberto"), of("2024")), (None, None, None));
    }

    #[test]
    fn a_day_is_read_in_every_spelling() {
        let of = |text: &str| day_or_month(&text.split(' ').collect::<Vec<_>>());
        let day = |day: &str| (day.parse().unwrap(), day.parse().unwrap());
        for text in ["18 10 2024", "2024 10 18"] {
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
