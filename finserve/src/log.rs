//! Messages for the operator: events of `tracing`, a line each, on the standard error.
//!
//! Commands write plain lines at once. A server writes lines for people or for programs, and never waits for whoever reads
//! them: a thread of its own writes, and lines that it cannot keep up with are counted instead.
use std::{
    cell::RefCell,
    fmt,
    io::{self, IsTerminal, Write},
    sync::{Mutex, OnceLock, PoisonError},
    time::{Duration, Instant},
};

use tracing::{
    Event, Level, Metadata, Subscriber,
    level_filters::LevelFilter,
    span::{Attributes, Id, Record},
    subscriber::{Interest, set_global_default},
};

mod line;
mod panic;
mod writer;

use line::Line;
pub(crate) use panic::{catch, count as panics};
use writer::Writer;

/// The target of events that are requests.
pub(crate) const REQUESTS: &str = "request";

/// How a line is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// What commands say: no more than the message.
    Plain,
    /// For people who watch a server.
    Human,
    /// For programs: an object a line.
    Json,
}

/// What a server logs, and how.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    /// By default for people on a terminal, and for programs elsewhere.
    pub(crate) style: Option<Style>,
    pub(crate) level: Level,
    pub(crate) requests: Requests,
}

/// Whether requests are logged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Requests {
    Logged,
    NotLogged,
}

/// The writer of a server's log, once it has one.
static WRITER: OnceLock<Writer> = OnceLock::new();

/// Logs what commands say.
pub(crate) fn for_commands() {
    install(Log { style: Style::Plain, level: Level::INFO, requests: Requests::NotLogged });
}

/// Logs what a server does, from now until [`finish`].
pub(crate) fn for_server(settings: Settings) {
    let usual = if io::stderr().is_terminal() { Style::Human } else { Style::Json };
    let style = settings.style.unwrap_or(usual);
    WRITER.get_or_init(|| Writer::start(io::stderr(), style));
    install(Log { style, level: settings.level, requests: settings.requests });
}

/// Waits until what was logged is written, but not for a reader that does not read.
pub(crate) fn finish() {
    if let Some(writer) = WRITER.get() {
        writer.finish();
    }
}

/// How many lines were lost because nobody read them fast enough.
pub(crate) fn lost() -> u64 {
    WRITER.get().map_or(0, Writer::lost)
}

fn install(log: Log) {
    // There is one already only if a program does this twice.
    let _ = set_global_default(log);
    panic::log_panics();
}

/// Turns events into lines.
struct Log {
    style: Style,
    level: Level,
    requests: Requests,
}

thread_local! {
    /// The line that a thread is writing.
    static LINE: RefCell<Line> = RefCell::default();
}

impl Subscriber for Log {
    fn register_callsite(&self, metadata: &'static Metadata<'static>) -> Interest {
        if self.enabled(metadata) { Interest::always() } else { Interest::never() }
    }

    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        let wanted = self.requests == Requests::Logged || metadata.target() != REQUESTS;
        // Of drivers only what they cannot tell us otherwise.
        let ours = metadata.target().starts_with("fin") || metadata.target() == REQUESTS;
        let level = if ours { self.level } else { self.level.min(Level::ERROR) };
        metadata.is_event() && *metadata.level() <= level && wanted
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(LevelFilter::from_level(self.level))
    }

    fn event(&self, event: &Event<'_>) {
        LINE.with(|line| {
            // Borrowed only if writing a line has panicked, which cannot be said then.
            let Ok(mut line) = line.try_borrow_mut() else { return };
            line.write(self.style, event);
            match WRITER.get() {
                Some(writer) => writer.push(line.bytes()),
                // If it is closed there is nothing more to do.
                None => drop(io::stderr().write_all(line.bytes())),
            }
        });
    }

    // There are no spans: a line says all that it is about.
    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }
    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

/// For how long a cause is not logged again, and how many causes are remembered.
const SELDOM: Duration = Duration::from_secs(60);
const REMEMBERED: usize = 32;

/// Whether a cause has not been logged for a minute. What fails one request fails many.
pub(crate) fn is_new(cause: &str) -> bool {
    static LOGGED: Mutex<Vec<(String, Instant)>> = Mutex::new(Vec::new());
    let mut logged = LOGGED.lock().unwrap_or_else(PoisonError::into_inner);
    logged.retain(|(_, at)| at.elapsed() < SELDOM);
    let is_new = logged.len() < REMEMBERED && logged.iter().all(|(known, _)| known != cause);
    if is_new {
        logged.push((cause.to_owned(), Instant::now()));
    }
    is_new
}

/// Logs a problem once, not each time, and when it is over.
pub(crate) struct Trouble {
    what: &'static str,
    lasts: bool,
}

impl Trouble {
    pub(crate) fn new(what: &'static str) -> Trouble {
        Trouble { what, lasts: false }
    }

    pub(crate) fn report<T, E: fmt::Display>(&mut self, outcome: &Result<T, E>) {
        match outcome {
            Err(err) if !self.lasts => tracing::error!("{}: {err}", self.what),
            Ok(_) if self.lasts => tracing::info!("{}: recovered", self.what),
            Ok(_) | Err(_) => (),
        }
        self.lasts = outcome.is_err();
    }
}
