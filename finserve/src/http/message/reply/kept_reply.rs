//! A reply that is kept for all who ask the same, whatever they call the service.
use std::{borrow::Cow, sync::OnceLock};

use flate2::{Compress, Compression, Crc, FlushCompress};
use hyper::{
    body::Bytes,
    header::{HeaderMap, HeaderValue},
};

use super::{Body, Caching, Held, Reply, confirms};
use crate::http::message::{
    encoding::{self, Encoded, Encodings},
    etags::content_tag,
};

/// Stands in a kept reply for the address of the service that its client uses.
pub(crate) const ORIGIN_MARK: &str = "https://address-of-the-service.invalid";

/// A reply that is kept for others who ask the same, with what it was compressed to so far.
pub(crate) struct KeptReply {
    media: &'static str,
    policy: Option<Cow<'static, str>>,
    vary: &'static str,
    tag: HeaderValue,
    body: KeptBody,
}

enum KeptBody {
    Whole(Encodings),
    Gapped(Gapped),
}

impl KeptReply {
    /// The reply to a request of a client that calls the service by `origin`: compressed, or left out where the client has it.
    pub(crate) fn reply(&self, request: &HeaderMap, origin: &str) -> Reply {
        let caching = Caching::Confirmed(self.vary, self.tag.clone());
        if confirms(request, &self.tag) {
            return Reply::not_modified(caching);
        }
        let Encoded { encoding, bytes } = match &self.body {
            KeptBody::Whole(body) => body.preferred(request),
            KeptBody::Gapped(body) => body.filled(request, origin),
        };
        let policy = self.policy.clone();
        Reply::ok(Body { media: self.media, held: Held::Plain(bytes), encoding, policy }, caching)
    }

    /// Whether it is sent within microseconds, and so by any thread.
    pub(crate) fn is_sent_at_once(&self) -> bool {
        match &self.body {
            KeptBody::Whole(_) => true,
            KeptBody::Gapped(body) => body.parts.len() <= FEW_PARTS,
        }
    }

    /// How many bytes it takes, also once it is compressed.
    pub(crate) fn weight(&self) -> usize {
        2 * match &self.body {
            KeptBody::Whole(body) => body.plain().len(),
            KeptBody::Gapped(body) => body.length(),
        }
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
                let tag = content_tag(&bytes);
                let body = match Gapped::of(&bytes) {
                    Some(gapped) => KeptBody::Gapped(gapped),
                    None => KeptBody::Whole(Encodings::of(bytes)),
                };
                Ok(KeptReply { media, policy, vary, tag, body })
            }
            (body, caching) => Err(Box::new(Reply { body, caching, ..self })),
        }
    }
}

/// A body with gaps, in which the address of the service is put when it is sent. What lies between them is compressed only
/// once: each part so that nothing in it refers to another, because the distance between them is not known before.
struct Gapped {
    parts: Vec<Bytes>,
    deflated: OnceLock<Vec<Vec<u8>>>,
}

/// Up to so many parts are compressed one by one. A sitemap has thousands, which would hardly become shorter.
const FEW_PARTS: usize = 64;

/// The head of a file of gzip: no name, no time, an unknown system.
const GZIP_HEAD: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff];

/// The last block of a file of gzip, which is empty.
const LAST_BLOCK: [u8; 5] = [1, 0, 0, 0xff, 0xff];

impl Gapped {
    /// The body, if it has gaps.
    fn of(body: &Bytes) -> Option<Gapped> {
        let mut parts = Vec::new();
        let mut rest = 0;
        for (at, _) in str::from_utf8(body).ok()?.match_indices(ORIGIN_MARK) {
            parts.push(body.slice(rest..at));
            rest = at + ORIGIN_MARK.len();
        }
        parts.push(body.slice(rest..));
        (parts.len() > 1).then(|| Gapped { parts, deflated: OnceLock::new() })
    }

    fn length(&self) -> usize {
        self.parts.iter().map(|part| part.len() + ORIGIN_MARK.len()).sum()
    }

    fn filled(&self, request: &HeaderMap, origin: &str) -> Encoded {
        let is_short = u16::try_from(origin.len()).is_ok();
        // The other encoding cannot be put together from parts.
        if self.parts.len() <= FEW_PARTS && is_short && encoding::accepts_gzip(request) {
            return Encoded { encoding: Some("gzip"), bytes: self.gzip(origin).into() };
        }
        let mut filled = Vec::with_capacity(self.length() + self.parts.len() * origin.len());
        for (at, part) in self.parts.iter().enumerate() {
            if at > 0 {
                filled.extend_from_slice(origin.as_bytes());
            }
            filled.extend_from_slice(part);
        }
        let filled = Bytes::from(filled);
        if self.parts.len() > FEW_PARTS {
            return encoding::encode(filled, request);
        }
        Encoded { encoding: None, bytes: filled }
    }

    /// The filled body as a file of gzip: the parts as they were compressed, and between them the address as it is.
    fn gzip(&self, origin: &str) -> Vec<u8> {
        let deflated = self.deflated.get_or_init(|| self.parts.iter().map(deflate).collect());
        let length = u16::try_from(origin.len()).unwrap_or_default();
        let mut stored = vec![0];
        stored.extend(length.to_le_bytes());
        stored.extend((!length).to_le_bytes());
        stored.extend(origin.as_bytes());

        let size: usize = deflated.iter().map(|part| part.len() + stored.len()).sum();
        let mut file = Vec::with_capacity(size + 32);
        let mut sum = Crc::new();
        file.extend_from_slice(&GZIP_HEAD);
        for (at, (part, plain)) in deflated.iter().zip(&self.parts).enumerate() {
            if at > 0 {
                file.extend_from_slice(&stored);
                sum.update(origin.as_bytes());
            }
            file.extend_from_slice(part);
            sum.update(plain);
        }
        file.extend_from_slice(&LAST_BLOCK);
        file.extend(sum.sum().to_le_bytes());
        file.extend(sum.amount().to_le_bytes());
        file
    }
}

/// A part in blocks that end with a byte, none of them the last.
fn deflate(part: &Bytes) -> Vec<u8> {
    let mut deflater = Compress::new(Compression::default(), false);
    let mut blocks = Vec::with_capacity(part.len() / 2 + 64);
    loop {
        let read = usize::try_from(deflater.total_in()).unwrap_or(part.len());
        let before = blocks.len();
        // It fails only where a call would do nothing.
        let done = deflater.compress_vec(&part[read..], &mut blocks, FlushCompress::Sync);
        if done.is_err() || blocks.len() < blocks.capacity() || blocks.len() == before {
            return blocks;
        }
        blocks.reserve(part.len() / 2 + 64);
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use flate2::read::GzDecoder;
    use hyper::header::ACCEPT_ENCODING;

    use super::*;

    fn kept(body: String) -> KeptReply {
        let reply = Reply::ok(Body::new("text/plain", body), Caching::Refetched("Host"));
        reply.into_kept().ok().unwrap()
    }

    fn sent(kept: &KeptReply, accepted: &'static str, origin: &str) -> (bool, Vec<u8>) {
        let accepted = HeaderValue::from_static(accepted);
        let reply = kept.reply(&HeaderMap::from_iter([(ACCEPT_ENCODING, accepted)]), origin);
        let Body { held: Held::Plain(bytes), encoding, .. } = reply.body else {
            panic!("it is not whole")
        };
        (encoding == Some("gzip"), bytes.to_vec())
    }

    #[test]
    fn the_address_is_put_in_when_it_is_sent() {
        let noise: String = (0..60_000_u32)
            .map(|at| {
                char::from(b' ' + u8::try_from(at.wrapping_mul(2_654_435_761) >> 25).unwrap() % 90)
            })
            .collect();
        for (before, between, after) in [
            ("", "", ""),
            ("<a href=\"", "/b\">", "/c"),
            (&*"x".repeat(100_000), &*noise, &*"ção ".repeat(3000)),
        ] {
            let text = |origin: &str| [before, origin, between, origin, after].concat();
            let kept = kept(text(ORIGIN_MARK));
            for origin in ["http://localhost:8080", "https://a.example", &"h".repeat(300)] {
                let wanted = text(origin);
                assert_eq!(sent(&kept, "identity", origin), (false, wanted.clone().into_bytes()));
                let (is_gzip, file) = sent(&kept, "zstd, gzip", origin);
                let mut decoded = String::new();
                GzDecoder::new(&file[..]).read_to_string(&mut decoded).unwrap();
                assert!(is_gzip && decoded == wanted, "{origin}");
                assert!(file.len() < wanted.len() + 64, "{} of {}", file.len(), wanted.len());
            }
        }
    }

    #[test]
    fn what_has_many_gaps_is_compressed_as_a_whole() {
        let kept = kept(format!("{ORIGIN_MARK}/a ").repeat(500));
        let wanted = "http://h/a ".repeat(500);
        assert!(!kept.is_sent_at_once());
        assert_eq!(sent(&kept, "identity", "http://h"), (false, wanted.clone().into_bytes()));
        let (is_gzip, file) = sent(&kept, "gzip", "http://h");
        let mut decoded = String::new();
        GzDecoder::new(&file[..]).read_to_string(&mut decoded).unwrap();
        assert!(is_gzip && decoded == wanted && file.len() < 200, "{}", file.len());
    }

    #[test]
    fn what_has_no_gap_is_kept_as_it_is() {
        let kept = kept("x".repeat(2000));
        assert_eq!(sent(&kept, "identity", "http://a"), (false, "x".repeat(2000).into_bytes()));
        assert!(sent(&kept, "gzip", "http://a").1.len() < 100);
    }
}
