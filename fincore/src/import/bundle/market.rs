//! The bundled tables of market data.
use std::fmt::Write;

use crate::{
    market::{
        Meeting, Meetings, Quote, Rate, freshness,
        series_definitions::{CDI_DAILY, IPCA, SELIC},
        store,
    },
    store::{OnConflict, Snapshot, Tally, Writer},
    values::{Date, Decimal, Result, tsv},
};

/// The tables that hold one SGS series each.
const OWN_TABLES: [(&str, u32); 3] =
    [("selic.csv", SELIC), ("cdi.csv", CDI_DAILY), ("ipca.csv", IPCA)];
const OWN_HEADER: &str = "date,value";
/// The days without a published figure at hand, which carry that of the day before.
pub(crate) const CARRIED: &str = "carried.csv";
/// Figures that their publisher has corrected, with the value that older bundles had before.
pub(crate) const CORRECTED: &str = "corrected.csv";
const CORRECTED_HEADER: &str = "series,date,before,value";
/// The table of all other series.
const SERIES: &str = "series.csv";
const SERIES_HEADER: &str = "series,date,value";
/// The calendar of the monetary policy committee.
const COPOM: &str = "copom.csv";
const COPOM_HEADER: &str = "first_day,second_day";
const FX: &str = "fx.csv";
const FX_HEADER: &str = "currency,date,buy,sell";

/// Stores a table of market data; `None` if it is not one. Stored figures are kept, unless an older bundle brought them and
/// they have been corrected since.
pub(crate) fn store_table(writer: &Writer, name: &str, table: &str) -> Result<Option<Tally>> {
    let mut tally = Tally::default();
    let keep = OnConflict::Keep;
    if let Some((_, series)) = OWN_TABLES.iter().find(|(own, _)| *own == name) {
        tally +=
            store::write_rates(writer, *series, &tsv::read(name, table, OWN_HEADER, rate)?, keep)?;
    } else if name == SERIES {
        let all = tsv::read(name, table, SERIES_HEADER, numbered_rate)?;
        for of_one in all.chunk_by(|(one, _), (other, _)| one == other) {
            let rates: Vec<Rate> = of_one.iter().map(|(_, rate)| rate.clone()).collect();
            tally += store::write_rates(writer, of_one[0].0, &rates, keep)?;
        }
    } else if name == CARRIED {
        for (series, rate) in tsv::read(name, table, SERIES_HEADER, numbered_rate)? {
            tally += store::write_carried(writer, series, &rate)?;
        }
    } else if name == CORRECTED {
        for (series, before, rate) in tsv::read(name, table, CORRECTED_HEADER, correction)? {
            tally += store::write_corrected(writer, series, before, &rate)?;
        }
    } else if name == COPOM {
        tally += freshness::fill(writer, &tsv::read(name, table, COPOM_HEADER, meeting)?)?;
    } else if name == FX {
        tally += store::write_quotes(writer, &tsv::read(name, table, FX_HEADER, quote)?, keep)?;
    } else {
        return Ok(None);
    }
    Ok(Some(tally))
}

fn rate([date, value]: [&str; 2]) -> Result<Rate> {
    Ok(Rate::published(date.parse()?, value.parse()?))
}

fn numbered_rate([series, date, value]: [&str; 3]) -> Result<(u32, Rate)> {
    Ok((tsv::number(series)?, rate([date, value])?))
}

/// A series, the value before, and the observation that replaces it.
fn correction([series, date, before, value]: [&str; 4]) -> Result<(u32, Decimal, Rate)> {
    Ok((tsv::number(series)?, before.parse()?, rate([date, value])?))
}

fn meeting([first, second]: [&str; 2]) -> Result<Meeting> {
    Ok(Meeting { first_day: first.parse()?, second_day: second.parse()? })
}

fn quote([currency, date, buy, sell]: [&str; 4]) -> Result<Quote> {
    Ok(Quote {
        currency: currency.parse()?,
        date: date.parse()?,
        buy: tsv::optional(buy)?,
        sell: tsv::optional(sell)?,
    })
}

/// The tables of all published market data. A day of the table of carried figures stays one, though a file may have it:
/// such files were filled in the same way. Its line is deleted by hand once its publisher's own file is there. What was
/// corrected stays as it is bundled: lines are added by hand.
pub(crate) fn tables(
    snapshot: &Snapshot,
    carried: &str,
    corrected: String,
) -> Result<Vec<(&'static str, String)>> {
    let filled = tsv::read(CARRIED, carried, SERIES_HEADER, numbered_rate)?;
    let mut tables = vec![(SERIES, series_table(snapshot)?), (FX, fx_table(snapshot)?)];
    for (name, series) in OWN_TABLES {
        let is_filled =
            |date: Date| filled.iter().any(|(of, rate)| *of == series && rate.date == date);
        tables.push((name, own_table(snapshot, series, is_filled)?));
    }
    tables.push((CARRIED, carried.to_owned()));
    tables.push((CORRECTED, corrected));
    tables.push((COPOM, meetings_table(snapshot)?));
    Ok(tables)
}

fn own_table(snapshot: &Snapshot, series: u32, is_filled: impl Fn(Date) -> bool) -> Result<String> {
    const SQL: &str = "SELECT date, value FROM rate WHERE series = ?1 ORDER BY date";
    let mut table = format!("{OWN_HEADER}\n");
    snapshot.rows(SQL, [series], |row| {
        let (date, value): (Date, Decimal) = (row.get(0)?, row.get(1)?);
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
        let (date, value): (Date, Decimal) = (row.get(1)?, row.get(2)?);
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

#[cfg(test)]
mod tests {
    use crate::market;
    use crate::market::past;
    use crate::values::tsv;

    use super::*;
    use crate::{
        import::{
            Import,
            bundle::{META_ENTRY, TABLES, fill_market, gathered_at, unpack},
        },
        market::{History, Revision, SeriesHistory},
        store::catalogue::{Catalogue, temporary},
    };

    /// The corrected days as older bundles had them, and the days after them.
    const OLDER: &str = "date,value\n2001-07-17,18.25\n2001-07-18,19.00\n2001-07-19,19.00\n\
        2006-04-18,16.50\n2006-04-19,15.75\n2006-04-20,15.75\n";

    /// A catalogue that an older program filled.
    fn filled_by_an_older_program() -> (tempfile::TempDir, Catalogue) {
        let (dir, catalogue) = temporary();
        let writer = catalogue.write(gathered_at()).unwrap().without_log();
        store_table(&writer, "selic.csv", OLDER).unwrap();
        writer.set_meta(META_ENTRY, "that of an older program").unwrap();
        writer.commit().unwrap();
        (dir, catalogue)
    }

    fn import(catalogue: &Catalogue, time: &str, date: &str, value: &str) {
        let mut import = Import::begin(catalogue, time.parse().unwrap()).unwrap().force();
        let rows = format!(r#"[{{"data":"{date}","valor":"{value}"}}]"#);
        import.file("bcdata.sgs.432.json", rows.as_bytes()).unwrap();
        import.commit().unwrap();
    }

    fn value(snapshot: &Snapshot, date: &str) -> String {
        let day: Option<Date> = Some(date.parse().unwrap());
        let query = History { from: day, to: day, ..History::default() };
        market::selic(snapshot, query).unwrap().data[0].value.to_string()
    }

    fn revisions(catalogue: &Catalogue) -> Vec<String> {
        let snapshot = catalogue.snapshot("2026-10-31".parse().unwrap()).unwrap();
        let query = SeriesHistory::new("selic".parse().unwrap());
        let time = |time: Option<chrono::DateTime<chrono::Utc>>| {
            time.map_or("-".to_owned(), |time| time.format("%m-%dT%H").to_string())
        };
        let shown = |row: &Revision| {
            let (from, until) = (time(row.known_from), time(row.known_until));
            format!("{} {} {from} {until}", row.date, row.value)
        };
        past::revisions(&snapshot, query).unwrap().data.iter().map(shown).collect()
    }

    #[test]
    fn what_was_corrected_becomes_a_revision_where_an_older_bundle_was() {
        let (_dir, catalogue) = filled_by_an_older_program();
        assert!(fill_market(&catalogue).unwrap());
        let expected = [
            "2006-04-19 16.50 - -",
            "2006-04-19 15.75 - 10-05T00",
            "2001-07-18 18.25 - -",
            "2001-07-18 19.00 - 10-05T00",
        ];
        assert_eq!(revisions(&catalogue), expected);
        let now = catalogue.snapshot("2026-10-31".parse().unwrap()).unwrap();
        for (date, known) in [("2001-07-19", "19.00"), ("2006-04-20", "15.75")] {
            assert_eq!(value(&now, date), known);
        }
        assert_eq!(value(&past::first_releases(&now).unwrap(), "2006-04-19"), "15.75");
        assert!(!fill_market(&catalogue).unwrap());
        assert_eq!(revisions(&catalogue).len(), 4);
    }

    #[test]
    fn a_correction_is_known_from_the_next_import_on() {
        let (_dir, catalogue) = filled_by_an_older_program();
        import(&catalogue, "2026-10-09T12:00:00Z", "05/11/2026", "13.75");
        assert!(fill_market(&catalogue).unwrap());
        // Not before the import that did not have it.
        assert_eq!(revisions(&catalogue)[1], "2006-04-19 15.75 - 10-09T12");
        import(&catalogue, "2026-10-20T12:00:00Z", "06/11/2026", "13.75");
        assert_eq!(revisions(&catalogue)[1], "2006-04-19 15.75 - 10-20T12");
        let now = catalogue.snapshot("2026-10-31".parse().unwrap()).unwrap();
        for (day, known) in [("2026-10-19", "15.75"), ("2026-10-20", "16.50")] {
            let past = past::as_of(&now, day.parse().unwrap()).unwrap();
            assert_eq!(value(&past, "2006-04-19"), known, "{day}");
        }
    }

    #[test]
    fn a_figure_that_an_import_brought_is_not_corrected() {
        for imported in ["15.80", "15.75", "16.50"] {
            let (_dir, catalogue) = filled_by_an_older_program();
            import(&catalogue, "2026-10-08T12:00:00Z", "19/04/2006", "15.90");
            import(&catalogue, "2026-10-09T12:00:00Z", "19/04/2006", imported);
            assert!(fill_market(&catalogue).unwrap());
            let now = catalogue.snapshot("2026-10-31".parse().unwrap()).unwrap();
            assert_eq!(value(&now, "2006-04-19"), imported);
            assert_eq!(value(&now, "2001-07-18"), "18.25");
        }
    }

    #[test]
    fn what_was_corrected_stands_in_the_tables() {
        let (_dir, catalogue) = temporary();
        fill_market(&catalogue).unwrap();
        let snapshot = catalogue.snapshot(Date::MAX).unwrap();
        let (name, packed) = TABLES.iter().find(|(name, _)| *name == CORRECTED).unwrap();
        let table = unpack(name, packed).unwrap();
        let corrections = tsv::read(name, &table, CORRECTED_HEADER, correction).unwrap();
        assert_eq!(corrections.len(), 2);
        for (series, before, rate) in corrections {
            assert_eq!(series, SELIC);
            assert_eq!(value(&snapshot, &rate.date.to_string()), rate.value.to_string());
            assert_ne!(before, rate.value);
        }
        // A new catalogue has never had another value.
        assert_eq!(revisions(&catalogue), [""; 0]);
    }
}
