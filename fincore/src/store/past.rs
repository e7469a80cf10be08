//! Snapshots of what was known: at the end of an earlier day, or when each figure was first published.
//!
//! Such a snapshot has a connection on which views take the names of the tables: every query reads the past without knowing
//! it. The version that the views show is that of the connection.
use std::sync::{Arc, LazyLock};

use chrono::{DateTime, Utc};

use crate::{
    store::{
        ReadTransaction, Snapshot,
        kept_rows::{KeptTable, TABLES},
        readers::Past,
    },
    values::{Date, Invalid, Result},
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
