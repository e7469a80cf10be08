//! The network is checked once in a run: if it is down, no request helps, and one line says so.
use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use super::{Config, reachability::check_publishers};

/// How long all publishers together have for an answer.
const PROBE_TIMEOUT: Duration = Duration::from_secs(4);

/// The state of the network in a run.
#[derive(Debug, Default)]
pub(crate) struct NetworkOutage(Mutex<Knowledge>);

#[derive(Clone, Debug, Default)]
enum Knowledge {
    #[default]
    Nothing,
    /// A publisher was reached.
    Works,
    /// None can be reached, for this reason.
    Down(String),
}

impl NetworkOutage {
    /// Why no publisher can be reached, if that was found out.
    pub(crate) fn reason(&self) -> Option<String> {
        match &*self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            Knowledge::Down(reason) => Some(reason.clone()),
            Knowledge::Nothing | Knowledge::Works => None,
        }
    }

    /// Notes that a publisher was reached.
    pub(super) fn note_contact(&self) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if matches!(*known, Knowledge::Nothing) {
            *known = Knowledge::Works;
        }
    }

    /// Finds out, after a connection has failed, whether all others fail too. Returns why, if they do.
    pub(super) fn examine(&self, config: &Config) -> Option<String> {
        // The lock is held meanwhile, so that another thread waits for the result.
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if matches!(*known, Knowledge::Nothing) {
            let replies = check_publishers(&config.urls, &config.user_agent, PROBE_TIMEOUT);
            *known = match replies.iter().any(|reply| reply.is_reached) {
                true => Knowledge::Works,
                false => {
                    let mut reasons: Vec<String> =
                        replies.into_iter().filter_map(|reply| reply.clock.err()).collect();
                    reasons.sort();
                    reasons.dedup();
                    let reasons = reasons.join("; ");
                    Knowledge::Down(format!("no publisher can be reached: {reasons}"))
                }
            };
        }
        match &*known {
            Knowledge::Down(reason) => Some(reason.clone()),
            Knowledge::Nothing | Knowledge::Works => None,
        }
    }
}
