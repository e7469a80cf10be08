//! A thread that works in the background until it is stopped.
use std::{
    sync::Arc,
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use super::signal::{Signal, Wake};
use crate::observe::{log, workers::Heartbeat};

/// A thread and the signal that stops it. Its work may be cut short without harm: the program may end before the thread.
#[derive(Debug)]
pub(crate) struct Worker {
    stop: Arc<Signal>,
    thread: JoinHandle<()>,
}

/// How long a stop waits for the thread.
const STOP_TIMEOUT: Duration = Duration::from_millis(300);

/// The pause after a panic; it doubles with each one, up to the longest.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(300);

impl Worker {
    /// Starts a thread that works until it is stopped, and goes on after a panic.
    pub(crate) fn start(
        heartbeat: Arc<Heartbeat>,
        mut work: impl FnMut(&Signal) + Send + 'static,
    ) -> Worker {
        let stop = Arc::new(Signal::default());
        let received = stop.clone();
        let thread =
            thread::spawn(move || go_on_after_panics(&heartbeat, &received, || work(&received)));
        Worker { stop, thread }
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

/// Works until the work returns. A panic is logged and counted, and the work is begun again after a pause, unless it was
/// stopped.
pub(crate) fn go_on_after_panics(heartbeat: &Heartbeat, stop: &Signal, mut work: impl FnMut()) {
    let mut pause = FIRST_PAUSE;
    loop {
        let started = Instant::now();
        let Err(message) = log::catch(&mut work) else { return heartbeat.end() };
        heartbeat.count_panic();
        if started.elapsed() > LONGEST_PAUSE {
            pause = FIRST_PAUSE;
        }
        // A panic on a thread of the worker's own is in the log already.
        let message = if message.is_empty() { "panicked" } else { &message };
        let (name, seconds) = (heartbeat.name(), pause.as_secs());
        tracing::error!("{name}: {message}; it goes on in {seconds} s");
        let until = Instant::now() + pause;
        // A wake-up is not a stop.
        while Instant::now() < until {
            if stop.wait(until.saturating_duration_since(Instant::now())) == Wake::Stopped {
                return heartbeat.end();
            }
        }
        pause = (2 * pause).min(LONGEST_PAUSE);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;
    use crate::observe::workers::Workers;

    #[test]
    fn a_panic_is_counted_and_the_work_goes_on() {
        let heartbeat = Workers::default().add("test", Duration::from_secs(60));
        let (sender, receiver) = mpsc::channel();
        let mut rounds = 0;
        let worker = Worker::start(heartbeat.clone(), move |stop| {
            rounds += 1;
            sender.send(rounds).unwrap();
            assert!(rounds > 1, "forced");
            stop.wait(Duration::from_secs(60));
        });
        let rounds: Vec<u32> = receiver.iter().take(2).collect();
        assert_eq!((rounds, heartbeat.panics()), (vec![1, 2], 1));
        worker.stop();
    }

    #[test]
    fn a_stop_ends_the_pause_after_a_panic() {
        let heartbeat = Workers::default().add("test", Duration::from_secs(60));
        let stop = Signal::default();
        let mut rounds = 0;
        go_on_after_panics(&heartbeat, &stop, || {
            rounds += 1;
            stop.stop();
            panic!("forced");
        });
        assert_eq!((rounds, heartbeat.panics()), (1, 1));
    }
}
