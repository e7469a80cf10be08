//! Compression of answers, by what the client accepts.
use std::io::{Read, Write};

use flate2::{Compression, read::GzDecoder, write::GzEncoder};
use hyper::header::{ACCEPT_ENCODING, HeaderMap};

/// Smaller bodies fit a packet or two as they are.
const WORTH_IT: usize = 1024;

/// The levels that cost about as much time as the network saves on answers of some 100 KiB.
const ZSTD_LEVEL: i32 = 1;
const GZIP_LEVEL: u32 = 4;

/// The body in the encoding that the client likes best, with its name; nothing where it stays as it is.
pub(crate) fn encode(body: &[u8], request: &HeaderMap) -> Option<(&'static str, Vec<u8>)> {
    if body.len() <= WORTH_IT {
        return None;
    }
    match preferred(request)? {
        "zstd" => Some(("zstd", zstd::bulk::compress(body, ZSTD_LEVEL).ok()?)),
        _ => {
            let mut encoder = GzEncoder::new(Vec::new(), Compression::new(GZIP_LEVEL));
            encoder.write_all(body).ok()?;
            Some(("gzip", encoder.finish().ok()?))
        }
    }
}

/// Whether what is compressed by gzip may be sent as it is.
pub(crate) fn accepts_gzip(request: &HeaderMap) -> bool {
    offers(request).any(|(name, weight)| name == "gzip" && weight > 0.0)
}

/// What was compressed by gzip; nothing where it is damaged, which only our own files could be.
pub(crate) fn unpack(bytes: &[u8]) -> Vec<u8> {
    let mut unpacked = Vec::new();
    let _ = GzDecoder::new(bytes).read_to_end(&mut unpacked);
    unpacked
}

/// The best of `zstd` and `gzip` by the weights of `Accept-Encoding`; `zstd` where they are equal.
fn preferred(request: &HeaderMap) -> Option<&'static str> {
    let mut best = None;
    for (name, weight) in offers(request) {
        let better = |(known, known_weight): (&str, f32)| {
            weight > known_weight || (weight >= known_weight && known == "gzip")
        };
        if weight > 0.0 && best.is_none_or(better) {
            best = Some((name, weight));
        }
    }
    best.map(|(name, _)| name)
}

/// What `Accept-Encoding` says of the encodings known here, with their weights.
fn offers(request: &HeaderMap) -> impl Iterator<Item = (&'static str, f32)> {
    let lists = request.get_all(ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    lists.flat_map(|list| list.split(',')).filter_map(|offer| {
        let (name, weight) = offer.split_once(';').unwrap_or((offer, "q=1"));
        let weight = weight.trim().strip_prefix(['q', 'Q'])?.strip_prefix('=')?.parse().ok()?;
        let known = |known: &&str| name.trim().eq_ignore_ascii_case(known);
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
            ("", None),
        ];
        for (accept, name) in cases {
            assert_eq!(check(accept), name, "{accept}");
        }
    }
}
