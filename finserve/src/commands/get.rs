//! `finserve get`: queries of the API, answered from the data directory or by a server.
use std::io::{self, Write};

use super::{
    Failure,
    data_directory::ReadOnlyData,
    output::{Answer, Corrected, Notes, Screen, chart, table, terminal::print},
};
use crate::{
    api_client::{self, Origin, Server},
    cli::{
        self, ChartMode, CsvDialect, Format, GetRequest, OutputOptions, Question, RemoteOptions,
        redacted::Redacted,
    },
    openapi::NO_SUCH_PATH,
};

mod company_lookup;
mod messages;
mod pager;
mod row_printer;
mod step_pages;
use row_printer::LineFormat;

/// The refusal of a chart of anything but a history.
const NO_CHART: &str = "--chart draws one history: add it to finserve get market selic, cdi, ipca or fx, or to finserve get \
    series with a name or number";

pub(crate) fn run(data: ReadOnlyData<'_>, args: &cli::Get) -> Result<(), Failure> {
    let (origin, _temporary) = origin(data, &args.remote)?;
    let question = match args.command.request() {
        GetRequest::Question(question) => question,
        GetRequest::CompanyLookup(text) => company_lookup::find(&origin, &text)?,
    };
    answer(&origin, &question, &args.output)
}

/// Where answers come from, and the temporary directory that must last as long.
pub(super) fn origin(
    data: ReadOnlyData<'_>,
    remote: &RemoteOptions,
) -> Result<(Origin, Option<tempfile::TempDir>), Failure> {
    if let Some(base) = &remote.server {
        let key = remote.key.as_ref().map(Redacted::as_str);
        return Ok((Origin::server(Server::new(base.clone(), key)?), None));
    }
    let (catalogue, temporary) = data.open()?;
    Ok((Origin::data(catalogue), temporary))
}

/// Asks a question, and prints the answer.
pub(super) fn answer(
    origin: &Origin,
    question: &Question,
    output: &OutputOptions,
) -> Result<(), Failure> {
    let screen = Screen::of_output();
    let usual = if screen.is_terminal { Format::Table } else { Format::Csv };
    let format = output.format.unwrap_or(usual);
    if question.chart_mode == ChartMode::Impossible {
        return Err(Failure::Usage(NO_CHART.into()));
    }
    if question.chart_mode == ChartMode::Chart
        && (output.format.is_some() || output.dialect.is_some())
    {
        return Err(Failure::Usage(
            "--chart draws a chart: leave out --format and --dialect".into(),
        ));
    }
    if output.dialect.is_some() && format != Format::Csv {
        return Err(Failure::Usage("--dialect only applies to CSV: add --format csv".into()));
    }
    let nested = [("layout", "long"), ("sources", "true")];
    let nested = question.query.iter().find(|(name, value)| nested.contains(&(*name, value)));
    if let (Some((name, _)), Format::Table | Format::Csv) = (nested, format) {
        let wrong = format!("rows have lists within them with this --{name}: add --format json");
        return Err(Failure::Usage(wrong));
    }
    let whole = || -> Result<(String, Answer), Failure> {
        let json = pager::ask(origin, question)?;
        let headings = origin.columns(&question.path, &question.query);
        let found = Answer::read(&json, headings).map_err(invalid_answer)?;
        Ok((json, found))
    };
    if question.chart_mode == ChartMode::Chart {
        let (_, found) = whole()?;
        let curve = chart(&found, &name(question), screen);
        let nothing =
            || Failure::Message("there is nothing to draw: name a series with figures".into());
        print(&curve.ok_or_else(nothing)?)?;
        return finish(&found.notes, found.rows(), Captions::Age);
    }
    let lines = match format {
        Format::Table => {
            let (_, found) = whole()?;
            print(&table(&found, screen))?;
            return finish(&found.notes, found.rows(), Captions::Source);
        }
        Format::Json => {
            let (json, found) = whole()?;
            print(&format!("{json}\n"))?;
            return finish(&found.notes, found.rows(), Captions::None);
        }
        Format::Csv => LineFormat::Csv(output.dialect.unwrap_or(CsvDialect::Standard).in_pipe()),
        Format::Ndjson => LineFormat::Ndjson,
    };
    match row_printer::print(origin, question, lines)? {
        Some((found, rows)) => finish(&found, rows, Captions::None),
        None => Ok(()),
    }
}

/// The failure for an answer that is not one of the API.
fn invalid_answer(err: serde_json::Error) -> Failure {
    Failure::Message(format!("the answer cannot be read ({err}): is that a finserve server?"))
}

/// The name of a chart: the last part of the path, or the pair.
fn name(question: &Question) -> String {
    let pair = question.query.iter().find(|(name, _)| *name == "pair");
    let last = question.path.rsplit('/').next().unwrap_or_default();
    let usual = if last == "fx" { "USD/BRL" } else { last };
    pair.map_or_else(|| messages::decode(usual), |(_, pair)| pair.to_uppercase())
}

/// The captions on where figures come from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Captions {
    /// Unit and source, and whether they are stale.
    Source,
    /// Whether they are stale: a chart says the rest itself.
    Age,
    /// Nothing: programs read the output.
    None,
}

/// The notes beside so many rows, a line each.
fn notes(notes: &Notes, rows: usize, captions: Captions) -> Vec<String> {
    let Notes { source, unit, stale, fuzzy, total, upgrade, .. } = notes;
    let part = total.filter(|total| *total > rows as u64);
    let stale = stale.filter(|stale| *stale);
    let stale = stale.map(|_| "stale: this copy ends there, and newer figures are due".to_owned());
    let about = match captions {
        Captions::Source => vec![unit.clone(), source.clone(), stale],
        Captions::Age => vec![stale],
        Captions::None => Vec::new(),
    };
    let about: Vec<String> = about.into_iter().flatten().collect();
    let about = (!about.is_empty()).then(|| about.join("; "));
    let part = part.map(|total| format!("{rows} of {total}; --all for all"));
    let near = fuzzy.then(|| near_matches(notes));
    [about, near, part, upgrade.clone()].into_iter().flatten().collect()
}

/// How the nearest matches differ from the search.
fn near_matches(notes: &Notes) -> String {
    let mut parts = vec!["nothing matches exactly: these are the nearest matches".to_owned()];
    let corrected = notes.corrected.iter();
    parts.extend(corrected.map(|Corrected { from, to }| format!("{from:?} was taken for {to:?}")));
    if !notes.dropped.is_empty() {
        let words: Vec<String> = notes.dropped.iter().map(|word| format!("{word:?}")).collect();
        parts.push(format!("not all of them have {}", words.join(", ")));
    }
    parts.join("; ")
}

/// Prints the notes of an answer that was printed. Fails with its hints if it has no rows because of a mistake.
fn finish(found: &Notes, rows: usize, captions: Captions) -> Result<(), Failure> {
    for note in notes(found, rows, captions) {
        // The standard error may be closed; the answer was printed all the same.
        let _ = writeln!(io::stderr(), "{}", fincore::printable(&note));
    }
    match &found.hints[..] {
        [] => Ok(()),
        hints => Err(Failure::Message(messages::to_command_line(&hints.join("; ")))),
    }
}

impl From<api_client::Failure> for Failure {
    fn from(failure: api_client::Failure) -> Failure {
        let message = messages::to_command_line(&failure.message);
        match failure.kind {
            api_client::FailureKind::Question => Failure::Usage(message),
            // On the command line, a part of the path is an argument.
            api_client::FailureKind::NotFound if failure.message.starts_with(NO_SUCH_PATH) => {
                Failure::Usage(message)
            }
            api_client::FailureKind::NotFound
            | api_client::FailureKind::Later(_)
            | api_client::FailureKind::Other => Failure::Message(message),
        }
    }
}
