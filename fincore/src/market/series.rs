//! Reads one series: its observations are rates, or one side of the quotes of a currency.
use std::sync::Arc;

use rusqlite::types::Value;

use super::{
    History, Rate, freshness, kept,
    kept::{Cut, Whole},
    known::{KNOWN, Known, Side, known, number},
    window::{Days, within_plan},
};
use crate::{
    answers::{Meta, Page, Sourced},
    catalogue::Snapshot,
    error::{Error, Noun, Result},
    sqlite::{parsed, parsed_if_any},
    types::{Date, Offset, SeriesId},
};

/// The queries of a series. `?1` is its number or currency.
struct Statements {
    total: &'static str,
    page: &'static str,
    all: &'static str,
    newest: &'static str,
    coverage: &'static str,
}

/// The queries of observations: `SELECT date, value, computed FROM … WHERE …`.
macro_rules! statements {
    ($observations:literal) => {
        Statements {
            total: concat!("SELECT COUNT(*) FROM (", $observations, " AND date BETWEEN ?2 AND ?3)"),
            page: concat!(
                $observations,
                " AND date BETWEEN ?2 AND ?3 ORDER BY date DESC LIMIT ?4 OFFSET ?5"
            ),
            all: concat!($observations, " AND date BETWEEN ?2 AND ?3 ORDER BY date DESC"),
            newest: concat!($observations, " AND date <= ?2 ORDER BY date DESC"),
            // Three queries in one: the first two are look-ups in the index.
            coverage: concat!(
                "SELECT (SELECT MIN(date) FROM (",
                $observations,
                " AND date <= ?2)), (SELECT MAX(date) FROM (",
                $observations,
                " AND date <= ?2)), (SELECT COUNT(*) FROM (",
                $observations,
                " AND date <= ?2))"
            ),
        }
    };
}

const RATES: Statements = statements!("SELECT date, value, computed FROM rate WHERE series = ?1");
const BUY: Statements =
    statements!("SELECT date, buy, 0 AS computed FROM fx WHERE currency = ?1 AND buy IS NOT NULL");
const SELL: Statements = statements!(
    "SELECT date, sell, 0 AS computed FROM fx WHERE currency = ?1 AND sell IS NOT NULL"
);

/// A series, by its number and what is known about it.
#[derive(Clone, Copy)]
pub(super) struct Series {
    pub(super) number: u32,
    pub(super) known: Option<&'static Known>,
}

impl From<u32> for Series {
    fn from(number: u32) -> Series {
        Series { number, known: known(number) }
    }
}

impl Series {
    /// The series of an id. Fails if no series has the name.
    pub(super) fn of(id: &SeriesId) -> Result<Series> {
        let unknown = || Error::not_found(Noun::Series, &format!("a series {:?}", id.to_string()));
        number(id).map(Series::from).ok_or_else(unknown)
    }

    /// Every series that may hold observations, by number.
    pub(super) fn all(snapshot: &Snapshot) -> Result<Vec<Series>> {
        // From one number to the next, without reading what lies between.
        const SQL: &str = "WITH RECURSIVE held (series) AS (
                SELECT MIN(series) FROM rate
                UNION ALL
                SELECT (SELECT MIN(series) FROM rate WHERE series > held.series) FROM held
                    WHERE held.series IS NOT NULL)
            SELECT series FROM held WHERE series IS NOT NULL";
        let mut numbers = snapshot.rows(SQL, [], |row| row.get::<_, u32>(0))?;
        numbers
            .extend(KNOWN.iter().filter(|known| known.quote.is_some()).map(|known| known.number));
        numbers.sort_unstable();
        Ok(numbers.into_iter().map(Series::from).collect())
    }

    /// Where its observations are, and by what.
    fn stored(self) -> (&'static Statements, Value) {
        match self.known.and_then(|known| known.quote) {
            None => (&RATES, Value::from(self.number)),
            Some((currency, Side::Buy)) => (&BUY, Value::from(currency.to_string())),
            Some((currency, Side::Sell)) => (&SELL, Value::from(currency.to_string())),
        }
    }

    /// The source of observations, so many of which were computed; and what those were computed from.
    pub(super) fn source(self, computed: u64, observations: u64) -> (String, Option<String>) {
        let (number, sgs) = (self.number, |number: u32| format!("BCB SGS {number}"));
        match self.known.and_then(|known| known.computed_from) {
            Some(from) if observations == 0 => (format!("{} and {from}", sgs(number)), None),
            Some(from) if computed == observations => (sgs(from), Some(sgs(from))),
            Some(from) if computed > 0 => (format!("{} and {from}", sgs(number)), Some(sgs(from))),
            Some(_) | None => (sgs(number), None),
        }
    }

    /// The source of so many rows, so many of which were computed.
    fn meta(self, computed: usize, rows: usize) -> Meta {
        let (source, computed_from) = self.source(computed as u64, rows as u64);
        Meta {
            unit: self.known.map(|known| known.unit.en),
            computed_from: computed_from.map(Into::into),
            ..Meta::of(source)
        }
    }

    /// One page of its observations, newest first.
    pub(super) fn history(self, snapshot: &Snapshot, query: &History) -> Result<Page<Rate>> {
        self.history_of(snapshot, query, self.whole(snapshot)?)
    }

    /// The same without memory, to compare with.
    #[cfg(test)]
    pub(super) fn history_from_file(
        self,
        snapshot: &Snapshot,
        query: &History,
    ) -> Result<Page<Rate>> {
        self.history_of(snapshot, query, None)
    }

    fn history_of(
        self,
        snapshot: &Snapshot,
        query: &History,
        whole: Option<Arc<Whole<Rate>>>,
    ) -> Result<Page<Rate>> {
        let (limit, offset) = (query.limit.get(), query.offset);
        let newest = match &whole {
            Some(whole) => whole.newest(snapshot.today()).map(|rate| rate.date),
            None => self.newest(snapshot)?.map(|row| row.rate.date),
        };
        let days = within_plan(snapshot, query.from, query.to, || Ok(newest))?;
        let Cut { rows: data, total, computed } = match whole {
            Some(whole) => whole.page(days, limit, offset),
            None => self.read_page(snapshot, days, limit, offset)?,
        };
        let meta = self.meta(computed, data.len());
        let meta = freshness::of_series(snapshot, self.number, newest, meta)?;
        Ok(Page { data, total, limit, offset: offset.get(), meta })
    }

    /// One page of its observations, from the file.
    fn read_page(
        self,
        snapshot: &Snapshot,
        days: Days,
        limit: u32,
        offset: Offset,
    ) -> Result<Cut<Rate>> {
        let (statements, key) = self.stored();
        let (from, to) = days.texts();
        let total = snapshot.count(statements.total, (&key, &from, &to))?;
        let (rows, total) = snapshot.page(total, (limit, offset), |limit, offset| {
            snapshot.rows(statements.page, (&key, &from, &to, limit, offset), Observed::read)
        })?;
        let computed = rows.iter().filter(|row| row.computed).count();
        let rows: Vec<Rate> = rows.into_iter().map(|row| row.rate).collect();
        Ok(Cut { rows: rows.into(), total, computed })
    }

    /// All its observations, if they are in memory.
    pub(super) fn whole(self, snapshot: &Snapshot) -> Result<Option<Arc<Whole<Rate>>>> {
        let (statements, key) = self.stored();
        let every = (key, Date::MIN.to_string(), Date::MAX.to_string());
        kept::series(snapshot, self.number, statements.all, every, |row| {
            Observed::read(row).map(|row| (row.rate, row.computed))
        })
    }

    /// Calls `visit` for every observation that the snapshot's date and plan allow, newest first.
    pub(super) fn each(
        self,
        snapshot: &Snapshot,
        mut visit: impl FnMut(Rate) -> Result<()>,
    ) -> Result<()> {
        let (statements, key) = self.stored();
        let newest = || Ok(self.newest(snapshot)?.map(|row| row.rate.date));
        let (from, to) = within_plan(snapshot, None, None, newest)?.texts();
        snapshot.for_each(statements.all, (key, from, to), Observed::read, |row| visit(row.rate))
    }

    /// How many observations it has in a range of days.
    pub(super) fn count(self, snapshot: &Snapshot, days: (Date, Date)) -> Result<u64> {
        let (statements, key) = self.stored();
        snapshot.count(statements.total, (key, days.0.to_string(), days.1.to_string()))
    }

    /// The newest observations in a range of days, so many.
    pub(super) fn part(
        self,
        snapshot: &Snapshot,
        days: (Date, Date),
        limit: usize,
    ) -> Result<Vec<Rate>> {
        let (statements, key) = self.stored();
        let wanted = (key, days.0.to_string(), days.1.to_string());
        let rows = snapshot.some(limit, statements.all, wanted, Observed::read)?;
        Ok(rows.into_iter().map(|row| row.rate).collect())
    }

    /// The newest observation. Fails if there is none.
    pub(super) fn current(self, snapshot: &Snapshot) -> Result<Sourced<Rate>> {
        let newest = self.newest(snapshot)?;
        let newest = newest.ok_or_else(|| Error::not_found(Noun::Series, &self.called()))?;
        let meta = self.meta(newest.computed.into(), 1);
        let meta = freshness::of_series(snapshot, self.number, Some(newest.rate.date), meta)?;
        Ok(Sourced::new(newest.rate, meta))
    }

    fn newest(self, snapshot: &Snapshot) -> Result<Option<Observed>> {
        let (statements, key) = self.stored();
        let today = snapshot.today().to_string();
        snapshot.first(statements.newest, (key, today), Observed::read)
    }

    /// Its name in messages: `series 189 (igp-m)`.
    fn called(self) -> String {
        let name = self.known.map(|known| format!(" ({})", known.name)).unwrap_or_default();
        format!("series {}{name}", self.number)
    }

    /// What there is of it up to the snapshot's date; `None` without observations.
    pub(super) fn coverage(self, snapshot: &Snapshot) -> Result<Option<Coverage>> {
        let (statements, key) = self.stored();
        let today = snapshot.today().to_string();
        let computed = self.computed(snapshot, &today)?;
        let read = |row: &rusqlite::Row<'_>| {
            let count = row.get::<_, i64>(2)?.unsigned_abs();
            let days = parsed_if_any(row, 0)?.zip(parsed_if_any(row, 1)?);
            Ok(days.map(|(first, last)| Coverage { first, last, count, computed }))
        };
        let coverage = snapshot.rows(statements.coverage, (&key, &today), read)?.pop().flatten();
        if !snapshot.has_unreadable() {
            return Ok(coverage);
        }
        // Those that cannot be read do not count.
        let all = (key, Date::MIN.to_string(), today);
        let days = snapshot.rows(statements.all, all, Observed::read)?;
        let ends = days.last().zip(days.first());
        Ok(ends.map(|(first, last)| Coverage {
            first: first.rate.date,
            last: last.rate.date,
            count: days.len() as u64,
            computed: days.iter().filter(|day| day.computed).count() as u64,
        }))
    }

    /// How many of its observations were computed.
    fn computed(self, snapshot: &Snapshot, today: &str) -> Result<u64> {
        const SQL: &str =
            "SELECT COUNT(*) FROM rate WHERE series = ?1 AND date <= ?2 AND computed = 1";
        match self.known.and_then(|known| known.computed_from) {
            Some(_) => snapshot.count(SQL, (self.number, today)),
            None => Ok(0),
        }
    }
}

/// What there is of a series.
pub(super) struct Coverage {
    pub(super) first: Date,
    pub(super) last: Date,
    pub(super) count: u64,
    /// How many of them were computed.
    pub(super) computed: u64,
}

/// A stored observation.
struct Observed {
    rate: Rate,
    computed: bool,
}

impl Observed {
    fn read(row: &rusqlite::Row<'_>) -> rusqlite::Result<Observed> {
        let rate = Rate { date: parsed(row, 0)?, value: parsed(row, 1)? };
        Ok(Observed { rate, computed: row.get(2)? })
    }
}

#[cfg(test)]
#[cfg(feature = "import")]
mod tests;
