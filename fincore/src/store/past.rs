//! Snapshots of what was known: at the end of an earlier day, or when each figure was first published; and the rows that are
//! kept for them before an import changes or removes them.
//!
//! Such a snapshot has a connection on which views take the names of the tables: every query reads the past without knowing
//! it. The version that the views show is that of the connection.
use std::sync::{Arc, LazyLock};

use chrono::{DateTime, Utc};

use crate::{
    store::{ReadTransaction, Snapshot, Writer, readers::Past, writer::timestamp},
    values::{Currency, Date, Invalid, Result},
};

/// The point in time that a snapshot shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Knowledge {
    Present,
    /// The end of a day.
    AsOf(Date),
    /// The first value of every figure.
    FirstRelease,
}

/// The rows of a version: of the tables what was there already, and of the past what was still there.
static AS_OF: LazyLock<String> = LazyLock::new(|| {
    let view = |KeptTable { name, columns }: KeptTable| {
        format!(
            "CREATE TEMP VIEW {name} AS SELECT {columns} FROM main.{name}
                WHERE known_from IS NULL OR known_from <= shown_version()
            UNION ALL SELECT {columns} FROM main.past_{name}
                WHERE known_until > shown_version() AND (known_from IS NULL OR known_from <= shown_version());"
        )
    };
    TABLES.map(view).concat()
});

/// Of each figure the first that was published, or else the first; of each quote the first of both sides.
const FIRST_RELEASES: &str = "CREATE TEMP VIEW rate AS SELECT series, date, value, computed FROM (
        SELECT *, ROW_NUMBER() OVER (PARTITION BY series, date ORDER BY computed <> 0, known_until) AS place
        FROM (SELECT series, date, value, computed, 9e99 AS known_until FROM main.rate
            UNION ALL SELECT series, date, value, computed, known_until FROM main.past_rate)
        ) WHERE place = 1;
    CREATE TEMP VIEW fx AS SELECT currency, date,
        COALESCE((SELECT buy FROM main.past_fx AS past WHERE past.currency = fx.currency AND past.date = fx.date
            AND past.buy IS NOT NULL ORDER BY known_until LIMIT 1), buy) AS buy,
        COALESCE((SELECT sell FROM main.past_fx AS past WHERE past.currency = fx.currency AND past.date = fx.date
            AND past.sell IS NOT NULL ORDER BY known_until LIMIT 1), sell) AS sell
        FROM main.fx;";

impl Snapshot {
    pub(crate) fn knowledge(&self) -> Knowledge {
        self.knowledge
    }

    /// The data as it stood at the end of a day, which is the date of the new snapshot. What this snapshot does not know
    /// yet, the new one does not know either: of a snapshot of the past, the earlier day counts. Fails if the day lies in
    /// the future, or before the first import that was noted.
    pub(crate) fn as_of(&self, day: Date) -> Result<Snapshot> {
        if day > self.present_day {
            let today = self.present_day.into();
            return Err(Invalid::AsOfFuture { day: day.into(), today }.into());
        }
        let day = day.min(self.today());
        // Today is no exception: the date of a snapshot may lie before later imports.
        let version = match self.version_at_end_of(day)? {
            Some(version) => version,
            None => match self.first_import()? {
                // Nothing has changed since the library brought it, so that this is the present.
                None if day == self.present_day => i64::MAX,
                since => {
                    let (day, since) = (day.into(), since.map(Date::into));
                    return Err(Invalid::AsOfBeforeFirstImport { day, since }.into());
                }
            },
        };
        let past = Past { views: &AS_OF, version };
        self.through(past, day, Knowledge::AsOf(day))
    }

    /// Every figure as it was first published, as far as that is known here.
    pub(crate) fn first_releases(&self) -> Result<Snapshot> {
        let past = Past { views: FIRST_RELEASES, version: i64::MAX };
        self.through(past, self.today(), Knowledge::FirstRelease)
    }

    /// The newest data version at the end of a day, of those whose time is known.
    fn version_at_end_of(&self, day: Date) -> Result<Option<i64>> {
        const SQL: &str = "SELECT MAX(version) FROM import_time WHERE time < ?1";
        let end = day.end_in_brasilia().format("%Y-%m-%dT%H:%M:%SZ").to_string();
        Ok(self.first(SQL, [end], |row| row.get(0))?.flatten())
    }

    /// The day of the first import that was noted.
    fn first_import(&self) -> Result<Option<Date>> {
        const SQL: &str = "SELECT time FROM import_time ORDER BY time LIMIT 1";
        let first: Option<String> = self.first(SQL, [], |row| row.get(0))?;
        let first = first.and_then(|time| time.parse::<DateTime<Utc>>().ok());
        Ok(first.map(Date::in_brasilia))
    }

    /// The newest data through these views. Another connection may see a later import than this one: that adds nothing to
    /// the past.
    fn through(&self, past: Past, today: Date, knowledge: Knowledge) -> Result<Snapshot> {
        let file = &self.file;
        let mut transaction = ReadTransaction::through(&file.readers, &file.watch, past)?;
        // It goes by the name of the data that the views were made for: under the name of a later import, answers without
        // that import would be kept for as long as it is the newest.
        (transaction.tag, transaction.data) = (self.shared_tag(), self.data());
        let mut snapshot = Snapshot::new(transaction, None, today, Arc::clone(file));
        snapshot.knowledge = knowledge;
        snapshot.present_day = self.present_day;
        Ok(snapshot.for_plan(self.plan()))
    }
}

/// A table whose rows are kept before they change: those of `rate` in `past_rate`.
struct KeptTable {
    name: &'static str,
    columns: &'static str,
}

const RATE: KeptTable = KeptTable { name: "rate", columns: "series, date, value, computed" };
const FX: KeptTable = KeptTable { name: "fx", columns: "currency, date, buy, sell" };
const COMPANY: KeptTable = KeptTable {
    name: "company",
    columns: "id, cnpj, name, trade_name, status, status_since, status_folded, standing, sector, \
        sector_folded, registered_on, cancelled_on, tickers",
};
const TABLES: [KeptTable; 3] = [RATE, FX, COMPANY];

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
