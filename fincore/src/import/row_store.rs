//! Checks the rows of a file against the data, and stores them.
use std::{borrow::Cow, collections::BTreeSet};

use foldhash::HashMap;

use crate::{
    companies::{
        self, Absence, RegistryEntry, Security, TickerOverride, company::DATASET as COMPANIES,
        store::companies_of_cnpj,
    },
    filings::{FileSource, NewFiling, store::Occurrence, withdrawn::RemovalLimit},
    import::{Contradictions, Import, ImportError, Imported, Refusal, Trust, checks},
    market::{
        self, DecisionsBefore, Meeting, Quote, Rate,
        freshness::{self, COPOM, FX},
        holes, plausibility,
        series_definitions::{SELIC, dataset},
    },
    statements::{Capital, FormIndex, FormKey, NewTable, form::DATASET as STATEMENTS},
    store::{OnConflict, Tally},
    values::{Cnpj, CvmCode, Date, Form},
};

impl Import {
    /// Checks rows of a file, stores them, and adds to its report what became of them.
    pub(crate) fn store(
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
                freshness::replace(&self.writer, &rows, self.today())?
            }
            ParsedRows::Companies { mut rows, absent, missing } => {
                checks::complete_companies(&self.writer, &mut rows, missing)?;
                if self.trust == Trust::Plausible {
                    checks::check_registry(&self.writer, &rows, self.today())?;
                }
                companies::store::replace_registry(&self.writer, &rows, absent)?
            }
            ParsedRows::Securities(rows) => {
                companies::store::write_securities(&self.writer, &rows)?
            }
            ParsedRows::Overrides(rows) => match companies::store::replace(&self.writer, &rows)? {
                Ok(tally) => tally,
                Err((line, reason)) => return Err(Refusal::at(line, reason).into()),
            },
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
            let doubt = holes::doubt_days(Some(series), days, self.today());
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
        let mut tally =
            market::store::write_rates(&self.writer, series, rows, OnConflict::Replace)?;
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
        let answer = market::store::Answer { series, asked, rows };
        let mut missing = answer.missing_days(&self.writer, self.today())?;
        if self.trust == Trust::Anything {
            missing.removed.append(&mut missing.kept);
        }
        checks::note_missing_days(&missing, imported);
        Ok(market::store::remove(&self.writer, series, &missing.removed)?)
    }

    fn store_quotes(
        &mut self,
        name: &str,
        rows: &[Quote],
        imported: &mut Imported,
    ) -> Result<Tally, ImportError> {
        if self.trust == Trust::Plausible {
            let days = rows.iter().map(|row| row.date);
            let doubt = match holes::doubt_days(None, days, self.today()) {
                Some(doubt) => Some(doubt),
                None => plausibility::doubt_quotes(&self.writer, rows)?,
            };
            if let Some(doubt) = doubt {
                return Err(ImportError::Doubtful(doubt));
            }
        }
        let crossed = market::store::find_crossed(&self.writer, rows)?;
        self.crossed.extend(crossed.into_iter().map(|day| (name.to_owned(), day)));
        let tally = market::store::write_quotes(&self.writer, rows, OnConflict::Replace)?;
        checks::note_future_quotes(rows, self.today(), imported);
        // A program that downloads one side asks for the other next, and reports it if that fails.
        if self.source == FileSource::Operator {
            checks::note_one_sided_quotes(&self.writer, rows, imported)?;
        }
        Ok(tally)
    }

    pub(crate) fn store_filings(
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
        checks::complete_filings(&self.writer, &mut filings, missing)?;
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

/// The number of forms that a sentence names.
const EXAMPLES: usize = 3;

/// The forms in a file: those of its index, and the companies of each CNPJ.
#[derive(Debug, Default)]
pub(crate) struct FileForms {
    index: FormIndex,
    companies: HashMap<Cnpj, Vec<CvmCode>>,
    /// Forms whose statements were left out, because the index does not list them.
    unlisted: BTreeSet<FormKey>,
    /// Forms whose statements were left out, because their period is not over.
    early: BTreeSet<FormKey>,
}

impl FileForms {
    /// Adds a row of the index.
    pub(crate) fn list(&mut self, filing: &NewFiling<'_>) {
        let form = filing.id.form();
        if let (Form::Dfp | Form::Itr, Some(period_end)) = (form, filing.reference_date) {
            let (company, version) = (filing.company, filing.version);
            let key = FormKey { company, form, period_end, version };
            self.index.add(key, filing.id, filing.date);
        }
    }

    /// Notes that the file has an index, even one without a row.
    fn end_index(&mut self) {
        self.index.decide();
    }
}

/// Counts forms as left out.
fn leave_out(forms: Vec<FormKey>, reason: &str, imported: &mut Imported) {
    if forms.is_empty() {
        return;
    }
    let named = forms.iter().take(EXAMPLES).map(FormKey::to_string);
    let named = named.collect::<Vec<_>>().join(", ");
    let more = if forms.len() > EXAMPLES { " …" } else { "" };
    imported.left_out.push((forms.len(), format!("{reason} ({named}{more})")));
}

impl Import {
    pub(crate) fn store_statements(
        &mut self,
        mut table: NewTable,
        companies: HashMap<Cnpj, Vec<CvmCode>>,
        imported: &mut Imported,
    ) -> Result<Tally, ImportError> {
        self.forms.index.add_stored(&self.writer, table.form)?;
        self.forms.companies.extend(companies);
        // Figures of a period that is not over cannot be known. The clock of a publisher may be a little ahead.
        let today = self.today().day_number();
        let is_over = |key: &FormKey| key.period_end.day_number() <= today + 1;
        let early = table.statements.iter().map(|(key, _)| *key).filter(|key| !is_over(key));
        let early = early.filter(|key| self.forms.early.insert(*key)).collect();
        leave_out(early, "forms of a period that ends after tomorrow", imported);
        table.statements.retain(|(key, _)| is_over(key));
        let stored =
            self.statements.store(&self.writer, &table, &self.forms.index, OnConflict::Replace)?;
        let new: Vec<FormKey> =
            stored.unlisted.into_iter().filter(|key| self.forms.unlisted.insert(*key)).collect();
        leave_out(new, "forms with statements that the index does not list", imported);
        Ok(stored.tally)
    }

    pub(crate) fn store_capital(&mut self, rows: &[NewCapital]) -> Result<Tally, ImportError> {
        let mut of_forms: Vec<(FormKey, Capital)> = Vec::with_capacity(rows.len());
        for NewCapital { cnpj, form, period_end, version, capital } in rows {
            let companies = match self.forms.companies.get(cnpj) {
                Some(companies) => companies.clone(),
                None => companies_of_cnpj(&self.writer, *cnpj)?,
            };
            of_forms.extend(companies.into_iter().map(|company| {
                let (form, period_end, version) = (*form, *period_end, *version);
                (FormKey { company, form, period_end, version }, *capital)
            }));
        }
        Ok(self.statements.store_capital(&self.writer, &of_forms, OnConflict::Replace)?)
    }
}

/// Checks and stores rows, and adds to the report how many of them were new or changed.
pub(crate) type StoreRows<'s> =
    dyn FnMut(ParsedRows<'_>, &mut Imported) -> Result<(), ImportError> + 's;

/// Rows of one kind.
#[derive(Debug)]
pub(crate) enum ParsedRows<'a> {
    /// Observations of a series, by its number.
    Rates(u32, Vec<Rate>),
    Quotes(Vec<Quote>),
    /// Meetings of the monetary policy committee, all of those in their years.
    Meetings(Vec<Meeting>),
    /// The whole registry, without some optional columns.
    Companies {
        rows: Vec<RegistryEntry>,
        absent: Absence,
        missing: &'a [&'static str],
    },
    Securities(Vec<Security>),
    /// The operator's whole table, with line numbers.
    Overrides(Vec<(usize, TickerOverride)>),
    /// Some filings of a table, which may lack some optional columns.
    Filings {
        rows: Vec<ParsedRow<NewFiling<'a>>>,
        position: BatchPosition,
        missing: &'a [&'static str],
    },
    /// The end of a table of filings.
    FilingsEnd(Completeness),
    /// A table of statements, and the companies of each CNPJ in it.
    Statements {
        table: NewTable,
        companies: HashMap<Cnpj, Vec<CvmCode>>,
    },
    /// The shares of companies.
    Capital(Vec<NewCapital>),
    Nothing,
}

/// Whether every row of a table could be read with all its columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Completeness {
    Complete,
    Incomplete,
}

impl ParsedRows<'_> {
    /// The datasets to which they belong.
    pub(crate) fn datasets(&self) -> BTreeSet<Cow<'static, str>> {
        match self {
            ParsedRows::Rates(series, _) => BTreeSet::from([dataset(*series)]),
            ParsedRows::Quotes(_) => BTreeSet::from([FX.into()]),
            ParsedRows::Meetings(_) => BTreeSet::from([COPOM.into()]),
            ParsedRows::Companies { .. } | ParsedRows::Securities(_) | ParsedRows::Overrides(_) => {
                BTreeSet::from([COMPANIES.into()])
            }
            ParsedRows::Filings { rows, .. } => {
                rows.iter().map(|row| row.value.id.form().dataset().into()).collect()
            }
            ParsedRows::Statements { .. } | ParsedRows::Capital(_) => {
                BTreeSet::from([STATEMENTS.into()])
            }
            ParsedRows::FilingsEnd(_) | ParsedRows::Nothing => BTreeSet::new(),
        }
    }
}

/// The shares of a company in one of its forms.
#[derive(Debug)]
pub(crate) struct NewCapital {
    pub(crate) cnpj: Cnpj,
    pub(crate) form: Form,
    pub(crate) period_end: Date,
    pub(crate) version: u32,
    pub(crate) capital: Capital,
}

/// A row of a table, with its line number.
#[derive(Debug)]
pub(crate) struct ParsedRow<T> {
    pub(crate) line: usize,
    pub(crate) value: T,
    /// Whether every field of it could be read.
    pub(crate) is_complete: bool,
}

/// Which batch of its table this is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BatchPosition {
    /// The whole table fits into it.
    Only,
    First,
    Later,
}

/// The parsed content of a file that is read whole.
#[derive(Debug)]
pub(crate) struct ParsedFile {
    /// The recognised kind of file.
    pub(crate) what: String,
    pub(crate) rows: ParsedRows<'static>,
    /// How many rows are left out, and why.
    pub(crate) left_out: Vec<(usize, String)>,
}

impl ParsedFile {
    pub(crate) fn new(what: impl Into<String>, rows: ParsedRows<'static>) -> ParsedFile {
        ParsedFile { what: what.into(), rows, left_out: Vec::new() }
    }

    /// Adds the number of rows that are left out for a reason, unless it is zero.
    pub(crate) fn leave_out(&mut self, rows: usize, reason: impl Into<String>) {
        if rows > 0 {
            self.left_out.push((rows, reason.into()));
        }
    }
}
