//! The report on one imported file, and why a file cannot be imported.
use crate::{
    store::Tally,
    values::{Error, printable},
};

/// The result of importing one file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Imported {
    /// The recognised kind of file: `SGS 432`, `PTAX closing quotes`.
    pub what: String,
    /// The number of new, changed, unchanged and removed rows.
    pub tally: Tally,
    /// Rows or fields that were left out: how many, which and why, with the first lines at fault.
    pub left_out: Vec<(usize, String)>,
    /// Other remarks, as sentences: unknown columns, and rows that are kept but not served.
    pub notes: Vec<String>,
}

// Other members are left out as a matter of course.
pub(crate) const OTHER_MEMBERS: &str = "other members of the archive";
pub(crate) const INTRADAY: &str = "bulletins during the day";
pub(crate) const OLD_CURRENCIES: &str =
    "days before the real (1 July 1994), quoted in other currencies";
pub(crate) const OTHER_PERIODS: &str = "figures of a day for other periods than a month";
pub(crate) const NO_TICKER: &str = "securities without a ticker on the exchange";
const AS_USUAL: [&str; 5] = [OTHER_MEMBERS, INTRADAY, OLD_CURRENCIES, OTHER_PERIODS, NO_TICKER];

/// Rows that say something else of the same filing or company than another row. The newest version is kept.
#[derive(Debug, Default)]
pub(crate) struct Contradictions {
    count: usize,
    /// The first lines.
    lines: Vec<usize>,
}

impl Contradictions {
    /// The number of lines that a note shows.
    const EXAMPLES: usize = 3;

    /// Adds the row on this line.
    pub(crate) fn add(&mut self, line: usize) {
        self.count += 1;
        if self.lines.len() < Contradictions::EXAMPLES {
            self.lines.push(line);
        }
    }

    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// The first line.
    pub(crate) fn first(&self) -> Option<usize> {
        self.lines.first().copied()
    }

    /// A sentence about them, if there are any.
    pub(crate) fn note(&self) -> Option<String> {
        self.note_of(
            "with other values than another row of the same number: the newest version is kept",
        )
    }

    /// A note that names the unknown columns and says what is kept.
    pub(crate) fn note_of(&self, kept: &str) -> Option<String> {
        let lines: Vec<String> = self.lines.iter().map(|line| format!("line {line}")).collect();
        let more = match self.count - lines.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let lines = lines.join(", ");
        (self.count > 0).then(|| format!("{} rows {kept} ({lines}{more})", self.count))
    }
}

impl Imported {
    pub(crate) fn new(what: impl Into<String>) -> Imported {
        let (left_out, notes) = (Vec::new(), Vec::new());
        Imported { what: what.into(), tally: Tally::default(), left_out, notes }
    }

    /// The remarks for the operator, as sentences: rows left out, except those that always are, and the notes.
    #[must_use]
    pub fn remarks(&self) -> Vec<String> {
        let left_out = self.unusual().map(|(rows, reason)| format!("left out: {rows} {reason}"));
        left_out.chain(self.notes.iter().cloned()).collect()
    }

    /// The number of rows and fields that were left out, but for those that always are.
    #[must_use]
    pub fn unusual_rows(&self) -> usize {
        self.unusual().map(|(rows, _)| rows).sum()
    }

    fn unusual(&self) -> impl Iterator<Item = &(usize, String)> {
        self.left_out.iter().filter(|(_, reason)| !AS_USUAL.contains(&reason.as_str()))
    }

    /// Counts rows that are left out for this reason.
    pub(crate) fn leave_out(&mut self, rows: usize, reason: &str) {
        match self.left_out.iter_mut().find(|(_, known)| known == reason) {
            Some((count, _)) => *count += rows,
            None => self.left_out.push((rows, reason.to_owned())),
        }
    }

    /// Adds another table of the same archive.
    pub(crate) fn add(&mut self, other: Imported) {
        self.what = match &*self.what {
            "" => other.what,
            // An archive has many tables of statements.
            what if what.ends_with(&other.what) => what.to_owned(),
            what => format!("{what} and {}", other.what),
        };
        self.tally += other.tally;
        self.left_out.extend(other.left_out);
        self.notes.extend(other.notes);
    }
}

/// The known files, for the message about an unknown one.
pub(crate) const KNOWN_FILES: &str = "SGS series (bcdata.sgs.NUMBER.json or .csv), PTAX bulletins and period \
    files (.csv), PTAX responses of Olinda (CotacaoDolarPeriodo, CotacaoMoedaPeriodo.CURRENCY), \
    the calendar of Copom meetings (iCalendar, or first_day,second_day), \
    CVM's registry (cad_cia_aberta.csv), filings (ipe_, dfp_, itr_, fre_ and fca_cia_aberta_YEAR, \
    .zip or .csv) and tickers (fca_cia_aberta_valor_mobiliario_YEAR.csv), and tickers of your own \
    (company;tickers)";

/// Why a file is refused. [`ImportError::into_error`] adds the name of the file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) line: Option<usize>,
    pub(crate) reason: String,
}

impl Refusal {
    /// For the file as a whole.
    pub(crate) fn whole(reason: impl Into<String>) -> Refusal {
        Refusal { line: None, reason: reason.into() }
    }

    pub(crate) fn at(line: usize, reason: impl ToString) -> Refusal {
        Refusal { line: Some(line), reason: reason.to_string() }
    }

    /// Finds the line of `part`, which must be a slice of `text`.
    pub(crate) fn inside(text: &str, part: &str, reason: impl ToString) -> Refusal {
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
pub(crate) enum ImportError {
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
    /// Names the table of an archive, which has many.
    pub(crate) fn in_member(self, member: &str) -> ImportError {
        match self {
            ImportError::Refused(Refusal { line, reason }) => {
                ImportError::Refused(Refusal { line, reason: format!("{member}: {reason}") })
            }
            other => other,
        }
    }

    /// The public error, which names the file.
    pub(crate) fn into_error(self, file_name: &str) -> Error {
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
