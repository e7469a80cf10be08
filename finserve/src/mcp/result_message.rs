//! The message with the result of a method or of a tool call.
use std::sync::LazyLock;

use serde_json::{json, value::RawValue};

use super::protocol_version::Era;

/// The name and version of the program.
pub(super) static SERVER: LazyLock<String> = LazyLock::new(|| {
    let (name, title) = ("finserve", "Brazilian financial data");
    json!({ "name": name, "title": title, "version": env!("CARGO_PKG_VERSION") }).to_string()
});

/// The message with a result of these members.
pub(super) fn result(id: &RawValue, era: Era, members: &str) -> String {
    let comma = if members.is_empty() { "" } else { "," };
    let more = match era {
        Era::Handshake => String::new(),
        Era::Stateless => format!(
            "{comma}\"resultType\":\"complete\",\"_meta\":{{\"io.modelcontextprotocol/serverInfo\":{}}}",
            *SERVER
        ),
    };
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{{members}{more}}}}}")
}
