//! An open data file, and what all snapshots of it share.
use std::{path::PathBuf, sync::Arc};

use super::{
    corrupt_values::CorruptValues, file_watch::FileWatch, memo::Memo,
    read_transaction::IdleTransactions, reader_pool::ReaderPool, schema::SCHEMA,
};
use crate::{
    error::Result,
    sqlite::{self, FileIdentity},
};

/// An open data file.
#[derive(Debug)]
pub(super) struct OpenFile {
    pub(super) readers: Arc<ReaderPool>,
    pub(super) identity: FileIdentity,
    pub(super) corrupt_values: CorruptValues,
    pub(super) memo: Memo,
    pub(super) idle: IdleTransactions,
    pub(super) watch: FileWatch,
}

impl OpenFile {
    /// Opens a file that can be read as it is, for at most `readers` snapshots at once.
    pub(super) fn new(path: PathBuf, readers: usize) -> Result<OpenFile> {
        let readers = Arc::new(ReaderPool::new(path.clone(), readers));
        // Its connection stays open, and with it the log.
        let watch = FileWatch::new(&readers)?;
        watch.read(&readers).map_err(|err| sqlite::error_after_open(&path, &SCHEMA, err))?;
        let identity = FileIdentity::of(path)?;
        let (corrupt_values, memo, idle) = Default::default();
        Ok(OpenFile { readers, identity, corrupt_values, memo, idle, watch })
    }
}
