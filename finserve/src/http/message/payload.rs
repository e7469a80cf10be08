//! The body of a response: whole, or a stream.
use std::{
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use http_body_util::{BodyExt, combinators::UnsyncBoxBody};
use hyper::body::{Body, Bytes, Frame, SizeHint};

use crate::{
    http::transport::{concurrency_slots::Guard, peer_timeouts::Ending},
    observe::{
        access_record::{AccessRecord, OpenRecord},
        metrics::Metrics,
    },
};

/// A stream holds about this much until it is read.
const STREAM: usize = 64 * 1024;

/// Whole bodies up to this length are not counted among what is not read yet: the kernel takes them at once.
const SHORT: usize = 16 * 1024;

/// The body of a response. One that is whole needs no box.
pub(crate) enum Payload {
    Whole(Bytes),
    Stream(Box<Streamed>),
}

/// A body that is made while it is sent, and the callback for its end.
pub(crate) struct Streamed {
    body: UnsyncBoxBody<Bytes, io::Error>,
    record: Option<OpenRecord>,
    ending: Option<Ending>,
    held: Option<Guard>,
}

/// A body that is counted among what is not read yet.
struct Unread {
    bytes: Bytes,
    _held: Guard,
}

impl AsRef<[u8]> for Unread {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Payload {
    pub(crate) fn whole(bytes: Bytes) -> Payload {
        Payload::Whole(bytes)
    }

    pub(crate) fn stream(
        body: impl Body<Data = Bytes, Error = io::Error> + Send + 'static,
    ) -> Payload {
        let body = body.boxed_unsync();
        Payload::Stream(Box::new(Streamed { body, record: None, ending: None, held: None }))
    }

    pub(crate) fn is_whole(&self) -> bool {
        matches!(self, Payload::Whole(_))
    }

    /// The body, if it is whole.
    pub(crate) fn into_whole(self) -> Option<Bytes> {
        match self {
            Payload::Whole(bytes) => Some(bytes),
            Payload::Stream(_) => None,
        }
    }

    /// How much memory this takes until it is read; nothing if that is not worth counting.
    pub(crate) fn weight(&self) -> Option<usize> {
        match self {
            Payload::Whole(bytes) => Some(bytes.len()).filter(|length| *length > SHORT),
            Payload::Stream(_) => Some(STREAM),
        }
    }

    /// Holds the guard until the body has been read.
    pub(crate) fn holding(self, guard: Guard) -> Payload {
        match self {
            Payload::Whole(bytes) => {
                Payload::Whole(Bytes::from_owner(Unread { bytes, _held: guard }))
            }
            Payload::Stream(mut stream) => {
                stream.held = Some(guard);
                Payload::Stream(stream)
            }
        }
    }

    /// Writes the access record of this response: now if it is whole, otherwise where its stream ends.
    pub(crate) fn write_record(&mut self, record: AccessRecord, metrics: &Arc<Metrics>) {
        match self {
            Payload::Whole(bytes) => record.write(metrics, bytes.len() as u64),
            Payload::Stream(stream) => {
                stream.record = Some(OpenRecord::new(record, metrics.clone()));
            }
        }
    }

    /// Drops this where a stream ends.
    pub(crate) fn tell_end(&mut self, told: Ending) {
        if let Payload::Stream(stream) = self {
            stream.ending = Some(told);
        }
    }
}

impl Body for Payload {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        match self.get_mut() {
            Payload::Whole(bytes) => {
                let bytes = std::mem::take(bytes);
                Poll::Ready((!bytes.is_empty()).then(|| Ok(Frame::data(bytes))))
            }
            Payload::Stream(stream) => {
                let frame = Pin::new(&mut stream.body).poll_frame(context);
                if let (Poll::Ready(Some(Ok(frame))), Some(record)) = (&frame, &mut stream.record) {
                    record.add_sent(frame.data_ref().map_or(0, Bytes::len));
                }
                frame
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Payload::Whole(bytes) => bytes.is_empty(),
            Payload::Stream(stream) => stream.body.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Payload::Whole(bytes) => SizeHint::with_exact(bytes.len() as u64),
            Payload::Stream(stream) => stream.body.size_hint(),
        }
    }
}
