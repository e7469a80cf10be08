//! An error that lasts is logged once.

/// The last error of something that is tried again and again.
pub(super) struct LogOnce {
    what: &'static str,
    last: Option<String>,
}

impl LogOnce {
    pub(super) fn new(what: &'static str) -> LogOnce {
        LogOnce { what, last: None }
    }

    /// Logs an error that is another than before, and that there is none any more.
    pub(super) fn report(&mut self, error: Option<String>) {
        if error == self.last {
            return;
        }
        match &error {
            Some(words) => tracing::error!("{}: {words}", self.what),
            None => tracing::info!("{}: recovered", self.what),
        }
        self.last = error;
    }

    /// The error that lasts.
    pub(super) fn last(&self) -> Option<&str> {
        self.last.as_deref()
    }
}
