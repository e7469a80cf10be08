//! When figures of a series or a pair should be published.
use super::{
    freshness::{schedule_of_day, usual_gap},
    meetings::day_after,
    quotes,
    series::Series,
};
use crate::{
    catalogue::Snapshot,
    error::Result,
    freshness::PublicationSchedule,
    types::{Date, Pair},
};

/// The day by which the observation after the newest one of a series should be published; `None` where that is not known,
/// or where values are published ahead. A day that has passed means that the copy is stale.
pub fn next_due(snapshot: &Snapshot, number: u32) -> Result<Option<Date>> {
    let Some(newest) = Series::from(number).newest(snapshot)? else { return Ok(None) };
    let next = day_after(newest.date);
    let Some(schedule) = schedule_of_day(snapshot, number, next)? else { return Ok(None) };
    let due = schedule.due_after(newest.date);
    Ok(due.filter(|due| schedule != PublicationSchedule::Ahead || *due <= snapshot.today()))
}

/// The day by which the closing quote after the newest one of a pair should be published.
pub fn next_quote_due(snapshot: &Snapshot, pair: Pair) -> Result<Option<Date>> {
    let newest = quotes::newest_day(snapshot, pair)?;
    Ok(newest.and_then(|newest| PublicationSchedule::SameDay.due_after(newest)))
}

/// The gap between figures of a series that has too few to tell: the longest of those that the central bank publishes often.
const UNKNOWN_GAP: u32 = 31;

/// The day by which a figure of a series should have been published.
pub(crate) fn published_by(snapshot: &Snapshot, number: u32, day: Date) -> Result<Date> {
    let schedule = match schedule_of_day(snapshot, number, day)? {
        Some(schedule) => schedule,
        None => PublicationSchedule::Gaps(usual_gap(snapshot, number)?.unwrap_or(UNKNOWN_GAP)),
    };
    Ok(schedule.due_after(day.days_before(1)).unwrap_or(day))
}
