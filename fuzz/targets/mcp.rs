//! Any bytes as a message of an agent, and as the arguments of a call.
#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    fuzzed::answer_with_body("/mcp", "application/json", bytes);
    let head: &[u8] = br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"convert_currency","arguments":"#;
    fuzzed::answer_with_body("/mcp", "application/json", &[head, bytes, b"}}"].concat());
});
