//! The HTTP validators of imported files, and how synchronising with their publishers went.
//!
//! The library downloads nothing. A program that does remembers the [`Validators`] of every file together with
//! the import of that file ([`Import::remember_download`](crate::Import::remember_download)), so that a crash can never leave one
//! without the other, and requests a file again only if it has changed. [`record_sync`] records how each attempt went.
use chrono::{DateTime, Utc};

use crate::{
    catalogue::{Catalogue, Snapshot, Writer, timestamp},
    error::Result,
};

/// The values by which a request finds out whether a file has changed at its publisher.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Validators {
    /// The `ETag` of the response, if it had one.
    pub etag: Option<String>,
    /// The `Last-Modified` of the response, if it had one.
    pub modified: Option<String>,
    /// The SHA-256 of the content, in hexadecimal.
    pub digest: String,
}

/// The validators of the file at this address, if it was imported.
pub fn validators(snapshot: &Snapshot, url: &str) -> Result<Option<Validators>> {
    const SQL: &str = "SELECT etag, modified, digest FROM download WHERE url = ?1";
    let read = |row: &rusqlite::Row<'_>| {
        Ok(Validators { etag: row.get(0)?, modified: row.get(1)?, digest: row.get(2)? })
    };
    Ok(snapshot.rows(SQL, [url], read)?.pop())
}

/// The addresses of all imported files that start with this text, in order.
pub fn addresses(snapshot: &Snapshot, start: &str) -> Result<Vec<String>> {
    const SQL: &str = "SELECT url FROM download WHERE substr(url, 1, length(?1)) = ?1 ORDER BY url";
    snapshot.rows(SQL, [start], |row| row.get(0))
}

/// The central bank's addresses end with the last day of the request, which differs every day: only the newest address is
/// stored, or the table would grow forever.
const LAST_DAY: &str = "dataFinal";

pub(crate) fn remember(writer: &Writer, url: &str, validators: &Validators) -> Result<()> {
    const SQL: &str =
        "INSERT OR REPLACE INTO download (url, etag, modified, digest) VALUES (?1, ?2, ?3, ?4)";
    const OLD: &str = "DELETE FROM download WHERE substr(url, 1, length(?1)) = ?1";
    if let Some(end) = url.rfind(LAST_DAY) {
        writer.prepare(OLD)?.execute([&url[..end]])?;
    }
    let Validators { etag, modified, digest } = validators;
    writer.prepare(SQL)?.execute((url, etag, modified, digest))?;
    Ok(())
}

/// Forgets the validators of files whose address has this part, so that they are imported again.
pub(crate) fn forget(writer: &Writer, part: &str) -> Result<()> {
    const SQL: &str = "DELETE FROM download WHERE instr(url, ?1) > 0";
    writer.prepare(SQL)?.execute([part])?;
    Ok(())
}

/// Records how synchronising a dataset went: `Ok` if it is current, or what went wrong, in words.
///
/// Waits for a running import, some seconds at most.
pub fn record_sync(
    catalogue: &Catalogue,
    now: DateTime<Utc>,
    dataset: &str,
    outcome: Result<(), &str>,
) -> Result<()> {
    const SQL: &str =
        "INSERT INTO dataset (name, tried_at, succeeded_at, error) VALUES (?1, ?2, ?3, ?4)
        ON CONFLICT DO UPDATE SET tried_at = excluded.tried_at,
            succeeded_at = COALESCE(excluded.succeeded_at, succeeded_at), error = excluded.error";
    let writer = catalogue.write(now)?;
    let time = timestamp(now);
    let succeeded = outcome.is_ok().then_some(&time);
    writer.prepare(SQL)?.execute((dataset, &time, succeeded, outcome.err()))?;
    writer.commit_unversioned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{freshness, import::Import};

    fn empty() -> (tempfile::TempDir, Catalogue, DateTime<Utc>) {
        let dir = tempfile::tempdir().unwrap();
        let catalogue = Catalogue::open(dir.path().join("catalogue.db")).unwrap();
        (dir, catalogue, "2026-11-15T12:00:00Z".parse().unwrap())
    }

    fn snapshot(catalogue: &Catalogue) -> Snapshot {
        catalogue.snapshot("2026-11-15".parse().unwrap()).unwrap()
    }

    #[test]
    fn keeps_one_address_for_each_first_day() {
        let (_dir, catalogue, now) = empty();
        let remember = |url: &str, digest: &str| {
            let mut import = Import::begin(&catalogue, now).unwrap();
            let digest = digest.to_owned();
            import
                .remember_download(url, &Validators { etag: None, modified: None, digest })
                .unwrap();
            import.commit().unwrap();
        };
        let address =
            |first, last| format!("http://a/sgs.1/dados?dataInicial={first}&dataFinal={last}");
        remember(&address("01/01/2010", "31/12/2018"), "a");
        remember(&address("01/01/2026", "14/11/2026"), "b");
        remember(&address("01/01/2026", "15/11/2026"), "c");
        remember("http://a/sgs.11/dados", "d");
        let known_addresses = addresses(&snapshot(&catalogue), "http://a/sgs.1/").unwrap();
        let wanted = [address("01/01/2010", "31/12/2018"), address("01/01/2026", "15/11/2026")];
        assert_eq!(known_addresses, wanted);
        assert_eq!(validators(&snapshot(&catalogue), &wanted[1]).unwrap().unwrap().digest, "c");
        assert_eq!(validators(&snapshot(&catalogue), "http://a/sgs.2/").unwrap(), None);
    }

    #[test]
    fn a_failure_leaves_the_last_success() {
        let (_dir, catalogue, now) = empty();
        let later = now + chrono::TimeDelta::hours(1);
        assert_eq!(freshness::sync_record(&snapshot(&catalogue), "fx").unwrap().tried_at, None);
        record_sync(&catalogue, now, "fx", Ok(())).unwrap();
        record_sync(&catalogue, later, "fx", Err("the server answered 500")).unwrap();
        let went = freshness::sync_record(&snapshot(&catalogue), "fx").unwrap();
        assert_eq!((went.tried_at, went.succeeded_at), (Some(later), Some(now)));
        assert_eq!(went.error.as_deref(), Some("the server answered 500"));
        record_sync(&catalogue, later, "fx", Ok(())).unwrap();
        let went = freshness::sync_record(&snapshot(&catalogue), "fx").unwrap();
        assert_eq!((went.succeeded_at, went.error), (Some(later), None));
    }
}
