//! Why a command failed.
use std::{io, process::ExitCode};

use fincore::ErrorKind;

/// Why a command failed, as one sentence for the user who ran it.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// The library failed.
    #[error(transparent)]
    Library(fincore::Error),
    /// The operating system returned an error.
    #[error("{context}: {source}")]
    System {
        /// The operation that failed.
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

impl From<fincore::Error> for Failure {
    fn from(err: fincore::Error) -> Failure {
        match err.kind() {
            ErrorKind::NotPermitted => Failure::Message(format!(
                "{err}; run this as the owner of the data directory, or name a copy of it with --data"
            )),
            ErrorKind::Newer => Failure::Message(format!(
                "{err}; use the newer finserve, or restore a backup from before it"
            )),
            ErrorKind::Invalid(_)
            | ErrorKind::NotFound(..)
            | ErrorKind::InvalidKey
            | ErrorKind::PlanRequired(_)
            | ErrorKind::Refused
            | ErrorKind::Busy
            | ErrorKind::Unavailable
            | ErrorKind::Outdated
            | ErrorKind::Storage => Failure::Library(err),
        }
    }
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
