//! Point-in-time data: histories as they stood, first values, and every value that a figure has had.
use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::{
    answers::{Cell, Column, ColumnKind, Page, table},
    market::{
        DateWindow, History, Origin, SeriesHistory, Side, queries::within_plan, series::Series,
    },
    store::{Knowledge, Snapshot},
    values::{Currency, Date, Decimal, Invalid, Result, Wanted, as_text},
};

/// The data as this catalogue knew it at the end of a day, in Brasília: a snapshot of that date, in which later imports
/// have changed nothing. Every query of market data and every calculation takes it.
///
/// Rows that came with the library count as known from the beginning. A snapshot of the past knows nothing later: from it,
/// the earlier of both days counts.
///
/// Fails if the day lies after the date of the snapshot of the present, or before the first import; also if that is the day
/// of the snapshot itself. Before anything was imported, the snapshot's own day is the only one that there is.
///
/// ```
/// use fincore::{Import, market};
///
/// # let dir = tempfile::tempdir().unwrap();
/// # let catalogue = fincore::Catalogue::open(dir.path().join("catalogue.db"))?;
/// for (time, value) in [("2026-10-09T12:00:00Z", "0.48"), ("2026-10-20T12:00:00Z", "0.49")] {
///     let mut import = Import::begin(&catalogue, time.parse().unwrap())?;
///     let file = format!(r#"[{{"data":"01/09/2026","valor":"{value}"}}]"#);
///     import.file("bcdata.sgs.433.json", file.as_bytes())?;
///     import.commit()?;
/// }
/// let now = catalogue.snapshot("2026-10-31".parse()?)?;
/// let then = market::as_of(&now, "2026-10-15".parse()?)?;
/// assert_eq!(market::ipca_current(&now)?.value.to_string(), "0.49");
/// assert_eq!(market::ipca_current(&then)?.value.to_string(), "0.48");
/// assert!(market::as_of(&now, "2026-10-08".parse()?).is_err());
/// # Ok::<(), fincore::Error>(())
/// ```
pub fn as_of(snapshot: &Snapshot, day: Date) -> Result<Snapshot> {
    match snapshot.knowledge() {
        Knowledge::FirstRelease => Err(Invalid::FirstReleaseAsOf.into()),
        Knowledge::Present | Knowledge::AsOf(_) => snapshot.as_of(day),
    }
}

/// Every figure as it was first published, as far as this catalogue knows: a revision before the first import is not known.
///
/// Fails on a snapshot of the past.
pub fn first_releases(snapshot: &Snapshot) -> Result<Snapshot> {
    match snapshot.knowledge() {
        Knowledge::AsOf(_) => Err(Invalid::FirstReleaseAsOf.into()),
        Knowledge::Present | Knowledge::FirstRelease => snapshot.first_releases(),
    }
}

/// The point in time that a query of a history reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct KnownAt {
    /// Shows the data as known at the end of this day.
    pub as_of: Option<Date>,
    /// The first values, or those that count now.
    #[serde(default)]
    pub first_release: Release,
}

impl KnownAt {
    /// The snapshot to read instead of this one; `None` if it is what is asked for. Fails where [`as_of`] and
    /// [`first_releases`] do, and if both are asked for.
    pub fn snapshot(self, present: &Snapshot) -> Result<Option<Snapshot>> {
        match (self.as_of, self.first_release) {
            (None, Release::Newest) => Ok(None),
            (Some(day), Release::Newest) => as_of(present, day).map(Some),
            (None, Release::First) => first_releases(present).map(Some),
            (Some(_), Release::First) => Err(Invalid::FirstReleaseAsOf.into()),
        }
    }
}

/// The value of a figure that has had several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Release {
    /// The one that counts now.
    #[default]
    Newest,
    /// The first that was published.
    First,
}

as_text!(Release::as_str, Wanted::TrueOrFalse, "true" => First, "false" => Newest);

/// A value that a figure has, or has had.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Revision {
    /// The date of the figure.
    pub date: Date,
    /// The value, with the digits that were published.
    pub value: Decimal,
    /// The import that brought it; `None` if it came with the library, or before imports were noted.
    pub known_from: Option<DateTime<Utc>>,
    /// The import that replaced or removed it; `None` if it stands. Of a figure that a newer version of the library corrected,
    /// the next import, and until then the time at which its data was gathered.
    pub known_until: Option<DateTime<Utc>>,
    /// Where it comes from. JSON leaves it out where it is published.
    #[serde(skip_serializing_if = "Origin::is_published")]
    pub origin: Origin,
}

impl table::Row for Revision {
    const COLUMNS: &'static [Column<Revision>] = &[
        Column::new("date", ColumnKind::Day, |row| row.date.into()),
        Column::new("value", ColumnKind::Figure, |row| row.value.into()),
        Column::new("known_from", ColumnKind::Text, |row| time(row.known_from)),
        Column::new("known_until", ColumnKind::Text, |row| time(row.known_until)),
        Column::new("origin", ColumnKind::Text, |row| row.origin.as_str().into()),
    ];
}

fn time(time: Option<DateTime<Utc>>) -> Cell<'static> {
    time.map_or(Cell::Empty, |time| Cell::display(time.format("%Y-%m-%dT%H:%M:%SZ")))
}

/// The figures of a series that have had more than one value since the first import, or were withdrawn: all values of
/// each, the newest figure first and of each the newest value first.
///
/// Fails where [`series()`](crate::market::series()) does.
pub fn revisions(snapshot: &Snapshot, query: SeriesHistory) -> Result<Page<Revision>> {
    let (id, History { from, to, limit, offset }) = query.split();
    let series = Series::find(&id)?;
    // A series without observations is an error, as elsewhere.
    let current = series.current(snapshot)?;
    let days = within_plan(snapshot, from, to, || Ok(Some(current.date)))?;
    let mut values = match series.definition.and_then(|definition| definition.quote) {
        None => of_rates(snapshot, series.number, days)?,
        Some((currency, side)) => of_side(snapshot, currency, side, days)?,
    };
    values.reverse();
    Ok(Page::cut(values, limit.get(), offset.get(), current.meta))
}

/// When a value ended. The version of a bundle, which may correct figures of an older one, has no time, and counts as known
/// from the next import on; before that import, from the day on which the bundle was gathered, or the last import.
const ENDED: &str = "COALESCE(
    (SELECT time FROM import_time WHERE version >= known_until ORDER BY version LIMIT 1),
    (SELECT MAX(time) FROM (SELECT time FROM revision WHERE version = known_until
        UNION ALL SELECT time FROM import_time WHERE version < known_until)))";

/// The values of all figures of a series that have past ones, the oldest first.
fn of_rates(snapshot: &Snapshot, number: u32, days: DateWindow) -> Result<Vec<Revision>> {
    let sql = format!(
        "SELECT date, value, computed, began.time, {ENDED} FROM (
            SELECT date, value, computed, known_from, known_until FROM main.past_rate
                WHERE series = ?1 AND date BETWEEN ?2 AND ?3
            UNION ALL SELECT date, value, computed, known_from, NULL FROM main.rate
                WHERE series = ?1 AND date BETWEEN ?2 AND ?3 AND EXISTS (
                    SELECT 1 FROM main.past_rate AS past WHERE past.series = ?1 AND past.date = rate.date))
        LEFT JOIN import_time AS began ON began.version = known_from
        ORDER BY date, known_until IS NULL, known_until"
    );
    snapshot.rows(&sql, (number, days.from(), days.to()), |row| {
        Ok(Revision {
            date: row.get(0)?,
            value: row.get(1)?,
            origin: Origin::of_code(row.get(2)?),
            known_from: moment(row, 3)?,
            known_until: moment(row, 4)?,
        })
    })
}

/// Revisions of one side of quotes. A quote also changes with its other side: equal values that follow each other are
/// one.
fn of_side(
    snapshot: &Snapshot,
    currency: Currency,
    side: Side,
    days: DateWindow,
) -> Result<Vec<Revision>> {
    let sql = format!(
        "SELECT date, buy, sell, began.time, {ENDED} FROM (
            SELECT date, buy, sell, known_from, known_until FROM main.past_fx
                WHERE currency = ?1 AND date BETWEEN ?2 AND ?3
            UNION ALL SELECT date, buy, sell, known_from, NULL FROM main.fx
                WHERE currency = ?1 AND date BETWEEN ?2 AND ?3 AND EXISTS (
                    SELECT 1 FROM main.past_fx AS past WHERE past.currency = ?1 AND past.date = fx.date))
        LEFT JOIN import_time AS began ON began.version = known_from
        ORDER BY date, known_until IS NULL, known_until"
    );
    let column = match side {
        Side::Buy => 1,
        Side::Sell => 2,
    };
    let rows = snapshot.rows(&sql, (currency, days.from(), days.to()), |row| {
        let value: Option<Decimal> = row.get(column)?;
        let (known_from, known_until) = (moment(row, 3)?, moment(row, 4)?);
        let (date, origin) = (row.get(0)?, Origin::Published);
        Ok(value.map(|value| Revision { date, value, known_from, known_until, origin }))
    })?;
    let mut of_days: BTreeMap<Date, Vec<Revision>> = BTreeMap::new();
    for row in rows.into_iter().flatten() {
        let values = of_days.entry(row.date).or_default();
        match values.last_mut() {
            Some(last) if last.value == row.value => last.known_until = row.known_until,
            _ => values.push(row),
        }
    }
    let revised = |values: &Vec<Revision>| {
        values.len() > 1 || values.iter().any(|value| value.known_until.is_some())
    };
    Ok(of_days.into_values().filter(revised).flatten().collect())
}

/// A moment that may be missing. One that cannot be read counts as missing: it must not make an answer fail.
fn moment(row: &rusqlite::Row<'_>, column: usize) -> rusqlite::Result<Option<DateTime<Utc>>> {
    Ok(row.get::<_, Option<String>>(column)?.and_then(|text| text.parse().ok()))
}

/// The value of a figure before the import that made this version changed it.
pub(crate) fn value_before(
    snapshot: &Snapshot,
    number: u32,
    date: Date,
    version: u64,
) -> Result<Option<Decimal>> {
    const SQL: &str =
        "SELECT value FROM past_rate WHERE series = ?1 AND date = ?2 AND known_until = ?3";
    let key = (number, date, version.cast_signed());
    snapshot.first(SQL, key, |row| row.get(0))
}

/// Both sides of a quote before the import that made this version changed it.
pub(crate) fn quote_before(
    snapshot: &Snapshot,
    currency: Currency,
    date: Date,
    version: u64,
) -> Result<Option<(Decimal, Decimal)>> {
    const SQL: &str = "SELECT buy, sell FROM past_fx
        WHERE currency = ?1 AND date = ?2 AND known_until = ?3 AND buy IS NOT NULL AND sell IS NOT NULL";
    let key = (currency, date, version.cast_signed());
    snapshot.first(SQL, key, |row| Ok((row.get(0)?, row.get(1)?)))
}

#[cfg(test)]
mod tests;
