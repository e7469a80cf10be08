//! Doubts figures that a series cannot have: they were mistyped, or belong to another series.
//!
//! Bounds are wide enough for everything that was ever published, and for some more.
use std::{
    collections::{BTreeMap, HashMap},
    fmt,
    ops::Bound,
    sync::LazyLock,
};

use crate::{
    market::{Quote, Rate},
    store::Writer,
    values::{Currency, Date, Decimal, Result, tsv},
};

/// Says why a file with these observations is doubtful, if it is.
pub(crate) fn doubt_rates(writer: &Writer, series: u32, rows: &[Rate]) -> Result<Option<String>> {
    const SQL: &str = "SELECT date, value FROM rate WHERE series = ?1 AND date BETWEEN ?2 AND ?3";
    let (Some(first), Some(last)) = (rows.first(), rows.last()) else { return Ok(None) };
    let stored = stored_around(writer, SQL, series, first.date, last.date)?;
    let new: Figures = rows.iter().map(|row| (row.date, row.value)).collect();
    let bounds = |date| of_series(series, date);
    Ok(first_implausible(&new, &stored, bounds).map(|doubt| format!("SGS {series} {doubt}")))
}

/// Checks quotes, of any currencies and in any order.
pub(crate) fn doubt_quotes(writer: &Writer, rows: &[Quote]) -> Result<Option<String>> {
    const BUY: &str = "SELECT date, buy FROM fx WHERE currency = ?1 AND date BETWEEN ?2 AND ?3";
    const SELL: &str = "SELECT date, sell FROM fx WHERE currency = ?1 AND date BETWEEN ?2 AND ?3";
    let mut sides: BTreeMap<(Currency, &str), Figures> = BTreeMap::new();
    for row in rows {
        for (sql, figure) in [(BUY, row.buy), (SELL, row.sell)] {
            let Some(figure) = figure else { continue };
            sides.entry((row.currency, sql)).or_default().insert(row.date, figure);
        }
    }
    for ((currency, sql), new) in sides {
        let (Some((first, _)), Some((last, _))) = (new.first_key_value(), new.last_key_value())
        else {
            continue;
        };
        let stored = stored_around(writer, sql, currency, *first, *last)?;
        if let Some(doubt) = first_implausible(&new, &stored, |_| of_currency(currency)) {
            return Ok(Some(format!("{currency} {doubt}")));
        }
    }
    Ok(None)
}

/// Figures by day.
type Figures = BTreeMap<Date, Decimal>;

/// The figures that are stored around those of a file.
fn stored_around(
    writer: &Writer,
    sql: &str,
    of: impl rusqlite::ToSql,
    first: Date,
    last: Date,
) -> Result<Figures> {
    let mut statement = writer.prepare(sql)?;
    let mut rows = statement.query((of, first.days_before(WINDOW), days_after(last, WINDOW)))?;
    let mut figures = Figures::new();
    while let Some(row) = rows.next()? {
        // A figure that cannot be read is compared with nothing.
        let read = (row.get(0), row.get(1));
        if let (Ok(Some(date)), Ok(Some(figure))) = read {
            figures.insert(date, figure);
        }
    }
    Ok(figures)
}

fn days_after(date: Date, days: u32) -> Date {
    let days = i32::try_from(days).unwrap_or(i32::MAX);
    Date::from_day_number(date.day_number().saturating_add(days)).unwrap_or(Date::MAX)
}

/// The first figure that its series cannot have. Figures that are stored already are not doubted again.
fn first_implausible(
    new: &Figures,
    stored: &Figures,
    bounds: impl Fn(Date) -> Bounds,
) -> Option<String> {
    let known = |date: &Date, figure: &Decimal| stored.get(date) == Some(figure);
    for (date, figure) in new.iter().filter(|(date, figure)| !known(date, figure)) {
        let bounds = bounds(*date);
        if let Some(wanted) = bounds.violation(*figure) {
            return Some(format!("on {date}: {figure} is implausible; {wanted}"));
        }
        let same_day = stored.get(date).map(|there| (*date, *there));
        // The days before and after, from the file or else from the data.
        let before = |figures: &Figures| figures.range(..*date).next_back().map(|(d, f)| (*d, *f));
        let later = (Bound::Excluded(*date), Bound::Unbounded);
        let next = |figures: &Figures| figures.range(later).next().map(|(d, f)| (*d, *f));
        // Of two on one day, that of the file counts: the last of the highest, the first of the lowest.
        let neighbours = [
            [before(stored), before(new)].into_iter().flatten().max_by_key(|(date, _)| *date),
            [next(new), next(stored)].into_iter().flatten().min_by_key(|(date, _)| *date),
        ];
        for (there, known) in neighbours.into_iter().flatten().chain(same_day) {
            let days = (there.day_number() - date.day_number()).unsigned_abs();
            // A neighbour that is wrong itself proves nothing.
            let counts = days <= bounds.days && bounds.violation(known).is_none();
            if counts && !bounds.step.allows(known, *figure) {
                let step = bounds.step;
                return Some(format!(
                    "on {date}: {figure} is implausible beside {known} on {there}; {step}"
                ));
            }
        }
    }
    None
}

/// The furthest neighbour that any series is compared with, in days.
pub(crate) const WINDOW: u32 = 62;

/// The plausible values of a series in one era.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    low: f64,
    high: f64,
    /// The unit of its last digit: values are multiples of it.
    tick: Option<Decimal>,
    pub(crate) step: MaxStep,
    /// How near a neighbour must be for the step to count.
    pub(crate) days: u32,
}

/// The largest difference between neighbours.
#[derive(Clone, Copy, Debug)]
pub(crate) enum MaxStep {
    /// Up or down by this difference.
    Absolute(f64),
    /// Up or down by this factor.
    Factor(f64),
    /// Anything, except for a revision by this factor.
    Revision(f64),
}

impl Bounds {
    /// Describes plausible figures; `None` if this one is plausible.
    fn violation(&self, figure: Decimal) -> Option<String> {
        let value = figure.to_f64();
        if value < self.low || value > self.high {
            return Some(format!("{} to {} is plausible", self.low, self.high));
        }
        let tick = self.tick.filter(|tick| !is_multiple(figure, *tick))?;
        Some(format!("its figures are multiples of {tick}"))
    }
}

fn is_multiple(figure: Decimal, tick: Decimal) -> bool {
    let ((digits, decimals), (unit, places)) = (figure.parts(), tick.parts());
    let scale = |digits: i64, by: u8| i128::from(digits) * 10_i128.pow(u32::from(by));
    scale(digits, places) % scale(unit, decimals) == 0
}

impl MaxStep {
    pub(crate) fn allows(self, known: Decimal, new: Decimal) -> bool {
        let (known, new) = (known.to_f64(), new.to_f64());
        let within = |factor| new <= known * factor && known <= new * factor;
        match self {
            // The difference of two decimals is rarely exact.
            MaxStep::Absolute(most) => (new - known).abs() <= most + 1e-9,
            MaxStep::Factor(most) => within(most),
            // In a series without a definition, zero and negative values may be normal.
            MaxStep::Revision(most) => known <= 0.0 || new <= 0.0 || within(most),
        }
    }
}

impl fmt::Display for MaxStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MaxStep::Absolute(most) => write!(f, "a step of up to {most} is plausible"),
            MaxStep::Factor(most) if *most < 2.0 => {
                write!(f, "a step of up to {:.0} % is plausible", (most - 1.0) * 100.0)
            }
            MaxStep::Factor(most) | MaxStep::Revision(most) => {
                write!(f, "a change by up to the factor {most} is plausible")
            }
        }
    }
}

/// An era of a series.
#[derive(Clone, Copy)]
struct Era {
    /// The year in which it begins.
    since: u16,
    bounds: Bounds,
}

/// The bounds of a series of SGS on a day.
pub(crate) fn of_series(series: u32, date: Date) -> Bounds {
    static ERAS: LazyLock<HashMap<u32, Vec<Era>>> = LazyLock::new(eras);
    let own = ERAS.get(&series).and_then(|eras| eras.iter().find(|era| date.year() >= era.since));
    own.map_or(UNKNOWN_SERIES, |era| era.bounds)
}

/// The eras of each series, the newest first.
fn eras() -> HashMap<u32, Vec<Era>> {
    let table = include_str!("series_bounds.tsv");
    let header = "series\tsince\tlow\thigh\tstep\tdays\ttick";
    let mut all: HashMap<u32, Vec<Era>> = HashMap::new();
    for (series, era) in tsv::embedded("series_bounds.tsv", table, header, read_era) {
        for number in series {
            all.entry(number).or_default().push(era);
        }
    }
    all
}

fn read_era([series, since, low, high, step, days, tick]: [&str; 7]) -> Result<(Vec<u32>, Era)> {
    let bounds = Bounds {
        low: tsv::value(low, "a number")?,
        high: tsv::value(high, "a number")?,
        tick: Some(tick.parse()?),
        step: MaxStep::Absolute(tsv::value(step, "a number, or inf")?),
        days: tsv::number(days)?,
    };
    let series = tsv::list(series).map(tsv::number).collect::<Result<_>>()?;
    Ok((series, Era { since: tsv::number(since)?, bounds }))
}

/// Only a revision of the same day can be doubted.
const UNKNOWN_SERIES: Bounds = Bounds {
    low: f64::NEG_INFINITY,
    high: f64::INFINITY,
    tick: None,
    step: MaxStep::Revision(1000.0),
    days: 0,
};

/// The bounds of a currency, in reais per unit.
fn of_currency(currency: Currency) -> Bounds {
    static MAJOR: LazyLock<HashMap<Currency, Bounds>> = LazyLock::new(|| {
        let table = include_str!("currency_bounds.tsv");
        let header = "currency\tlow\thigh";
        tsv::embedded("currency_bounds.tsv", table, header, read_currency).into_iter().collect()
    });
    let other = of_prices(f64::MIN_POSITIVE, 10_000_000.0, 10.0);
    MAJOR.get(&currency).copied().unwrap_or(other)
}

fn read_currency([currency, low, high]: [&str; 3]) -> Result<(Currency, Bounds)> {
    let (low, high) = (tsv::value(low, "a number")?, tsv::value(high, "a number")?);
    Ok((currency.parse()?, of_prices(low, high, 1.25)))
}

fn of_prices(low: f64, high: f64, factor: f64) -> Bounds {
    // A bank holiday may make a gap of six days between two values.
    Bounds { low, high, tick: None, step: MaxStep::Factor(factor), days: 7 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(rows: &[(&str, &str)]) -> Figures {
        rows.iter().map(|(day, text)| (day.parse().unwrap(), text.parse().unwrap())).collect()
    }

    fn series(number: u32, new: &[(&str, &str)], stored: &[(&str, &str)]) -> Option<String> {
        first_implausible(&figures(new), &figures(stored), |date| of_series(number, date))
    }

    #[test]
    fn doubts_what_a_series_cannot_have() {
        let one = |number, value| series(number, &[("2026-11-05", value)], &[]);
        let good =
            [(432, "13.75"), (432, "2.00"), (433, "-0.68"), (12, "0.051660"), (4389, "13.65")];
        for (number, value) in good {
            assert_eq!(one(number, value), None, "{number} {value}");
        }
        let bad = [(432, "1375"), (432, "5.1247"), (433, "99999999.99"), (12, "13.65")];
        for (number, value) in bad {
            assert!(one(number, value).is_some(), "{number} {value}");
        }
        assert_eq!(
            one(432, "1375").unwrap(),
            "on 2026-11-05: 1375 is implausible; 0.25 to 60 is plausible"
        );
    }

    #[test]
    fn doubts_a_step_from_the_days_around_and_from_the_same_day() {
        let stored = [("2026-11-04", "13.75"), ("2026-11-06", "13.75")];
        assert_eq!(series(432, &[("2026-11-05", "14.75")], &stored), None);
        let message = series(432, &[("2026-11-05", "5.00")], &stored).unwrap();
        assert!(message.contains("5.00 is implausible beside 13.75 on 2026-11-04"), "{message}");
        for day in ["2026-11-03", "2026-11-04", "2026-11-07"] {
            assert!(series(432, &[(day, "5.00")], &stored).is_some(), "{day}");
        }
        assert_eq!(series(432, &[("2027-11-04", "5.00")], &stored), None, "it is a year later");
        // The file's own figures for these days count, not those it replaces.
        let lower = [("2026-11-04", "11.75"), ("2026-11-05", "9.75"), ("2026-11-06", "11.75")];
        assert_eq!(series(432, &lower, &stored), None);
    }

    #[test]
    fn a_wrong_figure_in_the_data_can_be_corrected() {
        assert_eq!(series(432, &[("2026-11-05", "13.75")], &[("2026-11-05", "1375")]), None);
        assert_eq!(series(432, &[("2026-11-06", "13.75")], &[("2026-11-05", "1375")]), None);
        assert_eq!(series(432, &[("2026-11-05", "1375")], &[("2026-11-05", "1375")]), None);
    }

    #[test]
    fn an_unknown_series_may_have_anything_but_a_revision_by_the_thousand() {
        let stored = [("2026-11-04", "20.5")];
        assert_eq!(series(7777, &[("2026-11-05", "99999999.99")], &stored), None);
        assert_eq!(series(7777, &[("2026-11-04", "2050")], &stored), None);
        assert!(series(7777, &[("2026-11-04", "20600")], &stored).is_some());
    }

    #[test]
    fn doubts_prices_that_jump() {
        type Rows<'a> = &'a [(&'a str, &'a str)];
        let price = |currency: Currency, new: Rows<'_>, stored: Rows<'_>| {
            first_implausible(&figures(new), &figures(stored), |_| of_currency(currency))
        };
        assert!(price(Currency::USD, &[("2026-11-05", "512.47")], &[]).is_some());
        assert!(price(Currency::USD, &[("2026-11-05", "0.0512")], &[]).is_some());
        let (before, day) = ([("2026-11-04", "5.12")], "2026-11-05");
        assert_eq!(price(Currency::USD, &[(day, "6.30")], &before), None);
        assert!(price(Currency::USD, &[(day, "7.00")], &before).is_some());
        assert!(price(Currency::EUR, &[(day, "3.90")], &before).is_some());
        let rouble: Currency = "RUB".parse().unwrap();
        assert_eq!(price(rouble, &[(day, "7.00")], &before), None);
        assert!(price(rouble, &[(day, "0.50")], &before).is_some());
    }
}

#[cfg(test)]
mod bounds_tests {
    use super::*;

    #[test]
    fn eras_go_back_to_the_first_day_and_neighbours_lie_in_the_window() {
        for (series, eras) in eras() {
            assert!(eras.windows(2).all(|two| two[0].since > two[1].since), "{series}");
            assert_eq!(eras.last().map(|era| era.since), Some(0), "{series}");
            assert!(eras.iter().all(|era| era.bounds.days <= WINDOW), "{series}");
        }
    }
}
