//! Imports official files into the catalogue: recognised by content and name, all or nothing.
use std::{
    borrow::Cow,
    collections::BTreeSet,
    io::{Cursor, Read, Seek},
    mem,
};

use chrono::{DateTime, TimeDelta, Utc};

use crate::{
    companies::company,
    filings::{
        coverage::FileExtents, filing::DATASET as FILINGS, store::Filings, withdrawn::FileSource,
    },
    import::{
        file_reader::file_name,
        row_store::{FileForms, ParsedRows},
    },
    market::{
        decisions::DecisionsBefore,
        freshness::{self, COPOM},
        series_definitions::DEFINITIONS,
        store::CrossedQuote,
    },
    statements::{form::DATASET as STATEMENTS, store::Statements},
    store::{
        catalogue::Catalogue,
        downloads::{self, FileNotes, Validators},
        writer::Writer,
    },
    values::{
        Date,
        error::{Error, Result},
        printable,
    },
};

#[cfg(feature = "bundle")]
pub mod bundle;
mod central_bank;
mod checks;
mod cvm;
mod file_reader;
mod file_scan;
pub(crate) mod report;
mod row_store;

pub(crate) use report::Imported;

/// One import of any number of official files, all or nothing.
///
/// Readers see none of them before [`Import::commit`]; an import that is dropped changes nothing. Files
/// are recognised by content, so they need no configuration: SGS series, PTAX quotes and the calendar of Copom meetings of
/// the central bank, and the registry, filings and tickers of CVM, as JSON, CSV or zip archives. Importing a file
/// again changes nothing, and revised figures replace older ones. Filings are read in batches, so that memory does not
/// grow with the file.
///
/// ```
/// # let dir = tempfile::tempdir().unwrap();
/// # let catalogue = fincore::Catalogue::open(dir.path().join("catalogue.db"))?;
/// let now = "2026-11-15T12:00:00Z".parse().unwrap();
/// let mut import = fincore::Import::begin(&catalogue, now)?;
/// let ipca = br#"[{"data":"01/08/2026","valor":"-0.11"}]"#;
/// let imported = import.file("bcdata.sgs.433.json", ipca)?;
/// import.commit()?;
/// assert_eq!(imported.tally.new, 1);
/// # Ok::<(), fincore::Error>(())
/// ```
#[derive(Debug)]
pub struct Import {
    writer: Writer,
    filings: Filings,
    trust: Trust,
    statements: Statements,
    forms: FileForms,
    source: FileSource,
    /// The first and last day that the next file was asked for.
    asked: Option<(Date, Date)>,
    /// Quotes whose buying price is above the selling price, with the file they come from. A later file may correct them.
    crossed: Vec<(String, CrossedQuote)>,
    state: State,
    /// The decisions on the Selic that were known before, once a file may bring others.
    decisions: Option<DecisionsBefore>,
    extents: Vec<FileExtents>,
    /// Validators of a download were stored, which are not data.
    has_validators: bool,
    /// The datasets of the file that is being read.
    file_datasets: BTreeSet<Cow<'static, str>>,
    /// The notes of a file have changed; they are no data either.
    has_notes: bool,
}

/// A step of [`Import::commit_with`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CommitStep {
    /// Filings are added to the search index.
    Indexing {
        /// The filings that are indexed.
        done: u64,
        /// The filings that are to be indexed.
        of: u64,
    },
    /// Everything is written to the file.
    Storing,
}

/// The state of an import so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Unchanged,
    Changed,
    /// A file was refused, so the whole import fails.
    Failed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Trust {
    /// Registries that are not older than the stored one and have hardly lost a company; figures that are possible for
    /// their series.
    Plausible,
    /// All that can be parsed.
    Anything,
}

impl Import {
    /// Starts an import. Waits a second for another one to end, then fails with [`Error::Busy`].
    ///
    /// `now` is the time of the import, for the change log. Dates after it are ignored when the age of a registry is
    /// determined.
    pub fn begin(catalogue: &Catalogue, now: DateTime<Utc>) -> Result<Import> {
        Ok(Import {
            writer: catalogue.write_soon(now)?,
            filings: Filings::default(),
            statements: Statements::default(),
            forms: FileForms::default(),
            trust: Trust::Plausible,
            source: FileSource::Operator,
            asked: None,
            crossed: Vec::new(),
            decisions: None,
            state: State::Unchanged,
            extents: Vec::new(),
            has_validators: false,
            file_datasets: BTreeSet::new(),
            has_notes: false,
        })
    }

    /// Also accepts a registry that is older than the stored one or has lost more than a twentieth of its companies,
    /// and figures that are implausible for their series; removes withdrawn filings, however many they are.
    #[must_use]
    pub fn force(self) -> Import {
        Import { trust: Trust::Anything, ..self }
    }

    /// The files come straight from their publishers, so they are whole: filings that they lack were withdrawn.
    #[must_use]
    pub fn from_publisher(self) -> Import {
        Import { source: FileSource::Publisher, ..self }
    }

    /// Says that the next file is the answer to a request for the days from `first` to `last`. Stored figures that it
    /// lacks are removed: those of days that have not come yet, of months that have not ended, and a few between others.
    /// More of them are kept, because the answer was probably cut short.
    pub fn covers(&mut self, first: Date, last: Date) {
        self.asked = Some((first, last));
    }

    /// Keeps logged changes for this time; by default, for 90 days.
    #[must_use]
    pub fn keep_changes_for(self, keep: TimeDelta) -> Import {
        Import { writer: self.writer.keep_changes_for(keep), ..self }
    }

    /// Adds one file. It is recognised by its content and, if that is not enough, by its `name`.
    ///
    /// Fails with [`Error::Refused`] if it is not a complete file of a known kind. The whole import has
    /// failed then, and cannot be committed. Single rows of CVM's tables that cannot be read are left out and reported,
    /// up to 1 % of them.
    pub fn file(&mut self, name: &str, bytes: &[u8]) -> Result<Imported> {
        self.read(name, Cursor::new(bytes))
    }

    /// Reads a file that is not in memory. It is read twice, from its start to its end.
    pub fn read(&mut self, name: &str, source: impl Read + Seek) -> Result<Imported> {
        let before = mem::replace(&mut self.state, State::Failed);
        self.forms = FileForms::default();
        let mut store =
            |rows: ParsedRows<'_>, imported: &mut Imported| self.store(name, rows, imported);
        let read = file_reader::read_file(name, source, &mut store);
        let (imported, digest) = read.map_err(|err| err.into_error(name))?;
        self.asked = None;
        self.state = before;
        self.extents.push(self.filings.take_extents());
        self.record_notes(name, &imported)?;
        if imported.tally.is_change() {
            self.writer.note(&imported.what, &digest);
            self.state = if before == State::Failed { State::Failed } else { State::Changed };
        }
        Ok(imported)
    }

    /// Records what there is to say of a file, for the status of its datasets.
    fn record_notes(&mut self, name: &str, imported: &Imported) -> Result<()> {
        let (name, remarks) = (printable(file_name(name)), imported.remarks());
        for dataset in mem::take(&mut self.file_datasets) {
            let mut notes = FileNotes::new(&name, &remarks);
            notes.left_out = imported.unusual_rows();
            self.has_notes |= downloads::write_notes(&self.writer, &dataset, notes)?;
        }
        Ok(())
    }

    /// Parses a file without storing it, so that a bad one is refused before an import begins.
    ///
    /// Fails like [`Import::file`], except for checks against the stored data.
    pub fn verify(name: &str, source: impl Read + Seek) -> Result<()> {
        let read = file_reader::read_file(name, source, &mut |_, _| Ok(()));
        read.map(|_| ()).map_err(|err| err.into_error(name))
    }

    fn today(&self) -> Date {
        Date::in_brasilia(self.writer.now())
    }

    /// Stores the validators that the publisher of a file sent with it; see [`downloads`].
    pub fn remember_download(&mut self, url: &str, validators: &Validators) -> Result<()> {
        self.has_validators = true;
        downloads::remember(&self.writer, url, validators)
    }

    /// Removes the validators of files whose data was imported from elsewhere, so that those files are downloaded again.
    fn forget_downloads(&self) -> Result<()> {
        for dataset in self.writer.touched_datasets() {
            let parts = match dataset.as_str() {
                company::DATASET => {
                    vec!["cad_cia_aberta".into(), "fca_cia_aberta".into()]
                }
                FILINGS => vec!["/DOC/".into()],
                STATEMENTS => vec!["/DOC/DFP/".into(), "/DOC/ITR/".into()],
                // The forms among them.
                form if form.starts_with(FILINGS) => Vec::new(),
                COPOM => vec!["agendaics".into()],
                freshness::FX => vec!["Cotacao".into(), "fechamento".into()],
                series => {
                    let definition = DEFINITIONS.iter().find(|known| known.name == series);
                    let number = definition.map_or(series.into(), |known| known.number.to_string());
                    vec![format!("bcdata.sgs.{number}/")]
                }
            };
            parts.iter().try_for_each(|part| downloads::forget(&self.writer, part))?;
        }
        Ok(())
    }

    /// Makes all files visible at once. If they changed nothing, the data version stays the same.
    ///
    /// Fails if one of the files was refused, and with [`Error::Refused`] if after all of them a currency would be bought
    /// dearer than it is sold.
    pub fn commit(self) -> Result<()> {
        self.commit_with(|_| ())
    }

    /// Commits, and calls `progress` as the work goes on, for a progress bar.
    pub fn commit_with(self, mut progress: impl FnMut(CommitStep)) -> Result<()> {
        match self.state {
            State::Unchanged => {
                if self.record_files()? || self.has_validators || self.has_notes {
                    self.writer.commit_unversioned()?;
                }
                Ok(())
            }
            State::Failed => Err(Error::operation("a file was refused; nothing is imported")),
            State::Changed => {
                if !self.has_validators {
                    self.forget_downloads()?;
                }
                for (name, day) in &self.crossed {
                    checks::check_sides(&self.writer, *day).map_err(|err| err.into_error(name))?;
                }
                if let Some(before) = &self.decisions {
                    before.log_changes(&self.writer)?;
                }
                self.record_files()?;
                self.statements.finish(&self.writer)?;
                self.filings.finish_with(&self.writer, |step| {
                    progress(CommitStep::Indexing { done: step.done, of: step.of });
                })?;
                progress(CommitStep::Storing);
                self.writer.commit()
            }
        }
    }

    /// Records which files of filings were seen whole, and returns whether any was.
    fn record_files(&self) -> Result<bool> {
        let mut any = false;
        for extents in &self.extents {
            if self.has_validators {
                extents.record_downloaded(&self.writer, self.today())?;
            } else {
                any |= extents.record_whole(&self.writer, self.today())?;
            }
        }
        Ok(any)
    }
}

#[cfg(test)]
pub(crate) mod sample_files;
pub(crate) use {
    file_scan::FileScan, report::Contradictions, report::ImportError, report::Refusal,
    row_store::ParsedFile, row_store::StoreRows,
};

#[cfg(test)]
mod tests;
