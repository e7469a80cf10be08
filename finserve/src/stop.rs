//! Stopping what runs in the background, and waits that end when it is stopped.
use std::{
    sync::{Arc, Condvar, Mutex, PoisonError},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

/// Whether to stop. What is stopped once stays so.
#[derive(Debug, Default)]
pub(crate) struct Stop {
    stopped: Mutex<bool>,
    changed: Condvar,
}

impl Stop {
    /// Ends all waits, now and later.
    pub(crate) fn stop(&self) {
        *self.stopped.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.changed.notify_all();
    }

    pub(crate) fn is_stopped(&self) -> bool {
        *self.stopped.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits this long, or until it is stopped.
    pub(crate) fn wait(&self, time: Duration) {
        let stopped = self.stopped.lock().unwrap_or_else(PoisonError::into_inner);
        // If a thread panicked it does not matter here: both outcomes end the wait.
        let _ = self.changed.wait_timeout_while(stopped, time, |stopped| !*stopped);
    }
}

/// Work on a thread of its own that goes on until it is stopped, and may be cut short then without harm.
#[derive(Debug)]
pub(crate) struct Worker {
    stop: Arc<Stop>,
    thread: JoinHandle<()>,
}

/// How long a stop waits for the thread.
const STOP_TIMEOUT: Duration = Duration::from_millis(300);

impl Worker {
    pub(crate) fn start(work: impl FnOnce(&Stop) + Send + 'static) -> Worker {
        let stop = Arc::new(Stop::default());
        let told = stop.clone();
        Worker { stop, thread: thread::spawn(move || work(&told)) }
    }

    /// Begins nothing more.
    pub(crate) fn ask_to_stop(&self) {
        self.stop.stop();
    }

    /// Stops; does not wait for what takes long.
    pub(crate) fn stop(self) {
        self.ask_to_stop();
        let since = Instant::now();
        while !self.thread.is_finished() && since.elapsed() < STOP_TIMEOUT {
            thread::sleep(Duration::from_millis(10));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stop_ends_every_wait() {
        let stop = Stop::default();
        assert!(!stop.is_stopped());
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| stop.wait(Duration::from_secs(3600)));
            stop.stop();
            waiting.join().unwrap();
        });
        stop.wait(Duration::from_secs(3600));
        assert!(stop.is_stopped());
    }
}
