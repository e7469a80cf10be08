//! Calling webhooks: what runs beside requests and empties the outbox.
mod client;
mod rounds;
mod words;

use std::{
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
    election::{Elected, Election},
    http::App,
    lock::Work,
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

/// How often a server that does not deliver tries to be the one that does.
const ELECTION: Duration = Duration::from_millis(200);

/// Delivers until it is stopped. Of several servers with the same accounts, one delivers.
pub(crate) struct Deliver {
    app: Arc<App>,
    stop: Arc<Stop>,
    thread: JoinHandle<()>,
}

impl Deliver {
    pub(crate) fn start(app: &Arc<App>, election: Election, targets: Targets) -> Deliver {
        let stop = Arc::new(Stop::default());
        let (shared, told) = (app.clone(), stop.clone());
        let thread = thread::spawn(move || {
            while let Some(mut elected) = elect(&election, &told) {
                match Client::new(targets) {
                    Ok(client) => run(&shared, client, &told, &mut *elected),
                    Err(words) => return tracing::error!("webhooks are not called: {words}"),
                }
            }
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

/// Waits until no other server delivers; `None` if it was stopped meanwhile.
fn elect(election: &Election, stop: &Stop) -> Option<Box<dyn Elected>> {
    let mut said = false;
    while !stop.is_stopped() {
        if let Some(elected) = election() {
            return Some(elected);
        }
        if !said {
            tracing::info!("{}", Work::Webhooks.elsewhere());
            said = true;
        }
        stop.wait(ELECTION);
    }
    None
}

/// Delivers until it is stopped, or another server may.
fn run(app: &App, client: Client, stop: &Stop, elected: &mut dyn Elected) {
    let (accounts, outbox) = (app.access().accounts(), app.access().outbox());
    let clock = Arc::new(|| Now::read().utc);
    let mut rounds = Rounds::new(accounts, app.catalogue(), client, clock, outbox.clone());
    let mut trouble = Trouble::new("webhooks cannot be looked after");
    while !stop.is_stopped() && elected.holds() {
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
