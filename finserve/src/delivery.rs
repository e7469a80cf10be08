//! Calling webhooks: a background thread that empties the outbox.
mod client;
mod failure_messages;
mod rounds;

use std::{
    sync::Arc,
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use fincore::{Accounts, Catalogue, events::EventWindow, webhooks::Targets};

use self::{
    client::Client,
    rounds::{Pace, Rounds},
};
use crate::{
    coordination::{
        clock::Clock,
        directory_lock::ExclusiveTask,
        leader_election::{Elected, Election},
        signal::Signal,
        worker::go_on_after_panics,
    },
    observe::{
        log::FailureLog,
        workers::{Heartbeat, Workers},
    },
};

/// How often the thread reads the change log and the calls that are due: an event must go out within a second of the
/// import, and a retry within a tenth of its delay, which may be five seconds.
const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// The pause between two rounds: requests can write to the accounts meanwhile, and the outcomes of several calls are
/// recorded in one transaction.
const PAUSE: Duration = Duration::from_millis(20);
/// How long a stop waits for calls under way. A call whose outcome is not recorded by then is made again after the next
/// start.
const LAST_CALLS: Duration = Duration::from_secs(2);
/// How long a stop waits for the thread.
const STOP_TIMEOUT: Duration = Duration::from_millis(2500);

/// A round only reads and writes files, so one that takes longer than this is stuck.
const LONGEST_ROUND: Duration = Duration::from_secs(120);

/// How often a server that does not deliver tries to be elected.
const ELECTION_INTERVAL: Duration = Duration::from_millis(200);

/// The thread that delivers until it is stopped. Of several servers with the same accounts, one delivers.
pub(crate) struct Delivery {
    outbox: Arc<Signal>,
    stop: Arc<Signal>,
    thread: JoinHandle<()>,
}

#[derive(Clone)]
pub(crate) struct DeliveryContext {
    pub(crate) accounts: Arc<Accounts>,
    pub(crate) catalogue: Catalogue,
    /// Wakes the thread when something new may be due.
    pub(crate) outbox: Arc<Signal>,
    /// Which addresses may be called.
    pub(crate) targets: Targets,
    /// How old what comes in may be and still be an event.
    pub(crate) window: EventWindow,
    pub(crate) clock: Clock,
}

impl Delivery {
    pub(crate) fn start(
        context: DeliveryContext,
        election: Election,
        workers: &Workers,
    ) -> Delivery {
        let stop = Arc::new(Signal::default());
        let (outbox, stop_thread) = (context.outbox.clone(), stop.clone());
        let heartbeat = workers.add("webhooks", LONGEST_ROUND);
        let thread = thread::spawn(move || {
            go_on_after_panics(&heartbeat, &stop_thread, || {
                deliver(&context, &election, &stop_thread, &heartbeat);
            });
        });
        Delivery { outbox, stop, thread }
    }

    /// Tells the thread to make no more calls.
    pub(crate) fn ask_to_stop(&self) {
        self.stop.stop();
        self.outbox.wake();
    }

    /// Makes no more calls, and waits a moment for the calls under way.
    pub(crate) fn stop(self) {
        self.ask_to_stop();
        let since = Instant::now();
        while !self.thread.is_finished() && since.elapsed() < STOP_TIMEOUT {
            thread::sleep(Duration::from_millis(10));
        }
    }
}

/// Delivers whenever this server is elected to, until it is stopped.
fn deliver(context: &DeliveryContext, election: &Election, stop: &Signal, heartbeat: &Heartbeat) {
    while let Some(mut elected) = wait_to_be_elected(election, stop, heartbeat) {
        match Client::new(context.targets) {
            Ok(client) => run(context, client, stop, &mut *elected, heartbeat),
            Err(reason) => return tracing::error!("webhooks are not called: {reason}"),
        }
    }
}

/// Waits until this server is elected to deliver; `None` if it was stopped.
fn wait_to_be_elected(
    election: &Election,
    stop: &Signal,
    heartbeat: &Heartbeat,
) -> Option<Box<dyn Elected>> {
    let mut logged = false;
    while !stop.is_stopped() {
        heartbeat.beat();
        if let Some(elected) = election() {
            return Some(elected);
        }
        if !logged {
            tracing::info!("{}", ExclusiveTask::Webhooks.waiting_message());
            logged = true;
        }
        stop.wait(ELECTION_INTERVAL);
    }
    None
}

/// Delivers until it is stopped, or is no longer the server that was elected.
fn run(
    context: &DeliveryContext,
    client: Client,
    stop: &Signal,
    elected: &mut dyn Elected,
    heartbeat: &Heartbeat,
) {
    let DeliveryContext { accounts, catalogue, outbox, clock, window, .. } = context.clone();
    let clock = Arc::new(move || clock.now().utc);
    let mut rounds = Rounds::new(&accounts, (&catalogue, window), client, clock, outbox.clone());
    let mut failures = FailureLog::new("webhooks cannot be delivered");
    while !stop.is_stopped() && elected.holds() {
        heartbeat.beat();
        let outcome = rounds.round();
        failures.report(&outcome);
        thread::sleep(PAUSE);
        match outcome {
            Ok(Pace::Hurry) => (),
            Ok(Pace::Rest) | Err(_) => {
                outbox.wait(POLL_INTERVAL);
            }
        }
    }
    failures.report(&rounds.finish(LAST_CALLS));
}

#[cfg(test)]
mod tests;
