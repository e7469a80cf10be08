//! Removes figures that the central bank no longer has: it was asked for their days again, and its answer lacks them.
use std::collections::BTreeSet;

use super::{
    freshness::schedule,
    rows::Rate,
    series_definitions::{Rhythm, SeriesDefinition, annualised_series_of, dataset, definition},
    store::{annualise, write_computed},
};
use crate::{
    catalogue::{Change, Tally, Writer},
    error::Result,
    sqlite::parsed,
    types::{Date, Decimal},
};

/// An answer to a request for a period.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Answer<'a> {
    pub(crate) series: u32,
    /// The first and last day that were asked for.
    pub(crate) asked: (Date, Date),
    /// Its figures, oldest first.
    pub(crate) rows: &'a [Rate],
}

/// What became of the stored figures that an answer lacks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct MissingDays {
    pub(crate) removed: Vec<Date>,
    pub(crate) kept: Vec<Date>,
}

/// An answer may lack a few figures between others: so many, or so many hundredths of the stored ones. One that lacks more
/// was cut short.
const FEW: usize = 2;
const FEW_PERCENT: usize = 2;

impl Answer<'_> {
    /// Finds the stored figures that the answer lacks, and which of them were withdrawn.
    pub(crate) fn missing_days(&self, writer: &Writer, today: Date) -> Result<MissingDays> {
        let (Some(oldest), Some(newest)) = (self.rows.first(), self.rows.last()) else {
            return Ok(MissingDays::default());
        };
        let (oldest, newest) = (oldest.date, newest.date);
        let given: BTreeSet<Date> = self.rows.iter().map(|row| row.date).collect();
        let stored = self.stored(writer, today)?;
        let missing = stored.iter().copied().filter(|day| !given.contains(day));
        let (before, rest): (Vec<Date>, Vec<Date>) = missing.partition(|day| *day < oldest);
        let (inside, after): (Vec<Date>, Vec<Date>) =
            rest.into_iter().partition(|day| *day < newest);
        let is_few = inside.len() <= FEW.max(stored.len() * FEW_PERCENT / 100);
        let mut days = MissingDays { removed: Vec::new(), kept: before };
        if is_few { &mut days.removed } else { &mut days.kept }.extend(inside);
        for day in after {
            let withdrawn = self.is_published_too_early(day, newest, today);
            if withdrawn { &mut days.removed } else { &mut days.kept }.push(day);
        }
        Ok(days)
    }

    /// Whether the figure of a day after all of the answer was published by mistake: its day or month has not ended, and the
    /// answer reaches as far as it must. An answer that was cut short lacks the last figures, too.
    fn is_published_too_early(&self, day: Date, newest: Date, today: Date) -> bool {
        let expected = schedule(self.series).map(|schedule| schedule.newest_expected(today));
        let is_monthly =
            definition(self.series).is_some_and(|definition| definition.rhythm == Rhythm::Monthly);
        let is_whole = expected.is_some_and(|expected| newest >= expected.min(today));
        is_whole && (day > today || (is_monthly && expected.is_some_and(|due| day > due)))
    }

    /// The days with a published figure that the answer should have. Only what is set in advance has figures of the
    /// future; those of other series are not asked for, and must not be there.
    fn stored(&self, writer: &Writer, today: Date) -> Result<Vec<Date>> {
        const SQL: &str = "SELECT date FROM rate
            WHERE series = ?1 AND date BETWEEN ?2 AND ?3 AND computed = 0 ORDER BY date";
        let (first, last) = self.asked;
        let is_set_ahead =
            definition(self.series).is_none_or(SeriesDefinition::holds_until_changed);
        let last = if last >= today && !is_set_ahead { Date::MAX } else { last };
        let mut statement = writer.prepare(SQL)?;
        let days = statement
            .query_map((self.series, first.to_string(), last.to_string()), |row| parsed(row, 0))?;
        // A day that cannot be read is left to `finserve check`.
        Ok(days.filter_map(std::result::Result::ok).collect())
    }
}

/// Removes the published figures of these days, and what was computed from them.
pub(crate) fn remove(writer: &Writer, series: u32, days: &[Date]) -> Result<Tally> {
    const REMOVE: &str = "DELETE FROM rate WHERE series = ?1 AND date = ?2";
    const IS_COMPUTED: &str = "SELECT 1 FROM rate WHERE series = ?1 AND date = ?2 AND computed = 1";
    const DAILY: &str = "SELECT value FROM rate WHERE series = ?1 AND date = ?2";
    let mut tally = Tally::default();
    for day in days {
        let date = day.to_string();
        writer.keep_rate(series, &date)?;
        writer.prepare(REMOVE)?.execute((series, &date))?;
        writer.log(&dataset(series), day, Change::Removed)?;
        tally += Tally::REMOVED;
        if let Some(annual) = annualised_series_of(series)
            && writer.prepare(IS_COMPUTED)?.exists((annual, &date))?
        {
            writer.keep_rate(annual, &date)?;
            writer.prepare(REMOVE)?.execute((annual, &date))?;
            writer.log(&dataset(annual), day, Change::Removed)?;
        }
        // A published annual rate has hidden the one that the daily rate gives.
        if let Some(daily) = definition(series).and_then(|definition| definition.computed_from) {
            let mut statement = writer.prepare(DAILY)?;
            let mut rows = statement.query((daily, &date))?;
            let value = rows.next()?.and_then(|row| parsed::<Decimal>(row, 0).ok());
            write_computed(writer, series, *day, value.and_then(annualise))?;
        }
    }
    Ok(tally)
}
