//! `finserve get`: queries of the API, answered from the data directory or by a server.
use std::io::{self, Write};

use super::{
    Failure,
    data::Seen,
    show::{Answer, Notes, Screen, chart, table},
    terminal::print,
};
use crate::{
    api::NO_SUCH_PATH,
    ask::{self, Origin, Server},
    cli::{self, Drawn, Format, Question, Shown, Wanted, Whom},
    typed::TypedKey,
};

mod company;
mod lines;
mod pages;
mod words;
use lines::Lines;

/// What is said where a chart is wanted of anything but a history.
const UNDRAWN: &str = "--chart draws one history: add it to finserve get market selic, cdi, ipca or fx, or to finserve get \
    series with a name or number";

pub(crate) fn run(seen: Seen<'_>, args: &cli::Get) -> Result<(), Failure> {
    let (origin, _kept) = origin(seen, &args.whom)?;
    let question = match args.what.wanted() {
        Wanted::Answer(question) => question,
        Wanted::Company(text) => company::named(&origin, &text)?,
    };
    answer(&origin, &question, &args.shown)
}

/// Where answers come from, and what must last as long.
pub(super) fn origin(
    seen: Seen<'_>,
    whom: &Whom,
) -> Result<(Origin, Option<tempfile::TempDir>), Failure> {
    if let Some(base) = &whom.server {
        let key = whom.key.as_ref().map(TypedKey::as_str);
        return Ok((Origin::server(Server::new(base.clone(), key)?), None));
    }
    let (catalogue, kept) = seen.open()?;
    Ok((Origin::data(catalogue), kept))
}

/// Asks a question, and prints the answer.
pub(super) fn answer(origin: &Origin, question: &Question, shown: &Shown) -> Result<(), Failure> {
    let screen = Screen::of_output();
    let usual = if screen.is_terminal { Format::Table } else { Format::Csv };
    let format = shown.format.unwrap_or(usual);
    if question.drawn == Drawn::Impossible {
        return Err(Failure::Usage(UNDRAWN.into()));
    }
    if question.drawn == Drawn::Chart && (shown.format.is_some() || shown.dialect.is_some()) {
        return Err(Failure::Usage("--chart draws: leave out --format and --dialect".into()));
    }
    if shown.dialect.is_some() && format != Format::Csv {
        return Err(Failure::Usage("--dialect is about CSV: add --format csv".into()));
    }
    let whole = || -> Result<(String, Answer), Failure> {
        let json = pages::ask(origin, question)?;
        let found = Answer::read(&json, origin.columns(&question.path)).map_err(unreadable)?;
        Ok((json, found))
    };
    if question.drawn == Drawn::Chart {
        let (_, found) = whole()?;
        let curve = chart(&found, &name(question), screen);
        let nothing =
            || Failure::Said("there is nothing to draw: name a series with figures".into());
        print(&curve.ok_or_else(nothing)?)?;
        return said(&notes(&found.notes, found.rows(), Captions::Age));
    }
    let lines = match format {
        Format::Table => {
            let (_, found) = whole()?;
            print(&table(&found, screen))?;
            return said(&notes(&found.notes, found.rows(), Captions::Source));
        }
        Format::Json => {
            let (json, found) = whole()?;
            print(&format!("{json}\n"))?;
            return said(&notes(&found.notes, found.rows(), Captions::None));
        }
        Format::Csv => Lines::Csv(shown.dialect.map_or_else(Default::default, Into::into)),
        Format::Ndjson => Lines::Ndjson,
    };
    match lines::print(origin, question, lines)? {
        Some((found, rows)) => said(&notes(&found, rows, Captions::None)),
        None => Ok(()),
    }
}

/// An answer that is not what the API answers.
fn unreadable(err: serde_json::Error) -> Failure {
    Failure::Said(format!("the answer cannot be read ({err}): is that a server of finserve?"))
}

/// What a chart is of: the last part of the path, or the pair.
fn name(question: &Question) -> String {
    let pair = question.query.iter().find(|(name, _)| *name == "pair");
    let last = question.path.rsplit('/').next().unwrap_or_default();
    let usual = if last == "fx" { "USD/BRL" } else { last };
    pair.map_or_else(|| words::decoded(usual), |(_, pair)| pair.to_uppercase())
}

/// What is said of where figures come from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Captions {
    /// Unit and source, and whether they are stale.
    Source,
    /// Whether they are stale: a chart says the rest itself.
    Age,
    /// Nothing, beside what programs read.
    None,
}

/// What is said beside so many rows, a line each.
fn notes(notes: &Notes, rows: usize, captions: Captions) -> Vec<String> {
    let Notes { source, unit, stale, fuzzy, total, upgrade } = notes;
    let part = total.filter(|total| *total > rows as u64);
    let stale = stale.filter(|stale| *stale);
    let stale = stale.map(|_| "stale: the source should have newer figures by now".to_owned());
    let about = match captions {
        Captions::Source => vec![unit.clone(), source.clone(), stale],
        Captions::Age => vec![stale],
        Captions::None => Vec::new(),
    };
    let about: Vec<String> = about.into_iter().flatten().collect();
    let about = (!about.is_empty()).then(|| about.join("; "));
    let part = part.map(|total| format!("{rows} of {total}; --all for all"));
    let near = fuzzy.then(|| "nothing matches as it stands: these are the nearest".to_owned());
    [about, near, part, upgrade.clone()].into_iter().flatten().collect()
}

fn said(notes: &[String]) -> Result<(), Failure> {
    for note in notes {
        // Without a terminal there is nobody to tell.
        let _ = writeln!(io::stderr(), "{}", fincore::printable(note));
    }
    Ok(())
}

impl From<ask::Failure> for Failure {
    fn from(failure: ask::Failure) -> Failure {
        let message = words::of_command_line(&failure.message);
        match failure.kind {
            ask::Kind::Question => Failure::Usage(message),
            // A part of the path is an argument here.
            ask::Kind::NotFound if failure.message.starts_with(NO_SUCH_PATH) => {
                Failure::Usage(message)
            }
            ask::Kind::NotFound | ask::Kind::Later(_) | ask::Kind::Other => Failure::Said(message),
        }
    }
}
