//! Whether a server can answer, and why not.
use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// What keeps a server from answering.
#[derive(Debug)]
pub(crate) struct Readiness {
    /// Reasons by what they are about.
    reasons: Mutex<BTreeMap<About, String>>,
}

/// What a reason is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum About {
    Server,
    Accounts,
    Catalogue,
    /// The inside of the catalogue's file.
    Structure,
}

impl About {
    fn name(self) -> &'static str {
        match self {
            About::Server => "server",
            About::Accounts => "accounts",
            About::Catalogue => "catalogue",
            About::Structure => "damage",
        }
    }
}

impl Readiness {
    /// Not ready yet.
    pub(crate) fn starting() -> Readiness {
        let reasons = BTreeMap::from([(About::Server, "the server is starting".to_owned())]);
        Readiness { reasons: Mutex::new(reasons) }
    }

    /// The server answers.
    pub(crate) fn started(&self) {
        self.report(About::Server, None);
    }

    /// The server answers no longer.
    pub(crate) fn stopping(&self) {
        self.report(About::Server, Some("the server is stopping".to_owned()));
    }

    /// Notes what is wrong, or that nothing is. Says so in the log when that changes.
    pub(crate) fn report(&self, about: About, reason: Option<String>) {
        let mut reasons = self.lock();
        let before = match &reason {
            Some(reason) => reasons.insert(about, reason.clone()),
            None => reasons.remove(&about),
        };
        if about == About::Server {
            return;
        }
        match (before, reason) {
            (None, Some(reason)) => tracing::error!("not ready: {}: {reason}", about.name()),
            (Some(_), None) => tracing::info!("ready again: {}", about.name()),
            (Some(_), Some(_)) | (None, None) => (),
        }
    }

    /// What is wrong, in words; nothing if requests can be answered.
    pub(crate) fn reasons(&self) -> Vec<String> {
        let reasons = self.lock();
        reasons.iter().map(|(about, reason)| format!("{}: {reason}", about.name())).collect()
    }

    /// Whether that is wrong.
    pub(crate) fn is_hindered_by(&self, about: About) -> bool {
        self.lock().contains_key(&about)
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<About, String>> {
        self.reasons.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_ready_when_nothing_is_in_the_way() {
        let ready = Readiness::starting();
        assert_eq!(ready.reasons(), ["server: the server is starting"]);
        ready.started();
        assert!(ready.reasons().is_empty());
        ready.report(About::Accounts, Some("gone".into()));
        ready.report(About::Accounts, Some("still gone".into()));
        assert_eq!(ready.reasons(), ["accounts: still gone"]);
        ready.report(About::Accounts, None);
        ready.stopping();
        assert_eq!(ready.reasons(), ["server: the server is stopping"]);
    }
}
