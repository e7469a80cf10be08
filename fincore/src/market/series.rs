//! Reads one series: its observations are rates, or one side of the quotes of a currency.
use std::sync::{Arc, LazyLock};

use rusqlite::types::Value;

use crate::{
    answers::{Meta, Page, Sourced},
    market::{
        CachedHistory, DateWindow, History, HistoryPage, ListedSeries, Origin, OriginCounts, Rate,
        SeriesDefinition, Side, freshness, history_cache,
        queries::within_plan,
        quotes::PTAX,
        series_definitions::{DEFINITIONS, dataset, definition, number},
    },
    store::Snapshot,
    values::{Date, Error, Offset, Resource, Result, SeriesId},
};

/// The queries of a series. `?1` is its number or currency.
struct Statements {
    total: String,
    page: String,
    all: String,
    newest: String,
    newest_published: String,
    coverage: String,
}

impl Statements {
    /// The queries of these observations: `SELECT date, value, computed FROM … WHERE …`.
    fn of(observations: &str) -> Statements {
        let upto = format!("FROM ({observations} AND date <= ?2)");
        let between = format!("{observations} AND date BETWEEN ?2 AND ?3");
        Statements {
            total: format!("SELECT COUNT(*) FROM ({between})"),
            page: format!("{between} ORDER BY date DESC LIMIT ?4 OFFSET ?5"),
            all: format!("{between} ORDER BY date DESC"),
            newest: format!("{observations} AND date <= ?2 ORDER BY date DESC"),
            newest_published: format!(
                "{observations} AND computed = 0 AND date <= ?2 ORDER BY date DESC"
            ),
            // Three queries in one: the first two are look-ups in the index.
            coverage: format!(
                "SELECT (SELECT MIN(date) {upto}), (SELECT MAX(date) {upto}), (SELECT COUNT(*) {upto})"
            ),
        }
    }
}

static RATES: LazyLock<Statements> =
    LazyLock::new(|| Statements::of("SELECT date, value, computed FROM rate WHERE series = ?1"));
static BUY: LazyLock<Statements> = LazyLock::new(|| {
    Statements::of(
        "SELECT date, buy, 0 AS computed FROM fx WHERE currency = ?1 AND buy IS NOT NULL",
    )
});
static SELL: LazyLock<Statements> = LazyLock::new(|| {
    Statements::of(
        "SELECT date, sell, 0 AS computed FROM fx WHERE currency = ?1 AND sell IS NOT NULL",
    )
});

/// A series, by its number and its definition, if it has one.
#[derive(Clone, Copy)]
pub(crate) struct Series {
    pub(crate) number: u32,
    pub(crate) definition: Option<&'static SeriesDefinition>,
}

impl From<u32> for Series {
    fn from(number: u32) -> Series {
        Series { number, definition: definition(number) }
    }
}

impl Series {
    /// The series of an id. Fails if no series has the name.
    pub(crate) fn find(id: &SeriesId) -> Result<Series> {
        let unknown = || Error::not_found(Resource::UnknownSeries, &id.to_string());
        number(id).map(Series::from).ok_or_else(unknown)
    }

    /// Every series that may hold observations, by number.
    pub(crate) fn all(snapshot: &Snapshot) -> Result<Vec<Series>> {
        // From one number to the next, without reading what lies between.
        const SQL: &str = "WITH RECURSIVE held (series) AS (
                SELECT MIN(series) FROM rate
                UNION ALL
                SELECT (SELECT MIN(series) FROM rate WHERE series > held.series) FROM held
                    WHERE held.series IS NOT NULL)
            SELECT series FROM held WHERE series IS NOT NULL";
        let mut numbers = snapshot.rows(SQL, [], |row| row.get::<_, u32>(0))?;
        numbers.extend(
            DEFINITIONS
                .iter()
                .filter(|definition| definition.quote.is_some())
                .map(|definition| definition.number),
        );
        numbers.sort_unstable();
        Ok(numbers.into_iter().map(Series::from).collect())
    }

    /// The queries for its observations, and the key that they take.
    fn statements(self) -> (&'static Statements, Value) {
        match self.definition.and_then(|definition| definition.quote) {
            None => (&RATES, Value::from(self.number)),
            Some((currency, Side::Buy)) => (&BUY, Value::from(currency.as_str().to_owned())),
            Some((currency, Side::Sell)) => (&SELL, Value::from(currency.as_str().to_owned())),
        }
    }

    /// The source of observations, of which `computed` were computed; and what those were computed from. One side of an
    /// exchange rate is that of the closing bulletin, whether it came from SGS or from PTAX itself.
    fn source(self, computed: u64, observations: u64) -> (String, Option<String>) {
        let (number, sgs) = (self.number, |number: u32| format!("BCB SGS {number}"));
        if self.definition.is_some_and(|definition| definition.quote.is_some()) {
            return (format!("{PTAX} (SGS {number})"), None);
        }
        match self.definition.and_then(|definition| definition.computed_from) {
            Some(from) if observations == 0 => (format!("{} and {from}", sgs(number)), None),
            Some(from) if computed == observations => (sgs(from), Some(sgs(from))),
            Some(from) if computed > 0 => (format!("{} and {from}", sgs(number)), Some(sgs(from))),
            Some(_) | None => (sgs(number), None),
        }
    }

    /// The source of rows, of which so many are not as published.
    pub(crate) fn meta(self, origins: OriginCounts, rows: usize) -> Meta {
        let (source, computed_from) = self.source(origins.computed, rows as u64);
        Meta {
            unit: self.definition.map(|definition| definition.unit.en),
            computed_from: computed_from.map(Into::into),
            ..Meta::new(source)
        }
    }

    /// One page of its observations, newest first.
    pub(crate) fn history(self, snapshot: &Snapshot, query: &History) -> Result<Page<Rate>> {
        self.history_from(snapshot, query, self.cached_history(snapshot)?)
    }

    /// Reads the history without the cache, to compare with.
    #[cfg(test)]
    pub(crate) fn history_from_file(
        self,
        snapshot: &Snapshot,
        query: &History,
    ) -> Result<Page<Rate>> {
        self.history_from(snapshot, query, None)
    }

    fn history_from(
        self,
        snapshot: &Snapshot,
        query: &History,
        cached: Option<Arc<CachedHistory<Rate>>>,
    ) -> Result<Page<Rate>> {
        let (limit, offset) = (query.limit.get(), query.offset);
        let newest = match &cached {
            Some(cached) => cached.newest(snapshot.today()).map(|rate| rate.date),
            None => self.newest(snapshot)?.map(|rate| rate.date),
        };
        let days = within_plan(snapshot, query.from, query.to, || Ok(newest))?;
        let HistoryPage { rows: data, total, origins } = match cached {
            Some(cached) => cached.page(days, limit, offset),
            None => self.read_page(snapshot, days, limit, offset)?,
        };
        let OriginCounts { computed, carried } = origins;
        let meta = Meta { computed, carried, ..self.meta(origins, data.len()) };
        let meta = freshness::of_series(snapshot, self.number, newest, meta)?;
        Ok(Page { data, total, limit, offset: offset.get(), meta })
    }

    /// One page of its observations, from the file.
    fn read_page(
        self,
        snapshot: &Snapshot,
        days: DateWindow,
        limit: u32,
        offset: Offset,
    ) -> Result<HistoryPage<Rate>> {
        let (statements, key) = self.statements();
        let (from, to) = (days.from(), days.to());
        let total = snapshot.count(&statements.total, (&key, from, to))?;
        let (rows, total) = snapshot.page(total, limit, offset, |limit, offset| {
            snapshot.rows(&statements.page, (&key, from, to, limit, offset), read_rate)
        })?;
        let origins = rows.iter().map(|rate| rate.origin).collect();
        Ok(HistoryPage { rows: rows.into(), total, origins })
    }

    /// All its observations, if they are in memory.
    pub(crate) fn cached_history(
        self,
        snapshot: &Snapshot,
    ) -> Result<Option<Arc<CachedHistory<Rate>>>> {
        let (statements, key) = self.statements();
        let every = (key, Date::MIN, Date::MAX);
        history_cache::get_or_load(snapshot, self.number, &statements.all, every, read_rate)
    }

    /// Every observation that the snapshot's date and plan allow, newest first.
    pub(crate) fn visible(self, snapshot: &Snapshot) -> Result<Vec<Rate>> {
        let newest = || Ok(self.newest(snapshot)?.map(|rate| rate.date));
        let days = within_plan(snapshot, None, None, newest)?;
        self.newest_in(snapshot, days.from(), days.to(), usize::MAX)
    }

    /// How many observations it has in a range of days.
    pub(crate) fn count(self, snapshot: &Snapshot, from: Date, to: Date) -> Result<u64> {
        let (statements, key) = self.statements();
        snapshot.count(&statements.total, (key, from, to))
    }

    /// The newest observations in a range of days, at most `limit` of them.
    pub(crate) fn newest_in(
        self,
        snapshot: &Snapshot,
        from: Date,
        to: Date,
        limit: usize,
    ) -> Result<Vec<Rate>> {
        let (statements, key) = self.statements();
        snapshot.first_rows(limit, &statements.all, (key, from, to), read_rate)
    }

    /// The newest observation. Fails if there is none.
    pub(crate) fn current(self, snapshot: &Snapshot) -> Result<Sourced<Rate>> {
        let newest = self.newest(snapshot)?;
        let newest =
            newest.ok_or_else(|| Error::not_found(Resource::Series, &self.display_name()))?;
        // The row itself says where it comes from, so that nothing is counted.
        let meta = self.meta([newest.origin].into_iter().collect(), 1);
        let meta = freshness::of_series(snapshot, self.number, Some(newest.date), meta)?;
        Ok(Sourced::new(newest, meta))
    }

    /// The newest observation.
    pub(crate) fn newest(self, snapshot: &Snapshot) -> Result<Option<Rate>> {
        let (statements, key) = self.statements();
        let today = snapshot.today();
        snapshot.first(&statements.newest, (key, today), read_rate)
    }

    /// Its name in messages: `series 189 (igp-m)`.
    pub(crate) fn display_name(self) -> String {
        let name =
            self.definition.map(|definition| format!(" ({})", definition.name)).unwrap_or_default();
        format!("{}{name}", self.number)
    }

    /// The newest observation that was published.
    pub(crate) fn newest_published(self, snapshot: &Snapshot) -> Result<Option<Rate>> {
        let (statements, key) = self.statements();
        let today = snapshot.today().to_string();
        snapshot.first(&statements.newest_published, (key, today), read_rate)
    }

    /// The days that it covers up to the snapshot's date; `None` without observations.
    pub(crate) fn coverage(self, snapshot: &Snapshot) -> Result<Option<Coverage>> {
        let (statements, key) = self.statements();
        let today = snapshot.today();
        let computed = self.count_computed(snapshot, today)?;
        let read = |row: &rusqlite::Row<'_>| {
            let count = row.get::<_, i64>(2)?.unsigned_abs();
            let days = row.get::<_, Option<_>>(0)?.zip(row.get(1)?);
            Ok(days.map(|(first, last)| Coverage { first, last, count, computed }))
        };
        let coverage = snapshot.rows(&statements.coverage, (&key, today), read)?.pop().flatten();
        if !snapshot.has_corrupt_values() {
            return Ok(coverage);
        }
        // Corrupt observations do not count.
        let all = (key, Date::MIN, today);
        let days = snapshot.rows(&statements.all, all, read_rate)?;
        let ends = days.last().zip(days.first());
        Ok(ends.map(|(first, last)| Coverage {
            first: first.date,
            last: last.date,
            count: days.len() as u64,
            computed: days.iter().filter(|day| day.origin == Origin::Computed).count() as u64,
        }))
    }

    /// Its row in the list of series; without coverage, of one that is not held.
    pub(crate) fn list_row(self, coverage: Option<&Coverage>) -> ListedSeries {
        let (count, computed) =
            coverage.map_or((0, 0), |coverage| (coverage.count, coverage.computed));
        let (source, _) = self.source(computed, count);
        ListedSeries {
            number: self.number,
            name: dataset(self.number),
            title: self.definition.map(|definition| definition.title),
            unit: self.definition.map(|definition| definition.unit),
            rhythm: self.definition.map(|definition| definition.rhythm),
            first: coverage.map(|coverage| coverage.first),
            last: coverage.map(|coverage| coverage.last),
            count,
            source,
            sync: coverage.is_none().then(|| format!("finserve sync --series {}", self.number)),
        }
    }

    /// How many of its observations were computed.
    fn count_computed(self, snapshot: &Snapshot, today: Date) -> Result<u64> {
        const SQL: &str =
            "SELECT COUNT(*) FROM rate WHERE series = ?1 AND date <= ?2 AND computed = 1";
        match self.definition.and_then(|definition| definition.computed_from) {
            Some(_) => snapshot.count(SQL, (self.number, today)),
            None => Ok(0),
        }
    }
}

/// The days that a series covers.
pub(crate) struct Coverage {
    pub(crate) first: Date,
    pub(crate) last: Date,
    pub(crate) count: u64,
    /// How many of them were computed.
    pub(crate) computed: u64,
}

/// A row of a series.
fn read_rate(row: &rusqlite::Row<'_>) -> rusqlite::Result<Rate> {
    let origin = Origin::of_code(row.get(2)?);
    Ok(Rate { date: row.get(0)?, value: row.get(1)?, origin })
}

/// The newest day of a series that is not after the snapshot's date; of an exchange rate, the newest day with
/// that side. Values that were computed from another series do not count.
pub fn newest_day(snapshot: &Snapshot, number: u32) -> Result<Option<Date>> {
    Ok(Series::from(number).newest_published(snapshot)?.map(|rate| rate.date))
}

#[cfg(test)]
mod tests;
