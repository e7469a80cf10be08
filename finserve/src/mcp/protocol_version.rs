//! The revisions of the protocol, and which one a message uses.
use serde::Deserialize;
use serde_json::{json, value::RawValue};

use super::json_rpc::{Code, Fault, object, string};

/// The revisions that begin with `initialize`, the newest first.
pub(super) const WITH_HANDSHAKE: [&str; 4] =
    ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/// The revision in which every request names its revision itself.
pub(super) const STATELESS: &str = "2026-07-28";

/// The family of revisions that a message uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Era {
    /// As in the revisions with a handshake.
    Handshake,
    Stateless,
}

/// The headers of HTTP that repeat members of the message.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct McpHeaders<'r> {
    /// `MCP-Protocol-Version`
    pub(crate) version: Option<&'r str>,
    /// `Mcp-Method`
    pub(crate) method: Option<&'r str>,
    /// `Mcp-Name`
    pub(crate) name: Option<&'r str>,
}

/// The client's part of a stateless request.
#[derive(Default, Deserialize)]
struct Meta<'m> {
    #[serde(borrow, rename = "io.modelcontextprotocol/protocolVersion")]
    version: Option<&'m RawValue>,
    #[serde(borrow, rename = "io.modelcontextprotocol/clientCapabilities")]
    capabilities: Option<&'m RawValue>,
}

/// The revision of a request, by its `_meta` and its headers: `tool` is the tool that it calls, if any.
pub(super) fn era(
    meta: Option<&RawValue>,
    (method, tool): (&str, Option<&str>),
    headers: Option<&McpHeaders<'_>>,
) -> Result<Era, Fault> {
    let meta: Meta<'_> = meta.and_then(object).unwrap_or_default();
    let header = headers.and_then(|headers| headers.version);
    let Some(version) = meta.version else {
        return match header {
            None => Ok(Era::Handshake),
            Some(known) if WITH_HANDSHAKE.contains(&known) => Ok(Era::Handshake),
            Some(STATELESS) => Err(incomplete_meta()),
            Some(other) => Err(unknown_version(other)),
        };
    };
    let version = string(version).ok_or_else(incomplete_meta)?;
    if let Some(headers) = headers {
        require_same("MCP-Protocol-Version", headers.version, &version)?;
        require_same("Mcp-Method", headers.method, method)?;
        tool.map_or(Ok(()), |tool| require_same("Mcp-Name", headers.name, tool))?;
    }
    if version != STATELESS {
        return Err(unknown_version(&version));
    }
    meta.capabilities.and_then(object::<Anything>).ok_or_else(incomplete_meta)?;
    Ok(Era::Stateless)
}

/// Any object.
#[derive(Deserialize)]
struct Anything {}

fn incomplete_meta() -> Fault {
    let message = "params._meta must have io.modelcontextprotocol/protocolVersion, a string, and \
                   io.modelcontextprotocol/clientCapabilities, an object";
    Fault::new(Code::Params, message)
}

fn require_same(name: &str, header: Option<&str>, body: &str) -> Result<(), Fault> {
    if header == Some(body) {
        return Ok(());
    }
    let message = format!("the header {name} must match the message");
    Err(Fault::new(Code::Headers, message))
}

fn unknown_version(version: &str) -> Fault {
    let supported: Vec<&str> = [STATELESS].into_iter().chain(WITH_HANDSHAKE).collect();
    let requested = fincore::truncate(version);
    let data = json!({ "supported": supported, "requested": requested }).to_string();
    let message = format!("the protocol version must be one of {}", supported.join(", "));
    Fault { data: Some(data), ..Fault::new(Code::Version, message) }
}
