//! How long the peer of a connection may take: to send a request, and to read the answer.
//!
//! Every connection notes by when its peer must have got further, and its worker looks once a second. A timer for each
//! request would cost more than many an answer.
use std::{
    collections::HashMap,
    io,
    pin::Pin,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    task::{Context, Poll},
    time::{Duration, Instant},
};

use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::rt::TokioIo;
use tokio::{net::TcpStream, task::AbortHandle};

/// How long peers may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Timeouts {
    /// To send the head of a request, and to be silent between two.
    pub(crate) head: Duration,
    /// To leave an answer unread.
    pub(crate) write: Duration,
}

/// A time that does not come.
const NEVER: u64 = u64::MAX;

/// What a connection expects of its peer.
#[derive(Debug)]
pub(crate) struct Patience {
    timeouts: Timeouts,
    start: Instant,
    /// By when the peer must have sent a request or read the answer, in milliseconds after the start.
    until: AtomicU64,
    /// By when it must have read a little, if it keeps us waiting.
    unread: AtomicU64,
    /// Whether the next request is what we wait for.
    for_request: AtomicBool,
}

impl Patience {
    pub(crate) fn new(timeouts: Timeouts, now: Instant) -> Patience {
        let patience = Patience {
            timeouts,
            start: now,
            until: AtomicU64::new(NEVER),
            unread: AtomicU64::new(NEVER),
            for_request: AtomicBool::new(false),
        };
        patience.expect_request(now);
        patience
    }

    /// The peer has sent a request: it may wait for the answer as long as that takes.
    pub(crate) fn expect_nothing(&self) {
        self.for_request.store(false, Ordering::Relaxed);
        self.until.store(NEVER, Ordering::Relaxed);
    }

    /// An answer is made while it is sent, and must have been read by then.
    pub(crate) fn expect_read(&self, deadline: Option<Instant>) {
        self.until.store(deadline.map_or(NEVER, |at| self.millis(at)), Ordering::Relaxed);
    }

    /// The whole answer is on its way: the next request should come soon after it has been read.
    pub(crate) fn expect_request(&self, now: Instant) {
        self.for_request.store(true, Ordering::Relaxed);
        let is_read = self.unread.load(Ordering::Relaxed) == NEVER;
        let until = if is_read { self.millis(now + self.timeouts.head) } else { NEVER };
        self.until.store(until, Ordering::Relaxed);
    }

    /// The peer reads nothing for now.
    fn blocked(&self) {
        if self.unread.load(Ordering::Relaxed) == NEVER {
            let until = self.millis(Instant::now() + self.timeouts.write);
            self.unread.store(until, Ordering::Relaxed);
            if self.for_request.load(Ordering::Relaxed) {
                self.until.store(NEVER, Ordering::Relaxed);
            }
        }
    }

    /// The peer has read some.
    fn got_further(&self) {
        if self.unread.load(Ordering::Relaxed) != NEVER {
            self.unread.store(NEVER, Ordering::Relaxed);
            if self.for_request.load(Ordering::Relaxed) {
                self.expect_request(Instant::now());
            }
        }
    }

    fn is_over(&self, now: Instant) -> bool {
        let until = self.until.load(Ordering::Relaxed).min(self.unread.load(Ordering::Relaxed));
        self.millis(now) >= until
    }

    fn millis(&self, at: Instant) -> u64 {
        let passed = at.saturating_duration_since(self.start).as_millis();
        u64::try_from(passed).unwrap_or(NEVER)
    }
}

/// The end of an answer that is made while it is sent, or of its connection.
pub(crate) struct Ending(pub(crate) Arc<Patience>);

impl Drop for Ending {
    fn drop(&mut self) {
        self.0.expect_request(Instant::now());
    }
}

/// What is written at once. Longer answers are written in turns with other connections.
const SHORT: usize = 64 * 1024;
/// How much of a longer answer is written in one turn.
const TURN: usize = 32 * 1024;
/// How many turns it then leaves to others. Where there are no others, they pass at once.
const PAUSE: u32 = 7;

/// A stream that tells whether its peer reads, and writes large answers in turns with other connections.
pub(crate) struct Patient {
    stream: TokioIo<TcpStream>,
    patience: Arc<Patience>,
    /// What it has written in this turn.
    written: usize,
    /// How many turns it has left to others since.
    waited: u32,
}

impl Patient {
    pub(crate) fn new(stream: TcpStream, patience: Arc<Patience>) -> Patient {
        Patient { stream: TokioIo::new(stream), patience, written: 0, waited: 0 }
    }

    /// Writes, if it is its turn.
    fn turn(
        &mut self,
        context: &mut Context<'_>,
        write: impl FnOnce(Pin<&mut TokioIo<TcpStream>>, &mut Context<'_>) -> Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        if self.written >= TURN {
            self.waited += 1;
            if self.waited == PAUSE {
                (self.written, self.waited) = (0, 0);
            }
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        let written = write(Pin::new(&mut self.stream), context);
        match &written {
            Poll::Pending => self.patience.blocked(),
            Poll::Ready(done) => {
                self.patience.got_further();
                self.written += done.as_ref().map_or(0, |length| *length);
            }
        }
        written
    }
}

impl Read for Patient {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl Write for Patient {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        // All at once, it would take as long as its whole length does.
        let most = if bytes.len() <= SHORT { SHORT } else { TURN };
        let bytes = &bytes[..bytes.len().min(most)];
        self.turn(context, |stream, context| stream.poll_write(context, bytes))
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        // All has been written.
        self.written = 0;
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        // Small parts go together, as head and body of a short answer; a large one goes by itself, in turns.
        let short = parts.iter().map(|part| part.len()).sum::<usize>() <= SHORT;
        if short {
            self.turn(context, |stream, context| stream.poll_write_vectored(context, parts))
        } else {
            let first = parts.iter().find(|part| !part.is_empty()).map_or(&[][..], |part| part);
            self.poll_write(context, first)
        }
    }
}

/// The connections of a worker.
#[derive(Default)]
pub(crate) struct Open(Mutex<HashMap<u64, (Arc<Patience>, AbortHandle)>>);

/// A place among the open connections, until it is dropped.
pub(crate) struct Place {
    open: Arc<Open>,
    number: u64,
}

impl Open {
    /// A place for the connection of this number.
    pub(crate) fn place(self: &Arc<Open>, number: u64) -> Place {
        Place { open: self.clone(), number }
    }

    /// Puts a connection into its place.
    pub(crate) fn put(&self, number: u64, patience: Arc<Patience>, task: AbortHandle) {
        self.all().insert(number, (patience, task));
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.all().is_empty()
    }

    /// Ends those whose peers have taken too long.
    pub(crate) fn end_overdue(&self, now: Instant) {
        for (patience, task) in self.all().values() {
            if patience.is_over(now) {
                task.abort();
            }
        }
    }

    fn all(&self) -> std::sync::MutexGuard<'_, HashMap<u64, (Arc<Patience>, AbortHandle)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.open.all().remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIMEOUTS: Timeouts =
        Timeouts { head: Duration::from_secs(15), write: Duration::from_secs(30) };

    #[test]
    fn a_peer_has_its_time_for_what_it_should_do_next() {
        let start = Instant::now();
        let patience = Patience::new(TIMEOUTS, start);
        // Whether its time is over so many seconds after now, which is little later than the start.
        let over = |seconds| patience.is_over(start + Duration::from_secs(seconds));
        assert!(!over(14) && over(15));
        patience.expect_nothing();
        assert!(!over(1000));
        patience.expect_read(Some(start + Duration::from_secs(100)));
        assert!(!over(99) && over(100));
        // It reads nothing, and the answer ends meanwhile: what is left of it has still to be read.
        patience.blocked();
        assert!(!over(29) && over(40));
        patience.expect_request(start);
        assert!(!over(29) && over(40));
        patience.got_further();
        assert!(!over(14) && over(20));
        // It stops again, now before the next request.
        patience.blocked();
        assert!(!over(29) && over(40));
        patience.got_further();
        patience.expect_nothing();
        patience.expect_read(None);
        patience.blocked();
        patience.got_further();
        assert!(!over(1000));
    }
}
