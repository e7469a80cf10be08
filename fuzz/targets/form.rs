//! Any bytes as a form, and as the JSON of a registration or a webhook.
#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    fuzzed::answer_with_body("/pricing", "application/x-www-form-urlencoded", bytes);
    fuzzed::answer_with_body("/usage", "application/x-www-form-urlencoded", bytes);
    fuzzed::answer_with_body("/sign-in", "application/x-www-form-urlencoded", bytes);
    fuzzed::answer_with_body("/api/v1/plans/register", "application/json", bytes);
    fuzzed::answer_with_body("/api/v1/webhooks", "application/json", bytes);
});
