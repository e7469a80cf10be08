//! A lock on the data directory, so that two programs never synchronise it at once.
use std::{
    fs::{File, OpenOptions, TryLockError},
    io,
    path::Path,
    time::Duration,
};

use super::stop::Stop;
use crate::log::log;

const NAME: &str = "sync.lock";

/// How often a lock that is taken is tried again.
const PAUSE: Duration = Duration::from_millis(200);

/// The lock, held until it is dropped or the program ends, however it ends.
#[derive(Debug)]
pub(crate) struct Lock {
    _file: File,
}

impl Lock {
    /// Waits until no other program synchronises this directory; `None` if it was stopped meanwhile.
    pub(crate) fn take(directory: &Path, stop: &Stop) -> io::Result<Option<Lock>> {
        let path = directory.join(NAME);
        let file = OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
        let mut said = false;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Some(Lock { _file: file })),
                Err(TryLockError::Error(err)) => return Err(err),
                Err(TryLockError::WouldBlock) if stop.is_stopped() => return Ok(None),
                Err(TryLockError::WouldBlock) => {
                    if !said {
                        log(format_args!(
                            "another sync of this data is running; waiting for it to end"
                        ));
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
        let lock = Lock::take(dir.path(), &stop).unwrap().unwrap();
        std::thread::scope(|scope| {
            let second = scope.spawn(|| Lock::take(dir.path(), &stop).unwrap().is_some());
            drop(lock);
            assert!(second.join().unwrap());
        });
        let _held = Lock::take(dir.path(), &stop).unwrap().unwrap();
        stop.stop();
        assert!(Lock::take(dir.path(), &stop).unwrap().is_none());
    }
}
