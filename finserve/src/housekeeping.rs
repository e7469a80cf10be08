//! Background work of a server: refreshing keys and sessions, writing usage, forgetting idle callers and sessions that are
//! over, preparing searches.
use std::{
    sync::Arc,
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use fincore::{Catalogue, ErrorKind, search};

use crate::{
    http::{Access, App, Signal},
    log::Trouble,
    now::Now,
    ready::{About, Readiness},
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
/// How often sessions that are over are forgotten.
const SWEEP_SESSIONS: Duration = Duration::from_secs(600);
/// How often the data is looked at for changes. A search that comes sooner after an import takes longer than others.
const LOOK: Duration = Duration::from_millis(250);

/// How often a catalogue that is damaged is checked again: somebody may have repaired it.
const CHECK: Duration = Duration::from_secs(5);

/// Four threads, so that neither a disk that is slow to write, nor searches that are prepared, nor a look at the whole file
/// hold up the keys.
pub(crate) struct Housekeeping {
    app: Arc<App>,
    stop: Arc<Stop>,
    threads: [JoinHandle<()>; 3],
}

impl Housekeeping {
    pub(crate) fn start(app: &Arc<App>, ready: &Arc<Readiness>) -> Housekeeping {
        let stop = Arc::new(Stop::default());
        let (reader, writer, searched) = (app.clone(), app.clone(), app.clone());
        let (flush_until, prepare_until, check_until) = (stop.clone(), stop.clone(), stop.clone());
        let (checked, of_file) = (app.catalogue().clone(), ready.clone());
        // It only reads, so nobody needs to wait for its end.
        thread::spawn(move || check(&checked, &check_until, &of_file));
        let (of_keys, of_data) = (ready.clone(), ready.clone());
        let refresh = thread::spawn(move || refresh(reader.access(), &of_keys));
        let flush = thread::spawn(move || flush(&writer, &flush_until));
        let prepare = thread::spawn(move || prepare(&searched, &prepare_until, &of_data));
        Housekeeping { app: app.clone(), stop, threads: [refresh, flush, prepare] }
    }

    /// Returns once the threads that write have ended.
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
fn refresh(access: &Access, ready: &Readiness) {
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
        let refreshed = access.refresh_keys();
        // Whatever keeps keys from being read: this finds out whether that is over.
        let usable = access.accounts().verify().and(refreshed);
        ready.report(About::Accounts, usable.err().map(|err| err.to_string()));
    }
}

/// Writes usage, and forgets idle callers.
fn flush(app: &App, stop: &Stop) {
    let mut trouble = Trouble::new("usage cannot be written");
    let mut log = Trouble::new("the log of the catalogue cannot be shortened");
    let mut sessions = Trouble::new("sessions that are over cannot be removed");
    let (mut swept, mut sessions_swept) = (Instant::now(), None::<Instant>);
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
            log.report(&app.catalogue().shrink_log());
        }
        if sessions_swept.is_none_or(|last| last.elapsed() >= SWEEP_SESSIONS) {
            sessions_swept = Some(Instant::now());
            sessions.report(&app.access().sweep_sessions(Now::read()));
        }
        let flushed = app.access().flush();
        // A file that cannot be used is reported as such.
        let known = flushed.as_ref().is_err_and(|err| matches!(err.kind(), ErrorKind::Unavailable));
        if !known {
            trouble.report(&flushed);
        }
    }
}

/// Drops answers that are kept and prepares searches, whenever the data has changed. If it has not, that costs
/// microseconds.
fn prepare(app: &App, stop: &Stop, ready: &Readiness) {
    while !stop.is_stopped() {
        let now = Now::read();
        // It also ends the views of the data that requests have left open.
        let verified = app.catalogue().verify();
        let snapshot = app.catalogue().recent_snapshot(now.today(), now.instant);
        let prepared = verified.and(snapshot).and_then(|snapshot| {
            app.follow(&snapshot);
            search::prepare(&snapshot)
        });
        ready.report(About::Catalogue, prepared.err().map(|err| err.to_string()));
        stop.wait(LOOK);
    }
}

/// Looks for damage in the whole file of the catalogue once, which a start does not wait for; and again while there is some.
fn check(catalogue: &Catalogue, stop: &Stop, ready: &Readiness) {
    while !stop.is_stopped() {
        let damage = match catalogue.quick_check() {
            Ok(problems) => problems.into_iter().next(),
            Err(err) => Some(err.to_string()),
        };
        let Some(damage) = damage else { return ready.report(About::Structure, None) };
        let remedy = "`finserve check` says more; restore a backup, or delete the file to start from the bundled data";
        ready
            .report(About::Structure, Some(format!("catalogue.db is damaged: {damage}; {remedy}")));
        stop.wait(CHECK);
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
            tracing::warn!(
                "some stored values cannot be read, and are left out of answers: \
                 `finserve check` says which, `finserve rebuild` repairs them"
            );
        }
    }
}
