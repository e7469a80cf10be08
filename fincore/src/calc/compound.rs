//! From a series and two days to a factor, with all that it follows from.
use std::borrow::Cow;

use serde::Serialize;

use super::{
    basis::{Basis, Compounded, Ends},
    exact::{Exact, Figure},
    terms::{Percent, Steps},
};
use crate::{
    answers::Meta,
    calendar,
    catalogue::Snapshot,
    error::{Error, Result},
    market::{self, Rate, Rhythm},
    types::{Date, DateRange, Decimal},
};

/// Since this day the calendar has every day without a rate. Before, up to two days in a row were closed that it does not
/// have: holidays were moved, and banks closed by decree.
const CALENDAR_IS_EXACT: Date = Date::new(1991, 2, 1).expect("a day of the calendar");

/// How long there may be no quotes: the longest holidays take five days.
pub(super) const LONGEST_GAP: u32 = 10;

/// What is said of a factor whose digits cannot all be right.
pub(super) const TOO_LARGE: &str = "the factor has more than 30 digits before the point; shorten the period, or lower the percentage or spread";

/// Decimals of a factor that is shown.
const FACTOR_DECIMALS: u32 = 16;

/// What a factor follows from.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Derivation {
    /// The short name of the series.
    pub series: Cow<'static, str>,
    /// Its number in SGS.
    pub number: u32,
    /// The first day of the period.
    pub from: Date,
    /// The last day of the period.
    pub to: Date,
    /// What one unit became in the period, rounded to 16 decimals.
    pub factor: Figure,
    /// The same as a change in percent, rounded to 8 decimals.
    pub accumulated: Figure,
    /// The number of observations that were compounded.
    pub periods: usize,
    /// What one of them stands for: `month`, `business day`, `month from day to day` or `observation`.
    pub period: &'static str,
    /// The first observation; none where the period has no business day.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first: Option<Rate>,
    /// The last observation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<Rate>,
    /// Every observation, if they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steps: Option<Vec<Step>>,
}

/// One observation on the way to a factor.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Step {
    /// Its date.
    pub date: Date,
    /// Its value as published.
    pub value: Decimal,
    /// Its own factor.
    pub factor: Figure,
    /// The product up to here.
    pub product: Figure,
}

/// A factor, and what it follows from.
pub(super) struct Compound {
    pub(super) series: Compounded,
    pub(super) from: Date,
    pub(super) to: Date,
    pub(super) factor: Exact,
    rows: Vec<Rate>,
    factors: Vec<Exact>,
    pub(super) meta: Meta,
}

impl Compound {
    /// The observations of a period, compounded; without a last day, up to the newest. Fails where the data lacks a part of it.
    pub(super) fn of(
        snapshot: &Snapshot,
        series: Compounded,
        (from, to): (Date, Option<Date>),
        ends: Ends,
        percent: Option<Percent>,
    ) -> Result<Compound> {
        DateRange::new(Some(from), to)?;
        let held = market::held_days(snapshot, series.known.number)?;
        let (rows, from, to) = match series.basis {
            Basis::Days => days(snapshot, series, (from, to), ends, held)?,
            Basis::Months => months(snapshot, series, (from, to), held)?,
            Basis::Anniversaries => anniversaries(snapshot, series, (from, to), held)?,
            Basis::Levels => levels(snapshot, series, (from, to), held)?,
        };
        let factors = match series.basis {
            Basis::Days | Basis::Months | Basis::Anniversaries => rates(&rows, percent),
            Basis::Levels => ratios(&rows, series)?,
        };
        let factor = factors.iter().fold(Exact::one(), |product, factor| product.times(factor));
        if factor.is_too_large() {
            return Err(lacks(series, format_args!("{TOO_LARGE}")));
        }
        let meta = market::meta(snapshot, series.known.number)?;
        Ok(Compound { series, from, to, factor, rows, factors, meta })
    }

    /// The number of observations.
    pub(super) fn periods(&self) -> usize {
        self.rows.len()
    }

    /// The business days that a spread is earned on.
    pub(super) fn business_days(&self) -> u32 {
        let count = match self.series.basis {
            Basis::Days => return u32::try_from(self.rows.len()).unwrap_or(u32::MAX),
            Basis::Months => calendar::count(self.from, month_after(self.to, 1)),
            Basis::Anniversaries | Basis::Levels => calendar::count(self.from, self.to),
        };
        u32::try_from(count).unwrap_or(0)
    }

    /// What it follows from, to be shown.
    pub(super) fn derivation(&self, steps: Steps) -> Derivation {
        Derivation {
            series: self.series.known.name.into(),
            number: self.series.known.number,
            from: self.from,
            to: self.to,
            factor: shown(&self.factor),
            accumulated: self.factor.accumulated(),
            periods: self.periods(),
            period: self.series.basis.period(),
            first: self.rows.first().cloned(),
            last: self.rows.last().cloned(),
            steps: match steps {
                Steps::Omitted => None,
                Steps::Listed => Some(self.steps()),
            },
        }
    }

    fn steps(&self) -> Vec<Step> {
        let mut product = Exact::one();
        let step = |(row, factor): (&Rate, &Exact)| {
            product = product.times(factor);
            let (factor, product) = (shown(factor), shown(&product));
            Step { date: row.date, value: row.value, factor, product }
        };
        self.rows.iter().zip(&self.factors).map(step).collect()
    }
}

/// A factor as it is shown.
pub(super) fn shown(factor: &Exact) -> Figure {
    factor.rounded(FACTOR_DECIMALS).trimmed(2)
}

type Period = (Vec<Rate>, Date, Date);
/// The first and the newest day of a series.
type Held = (Date, Date);

fn rates(rows: &[Rate], percent: Option<Percent>) -> Vec<Exact> {
    let share = percent.map(|percent| Exact::of_percent(percent.get()));
    let factor = |row: &Rate| match &share {
        None => Exact::factor(row.value),
        Some(share) => Exact::one().plus(&Exact::of_percent(row.value).times(share)),
    };
    rows.iter().map(factor).collect()
}

/// Each level beside the one before.
fn ratios(rows: &[Rate], series: Compounded) -> Result<Vec<Exact>> {
    let zero =
        |row: &Rate| lacks(series, format_args!("its value of {} is not positive", row.date));
    let ratio = |pair: &[Rate]| {
        Exact::from(pair[1].value).over(&Exact::from(pair[0].value)).ok_or_else(|| zero(&pair[0]))
    };
    let first = rows.first().map(|_| Ok(Exact::one()));
    first.into_iter().chain(rows.windows(2).map(ratio)).collect()
}

fn days(
    snapshot: &Snapshot,
    series: Compounded,
    (from, to): (Date, Option<Date>),
    ends: Ends,
    (first, newest): Held,
) -> Result<Period> {
    let to = end(
        series,
        (from, to),
        newest,
        match ends {
            Ends::Both => newest,
            Ends::First => day_after(newest),
        },
    )?;
    let last = match ends {
        Ends::Both => to,
        Ends::First => to.days_before(1),
    };
    let needed = last_business_day(last);
    check(series, from, first, needed.filter(|needed| *needed >= from), newest)?;
    if last < from {
        return Ok((Vec::new(), from, to));
    }
    let rows = read(snapshot, series, from, last)?;
    let mut begin = from;
    for next in rows.iter().map(|row| row.date).chain([day_after(last)]) {
        let closed = if next < CALENDAR_IS_EXACT { 2 } else { 0 };
        if begin < next && calendar::count(begin, next) > closed {
            let missing = format_args!("there is no value from {begin} to the day before {next}");
            return Err(lacks(series, missing));
        }
        begin = day_after(next);
    }
    Ok((rows, from, to))
}

fn months(
    snapshot: &Snapshot,
    series: Compounded,
    (from, to): (Date, Option<Date>),
    (first, newest): Held,
) -> Result<Period> {
    let from = from.first_of_month();
    let to = end(series, (from, to), newest, newest)?.first_of_month();
    check(series, from, first, Some(to), newest)?;
    let rows = read(snapshot, series, from, to)?;
    let mut month = from;
    for row in &rows {
        if row.date != month {
            break;
        }
        month = month_after(month, 1);
    }
    if month <= to {
        return Err(lacks(series, format_args!("there is no value for {month}")));
    }
    Ok((rows, from, to))
}

fn anniversaries(
    snapshot: &Snapshot,
    series: Compounded,
    (from, to): (Date, Option<Date>),
    (first, newest): Held,
) -> Result<Period> {
    let begin = if from.day() > 28 { month_after(from.first_of_month(), 1) } else { from };
    let to = end(series, (from, to), newest, month_after(newest, 1))?;
    let begins: Vec<Date> = (0..)
        .map(|months| month_after(begin, months))
        .take_while(|day| month_after(*day, 1) <= to && *day < Date::MAX.first_of_month())
        .collect();
    let Some(last) = begins.last() else { return Ok((Vec::new(), from, to)) };
    check(series, begin, first, Some(*last), newest)?;
    let mut rows = read(snapshot, series, begin, *last)?;
    rows.retain(|row| row.date.day() == begin.day());
    match begins
        .iter()
        .zip(rows.iter().map(|row| Some(row.date)).chain(std::iter::repeat(None)))
        .find(|(day, row)| Some(**day) != *row)
    {
        Some((day, _)) => Err(lacks(series, format_args!("there is no value for {day}"))),
        None => Ok((rows, from, to)),
    }
}

fn levels(
    snapshot: &Snapshot,
    series: Compounded,
    (from, to): (Date, Option<Date>),
    (first, newest): Held,
) -> Result<Period> {
    // How far the first and the last value may be from the days that are asked for.
    let (from, gap) = match series.known.rhythm {
        Rhythm::Daily | Rhythm::BusinessDays => (from, LONGEST_GAP),
        Rhythm::Monthly => (from.first_of_month(), 0),
    };
    let to = end(series, (from, to), newest, newest)?;
    let (to, needed) = match series.known.rhythm {
        Rhythm::Daily => (to, Some(to)),
        Rhythm::BusinessDays => (to, last_business_day(to)),
        Rhythm::Monthly => (to.first_of_month(), Some(to.first_of_month())),
    };
    check(series, from, first, needed, newest)?;
    let rows = read(snapshot, series, from, to)?;
    let (Some(begin), Some(last)) = (rows.first(), rows.last()) else {
        return Err(lacks(series, format_args!("there is no value from {from} to {to}")));
    };
    if begin.date.days_before(gap) > from {
        let next = begin.date;
        return Err(lacks(
            series,
            format_args!("there is no value near {from}; the next is of {next}"),
        ));
    }
    if last.date < to.days_before(gap) {
        let before = last.date;
        return Err(lacks(
            series,
            format_args!("there is no value near {to}; the one before is of {before}"),
        ));
    }
    Ok((rows, from, to))
}

/// The last day of a period, by default the last one that the data can tell of. Fails where it begins later than that.
fn end(
    series: Compounded,
    (from, to): (Date, Option<Date>),
    newest: Date,
    last: Date,
) -> Result<Date> {
    if last < from {
        return Err(lacks(series, format_args!("its newest value is of {newest}, before {from}")));
    }
    Ok(to.unwrap_or(last))
}

/// This day if it is a business day, or else the one before.
fn last_business_day(day: Date) -> Option<Date> {
    if calendar::is_business_day(day) { Some(day) } else { calendar::previous(day) }
}

/// Fails where the data begins later or ends earlier than a period needs.
fn check(
    series: Compounded,
    from: Date,
    first: Date,
    needed: Option<Date>,
    newest: Date,
) -> Result<()> {
    if from < first {
        return Err(lacks(series, format_args!("its values begin on {first}, after {from}")));
    }
    match needed {
        Some(needed) if needed > newest => {
            let why = "leave out the last day to calculate up to there";
            Err(lacks(
                series,
                format_args!("its newest value is of {newest}, before {needed}; {why}"),
            ))
        }
        Some(_) | None => Ok(()),
    }
}

fn lacks(series: Compounded, what: std::fmt::Arguments<'_>) -> Error {
    Error::Invalid(format!("series {}: {what}", series.known.name))
}

/// The observations from one day to another, the oldest first.
fn read(snapshot: &Snapshot, series: Compounded, from: Date, to: Date) -> Result<Vec<Rate>> {
    market::observations(snapshot, series.known.number, from, to)
}

fn day_after(day: Date) -> Date {
    Date::from_day_number(day.day_number() + 1).unwrap_or(Date::MAX)
}

/// The same day so many months later; a day that this month does not have is its last one of 28.
pub(super) fn month_after(day: Date, months: u32) -> Date {
    let month = u32::from(day.year()) * 12 + u32::from(day.month()) - 1 + months;
    let parts = u16::try_from(month / 12).ok().zip(u8::try_from(month % 12 + 1).ok());
    let made = parts.and_then(|(year, month)| {
        Date::new(year, month, day.day()).or_else(|| Date::new(year, month, 28))
    });
    made.unwrap_or(Date::MAX)
}
