//! How long the peer of a connection may take: to send a request, and to read the answer.
//!
//! Every connection notes by when its peer must have got further, and the server checks once a second. A timer for each
//! request would cost more than many an answer.
//!
//! A peer that does not read uses up a stock of patience, which what it reads fills up again: so it may stop now and then,
//! but not read slowly for ever.
use std::{
    fmt, io,
    pin::Pin,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    task::{Context, Poll},
    time::{Duration, Instant},
};

use hyper::rt::{Read, ReadBufCursor, Write};

/// How long peers may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Timeouts {
    /// To send the head of a request, and to be silent between two.
    pub(crate) head: Duration,
    /// To leave an answer unread.
    pub(crate) write: Duration,
    /// How many bytes of an answer a peer must read in a second, over some time.
    pub(crate) rate: u64,
}

/// Whether a peer may still have an answer that is made while it is sent, such as that its key is still valid.
#[derive(Clone)]
pub(crate) struct Permit(Arc<dyn Fn() -> bool + Send + Sync>);

impl Permit {
    pub(crate) fn new(holds: impl Fn() -> bool + Send + Sync + 'static) -> Permit {
        Permit(Arc::new(holds))
    }

    pub(crate) fn holds(&self) -> bool {
        (self.0)()
    }
}

impl fmt::Debug for Permit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Permit")
    }
}

/// A time that does not come.
const NEVER: u64 = u64::MAX;

/// The deadlines for the peer of a connection.
#[derive(Debug)]
pub(crate) struct PeerDeadline {
    timeouts: Timeouts,
    start: Instant,
    /// By when the peer must have sent a request or read the answer, in milliseconds after the start.
    until: AtomicU64,
    /// By when it must have read a little, if it keeps us waiting.
    unread: AtomicU64,
    /// For how many milliseconds it may keep us waiting the next time.
    stock: AtomicU64,
    for_request: AtomicBool,
    /// The permit that can end the response.
    permit: Mutex<Option<Permit>>,
}

impl PeerDeadline {
    pub(crate) fn new(timeouts: Timeouts, now: Instant) -> PeerDeadline {
        let patience = PeerDeadline {
            timeouts,
            start: now,
            until: AtomicU64::new(NEVER),
            unread: AtomicU64::new(NEVER),
            stock: AtomicU64::new(whole(timeouts.write)),
            for_request: AtomicBool::new(false),
            permit: Mutex::new(None),
        };
        patience.expect_request(now);
        patience
    }

    /// The peer has sent a request: it may wait for the answer as long as that takes.
    pub(crate) fn expect_nothing(&self) {
        self.for_request.store(false, Ordering::Relaxed);
        self.until.store(NEVER, Ordering::Relaxed);
    }

    /// An answer is made while it is sent, and must have been read by then, and while the permit holds.
    pub(crate) fn expect_read(&self, deadline: Option<Instant>, permit: Option<Permit>) {
        *self.permit() = permit;
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
    fn blocked(&self, now: Instant) {
        if self.unread.load(Ordering::Relaxed) == NEVER {
            let until = self.millis(now) + self.stock.load(Ordering::Relaxed);
            self.unread.store(until, Ordering::Relaxed);
            if self.for_request.load(Ordering::Relaxed) {
                self.until.store(NEVER, Ordering::Relaxed);
            }
        }
    }

    /// Others have their turn: the next request cannot come before the rest of this answer.
    fn paused(&self) {
        if self.for_request.load(Ordering::Relaxed) {
            self.until.store(NEVER, Ordering::Relaxed);
        }
    }

    /// All that was written has been sent.
    fn flushed(&self, now: impl FnOnce() -> Instant) {
        if self.unread.load(Ordering::Relaxed) != NEVER {
            self.got_further(0, now);
        } else if self.for_request.load(Ordering::Relaxed)
            && self.until.load(Ordering::Relaxed) == NEVER
        {
            self.expect_request(now());
        }
    }

    /// The peer has read so many bytes.
    fn got_further(&self, bytes: usize, now: impl FnOnce() -> Instant) {
        let (until, full) = (self.unread.load(Ordering::Relaxed), whole(self.timeouts.write));
        let stock = self.stock.load(Ordering::Relaxed);
        if until == NEVER && stock == full {
            return;
        }
        let earned = bytes as u64 * 1000 / self.timeouts.rate;
        if until == NEVER {
            self.stock.store((stock + earned).min(full), Ordering::Relaxed);
            return;
        }
        let now = now();
        let left = until.saturating_sub(self.millis(now));
        self.stock.store((left + earned).min(full), Ordering::Relaxed);
        self.unread.store(NEVER, Ordering::Relaxed);
        if self.for_request.load(Ordering::Relaxed) {
            self.expect_request(now);
        }
    }

    /// When it will have waited too long for a request, if that is what it waits for.
    pub(crate) fn waits_until(&self) -> Option<Instant> {
        let until = self.until.load(Ordering::Relaxed);
        let waits = self.for_request.load(Ordering::Relaxed) && until != NEVER;
        waits.then(|| self.start + Duration::from_millis(until))
    }

    pub(crate) fn is_over(&self, now: Instant) -> bool {
        let until = self.until.load(Ordering::Relaxed).min(self.unread.load(Ordering::Relaxed));
        // The lock is not held while the permit is asked.
        let permit = self.permit().clone();
        self.millis(now) >= until || permit.is_some_and(|permit| !permit.holds())
    }

    /// Nothing can panic while it holds this lock, so the permit in a poisoned one is right.
    fn permit(&self) -> MutexGuard<'_, Option<Permit>> {
        self.permit.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn millis(&self, at: Instant) -> u64 {
        let passed = at.saturating_duration_since(self.start).as_millis();
        u64::try_from(passed).unwrap_or(NEVER)
    }
}

fn whole(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(NEVER)
}

/// The end of an answer that is made while it is sent, or of its connection.
pub(crate) struct Ending(pub(crate) Arc<PeerDeadline>);

impl Drop for Ending {
    fn drop(&mut self) {
        *self.0.permit() = None;
        self.0.expect_request(Instant::now());
    }
}

/// Bytes that are written at once. Longer answers are written in turns with other connections.
const SHORT: usize = 64 * 1024;
/// How much of a longer answer is written in one turn.
const TURN: usize = 32 * 1024;
/// How many turns it then leaves to others. Where there are no others, they pass at once.
const PAUSE: u32 = 7;

/// A stream that tells whether its peer reads, and writes large answers in turns with other connections.
pub(crate) struct TimedStream<S> {
    stream: S,
    patience: Arc<PeerDeadline>,
    /// Bytes written in this turn.
    written: usize,
    /// How many turns it has left to others since.
    waited: u32,
}

impl<S: Write + Unpin> TimedStream<S> {
    pub(crate) fn new(stream: S, patience: Arc<PeerDeadline>) -> TimedStream<S> {
        TimedStream { stream, patience, written: 0, waited: 0 }
    }

    /// Writes, if it is its turn.
    fn turn(
        &mut self,
        context: &mut Context<'_>,
        write: impl FnOnce(Pin<&mut S>, &mut Context<'_>) -> Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        if self.written >= TURN {
            self.waited += 1;
            if self.waited == PAUSE {
                (self.written, self.waited) = (0, 0);
            }
            self.patience.paused();
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        let written = write(Pin::new(&mut self.stream), context);
        match &written {
            Poll::Pending => self.patience.blocked(Instant::now()),
            Poll::Ready(done) => {
                let length = done.as_ref().map_or(0, |length| *length);
                self.patience.got_further(length, Instant::now);
                self.written += length;
            }
        }
        written
    }
}

impl<S: Read + Unpin> Read for TimedStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: Write + Unpin> Write for TimedStream<S> {
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
        // All has been written; what encrypts may still hold some of it.
        self.written = 0;
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        match flushed {
            Poll::Pending => self.patience.blocked(Instant::now()),
            Poll::Ready(_) => self.patience.flushed(Instant::now),
        }
        flushed
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

#[cfg(test)]
mod tests {
    use super::*;

    const TIMEOUTS: Timeouts =
        Timeouts { head: Duration::from_secs(15), write: Duration::from_secs(30), rate: 4096 };

    #[test]
    fn a_peer_reads_only_while_it_may() {
        let (start, is_valid) = (Instant::now(), Arc::new(AtomicBool::new(true)));
        let patience = Arc::new(PeerDeadline::new(TIMEOUTS, start));
        let still = is_valid.clone();
        let permit = Permit::new(move || still.load(Ordering::Relaxed));
        patience.expect_read(None, Some(permit));
        assert!(!patience.is_over(start));
        is_valid.store(false, Ordering::Relaxed);
        assert!(patience.is_over(start), "even if it reads nothing");
        drop(Ending(patience.clone()));
        assert!(!patience.is_over(start), "the next answer is another one");
    }

    #[test]
    fn a_peer_has_its_time_for_what_it_should_do_next() {
        let start = Instant::now();
        let patience = PeerDeadline::new(TIMEOUTS, start);
        // Whether its time is over so many seconds after the start.
        let over = |seconds| patience.is_over(start + Duration::from_secs(seconds));
        let read = |bytes| patience.got_further(bytes, || start);
        assert!(!over(14) && over(15));
        patience.expect_nothing();
        assert!(!over(1000));
        patience.expect_read(Some(start + Duration::from_secs(100)), None);
        assert!(!over(99) && over(100));
        // It reads nothing, and the answer ends meanwhile: what is left of it has still to be read.
        patience.blocked(start);
        assert!(!over(29) && over(30));
        patience.expect_request(start);
        assert!(!over(29) && over(30) && patience.waits_until().is_none());
        read(1);
        assert!(!over(14) && over(15) && patience.waits_until().is_some());
        // It stops again, now before the next request.
        patience.blocked(start);
        assert!(!over(29) && over(30));
        read(1);
        patience.expect_nothing();
        patience.expect_read(None, None);
        patience.blocked(start);
        read(1);
        assert!(!over(1000));
    }

    #[test]
    fn nobody_is_expected_to_ask_before_the_answer_is_sent() {
        let start = Instant::now();
        let patience = PeerDeadline::new(TIMEOUTS, start);
        let over = |seconds| patience.is_over(start + Duration::from_secs(seconds));
        patience.expect_nothing();
        patience.expect_request(start);
        // In turns with others.
        patience.paused();
        assert!(!over(1000) && patience.waits_until().is_none());
        patience.flushed(|| start);
        assert!(!over(14) && over(15) && patience.waits_until().is_some());
        // The peer leaves unread what has been encrypted.
        patience.blocked(start);
        assert!(!over(29) && over(30) && patience.waits_until().is_none());
        patience.flushed(|| start + Duration::from_secs(20));
        assert!(!over(34) && over(35) && patience.waits_until().is_some());
    }

    /// How many seconds a peer is waited for that reads so many bytes a second, for at most an hour.
    fn served(rate: usize) -> u64 {
        let start = Instant::now();
        let patience = PeerDeadline::new(TIMEOUTS, start);
        patience.expect_nothing();
        for second in 0..3600 {
            let now = start + Duration::from_secs(second);
            patience.blocked(now);
            let next = now + Duration::from_secs(1);
            if patience.is_over(next) {
                return second + 1;
            }
            patience.got_further(rate, || next);
        }
        3600
    }

    #[test]
    fn a_peer_may_not_read_slowly_for_ever() {
        assert_eq!([0, 2048, 3584].map(served), [30, 59, 233]);
        assert_eq!([4096, 8192, 1_000_000].map(served), [3600; 3]);
    }
}
