//! Imports official files into the catalogue: recognised by content and name, all or nothing.
use std::io::{Cursor, Read, Seek};

use chrono::{DateTime, TimeDelta, Utc};

use crate::{
    catalogue::{Catalogue, OnConflict, Tally, Writer},
    companies,
    downloads::{self, Validators},
    error::{Error, Result},
    filings::{
        entry::NewFiling,
        store::{FILINGS, Filings, Sight},
    },
    market::{
        Rate,
        known::KNOWN,
        plausible,
        store::{self, Crossed, Quote},
    },
    types::Date,
};

mod apology;
mod archive;
mod checks;
mod content;
mod entries;
mod flaws;
mod ipe;
mod lines;
mod olinda;
mod overrides;
mod periodic;
mod ptax;
mod reading;
mod registry;
mod rows;
mod scan;
mod sgs;
mod table;
mod text;
mod tickers;
mod trouble;

use entries::{CONTRADICTION, Entry};
pub use rows::Imported;
use rows::{Part, Rows};
use text::Refusal;
use trouble::Trouble;

/// One import of any number of official files, all or nothing.
///
/// Readers see none of them before [`Import::commit`]; an import that is dropped changes nothing. Files
/// are recognised by content, so they need no configuration: SGS series and PTAX quotes of the central
/// bank, and the registry, filings and tickers of CVM, as JSON, CSV or zip archives. Importing a file
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
    believed: Believed,
    /// Quotes of a file that contradict the other side. A later file may put that right.
    crossed: Vec<(String, Crossed)>,
    state: State,
    /// Whether something was remembered that is not data.
    remembered: bool,
}

/// The state of an import so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Unchanged,
    Changed,
    /// A file was refused, so the whole import fails.
    Failed,
}

/// Which files are believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Believed {
    /// Registries that are not older than the stored one and have hardly lost a company; figures that their series can
    /// have.
    Plausible,
    /// All that can be parsed.
    Anything,
}

impl Import {
    /// Starts an import. Waits a second for another one to end, then fails with [`Error::Busy`].
    ///
    /// `now` is the time of the import: the change log has it, and days after it do not count as events.
    pub fn begin(catalogue: &Catalogue, now: DateTime<Utc>) -> Result<Import> {
        Ok(Import {
            writer: catalogue.write_soon(now)?,
            filings: Filings::default(),
            believed: Believed::Plausible,
            crossed: Vec::new(),
            state: State::Unchanged,
            remembered: false,
        })
    }

    /// Also accepts a registry that is older than the stored one or has lost more than a twentieth of its companies,
    /// and figures that are implausible for their series.
    #[must_use]
    pub fn forced(self) -> Import {
        Import { believed: Believed::Anything, ..self }
    }

    /// Forgets logged changes after this time; without it, after 90 days.
    #[must_use]
    pub fn keeping_changes(self, keep: TimeDelta) -> Import {
        Import { writer: self.writer.keeping_changes(keep), ..self }
    }

    /// Adds one file. It is recognised by its content and, if that is not enough, by its `name`.
    ///
    /// Fails with [`Error::Refused`] if it is not a complete file of a known kind. The whole import has
    /// failed then, and cannot be committed. Single rows of CVM's tables that cannot be read are left out and reported,
    /// up to 1 % of them.
    pub fn file(&mut self, name: &str, bytes: &[u8]) -> Result<Imported> {
        self.read(name, Cursor::new(bytes))
    }

    /// The same for a file that is not in memory. It is read twice, from its start to its end.
    pub fn read(&mut self, name: &str, source: impl Read + Seek) -> Result<Imported> {
        let before = std::mem::replace(&mut self.state, State::Failed);
        let mut store = |rows: Rows<'_>, imported: &mut Imported| self.store(name, rows, imported);
        let read = reading::file(name, source, &mut store);
        let (imported, digest) = read.map_err(|trouble| trouble.of_file(name))?;
        self.state = before;
        if imported.tally.is_change() {
            self.writer.note(&imported.what, &digest);
            self.state = if before == State::Failed { State::Failed } else { State::Changed };
        }
        Ok(imported)
    }

    /// Parses a file without storing it, so that a bad one is known before an import begins.
    ///
    /// Fails like [`Import::file`], except for what only the stored data can tell.
    pub fn verify(name: &str, source: impl Read + Seek) -> Result<()> {
        let read = reading::file(name, source, &mut |_, _| Ok(()));
        read.map(|_| ()).map_err(|trouble| trouble.of_file(name))
    }

    fn store(
        &mut self,
        name: &str,
        rows: Rows<'_>,
        imported: &mut Imported,
    ) -> Result<(), Trouble> {
        let tally = match rows {
            Rows::Rates(series, rows) => self.store_rates(series, &rows, imported)?,
            Rows::Quotes(rows) => self.store_quotes(name, &rows, imported)?,
            Rows::Companies(rows, absent) => {
                if self.believed == Believed::Plausible {
                    checks::registry(&self.writer, &rows, self.today())?;
                }
                companies::store::registry(&self.writer, &rows, absent)?
            }
            Rows::Securities(rows) => companies::store::securities(&self.writer, &rows)?,
            Rows::Overrides(rows) => match companies::overrides::replace(&self.writer, &rows)? {
                Ok(tally) => tally,
                Err((line, reason)) => return Err(Refusal::at(line, reason).into()),
            },
            Rows::Filings(entries, part) => self.store_filings(entries, part, imported)?,
            Rows::Nothing => Tally::default(),
        };
        imported.tally += tally;
        Ok(())
    }

    fn store_rates(
        &mut self,
        series: u32,
        rows: &[Rate],
        imported: &mut Imported,
    ) -> Result<Tally, Trouble> {
        if self.believed == Believed::Plausible
            && let Some(doubt) = plausible::rates(&self.writer, series, rows)?
        {
            return Err(Trouble::Doubtful(doubt));
        }
        checks::tell_of_rates(rows, self.today(), imported);
        Ok(store::rates(&self.writer, series, rows, OnConflict::Replace)?)
    }

    fn store_quotes(
        &mut self,
        name: &str,
        rows: &[Quote],
        imported: &mut Imported,
    ) -> Result<Tally, Trouble> {
        if self.believed == Believed::Plausible
            && let Some(doubt) = plausible::quotes(&self.writer, rows)?
        {
            return Err(Trouble::Doubtful(doubt));
        }
        let crossed = store::crossed(&self.writer, rows)?;
        self.crossed.extend(crossed.into_iter().map(|day| (name.to_owned(), day)));
        let tally = store::quotes(&self.writer, rows, OnConflict::Replace)?;
        checks::tell_of_quotes(&self.writer, rows, self.today(), imported)?;
        Ok(tally)
    }

    fn store_filings(
        &mut self,
        entries: Vec<Entry<NewFiling<'_>>>,
        part: Part,
        imported: &mut Imported,
    ) -> Result<Tally, Trouble> {
        let (mut filings, today) = (Vec::with_capacity(entries.len()), self.today());
        let mut future = 0;
        if part == Part::First {
            Filings::begin_table(&self.writer)?;
        }
        for Entry { line, value, .. } in entries {
            future += usize::from(value.date > today);
            // Within one batch it was looked for already.
            let sight = match part {
                Part::Whole => Sight::First,
                Part::First | Part::Later => self.filings.see(&self.writer, &value)?,
            };
            match sight {
                Sight::First => filings.push(value),
                Sight::Same => (),
                Sight::Different => return Err(Refusal::at(line, CONTRADICTION).into()),
            }
        }
        if future > 0 {
            imported.notes.push(format!("{future} filings are dated after today"));
        }
        Ok(self.filings.store(&self.writer, &mut filings, OnConflict::Replace)?)
    }

    fn today(&self) -> Date {
        Date::in_brasilia(self.writer.now())
    }

    /// Remembers what the publisher of a file said about it; see [`downloads`].
    pub fn remember(&mut self, url: &str, validators: &Validators) -> Result<()> {
        self.remembered = true;
        downloads::remember(&self.writer, url, validators)
    }

    /// What publishers said about their files does not hold for data that comes from elsewhere: the next time those
    /// files are imported again.
    fn forget_downloads(&self) -> Result<()> {
        for dataset in self.writer.touched() {
            let parts = match dataset.as_str() {
                companies::store::COMPANIES => {
                    vec!["cad_cia_aberta".into(), "fca_cia_aberta".into()]
                }
                FILINGS => vec!["/DOC/".into()],
                store::FX => vec!["Cotacao".into(), "fechamento".into()],
                series => {
                    let known = KNOWN.iter().find(|known| known.name == series);
                    let number = known.map_or(series.into(), |known| known.number.to_string());
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
        match self.state {
            State::Unchanged if self.remembered => self.writer.commit_unversioned(),
            State::Unchanged => Ok(()),
            State::Failed => Err(Error::Invalid("a file was refused; nothing is imported".into())),
            State::Changed => {
                if !self.remembered {
                    self.forget_downloads()?;
                }
                for (name, day) in &self.crossed {
                    checks::sides(&self.writer, *day).map_err(|trouble| trouble.of_file(name))?;
                }
                self.filings.finish(&self.writer)?;
                self.writer.commit()
            }
        }
    }
}

#[cfg(test)]
pub(crate) mod made;
#[cfg(test)]
mod refusals;
#[cfg(test)]
mod tests;
