//! A reply that is kept for all who ask the same.
use std::borrow::Cow;

use hyper::header::{HeaderMap, HeaderValue};

use super::{Body, Caching, Held, Reply, confirms};
use crate::http::message::{
    encoding::{Encoded, Encodings},
    etags::content_tag,
};

/// A reply that is kept for others who ask the same, with what it was compressed to so far.
pub(crate) struct KeptReply {
    media: &'static str,
    policy: Option<Cow<'static, str>>,
    vary: &'static str,
    tag: HeaderValue,
    body: Encodings,
}

impl KeptReply {
    /// The reply to a request: compressed, or left out where the client has it.
    pub(crate) fn reply(&self, request: &HeaderMap) -> Reply {
        let caching = Caching::Confirmed(self.vary, self.tag.clone());
        if confirms(request, &self.tag) {
            return Reply::not_modified(caching);
        }
        let Encoded { encoding, bytes } = self.body.preferred(request);
        let policy = self.policy.clone();
        Reply::ok(Body { media: self.media, held: Held::Plain(bytes), encoding, policy }, caching)
    }

    /// How many bytes it takes, also once it is compressed.
    pub(crate) fn weight(&self) -> usize {
        2 * self.body.plain().len()
    }
}

impl Reply {
    /// The reply to be kept, if it is a whole one that may be kept until it is asked for again.
    pub(crate) fn into_kept(self) -> Result<KeptReply, Box<Reply>> {
        let is_plain = self.is_plain();
        match (self.body, self.caching) {
            (
                Body { media, held: Held::Plain(bytes), encoding: None, policy },
                Caching::Refetched(vary),
            ) if is_plain => {
                let (tag, body) = (content_tag(&bytes), Encodings::of(bytes));
                Ok(KeptReply { media, policy, vary, tag, body })
            }
            (body, caching) => Err(Box::new(Reply { body, caching, ..self })),
        }
    }
}
