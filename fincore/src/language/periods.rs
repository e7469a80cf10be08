//! Months and quarters in searches, as the days on which filings about them are delivered.
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

/// The month of a year that these words begin with: how many words it takes, and its days.
pub(crate) fn month_of_year(words: &[&str]) -> Option<(usize, Days)> {
    let (first, rest) = words.split_first()?;
    let month = MONTHS.iter().position(|names| names.contains(first))?;
    let particles = usize::from(matches!(rest.first(), Some(&("de" | "do" | "of"))));
    let year = rest.get(particles)?;
    let is_year = year.len() == 4 && year.starts_with("20");
    let year: u16 = year.parse().ok().filter(|_| is_year)?;
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
    fn a_quarter_is_reported_after_its_end() {
        let days = |from: &str, to: &str| Some((from.parse().unwrap(), to.parse().unwrap()));
        assert_eq!(season_of("3t24"), days("2024-10-10", "2024-12-20"));
        assert_eq!(season_of("4t23"), days("2024-01-10", "2024-04-20"));
        assert_eq!((season_of("ago"), season_of("5t24")), (None, None));
    }
}
