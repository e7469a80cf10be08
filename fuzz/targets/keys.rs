//! Any text as a key, a link token, a part of one, and something that may hold one.
#![no_main]
use fincore::{Key, KeyPrefix, LinkPath, LinkToken};

libfuzzer_sys::fuzz_target!(|text: &str| {
    if let Ok(key) = text.parse::<Key>() {
        assert_eq!(key.reveal(), text);
        assert!(!Key::redact(&format!("a {text} b")).contains(text));
    }
    if let Ok(token) = text.parse::<LinkToken>() {
        assert_eq!(token.reveal(), text);
        assert_eq!(Key::redact(text), "finl_…");
        assert!(format!("/api/v1/{text}").parse::<LinkPath>().is_err());
    }
    let _ = text.parse::<KeyPrefix>();
    let redacted = Key::redact(text);
    assert_eq!(Key::redact(&redacted), redacted, "nothing is left to take out");
});
