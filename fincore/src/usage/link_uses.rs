//! The last use of each link. It is written with the counts of requests, and to the minute, so that a link that is used
//! all the time costs one write a minute.
use chrono::{DateTime, Utc};
use dashmap::DashMap;
use foldhash::fast::RandomState;

use crate::{
    accounts::{Session, values},
    error::Result,
    types::LinkHash,
};

/// The last use of links that were used since the last [`take`](LinkUses::take), in seconds since 1970.
#[derive(Debug, Default)]
pub(super) struct LinkUses {
    minutes: DashMap<LinkHash, i64, RandomState>,
}

impl LinkUses {
    pub(super) fn note(&self, link: LinkHash, now: DateTime<Utc>) {
        let seconds = now.timestamp();
        let minute = seconds - seconds.rem_euclid(60);
        let mut known = self.minutes.entry(link).or_insert(minute);
        *known = minute.max(*known);
    }

    /// Takes all out of memory.
    pub(super) fn take(&self) -> Vec<(LinkHash, i64)> {
        let mut uses = Vec::new();
        self.minutes.retain(|link, minute| {
            uses.push((*link, *minute));
            false
        });
        uses
    }
}

/// Writes the uses that are newer than those that are known. Written again, they change nothing.
pub(super) fn write(tx: &dyn Session, uses: &[(LinkHash, i64)]) -> Result<()> {
    const SQL: &str = "UPDATE link SET used = ?2 WHERE hash = ?1 AND (used IS NULL OR used < ?2)";
    for (link, minute) in uses {
        tx.execute(SQL, values![link.as_bytes().as_slice(), *minute])?;
    }
    Ok(())
}
