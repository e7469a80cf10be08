//! Background threads of a server: they refresh keys and sessions, write usage, remove idle callers, expired sessions and
//! unused keys, prepare searches, and check the catalogue for damage.
use std::{
    sync::Arc,
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use fincore::{ErrorKind, search};

use super::retention::RetentionSweep;
use crate::{
    cli::Retention,
    coordination::{
        priority::Priority,
        signal::{Signal, Wake},
        worker::go_on_after_panics,
    },
    http::App,
    observe::{
        log::FailureLog,
        readiness::{Component, Readiness},
        workers::Heartbeat,
    },
};

/// A change of a key takes effect within a second, with room for a slow disk.
const REFRESH_INTERVAL: Duration = Duration::from_millis(250);
/// The shortest time between two refreshes that unknown keys or notifications cause: the accounts are in a database that
/// others use too. All who wait are served by the next one.
const UNKNOWN_KEY_REFRESH: Duration = Duration::from_millis(50);
/// A crash loses at most the last second of usage, with room for a slow disk.
const FLUSH_INTERVAL: Duration = Duration::from_millis(500);
/// How often idle callers are removed.
const SWEEP_INTERVAL: Duration = Duration::from_secs(1);
/// How often expired sessions are removed.
const SESSION_SWEEP_INTERVAL: Duration = Duration::from_secs(600);
/// How often the thread looks for changes of the data. A search that comes sooner after an import takes longer than others.
const PREPARE_INTERVAL: Duration = Duration::from_millis(250);

/// How often a damaged catalogue is checked again: the operator may have repaired it.
const CHECK_INTERVAL: Duration = Duration::from_secs(5);

/// A thread that takes longer than this for a round is stuck, even with a slow disk or after a large import; the check reads
/// the whole file.
const LONGEST_ROUND: Duration = Duration::from_secs(120);
const LONGEST_CHECK: Duration = Duration::from_secs(1800);

/// Runs on its thread until it is stopped.
type Work = Box<dyn Fn(&App, &Signal, &Readiness, &Heartbeat) + Send>;

/// Four threads, so that neither a slow disk, nor the preparation of searches, nor the check of the whole file delays the
/// refresh of keys.
pub(crate) struct Housekeeping {
    app: Arc<App>,
    stop: Arc<Signal>,
    threads: [JoinHandle<()>; 3],
}

impl Housekeeping {
    pub(crate) fn start(
        app: &Arc<App>,
        ready: &Arc<Readiness>,
        retention: Retention,
    ) -> Housekeeping {
        let stop = Arc::new(Signal::default());
        let start = |name, longest, work: Work| {
            let (app, stop, ready) = (app.clone(), stop.clone(), ready.clone());
            let heartbeat = app.metrics().workers().add(name, longest);
            thread::spawn(move || {
                go_on_after_panics(&heartbeat, &stop, || work(&app, &stop, &ready, &heartbeat));
            })
        };
        // This thread only reads, so a stop need not wait for it.
        start("check", LONGEST_CHECK, Box::new(check));
        let refresh = start("keys", LONGEST_ROUND, Box::new(refresh));
        let flush = move |app: &App, stop: &Signal, _: &Readiness, heartbeat: &Heartbeat| {
            flush(app, stop, heartbeat, retention);
        };
        let flush = start("usage", LONGEST_ROUND, Box::new(flush));
        let prepare = start("search", LONGEST_ROUND, Box::new(prepare));
        Housekeeping { app: app.clone(), stop, threads: [refresh, flush, prepare] }
    }

    /// Returns once the threads that write have ended.
    pub(crate) fn stop(self) {
        self.stop.stop();
        self.app.access().refresh().signal.stop();
        for thread in self.threads {
            // Panics are caught.
            let _ = thread.join();
        }
    }
}

/// Refreshes the keys: regularly, when PostgreSQL notifies of a change, and when a request brings an unknown one that cannot be
/// looked up at once.
fn refresh(app: &App, _: &Signal, ready: &Readiness, heartbeat: &Heartbeat) {
    let access = app.access();
    let mut last_signalled = None::<Instant>;
    loop {
        match access.refresh().signal.wait(REFRESH_INTERVAL) {
            Wake::Stopped => return,
            Wake::Timeout => (),
            Wake::Woken => {
                let since = last_signalled.map_or(UNKNOWN_KEY_REFRESH, |last| last.elapsed());
                thread::sleep(UNKNOWN_KEY_REFRESH.saturating_sub(since));
                last_signalled = Some(Instant::now());
            }
        }
        heartbeat.beat();
        let refreshed = access.refresh_keys();
        // If keys could not be read, this finds out whether they can be read again.
        let usable = access.accounts().verify().and(refreshed);
        ready.report(Component::Accounts, usable.err().map(|err| err.to_string()));
    }
}

/// Writes usage, and removes idle callers, expired sessions and keys that were never used.
fn flush(app: &App, stop: &Signal, heartbeat: &Heartbeat, retention: Retention) {
    let mut usage = FailureLog::new("usage cannot be written");
    let mut log = FailureLog::new("the log of the catalogue cannot be shortened");
    let mut sessions = FailureLog::new("expired sessions cannot be removed");
    let mut retained = FailureLog::new("what is too old cannot be removed from the accounts");
    let mut retention = RetentionSweep::new(retention);
    let (mut swept, mut sessions_swept) = (Instant::now(), None::<Instant>);
    let mut corrupt_values = CorruptValuesWarning::default();
    loop {
        stop.wait(FLUSH_INTERVAL);
        if stop.is_stopped() {
            return;
        }
        heartbeat.beat();
        if swept.elapsed() >= SWEEP_INTERVAL {
            swept = Instant::now();
            app.access().sweep(swept);
            corrupt_values.report(app.catalogue().skipped_corrupt_values());
            log.report(&app.catalogue().shrink_log());
        }
        if sessions_swept.is_none_or(|last| last.elapsed() >= SESSION_SWEEP_INTERVAL) {
            sessions_swept = Some(Instant::now());
            sessions.report(&app.access().sweep_sessions(app.clock().now()));
        }
        let flushed = app.access().flush();
        // Readiness reports accounts that cannot be used.
        let is_reported =
            flushed.as_ref().is_err_and(|err| matches!(err.kind(), ErrorKind::Unavailable));
        if !is_reported {
            usage.report(&flushed);
        }
        // After the usage is written, so that a key that has just been used counts as used.
        if flushed.is_ok() {
            retained.report(&retention.step(app.access().accounts(), app.clock().now()));
        }
    }
}

/// Drops cached answers and prepares searches whenever the data has changed. If it has not, that costs microseconds.
fn prepare(app: &App, stop: &Signal, ready: &Readiness, heartbeat: &Heartbeat) {
    while !stop.is_stopped() {
        heartbeat.beat();
        let now = app.clock().now();
        // It also ends the views of the data that requests have left open.
        let verified = app.catalogue().verify();
        let snapshot = app.catalogue().recent_snapshot(now.today(), now.instant);
        let prepared = verified.and(snapshot).and_then(|snapshot| {
            app.follow(&snapshot);
            search::prepare(&snapshot)?;
            app.refresh_dataset_list(&snapshot);
            Ok(())
        });
        ready.report(Component::Catalogue, prepared.err().map(|err| err.to_string()));
        stop.wait(PREPARE_INTERVAL);
    }
}

/// Checks the whole catalogue for damage, once after the start, and again and again while it is damaged. Neither the start
/// nor any request waits for it.
fn check(app: &App, stop: &Signal, ready: &Readiness, heartbeat: &Heartbeat) {
    Priority::Lowest.take();
    while !stop.is_stopped() {
        heartbeat.beat();
        let damage = match app.catalogue().quick_check() {
            Ok(problems) => problems.into_iter().next(),
            Err(err) => Some(err.to_string()),
        };
        let Some(damage) = damage else { return ready.report(Component::Structure, None) };
        let remedy = "`finserve check` says more; restore a backup, or delete the file to start from the bundled data";
        ready.report(
            Component::Structure,
            Some(format!("catalogue.db is damaged: {damage}; {remedy}")),
        );
        stop.wait(CHECK_INTERVAL);
    }
}

/// Logs once that answers leave out stored values.
#[derive(Default)]
struct CorruptValuesWarning {
    reported: bool,
}

impl CorruptValuesWarning {
    fn report(&mut self, skipped: u64) {
        if skipped > 0 && !self.reported {
            self.reported = true;
            tracing::warn!(
                "some stored values cannot be read, and are left out of answers: \
                 `finserve check` says which, `finserve rebuild` repairs them"
            );
        }
    }
}
