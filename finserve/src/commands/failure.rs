//! Why a command failed.
use std::{io, process::ExitCode};

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
    /// The command line asks for something that there cannot be.
    #[error("{0}")]
    Usage(String),
}

impl Failure {
    /// What the program ends with: 2 is what `clap` ends with.
    pub(crate) fn code(&self) -> ExitCode {
        match self {
            Failure::Usage(_) => ExitCode::from(2),
            Failure::Library(_) | Failure::System { .. } | Failure::Said(_) => ExitCode::FAILURE,
        }
    }

    /// Says what was being done when the system failed.
    pub(crate) fn system(context: impl Into<String>) -> impl FnOnce(io::Error) -> Failure {
        let context = context.into();
        move |source| Failure::System { context, source }
    }
}
