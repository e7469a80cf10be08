//! Series and quotes as they are exported: line after line, each newest first.
use super::source::{Source, Visit};
use crate::{
    catalogue::Snapshot,
    error::Result,
    market::{
        FxRate, Rate,
        parts::{self, Days, Observation},
    },
    table::{Cell, Heading, cells, headings},
    types::{Currency, Date, DateRange, Pair},
};

/// Observations or quotes up to the snapshot's date.
#[derive(Debug)]
pub(super) struct Market {
    table: Table,
    lines: Vec<Line>,
    days: Days,
    /// The line that is read next, and its newest day that was not read yet.
    line: usize,
    to: Date,
}

#[derive(Clone, Copy, Debug)]
enum Table {
    OneSeries(u32),
    EverySeries,
    Quotes,
}

/// What has at most one row a day.
#[derive(Clone, Copy, Debug)]
enum Line {
    Series(u32),
    Quotes(Currency),
}

impl Market {
    pub(super) fn one(snapshot: &Snapshot, number: u32, days: DateRange) -> Market {
        Market::new(snapshot, Table::OneSeries(number), vec![Line::Series(number)], days)
    }

    pub(super) fn series(snapshot: &Snapshot, days: DateRange) -> Result<Market> {
        let lines = parts::numbers(snapshot)?.into_iter().map(Line::Series).collect();
        Ok(Market::new(snapshot, Table::EverySeries, lines, days))
    }

    pub(super) fn fx(snapshot: &Snapshot, days: DateRange) -> Result<Market> {
        let lines = parts::currencies(snapshot)?.into_iter().map(Line::Quotes).collect();
        Ok(Market::new(snapshot, Table::Quotes, lines, days))
    }

    pub(super) fn quotes(snapshot: &Snapshot, currency: Currency, days: DateRange) -> Market {
        Market::new(snapshot, Table::Quotes, vec![Line::Quotes(currency)], days)
    }

    fn new(snapshot: &Snapshot, table: Table, lines: Vec<Line>, days: DateRange) -> Market {
        let days = (days.from(), days.to().min(snapshot.today()));
        Market { table, lines, days, line: 0, to: days.1 }
    }

    /// Visits the newest rows of a line in a range of days; their number, and the oldest day.
    fn visit(
        &self,
        snapshot: &Snapshot,
        (line, days): (Line, Days),
        limit: usize,
        visit: Visit<'_>,
    ) -> Result<(usize, Option<Date>)> {
        match line {
            Line::Series(series) => {
                let rates = parts::rates(snapshot, series, days, limit)?;
                let read = (rates.len(), rates.last().map(|rate| rate.date));
                for rate in rates {
                    match self.table {
                        Table::EverySeries => visit(&cells(&Observation { series, rate }))?,
                        Table::OneSeries(_) | Table::Quotes => visit(&cells(&rate))?,
                    }
                }
                Ok(read)
            }
            Line::Quotes(currency) => {
                let quotes = parts::quotes(snapshot, currency, days, limit)?;
                quotes.iter().try_for_each(|quote| visit(&cells(quote)))?;
                Ok((quotes.len(), quotes.last().map(|quote| quote.date)))
            }
        }
    }

    /// The line and the day of a key.
    fn of_key(&self, key: u64) -> Option<(Line, Date)> {
        let (code, day) = (u32::try_from(key >> DAY_BITS).ok()?, LAST_DAY - (key & LAST_DAY));
        let line = match self.table {
            Table::OneSeries(_) | Table::EverySeries => Line::Series(code),
            Table::Quotes => {
                let [_, letters @ ..] = code.to_be_bytes();
                Line::Quotes(str::from_utf8(&letters).ok()?.parse().ok()?)
            }
        };
        Some((line, Date::from_day_number(i32::try_from(day).ok()?)?))
    }
}

/// The last bits of a key are the day, counted backwards: newer days come first.
const DAY_BITS: u32 = 22;
const LAST_DAY: u64 = (1 << DAY_BITS) - 1;

impl Line {
    fn key(self, day: Date) -> u64 {
        let code = match self {
            Line::Series(number) => number,
            // Three letters, in the order of the alphabet.
            Line::Quotes(currency) => {
                currency.as_str().bytes().fold(0, |code, letter| code << 8 | u32::from(letter))
            }
        };
        u64::from(code) << DAY_BITS | (LAST_DAY - u64::from(day.day_number().unsigned_abs()))
    }
}

impl Source for Market {
    fn headings(&self) -> Vec<Heading> {
        match self.table {
            Table::OneSeries(_) => headings::<Rate>(),
            Table::EverySeries => headings::<Observation>(),
            Table::Quotes => headings::<FxRate>(),
        }
    }

    fn count(&self, snapshot: &Snapshot) -> Result<u64> {
        let counts = self.lines.iter().map(|line| match *line {
            Line::Series(number) => parts::count(snapshot, number, self.days),
            Line::Quotes(currency) => parts::count_quotes(snapshot, currency, self.days),
        });
        counts.sum()
    }

    fn part(&mut self, snapshot: &Snapshot, limit: usize, visit: Visit<'_>) -> Result<bool> {
        let mut left = limit;
        while left > 0
            && let Some(line) = self.lines.get(self.line)
        {
            let (from, to) = (self.days.0, self.to);
            let (rows, oldest) = self.visit(snapshot, (*line, (from, to)), left, visit)?;
            match oldest {
                Some(oldest) if rows == left && oldest > from => self.to = oldest.days_before(1),
                _ => (self.line, self.to) = (self.line + 1, self.days.1),
            }
            left -= rows;
        }
        Ok(self.line < self.lines.len())
    }

    fn logged_as(&self) -> Option<String> {
        match self.table {
            Table::OneSeries(number) => Some(parts::name_of(number).into_owned()),
            Table::EverySeries => None,
            Table::Quotes => Some(parts::FX.to_owned()),
        }
    }

    fn key(&self, dataset: &str, key: &str) -> Option<u64> {
        match self.table {
            Table::OneSeries(number) => Some(Line::Series(number).key(key.parse().ok()?)),
            Table::EverySeries => {
                Some(Line::Series(parts::logged_series(dataset)?).key(key.parse().ok()?))
            }
            Table::Quotes => {
                let (pair, day) = key.split_once(' ')?;
                let pair: Pair = pair.parse().ok()?;
                Some(Line::Quotes(pair.base).key(day.parse().ok()?))
            }
        }
    }

    fn day(&self, key: u64) -> Option<Date> {
        self.of_key(key).map(|(_, day)| day)
    }

    fn shown_after(&self, snapshot: &Snapshot, day: Date) -> Result<Vec<u64>> {
        let (days, mut keys) = ((day, self.days.1), Vec::new());
        for line in &self.lines {
            let dates: Vec<Date> = match *line {
                Line::Series(number) => {
                    let rates = parts::rates(snapshot, number, days, usize::MAX)?;
                    rates.into_iter().map(|rate| rate.date).collect()
                }
                Line::Quotes(currency) => {
                    let quotes = parts::quotes(snapshot, currency, days, usize::MAX)?;
                    quotes.into_iter().map(|quote| quote.date).collect()
                }
            };
            keys.extend(dates.into_iter().filter(|date| *date > day).map(|date| line.key(date)));
        }
        Ok(keys)
    }

    fn find(&self, snapshot: &Snapshot, key: u64, visit: Visit<'_>) -> Result<bool> {
        let Some((line, day)) = self.of_key(key) else { return Ok(false) };
        let (rows, _) = self.visit(snapshot, (line, (day, day)), 1, visit)?;
        Ok(rows > 0)
    }

    fn removed(&self, key: u64) -> Vec<Cell<'static>> {
        match (self.table, self.of_key(key)) {
            (Table::EverySeries, Some((Line::Series(number), day))) => {
                let name = Cell::Text(parts::name_of(number));
                vec![Cell::Integer(number.into()), name, Cell::Day(day), Cell::Empty]
            }
            (_, Some((Line::Series(_), day))) => vec![Cell::Day(day), Cell::Empty],
            (_, Some((Line::Quotes(currency), day))) => {
                let pair = Cell::shown(Pair::in_reais(currency));
                vec![Cell::Day(day), pair, Cell::Empty, Cell::Empty]
            }
            (_, None) => Vec::new(),
        }
    }
}
