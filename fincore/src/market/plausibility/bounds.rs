//! The plausible values of each series and currency.
use std::{collections::HashMap, fmt, sync::LazyLock};

use crate::{
    error::Result,
    types::{Currency, Date, Decimal, tsv},
};

/// The furthest neighbour that any series is compared with, in days.
pub(super) const WINDOW: u32 = 62;

/// The plausible values of a series in one era.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    low: f64,
    high: f64,
    /// The unit of its last digit: values are multiples of it.
    tick: Option<Decimal>,
    pub(super) step: MaxStep,
    /// How near a neighbour must be for the step to count.
    pub(super) days: u32,
}

/// The largest difference between neighbours.
#[derive(Clone, Copy, Debug)]
pub(super) enum MaxStep {
    /// Up or down by this difference.
    Absolute(f64),
    /// Up or down by this factor.
    Factor(f64),
    /// Anything, except for a revision by this factor.
    Revision(f64),
}

impl Bounds {
    /// What would be plausible instead of this figure; `None` if the figure is plausible.
    pub(super) fn violation(&self, figure: Decimal) -> Option<String> {
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
    pub(super) fn allows(self, known: Decimal, new: Decimal) -> bool {
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
pub(super) fn of_series(series: u32, date: Date) -> Bounds {
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
pub(super) fn of_currency(currency: Currency) -> Bounds {
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

    #[test]
    fn eras_go_back_to_the_first_day_and_neighbours_lie_in_the_window() {
        for (series, eras) in eras() {
            assert!(eras.windows(2).all(|two| two[0].since > two[1].since), "{series}");
            assert_eq!(eras.last().map(|era| era.since), Some(0), "{series}");
            assert!(eras.iter().all(|era| era.bounds.days <= WINDOW), "{series}");
        }
    }
}
