//! Which series answers for a name: the most exact one that is held, and the one whose rule a savings deposit follows.
use super::{
    compound_factor::CompoundFactor,
    compounding_basis::CompoundedSeries,
    observed_period::Period,
    parameters::{ListedSteps, Percent},
};
use crate::{
    catalogue::Snapshot,
    error::{Error, Resource, Result},
    market::{
        self,
        series_definitions::{IGP_M, IGP_M_UNROUNDED, OLD_SAVINGS, SAVINGS, SAVINGS_MONTHLY},
    },
    types::{Date, DateRange, SeriesId},
};

/// Savings deposits made from this day on follow the new rule (Medida Provisória 567 of 2012); older ones keep theirs.
const NEW_SAVINGS_RULE: Date = Date::new(2012, 5, 4).expect("a day of the calendar");

/// Compounds the observations of a period, of the first series that covers it. Fails if none does.
pub(super) fn compound(
    snapshot: &Snapshot,
    id: &SeriesId,
    period: Period,
    percent: Option<Percent>,
    listed: ListedSteps,
) -> Result<CompoundFactor> {
    DateRange::new(Some(period.from), period.to)?;
    let candidates = candidates(id, period.from)?;
    let newest = newest_month(snapshot, &candidates)?;
    let mut refusal = None;
    for series in candidates {
        // An open period ends with the newest figure that any of them has.
        if period.to.is_none() && newest_month(snapshot, &[series])? < newest {
            continue;
        }
        match CompoundFactor::compute(snapshot, series, period, percent, listed) {
            Ok(compound) => return Ok(compound),
            // What a series that is held lacks says more than that another is not held.
            Err(err)
                if matches!(
                    (&err, &refusal),
                    (Error::NotFound { .. }, Some(Error::Invalid(_)))
                ) => {}
            Err(err) => refusal = Some(err),
        }
    }
    let unknown = || Error::not_found(Resource::UnknownSeries, &id.to_string());
    Err(match refusal.unwrap_or_else(unknown) {
        Error::NotFound { what: Resource::Series, id } if id == name(OLD_SAVINGS) => {
            Error::not_found(Resource::SavingsUntil2012, &period.from.to_string())
        }
        other => other,
    })
}

/// The series that may answer for an id, the best first.
pub(super) fn candidates(id: &SeriesId, from: Date) -> Result<Vec<CompoundedSeries>> {
    let series = CompoundedSeries::find(id)?;
    let numbers: &[u32] = match series.definition.number {
        // Whoever gives the number means that series.
        IGP_M if id.number().is_none() => &[IGP_M_UNROUNDED, IGP_M],
        SAVINGS | SAVINGS_MONTHLY if from < NEW_SAVINGS_RULE => &[OLD_SAVINGS],
        SAVINGS | SAVINGS_MONTHLY => &[SAVINGS, SAVINGS_MONTHLY],
        _ => return Ok(vec![series]),
    };
    numbers.iter().map(|number| CompoundedSeries::find(&SeriesId::from(*number))).collect()
}

/// The newest month of which one of these series has a figure; `None` if none is held.
pub(super) fn newest_month(
    snapshot: &Snapshot,
    series: &[CompoundedSeries],
) -> Result<Option<Date>> {
    let mut newest = None;
    for series in series {
        let number = series.definition.number;
        match market::covered_days(snapshot, number) {
            Ok((_, last)) => newest = newest.max(Some(last.first_of_month())),
            Err(Error::NotFound { .. }) => {}
            Err(err) => return Err(err),
        }
    }
    Ok(newest)
}

fn name(number: u32) -> String {
    market::series_definitions::dataset(number).into_owned()
}
