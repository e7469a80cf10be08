//! What a server does besides answering: obey other programs, write down usage, forget the idle.
use std::{
    sync::{
        Arc,
        mpsc::{self, Receiver, RecvTimeoutError, Sender},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use fincore::Result;

use crate::{answer::App, log};

/// What the operator does to a key holds within a second, with room for a slow disk.
const REFRESH: Duration = Duration::from_millis(250);
/// A crash loses at most the last second of usage: likewise.
const FLUSH: Duration = Duration::from_millis(500);

/// Two threads, so that a disk that is slow to write does not hold up what is read.
pub(crate) struct Housekeeping {
    threads: Vec<(Sender<()>, JoinHandle<()>)>,
}

impl Housekeeping {
    pub(crate) fn start(app: &Arc<App>) -> Housekeeping {
        let refresh = |app: &App| app.access.refresh();
        let flush = |app: &App| {
            app.access.sweep(Instant::now());
            app.access.flush()
        };
        let threads = vec![
            every(REFRESH, "keys cannot be read", app.clone(), refresh),
            every(FLUSH, "usage cannot be written", app.clone(), flush),
        ];
        Housekeeping { threads }
    }

    /// Returns once both threads have ended.
    pub(crate) fn stop(self) {
        for (stop, thread) in self.threads {
            drop(stop);
            // A thread that panicked has said so already.
            let _ = thread.join();
        }
    }
}

fn every(
    period: Duration,
    trouble: &'static str,
    app: Arc<App>,
    work: fn(&App) -> Result<()>,
) -> (Sender<()>, JoinHandle<()>) {
    let (stop, stopped) = mpsc::channel();
    let thread = thread::spawn(move || repeat(period, trouble, &stopped, || work(&app)));
    (stop, thread)
}

/// Tells of trouble once, not each time, and when it is over.
fn repeat(period: Duration, trouble: &str, stopped: &Receiver<()>, work: impl Fn() -> Result<()>) {
    let mut fails = false;
    while stopped.recv_timeout(period) == Err(RecvTimeoutError::Timeout) {
        let outcome = work();
        match &outcome {
            Err(err) if !fails => log(format_args!("{trouble}: {err}")),
            Ok(()) if fails => log(format_args!("{trouble}: that is over")),
            _ => (),
        }
        fails = outcome.is_err();
    }
}
