//! Any text as a search, through companies, filings and suggestions.
#![no_main]
use fincore::{companies, filings};

libfuzzer_sys::fuzz_target!(|text: &str| {
    let snapshot =
        fuzzed::catalogue().snapshot("2026-11-05".parse().expect("a day")).expect("a snapshot");
    if let Ok(search) = companies::Search::new(text) {
        companies::search(&snapshot, search).expect("companies can be searched");
    }
    if let Ok(search) = filings::Search::new(text) {
        for order in [filings::Order::Newest, filings::Order::Relevance] {
            let search = filings::Search { order, ..search.clone() };
            // What would take too long is refused.
            let _ = filings::search(&snapshot, search);
        }
    }
});
