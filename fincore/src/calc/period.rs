//! Reads the observations of a period, by how their series compounds, and refuses a period that the data does not
//! cover.
use crate::{
    calc::Months,
    calendar,
    market::{
        Measure, Rate, Rhythm, SeriesDefinition,
        series_definitions::{
            CDI, CDI_DAILY, OLD_SAVINGS, SAVINGS, SAVINGS_MONTHLY, SELIC, SELIC_DAILY,
            SELIC_EFFECTIVE, dataset, definition, number,
        },
        whole_histories,
    },
    store::Snapshot,
    values::{
        Date, Error, Invalid, Resource, Result, SeriesFault, SeriesId, faults::Uncompoundable,
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

/// The observations of a period. Fails if the data does not cover it.
pub(crate) fn observe(
    snapshot: &Snapshot,
    series: CompoundedSeries,
    period: Period,
) -> Result<Observed> {
    let (first, newest) = whole_histories::covered_days(snapshot, series.definition.number)?;
    let observer = Observer { snapshot, series, period, first, newest };
    match series.basis {
        CompoundingBasis::Days => observer.days(),
        CompoundingBasis::Months => match period.months {
            Months::Inclusive => observer.whole_months(),
            Months::Contract => observer.contract_months(),
        },
        CompoundingBasis::Anniversaries => observer.anniversaries(),
        CompoundingBasis::Levels => observer.levels(),
    }
}

/// Reads a period of a series that has observations from the first to the newest day.
struct Observer<'s> {
    snapshot: &'s Snapshot,
    series: CompoundedSeries,
    period: Period,
    first: Date,
    newest: Date,
}

impl Observer<'_> {
    fn days(&self) -> Result<Observed> {
        let from = self.period.from;
        let (to, last) = match self.period.ends {
            Ends::Both => {
                let to = self.end(from, self.newest)?;
                (to, to)
            }
            Ends::First => {
                let to = self.end(from, day_after(self.newest))?;
                (to, to.days_before(1))
            }
        };
        let needed = last_business_day(last);
        self.check(from, needed.filter(|needed| *needed >= from))?;
        if last < from {
            return Ok((Vec::new(), from, to));
        }
        let rows = self.read(from, last)?;
        let mut begin = from;
        for next in rows.iter().map(|row| row.date).chain([day_after(last)]) {
            let closed = if next < CALENDAR_IS_EXACT { 2 } else { 0 };
            if begin < next && calendar::count(begin, next) > closed {
                let (from, next) = (begin.into(), next.into());
                return Err(lacks(self.series, SeriesFault::Gap { from, next }));
            }
            begin = day_after(next);
        }
        Ok((rows, from, to))
    }

    /// The months of both days.
    fn whole_months(&self) -> Result<Observed> {
        let from = self.period.from.first_of_month();
        let to = self.end(from, self.newest)?.first_of_month();
        self.check(from, Some(to))?;
        Ok((self.every_month(from, to)?, from, to))
    }

    /// The month of the first day to the one before that of the last.
    fn contract_months(&self) -> Result<Observed> {
        let from = self.period.from.first_of_month();
        let to = self.end(from, self.newest.months_after(1))?.first_of_month();
        if to <= from {
            return Ok((Vec::new(), from, to));
        }
        let last = to.days_before(1).first_of_month();
        self.check(from, Some(last))?;
        Ok((self.every_month(from, last)?, from, to))
    }

    /// The observations of these months, both included. Fails if one is missing.
    fn every_month(&self, from: Date, to: Date) -> Result<Vec<Rate>> {
        let rows = self.read(from, to)?;
        let mut month = from;
        for row in &rows {
            if row.date != month {
                break;
            }
            month = month.months_after(1);
        }
        if month <= to {
            return Err(lacks(self.series, SeriesFault::Missing { date: month.into() }));
        }
        Ok(rows)
    }

    /// Whole months from the first day on.
    fn anniversaries(&self) -> Result<Observed> {
        let from = self.period.from;
        let begin = first_credited_day(from);
        let to = self.end(from, self.newest.months_after(1))?;
        let begins: Vec<Date> = (0..)
            .map(|months| begin.months_after(months))
            .take_while(|day| day.months_after(1) <= to && *day < Date::MAX.first_of_month())
            .collect();
        let Some(last) = begins.last() else { return Ok((Vec::new(), from, to)) };
        if self.series.definition.rhythm == Rhythm::Monthly && begin.day() != 1 {
            return Err(Error::not_found(Resource::SavingsOfDay, &from.to_string()));
        }
        self.check(begin, Some(*last))?;
        let mut rows = self.read(begin, *last)?;
        rows.retain(|row| row.date.day() == begin.day());
        let mut held = rows.iter().map(|row| row.date);
        match begins.iter().find(|day| held.next() != Some(**day)) {
            Some(day) => Err(lacks(self.series, SeriesFault::Missing { date: (*day).into() })),
            None => Ok((rows, from, to)),
        }
    }

    fn levels(&self) -> Result<Observed> {
        // How far the first and the last value may be from the ends of the period.
        let (from, gap) = match self.series.definition.rhythm {
            Rhythm::Daily | Rhythm::BusinessDays => (self.period.from, LONGEST_GAP),
            Rhythm::Monthly => (self.period.from.first_of_month(), 0),
        };
        let to = self.end(from, self.newest)?;
        let (to, needed) = match self.series.definition.rhythm {
            Rhythm::Daily => (to, Some(to)),
            Rhythm::BusinessDays => (to, last_business_day(to)),
            Rhythm::Monthly => (to.first_of_month(), Some(to.first_of_month())),
        };
        self.check(from, needed)?;
        let rows = self.read(from, to)?;
        let (Some(begin), Some(last)) = (rows.first(), rows.last()) else {
            let (from, to) = (from.into(), to.into());
            return Err(lacks(self.series, SeriesFault::Empty { from, to }));
        };
        if begin.date.days_before(gap) > from {
            let (day, next) = (from.into(), begin.date.into());
            return Err(lacks(self.series, SeriesFault::LateStart { day, next }));
        }
        if last.date < to.days_before(gap) {
            let (day, before) = (to.into(), last.date.into());
            return Err(lacks(self.series, SeriesFault::EarlyEnd { day, before }));
        }
        Ok((rows, from, to))
    }

    /// The last day of a period, by default the last one that the data covers. Fails if the period begins later than that.
    fn end(&self, from: Date, last: Date) -> Result<Date> {
        if last < from {
            let (newest, from) = (self.newest.into(), from.into());
            return Err(lacks(self.series, SeriesFault::EndsBefore { newest, from }));
        }
        Ok(self.period.to.unwrap_or(last))
    }

    /// Fails if the data begins after a period does, or ends before it.
    fn check(&self, from: Date, needed: Option<Date>) -> Result<()> {
        if from < self.first {
            let (first, from) = (self.first.into(), from.into());
            return Err(lacks(self.series, SeriesFault::BeginsLater { first, from }));
        }
        if let Some(to) = needed.filter(|needed| *needed > self.newest) {
            let (newest, to) = (self.newest.into(), to.into());
            return Err(lacks(self.series, SeriesFault::EndsEarlier { newest, to }));
        }
        Ok(())
    }

    /// The observations from one day to another, the oldest first.
    fn read(&self, from: Date, to: Date) -> Result<Vec<Rate>> {
        whole_histories::observations(self.snapshot, self.series.definition.number, from, to)
    }
}

/// The day from which a deposit earns: a deposit of the 29th, 30th or 31st counts from the next first, because not every
/// month has those days.
pub(crate) fn first_credited_day(deposit: Date) -> Date {
    if deposit.day() > 28 { deposit.first_of_month().months_after(1) } else { deposit }
}

/// This day if it is a business day, or else the one before.
fn last_business_day(day: Date) -> Option<Date> {
    if calendar::is_business_day(day) { Some(day) } else { calendar::previous(day) }
}

pub(crate) fn lacks(series: CompoundedSeries, fault: SeriesFault) -> Error {
    Error::Invalid(Invalid::Series { series: series.definition.name.to_owned(), fault })
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
    /// The length of one observation, as answers name it.
    pub(crate) fn period(self) -> &'static str {
        match self {
            CompoundingBasis::Days => "business day",
            CompoundingBasis::Months => "month",
            CompoundingBasis::Anniversaries => "month from day to day",
            CompoundingBasis::Levels => "observation",
        }
    }
}

/// The days of the period that count.
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
