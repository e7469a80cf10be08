//! How old a figure is, in words.
use chrono::NaiveDate;
use fincore::Date;

use super::{chart::Period, language::Language};

/// The age of a figure of a day or a month.
pub(crate) fn of(period: Period, today: Date, date: Date, language: Language) -> String {
    match period {
        Period::Day => days(today, date, language),
        Period::Month | Period::Quarter | Period::Year => months(today, date, language),
    }
}

/// How many days ago a day was: `73 days old`.
pub(crate) fn days(today: Date, date: Date, language: Language) -> String {
    match (NaiveDate::from(today) - NaiveDate::from(date)).num_days() {
        ..=0 => language.pick("today", "hoje").to_owned(),
        1 => language.pick("1 day old", "há 1 dia").to_owned(),
        days => language.pick(format!("{days} days old"), format!("há {days} dias")),
    }
}

/// How many months ago a month was: the figure of a month has no day from which days could be counted.
fn months(today: Date, date: Date, language: Language) -> String {
    let number = |day: Date| i32::from(day.year()) * 12 + i32::from(day.month());
    match number(today) - number(date) {
        ..=0 => language.pick("this month", "deste mês").to_owned(),
        1 => language.pick("1 month old", "há 1 mês").to_owned(),
        months => language.pick(format!("{months} months old"), format!("há {months} meses")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_days_and_months() {
        let age = |period, date: &str| {
            let [today, date] = ["2026-11-15", date].map(|text| text.parse().unwrap());
            [Language::English, Language::Portuguese]
                .map(|language| of(period, today, date, language))
        };
        assert_eq!(age(Period::Day, "2026-09-03"), ["73 days old", "há 73 dias"]);
        assert_eq!(age(Period::Day, "2026-11-14"), ["1 day old", "há 1 dia"]);
        assert_eq!(age(Period::Month, "2026-08-01"), ["3 months old", "há 3 meses"]);
        assert_eq!(age(Period::Month, "2025-12-01"), ["11 months old", "há 11 meses"]);
        assert_eq!(age(Period::Month, "2026-10-01"), ["1 month old", "há 1 mês"]);
        assert_eq!(age(Period::Month, "2026-11-01"), ["this month", "deste mês"]);
        // Some figures are published for the day after.
        assert_eq!(age(Period::Day, "2026-11-15"), ["today", "hoje"]);
        assert_eq!(age(Period::Day, "2026-11-16"), ["today", "hoje"]);
    }
}
