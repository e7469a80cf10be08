//! Official files into the catalogue: recognised by content and name, all of them or none.
use crate::{
    Catalogue, Error, Result,
    catalogue::{Tally, Writer},
    market::{
        Rate,
        store::{self, Known, Quote},
    },
};

mod olinda;
mod ptax;
mod sgs;
mod text;

use text::Refusal;

/// What the importer takes, for the message about a file it does not know.
const KNOWN_FILES: &str = "SGS series (bcdata.sgs.NUMBER.json or .csv), PTAX bulletins and period \
    files (.csv), and PTAX answers of Olinda (CotacaoDolarPeriodo, CotacaoMoedaPeriodo.CURRENCY)";

/// One import of any number of files. Nothing is seen by readers before [`Import::commit`]; dropped
/// without it, nothing has happened.
///
/// ```
/// # let dir = tempfile::tempdir().unwrap();
/// # let catalogue = fincore::Catalogue::open(dir.path().join("catalogue.db"))?;
/// let mut import = fincore::Import::begin(&catalogue)?;
/// let ipca = br#"[{"data":"01/08/2026","valor":"-0.11"}]"#;
/// let imported = import.file("bcdata.sgs.433.json", ipca)?;
/// import.commit()?;
/// assert_eq!(imported.tally.new, 1);
/// # Ok::<(), fincore::Error>(())
/// ```
#[derive(Debug)]
pub struct Import {
    writer: Writer,
    changed: bool,
}

/// What a file held, and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Imported {
    /// What was recognised: `SGS 432`, `PTAX closing quotes`.
    pub what: String,
    /// Its rows, by what they did to the catalogue.
    pub tally: Tally,
    /// Rows that do not belong into the catalogue, with the reason.
    pub left_out: Vec<(usize, &'static str)>,
}

impl Import {
    /// Waits for another import to end, some seconds at most, and fails where it does not.
    pub fn begin(catalogue: &Catalogue) -> Result<Import> {
        Ok(Import { writer: catalogue.write()?, changed: false })
    }

    /// Adds one file, recognised by its content and, where that does not tell, by its `name`.
    ///
    /// Fails with [`Error::Refused`] for what is no complete file of a known kind. The import is then
    /// to be dropped.
    pub fn file(&mut self, name: &str, bytes: &[u8]) -> Result<Imported> {
        let content = parse(name, bytes).map_err(|refusal| refusal.of_file(name))?;
        let tally = match &content.rows {
            Rows::Rates(series, rows) => {
                store::rates(&self.writer, *series, rows, Known::Replaced)?
            }
            Rows::Quotes(rows) => store::quotes(&self.writer, rows, Known::Replaced)?,
        };
        self.changed |= tally.new + tally.changed > 0;
        Ok(Imported { what: content.what, tally, left_out: content.left_out })
    }

    /// Makes all files visible at once. Where they changed nothing, the data version stays as it is.
    pub fn commit(self) -> Result<()> {
        if self.changed { self.writer.commit() } else { Ok(()) }
    }
}

/// A file made into rows.
#[derive(Debug)]
struct Content {
    what: String,
    rows: Rows,
    left_out: Vec<(usize, &'static str)>,
}

#[derive(Debug)]
enum Rows {
    Rates(u32, Vec<Rate>),
    Quotes(Vec<Quote>),
}

/// Finds out what a file is and reads it; never looks further than its bytes and name.
fn parse(name: &str, bytes: &[u8]) -> Result<Content, Refusal> {
    let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let text = text::decode(bytes)?;
    let start = text.trim_start();
    if start.is_empty() {
        return Err(Refusal::whole("the file is empty"));
    }
    if start.starts_with('<') {
        return Err(Refusal::whole(
            "this is an HTML or XML page, not data: download the file again",
        ));
    }
    if sgs::recognises(start) {
        let series = sgs::series_of(name).ok_or_else(|| {
            Refusal::whole("which series is it? Name the file bcdata.sgs.NUMBER.json (or .csv)")
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
    Err(Refusal::whole(format!("not a file this program knows; it takes {KNOWN_FILES}")))
}

fn of_series(series: u32, rows: Vec<Rate>) -> Content {
    let what = format!("SGS {series}");
    match sgs::quoted(series) {
        Some((currency, side)) => {
            of_quotes(what, rows.iter().map(|row| side.quote(currency, row)).collect())
        }
        None => Content { what, rows: Rows::Rates(series, rows), left_out: Vec::new() },
    }
}

fn of_quotes(what: String, mut quotes: Vec<Quote>) -> Content {
    let all = quotes.len();
    quotes.retain(|quote| quote.date >= text::FIRST_DAY_OF_THE_REAL);
    let older = all - quotes.len();
    let mut content = Content { what, rows: Rows::Quotes(quotes), left_out: Vec::new() };
    content.leave_out(older, "days before the real (1 July 1994), quoted in other currencies");
    content
}

impl Content {
    fn leave_out(&mut self, rows: usize, reason: &'static str) {
        if rows > 0 {
            self.left_out.push((rows, reason));
        }
    }
}

impl Refusal {
    fn of_file(self, name: &str) -> Error {
        Error::Refused { file: name.to_owned(), line: self.line, reason: self.reason }
    }
}

#[cfg(test)]
mod tests;
