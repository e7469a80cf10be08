//! Which of several servers does what only one may do.
use std::{path::Path, sync::Arc};

use crate::lock::{Lock, Work};

/// Tries to be the one; `None` while another is. It is asked again and again, and never waits for long.
pub(crate) type Election = Arc<dyn Fn() -> Option<Box<dyn Elected>> + Send + Sync>;

/// What the one that was elected holds. Dropping it lets another be elected, and so does the end of the program, however
/// it ends.
pub(crate) trait Elected: Send {
    /// Whether it is still the one. What only one may do must not be done after this was false.
    fn holds(&mut self) -> bool;
}

/// Elects among those who use one directory, by a lock on a file in it.
pub(crate) fn in_directory(directory: &Path, work: Work) -> Election {
    let directory = directory.to_owned();
    Arc::new(move || match Lock::attempt(&directory, work) {
        Ok(lock) => lock.map(|lock| Box::new(lock) as Box<dyn Elected>),
        Err(err) => {
            let cause = format!("{} cannot be locked: {err}", directory.display());
            if crate::log::is_new(&cause) {
                tracing::error!("{cause}");
            }
            None
        }
    })
}

/// The system takes a lock away only when the program ends, but somebody may remove the file.
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
        let (one, other) =
            (in_directory(dir.path(), Work::Sync), in_directory(dir.path(), Work::Sync));
        let mut elected = one().unwrap();
        assert!(elected.holds() && other().is_none() && one().is_none());
        assert!(in_directory(dir.path(), Work::Publish)().is_some());
        drop(elected);
        let mut elected = other().unwrap();
        // Whoever finds another directory under the name is elected there.
        std::fs::remove_file(dir.path().join("sync.lock")).unwrap();
        assert!(!elected.holds() && one().is_some());
    }

    #[test]
    fn nobody_is_elected_where_nothing_can_be_locked() {
        let dir = tempfile::tempdir().unwrap();
        assert!(in_directory(&dir.path().join("missing"), Work::Sync)().is_none());
    }
}
