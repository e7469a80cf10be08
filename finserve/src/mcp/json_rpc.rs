//! Parses messages of JSON-RPC.
use std::borrow::Cow;

use serde::{Deserialize, Deserializer, de::IgnoredAny};
use serde_json::{Number, error::Category, value::RawValue};

/// A message that arrived.
pub(super) enum Message<'m> {
    Request(Request<'m>),
    /// A notification, or an answer to a request that the server never sent: neither gets a reply.
    Silent,
}

/// A message that needs an answer.
pub(super) struct Request<'m> {
    pub(super) id: &'m RawValue,
    pub(super) method: Cow<'m, str>,
    pub(super) params: Option<&'m RawValue>,
}

/// A fault of a message, by the codes of JSON-RPC and of MCP.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) code: Code,
    pub(super) message: String,
    /// Further JSON, for programs.
    pub(super) data: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub(super) enum Code {
    /// It is not JSON.
    Parse = -32700,
    /// It is not a message.
    Request = -32600,
    Method = -32601,
    Params = -32602,
    /// The headers of HTTP differ from the message.
    Headers = -32020,
    /// The server does not support this revision of the protocol.
    Version = -32022,
}

impl Fault {
    pub(super) fn new(code: Code, message: impl Into<String>) -> Fault {
        Fault { code, message: message.into(), data: None }
    }
}

/// Deserializes a member that is present, even if it is null.
fn deserialize_present<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

#[derive(Deserialize)]
struct Envelope<'m> {
    #[serde(borrow, default, deserialize_with = "deserialize_present")]
    jsonrpc: Option<&'m RawValue>,
    #[serde(borrow, default, deserialize_with = "deserialize_present")]
    id: Option<&'m RawValue>,
    #[serde(borrow, default, deserialize_with = "deserialize_present")]
    method: Option<&'m RawValue>,
    #[serde(borrow, default, deserialize_with = "deserialize_present")]
    params: Option<&'m RawValue>,
    #[serde(default)]
    result: Option<IgnoredAny>,
    #[serde(default)]
    error: Option<IgnoredAny>,
}

/// The shape of a message, for refusals.
const OBJECT: &str = "a message is a JSON object with the members jsonrpc, id and method";

/// Parses a message. Fails with the id of the request, if it can be read.
pub(super) fn read(bytes: &[u8]) -> Result<Message<'_>, (Option<&RawValue>, Fault)> {
    let fault = |code, message: &str| (None, Fault::new(code, message));
    let text = str::from_utf8(bytes).map_err(|_| fault(Code::Parse, "the message is not UTF-8"))?;
    let is_json = |text: &str| serde_json::from_str::<IgnoredAny>(text).is_ok();
    // serde would also read the members from an array, in order.
    if text.trim_start().starts_with('[') && is_json(text) {
        return Err(fault(Code::Request, "batches are not supported; send one message at a time"));
    }
    if !text.trim_start().starts_with('{') && is_json(text) {
        return Err(fault(Code::Request, OBJECT));
    }
    let envelope: Envelope<'_> =
        serde_json::from_str(text).map_err(|err| match err.classify() {
            Category::Syntax | Category::Eof | Category::Io => {
                fault(Code::Parse, &format!("the message is not JSON: {err}"))
            }
            Category::Data => fault(Code::Request, &format!("{OBJECT}: {err}")),
        })?;
    let id = envelope.id.filter(|id| is_id(id));
    let fault = |message: &str| (id, Fault::new(Code::Request, message));
    if envelope.jsonrpc.and_then(string).as_deref() != Some("2.0") {
        return Err(fault("the member jsonrpc must be \"2.0\""));
    }
    let Some(method) = envelope.method else {
        return match (envelope.result, envelope.error) {
            (None, None) => Err(fault("the member method is missing")),
            _ => Ok(Message::Silent),
        };
    };
    let method = string(method).ok_or_else(|| fault("the member method must be a string"))?;
    if envelope.id.is_none() {
        return Ok(Message::Silent);
    }
    let id = id.ok_or_else(|| fault("the member id must be a string or a number"))?;
    Ok(Message::Request(Request { id, method, params: envelope.params }))
}

/// Whether an id is a text or a valid number: it is sent back as it was.
fn is_id(id: &RawValue) -> bool {
    id.get().starts_with('"') || serde_json::from_str::<Number>(id.get()).is_ok()
}

/// The text of a JSON string; `None` for anything else.
pub(super) fn string(value: &RawValue) -> Option<Cow<'_, str>> {
    /// Borrows where nothing is escaped.
    #[derive(Deserialize)]
    struct Text<'t>(#[serde(borrow)] Cow<'t, str>);
    serde_json::from_str::<Text<'_>>(value.get()).ok().map(|Text(text)| text)
}

/// Parses an object; `None` for anything else.
pub(super) fn object<'m, T: Deserialize<'m>>(value: &'m RawValue) -> Option<T> {
    value.get().starts_with('{').then(|| serde_json::from_str(value.get()).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_what_is_not_a_message() {
        for (text, message) in [
            ("null", OBJECT),
            (" \"ping\"", OBJECT),
            ("1.5", OBJECT),
            ("true ", OBJECT),
            ("[1]", "batches are not supported; send one message at a time"),
        ] {
            let Err((None, fault)) = read(text.as_bytes()) else { panic!("{text} is a message") };
            assert_eq!((fault.code, fault.message.as_str()), (Code::Request, message), "{text}");
        }
        let Err((_, fault)) = read(br#"{"id":1,"id":2}"#) else { panic!("two ids are one") };
        assert!(
            fault.message.starts_with(OBJECT) && fault.message.contains("duplicate field `id`")
        );
    }
}
