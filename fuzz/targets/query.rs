//! Any text as a query string, of every kind of endpoint.
#![no_main]
const PATHS: [&str; 14] = [
    "/api/v1/market/selic",
    "/api/v1/market/fx",
    "/api/v1/companies/search",
    "/api/v1/filings/search",
    "/api/v1/search/suggest",
    "/api/v1/export/selic",
    "/api/v1/events",
    "/api/v1/calendar/business-days",
    "/api/v1/calc/correction",
    "/api/v1/calc/accumulated",
    "/api/v1/calc/convert",
    "/api/v1/calc/real-rate",
    "/api/v1/calc/rate",
    "/companies",
];

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Some((first, query)) = bytes.split_first() else { return };
    // What ends a line would be another request; `request` is there for those.
    if query.iter().any(|byte| *byte <= b' ') {
        return;
    }
    let path = PATHS[usize::from(*first) % PATHS.len()];
    let head = format!("GET {path}?");
    let rest = b" HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
    let answer = fuzzed::answer(&[head.as_bytes(), query, rest].concat());
    assert!(answer.starts_with(b"HTTP/1.1 "), "every request is answered");
});
