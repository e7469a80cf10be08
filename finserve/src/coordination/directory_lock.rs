//! Locks on the data directory, so that two programs never do the same work on it at once.
use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    time::Duration,
};

use super::signal::Signal;

/// How often a program that waits for a lock tries again.
const RETRY_INTERVAL: Duration = Duration::from_millis(200);

/// A task that one program at a time may do on a data directory.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ExclusiveTask {
    /// Synchronising.
    Sync,
    /// Calling webhooks.
    Webhooks,
    /// Publishing a catalogue.
    Publish,
    /// Answering requests.
    Serve,
}

/// Whether a server needs a data directory for itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sharing {
    Alone,
    Shared,
}

/// Why a server cannot use a data directory.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LockError {
    /// Another server runs on it.
    #[error(
        "another server is running on this data directory; several can share it if all have \
         --shared, and each then counts limits on its own"
    )]
    AnotherServer,
    /// The file system refused the lock.
    #[error("the data directory cannot be locked: {0}")]
    System(io::Error),
}

impl ExclusiveTask {
    /// The file that is locked.
    pub(crate) fn file(self) -> &'static str {
        match self {
            ExclusiveTask::Sync => "sync.lock",
            ExclusiveTask::Webhooks => "webhooks.lock",
            ExclusiveTask::Publish => "publish.lock",
            ExclusiveTask::Serve => "serve.lock",
        }
    }

    /// The log line for the operator while another program does it.
    pub(crate) fn waiting_message(self) -> &'static str {
        match self {
            ExclusiveTask::Sync => "another sync of this data is running; waiting for it to end",
            ExclusiveTask::Webhooks => {
                "another server calls the webhooks of this data; this one takes over when that one ends"
            }
            ExclusiveTask::Publish => {
                "another program publishes there; this one takes over when that one ends"
            }
            ExclusiveTask::Serve => "another server runs on this data; waiting for it to end",
        }
    }
}

/// A lock that is held until it is dropped, or until the program ends for whatever reason.
#[derive(Debug)]
pub(crate) struct Lock {
    file: File,
    path: PathBuf,
}

impl Lock {
    /// Locks a directory for a server, without waiting.
    pub(crate) fn for_server(directory: &Path, sharing: Sharing) -> Result<Lock, LockError> {
        let (file, path) =
            Lock::open(directory, ExclusiveTask::Serve).map_err(LockError::System)?;
        let locked = match sharing {
            Sharing::Alone => file.try_lock(),
            Sharing::Shared => file.try_lock_shared(),
        };
        match locked {
            Ok(()) => Ok(Lock { file, path }),
            Err(TryLockError::WouldBlock) => Err(LockError::AnotherServer),
            Err(TryLockError::Error(err)) => Err(LockError::System(err)),
        }
    }

    fn open(directory: &Path, task: ExclusiveTask) -> io::Result<(File, PathBuf)> {
        let path = directory.join(task.file());
        let file = OpenOptions::new().create(true).truncate(false).write(true).open(&path)?;
        Ok((file, path))
    }

    /// Whether the path still leads to the locked file. If the file was removed, another program may have created and locked
    /// a new one.
    pub(crate) fn is_in_place(&self) -> bool {
        let identity = |file: fs::Metadata| (file.dev(), file.ino());
        let at_path = fs::metadata(&self.path).map(identity);
        let locked = self.file.metadata().map(identity);
        matches!((at_path, locked), (Ok(at_path), Ok(locked)) if at_path == locked)
    }

    /// Takes the lock if no other program does this task on this directory.
    pub(crate) fn attempt(directory: &Path, task: ExclusiveTask) -> io::Result<Option<Lock>> {
        let (file, path) = Lock::open(directory, task)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Lock { file, path })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(err)) => Err(err),
        }
    }

    /// Waits until no other program does this task on this directory; `None` if the wait was stopped.
    pub(crate) fn take(
        directory: &Path,
        task: ExclusiveTask,
        stop: &Signal,
    ) -> io::Result<Option<Lock>> {
        let (file, path) = Lock::open(directory, task)?;
        let mut logged = false;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Some(Lock { file, path })),
                Err(TryLockError::Error(err)) => return Err(err),
                Err(TryLockError::WouldBlock) if stop.is_stopped() => return Ok(None),
                Err(TryLockError::WouldBlock) => {
                    if !logged {
                        tracing::info!("{}", task.waiting_message());
                        logged = true;
                    }
                    stop.wait(RETRY_INTERVAL);
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
        let take = |sharing| Lock::for_server(dir.path(), sharing);
        let alone = take(Sharing::Alone).unwrap();
        for sharing in [Sharing::Alone, Sharing::Shared] {
            let message = take(sharing).unwrap_err().to_string();
            assert!(message.contains("--shared"), "{message}");
        }
        drop(alone);
        let _shared = (take(Sharing::Shared).unwrap(), take(Sharing::Shared).unwrap());
        assert!(take(Sharing::Alone).is_err());
    }

    #[test]
    fn is_held_by_one_at_a_time() {
        let dir = tempfile::tempdir().unwrap();
        let stop = Signal::default();
        let lock = Lock::take(dir.path(), ExclusiveTask::Sync, &stop).unwrap().unwrap();
        std::thread::scope(|scope| {
            let second = scope
                .spawn(|| Lock::take(dir.path(), ExclusiveTask::Sync, &stop).unwrap().is_some());
            drop(lock);
            assert!(second.join().unwrap());
        });
        let _held = Lock::take(dir.path(), ExclusiveTask::Sync, &stop).unwrap().unwrap();
        assert!(Lock::take(dir.path(), ExclusiveTask::Webhooks, &stop).unwrap().is_some());
        stop.stop();
        assert!(Lock::take(dir.path(), ExclusiveTask::Sync, &stop).unwrap().is_none());
    }
}
