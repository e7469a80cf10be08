//! Notices changes of the data file.
use std::sync::{
    Mutex, MutexGuard,
    atomic::{AtomicU64, Ordering},
};

use rusqlite::Connection;

use super::{metadata::read_meta, reader_pool::ReaderPool};
use crate::{error::Result, lock::lock};

/// Notices that the file has changed, even if no import changed it: an operator may repair it by hand.
#[derive(Debug)]
pub(super) struct FileWatch(Mutex<Watching>);

#[derive(Debug)]
struct Watching {
    /// SQLite counts changes per connection, so the same one is used until there is a fault.
    connection: Connection,
    /// Numbers the connections of all files that the program has opened: it may switch from one file to another.
    number: u64,
    /// How many faults there had been when it was opened.
    faults: u64,
}

/// How many connections have watched a file so far.
static WATCHED: AtomicU64 = AtomicU64::new(0);

impl FileWatch {
    pub(super) fn new(readers: &ReaderPool) -> Result<FileWatch> {
        let faults = readers.faults();
        let number = WATCHED.fetch_add(1, Ordering::Relaxed);
        let watching = Watching { connection: readers.connect()?, number, faults };
        Ok(FileWatch(Mutex::new(watching)))
    }

    /// A pair of numbers that differs after every change.
    pub(super) fn changes(&self, readers: &ReaderPool) -> Result<(u64, i64)> {
        let watching = self.sound_connection(readers)?;
        let count = || {
            let mut count = watching.connection.prepare_cached("PRAGMA data_version")?;
            count.query_row([], |row| row.get(0))
        };
        Ok((watching.number, readers.note(count())?))
    }

    /// Reads something small from the file.
    pub(super) fn read(&self, readers: &ReaderPool) -> Result<()> {
        let watching = self.sound_connection(readers)?;
        readers.note(read_meta(&watching.connection, "data_tag").map(drop))
    }

    /// The connection; a new one if there were faults since it was opened.
    fn sound_connection(&self, readers: &ReaderPool) -> Result<MutexGuard<'_, Watching>> {
        let mut watching = lock(&self.0);
        let faults = readers.faults();
        if watching.faults != faults {
            let number = WATCHED.fetch_add(1, Ordering::Relaxed);
            *watching = Watching { connection: readers.connect()?, number, faults };
        }
        Ok(watching)
    }
}
