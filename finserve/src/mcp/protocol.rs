//! The methods of the protocol, and the reply to each.
use fincore::{Key, truncate};
use serde::Deserialize;
use serde_json::{json, value::RawValue};

use super::{
    LONGEST,
    arguments::{self, ArgumentFault},
    json_rpc::{Code, Fault, Message, Request, object, read, string},
    protocol_version::{Era, McpHeaders, STATELESS, WITH_HANDSHAKE, era},
    result_message::{SERVER, result},
    tool_call::Call,
    tool_result::failure_members,
    tools::{TOOL_LIST, Tool},
};

/// How the program reacts to a message.
pub(crate) enum Reaction {
    /// Nothing.
    Silence,
    Reply(ReplyMessage),
    /// The caller asks the endpoint of the tool.
    Call(Call),
}

/// A message in reply.
pub(crate) struct ReplyMessage {
    pub(crate) text: String,
    pub(crate) status: ReplyStatus,
    /// Whether it refuses the call of a tool, which is charged like a wrong request of an endpoint.
    pub(crate) refuses_call: bool,
}

impl ReplyMessage {
    fn new(text: String, status: ReplyStatus) -> ReplyMessage {
        ReplyMessage { text, status, refuses_call: false }
    }
}

/// The status of a reply, from which HTTP takes its status code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReplyStatus {
    Answered,
    Rejected,
    /// There is no such method.
    Unknown,
}

/// The instructions that agents get when they connect.
const INSTRUCTIONS: &str = "Brazilian financial data: interest rates, inflation and exchange rates as published by the central \
    bank (BCB), companies and their filings as published by the securities regulator (CVM). Dates are YYYY-MM-DD. Values \
    keep the digits of their source; quote them unchanged. Lists come in small pages, newest \
    first: narrow them with from and to, or continue with offset. Company names and filing texts \
    are in Portuguese. If meta.stale is true, this copy ends there and newer data is due.";

/// How long clients may cache the list of tools, which only changes with the version of the program: an hour, in
/// milliseconds.
const CACHED: &str = "\"ttlMs\":3600000,\"cacheScope\":\"public\"";

const CAPABILITIES: &str = "\"capabilities\":{\"tools\":{}}";

/// The parameters of all methods, as far as they are needed.
#[derive(Default, Deserialize)]
struct Params<'m> {
    #[serde(borrow, rename = "_meta")]
    meta: Option<&'m RawValue>,
    #[serde(borrow, rename = "protocolVersion")]
    version: Option<&'m RawValue>,
    #[serde(borrow)]
    name: Option<&'m RawValue>,
    #[serde(borrow)]
    arguments: Option<&'m RawValue>,
}

/// Reads a message, which may have come by HTTP with these headers, and decides how to react to it.
pub(crate) fn react(message: &[u8], headers: Option<&McpHeaders<'_>>) -> Reaction {
    match read(message) {
        Ok(Message::Silent) => Reaction::Silence,
        Ok(Message::Request(request)) => answer(&request, headers),
        Err((id, fault)) => {
            Reaction::Reply(ReplyMessage::new(error(id, &fault), ReplyStatus::Rejected))
        }
    }
}

/// The reply to a message that is too long to be read.
pub(crate) fn too_long() -> String {
    let message = format!("a message may have at most {LONGEST} bytes");
    error(None, &Fault::new(Code::Request, message))
}

fn answer(request: &Request<'_>, headers: Option<&McpHeaders<'_>>) -> Reaction {
    let (id, method) = (request.id, &*request.method);
    let reply = |fault: &Fault, era| {
        let status = match (fault.code, era) {
            (Code::Parse | Code::Request | Code::Headers | Code::Version, _) => {
                ReplyStatus::Rejected
            }
            (Code::Params, Some(Era::Handshake)) | (Code::Method, Some(Era::Handshake) | None) => {
                ReplyStatus::Answered
            }
            (Code::Params, Some(Era::Stateless) | None) => ReplyStatus::Rejected,
            (Code::Method, Some(Era::Stateless)) => ReplyStatus::Unknown,
        };
        let reply = ReplyMessage::new(error(Some(id), fault), status);
        Reaction::Reply(ReplyMessage { refuses_call: method == "tools/call", ..reply })
    };
    let params = match request.params.map(object::<Params<'_>>) {
        None => Params::default(),
        Some(Some(params)) => params,
        Some(None) => {
            let fault = Fault::new(Code::Params, "params must be an object, each member once");
            return reply(&fault, Some(Era::Handshake));
        }
    };
    let name = params.name.and_then(string);
    let tool = name.as_deref().filter(|_| method == "tools/call");
    let era = match era(params.meta, (method, tool), headers) {
        Ok(era) => era,
        Err(fault) => return reply(&fault, None),
    };
    let members = match (method, era) {
        ("tools/call", _) => {
            return match call_tool((id, era), name.as_deref(), &params) {
                Ok(reaction) => reaction,
                Err(fault) => reply(&fault, Some(era)),
            };
        }
        ("initialize", Era::Handshake) => match initialize_result(&params) {
            Ok(members) => members,
            Err(fault) => return reply(&fault, Some(era)),
        },
        ("ping", Era::Handshake) => String::new(),
        ("server/discover", Era::Stateless) => discover_result(),
        ("tools/list", _) => list_result("tools", &TOOL_LIST, era),
        ("resources/list", _) => list_result("resources", "[]", era),
        ("resources/templates/list", _) => list_result("resourceTemplates", "[]", era),
        ("prompts/list", _) => list_result("prompts", "[]", era),
        (other, _) => {
            let other = Key::redact(&truncate(other));
            let fault = Fault::new(Code::Method, format!("there is no method {other:?}"));
            return reply(&fault, Some(era));
        }
    };
    Reaction::Reply(ReplyMessage::new(result(id, era, &members), ReplyStatus::Answered))
}

/// The result of `initialize`: the revision that the client asks for, or else the newest one with a handshake.
fn initialize_result(params: &Params<'_>) -> Result<String, Fault> {
    let requested = params.version.and_then(string);
    let requested = requested
        .ok_or_else(|| Fault::new(Code::Params, "params.protocolVersion must be a string"))?;
    let version = WITH_HANDSHAKE.iter().find(|known| **known == requested);
    let (version, server) = (version.unwrap_or(&WITH_HANDSHAKE[0]), &*SERVER);
    let instructions = json!(INSTRUCTIONS);
    Ok(format!(
        "\"protocolVersion\":\"{version}\",{CAPABILITIES},\"serverInfo\":{server},\"instructions\":{instructions}"
    ))
}

fn discover_result() -> String {
    let instructions = json!(INSTRUCTIONS);
    format!(
        "\"supportedVersions\":[\"{STATELESS}\"],{CAPABILITIES},\"instructions\":{instructions},{CACHED}"
    )
}

fn list_result(what: &str, list: &str, era: Era) -> String {
    match era {
        Era::Handshake => format!("\"{what}\":{list}"),
        Era::Stateless => format!("\"{what}\":{list},{CACHED}"),
    }
}

/// Calls a tool. Wrong arguments give a result that says so, not an error of the protocol, so that the agent sees it.
fn call_tool(
    (id, era): (&RawValue, Era),
    name: Option<&str>,
    params: &Params<'_>,
) -> Result<Reaction, Fault> {
    let fault = |message: String| Fault::new(Code::Params, message);
    let name = name.ok_or_else(|| fault("params.name must be the name of a tool".into()))?;
    let tool = Tool::find(name).ok_or_else(|| {
        let name = Key::redact(&truncate(name));
        fault(format!("there is no tool {name:?}; tools/list lists the tools"))
    })?;
    let call = match params.arguments.map(|arguments| arguments::read(arguments, tool)) {
        None => Call::new((id, era), tool, &Vec::new()),
        Some(Ok(arguments)) => Call::new((id, era), tool, &arguments),
        Some(Err(ArgumentFault::Refused(message))) => Err(message),
        Some(Err(ArgumentFault::NoObject)) => {
            return Err(fault("params.arguments must be an object".into()));
        }
    };
    Ok(match call {
        Ok(call) => Reaction::Call(call),
        Err(message) => {
            let text = result(id, era, &failure_members(&Key::redact(&message)));
            let reply = ReplyMessage::new(text, ReplyStatus::Answered);
            Reaction::Reply(ReplyMessage { refuses_call: true, ..reply })
        }
    })
}

fn error(id: Option<&RawValue>, fault: &Fault) -> String {
    let (id, code) = (id.map_or("null", RawValue::get), fault.code as i32);
    // Messages repeat what was sent, which may hold a key.
    let message = json!(Key::redact(&fault.message));
    let data = fault.data.as_ref().map(|data| format!(",\"data\":{data}")).unwrap_or_default();
    format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":{{\"code\":{code},\"message\":{message}{data}}}}}"
    )
}
