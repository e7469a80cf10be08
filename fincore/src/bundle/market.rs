//! The bundled tables of market data.
use std::fmt::Write;

use super::table_rows::parse_rows;
use crate::{
    catalogue::{OnConflict, Snapshot, Tally, Writer},
    error::Result,
    market::{
        Meeting, Rate,
        meetings::{self, Meetings},
        series_definitions::{CDI_DAILY, IPCA, SELIC},
        store::{self, Quote},
    },
    sqlite::parsed,
    types::{Date, Decimal, whole_number},
};

/// The tables that hold one SGS series each.
const OWN_TABLES: [(&str, u32); 3] =
    [("selic.csv", SELIC), ("cdi.csv", CDI_DAILY), ("ipca.csv", IPCA)];
const OWN_HEADER: &str = "date,value";
/// The days without a published figure at hand, which carry that of the day before.
pub(super) const CARRIED: &str = "carried.csv";
/// The table of all other series.
const SERIES: &str = "series.csv";
const SERIES_HEADER: &str = "series,date,value";
/// The calendar of the monetary policy committee.
const COPOM: &str = "copom.csv";
const COPOM_HEADER: &str = "first_day,second_day";
const FX: &str = "fx.csv";
const FX_HEADER: &str = "currency,date,buy,sell";

/// Stores a table of market data; `None` if it is not one. Stored figures are kept.
pub(super) fn store_table(writer: &Writer, name: &str, table: &str) -> Result<Option<Tally>> {
    let mut tally = Tally::default();
    let keep = OnConflict::Keep;
    if let Some((_, series)) = OWN_TABLES.iter().find(|(own, _)| *own == name) {
        tally +=
            store::write_rates(writer, *series, &parse_rows(name, table, OWN_HEADER, rate)?, keep)?;
    } else if name == SERIES {
        let all = parse_rows(name, table, SERIES_HEADER, numbered_rate)?;
        for of_one in all.chunk_by(|(one, _), (other, _)| one == other) {
            let rates: Vec<Rate> = of_one.iter().map(|(_, rate)| rate.clone()).collect();
            tally += store::write_rates(writer, of_one[0].0, &rates, keep)?;
        }
    } else if name == CARRIED {
        for (series, rate) in parse_rows(name, table, SERIES_HEADER, numbered_rate)? {
            tally += store::write_carried(writer, series, &rate)?;
        }
    } else if name == COPOM {
        tally += meetings::fill(writer, &parse_rows(name, table, COPOM_HEADER, meeting)?)?;
    } else if name == FX {
        tally += store::write_quotes(writer, &parse_rows(name, table, FX_HEADER, quote)?, keep)?;
    } else {
        return Ok(None);
    }
    Ok(Some(tally))
}

fn rate(line: &str) -> Option<Result<Rate>> {
    let (date, value) = line.split_once(',')?;
    Some((|| Ok(Rate::published(date.parse()?, value.parse()?)))())
}

fn numbered_rate(line: &str) -> Option<Result<(u32, Rate)>> {
    let (number, line) = line.split_once(',')?;
    let number = whole_number(number)?;
    Some(rate(line)?.map(|rate| (number, rate)))
}

fn meeting(line: &str) -> Option<Result<Meeting>> {
    let (first, second) = line.split_once(',')?;
    Some((|| Ok(Meeting { first_day: first.parse()?, second_day: second.parse()? }))())
}

fn quote(line: &str) -> Option<Result<Quote>> {
    let mut fields = line.split(',');
    let (currency, date) = (fields.next()?, fields.next()?);
    let (buy, sell) = (fields.next()?, fields.next()?);
    let side = |text: &str| if text.is_empty() { Ok(None) } else { text.parse().map(Some) };
    let read = || {
        Ok(Quote {
            currency: currency.parse()?,
            date: date.parse()?,
            buy: side(buy)?,
            sell: side(sell)?,
        })
    };
    fields.next().is_none().then(read)
}

/// The tables of all published market data. A day of the table of carried figures stays one, though a file may have it:
/// such files were filled in the same way. Its line is deleted by hand once its publisher's own file is there.
pub(super) fn tables(snapshot: &Snapshot, carried: &str) -> Result<Vec<(&'static str, String)>> {
    let filled = parse_rows(CARRIED, carried, SERIES_HEADER, numbered_rate)?;
    let mut tables = vec![(SERIES, series_table(snapshot)?), (FX, fx_table(snapshot)?)];
    for (name, series) in OWN_TABLES {
        let is_filled =
            |date: Date| filled.iter().any(|(of, rate)| *of == series && rate.date == date);
        tables.push((name, own_table(snapshot, series, is_filled)?));
    }
    tables.push((CARRIED, carried.to_owned()));
    tables.push((COPOM, meetings_table(snapshot)?));
    Ok(tables)
}

fn own_table(snapshot: &Snapshot, series: u32, is_filled: impl Fn(Date) -> bool) -> Result<String> {
    const SQL: &str = "SELECT date, value FROM rate WHERE series = ?1 ORDER BY date";
    let mut table = format!("{OWN_HEADER}\n");
    snapshot.rows(SQL, [series], |row| {
        let (date, value): (Date, Decimal) = (parsed(row, 0)?, parsed(row, 1)?);
        if !is_filled(date) {
            let _ = writeln!(table, "{date},{value}");
        }
        Ok(())
    })?;
    Ok(table)
}

fn meetings_table(snapshot: &Snapshot) -> Result<String> {
    let mut table = format!("{COPOM_HEADER}\n");
    for Meeting { first_day, second_day, .. } in &Meetings::of(snapshot)?.0 {
        let _ = writeln!(table, "{first_day},{second_day}");
    }
    Ok(table)
}

fn series_table(snapshot: &Snapshot) -> Result<String> {
    const SQL: &str = "SELECT series, date, value FROM rate
        WHERE computed = 0 AND series NOT IN (?1, ?2, ?3) ORDER BY series, date";
    let mut table = format!("{SERIES_HEADER}\n");
    let own = OWN_TABLES.map(|(_, series)| series);
    snapshot.rows(SQL, own, |row| {
        let (date, value): (Date, Decimal) = (parsed(row, 1)?, parsed(row, 2)?);
        let _ = writeln!(table, "{},{date},{value}", row.get::<_, u32>(0)?);
        Ok(())
    })?;
    Ok(table)
}

fn fx_table(snapshot: &Snapshot) -> Result<String> {
    const SQL: &str = "SELECT currency, date, COALESCE(buy, ''), COALESCE(sell, '')
        FROM fx ORDER BY currency, date";
    let mut table = format!("{FX_HEADER}\n");
    snapshot.rows(SQL, [], |row| {
        let field = |column| row.get_ref(column)?.as_str().map_err(rusqlite::Error::from);
        let _ = writeln!(table, "{},{},{},{}", field(0)?, field(1)?, field(2)?, field(3)?);
        Ok(())
    })?;
    Ok(table)
}
