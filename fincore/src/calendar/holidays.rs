//! The days on which banks in Brazil are closed, by rule; weekends are not among them.
use serde::Serialize;

use crate::values::Date;

/// The name of a bank holiday.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Holiday {
    /// In English.
    pub en: &'static str,
    /// In Portuguese.
    pub pt: &'static str,
}

/// The years in which a rule holds.
type Years = std::ops::RangeInclusive<u16>;

const ALWAYS: Years = 1..=9999;

/// National holidays with a fixed date: month, day, years. (Laws 662 of 1949, 6.802 of 1980 and 14.759 of 2023.)
const FIXED: [(u8, u8, Years, Holiday); 9] = [
    (1, 1, ALWAYS, holiday("New Year's Day", "Confraternização Universal")),
    (4, 21, ALWAYS, holiday("Tiradentes", "Tiradentes")),
    (5, 1, ALWAYS, holiday("Labour Day", "Dia do Trabalho")),
    (9, 7, ALWAYS, holiday("Independence Day", "Independência do Brasil")),
    (10, 12, ALWAYS, holiday("Our Lady of Aparecida", "Nossa Senhora Aparecida")),
    (11, 2, ALWAYS, holiday("All Souls' Day", "Finados")),
    (11, 15, ALWAYS, holiday("Proclamation of the Republic", "Proclamação da República")),
    (11, 20, 2024..=9999, holiday("Black Awareness Day", "Dia da Consciência Negra")),
    (12, 25, ALWAYS, holiday("Christmas", "Natal")),
];

/// Bank holidays by their distance from Easter Sunday, in days.
const BY_EASTER: [(i32, Years, Holiday); 5] = [
    (-48, ALWAYS, holiday("Carnival", "Carnaval")),
    (-47, ALWAYS, holiday("Carnival", "Carnaval")),
    // Banks have been open on this day since 2000.
    (-3, 1..=1999, holiday("Maundy Thursday", "Quinta-feira Santa")),
    (-2, ALWAYS, holiday("Good Friday", "Sexta-feira Santa")),
    (60, ALWAYS, holiday("Corpus Christi", "Corpus Christi")),
];

/// Days that follow no rule.
const SINGLE: [(u16, u8, u8, Holiday); 4] = [
    (
        1991,
        2,
        1,
        holiday("Bank holiday of the Collor II plan", "Feriado bancário do Plano Collor II"),
    ),
    (1994, 7, 1, holiday("Introduction of the real", "Entrada em vigor do real")),
    (1994, 10, 3, holiday("General election", "Eleições gerais")),
    (1996, 10, 3, holiday("Municipal elections", "Eleições municipais")),
];

const fn holiday(en: &'static str, pt: &'static str) -> Holiday {
    Holiday { en, pt }
}

/// The bank holiday on this day, whatever its weekday.
pub(crate) fn on(day: Date) -> Option<Holiday> {
    let (year, month, date) = (day.year(), day.month(), day.day());
    let from_easter = day.day_number() - easter(year);
    let fixed = FIXED.iter().find(|(in_month, on, years, _)| {
        (*in_month, *on) == (month, date) && years.contains(&year)
    });
    let moving =
        || BY_EASTER.iter().find(|(at, years, _)| *at == from_easter && years.contains(&year));
    let single = || SINGLE.iter().find(|(y, m, d, _)| (*y, *m, *d) == (year, month, date));
    fixed
        .map(|(.., holiday)| *holiday)
        .or_else(|| moving().map(|(.., holiday)| *holiday))
        .or_else(|| single().map(|(.., holiday)| *holiday))
}

/// The numbers of the bank holidays of a year, each day once, in order.
pub(crate) fn of_year(year: u16) -> Vec<i32> {
    let easter = easter(year);
    let number = |month, day| Date::new(year, month, day).map(Date::day_number);
    let holds = |years: &Years| years.contains(&year);
    let fixed = FIXED.iter().filter(|(.., years, _)| holds(years));
    let moving = BY_EASTER.iter().filter(|(_, years, _)| holds(years));
    let single = SINGLE.iter().filter(|(in_year, ..)| *in_year == year);
    let mut days: Vec<i32> = fixed
        .filter_map(|(month, day, ..)| number(*month, *day))
        .chain(moving.map(|(from_easter, ..)| easter + from_easter))
        .chain(single.filter_map(|(_, month, day, _)| number(*month, *day)))
        .collect();
    // Good Friday can fall on Tiradentes, as in 2000.
    days.sort_unstable();
    days.dedup();
    days
}

/// The number of Easter Sunday, by the Gregorian computus.
fn easter(year: u16) -> i32 {
    let year = i32::from(year);
    // The place of the year in the lunar cycle, and the corrections that the calendar makes by century.
    let (golden, century) = (year % 19, year / 100);
    let leap_days_left_out = century - century / 4;
    let moon_correction = (8 * century + 13) / 25;
    // Days from 21 March to the full moon; it is moved back where two years of a cycle would share it.
    let full_moon = (19 * golden + leap_days_left_out - moon_correction + 15) % 30;
    let full_moon = full_moon - i32::from(full_moon == 29 || (full_moon == 28 && golden > 10));
    let equinox = Date::new(u16::try_from(year).unwrap_or(1), 3, 21).map_or(0, Date::day_number);
    let moon = equinox + full_moon;
    // The Sunday after it; numbers of Sundays are multiples of seven.
    moon + 7 - moon % 7
}
