//! What is sent: a body that is whole, or a stream.
use std::{
    io,
    pin::Pin,
    task::{Context, Poll},
};

use http_body_util::{BodyExt, Full, combinators::UnsyncBoxBody};
use hyper::body::{Body, Bytes, Frame, SizeHint};

use super::patience::Ending;

/// The body of a response. One that is whole needs no box.
pub(crate) enum Payload {
    Whole(Full<Bytes>),
    Stream(UnsyncBoxBody<Bytes, io::Error>, Option<Ending>),
}

impl Payload {
    pub(crate) fn whole(bytes: Bytes) -> Payload {
        Payload::Whole(Full::new(bytes))
    }

    pub(crate) fn stream(
        body: impl Body<Data = Bytes, Error = io::Error> + Send + 'static,
    ) -> Payload {
        Payload::Stream(body.boxed_unsync(), None)
    }

    pub(crate) fn is_whole(&self) -> bool {
        matches!(self, Payload::Whole(_))
    }

    /// Drops this where a stream ends.
    pub(crate) fn tell_end(&mut self, ending: Ending) {
        if let Payload::Stream(_, told) = self {
            *told = Some(ending);
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
            Payload::Whole(body) => {
                Pin::new(body).poll_frame(context).map_err(|never| match never {})
            }
            Payload::Stream(body, _) => Pin::new(body).poll_frame(context),
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Payload::Whole(body) => body.is_end_stream(),
            Payload::Stream(body, _) => body.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Payload::Whole(body) => body.size_hint(),
            Payload::Stream(body, _) => body.size_hint(),
        }
    }
}
