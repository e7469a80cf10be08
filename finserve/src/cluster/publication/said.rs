//! Saying once what is wrong.

/// What is wrong with something that is tried again and again.
pub(super) struct Said {
    what: &'static str,
    last: Option<String>,
}

impl Said {
    pub(super) fn new(what: &'static str) -> Said {
        Said { what, last: None }
    }

    /// Logs what is wrong, if it is something else than before; and that it is over.
    pub(super) fn report(&mut self, wrong: Option<String>) {
        if wrong == self.last {
            return;
        }
        match &wrong {
            Some(words) => tracing::error!("{}: {words}", self.what),
            None => tracing::info!("{}: recovered", self.what),
        }
        self.last = wrong;
    }

    /// What is wrong.
    pub(super) fn last(&self) -> Option<&str> {
        self.last.as_deref()
    }
}
