//! Why a command failed.
use std::io;

/// Why a command failed, as one sentence for whoever ran it.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// The library failed.
    #[error(transparent)]
    Library(#[from] fincore::Error),
    /// The system failed us.
    #[error("{context}: {source}")]
    System {
        /// What was being done.
        context: String,
        source: io::Error,
    },
    /// The command itself has something to say.
    #[error("{0}")]
    Said(String),
}

impl Failure {
    /// Says what was being done when the system failed.
    pub(crate) fn system(context: impl Into<String>) -> impl FnOnce(io::Error) -> Failure {
        let context = context.into();
        move |source| Failure::System { context, source }
    }
}
