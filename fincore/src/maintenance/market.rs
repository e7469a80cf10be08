//! Rates, quotes and meetings: which of them cannot be read or cannot be right, and which computed rates are wrong.
use rusqlite::{Row, types::ValueRef};

use crate::{
    maintenance::{
        Findings, Noun, RemovedRows,
        findings::{Progress, display_value},
    },
    market::{
        Rhythm, Side,
        freshness::FX,
        rows::CARRIED,
        series_definitions::{CDI_DAILY, DEFINITIONS, dataset, definition},
        store,
    },
    store::{Change, Writer},
    values::{Currency, Date, Decimal, Pair, Result},
};

const RATE: Noun = ("rate", "rates");
const QUOTE: Noun = ("quote", "quotes");
const COMPUTED: Noun = ("computed rate", "computed rates");

/// Finds everything that is wrong.
pub(crate) fn check(
    writer: &Writer,
    findings: &mut Findings,
    progress: &mut Progress<'_>,
) -> Result<()> {
    progress.begin("rates");
    bad_rates(writer, progress, |bad| {
        findings.add(RATE, bad.fault, format_args!("{} ({})", bad.name(), bad.value));
    })?;
    for (daily, annual) in computed_series() {
        check_computed(writer, daily, annual, |date, wrong| {
            findings.add(COMPUTED, wrong.fault(), format_args!("SGS {annual} on {date}"));
        })?;
    }
    progress.begin("quotes");
    bad_quotes(writer, progress, |bad| {
        findings.add(QUOTE, bad.fault, format_args!("{} ({})", bad.name(), bad.values));
    })
}

/// Removes rates and quotes that cannot be read or cannot be right, and recomputes computed rates.
pub(crate) fn repair(writer: &Writer, removed: &mut RemovedRows) -> Result<()> {
    // Keys may be no text at all, so they are given as bytes.
    const REMOVE: &str = "DELETE FROM rate WHERE series = ?1 AND date = CAST(?2 AS TEXT)";
    const COMPUTED: &str = "DELETE FROM rate WHERE series = ?1 AND date = ?2 AND computed <> 0";
    let mut rates = Vec::new();
    bad_rates(writer, &mut Progress::none(), |bad| rates.push(bad))?;
    for bad in rates {
        writer.prepare(REMOVE)?.execute((bad.series, &bad.date))?;
        let series = u32::try_from(bad.series).map_or(bad.series.to_string().into(), dataset);
        removed.log(writer, &series, &String::from_utf8_lossy(&bad.date))?;
    }
    for (daily, annual) in computed_series() {
        let mut all = Vec::new();
        check_computed(writer, daily, annual, |date, wrong| all.push((date, wrong)))?;
        for (date, wrong) in all {
            if writer.prepare(COMPUTED)?.execute((annual, date))? > 0 {
                writer.log(&dataset(annual), date, Change::Removed)?;
            }
            if let ComputedFault::Different(value) | ComputedFault::Missing(value) = wrong {
                store::write_computed(writer, annual, date, Some(value))?;
            }
        }
    }
    repair_quotes(writer, removed)
}

/// A rate that cannot be read or cannot be right.
struct BadRate {
    series: i64,
    date: Vec<u8>,
    value: String,
    fault: &'static str,
}

impl BadRate {
    fn name(&self) -> String {
        let date = display_value(ValueRef::Text(&self.date));
        format!("SGS {} on {}", self.series, date.trim_matches('"'))
    }
}

fn bad_rates(
    writer: &Writer,
    progress: &mut Progress<'_>,
    mut bad: impl FnMut(BadRate),
) -> Result<()> {
    const SQL: &str = "SELECT series, date, value, computed FROM main.rate";
    let mut statement = writer.prepare(SQL)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        progress.count_row();
        if let Some(fault) = fault_of_rate(row)? {
            let (date, value) = (bytes(row, 1).to_owned(), display_value(row.get_ref(2)?));
            bad(BadRate { series: row.get(0)?, date, value, fault });
        }
    }
    Ok(())
}

/// A text as it is stored, which may be no text at all.
fn bytes<'r>(row: &'r Row<'_>, column: usize) -> &'r [u8] {
    row.get_ref(column).ok().and_then(|value| value.as_bytes().ok()).unwrap_or_default()
}

fn fault_of_rate(row: &Row<'_>) -> Result<Option<&'static str>> {
    let (date, value): (Option<Date>, Option<Decimal>) = (row.get(1).ok(), row.get(2).ok());
    let Ok(series) = u32::try_from(row.get::<_, i64>(0)?) else {
        return Ok(Some("whose series has an impossible number"));
    };
    let (Some(date), Some(value)) = (date, value) else {
        let fault =
            if date.is_none() { "whose date is no date" } else { "whose value is no number" };
        return Ok(Some(fault));
    };
    let monthly = definition(series).is_some_and(|definition| definition.rhythm == Rhythm::Monthly);
    Ok(if monthly && date != date.first_of_month() {
        Some("of a monthly series not dated on the first of a month")
    } else if series == CDI_DAILY && store::annualise(value).is_none() {
        Some("per day beyond what can be annualised")
    } else {
        let computes = definition(series).and_then(|definition| definition.computed_from);
        match row.get::<_, i64>(3)? {
            0 | CARRIED => None,
            _ if computes.is_some() => None,
            _ => Some("marked as computed, though nothing computes the series"),
        }
    })
}

/// Every rate per day, and the one per year that is computed from it.
fn computed_series() -> impl Iterator<Item = (u32, u32)> {
    DEFINITIONS.iter().filter_map(|annual| Some((annual.computed_from?, annual.number)))
}

#[derive(Clone, Copy)]
enum ComputedFault {
    Orphaned,
    Different(Decimal),
    Missing(Decimal),
}

impl ComputedFault {
    fn fault(self) -> &'static str {
        match self {
            ComputedFault::Orphaned => "without the rate per day that it comes from",
            ComputedFault::Different(_) => "other than what the rate per day gives",
            ComputedFault::Missing(_) => "missing, though there is a rate per day",
        }
    }
}

fn check_computed(
    writer: &Writer,
    daily: u32,
    annual: u32,
    mut wrong: impl FnMut(Date, ComputedFault),
) -> Result<()> {
    // Every daily figure, and every computed one without.
    const SQL: &str = "SELECT daily.date, daily.value, annual.value, COALESCE(annual.computed, 0)
        FROM main.rate AS daily
            LEFT JOIN main.rate AS annual ON annual.series = ?2 AND annual.date = daily.date
        WHERE daily.series = ?1
        UNION ALL
        SELECT date, NULL, value, 1 FROM main.rate AS annual WHERE series = ?2 AND computed <> 0
            AND NOT EXISTS (SELECT 1 FROM main.rate WHERE series = ?1 AND date = annual.date)";
    let mut statement = writer.prepare(SQL)?;
    let mut rows = statement.query((daily, annual))?;
    while let Some(row) = rows.next()? {
        // Values that cannot be read are reported by `bad_rates`.
        let (Ok(date), Ok(daily)) = (row.get(0), row.get::<_, Option<Decimal>>(1)) else {
            continue;
        };
        let wanted = daily.and_then(store::annualise);
        let is_there = row.get_ref(2)? != ValueRef::Null;
        match (wanted, is_there, row.get::<_, i64>(3)? != 0) {
            (None, true, true) => wrong(date, ComputedFault::Orphaned),
            (Some(value), false, _) => wrong(date, ComputedFault::Missing(value)),
            (Some(value), true, true) if value.to_string().as_bytes() != bytes(row, 2) => {
                wrong(date, ComputedFault::Different(value));
            }
            _ => (),
        }
    }
    Ok(())
}

/// A quote with a side, or a key, that cannot be read or cannot be right.
struct BadQuote {
    currency: Vec<u8>,
    date: Vec<u8>,
    values: String,
    /// The sides at fault.
    sides: &'static [Side],
    fault: &'static str,
}

const BOTH: &[Side] = &[Side::Buy, Side::Sell];

impl BadQuote {
    fn name(&self) -> String {
        let text = |bytes| display_value(ValueRef::Text(bytes)).trim_matches('"').to_owned();
        format!("{} on {}", text(&self.currency), text(&self.date))
    }
}

fn bad_quotes(
    writer: &Writer,
    progress: &mut Progress<'_>,
    mut bad: impl FnMut(BadQuote),
) -> Result<()> {
    const SQL: &str = "SELECT currency, date, buy, sell FROM main.fx";
    let mut statement = writer.prepare(SQL)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        progress.count_row();
        if let Some((sides, fault)) = fault_of_quote(row)? {
            let (currency, date) = (bytes(row, 0).to_owned(), bytes(row, 1).to_owned());
            let values = format!(
                "buy {}, sell {}",
                display_value(row.get_ref(2)?),
                display_value(row.get_ref(3)?)
            );
            bad(BadQuote { currency, date, values, sides, fault });
        }
    }
    Ok(())
}

fn fault_of_quote(row: &Row<'_>) -> Result<Option<(&'static [Side], &'static str)>> {
    let code = row.get_ref(0)?.as_str().unwrap_or_default();
    if !code.parse::<Currency>().is_ok_and(|currency| currency.as_str() == code) {
        return Ok(Some((BOTH, "whose currency has no code of three capitals")));
    }
    if row.get::<_, Date>(1).is_err() {
        return Ok(Some((BOTH, "whose date is no date")));
    }
    let side = |column| row.get::<_, Option<Decimal>>(column);
    let (buy, sell) = match (side(2), side(3)) {
        (Ok(buy), Ok(sell)) => (buy, sell),
        (Err(_), Ok(_)) => return Ok(Some((&[Side::Buy], "whose buying price is no number"))),
        (Ok(_), Err(_)) => return Ok(Some((&[Side::Sell], "whose selling price is no number"))),
        (Err(_), Err(_)) => return Ok(Some((BOTH, "whose prices are no numbers"))),
    };
    let above_zero = |price: Option<Decimal>| price.is_none_or(Decimal::is_positive);
    Ok(match (above_zero(buy), above_zero(sell)) {
        (false, true) => Some((&[Side::Buy], "whose buying price is not above zero")),
        (true, false) => Some((&[Side::Sell], "whose selling price is not above zero")),
        (false, false) => Some((BOTH, "whose prices are not above zero")),
        (true, true) => match (buy, sell) {
            (Some(buy), Some(sell)) if buy > sell => {
                Some((BOTH, "whose buying price is above the selling price"))
            }
            (None, None) => Some((BOTH, "without a price")),
            _ => None,
        },
    })
}

/// Removes the sides at fault, and quotes without any side.
fn repair_quotes(writer: &Writer, removed: &mut RemovedRows) -> Result<()> {
    const BUY: &str =
        "UPDATE fx SET buy = NULL WHERE currency = CAST(?1 AS TEXT) AND date = CAST(?2 AS TEXT)";
    const SELL: &str =
        "UPDATE fx SET sell = NULL WHERE currency = CAST(?1 AS TEXT) AND date = CAST(?2 AS TEXT)";
    const EMPTY: &str = "DELETE FROM fx WHERE buy IS NULL AND sell IS NULL";
    let mut quotes = Vec::new();
    bad_quotes(writer, &mut Progress::none(), |bad| quotes.push(bad))?;
    for bad in quotes {
        let (code, date) =
            (String::from_utf8_lossy(&bad.currency), String::from_utf8_lossy(&bad.date));
        for side in bad.sides {
            let sql = if *side == Side::Buy { BUY } else { SELL };
            writer.prepare(sql)?.execute((&bad.currency, &bad.date))?;
            let side = |definition: &&crate::market::series_definitions::SeriesDefinition| {
                definition
                    .quote
                    .is_some_and(|(currency, of)| currency.as_str() == code && of == *side)
            };
            if let Some(series) = DEFINITIONS.iter().find(side) {
                writer.log(series.name, &date, Change::Removed)?;
            }
        }
        let pair = code.parse().map_or(code.to_string(), |code| Pair::in_reais(code).to_string());
        removed.log(writer, FX, &format!("{pair} {date}"))?;
    }
    writer.prepare(EMPTY)?.execute([])?;
    Ok(())
}

const MEETING: Noun = ("meeting", "meetings");

/// Finds everything that is wrong.
pub(crate) fn check_meetings(writer: &Writer, findings: &mut Findings) -> Result<()> {
    for (day, fault) in bad_meetings(writer)? {
        findings.add(MEETING, fault, display_value(ValueRef::Text(&day)).trim_matches('"'));
    }
    Ok(())
}

/// Removes the meetings that cannot be read; the bundled data and an import have them again.
pub(crate) fn repair_meetings(writer: &Writer, removed: &mut RemovedRows) -> Result<()> {
    // A key may be no text at all, so it is given as bytes.
    const SQL: &str = "DELETE FROM copom_meeting WHERE second_day = CAST(?1 AS TEXT)";
    for (day, _) in bad_meetings(writer)? {
        writer.prepare(SQL)?.execute([&day])?;
        removed.add(format_args!("meeting {}", String::from_utf8_lossy(&day)));
    }
    Ok(())
}

/// The second day of each, as stored, and what is wrong with it.
fn bad_meetings(writer: &Writer) -> Result<Vec<(Vec<u8>, &'static str)>> {
    const SQL: &str = "SELECT first_day, second_day FROM main.copom_meeting";
    let mut statement = writer.prepare(SQL)?;
    let mut rows = statement.query([])?;
    let mut bad = Vec::new();
    while let Some(row) = rows.next()? {
        let fault = match (day(row, 0), day(row, 1)) {
            (Some(first), Some(second)) if first <= second => continue,
            (Some(_), Some(_)) => "that ends before it begins",
            (None, _) | (_, None) => "with a day that is no date",
        };
        bad.push((row.get_ref(1)?.as_bytes().unwrap_or_default().to_owned(), fault));
    }
    Ok(bad)
}

fn day(row: &Row<'_>, column: usize) -> Option<Date> {
    row.get_ref(column).ok()?.as_str().ok()?.parse().ok()
}
