//! Messages for the operator: events of `tracing`, a line each, on the standard error.
//!
//! Commands write plain lines at once. A server writes lines for people or for programs, and never waits for the
//! reader: a thread of its own writes them, and counts the lines that it cannot keep up with.
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

mod format;
mod panic;
mod writer;

pub(crate) use format::Fields;
use format::Line;
pub(crate) use panic::{catch, count as panic_count};
use writer::Writer;

/// How a line is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// For commands: no more than the message.
    Plain,
    /// For people who watch a server.
    Human,
    /// For programs: an object a line.
    Json,
}

/// The settings of the log.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    /// By default for people on a terminal, and for programs elsewhere.
    pub(crate) style: Option<Style>,
    pub(crate) level: Level,
    pub(crate) requests: Requests,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Requests {
    Logged,
    NotLogged,
}

/// The writer of a server's log, once it has one.
static WRITER: OnceLock<Writer> = OnceLock::new();

/// How requests are logged, once that is known; nothing where they are not.
static REQUESTS: OnceLock<Option<Style>> = OnceLock::new();

/// Starts the log of a command.
pub(crate) fn start_for_command() {
    install(Log { style: Style::Plain, level: Level::INFO });
}

/// Starts the log of a server, which lasts until [`finish`].
pub(crate) fn start_for_server(settings: Settings) {
    let usual = if io::stderr().is_terminal() { Style::Human } else { Style::Json };
    let style = settings.style.unwrap_or(usual);
    WRITER.get_or_init(|| Writer::start(io::stderr(), style));
    let is_logged = settings.requests == Requests::Logged && Level::INFO <= settings.level;
    REQUESTS.get_or_init(|| is_logged.then_some(style));
    install(Log { style, level: settings.level });
}

/// Logs a request, where requests are logged. There are so many of them that they are no events of `tracing`, which would
/// take longer than the line itself.
pub(crate) fn request(fields: impl FnOnce(&mut Fields<'_>)) {
    if let Some(Some(style)) = REQUESTS.get() {
        push(|line| line.write_request(*style, fields));
    }
}

/// Writes a line.
fn push(write: impl FnOnce(&mut Line)) {
    LINE.with(|line| {
        // It is borrowed only if writing a line has panicked; that cannot be logged here.
        let Ok(mut line) = line.try_borrow_mut() else { return };
        write(&mut line);
        match WRITER.get() {
            Some(writer) => writer.push(line.bytes()),
            // If the standard error is closed, there is nothing more to do.
            None => drop(io::stderr().write_all(line.bytes())),
        }
    });
}

/// Waits until all lines are written, but not for long: the reader may not read.
pub(crate) fn finish() {
    if let Some(writer) = WRITER.get() {
        writer.finish();
    }
}

/// How many lines were lost because they could not be written fast enough.
pub(crate) fn lost_lines() -> u64 {
    WRITER.get().map_or(0, Writer::lost_lines)
}

fn install(log: Log) {
    // This fails only if the program has started a log before.
    let _ = set_global_default(log);
    panic::log_panics();
}

/// Turns events into lines.
struct Log {
    style: Style,
    level: Level,
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
        // Of other crates, only errors: they report the rest to their callers.
        let ours = metadata.target().starts_with("fin");
        let level = if ours { self.level } else { self.level.min(Level::ERROR) };
        metadata.is_event() && *metadata.level() <= level
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(LevelFilter::from_level(self.level))
    }

    fn event(&self, event: &Event<'_>) {
        push(|line| line.write(self.style, event));
    }

    // Spans are not used: an event carries all its fields.
    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }
    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

/// For how long a cause is not logged again, and how many causes are remembered.
const REPEAT_AFTER: Duration = Duration::from_secs(60);
const REMEMBERED: usize = 32;

/// Whether a cause has not been logged for a minute. A cause that fails one request fails many.
pub(crate) fn is_new(cause: &str) -> bool {
    static LOGGED: Mutex<Vec<(String, Instant)>> = Mutex::new(Vec::new());
    let mut logged = LOGGED.lock().unwrap_or_else(PoisonError::into_inner);
    logged.retain(|(_, at)| at.elapsed() < REPEAT_AFTER);
    let is_new = logged.len() < REMEMBERED && logged.iter().all(|(known, _)| known != cause);
    if is_new {
        logged.push((cause.to_owned(), Instant::now()));
    }
    is_new
}

/// Logs a repeated failure once, not each time, and when it is over.
pub(crate) struct FailureLog {
    what: &'static str,
    is_failing: bool,
}

impl FailureLog {
    pub(crate) fn new(what: &'static str) -> FailureLog {
        FailureLog { what, is_failing: false }
    }

    pub(crate) fn report<T, E: fmt::Display>(&mut self, outcome: &Result<T, E>) {
        match outcome {
            Err(err) if !self.is_failing => tracing::error!("{}: {err}", self.what),
            Ok(_) if self.is_failing => tracing::info!("{}: recovered", self.what),
            Ok(_) | Err(_) => (),
        }
        self.is_failing = outcome.is_err();
    }
}
