//! Checks the rows of a file against the data, and stores them.
use super::{
    Import, Trust, checks,
    import_error::{ImportError, Refusal},
    imported::{Contradictions, Imported},
    missing_columns,
    parsed_rows::{BatchPosition, Completeness, ParsedRow, ParsedRows},
};
use crate::{
    catalogue::{OnConflict, Tally},
    companies,
    filings::{
        new_filing::NewFiling,
        remove_withdrawn::{FileSource, RemovalLimit},
        store::Occurrence,
    },
    market::{
        Rate,
        decisions::news::DecisionsBefore,
        meetings, plausibility, possible_days,
        series_definitions::SELIC,
        store::{self, Quote},
        withdrawn_figures,
    },
};

impl Import {
    /// Checks rows of a file, stores them, and adds to its report what became of them.
    pub(super) fn store(
        &mut self,
        name: &str,
        rows: ParsedRows<'_>,
        imported: &mut Imported,
    ) -> Result<(), ImportError> {
        self.file_datasets.extend(rows.datasets());
        if let ParsedRows::FilingsEnd(_) = rows {
            self.forms.end_index();
        }
        let tally = match rows {
            ParsedRows::Rates(series, rows) => self.store_rates(series, &rows, imported)?,
            ParsedRows::Quotes(rows) => self.store_quotes(name, &rows, imported)?,
            ParsedRows::Meetings(rows) => {
                self.note_decisions()?;
                meetings::replace(&self.writer, &rows, self.today())?
            }
            ParsedRows::Companies { mut rows, absent, missing } => {
                missing_columns::complete_companies(&self.writer, &mut rows, missing)?;
                if self.trust == Trust::Plausible {
                    checks::check_registry(&self.writer, &rows, self.today())?;
                }
                companies::store::replace_registry(&self.writer, &rows, absent)?
            }
            ParsedRows::Securities(rows) => {
                companies::store::write_securities(&self.writer, &rows)?
            }
            ParsedRows::Overrides(rows) => {
                match companies::ticker_overrides::replace(&self.writer, &rows)? {
                    Ok(tally) => tally,
                    Err((line, reason)) => return Err(Refusal::at(line, reason).into()),
                }
            }
            ParsedRows::Filings { rows, position, missing } => {
                self.store_filings(rows, position, missing, imported)?
            }
            ParsedRows::FilingsEnd(Completeness::Complete) => self.remove_withdrawn(imported)?,
            ParsedRows::Statements { table, companies } => {
                self.store_statements(table, companies, imported)?
            }
            ParsedRows::Capital(rows) => self.store_capital(&rows)?,
            ParsedRows::FilingsEnd(Completeness::Incomplete) | ParsedRows::Nothing => {
                Tally::default()
            }
        };
        imported.tally += tally;
        Ok(())
    }

    fn store_rates(
        &mut self,
        series: u32,
        rows: &[Rate],
        imported: &mut Imported,
    ) -> Result<Tally, ImportError> {
        if self.trust == Trust::Plausible {
            let days = rows.iter().map(|row| row.date);
            let doubt = possible_days::doubt_days(Some(series), days, self.today());
            let doubt = match doubt {
                Some(doubt) => Some(doubt),
                None => plausibility::doubt_rates(&self.writer, series, rows)?,
            };
            if let Some(doubt) = doubt {
                return Err(ImportError::Doubtful(doubt));
            }
        }
        if series == SELIC {
            self.note_decisions()?;
        }
        checks::note_future_rates(rows, self.today(), imported);
        let mut tally = store::write_rates(&self.writer, series, rows, OnConflict::Replace)?;
        tally += self.remove_missing(series, rows, imported)?;
        Ok(tally)
    }

    /// Notes the decisions on the Selic that were known before this import, to tell which ones it brings.
    fn note_decisions(&mut self) -> Result<(), ImportError> {
        if self.decisions.is_none() {
            self.decisions = Some(DecisionsBefore::read(&self.writer)?);
        }
        Ok(())
    }

    /// Removes the figures that were withdrawn from the days that were asked for.
    fn remove_missing(
        &self,
        series: u32,
        rows: &[Rate],
        imported: &mut Imported,
    ) -> Result<Tally, ImportError> {
        let Some(asked) = self.asked else { return Ok(Tally::default()) };
        let answer = withdrawn_figures::Answer { series, asked, rows };
        let mut missing = answer.missing_days(&self.writer, self.today())?;
        if self.trust == Trust::Anything {
            missing.removed.append(&mut missing.kept);
        }
        checks::note_missing_days(&missing, imported);
        Ok(withdrawn_figures::remove(&self.writer, series, &missing.removed)?)
    }

    fn store_quotes(
        &mut self,
        name: &str,
        rows: &[Quote],
        imported: &mut Imported,
    ) -> Result<Tally, ImportError> {
        if self.trust == Trust::Plausible {
            let days = rows.iter().map(|row| row.date);
            let doubt = match possible_days::doubt_days(None, days, self.today()) {
                Some(doubt) => Some(doubt),
                None => plausibility::doubt_quotes(&self.writer, rows)?,
            };
            if let Some(doubt) = doubt {
                return Err(ImportError::Doubtful(doubt));
            }
        }
        let crossed = store::find_crossed(&self.writer, rows)?;
        self.crossed.extend(crossed.into_iter().map(|day| (name.to_owned(), day)));
        let tally = store::write_quotes(&self.writer, rows, OnConflict::Replace)?;
        checks::note_future_quotes(rows, self.today(), imported);
        // A program that downloads one side asks for the other next, and reports it if that fails.
        if self.source == FileSource::Operator {
            checks::note_one_sided_quotes(&self.writer, rows, imported)?;
        }
        Ok(tally)
    }

    pub(super) fn store_filings(
        &mut self,
        rows: Vec<ParsedRow<NewFiling<'_>>>,
        position: BatchPosition,
        missing: &[&str],
        imported: &mut Imported,
    ) -> Result<Tally, ImportError> {
        let (mut filings, today) = (Vec::with_capacity(rows.len()), self.today());
        let (mut future, mut contradictions) = (0, Contradictions::default());
        let mut impossible = Vec::new();
        if position == BatchPosition::First {
            self.filings.begin_table();
        }
        for ParsedRow { line, value, .. } in rows {
            // The clock of a publisher may be a little ahead.
            if value.date.day_number() > today.day_number() + 1 {
                impossible.push((value.id, value.date));
                continue;
            }
            future += usize::from(value.date > today);
            // Duplicates within one batch are gone already.
            let sight = match position {
                BatchPosition::Only => Occurrence::First,
                BatchPosition::First | BatchPosition::Later => {
                    self.filings.occurrence(&self.writer, &value)?
                }
            };
            match sight {
                Occurrence::First => filings.push(value),
                Occurrence::Same => (),
                Occurrence::Newer => {
                    contradictions.add(line);
                    filings.push(value);
                }
                Occurrence::Older => contradictions.add(line),
            }
        }
        imported.notes.extend(contradictions.note());
        checks::leave_out_impossible(&impossible, imported);
        missing_columns::complete_filings(&self.writer, &mut filings, missing)?;
        filings.iter().for_each(|filing| self.forms.list(filing));
        if future > 0 {
            imported.notes.push(format!("{future} filings are dated after today"));
        }
        Ok(self.filings.store(&self.writer, &mut filings, OnConflict::Replace)?)
    }

    /// Removes the filings that the file lacks which was read last, if it is a whole one.
    fn remove_withdrawn(&mut self, imported: &mut Imported) -> Result<Tally, ImportError> {
        let limit = match self.trust {
            Trust::Plausible => RemovalLimit::Few,
            Trust::Anything => RemovalLimit::None,
        };
        let withdrawal = self.filings.remove_withdrawn(&self.writer, self.source, limit)?;
        checks::note_withdrawn(&withdrawal, imported);
        for filing in &withdrawal.removed {
            self.statements.remove(&self.writer, *filing)?;
        }
        Ok(withdrawal.tally)
    }
}
