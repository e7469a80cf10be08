//! Any bytes as a request.
#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    fuzzed::answer(bytes);
});
