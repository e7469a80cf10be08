//! Keeps rows as they were before an import changes or removes them.
use crate::{
    store::{Writer, writer::timestamp},
    values::{Currency, Date, Result},
};

/// A table whose rows are kept before they change: those of `rate` in `past_rate`.
pub(crate) struct KeptTable {
    pub(crate) name: &'static str,
    pub(crate) columns: &'static str,
}

const RATE: KeptTable = KeptTable { name: "rate", columns: "series, date, value, computed" };
const FX: KeptTable = KeptTable { name: "fx", columns: "currency, date, buy, sell" };
const COMPANY: KeptTable = KeptTable {
    name: "company",
    columns: "id, cnpj, name, trade_name, status, status_since, status_folded, standing, sector, \
        sector_folded, registered_on, cancelled_on, tickers",
};
pub(crate) const TABLES: [KeptTable; 3] = [RATE, FX, COMPANY];

impl KeptTable {
    /// Restores the beginning of rows that the import of a version changed and changed back, and forgets that it did.
    fn settle(&self, version: i64) -> String {
        let KeptTable { name, columns } = self;
        let of = |row: &str| format!("({row}.{})", columns.replace(", ", &format!(", {row}.")));
        let is_same = format!("{} IS {}", of(name), of("past"));
        format!(
            "UPDATE {name} SET known_from = past.known_from FROM past_{name} AS past
                WHERE past.known_until = {version} AND {is_same};
            DELETE FROM past_{name} AS past WHERE known_until = {version}
                AND EXISTS (SELECT 1 FROM {name} WHERE {is_same});"
        )
    }
}

impl Writer {
    /// The version that rows of this transaction are known from. Those that fill an empty catalogue have none. A
    /// version that a newer bundle made has no time: its rows count as known from the next import on.
    pub(crate) fn known_from(&self) -> Option<i64> {
        (self.is_logged() || self.version() > 1).then(|| self.version())
    }

    /// Keeps the observation of a series on a day, before it is changed or removed.
    pub(crate) fn keep_rate(&self, series: u32, date: Date) -> Result<()> {
        self.keep(RATE, "series = ?2 AND date = ?3", (self.version(), series, date))
    }

    /// Keeps the quote of a currency on a day, before it is changed.
    pub(crate) fn keep_quote(&self, currency: Currency, date: Date) -> Result<()> {
        self.keep(FX, "currency = ?2 AND date = ?3", (self.version(), currency, date))
    }

    /// Keeps a company, before it is changed or removed.
    pub(crate) fn keep_company(&self, id: u32) -> Result<()> {
        self.keep(COMPANY, "id = ?2", (self.version(), id))
    }

    /// Keeps a row, unless this very import wrote it, or has kept it already.
    fn keep(&self, table: KeptTable, key: &str, params: impl rusqlite::Params) -> Result<()> {
        // A scratch writer changes nothing.
        if self.is_scratch() {
            return Ok(());
        }
        let KeptTable { name, columns } = table;
        let sql = format!(
            "INSERT OR IGNORE INTO past_{name} (known_until, known_from, {columns})
            SELECT ?1, known_from, {columns} FROM {name} WHERE known_from IS NOT ?1 AND {key}"
        );
        if self.prepare(&sql)?.execute(params)? > 0 {
            self.note_kept_rows();
        }
        Ok(())
    }

    /// Notes when this version was made: not before an earlier one, should the clock have been set back. A row that is as it
    /// was before leaves nothing.
    pub(crate) fn settle_past(&self) -> Result<()> {
        const TIME: &str = "INSERT OR REPLACE INTO import_time (version, time)
            SELECT ?1, MAX(?2, COALESCE(MAX(time), '')) FROM import_time";
        // When the bundle was stored is not known here.
        if self.is_logged() {
            self.prepare(TIME)?.execute((self.version(), timestamp(self.now())))?;
        }
        if self.has_kept_rows() {
            for table in TABLES {
                self.connection().execute_batch(&table.settle(self.version()))?;
            }
        }
        Ok(())
    }
}
