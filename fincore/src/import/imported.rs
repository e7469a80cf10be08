//! The report on one imported file.
use crate::catalogue::Tally;

/// The result of importing one file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Imported {
    /// What the file was recognised as: `SGS 432`, `PTAX closing quotes`.
    pub what: String,
    /// The number of new, changed, unchanged and removed rows.
    pub tally: Tally,
    /// What was left out: how many rows or fields, and which and why, with the first lines at fault.
    pub left_out: Vec<(usize, String)>,
    /// What else is worth knowing, as sentences: unknown columns, and what is kept but not served.
    pub notes: Vec<String>,
}

// What is left out of files as a matter of course.
pub(super) const OTHER_MEMBERS: &str = "other members of the archive";
pub(super) const INTRADAY: &str = "bulletins during the day";
pub(super) const OLD_CURRENCIES: &str =
    "days before the real (1 July 1994), quoted in other currencies";
pub(super) const OTHER_PERIODS: &str = "figures of a day for other periods than a month";
pub(super) const NO_TICKER: &str = "securities without a ticker on the exchange";
const AS_USUAL: [&str; 5] = [OTHER_MEMBERS, INTRADAY, OLD_CURRENCIES, OTHER_PERIODS, NO_TICKER];

/// Rows that say something else of the same filing or company than another row. The newest version is kept.
#[derive(Debug, Default)]
pub(super) struct Contradictions {
    count: usize,
    /// The first lines.
    lines: Vec<usize>,
}

impl Contradictions {
    /// The number of lines that a note shows.
    const EXAMPLES: usize = 3;

    /// Adds the row on this line.
    pub(super) fn add(&mut self, line: usize) {
        self.count += 1;
        if self.lines.len() < Contradictions::EXAMPLES {
            self.lines.push(line);
        }
    }

    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// The first line.
    pub(super) fn first(&self) -> Option<usize> {
        self.lines.first().copied()
    }

    /// A sentence about them, if there are any.
    pub(super) fn note(&self) -> Option<String> {
        self.note_of(
            "with other values than another row of the same number: the newest version is kept",
        )
    }

    /// The same, which says what they are and what is kept.
    pub(super) fn note_of(&self, kept: &str) -> Option<String> {
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
    pub(super) fn new(what: impl Into<String>) -> Imported {
        let (left_out, notes) = (Vec::new(), Vec::new());
        Imported { what: what.into(), tally: Tally::default(), left_out, notes }
    }

    /// What the operator should know, as sentences: what was left out, but for what always is, and the notes.
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
    pub(super) fn leave_out(&mut self, rows: usize, reason: &str) {
        match self.left_out.iter_mut().find(|(_, known)| known == reason) {
            Some((count, _)) => *count += rows,
            None => self.left_out.push((rows, reason.to_owned())),
        }
    }

    /// Adds another table of the same archive.
    pub(super) fn add(&mut self, other: Imported) {
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
