//! The rows of series and quotes: one series or currency after the other, each newest first.
use crate::{
    answers::{
        Cell, Heading,
        table::{cells, headings},
    },
    market::{
        FxRate, Rate, freshness, series_definitions,
        whole_histories::{self, Days, Observation},
    },
    publish::{RowSource, VisitRow},
    store::Snapshot,
    values::{Currency, Date, DateRange, Pair, Result},
};

/// Observations or quotes up to the snapshot's date.
#[derive(Debug)]
pub(crate) struct MarketRows {
    table: MarketTable,
    lines: Vec<DailyLine>,
    days: Days,
    /// The index of the line that is read next, and its newest day that was not read yet.
    line: usize,
    to: Date,
}

/// The table that rows are taken from, which determines the columns.
#[derive(Clone, Copy, Debug)]
enum MarketTable {
    OneSeries(u32),
    EverySeries,
    Quotes,
}

/// A series or a currency: at most one row a day.
#[derive(Clone, Copy, Debug)]
enum DailyLine {
    Series(u32),
    Quotes(Currency),
}

impl MarketRows {
    pub(crate) fn one(snapshot: &Snapshot, number: u32, days: DateRange) -> MarketRows {
        MarketRows::new(
            snapshot,
            MarketTable::OneSeries(number),
            vec![DailyLine::Series(number)],
            days,
        )
    }

    pub(crate) fn series(snapshot: &Snapshot, days: DateRange) -> Result<MarketRows> {
        let lines =
            whole_histories::numbers(snapshot)?.into_iter().map(DailyLine::Series).collect();
        Ok(MarketRows::new(snapshot, MarketTable::EverySeries, lines, days))
    }

    pub(crate) fn fx(snapshot: &Snapshot, days: DateRange) -> Result<MarketRows> {
        let lines =
            whole_histories::currencies(snapshot)?.into_iter().map(DailyLine::Quotes).collect();
        Ok(MarketRows::new(snapshot, MarketTable::Quotes, lines, days))
    }

    pub(crate) fn quotes(snapshot: &Snapshot, currency: Currency, days: DateRange) -> MarketRows {
        MarketRows::new(snapshot, MarketTable::Quotes, vec![DailyLine::Quotes(currency)], days)
    }

    fn new(
        snapshot: &Snapshot,
        table: MarketTable,
        lines: Vec<DailyLine>,
        days: DateRange,
    ) -> MarketRows {
        let days = (days.from(), days.to().min(snapshot.today()));
        MarketRows { table, lines, days, line: 0, to: days.1 }
    }

    /// Visits the newest rows of a line in a range of days; their number, and the oldest day.
    fn visit(
        &self,
        snapshot: &Snapshot,
        line: DailyLine,
        days: Days,
        limit: usize,
        visit: VisitRow<'_>,
    ) -> Result<(usize, Option<Date>)> {
        match line {
            DailyLine::Series(series) => {
                let rates = whole_histories::rates(snapshot, series, days, limit)?;
                let read = (rates.len(), rates.last().map(|rate| rate.date));
                for rate in rates {
                    match self.table {
                        MarketTable::EverySeries => visit(&cells(&Observation { series, rate }))?,
                        MarketTable::OneSeries(_) | MarketTable::Quotes => visit(&cells(&rate))?,
                    }
                }
                Ok(read)
            }
            DailyLine::Quotes(currency) => {
                let quotes = whole_histories::quotes(snapshot, currency, days, limit)?;
                quotes.iter().try_for_each(|quote| visit(&cells(quote)))?;
                Ok((quotes.len(), quotes.last().map(|quote| quote.date)))
            }
        }
    }

    /// The line and the day of a key.
    fn line_and_day(&self, key: u64) -> Option<(DailyLine, Date)> {
        let (code, day) = (u32::try_from(key >> DAY_BITS).ok()?, LAST_DAY - (key & LAST_DAY));
        let line = match self.table {
            MarketTable::OneSeries(_) | MarketTable::EverySeries => DailyLine::Series(code),
            MarketTable::Quotes => {
                let [_, letters @ ..] = code.to_be_bytes();
                DailyLine::Quotes(str::from_utf8(&letters).ok()?.parse().ok()?)
            }
        };
        Some((line, Date::from_day_number(i32::try_from(day).ok()?)?))
    }
}

/// The last bits of a key are the day, counted backwards: newer days come first.
const DAY_BITS: u32 = 22;
const LAST_DAY: u64 = (1 << DAY_BITS) - 1;

impl DailyLine {
    fn key(self, day: Date) -> u64 {
        let code = match self {
            DailyLine::Series(number) => number,
            // Three letters, in the order of the alphabet.
            DailyLine::Quotes(currency) => {
                currency.as_str().bytes().fold(0, |code, letter| code << 8 | u32::from(letter))
            }
        };
        u64::from(code) << DAY_BITS | (LAST_DAY - u64::from(day.day_number().unsigned_abs()))
    }
}

impl RowSource for MarketRows {
    fn headings(&self) -> Vec<Heading> {
        match self.table {
            MarketTable::OneSeries(_) => headings::<Rate>(),
            MarketTable::EverySeries => headings::<Observation>(),
            MarketTable::Quotes => headings::<FxRate>(),
        }
    }

    fn count(&self, snapshot: &Snapshot) -> Result<u64> {
        let counts = self.lines.iter().map(|line| match *line {
            DailyLine::Series(number) => whole_histories::count(snapshot, number, self.days),
            DailyLine::Quotes(currency) => {
                whole_histories::count_quotes(snapshot, currency, self.days)
            }
        });
        counts.sum()
    }

    fn next_rows(
        &mut self,
        snapshot: &Snapshot,
        limit: usize,
        visit: VisitRow<'_>,
    ) -> Result<bool> {
        let mut left = limit;
        while left > 0
            && let Some(line) = self.lines.get(self.line)
        {
            let (from, to) = (self.days.0, self.to);
            let (rows, oldest) = self.visit(snapshot, *line, (from, to), left, visit)?;
            match oldest {
                Some(oldest) if rows == left && oldest > from => self.to = oldest.days_before(1),
                _ => (self.line, self.to) = (self.line + 1, self.days.1),
            }
            left -= rows;
        }
        Ok(self.line < self.lines.len())
    }

    fn change_log_name(&self) -> Option<String> {
        match self.table {
            MarketTable::OneSeries(number) => {
                Some(series_definitions::dataset(number).into_owned())
            }
            MarketTable::EverySeries => None,
            MarketTable::Quotes => Some(freshness::FX.to_owned()),
        }
    }

    fn key(&self, dataset: &str, key: &str) -> Option<u64> {
        match self.table {
            MarketTable::OneSeries(number) => {
                Some(DailyLine::Series(number).key(key.parse().ok()?))
            }
            MarketTable::EverySeries => Some(
                DailyLine::Series(whole_histories::logged_series(dataset)?).key(key.parse().ok()?),
            ),
            MarketTable::Quotes => {
                let (pair, day) = key.split_once(' ')?;
                let pair: Pair = pair.parse().ok()?;
                Some(DailyLine::Quotes(pair.base).key(day.parse().ok()?))
            }
        }
    }

    fn hidden_until(&self, key: u64) -> Option<Date> {
        self.line_and_day(key).map(|(_, day)| day)
    }

    fn keys_shown_after(&self, snapshot: &Snapshot, day: Date) -> Result<Vec<u64>> {
        let (days, mut keys) = ((day, self.days.1), Vec::new());
        for line in &self.lines {
            let dates: Vec<Date> = match *line {
                DailyLine::Series(number) => {
                    let rates = whole_histories::rates(snapshot, number, days, usize::MAX)?;
                    rates.into_iter().map(|rate| rate.date).collect()
                }
                DailyLine::Quotes(currency) => {
                    let quotes = whole_histories::quotes(snapshot, currency, days, usize::MAX)?;
                    quotes.into_iter().map(|quote| quote.date).collect()
                }
            };
            keys.extend(dates.into_iter().filter(|date| *date > day).map(|date| line.key(date)));
        }
        Ok(keys)
    }

    fn find(&self, snapshot: &Snapshot, key: u64, visit: VisitRow<'_>) -> Result<bool> {
        let Some((line, day)) = self.line_and_day(key) else { return Ok(false) };
        let (rows, _) = self.visit(snapshot, line, (day, day), 1, visit)?;
        Ok(rows > 0)
    }

    fn removed_row(&self, key: u64) -> Vec<Cell<'static>> {
        match (self.table, self.line_and_day(key)) {
            (MarketTable::EverySeries, Some((DailyLine::Series(number), day))) => {
                let name = Cell::Text(series_definitions::dataset(number));
                vec![Cell::Integer(number.into()), name, Cell::Day(day), Cell::Empty, Cell::Empty]
            }
            (_, Some((DailyLine::Series(_), day))) => {
                vec![Cell::Day(day), Cell::Empty, Cell::Empty]
            }
            (_, Some((DailyLine::Quotes(currency), day))) => {
                let pair = Cell::display(Pair::in_reais(currency));
                vec![Cell::Day(day), pair, Cell::Empty, Cell::Empty, Cell::Empty]
            }
            (_, None) => Vec::new(),
        }
    }
}
