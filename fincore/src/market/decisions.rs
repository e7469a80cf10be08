//! Decisions of the monetary policy committee (Copom) on the Selic target, and its next meetings.
use std::sync::Arc;

use rusqlite::Connection;
use serde::Serialize;

use crate::{
    answers::{
        Cell, Column, ColumnKind, Meta, Page,
        table::{self, serialize_by_columns},
    },
    calendar::freshness::sync_record,
    market::{
        History, Meeting, Meetings,
        freshness::{self, COPOM, day_after},
        queries::within_plan,
        series::Series,
        series_definitions::SELIC,
    },
    store::{Change, Snapshot, Writer},
    values::{Date, Decimal, Figure, Result},
};

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
    fn new(date: Option<Date>, effective_from: Date, before: Decimal, after: Decimal) -> Self {
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
        Column::new("date", ColumnKind::Day, |row| row.date.into()),
        Column::new("effective_from", ColumnKind::Day, |row| row.effective_from.into()),
        Column::new("before", ColumnKind::Figure, |row| row.before.into()),
        Column::new("after", ColumnKind::Figure, |row| row.after.into()),
        Column::new("change", ColumnKind::Figure, |row| Cell::Calculated(row.change.clone())),
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

/// The other dataset besides the series.
const CALENDAR: &str = "calendar of Copom meetings";

/// One page of the decisions in a range of days, by the day from which they are in force.
pub(crate) fn list(snapshot: &Snapshot, query: &History) -> Result<Decisions> {
    let series = Series::from(SELIC);
    let newest = series.newest(snapshot)?.map(|rate| rate.date);
    let days = within_plan(snapshot, query.from, query.to, || Ok(newest))?;
    let known = KnownDecisions::of(snapshot)?;
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
    let page = Page::cut(rows, query.limit.get(), query.offset.get(), meta);
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
    let known = KnownDecisions::of(snapshot)?;
    Ok(known.0.iter().find(|row| row.effective_from == day).cloned())
}

/// Every decision that the data shows, the oldest first, also of days that are still to come.
pub(crate) struct KnownDecisions(pub(crate) Vec<Decision>);

impl KnownDecisions {
    /// Those of the snapshot's data, which are found once.
    pub(crate) fn of(snapshot: &Snapshot) -> Result<Arc<KnownDecisions>> {
        snapshot.memo(KnownDecisions::read)
    }

    /// An observation that cannot be read is left to a check of the file.
    pub(crate) fn read(connection: &Connection) -> Result<KnownDecisions> {
        const SQL: &str = "SELECT date, value FROM rate WHERE series = ?1 ORDER BY date";
        let mut statement = connection.prepare_cached(SQL)?;
        let read = statement.query_map([SELIC], |row| {
            Ok(row.get::<_, Date>(0).ok().zip(row.get::<_, Decimal>(1).ok()))
        })?;
        let targets = read.collect::<rusqlite::Result<Vec<_>>>()?;
        let targets: Vec<(Date, Decimal)> = targets.into_iter().flatten().collect();
        Ok(KnownDecisions(derive(&targets, &Meetings::read(connection)?.0)))
    }
}

/// The decisions that these targets and meetings show, all of them the oldest first.
///
/// The first target of all is no decision, and a meeting is none before the target of a later day is known. Where days are
/// missing after a meeting, the next target is what it decided, unless another meeting took place in between.
fn derive(targets: &[(Date, Decimal)], meetings: &[Meeting]) -> Vec<Decision> {
    let mut decisions = Vec::new();
    let mut later = meetings;
    for pair in targets.windows(2) {
        let [(last, before), (day, after)] = *pair else { continue };
        later = &later[later.partition_point(|meeting| meeting.second_day < last)..];
        match &later[..later.partition_point(|meeting| meeting.second_day < day)] {
            [one] => {
                let (meeting, day) = (Some(one.second_day), one.effective_from());
                decisions.push(Decision::new(meeting, day, before, after));
            }
            _ if before != after => decisions.push(Decision::new(None, day, before, after)),
            _ => (),
        }
    }
    decisions
}

/// The decisions before an import.
#[derive(Debug)]
pub(crate) struct DecisionsBefore(Vec<Decision>);

impl DecisionsBefore {
    pub(crate) fn read(writer: &Writer) -> Result<DecisionsBefore> {
        Ok(DecisionsBefore(KnownDecisions::read(writer.connection())?.0))
    }

    /// Logs each decision that was not there before, has another content, or is gone, by the day from which it is in force.
    pub(crate) fn log_changes(&self, writer: &Writer) -> Result<()> {
        let after = KnownDecisions::read(writer.connection())?.0;
        let find = |all: &[Decision], day: Date| {
            let found = all.binary_search_by_key(&day, |row| row.effective_from).ok();
            found.map(|at| all[at].clone())
        };
        let mut changes = Vec::new();
        for row in &after {
            match find(&self.0, row.effective_from) {
                None => changes.push((row.effective_from, Change::Added)),
                Some(known) if known != *row => {
                    changes.push((row.effective_from, Change::Changed));
                }
                Some(_) => (),
            }
        }
        let days = self.0.iter().map(|row| row.effective_from);
        let gone = days.filter(|day| find(&after, *day).is_none());
        changes.extend(gone.map(|day| (day, Change::Removed)));
        writer.log_all(DECISIONS, changes)
    }
}

#[cfg(test)]
mod tests;

#[cfg(test)]
mod derivation_tests {
    use super::*;

    fn day(text: &str) -> Date {
        text.parse().unwrap()
    }

    /// The decisions, as text, of targets and the second days of meetings.
    fn check(targets: &[(&str, &str)], meetings: &[&str], wanted: &[&str]) {
        let targets: Vec<(Date, Decimal)> =
            targets.iter().map(|(date, value)| (day(date), value.parse().unwrap())).collect();
        let meeting = |second: &&str| Meeting {
            first_day: day(second).days_before(1),
            second_day: day(second),
        };
        let meetings: Vec<Meeting> = meetings.iter().map(meeting).collect();
        let text = |row: &Decision| {
            let date = row.date.map_or("-".to_owned(), |date| date.to_string());
            format!("{date} {} {} {} {}", row.effective_from, row.before, row.after, row.change)
        };
        let found: Vec<String> = derive(&targets, &meetings).iter().map(text).collect();
        assert_eq!(found, wanted, "{targets:?} {meetings:?}");
    }

    #[test]
    fn a_change_is_a_decision_with_the_meeting_of_the_day_before() {
        let targets = [("2026-03-17", "15.00"), ("2026-03-18", "15.00"), ("2026-03-19", "14.75")];
        check(&targets, &["2026-03-18"], &["2026-03-18 2026-03-19 15.00 14.75 -0.25"]);
        // Without a calendar, and where it has other days.
        check(&targets, &[], &["- 2026-03-19 15.00 14.75 -0.25"]);
        check(&targets, &["2026-04-29"], &["- 2026-03-19 15.00 14.75 -0.25"]);
    }

    #[test]
    fn a_meeting_without_a_change_is_one_once_the_next_day_is_there() {
        let targets = [("2026-01-28", "15.00"), ("2026-01-29", "15.0"), ("2026-01-30", "15.00")];
        check(&targets, &["2026-01-28"], &["2026-01-28 2026-01-29 15.00 15.0 0.00"]);
        check(&targets[..1], &["2026-01-28"], &[]);
        check(&targets[1..], &["2026-01-28"], &[]);
        check(&[], &["2026-01-28"], &[]);
    }

    #[test]
    fn missing_days_are_bridged_where_only_one_meeting_is_in_between() {
        let targets = [("2026-01-20", "15.00"), ("2026-02-02", "14.5")];
        check(&targets, &["2026-01-28"], &["2026-01-28 2026-01-29 15.00 14.5 -0.50"]);
        check(&targets, &["2026-01-21", "2026-01-28"], &["- 2026-02-02 15.00 14.5 -0.50"]);
        let kept = [("2026-01-20", "15.00"), ("2026-02-02", "15.00")];
        check(&kept, &["2026-01-21", "2026-01-28"], &[]);
    }

    #[test]
    fn figures_of_any_length_are_subtracted_exactly() {
        let targets =
            [("2026-01-01", "999999999999999999"), ("2026-01-02", "-0.00000000000000001")];
        let change = "-999999999999999999.00000000000000001";
        let want = format!("- 2026-01-02 {} {} {change}", targets[0].1, targets[1].1);
        check(&targets, &[], &[&want]);
    }
}
