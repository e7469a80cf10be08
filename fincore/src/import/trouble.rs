//! Why a file cannot be imported: the file is at fault, or the system is.
use super::text::Refusal;
use crate::{error::Error, excerpt::printable};

/// What ends the reading of a file; the name of the file is added at the end.
#[derive(Debug)]
pub(super) enum Trouble {
    /// The file is wrong.
    Refused(Refusal),
    /// The file is readable, but its content is hard to believe; a forced import accepts it.
    Doubtful(String),
    /// The file cannot be read.
    Unreadable(std::io::Error),
    /// The database failed.
    Failed(Error),
}

impl Trouble {
    pub(super) fn of_file(self, name: &str) -> Error {
        let file = printable(name).into_owned();
        match self {
            Trouble::Refused(Refusal { line, reason }) => {
                Error::Refused { file, line, reason, can_be_forced: false }
            }
            Trouble::Doubtful(reason) => {
                let reason = format!("{reason}; only a forced import accepts it");
                Error::Refused { file, line: None, reason, can_be_forced: true }
            }
            Trouble::Unreadable(err) => Error::storage(format!("{file} cannot be read"), err),
            Trouble::Failed(err) => err,
        }
    }
}

impl From<Refusal> for Trouble {
    fn from(refusal: Refusal) -> Trouble {
        Trouble::Refused(refusal)
    }
}

impl From<Error> for Trouble {
    fn from(err: Error) -> Trouble {
        Trouble::Failed(err)
    }
}

impl From<std::io::Error> for Trouble {
    fn from(err: std::io::Error) -> Trouble {
        Trouble::Unreadable(err)
    }
}
