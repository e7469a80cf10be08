//! Background work of a server: refreshing keys, writing usage, forgetting idle callers.
use std::{
    sync::{
        Arc,
        mpsc::{self, RecvTimeoutError, Sender},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use crate::{
    http::{Access, App, Signal},
    log::{Trouble, log},
};

/// What the operator does to a key takes effect within a second, with room for a slow disk.
const REFRESH: Duration = Duration::from_millis(250);
/// The shortest time between two refreshes that unknown keys cause.
const UNKNOWN_KEY_REFRESH: Duration = Duration::from_millis(250);
/// A crash loses at most the last second of usage, with room for a slow disk.
const FLUSH: Duration = Duration::from_millis(200);
/// How often idle callers are forgotten.
const SWEEP: Duration = Duration::from_secs(1);

/// Two threads, so that a disk that is slow to write does not hold up what is read.
pub(crate) struct Housekeeping {
    app: Arc<App>,
    stop: Sender<()>,
    threads: [JoinHandle<()>; 2],
}

impl Housekeeping {
    pub(crate) fn start(app: &Arc<App>) -> Housekeeping {
        let (stop, stopped) = mpsc::channel();
        let (reader, writer) = (app.clone(), app.clone());
        let refresh = thread::spawn(move || refresh(reader.access()));
        let flush = thread::spawn(move || {
            let mut trouble = Trouble::new("usage cannot be written");
            let mut swept = Instant::now();
            let mut unreadable = Unreadable::default();
            while stopped.recv_timeout(FLUSH) == Err(RecvTimeoutError::Timeout) {
                if swept.elapsed() >= SWEEP {
                    swept = Instant::now();
                    writer.access().sweep(swept);
                    unreadable.report(writer.catalogue().unreadable());
                }
                trouble.report(&writer.access().flush());
            }
        });
        Housekeeping { app: app.clone(), stop, threads: [refresh, flush] }
    }

    /// Returns once both threads have ended.
    pub(crate) fn stop(self) {
        drop(self.stop);
        self.app.access().refresh_signal().signal(Signal::Stop);
        for thread in self.threads {
            // A thread that panicked has said so already.
            let _ = thread.join();
        }
    }
}

/// Refreshes the keys: regularly, and when a request brings an unknown one.
fn refresh(access: &Access) {
    let mut trouble = Trouble::new("keys cannot be read");
    let mut last_signalled = None::<Instant>;
    loop {
        match access.refresh_signal().wait(REFRESH) {
            Signal::Stop => return,
            Signal::None => (),
            Signal::Refresh => {
                let since = last_signalled.map_or(UNKNOWN_KEY_REFRESH, |last| last.elapsed());
                thread::sleep(UNKNOWN_KEY_REFRESH.saturating_sub(since));
                last_signalled = Some(Instant::now());
            }
        }
        trouble.report(&access.refresh_keys());
    }
}

/// Logs once that answers leave out stored values.
#[derive(Default)]
struct Unreadable {
    reported: bool,
}

impl Unreadable {
    fn report(&mut self, met: u64) {
        if met > 0 && !self.reported {
            self.reported = true;
            log(format_args!(
                "some stored values cannot be read, and are left out of answers: \
                 `finserve check` says which, `finserve rebuild` repairs them"
            ));
        }
    }
}
