//! Which days the catalogue covers, for programs that download what is missing.
use super::series_definitions::{Side, definition};
use crate::{
    catalogue::Snapshot,
    error::Result,
    sqlite::parsed,
    types::{Currency, Date},
};

/// The newest day of a series that is not after the snapshot's date; of an exchange rate, the newest day with
/// that side. Values that were computed from another series do not count.
pub fn newest_day(snapshot: &Snapshot, number: u32) -> Result<Option<Date>> {
    const RATE: &str = "SELECT date FROM rate WHERE series = ?1 AND date <= ?2 AND computed = 0
        ORDER BY date DESC LIMIT 1";
    const BUY: &str = "SELECT date FROM fx WHERE currency = ?1 AND date <= ?2 AND buy IS NOT NULL
        ORDER BY date DESC LIMIT 1";
    const SELL: &str = "SELECT date FROM fx WHERE currency = ?1 AND date <= ?2 AND sell IS NOT NULL
        ORDER BY date DESC LIMIT 1";
    let today = snapshot.today().to_string();
    let days = match definition(number).and_then(|series| series.quote) {
        None => snapshot.rows(RATE, (number, today), |row| parsed(row, 0))?,
        Some((currency, side)) => {
            let sql = match side {
                Side::Buy => BUY,
                Side::Sell => SELL,
            };
            snapshot.rows(sql, (currency.as_str(), today), |row| parsed(row, 0))?
        }
    };
    Ok(days.into_iter().next())
}

/// The days with closing quotes of at least this many currencies, newest first.
pub fn days_with_currencies(snapshot: &Snapshot, at_least: u32) -> Result<Vec<Date>> {
    const SQL: &str =
        "SELECT date FROM fx WHERE date <= ?1 AND buy IS NOT NULL AND sell IS NOT NULL
        GROUP BY date HAVING COUNT(*) >= ?2 ORDER BY date DESC";
    snapshot.rows(SQL, (snapshot.today().to_string(), at_least), |row| parsed(row, 0))
}

/// The years in which a currency has closing quotes with both sides, in order.
pub fn years_with_quotes(snapshot: &Snapshot, currency: Currency) -> Result<Vec<u16>> {
    const SQL: &str = "SELECT DISTINCT CAST(substr(date, 1, 4) AS INTEGER) FROM fx
        WHERE currency = ?1 AND date <= ?2 AND buy IS NOT NULL AND sell IS NOT NULL ORDER BY 1";
    let today = snapshot.today().to_string();
    snapshot.rows(SQL, (currency.as_str(), today), |row| row.get(0))
}

#[cfg(test)]
#[cfg(feature = "bundle")]
mod tests {
    use super::*;
    use crate::bundle;

    #[test]
    fn tells_how_far_the_bundled_data_reaches() {
        let dir = tempfile::tempdir().unwrap();
        let catalogue = bundle::filled_copy(dir.path()).unwrap();
        let snapshot = catalogue.snapshot("2026-09-30".parse().unwrap()).unwrap();
        let newest = |number| newest_day(&snapshot, number).unwrap().map(|day| day.to_string());
        // The Selic also has days after that one; series 4389 has computed values only.
        assert_eq!(newest(432).as_deref(), Some("2026-09-30"));
        assert_eq!(newest(4389), None);
        assert_eq!(newest(10813).as_deref(), Some("2026-09-04"));
        assert_eq!(newest(99_999), None);
        let days = days_with_currencies(&snapshot, 20).unwrap();
        assert_eq!(days[0].to_string(), "2026-07-31");
        assert!(days.is_sorted_by(|newer, older| newer > older));
        let years = |code: &str| years_with_quotes(&snapshot, code.parse().unwrap()).unwrap();
        assert_eq!((years("ARS"), years("CHF")), (vec![2013, 2026], vec![2013, 2026]));
        assert_eq!((years("EUR"), years("XXX")), (vec![2013, 2025, 2026], vec![]));
    }
}
