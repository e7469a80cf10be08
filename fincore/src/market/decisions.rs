//! Decisions of the monetary policy committee (Copom) on the Selic target, and its next meetings.
use serde::Serialize;

use super::{
    freshness,
    meetings::{COPOM, Meeting, Meetings, day_after},
    plan_window::within_plan,
    queries::History,
    series::Series,
    series_definitions::SELIC,
};
use crate::{
    answers::{Meta, Page},
    catalogue::Snapshot,
    error::Result,
    freshness::sync_record,
    numbers::figure::Figure,
    table::{self, Cell, Column, ColumnKind, serialize_by_columns},
    types::{Date, Decimal},
};

mod derivation;
#[cfg(feature = "import")]
pub(crate) mod news;

/// The dataset under which the change log has new decisions.
pub(crate) const DECISIONS: &str = "selic.decisions";

/// The name of the series that decisions are about.
pub(crate) const SERIES: &str = "selic";

/// A decision on the Selic target: what a meeting decided, or a change of the target whose meeting is not known.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Decision {
    /// The second day of the meeting; `None` where the calendar does not have it.
    pub date: Option<Date>,
    /// The first day on which the decision is in force; of a meeting, the day after its second one.
    pub effective_from: Date,
    /// The target before, percent per year, with the digits that were published.
    pub before: Decimal,
    /// The target from then on.
    pub after: Decimal,
    /// By how much it changed, in percentage points, exactly; zero where it was kept.
    pub change: Figure,
}

impl Decision {
    /// A decision for this target after that one.
    fn new(date: Option<Date>, effective_from: Date, (before, after): (Decimal, Decimal)) -> Self {
        let most = before.decimals().max(after.decimals());
        let digits = |figure: Decimal| {
            let (digits, decimals) = figure.parts();
            i128::from(digits) * 10_i128.pow(u32::from(most - decimals))
        };
        let change = Figure::of_parts(digits(after) - digits(before), most.into());
        Decision { date, effective_from, before, after, change }
    }
}

impl table::Row for Decision {
    const COLUMNS: &'static [Column<Decision>] = &[
        Column { name: "date", kind: ColumnKind::Day, cell: |row| row.date.into() },
        Column {
            name: "effective_from",
            kind: ColumnKind::Day,
            cell: |row| row.effective_from.into(),
        },
        Column { name: "before", kind: ColumnKind::Figure, cell: |row| row.before.into() },
        Column { name: "after", kind: ColumnKind::Figure, cell: |row| row.after.into() },
        Column {
            name: "change",
            kind: ColumnKind::Figure,
            cell: |row| Cell::Calculated(row.change.clone()),
        },
    ];
}

serialize_by_columns!(Decision);

/// Decisions, newest first, and the meetings that come next.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Decisions {
    /// One page of the decisions.
    #[serde(flatten)]
    pub page: Page<Decision>,
    /// Meetings without a decision so far that end today or later, the next one first.
    pub upcoming: Vec<Meeting>,
}

/// What there is besides the series.
const CALENDAR: &str = "calendar of Copom meetings";

/// One page of the decisions in a range of days, by the day from which they are in force.
pub(super) fn list(snapshot: &Snapshot, query: &History) -> Result<Decisions> {
    let series = Series::from(SELIC);
    let newest = series.newest(snapshot)?.map(|rate| rate.date);
    let days = within_plan(snapshot, query.from, query.to, || Ok(newest))?;
    let known = derivation::KnownDecisions::of(snapshot)?;
    // The target of tomorrow is published in the evening of the second day.
    let tomorrow = day_after(snapshot.today());
    let shown = days.from()..=query.to.unwrap_or(tomorrow).min(tomorrow);
    let newest_first = known.0.iter().rev();
    let rows: Vec<Decision> =
        newest_first.filter(|row| shown.contains(&row.effective_from)).cloned().collect();
    let meetings = Meetings::of(snapshot)?;
    let is_decided = |meeting: &Meeting| {
        known.0.iter().any(|row| row.date == Some(meeting.second_day))
            && meeting.effective_from() <= tomorrow
    };
    let is_ahead =
        |meeting: &&Meeting| meeting.second_day >= snapshot.today() && !is_decided(meeting);
    let upcoming = meetings.0.iter().filter(is_ahead).copied().collect();
    let meta = meta(snapshot, series, newest, &meetings)?;
    let page = Page::cut(rows, (query.limit.get(), query.offset.get()), meta);
    Ok(Decisions { page, upcoming })
}

/// The sources: those of the target, and the calendar where one is held.
fn meta(
    snapshot: &Snapshot,
    series: Series,
    newest: Option<Date>,
    meetings: &Meetings,
) -> Result<Meta> {
    let meta = series.meta(std::iter::empty().collect(), 0);
    let mut meta = freshness::of_series(snapshot, SELIC, newest, meta)?;
    if !meetings.0.is_empty() {
        meta.source = format!("{} and {CALENDAR}", meta.source).into();
        meta.updated_at = meta.updated_at.max(sync_record(snapshot, COPOM)?.updated_at);
    }
    Ok(meta)
}

/// The decision that is in force from this day on, whatever the snapshot's date.
pub(crate) fn effective_from(snapshot: &Snapshot, day: Date) -> Result<Option<Decision>> {
    let known = derivation::KnownDecisions::of(snapshot)?;
    Ok(known.0.iter().find(|row| row.effective_from == day).cloned())
}

#[cfg(test)]
#[cfg(all(feature = "bundle", feature = "import"))]
mod tests;
