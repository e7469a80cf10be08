//! Small files, read whole: the central bank's, and the operator's own. Recognised by content and name.
use super::{
    apology, olinda, overrides, ptax,
    rows::Rows,
    sgs,
    text::{self, Refusal},
};
use crate::market::{Rate, store::Quote};

/// The known files, for the message about an unknown one.
pub(super) const KNOWN_FILES: &str = "SGS series (bcdata.sgs.NUMBER.json or .csv), PTAX bulletins and period \
    files (.csv), PTAX responses of Olinda (CotacaoDolarPeriodo, CotacaoMoedaPeriodo.CURRENCY), \
    CVM's registry (cad_cia_aberta.csv), filings (ipe_, dfp_, itr_, fre_ and fca_cia_aberta_YEAR, \
    .zip or .csv) and tickers (fca_cia_aberta_valor_mobiliario_YEAR.csv), and tickers of your own \
    (company;tickers)";

/// The parsed content of a file.
#[derive(Debug)]
pub(super) struct Content {
    pub(super) what: String,
    pub(super) rows: Rows<'static>,
    pub(super) left_out: Vec<(usize, String)>,
}

/// Recognises a file by its bytes and name, and parses it.
pub(super) fn parse(name: &str, bytes: &[u8]) -> Result<Content, Refusal> {
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
        return of_sgs(name, text);
    }
    if start.starts_with('{') && apology::is_empty_answer(text)? {
        return Ok(empty_answer(sgs::series_of(name)));
    }
    if olinda::recognises(start) {
        return of_olinda(name, text);
    }
    if ptax::recognises(start) {
        let (quotes, unknown) = ptax::parse(text)?;
        let mut content = of_quotes("PTAX closing quotes".into(), quotes);
        content.leave_out(unknown, "rows of an unknown type of currency");
        return Ok(content);
    }
    if overrides::recognises(start) {
        let rows = Rows::Overrides(overrides::parse(start)?);
        return Ok(Content { what: "the operator's tickers".into(), rows, left_out: Vec::new() });
    }
    Err(Refusal::whole(format!("unknown kind of file; known are {KNOWN_FILES}")))
}

fn of_sgs(name: &str, text: &str) -> Result<Content, Refusal> {
    let number = sgs::series_of(name);
    // Which rules it must keep only its number tells; an answer without observations keeps them all.
    let rows = sgs::parse(number.unwrap_or_default(), text)?;
    match number {
        _ if rows.is_empty() => Ok(empty_answer(number)),
        Some(series) => Ok(of_series(series, rows)),
        None => Err(Refusal::whole(
            "the series number is missing: name the file bcdata.sgs.NUMBER.json (or .csv)",
        )),
    }
}

fn of_olinda(name: &str, text: &str) -> Result<Content, Refusal> {
    if olinda::is_empty(text) {
        return Ok(nothing("PTAX, an answer without quotes".into()));
    }
    let service = olinda::Service::of(name, text)?;
    let olinda::Parsed { quotes, intraday, unknown } = olinda::parse(service, text)?;
    let mut content = of_quotes(format!("PTAX {}", service.currency()), quotes);
    content.leave_out(intraday, "bulletins during the day");
    for (kind, rows) in unknown {
        content.leave_out(rows, format!("bulletins of an unknown type ({kind:?})"));
    }
    Ok(content)
}

fn empty_answer(series: Option<u32>) -> Content {
    nothing(match series {
        Some(series) => format!("SGS {series}, an answer without observations"),
        None => "SGS, an answer without observations".into(),
    })
}

fn nothing(what: String) -> Content {
    Content { what, rows: Rows::Nothing, left_out: Vec::new() }
}

fn of_series(series: u32, rows: Vec<Rate>) -> Content {
    let what = format!("SGS {series}");
    match sgs::quotes(series, &rows) {
        Some(quotes) => of_quotes(what, quotes),
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
    fn leave_out(&mut self, rows: usize, reason: impl Into<String>) {
        if rows > 0 {
            self.left_out.push((rows, reason.into()));
        }
    }
}
