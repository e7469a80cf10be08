//! Calling webhooks: what runs beside requests and empties the outbox.
mod client;
mod rounds;
mod words;

use std::{
    path::Path,
    sync::Arc,
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use fincore::webhooks::Targets;

use self::{
    client::Client,
    rounds::{Pace, Rounds},
};
use crate::{
    http::App,
    lock::{Lock, Work},
    log::Trouble,
    now::Now,
    stop::Stop,
};

/// How often the change log is looked at, and what is due: an event goes out within a second of the import, and a call
/// that is repeated comes within a tenth of its delay, which may be five seconds.
const LOOK: Duration = Duration::from_millis(100);
/// The pause between two rounds: requests get the writer of the accounts, and what calls end with is recorded together.
const PAUSE: Duration = Duration::from_millis(20);
/// How long a stop waits for calls under way. What is not recorded by then is called again after the next start.
const LAST_CALLS: Duration = Duration::from_secs(2);
/// How long a stop waits for the thread.
const STOP_TIMEOUT: Duration = Duration::from_millis(2500);

/// Delivers until it is stopped. Of several servers on one data directory, one delivers.
pub(crate) struct Deliver {
    app: Arc<App>,
    stop: Arc<Stop>,
    thread: JoinHandle<()>,
}

impl Deliver {
    pub(crate) fn start(app: &Arc<App>, directory: &Path, targets: Targets) -> Deliver {
        let stop = Arc::new(Stop::default());
        let (shared, told, directory) = (app.clone(), stop.clone(), directory.to_owned());
        let thread = thread::spawn(move || match prepare(&directory, targets, &told) {
            Ok(Some((lock, client))) => {
                run(&shared, client, &told);
                drop(lock);
            }
            Ok(None) => (),
            Err(words) => tracing::error!("webhooks are not called: {words}"),
        });
        Deliver { app: app.clone(), stop, thread }
    }

    /// Makes no more calls.
    pub(crate) fn ask_to_stop(&self) {
        self.stop.stop();
        self.app.access().outbox().ring();
    }

    /// Makes no more calls, and waits a moment for those under way.
    pub(crate) fn stop(self) {
        self.ask_to_stop();
        let since = Instant::now();
        while !self.thread.is_finished() && since.elapsed() < STOP_TIMEOUT {
            thread::sleep(Duration::from_millis(10));
        }
    }
}

/// Waits until no other program delivers from this directory; `None` if it was stopped meanwhile.
fn prepare(
    directory: &Path,
    targets: Targets,
    stop: &Stop,
) -> Result<Option<(Lock, Client)>, String> {
    let client = Client::new(targets)?;
    let lock = Lock::take(directory, Work::Webhooks, stop)
        .map_err(|err| format!("{} cannot be locked: {err}", directory.display()))?;
    Ok(lock.map(|lock| (lock, client)))
}

fn run(app: &App, client: Client, stop: &Stop) {
    let (accounts, outbox) = (app.access().accounts(), app.access().outbox());
    let clock = Arc::new(|| Now::read().utc);
    let mut rounds = Rounds::new(accounts, app.catalogue(), client, clock, outbox.clone());
    let mut trouble = Trouble::new("webhooks cannot be looked after");
    while !stop.is_stopped() {
        let went = rounds.round();
        trouble.report(&went);
        thread::sleep(PAUSE);
        match went {
            Ok(Pace::Hurry) => (),
            Ok(Pace::Rest) | Err(_) => outbox.wait(LOOK),
        }
    }
    trouble.report(&rounds.finish(LAST_CALLS));
}

#[cfg(test)]
mod tests;
