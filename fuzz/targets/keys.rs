//! Any text as a key, a part of one, and something that may hold one.
#![no_main]
use fincore::{Key, KeyPrefix};

libfuzzer_sys::fuzz_target!(|text: &str| {
    if let Ok(key) = text.parse::<Key>() {
        assert_eq!(key.reveal(), text);
        assert!(!Key::redact(&format!("a {text} b")).contains(text));
    }
    let _ = text.parse::<KeyPrefix>();
    let redacted = Key::redact(text);
    assert_eq!(Key::redact(&redacted), redacted, "nothing is left to take out");
});
