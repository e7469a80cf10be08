//! Why a file cannot be imported: the file is at fault, or the system is.
use crate::{error::Error, truncate::printable};

/// The known files, for the message about an unknown one.
pub(super) const KNOWN_FILES: &str = "SGS series (bcdata.sgs.NUMBER.json or .csv), PTAX bulletins and period \
    files (.csv), PTAX responses of Olinda (CotacaoDolarPeriodo, CotacaoMoedaPeriodo.CURRENCY), \
    the calendar of Copom meetings (iCalendar, or first_day,second_day), \
    CVM's registry (cad_cia_aberta.csv), filings (ipe_, dfp_, itr_, fre_ and fca_cia_aberta_YEAR, \
    .zip or .csv) and tickers (fca_cia_aberta_valor_mobiliario_YEAR.csv), and tickers of your own \
    (company;tickers)";

/// Why a file is refused. [`ImportError::into_error`] adds the name of the file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) line: Option<usize>,
    pub(super) reason: String,
}

impl Refusal {
    /// For the file as a whole.
    pub(super) fn whole(reason: impl Into<String>) -> Refusal {
        Refusal { line: None, reason: reason.into() }
    }

    pub(super) fn at(line: usize, reason: impl ToString) -> Refusal {
        Refusal { line: Some(line), reason: reason.to_string() }
    }

    /// Finds the line of `part`, which must be a slice of `text`.
    pub(super) fn inside(text: &str, part: &str, reason: impl ToString) -> Refusal {
        let offset = (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
        let before = &text.as_bytes()[..offset.min(text.len())];
        Refusal::at(1 + before.iter().filter(|byte| **byte == b'\n').count(), reason)
    }
}

impl From<serde_json::Error> for Refusal {
    fn from(err: serde_json::Error) -> Refusal {
        let line = Some(err.line()).filter(|line| *line > 0);
        Refusal { line, reason: format!("not the published JSON format: {err}") }
    }
}

/// Why reading a file stopped.
#[derive(Debug)]
pub(super) enum ImportError {
    /// The file is wrong.
    Refused(Refusal),
    /// The file is readable, but its content is hard to believe; a forced import accepts it.
    Doubtful(String),
    /// The file cannot be read.
    Unreadable(std::io::Error),
    /// The database failed.
    Failed(Error),
}

impl ImportError {
    /// The same of a table of an archive, which has many.
    pub(super) fn in_member(self, member: &str) -> ImportError {
        match self {
            ImportError::Refused(Refusal { line, reason }) => {
                ImportError::Refused(Refusal { line, reason: format!("{member}: {reason}") })
            }
            other => other,
        }
    }

    /// The public error, which names the file.
    pub(super) fn into_error(self, file_name: &str) -> Error {
        let file = printable(file_name).into_owned();
        match self {
            ImportError::Refused(Refusal { line, reason }) => {
                Error::Refused { file, line, reason, can_be_forced: false }
            }
            ImportError::Doubtful(reason) => {
                let reason = format!("{reason}; only a forced import accepts it");
                Error::Refused { file, line: None, reason, can_be_forced: true }
            }
            ImportError::Unreadable(err) => Error::storage(format!("{file} cannot be read"), err),
            ImportError::Failed(err) => err,
        }
    }
}

impl From<Refusal> for ImportError {
    fn from(refusal: Refusal) -> ImportError {
        ImportError::Refused(refusal)
    }
}

impl From<Error> for ImportError {
    fn from(err: Error) -> ImportError {
        ImportError::Failed(err)
    }
}

impl From<std::io::Error> for ImportError {
    fn from(err: std::io::Error) -> ImportError {
        ImportError::Unreadable(err)
    }
}
