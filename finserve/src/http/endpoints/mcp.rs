//! `POST /mcp`: what agents say over HTTP, all but the calls of tools, which are requests of their own (`relay`).
use std::net::IpAddr;

use hyper::{
    Uri,
    body::Bytes,
    header::{ACCEPT, HeaderMap, HeaderName, HeaderValue, ORIGIN},
};

use super::context::Context;
use crate::{
    http::message::{
        accept,
        header_names::{MCP_METHOD, MCP_NAME, MCP_PROTOCOL_VERSION},
        parameters::Params,
        refusal::Refusal,
        render::JSON,
        reply::{Body, Reply},
        request::Request,
    },
    mcp::{McpHeaders, Reaction, ReplyMessage, react},
};

/// A message as it arrived: it is parsed once, wherever that holds up no others.
pub(crate) struct Message {
    body: Bytes,
    version: Option<String>,
    method: Option<String>,
    name: Option<String>,
}

impl Message {
    /// The message of a request. Fails where the request should not carry it, or does so badly.
    pub(crate) fn of(request: &Request) -> Result<Message, Refusal> {
        let headers = &request.head.headers;
        if !headers.get_all(ORIGIN).iter().all(is_of_this_machine) {
            return Err(Refusal::OtherOrigin);
        }
        if headers.contains_key(ACCEPT) && !accepts_json(headers) {
            return Err(Refusal::NotAcceptable(JSON));
        }
        let body = request.body(JSON)?.clone();
        // A header that is given twice contradicts itself, so it counts as missing.
        let text = |name: HeaderName| {
            let mut values = headers.get_all(name).iter();
            values.next().map(|first| match values.next() {
                None => first.to_str().unwrap_or_default().to_owned(),
                Some(_) => String::new(),
            })
        };
        let [version, method, name] = [MCP_PROTOCOL_VERSION, MCP_METHOD, MCP_NAME].map(text);
        Ok(Message { body, version, method, name })
    }

    /// How many bytes it has.
    pub(crate) fn length(&self) -> usize {
        self.body.len()
    }

    /// The reaction to the message.
    pub(crate) fn react(&self) -> Reaction {
        let [version, method, name] =
            [&self.version, &self.method, &self.name].map(Option::as_deref);
        react(&self.body, Some(&McpHeaders { version, method, name }))
    }
}

/// `POST /mcp`, all but the calls of tools.
pub(crate) fn answer(context: &Context<'_>, _: Params<'_>) -> Result<Reply, Refusal> {
    // Report faults of the request before those of its message.
    Message::of(context.request)?;
    match &context.request.reaction {
        Some(Reaction::Silence) => Ok(Reply::said(None)),
        Some(Reaction::Reply(ReplyMessage { text, status, .. })) => {
            Ok(Reply::said(Some((*status, Body::new(JSON, text.clone())))))
        }
        Some(Reaction::Call(_)) => {
            Err(Refusal::Internal("a call of a tool was not relayed".into()))
        }
        // Too many others wait to be parsed.
        None => Err(Refusal::queue()),
    }
}

/// Whether a page is one that a program on the reader's own machine shows. All others are refused, as the protocol asks:
/// a name that leads to the server today may lead the same page to another machine tomorrow, so not even a page that
/// seems to be ours is believed. Programs that are no browsers send no origin.
fn is_of_this_machine(origin: &HeaderValue) -> bool {
    let uri = origin.to_str().ok().and_then(|origin| origin.parse::<Uri>().ok());
    let Some(host) = uri.as_ref().and_then(Uri::host) else { return false };
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    host.eq_ignore_ascii_case("localhost") || address.is_ok_and(|address| address.is_loopback())
}

fn accepts_json(headers: &HeaderMap) -> bool {
    accept::offers(headers, ACCEPT).any(|(media, weight)| {
        let fits = [JSON, "application/*", "*/*"].iter().any(|fit| media.eq_ignore_ascii_case(fit));
        fits && weight > 0.0
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn believes_pages_of_this_machine_only() {
        let believed = |origin: &str| is_of_this_machine(&HeaderValue::from_str(origin).unwrap());
        for origin in ["http://localhost:6274", "http://127.0.0.1", "https://[::1]:8080"] {
            assert!(believed(origin), "{origin}");
        }
        for origin in [
            "null",
            "",
            "https://example.com",
            "http://localhost.example.com",
            "http://127.0.0.1.example.com",
            "http://10.0.0.1",
            "http://localhost:6274, http://example.com",
        ] {
            assert!(!believed(origin), "{origin}");
        }
    }
}
