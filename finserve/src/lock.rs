//! Locks on the data directory, so that two programs never do the same work on it at once.
use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    time::Duration,
};

use crate::stop::Stop;

/// How often a lock that is taken is tried again.
const PAUSE: Duration = Duration::from_millis(200);

/// What one program at a time does with a data directory.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Work {
    /// Synchronising.
    Sync,
    /// Calling webhooks.
    Webhooks,
    /// Publishing a catalogue.
    Publish,
    /// Answering requests.
    Serve,
}

/// Whether a server wants a data directory for itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sharing {
    Alone,
    Shared,
}

/// Why a server cannot have a data directory.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Taken {
    /// Another server has it.
    #[error(
        "another server runs on this data directory; with --shared for all of them several can, and each counts \
         limits by itself"
    )]
    Elsewhere,
    /// The system failed us.
    #[error("the data directory cannot be locked: {0}")]
    System(io::Error),
}

impl Work {
    /// The file that is locked.
    fn file(self) -> &'static str {
        match self {
            Work::Sync => "sync.lock",
            Work::Webhooks => "webhooks.lock",
            Work::Publish => "publish.lock",
            Work::Serve => "serve.lock",
        }
    }

    /// What the operator is told of another program that does it.
    pub(crate) fn elsewhere(self) -> &'static str {
        match self {
            Work::Sync => "another sync of this data is running; waiting for it to end",
            Work::Webhooks => {
                "another server calls the webhooks of this data; this one does when that one ends"
            }
            Work::Publish => "another program publishes there; this one does when that one ends",
            Work::Serve => "another server runs on this data; waiting for it to end",
        }
    }
}

/// The lock, held until it is dropped or the program ends, however it ends.
#[derive(Debug)]
pub(crate) struct Lock {
    file: File,
    path: PathBuf,
}

impl Lock {
    /// Takes a directory for a server at once.
    pub(crate) fn serve(directory: &Path, sharing: Sharing) -> Result<Lock, Taken> {
        let (file, path) = Lock::file(directory, Work::Serve).map_err(Taken::System)?;
        let locked = match sharing {
            Sharing::Alone => file.try_lock(),
            Sharing::Shared => file.try_lock_shared(),
        };
        match locked {
            Ok(()) => Ok(Lock { file, path }),
            Err(TryLockError::WouldBlock) => Err(Taken::Elsewhere),
            Err(TryLockError::Error(err)) => Err(Taken::System(err)),
        }
    }

    fn file(directory: &Path, work: Work) -> io::Result<(File, PathBuf)> {
        let path = directory.join(work.file());
        let file = OpenOptions::new().create(true).truncate(false).write(true).open(&path)?;
        Ok((file, path))
    }

    /// Whether the name still leads to the file that is locked: otherwise somebody else may have locked another one.
    pub(crate) fn is_in_place(&self) -> bool {
        let place = |found: fs::Metadata| (found.dev(), found.ino());
        let (there, here) = (fs::metadata(&self.path).map(place), self.file.metadata().map(place));
        matches!((there, here), (Ok(there), Ok(here)) if there == here)
    }

    /// Takes it if no other program does this work on this directory.
    pub(crate) fn attempt(directory: &Path, work: Work) -> io::Result<Option<Lock>> {
        let (file, path) = Lock::file(directory, work)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Lock { file, path })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(err)) => Err(err),
        }
    }

    /// Waits until no other program does this work on this directory; `None` if it was stopped meanwhile.
    pub(crate) fn take(directory: &Path, work: Work, stop: &Stop) -> io::Result<Option<Lock>> {
        let (file, path) = Lock::file(directory, work)?;
        let mut said = false;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Some(Lock { file, path })),
                Err(TryLockError::Error(err)) => return Err(err),
                Err(TryLockError::WouldBlock) if stop.is_stopped() => return Ok(None),
                Err(TryLockError::WouldBlock) => {
                    if !said {
                        tracing::info!("{}", work.elsewhere());
                        said = true;
                    }
                    stop.wait(PAUSE);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_is_for_one_server_or_for_those_that_share() {
        let dir = tempfile::tempdir().unwrap();
        let take = |sharing| Lock::serve(dir.path(), sharing);
        let alone = take(Sharing::Alone).unwrap();
        for sharing in [Sharing::Alone, Sharing::Shared] {
            let said = take(sharing).unwrap_err().to_string();
            assert!(said.contains("--shared"), "{said}");
        }
        drop(alone);
        let _shared = (take(Sharing::Shared).unwrap(), take(Sharing::Shared).unwrap());
        assert!(take(Sharing::Alone).is_err());
    }

    #[test]
    fn is_held_by_one_at_a_time() {
        let dir = tempfile::tempdir().unwrap();
        let stop = Stop::default();
        let lock = Lock::take(dir.path(), Work::Sync, &stop).unwrap().unwrap();
        std::thread::scope(|scope| {
            let second =
                scope.spawn(|| Lock::take(dir.path(), Work::Sync, &stop).unwrap().is_some());
            drop(lock);
            assert!(second.join().unwrap());
        });
        let _held = Lock::take(dir.path(), Work::Sync, &stop).unwrap().unwrap();
        assert!(Lock::take(dir.path(), Work::Webhooks, &stop).unwrap().is_some());
        stop.stop();
        assert!(Lock::take(dir.path(), Work::Sync, &stop).unwrap().is_none());
    }
}
