//! Writes lines on a thread of its own, so that no request waits for the reader of the log.
use std::{
    io::Write,
    mem,
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::Duration,
};

use super::Style;

/// The most bytes that wait to be written. Further lines are lost, and counted.
const MOST_WAITING: usize = 1024 * 1024;
/// How long lines are collected: waking a thread for every line would take longer than most requests.
const PAUSE: Duration = Duration::from_millis(50);
/// How long the end of the program waits for the last lines to be written.
const FINISH_TIMEOUT: Duration = Duration::from_secs(1);

/// The lines that wait to be written, and the thread that writes them.
pub(super) struct Writer(Arc<Shared>);

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    /// How many lines were lost.
    lost: AtomicU64,
}

#[derive(Default)]
struct State {
    waiting: Vec<u8>,
    /// How many lines were lost that the log does not mention yet.
    lost: u64,
    writing: bool,
    ending: bool,
}

impl Writer {
    /// Starts the thread that writes to `out`.
    pub(super) fn start(out: impl Write + Send + 'static, style: Style) -> Writer {
        let shared = Arc::new(Shared::default());
        let writer = Writer(shared.clone());
        thread::spawn(move || write(&shared, out, style));
        writer
    }

    /// Adds a line, which is written soon; counts it as lost if there is no room.
    pub(super) fn push(&self, line: &[u8]) {
        let mut state = self.0.lock();
        if state.waiting.len() + line.len() > MOST_WAITING {
            state.lost += 1;
            self.0.lost.fetch_add(1, Ordering::Relaxed);
            return;
        }
        let first = state.waiting.is_empty();
        state.waiting.extend_from_slice(line);
        drop(state);
        if first {
            self.0.changed.notify_all();
        }
    }

    pub(super) fn lost_lines(&self) -> u64 {
        self.0.lost.load(Ordering::Relaxed)
    }

    /// Waits until all lines are written, but not for long.
    pub(super) fn finish(&self) {
        let mut state = self.0.lock();
        state.ending = true;
        self.0.changed.notify_all();
        let unwritten = |state: &mut State| !state.waiting.is_empty() || state.writing;
        // A reader that does not read was given enough time; a poisoned lock does not matter here.
        let _ = self.0.changed.wait_timeout_while(state, FINISH_TIMEOUT, unwritten);
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Writes lines for as long as the program runs.
fn write(shared: &Shared, mut out: impl Write, style: Style) {
    let mut lines = Vec::new();
    loop {
        let mut state = shared.lock();
        while state.waiting.is_empty() {
            state.writing = false;
            shared.changed.notify_all();
            state = shared.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        let collected = shared.changed.wait_timeout_while(state, PAUSE, |state| !state.ending);
        let mut state = collected.unwrap_or_else(PoisonError::into_inner).0;
        lines.clear();
        mem::swap(&mut lines, &mut state.waiting);
        let lost = mem::take(&mut state.lost);
        state.writing = true;
        drop(state);
        if lost > 0 {
            let message =
                format!("{lost} lines of the log were lost: they could not be written fast enough");
            let line = match style {
                Style::Plain | Style::Human => format!("{message}\n"),
                Style::Json => format!("{{\"level\":\"warn\",\"message\":\"{message}\"}}\n"),
            };
            lines.extend_from_slice(line.as_bytes());
        }
        // If the standard error is closed, there is nothing more to do.
        let _ = out.write_all(&lines);
    }
}

#[cfg(test)]
mod tests {
    use std::{
        io::{self, Read},
        sync::mpsc,
    };

    use super::*;

    /// Writes once it is allowed to.
    struct Blocked {
        go: mpsc::Receiver<()>,
        written: Arc<Mutex<Vec<u8>>>,
    }

    impl Write for Blocked {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            // Once the sender is dropped, writing is allowed.
            let _ = self.go.recv();
            self.written.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn pushing_never_waits_and_every_line_is_written_or_counted() {
        let (allow, go) = mpsc::channel();
        let written = Arc::new(Mutex::new(Vec::new()));
        let writer = Writer::start(Blocked { go, written: written.clone() }, Style::Human);
        let line = [b'x'; 999];
        let lines = 3 * MOST_WAITING / 1000;
        for _ in 0..lines {
            writer.push(&[&line[..], b"\n"].concat());
        }
        assert!(writer.lost_lines() > 0);
        drop(allow);
        writer.finish();
        let written = written.lock().unwrap().clone();
        let mut text = String::new();
        (&written[..]).read_to_string(&mut text).unwrap();
        let whole = text.lines().filter(|text| text.as_bytes() == line).count();
        assert_eq!(whole as u64 + writer.lost_lines(), lines as u64);
        assert!(
            text.contains(&format!("{} lines of the log were lost", writer.lost_lines())),
            "{whole}"
        );
    }
}
