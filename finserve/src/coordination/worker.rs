//! A thread that works in the background until it is stopped.
use std::{
    sync::Arc,
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use super::signal::Signal;

/// A thread and the signal that stops it. Its work may be cut short without harm: the program may end before the thread.
#[derive(Debug)]
pub(crate) struct Worker {
    stop: Arc<Signal>,
    thread: JoinHandle<()>,
}

/// How long a stop waits for the thread.
const STOP_TIMEOUT: Duration = Duration::from_millis(300);

impl Worker {
    pub(crate) fn start(work: impl FnOnce(&Signal) + Send + 'static) -> Worker {
        let stop = Arc::new(Signal::default());
        let received = stop.clone();
        Worker { stop, thread: thread::spawn(move || work(&received)) }
    }

    /// Tells the thread to begin nothing more.
    pub(crate) fn ask_to_stop(&self) {
        self.stop.stop();
    }

    /// Stops the thread, but waits only a moment for work that takes long.
    pub(crate) fn stop(self) {
        self.ask_to_stop();
        let since = Instant::now();
        while !self.thread.is_finished() && since.elapsed() < STOP_TIMEOUT {
            thread::sleep(Duration::from_millis(10));
        }
    }
}
