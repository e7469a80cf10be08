//! The readiness of a server, and the reasons against it.
use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// The reasons why a server cannot answer.
#[derive(Debug)]
pub(crate) struct Readiness {
    /// Reasons by the component that they are about.
    reasons: Mutex<BTreeMap<Component, String>>,
}

/// The component that keeps a server from answering.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Component {
    Server,
    Accounts,
    Catalogue,
    /// The inside of the catalogue's file.
    Structure,
}

impl Component {
    fn name(self) -> &'static str {
        match self {
            Component::Server => "server",
            Component::Accounts => "accounts",
            Component::Catalogue => "catalogue",
            Component::Structure => "damage",
        }
    }
}

impl Readiness {
    /// Not ready yet.
    pub(crate) fn starting() -> Readiness {
        let reasons = BTreeMap::from([(Component::Server, "the server is starting".to_owned())]);
        Readiness { reasons: Mutex::new(reasons) }
    }

    /// Records that the server answers.
    pub(crate) fn set_started(&self) {
        self.report(Component::Server, None);
    }

    /// Records that the server answers no longer.
    pub(crate) fn set_stopping(&self) {
        self.report(Component::Server, Some("the server is stopping".to_owned()));
    }

    /// Records what is wrong with a component, or that nothing is. Logs it when that changes.
    pub(crate) fn report(&self, component: Component, reason: Option<String>) {
        let mut reasons = self.lock();
        let before = match &reason {
            Some(reason) => reasons.insert(component, reason.clone()),
            None => reasons.remove(&component),
        };
        if component == Component::Server {
            return;
        }
        match (before, reason) {
            (None, Some(reason)) => tracing::error!("not ready: {}: {reason}", component.name()),
            (Some(_), None) => tracing::info!("ready again: {}", component.name()),
            (Some(_), Some(_)) | (None, None) => (),
        }
    }

    /// The problem of each component; empty if requests can be answered.
    pub(crate) fn reasons(&self) -> Vec<String> {
        let reasons = self.lock();
        reasons
            .iter()
            .map(|(component, reason)| format!("{}: {reason}", component.name()))
            .collect()
    }

    pub(crate) fn has_reason_about(&self, component: Component) -> bool {
        self.lock().contains_key(&component)
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<Component, String>> {
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
        ready.set_started();
        assert!(ready.reasons().is_empty());
        ready.report(Component::Accounts, Some("gone".into()));
        ready.report(Component::Accounts, Some("still gone".into()));
        assert_eq!(ready.reasons(), ["accounts: still gone"]);
        ready.report(Component::Accounts, None);
        ready.set_stopping();
        assert_eq!(ready.reasons(), ["server: the server is stopping"]);
    }
}
