//! The methods of the protocol, and what is said in reply to each.
use std::sync::LazyLock;

use fincore::{Key, excerpt};
use serde::Deserialize;
use serde_json::{json, value::RawValue};

use super::{
    LONGEST,
    call::Call,
    message::{Code, Fault, Message, Request, object, read, string},
    outcome::failure,
    tools::{LISTED, Tool},
    version::{Era, Mirrored, STATELESS, WITH_HANDSHAKE, era},
};
use crate::ordered::Ordered;

/// What is done about a message.
pub(crate) enum Reaction {
    /// Nothing.
    Silence,
    Say(Said),
    /// Its endpoint is asked.
    Call(Call),
}

/// What is said in reply.
pub(crate) struct Said {
    pub(crate) text: String,
    pub(crate) manner: Manner,
}

/// How HTTP tells of a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manner {
    Answered,
    Rejected,
    /// There is no such method.
    Unknown,
}

/// What agents are told when they begin.
const INSTRUCTIONS: &str = "Brazilian financial data: interest rates, inflation and exchange rates as published by the central \
    bank (BCB), companies and their filings as published by the securities regulator (CVM). Dates are YYYY-MM-DD. Values have the \
    digits of their source; quote them as they are. Lists come in small parts, the newest first: narrow them with from and to, or \
    go on with offset. Names of companies and words of filings are Portuguese. An answer whose meta.stale is true is older than it \
    should be.";

/// What was told once about tools is true until another version of the program runs: an hour, in milliseconds.
const CACHED: &str = "\"ttlMs\":3600000,\"cacheScope\":\"public\"";

/// What the program says of itself.
static SERVER: LazyLock<String> = LazyLock::new(|| {
    let (name, title) = ("finserve", "Brazilian financial data");
    json!({ "name": name, "title": title, "version": env!("CARGO_PKG_VERSION") }).to_string()
});

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

/// What is done about a message, which may have come by HTTP with these headers.
pub(crate) fn react(message: &[u8], headers: Option<&Mirrored<'_>>) -> Reaction {
    match read(message) {
        Ok(Message::Silent) => Reaction::Silence,
        Ok(Message::Request(request)) => answer(&request, headers),
        Err((id, fault)) => {
            Reaction::Say(Said { text: error(id, &fault), manner: Manner::Rejected })
        }
    }
}

/// What is said where a message is so long that it is not read.
pub(crate) fn too_long() -> String {
    let message = format!("a message has at most {LONGEST} bytes");
    error(None, &Fault::new(Code::Request, message))
}

fn answer(request: &Request<'_>, headers: Option<&Mirrored<'_>>) -> Reaction {
    let (id, method) = (request.id, &*request.method);
    let say = |fault: &Fault, era| {
        let manner = match (fault.code, era) {
            (Code::Parse | Code::Request | Code::Headers | Code::Version, _) => Manner::Rejected,
            (Code::Params, Some(Era::Handshake)) | (Code::Method, Some(Era::Handshake) | None) => {
                Manner::Answered
            }
            (Code::Params, Some(Era::Stateless) | None) => Manner::Rejected,
            (Code::Method, Some(Era::Stateless)) => Manner::Unknown,
        };
        Reaction::Say(Said { text: error(Some(id), fault), manner })
    };
    let params = match request.params.map(object::<Params<'_>>) {
        None => Params::default(),
        Some(Some(params)) => params,
        Some(None) => {
            let fault = Fault::new(Code::Params, "params must be an object, each member once");
            return say(&fault, Some(Era::Handshake));
        }
    };
    let name = params.name.and_then(string);
    let tool = name.as_deref().filter(|_| method == "tools/call");
    let era = match era(params.meta, (method, tool), headers) {
        Ok(era) => era,
        Err(fault) => return say(&fault, None),
    };
    let members = match (method, era) {
        ("tools/call", _) => {
            return match called((id, era), name.as_deref(), &params) {
                Ok(reaction) => reaction,
                Err(fault) => say(&fault, Some(era)),
            };
        }
        ("initialize", Era::Handshake) => match initialized(&params) {
            Ok(members) => members,
            Err(fault) => return say(&fault, Some(era)),
        },
        ("ping", Era::Handshake) => String::new(),
        ("server/discover", Era::Stateless) => discovered(),
        ("tools/list", _) => listed("tools", &LISTED, era),
        ("resources/list", _) => listed("resources", "[]", era),
        ("resources/templates/list", _) => listed("resourceTemplates", "[]", era),
        ("prompts/list", _) => listed("prompts", "[]", era),
        (other, _) => {
            let other = Key::redact(&excerpt(other));
            let fault = Fault::new(Code::Method, format!("there is no method {other:?}"));
            return say(&fault, Some(era));
        }
    };
    Reaction::Say(Said { text: result(id, era, &members), manner: Manner::Answered })
}

/// The answer to `initialize`: the revision that is asked for, or the newest that begins like this.
fn initialized(params: &Params<'_>) -> Result<String, Fault> {
    let wanted = params.version.and_then(string);
    let wanted = wanted
        .ok_or_else(|| Fault::new(Code::Params, "params.protocolVersion must be a string"))?;
    let version = WITH_HANDSHAKE.iter().find(|known| **known == wanted);
    let (version, server) = (version.unwrap_or(&WITH_HANDSHAKE[0]), &*SERVER);
    let instructions = json!(INSTRUCTIONS);
    Ok(format!(
        "\"protocolVersion\":\"{version}\",{CAPABILITIES},\"serverInfo\":{server},\"instructions\":{instructions}"
    ))
}

fn discovered() -> String {
    let instructions = json!(INSTRUCTIONS);
    format!(
        "\"supportedVersions\":[\"{STATELESS}\"],{CAPABILITIES},\"instructions\":{instructions},{CACHED}"
    )
}

fn listed(what: &str, list: &str, era: Era) -> String {
    match era {
        Era::Handshake => format!("\"{what}\":{list}"),
        Era::Stateless => format!("\"{what}\":{list},{CACHED}"),
    }
}

/// A call of a tool. What is wrong with its arguments is its outcome, so that the agent sees it.
fn called(
    (id, era): (&RawValue, Era),
    name: Option<&str>,
    params: &Params<'_>,
) -> Result<Reaction, Fault> {
    let fault = |message: String| Fault::new(Code::Params, message);
    let name = name.ok_or_else(|| fault("params.name must be the name of a tool".into()))?;
    let tool = Tool::find(name).ok_or_else(|| {
        let name = Key::redact(&excerpt(name));
        fault(format!("there is no tool {name:?}; tools/list names those there are"))
    })?;
    let arguments = match params.arguments.map(object::<Ordered<&RawValue>>) {
        None => Ordered::default(),
        Some(Some(arguments)) => arguments,
        Some(None) => return Err(fault("params.arguments must be an object".into())),
    };
    Ok(match Call::new((id, era), tool, &arguments) {
        Ok(call) => Reaction::Call(call),
        Err(words) => {
            let text = result(id, era, &failure(&Key::redact(&words)));
            Reaction::Say(Said { text, manner: Manner::Answered })
        }
    })
}

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

fn error(id: Option<&RawValue>, fault: &Fault) -> String {
    let (id, code) = (id.map_or("null", RawValue::get), fault.code as i32);
    // Messages repeat what was sent, which may hold a key.
    let message = json!(Key::redact(&fault.message));
    let data = fault.data.as_ref().map(|data| format!(",\"data\":{data}")).unwrap_or_default();
    format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":{{\"code\":{code},\"message\":{message}{data}}}}}"
    )
}
