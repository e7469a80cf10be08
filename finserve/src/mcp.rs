//! The API for agents: the Model Context Protocol, independent of its transport.
//!
//! `json_rpc` reads a message, `protocol_version` finds the revision of the protocol it uses, `protocol` answers it.
//! `tools` is the table of tools, each of which is an endpoint; a `tool_call` becomes a request of that endpoint, and its
//! answer becomes the `tool_result`, with `empty_result_hints` where it is empty.
mod arguments;
mod empty_result_hints;
mod json_rpc;
mod protocol;
mod protocol_version;
mod result_message;
mod tool_call;
mod tool_result;
mod tools;

pub(crate) use protocol::{Reaction, ReplyMessage, ReplyStatus, react, too_long};
pub(crate) use protocol_version::McpHeaders;
pub(crate) use tool_call::Call;
pub(crate) use tools::TOOLS;

/// The longest message, in bytes.
pub(crate) const LONGEST: usize = 64 * 1024;

/// The path of the protocol over HTTP.
pub(crate) const PATH: &str = "/mcp";

#[cfg(test)]
mod tests;
