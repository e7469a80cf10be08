//! Imports official files into the catalogue: recognised by content and name, all or nothing.
use std::{
    borrow::Cow,
    io::{Read, Seek},
};

use chrono::{DateTime, TimeDelta, Utc};

use crate::{
    catalogue::{Catalogue, OnConflict, Tally, Writer},
    companies::{
        self,
        store::{RegistryEntry, Security},
    },
    downloads::{self, Validators},
    error::{Error, Result},
    filings::{entry::NewFiling, store::Filings},
    market::{
        Rate,
        store::{self, Quote},
    },
    types::Date,
};

mod archive;
mod ipe;
mod olinda;
mod periodic;
mod ptax;
mod registry;
mod sgs;
mod table;
mod text;
mod tickers;

use table::Kind;
use text::Refusal;

/// The known files, for the message about an unknown one.
const KNOWN_FILES: &str = "SGS series (bcdata.sgs.NUMBER.json or .csv), PTAX bulletins and period \
    files (.csv), PTAX responses of Olinda (CotacaoDolarPeriodo, CotacaoMoedaPeriodo.CURRENCY), and \
    CVM's registry (cad_cia_aberta.csv), filings (ipe_, dfp_, itr_, fre_ and fca_cia_aberta_YEAR, \
    .zip or .csv) and tickers (fca_cia_aberta_valor_mobiliario_YEAR.csv)";

/// One import of any number of official files, all or nothing.
///
/// Readers see none of them before [`Import::commit`]; an import that is dropped changes nothing. Files
/// are recognised by content, so they need no configuration: SGS series and PTAX quotes of the central
/// bank, and the registry, filings and tickers of CVM, as JSON, CSV or zip archives. Importing a file
/// again changes nothing, and revised figures replace older ones.
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
    registries: Registries,
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

/// Which registries are accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Registries {
    /// Those that are not older than the stored one and have hardly lost a company.
    Plausible,
    /// All that can be parsed.
    Any,
}

/// A registry that lost more than one company in this many was truncated: in a whole year none
/// disappears.
const MOST_LOST: usize = 20;

/// The result of importing one file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Imported {
    /// What the file was recognised as: `SGS 432`, `PTAX closing quotes`.
    pub what: String,
    /// The number of new, changed, unchanged and removed rows.
    pub tally: Tally,
    /// The number of rows that were left out, with the reason.
    pub left_out: Vec<(usize, &'static str)>,
}

impl Import {
    /// Starts an import. Waits some seconds for another one to end, then fails with [`Error::Busy`].
    ///
    /// `now` is the time of the import: the change log has it, and days after it do not count as events.
    pub fn begin(catalogue: &Catalogue, now: DateTime<Utc>) -> Result<Import> {
        Ok(Import {
            writer: catalogue.write(now)?,
            filings: Filings::default(),
            registries: Registries::Plausible,
            state: State::Unchanged,
            remembered: false,
        })
    }

    /// Also accepts a registry that is older than the stored one, or that has lost more than a twentieth
    /// of its companies.
    #[must_use]
    pub fn forced(self) -> Import {
        Import { registries: Registries::Any, ..self }
    }

    /// Forgets logged changes after this time; without it, after 90 days.
    #[must_use]
    pub fn keeping_changes(self, keep: TimeDelta) -> Import {
        Import { writer: self.writer.keeping_changes(keep), ..self }
    }

    /// Adds one file. It is recognised by its content and, if that is not enough, by its `name`.
    ///
    /// Fails with [`Error::Refused`] if it is not a complete file of a known kind. The whole import has
    /// failed then, and cannot be committed.
    pub fn file(&mut self, name: &str, bytes: &[u8]) -> Result<Imported> {
        let before = std::mem::replace(&mut self.state, State::Failed);
        let imported = self.add(name, bytes)?;
        if imported.tally.is_change() {
            self.writer.note(&imported.what, bytes);
            self.state = if before == State::Failed { State::Failed } else { State::Changed };
        } else {
            self.state = before;
        }
        Ok(imported)
    }

    /// The same for a file that is not in memory.
    pub fn read(&mut self, name: &str, mut source: impl Read + Seek) -> Result<Imported> {
        let mut bytes = Vec::new();
        let cannot = |err| Error::storage(format!("{name} cannot be read"), err);
        source.read_to_end(&mut bytes).map_err(cannot)?;
        self.file(name, &bytes)
    }

    /// Parses a file without storing it, so that a bad one is known before an import begins.
    ///
    /// Fails like [`Import::file`], except for what only the stored data can tell.
    pub fn verify(name: &str, mut source: impl Read + Seek) -> Result<()> {
        let mut bytes = Vec::new();
        let cannot = |err| Error::storage(format!("{name} cannot be read"), err);
        source.read_to_end(&mut bytes).map_err(cannot)?;
        let refuse = |refusal: Refusal| refusal.of_file(name);
        let files = if archive::recognises(&bytes) {
            archive::unpack(&bytes).map_err(refuse)?.into_iter().map(Cow::Owned).collect()
        } else {
            vec![Cow::Borrowed(&bytes[..])]
        };
        files.iter().try_for_each(|bytes| parse(name, bytes).map(|_| ()).map_err(refuse))
    }

    fn add(&mut self, name: &str, bytes: &[u8]) -> Result<Imported> {
        let refuse = |refusal: Refusal| refusal.of_file(name);
        let files = if archive::recognises(bytes) {
            archive::unpack(bytes).map_err(refuse)?.into_iter().map(Cow::Owned).collect()
        } else {
            vec![Cow::Borrowed(bytes)]
        };
        let contents = files.iter().map(|bytes| parse(name, bytes)).collect::<Result<Vec<_>, _>>();
        let contents = contents.map_err(refuse)?;
        // Some tables of an archive may be empty, but not all of them.
        if contents.iter().all(|content| content.rows.is_empty()) {
            return Err(refuse(Refusal::whole("it has no rows")));
        }
        let what: Vec<&str> = contents.iter().map(|content| content.what.as_str()).collect();
        let mut imported =
            Imported { what: what.join(" and "), tally: Tally::default(), left_out: Vec::new() };
        for content in contents {
            imported.left_out.extend(content.left_out);
            imported.tally += self.store(name, content.rows)?;
        }
        Ok(imported)
    }

    fn store(&mut self, name: &str, rows: Rows<'_>) -> Result<Tally> {
        match rows {
            Rows::Rates(series, rows) => {
                store::rates(&self.writer, series, &rows, OnConflict::Replace)
            }
            Rows::Quotes(rows) => store::quotes(&self.writer, &rows, OnConflict::Replace),
            Rows::Companies(rows) => {
                if self.registries == Registries::Plausible {
                    self.check_registry(name, &rows)?;
                }
                companies::store::registry(&self.writer, &rows)
            }
            Rows::Securities(rows) => companies::store::securities(&self.writer, &rows),
            Rows::Filings(mut rows) => {
                self.filings.store(&self.writer, &mut rows, OnConflict::Replace)
            }
        }
    }

    fn check_registry(&self, name: &str, rows: &[RegistryEntry]) -> Result<()> {
        let known = companies::store::known(&self.writer)?;
        let newest = |day: Option<Date>| day.map_or("an unknown day".into(), |day| day.to_string());
        let known_until = known.values().filter_map(RegistryEntry::newest_event).max();
        let until = rows.iter().filter_map(RegistryEntry::newest_event).max();
        let lost = known.len() - rows.iter().filter(|row| known.contains_key(&row.id)).count();
        let reason = if until < known_until {
            let (until, known_until) = (newest(until), newest(known_until));
            format!("the registry ends on {until}, the known one on {known_until}")
        } else if lost * MOST_LOST > known.len() {
            format!("{lost} of {} known companies are missing", known.len())
        } else {
            return Ok(());
        };
        let reason = format!("{reason}; only a forced import accepts it");
        Err(Error::Refused { file: name.to_owned(), line: None, reason, can_be_forced: true })
    }

    /// Remembers what the publisher of a file said about it; see [`downloads`].
    pub fn remember(&mut self, url: &str, validators: &Validators) -> Result<()> {
        self.remembered = true;
        downloads::remember(&self.writer, url, validators)
    }

    /// Makes all files visible at once. If they changed nothing, the data version stays the same.
    ///
    /// Fails if one of the files was refused.
    pub fn commit(self) -> Result<()> {
        match self.state {
            State::Unchanged if self.remembered => self.writer.commit_unversioned(),
            State::Unchanged => Ok(()),
            State::Failed => Err(Error::Invalid("a file was refused; nothing is imported".into())),
            State::Changed => {
                self.filings.finish(&self.writer)?;
                self.writer.commit()
            }
        }
    }
}

/// The parsed content of a file.
#[derive(Debug)]
struct Content<'a> {
    what: String,
    rows: Rows<'a>,
    left_out: Vec<(usize, &'static str)>,
}

#[derive(Debug)]
enum Rows<'a> {
    Rates(u32, Vec<Rate>),
    Quotes(Vec<Quote>),
    Companies(Vec<RegistryEntry>),
    Securities(Vec<Security>),
    Filings(Vec<NewFiling<'a>>),
}

impl Rows<'_> {
    fn is_empty(&self) -> bool {
        match self {
            Rows::Rates(_, rows) => rows.is_empty(),
            // The quotes may all be older than the real.
            Rows::Quotes(_) => false,
            Rows::Companies(rows) => rows.is_empty(),
            Rows::Securities(rows) => rows.is_empty(),
            Rows::Filings(rows) => rows.is_empty(),
        }
    }
}

/// Recognises a file by its bytes and name, and parses it.
fn parse<'a>(name: &str, bytes: &'a [u8]) -> Result<Content<'a>, Refusal> {
    if table::recognises(bytes) {
        return parse_table(bytes);
    }
    if bytes.trim_ascii_start().starts_with(b"<") {
        return Err(Refusal::whole(
            "this is an HTML or XML page, not data: download the file again",
        ));
    }
    let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let text = text::decode(bytes)?;
    let start = text.trim_start();
    if start.is_empty() {
        return Err(Refusal::whole("the file is empty"));
    }
    if sgs::recognises(start) {
        let series = sgs::series_of(name).ok_or_else(|| {
            Refusal::whole(
                "the series number is missing: name the file bcdata.sgs.NUMBER.json (or .csv)",
            )
        })?;
        return Ok(of_series(series, sgs::parse(series, text)?));
    }
    if olinda::recognises(start) {
        let service = olinda::Service::of(name, text)?;
        let (quotes, intraday) = olinda::parse(service, text)?;
        let mut content = of_quotes(format!("PTAX {}", service.currency()), quotes);
        content.leave_out(intraday, "bulletins during the day");
        return Ok(content);
    }
    if ptax::recognises(start) {
        return Ok(of_quotes("PTAX closing quotes".into(), ptax::parse(text)?));
    }
    Err(Refusal::whole(format!("unknown kind of file; known are {KNOWN_FILES}")))
}

fn parse_table(bytes: &[u8]) -> Result<Content<'_>, Refusal> {
    let content = |what: &str, rows| Content { what: what.to_owned(), rows, left_out: Vec::new() };
    Ok(match table::kind_of(bytes) {
        Some(Kind::Registry) => content("CVM registry", Rows::Companies(registry::parse(bytes)?)),
        Some(Kind::Ipe) => content("IPE filings", Rows::Filings(ipe::parse(bytes)?)),
        Some(Kind::Periodic) => content("periodic filings", Rows::Filings(periodic::parse(bytes)?)),
        Some(Kind::Tickers) => {
            let (securities, without) = tickers::parse(bytes)?;
            let mut content = content("tickers", Rows::Securities(securities));
            content.leave_out(without, "securities without a ticker on the exchange");
            content
        }
        None => {
            let reason = "a table of CVM, but of an unknown kind; known are";
            return Err(Refusal::whole(format!("{reason} {KNOWN_FILES}")));
        }
    })
}

fn of_series(series: u32, rows: Vec<Rate>) -> Content<'static> {
    let what = format!("SGS {series}");
    match sgs::quotes(series, &rows) {
        Some(quotes) => of_quotes(what, quotes),
        None => Content { what, rows: Rows::Rates(series, rows), left_out: Vec::new() },
    }
}

fn of_quotes(what: String, mut quotes: Vec<Quote>) -> Content<'static> {
    let all = quotes.len();
    quotes.retain(|quote| quote.date >= text::FIRST_DAY_OF_THE_REAL);
    let older = all - quotes.len();
    let mut content = Content { what, rows: Rows::Quotes(quotes), left_out: Vec::new() };
    content.leave_out(older, "days before the real (1 July 1994), quoted in other currencies");
    content
}

impl Content<'_> {
    fn leave_out(&mut self, rows: usize, reason: &'static str) {
        if rows > 0 {
            self.left_out.push((rows, reason));
        }
    }
}

impl Refusal {
    fn of_file(self, name: &str) -> Error {
        let Refusal { line, reason } = self;
        Error::Refused { file: name.to_owned(), line, reason, can_be_forced: false }
    }
}

#[cfg(test)]
mod refusals;
#[cfg(test)]
mod tests;
