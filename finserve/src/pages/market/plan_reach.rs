//! The days of a request that a plan reaches.
use fincore::{
    Date, ErrorKind, Feature, Result, Snapshot,
    plans::{RECENT_DAYS, Upgrade},
};

use super::{Asked, Range, Subject};

/// The days that are shown, and which plan has more of them.
pub(crate) struct Reached {
    /// The first and the last day to ask for; `None` if the plan reaches none of the days.
    pub(crate) days: Option<(Option<Date>, Option<Date>)>,
    pub(crate) upgrade: Option<Upgrade>,
}

/// The part of the request that the snapshot's plan reaches. A question that the API would refuse is not asked again:
/// it is cut to the days that the plan has, with the prompt beside them.
pub(crate) fn reached(snapshot: &Snapshot, subject: &Subject, asked: &Asked) -> Result<Reached> {
    let (first, newest) = subject.days();
    let oldest = newest.days_before(RECENT_DAYS);
    let all = |days| Reached { days: Some(days), upgrade: None };
    if let Some(range) = asked.range() {
        let start = range.start(newest, subject.period());
        let needs_more = start.is_none_or(|start| start < oldest) && first < oldest;
        return match snapshot.plan().need(Feature::HistoricalData) {
            Err(prompt) if needs_more => {
                Ok(Reached { days: Some((None, None)), upgrade: Some(prompt) })
            }
            Err(_) if start.is_none_or(|start| start < oldest) => Ok(all((None, None))),
            Ok(()) | Err(_) => Ok(all((start, None))),
        };
    }
    let days = (asked.from, asked.to);
    let Err(refused) = subject.read(snapshot, days, (1, 0)) else { return Ok(all(days)) };
    let ErrorKind::PlanRequired(prompt) = refused.kind() else { return Err(refused) };
    let upgrade = Some(prompt.clone());
    let is_beyond = asked.to.is_some_and(|to| to < oldest);
    let days = (!is_beyond).then_some((asked.from.map(|from| from.max(oldest)), asked.to));
    Ok(Reached { days, upgrade })
}

impl Asked {
    /// The range, where no days are named.
    pub(crate) fn range(&self) -> Option<Range> {
        let named = self.from.is_some() || self.to.is_some();
        (!named).then_some(self.range.unwrap_or(Range::Year))
    }
}
