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

impl Imported {
    pub(super) fn new(what: impl Into<String>) -> Imported {
        let (left_out, notes) = (Vec::new(), Vec::new());
        Imported { what: what.into(), tally: Tally::default(), left_out, notes }
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
            what => format!("{what} and {}", other.what),
        };
        self.tally += other.tally;
        self.left_out.extend(other.left_out);
        self.notes.extend(other.notes);
    }
}
