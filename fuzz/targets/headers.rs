//! Any bytes as header lines: what is accepted, where a request comes from, keys, tags.
#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let head = b"GET /api/v1/market/selic/current HTTP/1.1\r\nHost: a\r\nConnection: close\r\n";
    fuzzed::answer(&[head, bytes, b"\r\n\r\n"].concat());
    let head = b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n";
    fuzzed::answer(&[head, bytes, b"\r\n\r\n"].concat());
});
