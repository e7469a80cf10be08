//! Why a command failed.
use std::{io, process::ExitCode};

/// Why a command failed, as one sentence for the user who ran it.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// The library failed.
    #[error(transparent)]
    Library(#[from] fincore::Error),
    /// The operating system returned an error.
    #[error("{context}: {source}")]
    System {
        /// What was being done.
        context: String,
        source: io::Error,
    },
    /// The command itself refuses or gives up.
    #[error("{0}")]
    Message(String),
    /// The command line asks for something that does not exist.
    #[error("{0}")]
    Usage(String),
}

impl Failure {
    /// The exit code of the program; 2 is what `clap` exits with.
    pub(crate) fn code(&self) -> ExitCode {
        match self {
            Failure::Usage(_) => ExitCode::from(2),
            Failure::Library(_) | Failure::System { .. } | Failure::Message(_) => ExitCode::FAILURE,
        }
    }

    /// Says what was being done when the system failed.
    pub(crate) fn system(context: impl Into<String>) -> impl FnOnce(io::Error) -> Failure {
        let context = context.into();
        move |source| Failure::System { context, source }
    }
}
