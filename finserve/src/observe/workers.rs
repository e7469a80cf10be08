//! The background workers of a server: when each last showed that it runs, and how often it panicked.
use std::{
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

/// All background workers of a server.
#[derive(Debug, Default)]
pub(crate) struct Workers(Mutex<Vec<Arc<Heartbeat>>>);

/// When a worker last showed that it runs.
#[derive(Debug)]
pub(crate) struct Heartbeat {
    name: &'static str,
    /// The longest time between two beats of a worker that runs as it should.
    longest: Duration,
    /// `None` once the worker has ended as it should.
    last: Mutex<Option<Instant>>,
    panics: AtomicU64,
}

impl Workers {
    /// Adds a worker; one with the same name is replaced, but its panics still count.
    pub(crate) fn add(&self, name: &'static str, longest: Duration) -> Arc<Heartbeat> {
        let mut all = self.lock();
        let before = all.iter().position(|worker| worker.name == name).map(|at| all.remove(at));
        let panics = before.map_or(0, |before| before.panics());
        let last = Mutex::new(Some(Instant::now()));
        let worker = Arc::new(Heartbeat { name, longest, last, panics: panics.into() });
        all.push(worker.clone());
        worker
    }

    /// The names of the workers that have not run when they should, in order.
    pub(crate) fn late(&self, now: Instant) -> Vec<&'static str> {
        let mut late: Vec<&str> =
            self.lock().iter().filter(|worker| worker.is_late(now)).map(|one| one.name).collect();
        late.sort_unstable();
        late
    }

    /// All workers that were added.
    pub(super) fn all(&self) -> Vec<Arc<Heartbeat>> {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Arc<Heartbeat>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Heartbeat {
    pub(crate) fn name(&self) -> &'static str {
        self.name
    }

    /// Records that the worker runs.
    pub(crate) fn beat(&self) {
        *self.lock() = Some(Instant::now());
    }

    /// Records that the worker has ended as it should.
    pub(crate) fn end(&self) {
        *self.lock() = None;
    }

    pub(crate) fn count_panic(&self) {
        self.panics.fetch_add(1, Ordering::Relaxed);
    }

    /// How often it has panicked.
    pub(crate) fn panics(&self) -> u64 {
        self.panics.load(Ordering::Relaxed)
    }

    pub(super) fn is_late(&self, now: Instant) -> bool {
        self.lock().is_some_and(|last| now.saturating_duration_since(last) > self.longest)
    }

    fn lock(&self) -> MutexGuard<'_, Option<Instant>> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_the_workers_that_have_not_run_when_they_should() {
        let workers = Workers::default();
        let [sync, keys] = [("sync", 7200), ("keys", 60)]
            .map(|(name, longest)| workers.add(name, Duration::from_secs(longest)));
        let now = Instant::now();
        let after = |seconds| workers.late(now + Duration::from_secs(seconds));
        assert!(after(59).is_empty());
        assert_eq!(after(70), ["keys"]);
        assert_eq!(after(7300), ["keys", "sync"]);
        keys.end();
        assert_eq!(after(7300), ["sync"]);
        sync.count_panic();
        // A new leader starts it again.
        let sync = workers.add("sync", Duration::from_secs(7200));
        assert_eq!((workers.all().len(), sync.panics()), (2, 1));
    }
}
