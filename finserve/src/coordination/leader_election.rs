//! Electing one of several servers for a task that only one may do at a time.
use std::{path::Path, sync::Arc};

use super::directory_lock::{ExclusiveTask, Lock};

/// Tries to be elected; `None` while another server is. Callers try again and again, so an attempt must not wait for long.
pub(crate) type Election = Arc<dyn Fn() -> Option<Box<dyn Elected>> + Send + Sync>;

/// Held by the server that was elected. Another can be elected once this is dropped, or once the program has ended for
/// whatever reason.
pub(crate) trait Elected: Send {
    /// Whether the server is still the elected one. Once this was false, the task must not be done any more.
    fn holds(&mut self) -> bool;
}

/// Elects among the programs that use one directory, by a lock on a file in it.
pub(crate) fn in_directory(directory: &Path, task: ExclusiveTask) -> Election {
    let directory = directory.to_owned();
    Arc::new(move || match Lock::attempt(&directory, task) {
        Ok(lock) => lock.map(|lock| Box::new(lock) as Box<dyn Elected>),
        Err(err) => {
            let cause = format!("{} cannot be locked: {err}", directory.display());
            if crate::observe::log::is_new(&cause) {
                tracing::error!("{cause}");
            }
            None
        }
    })
}

/// The system releases a lock only when the program ends, but an operator may remove the file.
impl Elected for Lock {
    fn holds(&mut self) -> bool {
        self.is_in_place()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_at_a_time_is_elected() {
        let dir = tempfile::tempdir().unwrap();
        let (one, other) = (
            in_directory(dir.path(), ExclusiveTask::Sync),
            in_directory(dir.path(), ExclusiveTask::Sync),
        );
        let mut elected = one().unwrap();
        assert!(elected.holds() && other().is_none() && one().is_none());
        assert!(in_directory(dir.path(), ExclusiveTask::Publish)().is_some());
        drop(elected);
        let mut elected = other().unwrap();
        // Once the file is removed, the next candidate locks a new one.
        std::fs::remove_file(dir.path().join("sync.lock")).unwrap();
        assert!(!elected.holds() && one().is_some());
    }

    #[test]
    fn no_server_is_elected_where_nothing_can_be_locked() {
        let dir = tempfile::tempdir().unwrap();
        assert!(in_directory(&dir.path().join("missing"), ExclusiveTask::Sync)().is_none());
    }
}
