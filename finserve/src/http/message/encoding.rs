//! Compression of replies, by what the client accepts.
use std::{
    io::{self, Write},
    sync::OnceLock,
};

use flate2::{Compression, write::GzEncoder};
use hyper::{
    body::Bytes,
    header::{ACCEPT_ENCODING, HeaderMap},
};

use super::accept::offers;

/// Smaller bodies fit a packet or two as they are.
const WORTH_IT: usize = 1024;

/// The levels that cost about as much time as the network saves on answers of some 100 KiB.
const ZSTD_LEVEL: i32 = 1;
const GZIP_LEVEL: u32 = 4;

/// A body as it is sent.
pub(crate) struct Encoded {
    /// The value of `Content-Encoding`; nothing where the body is sent as it is.
    pub(crate) encoding: Option<&'static str>,
    pub(crate) bytes: Bytes,
}

/// The body in the encoding that the client likes best.
pub(crate) fn encode(body: Bytes, request: &HeaderMap) -> Encoded {
    Encodings::of(body).preferred(request)
}

/// A body, and what it was compressed to so far.
pub(crate) struct Encodings {
    plain: Bytes,
    zstd: OnceLock<Option<Bytes>>,
    gzip: OnceLock<Option<Bytes>>,
}

impl Encodings {
    pub(crate) fn of(plain: Bytes) -> Encodings {
        Encodings { plain, zstd: OnceLock::new(), gzip: OnceLock::new() }
    }

    pub(crate) fn plain(&self) -> Bytes {
        self.plain.clone()
    }

    /// The body in the encoding that the client likes best; compressed only once.
    pub(crate) fn preferred(&self, request: &HeaderMap) -> Encoded {
        let encoding = preferred(request).filter(|_| self.plain.len() > WORTH_IT);
        let compressed = encoding.and_then(|encoding| {
            let kept = if encoding == "zstd" { &self.zstd } else { &self.gzip };
            kept.get_or_init(|| compress(encoding, &self.plain)).clone()
        });
        match compressed {
            Some(bytes) => Encoded { encoding, bytes },
            None => Encoded { encoding: None, bytes: self.plain() },
        }
    }
}

fn compress(encoding: &str, body: &[u8]) -> Option<Bytes> {
    if encoding == "zstd" {
        return zstd::bulk::compress(body, ZSTD_LEVEL).ok().map(Bytes::from);
    }
    let mut encoder = GzEncoder::new(Vec::new(), Compression::new(GZIP_LEVEL));
    encoder.write_all(body).ok()?;
    encoder.finish().ok().map(Bytes::from)
}

/// Compresses a body while it is sent.
pub(crate) enum Encoder {
    Plain(Vec<u8>),
    Zstd(zstd::stream::write::Encoder<'static, Vec<u8>>),
    Gzip(GzEncoder<Vec<u8>>),
}

impl Encoder {
    /// An encoder for what [`preferred`] chose.
    pub(crate) fn new(encoding: Option<&'static str>) -> io::Result<Encoder> {
        Ok(match encoding {
            None => Encoder::Plain(Vec::new()),
            Some("zstd") => {
                Encoder::Zstd(zstd::stream::write::Encoder::new(Vec::new(), ZSTD_LEVEL)?)
            }
            Some(_) => Encoder::Gzip(GzEncoder::new(Vec::new(), Compression::new(GZIP_LEVEL))),
        })
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Encoder::Plain(done) => done.write_all(bytes),
            Encoder::Zstd(encoder) => encoder.write_all(bytes),
            Encoder::Gzip(encoder) => encoder.write_all(bytes),
        }
    }

    /// How many bytes are ready to be sent.
    pub(crate) fn ready(&self) -> usize {
        match self {
            Encoder::Plain(done) => done.len(),
            Encoder::Zstd(encoder) => encoder.get_ref().len(),
            Encoder::Gzip(encoder) => encoder.get_ref().len(),
        }
    }

    /// The bytes that are ready.
    pub(crate) fn take(&mut self) -> Vec<u8> {
        std::mem::take(match self {
            Encoder::Plain(done) => done,
            Encoder::Zstd(encoder) => encoder.get_mut(),
            Encoder::Gzip(encoder) => encoder.get_mut(),
        })
    }

    /// The bytes that are left.
    pub(crate) fn finish(self) -> io::Result<Vec<u8>> {
        match self {
            Encoder::Plain(done) => Ok(done),
            Encoder::Zstd(encoder) => encoder.finish(),
            Encoder::Gzip(encoder) => encoder.finish(),
        }
    }
}

/// Whether what is compressed by gzip already may be sent as it is.
pub(crate) fn accepts_gzip(request: &HeaderMap) -> bool {
    known_offers(request).any(|(name, weight)| name == "gzip" && weight > 0.0)
}

/// The best of `zstd` and `gzip` by the weights of `Accept-Encoding`; `zstd` where they are equal, and neither
/// where the client prefers the body as it is.
pub(crate) fn preferred(request: &HeaderMap) -> Option<&'static str> {
    if !request.contains_key(ACCEPT_ENCODING) {
        return None;
    }
    let mut best = None;
    for (name, weight) in known_offers(request) {
        let better = |(known, known_weight): (&str, f32)| {
            weight > known_weight || (weight >= known_weight && known == "gzip")
        };
        if weight > 0.0 && best.is_none_or(better) {
            best = Some((name, weight));
        }
    }
    let plain = offers(request, ACCEPT_ENCODING).find(|(name, _)| *name == "identity");
    let plain = plain.map_or(0.0, |(_, weight)| weight);
    best.filter(|(_, weight)| *weight >= plain).map(|(name, _)| name)
}

/// The known encodings in `Accept-Encoding`.
fn known_offers(request: &HeaderMap) -> impl Iterator<Item = (&'static str, f32)> {
    offers(request, ACCEPT_ENCODING).filter_map(|(name, weight)| {
        let known = |known: &&str| name.eq_ignore_ascii_case(known);
        Some((["zstd", "gzip"].into_iter().find(known)?, weight))
    })
}

#[cfg(test)]
mod tests {
    use hyper::header::HeaderValue;

    use super::*;

    fn check(accept: &'static str) -> Option<&'static str> {
        let headers = HeaderMap::from_iter([(ACCEPT_ENCODING, HeaderValue::from_static(accept))]);
        preferred(&headers)
    }

    #[test]
    fn follows_the_weights() {
        let cases = [
            ("gzip, deflate, br, zstd", Some("zstd")),
            ("gzip", Some("gzip")),
            ("GZip;Q=0.5", Some("gzip")),
            ("zstd;q=0.5, gzip;q=0.8", Some("gzip")),
            ("zstd;q=0, gzip", Some("gzip")),
            ("zstd; q=0", None),
            ("gzip;q=x", None),
            ("identity", None),
            ("identity, gzip;q=0.5", None),
            ("identity;q=0.5, gzip", Some("gzip")),
            ("", None),
        ];
        for (accept, name) in cases {
            assert_eq!(check(accept), name, "{accept}");
        }
    }
}
