//! The plausible values of each series and currency.
use std::fmt;

use crate::types::{Currency, Date, Decimal};

/// The furthest neighbour that any series is compared with, in days.
pub(super) const WINDOW: u32 = 62;

/// A bank holiday may make a gap of six days between two values.
const DAILY: u32 = 7;

/// The month before, and the one before that.
const MONTHLY: u32 = WINDOW;

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

/// An era of a series: from this year on, its lowest and highest value, and its largest step.
type Era = (u16, f64, f64, f64);

/// No limit besides the range.
const ANY: f64 = f64::INFINITY;

/// Inflation reached 82 % a month in 1990, and interest 790,000 % a year; the real ended that in July 1994.
const PRICES: &[Era] = &[(1995, -5.0, 10.0, 12.0), (0, -10.0, 100.0, ANY)];
const A_YEAR: &[Era] =
    &[(2000, 0.25, 60.0, 8.0), (1995, 0.25, 200.0, 60.0), (0, 0.0, 1_000_000.0, ANY)];
const A_MONTH: &[Era] = &[(2000, 0.0, 4.0, 1.0), (1995, 0.0, 8.0, 4.0), (0, 0.0, 100.0, ANY)];
const A_DAY: &[Era] = &[(2000, 0.0, 1.0, 0.05), (1995, 0.0, 1.0, 0.25), (0, 0.0, 5.0, ANY)];
/// The target moved by up to 5.5 points at once in 1999, and by up to 3 since.
const TARGET: &[Era] = &[(2003, 0.25, 60.0, 4.0), (0, 0.25, 60.0, 10.0)];

/// The bounds of a series of SGS on a day.
pub(super) fn of_series(series: u32, date: Date) -> Bounds {
    const CENTS: Decimal = Decimal::from_parts(1, 2);
    const FOUR: Decimal = Decimal::from_parts(1, 4);
    const SIX: Decimal = Decimal::from_parts(1, 6);
    let (eras, tick, days) = match series {
        432 => (TARGET, CENTS, DAILY),
        433 | 188..=190 => (PRICES, CENTS, MONTHLY),
        11 | 12 => (A_DAY, SIX, DAILY),
        1178 | 4389 => (A_YEAR, CENTS, DAILY),
        4189 => (A_YEAR, CENTS, MONTHLY),
        4390 | 4391 => (A_MONTH, CENTS, MONTHLY),
        // Daily values of a rate for the month from that day on: they go up and down with its business days.
        25 | 195 | 226 => (A_MONTH, FOUR, DAILY),
        196 => (A_MONTH, FOUR, MONTHLY),
        256 => (A_YEAR, FOUR, MONTHLY),
        _ => return unknown_series(),
    };
    let era = eras.iter().find(|(since, ..)| date.year() >= *since).or(eras.last());
    let Some((_, low, high, step)) = era else { return unknown_series() };
    Bounds { low: *low, high: *high, tick: Some(tick), step: MaxStep::Absolute(*step), days }
}

/// Only a revision of the same day can be doubted.
fn unknown_series() -> Bounds {
    let (low, high) = (f64::NEG_INFINITY, f64::INFINITY);
    Bounds { low, high, tick: None, step: MaxStep::Revision(1000.0), days: 0 }
}

/// The currencies for which the central bank's PTAX service has bulletins all day: none moved by a tenth on one day
/// since 1999.
const MAJOR: [&str; 10] = ["USD", "EUR", "GBP", "JPY", "AUD", "CAD", "CHF", "DKK", "NOK", "SEK"];

/// The bounds of a currency, in reais per unit.
pub(super) fn of_currency(currency: Currency) -> Bounds {
    let symbol = currency.to_string();
    let (low, high) = match symbol.as_str() {
        "USD" | "EUR" | "GBP" | "CHF" => (0.5, 50.0),
        "AUD" | "CAD" => (0.3, 50.0),
        "DKK" | "NOK" | "SEK" => (0.05, 10.0),
        "JPY" => (0.003, 0.5),
        _ => (f64::MIN_POSITIVE, 10_000_000.0),
    };
    let most = if MAJOR.contains(&symbol.as_str()) { 1.25 } else { 10.0 };
    Bounds { low, high, tick: None, step: MaxStep::Factor(most), days: DAILY }
}
