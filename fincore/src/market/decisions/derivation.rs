//! Finds decisions: changes of the Selic target, and meetings that kept it.
use std::sync::Arc;

use rusqlite::Connection;

use super::Decision;
use crate::{
    catalogue::Snapshot,
    error::Result,
    market::{
        meetings::{Meeting, Meetings},
        series_definitions::SELIC,
    },
    sqlite::parsed,
    types::{Date, Decimal},
};

/// Every decision that the data shows, the oldest first, also of days that are still to come.
pub(super) struct KnownDecisions(pub(super) Vec<Decision>);

impl KnownDecisions {
    /// Those of the snapshot's data, which are found once.
    pub(super) fn of(snapshot: &Snapshot) -> Result<Arc<KnownDecisions>> {
        snapshot.memo(KnownDecisions::read)
    }

    /// An observation that cannot be read is left to a check of the file.
    pub(super) fn read(connection: &Connection) -> Result<KnownDecisions> {
        const SQL: &str = "SELECT date, value FROM rate WHERE series = ?1 ORDER BY date";
        let mut statement = connection.prepare_cached(SQL)?;
        let read = statement.query_map([SELIC], |row| {
            Ok(parsed::<Date>(row, 0).ok().zip(parsed::<Decimal>(row, 1).ok()))
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
        let figures = (before, after);
        match &later[..later.partition_point(|meeting| meeting.second_day < day)] {
            [one] => {
                decisions.push(Decision::new(Some(one.second_day), one.effective_from(), figures));
            }
            _ if before != after => decisions.push(Decision::new(None, day, figures)),
            _ => (),
        }
    }
    decisions
}

#[cfg(test)]
mod tests {
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
