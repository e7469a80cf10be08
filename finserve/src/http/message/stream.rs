//! Bodies that are made while they are sent.
use std::{
    io,
    pin::Pin,
    task::{Context, Poll, ready},
};

use hyper::body::{Body, Bytes, Frame, SizeHint};
use tokio::sync::oneshot;

use super::{encoding::Encoder, refusal::Refusal};
use crate::http::transport::{concurrency_slots::Guard, peer_timeouts::Permit, worker_pool::Lane};

/// About how much is handed on at a time, as it is sent.
const CHUNK: usize = 64 * 1024;

/// Appends the next part of a body; `false` if that was the last. Some parts may be empty.
pub(crate) type Producer = Box<dyn FnMut(&mut Vec<u8>) -> fincore::Result<bool> + Send>;

/// A body that is pulled out of its producer as fast as the peer reads: while it does not, nothing runs.
pub(crate) struct Stream {
    /// The chunk that was made before the head of the response was.
    first: Option<Bytes>,
    rest: Rest,
    /// Where chunks are made: reading rows takes milliseconds, and may wait for the disk.
    lane: Lane,
    /// The name of the content, for the log.
    name: String,
    /// How many bytes are left, where that is known before they are made.
    left: Option<u64>,
    /// Whether the peer may still have it; always if this is missing.
    permit: Option<Permit>,
    _slot: Option<Guard>,
}

enum Rest {
    /// The next chunk is not wanted yet.
    Waiting(Box<Source>),
    /// The next chunk is being made.
    Made(oneshot::Receiver<Next>),
    /// Nothing. What a producer holds, such as a snapshot, has ended with the last chunk.
    Nothing,
}

/// A chunk, if there is one, and what follows it.
type Next = Result<(Option<Bytes>, Option<Box<Source>>), Broken>;

/// A producer, and how its parts are compressed.
struct Source {
    producer: Producer,
    encoder: Encoder,
    part: Vec<u8>,
}

/// Why a body cannot be made any further.
#[derive(Debug, thiserror::Error)]
enum Broken {
    #[error(transparent)]
    Data(#[from] fincore::Error),
    #[error("cannot be compressed: {0}")]
    Encoder(#[from] io::Error),
    #[error("its key was revoked")]
    Revoked,
    #[error("the server stops, or has a bug")]
    Lost,
}

impl Stream {
    /// A stream whose first chunk is made: up to here, a failure is answered like any other.
    ///
    /// A later one is logged with the name and breaks the connection off, so that the body never looks complete. The
    /// slot is free again when the stream is dropped, however it ends.
    pub(crate) fn begin(
        producer: Producer,
        encoding: Option<&'static str>,
        name: String,
        slot: Guard,
        lane: Lane,
    ) -> Result<Stream, Refusal> {
        let failed = |broken| match broken {
            Broken::Data(err) => Refusal::from(err),
            Broken::Encoder(_) | Broken::Revoked | Broken::Lost => {
                Refusal::Internal(format!("{name} {broken}"))
            }
        };
        let encoder = Encoder::new(encoding).map_err(|err| failed(err.into()))?;
        let source = Box::new(Source { producer, encoder, part: Vec::new() });
        let (first, rest) = source.pull().map_err(failed)?;
        let rest = rest.map_or(Rest::Nothing, Rest::Waiting);
        Ok(Stream { first, rest, lane, name, left: None, permit: None, _slot: Some(slot) })
    }

    /// Breaks the stream off once the permit ends.
    pub(crate) fn only_while(self, permit: Permit) -> Stream {
        Stream { permit: Some(permit), ..self }
    }

    /// A stream of so many bytes. None is made before the peer reads, so asking for its head costs nothing.
    pub(crate) fn of_length(length: u64, producer: Producer, name: String, lane: Lane) -> Stream {
        let source = Source { producer, encoder: Encoder::Plain(Vec::new()), part: Vec::new() };
        let (first, rest) = (None, Rest::Waiting(Box::new(source)));
        Stream { first, rest, lane, name, left: Some(length), permit: None, _slot: None }
    }

    /// The next chunk; nothing after the last.
    fn poll_chunk(&mut self, context: &mut Context<'_>) -> Poll<Result<Option<Bytes>, Broken>> {
        if self.permit.as_ref().is_some_and(|permit| !permit.holds()) {
            self.rest = Rest::Nothing;
            return Poll::Ready(Err(Broken::Revoked));
        }
        loop {
            self.rest = match std::mem::replace(&mut self.rest, Rest::Nothing) {
                Rest::Nothing => return Poll::Ready(Ok(None)),
                Rest::Waiting(source) => Rest::Made(self.lane.run(|| source.pull())),
                Rest::Made(mut made) => {
                    let Poll::Ready(next) = Pin::new(&mut made).poll(context) else {
                        self.rest = Rest::Made(made);
                        return Poll::Pending;
                    };
                    let (chunk, rest) = next.unwrap_or(Err(Broken::Lost))?;
                    self.rest = rest.map_or(Rest::Nothing, Rest::Waiting);
                    return Poll::Ready(Ok(chunk));
                }
            };
        }
    }
}

impl Body for Stream {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        if let Some(first) = self.first.take() {
            return Poll::Ready(Some(Ok(Frame::data(first))));
        }
        Poll::Ready(match ready!(self.poll_chunk(context)) {
            Ok(chunk) => chunk.map(|chunk| {
                self.left = self.left.map(|left| left.saturating_sub(chunk.len() as u64));
                Ok(Frame::data(chunk))
            }),
            Err(broken) => {
                tracing::error!("{} broke off: {broken}", self.name);
                Some(Err(io::Error::other(broken)))
            }
        })
    }

    fn is_end_stream(&self) -> bool {
        self.first.is_none() && matches!(self.rest, Rest::Nothing)
    }

    fn size_hint(&self) -> SizeHint {
        self.left.map_or_else(SizeHint::default, SizeHint::with_exact)
    }
}

impl Source {
    /// The next chunk, and what follows it.
    fn pull(mut self: Box<Self>) -> Next {
        let mut more = true;
        while more && self.encoder.ready() < CHUNK {
            self.part.clear();
            more = (self.producer)(&mut self.part)?;
            self.encoder.write(&self.part)?;
        }
        if more {
            return Ok((Some(self.encoder.take().into()), Some(self)));
        }
        let last = self.encoder.finish()?;
        Ok(((!last.is_empty()).then(|| last.into()), None))
    }
}

#[cfg(test)]
mod tests {
    use std::{
        future::poll_fn,
        io::Read,
        sync::{
            Arc, LazyLock,
            atomic::{AtomicBool, Ordering},
        },
    };

    use fincore::{Caller, CallerId, Error};

    use super::*;
    use crate::http::transport::{concurrency_slots::Slots, fair_queue::Share, worker_pool::Pool};

    fn slot(slots: &Slots) -> Guard {
        slots.take(CallerId::address([192, 0, 2, 1].into())).unwrap()
    }

    /// Lines until so many bytes are made, then the end or a failure.
    fn lines(length: usize, fails: Option<&'static str>) -> Producer {
        let mut made = 0;
        Box::new(move |out| {
            if let (true, Some(why)) = (made >= length, fails) {
                return Err(Error::operation(why));
            }
            out.extend_from_slice(format!("{{\"at\":{made}}}\n").as_bytes());
            made += out.len();
            Ok(made < length || fails.is_some())
        })
    }

    static LANE: LazyLock<Lane> = LazyLock::new(|| {
        let address = [192, 0, 2, 1].into();
        let share = Share::of(Caller::at(address), CallerId::address(address));
        Lane::new(&Arc::new(Pool::start()), share)
    });

    fn next(stream: &mut Stream) -> Option<io::Result<Bytes>> {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let frame = poll_fn(|context| Pin::new(&mut *stream).poll_frame(context));
        runtime.block_on(frame).map(|frame| frame.map(|data| data.into_data().unwrap()))
    }

    fn all(mut stream: Stream) -> Vec<u8> {
        let mut bytes = Vec::new();
        while let Some(chunk) = next(&mut stream) {
            let chunk = chunk.unwrap();
            assert!(!chunk.is_empty() && chunk.len() < 2 * CHUNK, "{}", chunk.len());
            bytes.extend_from_slice(&chunk);
        }
        assert!(stream.is_end_stream());
        bytes
    }

    fn begin(producer: Producer, encoding: Option<&'static str>, slots: &Slots) -> Stream {
        Stream::begin(producer, encoding, "lines".into(), slot(slots), LANE.clone()).ok().unwrap()
    }

    #[test]
    fn every_encoding_holds_the_same_bytes() {
        let slots = Slots::new(1, 1);
        for length in [1, 1_000_000] {
            let plain = all(begin(lines(length, None), None, &slots));
            assert!(plain.len() >= length);
            let zstd = all(begin(lines(length, None), Some("zstd"), &slots));
            assert_eq!(zstd::stream::decode_all(&zstd[..]).unwrap(), plain);
            let gzip = all(begin(lines(length, None), Some("gzip"), &slots));
            let mut decoded = Vec::new();
            flate2::read::GzDecoder::new(&gzip[..]).read_to_end(&mut decoded).unwrap();
            assert_eq!(decoded, plain);
        }
    }

    #[test]
    fn nothing_at_all_is_an_empty_body() {
        let stream = begin(Box::new(|_| Ok(false)), None, &Slots::new(1, 1));
        assert!(stream.is_end_stream());
        assert!(all(stream).is_empty());
    }

    #[test]
    fn it_breaks_off_once_it_is_not_allowed_any_more() {
        let slots = Slots::new(1, 1);
        let is_valid = Arc::new(AtomicBool::new(true));
        let still = is_valid.clone();
        let stream = begin(lines(100 * CHUNK, None), None, &slots);
        let permit = Permit::new(move || still.load(Ordering::Relaxed));
        let mut stream = stream.only_while(permit);
        for _ in 0..3 {
            assert!(next(&mut stream).unwrap().is_ok());
        }
        is_valid.store(false, Ordering::Relaxed);
        let failure = next(&mut stream).unwrap().unwrap_err();
        assert_eq!(failure.to_string(), "its key was revoked");
    }

    #[test]
    fn a_failure_at_the_start_is_answered() {
        let slots = Slots::new(1, 1);
        let lane = LANE.clone();
        let begun = Stream::begin(lines(0, Some("no")), None, "lines".into(), slot(&slots), lane);
        assert!(matches!(begun, Err(Refusal::BadRequest(wrong)) if wrong.to_string() == "no"));
        drop(slot(&slots));
    }

    #[test]
    fn a_failure_later_breaks_off() {
        let slots = Slots::new(1, 1);
        let mut stream = begin(lines(3 * CHUNK, Some("damaged")), None, &slots);
        let failure = loop {
            match next(&mut stream).expect("it must not end before it fails") {
                Ok(_) => (),
                Err(failure) => break failure,
            }
        };
        assert_eq!(failure.to_string(), "damaged");
        assert!(slots.take(CallerId::address([192, 0, 2, 1].into())).is_err());
        drop(stream);
        drop(slot(&slots));
    }
}
