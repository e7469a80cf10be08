//! Revisions of the protocol: which one a message speaks.
use serde::Deserialize;
use serde_json::{json, value::RawValue};

use super::message::{Code, Fault, object, string};

/// The revisions that begin with `initialize`, the newest first.
pub(super) const WITH_HANDSHAKE: [&str; 4] =
    ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/// The revision in which every request says for itself which one it speaks.
pub(super) const STATELESS: &str = "2026-07-28";

/// How a message is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Era {
    /// As in the revisions with a handshake.
    Handshake,
    Stateless,
}

/// What a message says of itself in the headers of HTTP, where it came by that.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Mirrored<'r> {
    /// `MCP-Protocol-Version`
    pub(crate) version: Option<&'r str>,
    /// `Mcp-Method`
    pub(crate) method: Option<&'r str>,
    /// `Mcp-Name`
    pub(crate) name: Option<&'r str>,
}

/// What every request says of its sender.
#[derive(Default, Deserialize)]
struct Meta<'m> {
    #[serde(borrow, rename = "io.modelcontextprotocol/protocolVersion")]
    version: Option<&'m RawValue>,
    #[serde(borrow, rename = "io.modelcontextprotocol/clientCapabilities")]
    capabilities: Option<&'m RawValue>,
}

/// Which revision a request speaks, by its `_meta` and its headers: `tool` is the tool that it calls, if it does.
pub(super) fn era(
    meta: Option<&RawValue>,
    (method, tool): (&str, Option<&str>),
    headers: Option<&Mirrored<'_>>,
) -> Result<Era, Fault> {
    let meta: Meta<'_> = meta.and_then(object).unwrap_or_default();
    let header = headers.and_then(|headers| headers.version);
    let Some(version) = meta.version else {
        return match header {
            None => Ok(Era::Handshake),
            Some(known) if WITH_HANDSHAKE.contains(&known) => Ok(Era::Handshake),
            Some(STATELESS) => Err(incomplete()),
            Some(other) => Err(unknown(other)),
        };
    };
    let version = string(version).ok_or_else(incomplete)?;
    if let Some(headers) = headers {
        same("MCP-Protocol-Version", headers.version, &version)?;
        same("Mcp-Method", headers.method, method)?;
        tool.map_or(Ok(()), |tool| same("Mcp-Name", headers.name, tool))?;
    }
    if version != STATELESS {
        return Err(unknown(&version));
    }
    meta.capabilities.and_then(object::<Anything>).ok_or_else(incomplete)?;
    Ok(Era::Stateless)
}

/// Any object.
#[derive(Deserialize)]
struct Anything {}

fn incomplete() -> Fault {
    let message = "params._meta must have io.modelcontextprotocol/protocolVersion, a string, and \
                   io.modelcontextprotocol/clientCapabilities, an object";
    Fault::new(Code::Params, message)
}

fn same(name: &str, header: Option<&str>, body: &str) -> Result<(), Fault> {
    if header == Some(body) {
        return Ok(());
    }
    let message = format!("the header {name} must say what the message says");
    Err(Fault::new(Code::Headers, message))
}

fn unknown(version: &str) -> Fault {
    let supported: Vec<&str> = [STATELESS].into_iter().chain(WITH_HANDSHAKE).collect();
    let requested = fincore::excerpt(version);
    let data = json!({ "supported": supported, "requested": requested }).to_string();
    let message = format!("the protocol version must be one of {}", supported.join(", "));
    Fault { data: Some(data), ..Fault::new(Code::Version, message) }
}
