//! Reads the closing quotes of one currency pair.
use std::sync::Arc;

use crate::{
    answers::{Meta, Page, Sourced},
    market::{
        CachedHistory, DateWindow, FxHistory, FxPair, FxRate, HistoryPage, OriginCounts, freshness,
        history_cache, queries::within_plan,
    },
    store::Snapshot,
    values::{Currency, Date, Error, Offset, Pair, Resource, Result},
};

/// The source of exchange rates.
pub(crate) const PTAX: &str = "BCB PTAX, closing bulletin";

/// Gold, which the bulletin quotes by the gram.
const GOLD: &str = "XAU";

/// The columns that [`read`] expects, of one currency. Only quotes with both sides are served.
pub(crate) const SELECT: &str =
    "SELECT date, buy, sell FROM fx WHERE currency = ?1 AND buy IS NOT NULL AND sell IS NOT NULL";

/// One page of the quotes of a pair, newest first.
pub(crate) fn history(snapshot: &Snapshot, query: &FxHistory) -> Result<Page<FxRate>> {
    history_from(snapshot, query, cached_history(snapshot, query.pair)?.as_deref())
}

/// The history from memory, or from the file.
pub(crate) fn history_from(
    snapshot: &Snapshot,
    query: &FxHistory,
    cached: Option<&CachedHistory<FxRate>>,
) -> Result<Page<FxRate>> {
    let (pair, limit, offset) = (query.pair, query.limit.get(), query.offset);
    let newest = || match cached {
        Some(cached) => {
            let newest = cached.newest(snapshot.today()).map(|quote| quote.date);
            newest.map(Some).ok_or_else(|| not_found(pair))
        }
        None => Ok(Some(current(snapshot, pair)?.date)),
    };
    let days = within_plan(snapshot, query.from, query.to, newest)?;
    let HistoryPage { rows: data, total, .. } = match cached {
        Some(cached) => cached.page(days, limit, offset),
        None => read_page(snapshot, pair, days, limit, offset)?,
    };
    if total == 0 {
        // No quotes in this range is an empty list; no quotes at all is an error.
        newest()?;
    }
    Ok(Page { data, total, limit, offset: offset.get(), meta: meta(snapshot, pair)? })
}

/// One page of quotes, from the file.
fn read_page(
    snapshot: &Snapshot,
    pair: Pair,
    days: DateWindow,
    limit: u32,
    offset: Offset,
) -> Result<HistoryPage<FxRate>> {
    let count = format!("SELECT COUNT(*) FROM ({SELECT} AND date BETWEEN ?2 AND ?3)");
    let sql = format!("{SELECT} AND date BETWEEN ?2 AND ?3 ORDER BY date DESC LIMIT ?4 OFFSET ?5");
    let (currency, from, to) = (stored_currency(pair), days.from(), days.to());
    let total = snapshot.count(&count, (currency, from, to))?;
    let (rows, total) = snapshot.page(total, limit, offset, |limit, offset| {
        snapshot.rows(&sql, (currency, from, to, limit, offset), |row| read(row, pair))
    })?;
    Ok(HistoryPage { rows: rows.into(), total, origins: OriginCounts::default() })
}

/// All quotes of a pair, if they are in memory.
pub(crate) fn cached_history(
    snapshot: &Snapshot,
    pair: Pair,
) -> Result<Option<Arc<CachedHistory<FxRate>>>> {
    let sql = format!("{SELECT} ORDER BY date DESC");
    match stored_currency(pair) {
        Some(currency) => {
            history_cache::get_or_load(snapshot, pair.base, &sql, [currency], |row| read(row, pair))
        }
        None => Ok(None),
    }
}

/// The newest quote of a pair. Fails if there is none.
pub(crate) fn current(snapshot: &Snapshot, pair: Pair) -> Result<Sourced<FxRate>> {
    let newest = newest(snapshot, pair)?.ok_or_else(|| not_found(pair))?;
    Ok(Sourced::new(newest, meta(snapshot, pair)?))
}

/// Every quote of a pair that the snapshot's date and plan allow, newest first. Fails if there is none.
pub(crate) fn visible(snapshot: &Snapshot, pair: Pair) -> Result<Vec<FxRate>> {
    let mut all = all(snapshot, pair)?;
    let days = within_plan(snapshot, None, None, || Ok(Some(all[0].date)))?;
    all.retain(|quote| quote.date >= days.from());
    Ok(all)
}

/// Every quote of a pair up to the snapshot's date, whatever its plan, newest first. Fails if there is none.
pub(crate) fn all(snapshot: &Snapshot, pair: Pair) -> Result<Vec<FxRate>> {
    let sql = format!("{SELECT} AND date <= ?2 ORDER BY date DESC");
    let today = snapshot.today();
    let all = match cached_history(snapshot, pair)? {
        Some(cached) => cached.between(Date::MIN, today).to_vec(),
        None => snapshot.rows(&sql, (stored_currency(pair), today), |row| read(row, pair))?,
    };
    if all.is_empty() { Err(not_found(pair)) } else { Ok(all) }
}

/// All pairs with quotes, ordered by code, with the dates they cover.
pub(crate) fn pairs(snapshot: &Snapshot) -> Result<Vec<FxPair>> {
    const SQL: &str = "SELECT currency, MIN(date), MAX(date), COUNT(*) FROM fx
        WHERE date <= ?1 AND buy IS NOT NULL AND sell IS NOT NULL GROUP BY currency ORDER BY currency";
    let pairs = snapshot.rows(SQL, [snapshot.today()], |row| {
        let pair = Pair::in_reais(row.get(0)?);
        let days = row.get::<_, i64>(3)?.unsigned_abs();
        Ok(FxPair { pair, from: row.get(1)?, to: row.get(2)?, days })
    })?;
    if snapshot.has_corrupt_values() { readable_pairs(snapshot) } else { Ok(pairs) }
}

/// All pairs, by reading every quote: corrupt quotes do not count.
fn readable_pairs(snapshot: &Snapshot) -> Result<Vec<FxPair>> {
    const SQL: &str = "SELECT date, buy, sell, currency FROM fx
        WHERE date <= ?1 AND buy IS NOT NULL AND sell IS NOT NULL ORDER BY currency, date";
    let mut pairs: Vec<FxPair> = Vec::new();
    let read = |row: &rusqlite::Row<'_>| read(row, Pair::in_reais(row.get(3)?));
    for FxRate { date, pair, .. } in snapshot.rows(SQL, [snapshot.today()], read)? {
        match pairs.last_mut().filter(|last| last.pair == pair) {
            Some(last) => (last.to, last.days) = (date, last.days + 1),
            None => pairs.push(FxPair { pair, from: date, to: date, days: 1 }),
        }
    }
    Ok(pairs)
}

/// The newest day on which a pair has both sides.
pub(crate) fn newest_day(snapshot: &Snapshot, pair: Pair) -> Result<Option<Date>> {
    Ok(newest(snapshot, pair)?.map(|quote| quote.date))
}

fn newest(snapshot: &Snapshot, pair: Pair) -> Result<Option<FxRate>> {
    let sql = format!("{SELECT} AND date <= ?2 ORDER BY date DESC");
    let params = (stored_currency(pair), snapshot.today());
    snapshot.first(&sql, params, |row| read(row, pair))
}

/// The source of a pair's exchange rates, and how fresh they are.
pub(crate) fn meta(snapshot: &Snapshot, pair: Pair) -> Result<Meta> {
    let unit = if pair.base.as_str() == GOLD { "BRL per gram" } else { "BRL per unit" };
    let meta = Meta { unit: Some(unit), ..Meta::new(PTAX) };
    freshness::of_pair(snapshot, newest_day(snapshot, pair)?, meta)
}

pub(crate) fn not_found(pair: Pair) -> Error {
    Error::not_found(Resource::CurrencyPair, &pair.to_string())
}

pub(crate) fn read(row: &rusqlite::Row<'_>, pair: Pair) -> rusqlite::Result<FxRate> {
    Ok(FxRate { date: row.get(0)?, pair, buy: row.get(1)?, sell: row.get(2)? })
}

/// The currency under which the quotes of a pair are stored; `None` if the pair is not priced in reais.
fn stored_currency(pair: Pair) -> Option<Currency> {
    (pair.quote == Currency::BRL).then_some(pair.base)
}
