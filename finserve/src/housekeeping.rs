//! Background work of a server: refreshing keys, writing usage, forgetting idle callers, preparing searches.
use std::{
    sync::Arc,
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use fincore::search;

use crate::{
    http::{Access, App, Signal},
    log::{Trouble, log},
    now::Now,
    stop::Stop,
};

/// What the operator does to a key takes effect within a second, with room for a slow disk.
const REFRESH: Duration = Duration::from_millis(250);
/// The shortest time between two refreshes that unknown keys cause.
const UNKNOWN_KEY_REFRESH: Duration = Duration::from_millis(250);
/// A crash loses at most the last second of usage, with room for a slow disk.
const FLUSH: Duration = Duration::from_millis(500);
/// How often idle callers are forgotten.
const SWEEP: Duration = Duration::from_secs(1);
/// How often the data is looked at for changes. A search that comes sooner after an import takes longer than others.
const LOOK: Duration = Duration::from_millis(250);

/// Three threads, so that neither a disk that is slow to write nor searches that are prepared hold up the keys.
pub(crate) struct Housekeeping {
    app: Arc<App>,
    stop: Arc<Stop>,
    threads: [JoinHandle<()>; 3],
}

impl Housekeeping {
    pub(crate) fn start(app: &Arc<App>) -> Housekeeping {
        let stop = Arc::new(Stop::default());
        let (reader, writer, searched) = (app.clone(), app.clone(), app.clone());
        let (flush_until, prepare_until) = (stop.clone(), stop.clone());
        let refresh = thread::spawn(move || refresh(reader.access()));
        let flush = thread::spawn(move || flush(&writer, &flush_until));
        let prepare = thread::spawn(move || prepare(&searched, &prepare_until));
        Housekeeping { app: app.clone(), stop, threads: [refresh, flush, prepare] }
    }

    /// Returns once all threads have ended.
    pub(crate) fn stop(self) {
        self.stop.stop();
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

/// Writes usage, and forgets idle callers.
fn flush(app: &App, stop: &Stop) {
    let mut trouble = Trouble::new("usage cannot be written");
    let mut swept = Instant::now();
    let mut unreadable = Unreadable::default();
    loop {
        stop.wait(FLUSH);
        if stop.is_stopped() {
            return;
        }
        if swept.elapsed() >= SWEEP {
            swept = Instant::now();
            app.access().sweep(swept);
            unreadable.report(app.catalogue().unreadable());
        }
        trouble.report(&app.access().flush());
    }
}

/// Drops answers that are kept and prepares searches, whenever the data has changed. If it has not, that costs
/// microseconds.
fn prepare(app: &App, stop: &Stop) {
    let mut trouble = Trouble::new("searches cannot be prepared");
    while !stop.is_stopped() {
        let now = Now::read();
        // It also ends the views of the data that requests have left open.
        let snapshot = app.catalogue().recent_snapshot(now.today(), now.instant);
        trouble.report(&snapshot.and_then(|snapshot| {
            app.follow(&snapshot);
            search::prepare(&snapshot)
        }));
        stop.wait(LOOK);
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
