//! Locks on the data directory, so that two programs never do the same work on it at once.
use std::{
    fs::{File, OpenOptions, TryLockError},
    io,
    path::Path,
    time::Duration,
};

use crate::{log::log, stop::Stop};

/// How often a lock that is taken is tried again.
const PAUSE: Duration = Duration::from_millis(200);

/// What one program at a time does with a data directory.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Work {
    /// Synchronising.
    Sync,
    /// Calling webhooks.
    Webhooks,
}

impl Work {
    /// The file that is locked.
    fn file(self) -> &'static str {
        match self {
            Work::Sync => "sync.lock",
            Work::Webhooks => "webhooks.lock",
        }
    }

    /// What the operator is told of another program that does it.
    fn elsewhere(self) -> &'static str {
        match self {
            Work::Sync => "another sync of this data is running; waiting for it to end",
            Work::Webhooks => {
                "another server calls the webhooks of this data; this one does when that one ends"
            }
        }
    }
}

/// The lock, held until it is dropped or the program ends, however it ends.
#[derive(Debug)]
pub(crate) struct Lock {
    _file: File,
}

impl Lock {
    /// Waits until no other program does this work on this directory; `None` if it was stopped meanwhile.
    pub(crate) fn take(directory: &Path, work: Work, stop: &Stop) -> io::Result<Option<Lock>> {
        let path = directory.join(work.file());
        let file = OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
        let mut said = false;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Some(Lock { _file: file })),
                Err(TryLockError::Error(err)) => return Err(err),
                Err(TryLockError::WouldBlock) if stop.is_stopped() => return Ok(None),
                Err(TryLockError::WouldBlock) => {
                    if !said {
                        log(format_args!("{}", work.elsewhere()));
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
