//! Keeps rows as they were before an import changes or removes them.
use crate::{
    store::writer::{Writer, timestamp},
    values::error::Result,
};

/// Keeps a row, unless this very import wrote it, or has kept it already.
macro_rules! keep {
    ($table:literal, $past:literal, $columns:literal, $key:literal) => {
        concat!(
            "INSERT OR IGNORE INTO ",
            $past,
            " (known_until, known_from, ",
            $columns,
            ") SELECT ?1, known_from, ",
            $columns,
            " FROM ",
            $table,
            " WHERE known_from IS NOT ?1 AND ",
            $key
        )
    };
}

/// Restores the beginning of rows that this import changed and changed back, and forgets that it did.
macro_rules! settle {
    ($table:literal, $past:literal, $key:literal, $same:literal) => {
        concat!(
            "UPDATE ",
            $table,
            " SET known_from = past.known_from FROM ",
            $past,
            " AS past
                WHERE past.known_until = ",
            "VERSION",
            " AND ",
            $key,
            " AND ",
            $same,
            ";
            DELETE FROM ",
            $past,
            " AS past WHERE known_until = ",
            "VERSION",
            "
                AND EXISTS (SELECT 1 FROM ",
            $table,
            " WHERE ",
            $key,
            " AND ",
            $same,
            ");"
        )
    };
}

const SETTLE: [&str; 3] = [
    settle!(
        "rate",
        "past_rate",
        "rate.series = past.series AND rate.date = past.date",
        "rate.value = past.value AND rate.computed = past.computed"
    ),
    settle!(
        "fx",
        "past_fx",
        "fx.currency = past.currency AND fx.date = past.date",
        "fx.buy IS past.buy AND fx.sell IS past.sell"
    ),
    settle!(
        "company",
        "past_company",
        "company.id = past.id",
        "(company.cnpj, company.name, company.trade_name, company.status, company.status_since, company.sector,
            company.registered_on, company.cancelled_on, company.tickers)
        IS (past.cnpj, past.name, past.trade_name, past.status, past.status_since, past.sector,
            past.registered_on, past.cancelled_on, past.tickers)"
    ),
];

impl Writer {
    /// The version that rows of this transaction are known from. Those that fill an empty catalogue have none. A
    /// version that a newer bundle made has no time: its rows count as known from the next import on.
    pub(crate) fn known_from(&self) -> Option<i64> {
        (self.is_logged() || self.version() > 1).then(|| self.version())
    }

    /// Keeps the observation of a series on a day, before it is changed or removed.
    pub(crate) fn keep_rate(&self, series: u32, date: &str) -> Result<()> {
        const SQL: &str = keep!(
            "rate",
            "past_rate",
            "series, date, value, computed",
            "series = ?2 AND date = ?3"
        );
        self.keep(SQL, (self.version(), series, date))
    }

    /// Keeps the quote of a currency on a day, before it is changed.
    pub(crate) fn keep_quote(&self, currency: &str, date: &str) -> Result<()> {
        const SQL: &str =
            keep!("fx", "past_fx", "currency, date, buy, sell", "currency = ?2 AND date = ?3");
        self.keep(SQL, (self.version(), currency, date))
    }

    /// Keeps a company, before it is changed or removed.
    pub(crate) fn keep_company(&self, id: u32) -> Result<()> {
        const SQL: &str = keep!(
            "company",
            "past_company",
            "id, cnpj, name, trade_name, status, status_since, status_folded, standing, sector, sector_folded,
                registered_on, cancelled_on, tickers",
            "id = ?2"
        );
        self.keep(SQL, (self.version(), id))
    }

    fn keep(&self, sql: &str, params: impl rusqlite::Params) -> Result<()> {
        // A scratch writer changes nothing.
        if !self.is_scratch() && self.prepare(sql)?.execute(params)? > 0 {
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
            let settle = SETTLE.concat().replace("VERSION", &self.version().to_string());
            self.connection().execute_batch(&settle)?;
        }
        Ok(())
    }
}
