//! Entity tags: equal on every machine for the same question, day, data and version of the program, as long as the data
//! was found fresh on all of them.
use fincore::{Snapshot, datasets};
use hyper::header::HeaderValue;
use sha2::{Digest, Sha256};

/// The weak entity tag of an answer from this snapshot. The question is everything else that the answer
/// depends on, in a fixed order.
pub(crate) fn tag(snapshot: &Snapshot, question: &[&str]) -> HeaderValue {
    let today = snapshot.today().to_string();
    let mut hash = Sha256::new();
    let freshness = datasets::freshness_tag(snapshot).unwrap_or_default();
    for part in [env!("CARGO_PKG_VERSION"), &today, &freshness].iter().chain(question) {
        // With its length, so that no two questions run together.
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    let start = hash.finalize()[..8].try_into().expect("a digest is longer than eight bytes");
    let tag = format!("W/\"{}-{:016x}\"", snapshot.tag(), u64::from_be_bytes(start));
    HeaderValue::try_from(tag).expect("a data tag is plain ASCII")
}

/// The weak entity tag of these very bytes, however they are compressed.
pub(crate) fn content_tag(bytes: &[u8]) -> HeaderValue {
    let digest = Sha256::digest(bytes);
    let start = digest[..8].try_into().expect("a digest is longer than eight bytes");
    let tag = format!("W/\"{:016x}\"", u64::from_be_bytes(start));
    HeaderValue::try_from(tag).expect("digits are plain ASCII")
}
