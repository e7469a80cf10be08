//! The API for agents: the Model Context Protocol, whatever carries its messages.
//!
//! `message` reads JSON-RPC, `version` tells which revision of the protocol a message speaks, `protocol` answers it.
//! `tools` is the table of tools, each of which is an endpoint; a `call` of one becomes a request of that endpoint, and
//! its answer becomes the `outcome` of the call, with `hints` where it is empty.
mod call;
mod hints;
mod message;
mod outcome;
mod protocol;
mod tools;
mod version;

pub(crate) use call::Call;
pub(crate) use protocol::{Manner, Reaction, Said, react, too_long};
pub(crate) use tools::TOOLS;
pub(crate) use version::Mirrored;

/// The longest message, in bytes.
pub(crate) const LONGEST: usize = 64 * 1024;

/// Where it is for those who speak it over HTTP.
pub(crate) const PATH: &str = "/mcp";

#[cfg(test)]
mod tests;
