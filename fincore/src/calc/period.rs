//! Reads the observations of a period, and refuses a period that the data does not cover.
use crate::{
    calc::parameters::Months,
    calendar,
    market::{
        Rate, Rhythm,
        series_definitions::{
            CDI, CDI_DAILY, Measure, OLD_SAVINGS, SAVINGS, SAVINGS_MONTHLY, SELIC, SELIC_DAILY,
            SELIC_EFFECTIVE, SeriesDefinition, dataset, definition, number,
        },
        whole_histories,
    },
    store::snapshot::Snapshot,
    values::{
        Date, SeriesId,
        error::{Error, Resource, Result},
        faults::{SeriesFault, Uncompoundable},
        invalid::Invalid,
    },
};

/// From this day on, the calendar knows every day without a rate. Before, up to two days in a row were closed that it does
/// not know: holidays were moved, and banks closed by decree.
const CALENDAR_IS_EXACT: Date = Date::new(1991, 2, 1).expect("a day of the calendar");

/// The longest gap between quotes, in days: the longest holidays take five.
pub(crate) const LONGEST_GAP: u32 = 10;

/// The days that are compounded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Period {
    pub(crate) from: Date,
    /// Without a last day, up to the newest observation.
    pub(crate) to: Option<Date>,
    pub(crate) ends: Ends,
    pub(crate) months: Months,
}

/// Observations, and the first and the last day that they stand for.
pub(crate) type Observed = (Vec<Rate>, Date, Date);
/// The first and the newest day of a series.
type Held = (Date, Date);

/// The observations of a period. Fails if the data does not cover it.
pub(crate) fn observe(
    snapshot: &Snapshot,
    series: CompoundedSeries,
    Period { from, to, ends, months }: Period,
) -> Result<Observed> {
    let held = whole_histories::covered_days(snapshot, series.definition.number)?;
    match series.basis {
        CompoundingBasis::Days => days(snapshot, series, (from, to), ends, held),
        CompoundingBasis::Months => match months {
            Months::Inclusive => whole_months(snapshot, series, (from, to), held),
            Months::Contract => contract_months(snapshot, series, (from, to), held),
        },
        CompoundingBasis::Anniversaries => anniversaries(snapshot, series, (from, to), held),
        CompoundingBasis::Levels => levels(snapshot, series, (from, to), held),
    }
}

fn days(
    snapshot: &Snapshot,
    series: CompoundedSeries,
    (from, to): (Date, Option<Date>),
    ends: Ends,
    (first, newest): Held,
) -> Result<Observed> {
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
            let (from, next) = (begin.into(), next.into());
            return Err(lacks(series, SeriesFault::Gap { from, next }));
        }
        begin = day_after(next);
    }
    Ok((rows, from, to))
}

/// The months of both days.
fn whole_months(
    snapshot: &Snapshot,
    series: CompoundedSeries,
    (from, to): (Date, Option<Date>),
    (first, newest): Held,
) -> Result<Observed> {
    let from = from.first_of_month();
    let to = end(series, (from, to), newest, newest)?.first_of_month();
    check(series, from, first, Some(to), newest)?;
    Ok((every_month(snapshot, series, from, to)?, from, to))
}

/// The month of the first day to the one before that of the last.
fn contract_months(
    snapshot: &Snapshot,
    series: CompoundedSeries,
    (from, to): (Date, Option<Date>),
    (first, newest): Held,
) -> Result<Observed> {
    let from = from.first_of_month();
    let to = end(series, (from, to), newest, newest.months_after(1))?.first_of_month();
    if to <= from {
        return Ok((Vec::new(), from, to));
    }
    let last = to.days_before(1).first_of_month();
    check(series, from, first, Some(last), newest)?;
    Ok((every_month(snapshot, series, from, last)?, from, to))
}

/// The observations of these months, both included. Fails if one is missing.
fn every_month(
    snapshot: &Snapshot,
    series: CompoundedSeries,
    from: Date,
    to: Date,
) -> Result<Vec<Rate>> {
    let rows = read(snapshot, series, from, to)?;
    let mut month = from;
    for row in &rows {
        if row.date != month {
            break;
        }
        month = month.months_after(1);
    }
    if month <= to {
        return Err(lacks(series, SeriesFault::Missing { date: month.into() }));
    }
    Ok(rows)
}

/// Whole months from the first day on.
fn anniversaries(
    snapshot: &Snapshot,
    series: CompoundedSeries,
    (from, to): (Date, Option<Date>),
    (first, newest): Held,
) -> Result<Observed> {
    let begin = first_credited_day(from);
    let to = end(series, (from, to), newest, newest.months_after(1))?;
    let begins: Vec<Date> = (0..)
        .map(|months| begin.months_after(months))
        .take_while(|day| day.months_after(1) <= to && *day < Date::MAX.first_of_month())
        .collect();
    let Some(last) = begins.last() else { return Ok((Vec::new(), from, to)) };
    if series.definition.rhythm == Rhythm::Monthly && begin.day() != 1 {
        return Err(Error::not_found(Resource::SavingsOfDay, &from.to_string()));
    }
    check(series, begin, first, Some(*last), newest)?;
    let mut rows = read(snapshot, series, begin, *last)?;
    rows.retain(|row| row.date.day() == begin.day());
    match begins
        .iter()
        .zip(rows.iter().map(|row| Some(row.date)).chain(std::iter::repeat(None)))
        .find(|(day, row)| Some(**day) != *row)
    {
        Some((day, _)) => Err(lacks(series, SeriesFault::Missing { date: (*day).into() })),
        None => Ok((rows, from, to)),
    }
}

/// The day from which a deposit earns: a deposit of the 29th, 30th or 31st counts from the next first, because not every
/// month has those days.
pub(crate) fn first_credited_day(deposit: Date) -> Date {
    if deposit.day() > 28 { deposit.first_of_month().months_after(1) } else { deposit }
}

fn levels(
    snapshot: &Snapshot,
    series: CompoundedSeries,
    (from, to): (Date, Option<Date>),
    (first, newest): Held,
) -> Result<Observed> {
    // How far the first and the last value may be from the ends of the period.
    let (from, gap) = match series.definition.rhythm {
        Rhythm::Daily | Rhythm::BusinessDays => (from, LONGEST_GAP),
        Rhythm::Monthly => (from.first_of_month(), 0),
    };
    let to = end(series, (from, to), newest, newest)?;
    let (to, needed) = match series.definition.rhythm {
        Rhythm::Daily => (to, Some(to)),
        Rhythm::BusinessDays => (to, last_business_day(to)),
        Rhythm::Monthly => (to.first_of_month(), Some(to.first_of_month())),
    };
    check(series, from, first, needed, newest)?;
    let rows = read(snapshot, series, from, to)?;
    let (Some(begin), Some(last)) = (rows.first(), rows.last()) else {
        let (from, to) = (from.into(), to.into());
        return Err(lacks(series, SeriesFault::Empty { from, to }));
    };
    if begin.date.days_before(gap) > from {
        let (day, next) = (from.into(), begin.date.into());
        return Err(lacks(series, SeriesFault::LateStart { day, next }));
    }
    if last.date < to.days_before(gap) {
        let (day, before) = (to.into(), last.date.into());
        return Err(lacks(series, SeriesFault::EarlyEnd { day, before }));
    }
    Ok((rows, from, to))
}

/// The last day of a period, by default the last one that the data covers. Fails if the period begins later than that.
fn end(
    series: CompoundedSeries,
    (from, to): (Date, Option<Date>),
    newest: Date,
    last: Date,
) -> Result<Date> {
    if last < from {
        let (newest, from) = (newest.into(), from.into());
        return Err(lacks(series, SeriesFault::EndsBefore { newest, from }));
    }
    Ok(to.unwrap_or(last))
}

/// This day if it is a business day, or else the one before.
fn last_business_day(day: Date) -> Option<Date> {
    if calendar::is_business_day(day) { Some(day) } else { calendar::previous(day) }
}

/// Fails if the data begins after a period does, or ends before it.
fn check(
    series: CompoundedSeries,
    from: Date,
    first: Date,
    needed: Option<Date>,
    newest: Date,
) -> Result<()> {
    if from < first {
        let (first, from) = (first.into(), from.into());
        return Err(lacks(series, SeriesFault::BeginsLater { first, from }));
    }
    match needed {
        Some(needed) if needed > newest => {
            let (newest, to) = (newest.into(), needed.into());
            Err(lacks(series, SeriesFault::EndsEarlier { newest, to }))
        }
        Some(_) | None => Ok(()),
    }
}

pub(crate) fn lacks(series: CompoundedSeries, fault: SeriesFault) -> Error {
    Error::Invalid(Invalid::Series { series: series.definition.name.to_owned(), fault })
}

/// The observations from one day to another, the oldest first.
fn read(snapshot: &Snapshot, series: CompoundedSeries, from: Date, to: Date) -> Result<Vec<Rate>> {
    whole_histories::observations(snapshot, series.definition.number, from, to)
}

fn day_after(day: Date) -> Date {
    Date::from_day_number(day.day_number() + 1).unwrap_or(Date::MAX)
}

/// How the values of a series are compounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CompoundingBasis {
    /// Every value is the rate of a business day.
    Days,
    /// Every value is the rate of a calendar month.
    Months,
    /// The value of a day is the rate of the month that begins on it.
    Anniversaries,
    /// Values are levels; the factor is the last one divided by the first.
    Levels,
}

impl CompoundingBasis {
    /// What one observation stands for.
    pub(crate) fn period(self) -> &'static str {
        match self {
            CompoundingBasis::Days => "business day",
            CompoundingBasis::Months => "month",
            CompoundingBasis::Anniversaries => "month from day to day",
            CompoundingBasis::Levels => "observation",
        }
    }
}

/// Which of the two days count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ends {
    /// Both.
    Both,
    /// Only the first, as deposits earn: they are paid back on the last day.
    First,
}

/// A series that can be compounded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CompoundedSeries {
    pub(crate) definition: &'static SeriesDefinition,
    pub(crate) basis: CompoundingBasis,
}

impl CompoundedSeries {
    /// The series of an id. Rates per year on business days stand for the rates per day that they come from.
    pub(crate) fn find(id: &SeriesId) -> Result<CompoundedSeries> {
        let missing = || Error::not_found(Resource::UnknownSeries, &id.to_string());
        let number = match number(id).ok_or_else(missing)? {
            SELIC | SELIC_EFFECTIVE => SELIC_DAILY,
            CDI => CDI_DAILY,
            number => number,
        };
        let unfit = |why: Uncompoundable| {
            let fault = SeriesFault::Uncompoundable(why);
            Error::Invalid(Invalid::Series { series: dataset(number).to_string(), fault })
        };
        let definition = definition(number).ok_or_else(|| unfit(Uncompoundable::UnknownUnit))?;
        let basis = match (definition.measure(), definition.rhythm) {
            (Measure::PercentPerDay, _) => CompoundingBasis::Days,
            // Dated on the first of a month, but credited a month later.
            (Measure::PercentPerMonth, Rhythm::Monthly) if number == SAVINGS_MONTHLY => {
                CompoundingBasis::Anniversaries
            }
            (Measure::PercentPerMonth, Rhythm::Monthly) => CompoundingBasis::Months,
            (Measure::PercentPerMonth, Rhythm::Daily | Rhythm::BusinessDays) => {
                CompoundingBasis::Anniversaries
            }
            (Measure::PercentPerYear, _) => return Err(unfit(Uncompoundable::RatePerYear)),
            (Measure::PercentInTwelveMonths, _) => {
                return Err(unfit(Uncompoundable::RateOfTwelveMonths));
            }
            (Measure::Level, _) => CompoundingBasis::Levels,
        };
        Ok(CompoundedSeries { definition, basis })
    }

    /// Whether it is a return of savings deposits.
    pub(crate) fn is_savings(self) -> bool {
        [SAVINGS, SAVINGS_MONTHLY, OLD_SAVINGS].contains(&self.definition.number)
    }
}

#[cfg(test)]
mod compounding_basis_tests {
    use super::*;

    #[test]
    fn every_known_series_is_compounded_by_its_unit_or_refused() {
        let basis =
            |name: &str| CompoundedSeries::find(&name.parse().unwrap()).map(|series| series.basis);
        let number =
            |name: &str| CompoundedSeries::find(&name.parse().unwrap()).unwrap().definition.number;
        assert_eq!((number("selic"), number("432"), number("1178")), (11, 11, 11));
        assert_eq!((number("CDI"), number("cdi-daily"), number("igpm")), (12, 12, 189));
        for (name, wanted) in [
            ("selic", CompoundingBasis::Days),
            ("cdi", CompoundingBasis::Days),
            ("ipca", CompoundingBasis::Months),
            ("selic-monthly", CompoundingBasis::Months),
            ("igp-m-unrounded", CompoundingBasis::Months),
            ("savings-monthly", CompoundingBasis::Anniversaries),
            ("savings", CompoundingBasis::Anniversaries),
            ("Poupança", CompoundingBasis::Anniversaries),
            ("savings-until-2012", CompoundingBasis::Anniversaries),
            ("tr", CompoundingBasis::Anniversaries),
            ("ibc-br", CompoundingBasis::Levels),
            ("usd-sell", CompoundingBasis::Levels),
        ] {
            assert_eq!(basis(name).unwrap(), wanted, "{name}");
        }
        let refused = |name: &str| basis(name).unwrap_err().to_string();
        assert!(refused("tjlp").contains("it is a rate per year"));
        assert!(refused("4189").contains("it is a rate per year"));
        assert!(refused("ipca-12-months").contains("it is a rate of 12 months"));
        assert!(refused("999999").contains("its unit is not known"));
        assert!(matches!(
            basis("nope"),
            Err(Error::NotFound { what: Resource::UnknownSeries, .. })
        ));
    }
}
