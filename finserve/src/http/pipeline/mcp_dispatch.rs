//! Calls of tools: each becomes a request of its endpoint, which goes the way of all requests, and its answer a message.
use std::{net::IpAddr, sync::Arc};

use hyper::{
    body::Bytes,
    header::{ACCEPT_ENCODING, AUTHORIZATION, HOST, HeaderMap, HeaderName},
};

use super::{answer::Answered, app::App, target::Target};
use crate::{
    http::{
        endpoints::{mcp::Message, openapi_document::address},
        message::{
            encoding,
            header_names::{X_API_KEY, X_FORWARDED_FOR, X_FORWARDED_PROTO, X_REQUEST_ID},
            link_parameter::LinkCredential,
            payload::Payload,
            refusal::Refusal,
            render::JSON,
            reply::{self, EndpointAnswer},
            request::{Request, Session, Upload},
        },
        transport::{fair_queue::Share, worker_pool::Turn},
    },
    mcp::{Call, PATH},
};

/// The headers that a call shares with the request of its endpoint: who asks, and what the service is called.
const SHARED: [HeaderName; 6] =
    [HOST, X_API_KEY, AUTHORIZATION, X_FORWARDED_FOR, X_FORWARDED_PROTO, X_REQUEST_ID];

/// Answers up to this length are made into messages at once; longer ones on the worker threads.
const SHORT: usize = 64 * 1024;

/// A call whose endpoint is being asked.
pub(crate) struct Relay {
    call: Call,
    /// The encodings that the caller accepts.
    accepted: HeaderMap,
    /// The address of the service.
    place: String,
    /// Where the caller is.
    from: IpAddr,
    /// In whose turn a long answer is made into a message.
    share: Share,
}

impl App {
    /// The message of an agent, if the request carries one; what is wrong with the request is for the row of the table to
    /// answer.
    pub(super) fn message(&self, request: &Request, target: &Target<'_>) -> Option<Message> {
        let is_plain = request.head.uri.query().is_none() && !request.link.is_given();
        let leads_here = target.route().is_some_and(|id| self.routes.row(id).path == PATH);
        (leads_here && is_plain).then(|| Message::of(request).ok()).flatten()
    }

    /// The request of the endpoint that answers a call.
    pub(super) fn relay(&self, request: &Request, call: Call) -> Result<(Relay, Request), String> {
        let head = &request.head;
        let made = hyper::Request::builder().version(head.version).uri(call.target()).body(());
        let made = made.map_err(|err| format!("a call is no request: {err}"))?;
        let mut inner = made.into_parts().0;
        inner.headers = only(&head.headers, &SHARED);
        let upload = Upload::Whole(Bytes::new());
        let Request { peer, is_encrypted, now, .. } = *request;
        let relay = Relay {
            call,
            accepted: only(&head.headers, &[ACCEPT_ENCODING]),
            place: address(
                request.origin(self.routes.upgrade_contact).as_deref(),
                self.routes.base,
            ),
            from: self.access.address(request),
            share: self.share(request, self.access.by_address(request)),
        };
        Ok((
            relay,
            Request {
                head: inner,
                upload,
                peer,
                is_encrypted,
                now,
                session: Session::None,
                link: LinkCredential::None,
                reaction: None,
                turn: request.turn.clone(),
            },
        ))
    }

    /// The outcome of a call, by the response of its endpoint. Its headers carry the caller's limit.
    pub(crate) fn relayed(
        self: &Arc<App>,
        relay: Relay,
        response: hyper::Response<Payload>,
    ) -> Answered {
        let (headers, told) = match reply::take_apart(response) {
            Ok(told) => told,
            Err(response) => return Answered::Now(*response),
        };
        let (EndpointAnswer::Answered(bytes) | EndpointAnswer::Refused(bytes)) = &told;
        if bytes.len() <= SHORT {
            return Answered::Now(self.told(&relay, headers, told));
        }
        let app = self.clone();
        Answered::Later(self.pool.run_or_refuse(relay.share, move |turn| match turn {
            Turn::Run => app.told(&relay, headers, told),
            Turn::Refused => app.crowded(&relay, headers, &Refusal::queue()),
        }))
    }

    /// The response with what became of a call.
    fn told(
        &self,
        relay: &Relay,
        headers: HeaderMap,
        told: EndpointAnswer,
    ) -> hyper::Response<Payload> {
        let Relay { call, accepted, place, from, .. } = relay;
        let message = match &told {
            EndpointAnswer::Answered(body) => match str::from_utf8(body) {
                Ok(body) => call.answer_message(body),
                Err(_) => call.failure_message("the service returned an answer that is not text"),
            },
            EndpointAnswer::Refused(body) => {
                call.refusal_message(&String::from_utf8_lossy(body), place)
            }
        };
        drop(told);
        let body = encoding::encode(message.into(), accepted);
        let response = reply::message(headers.clone(), JSON, body);
        self.hold(response, *from).unwrap_or_else(|refusal| self.crowded(relay, headers, &refusal))
    }

    /// The response where an answer cannot be handed over: the server has too much to do, or the caller too much to read.
    fn crowded(
        &self,
        relay: &Relay,
        headers: HeaderMap,
        refusal: &Refusal,
    ) -> hyper::Response<Payload> {
        self.metrics.count_refusal(refusal.reason());
        let message = Bytes::from(relay.call.refusal_message(&refusal.json(), &relay.place));
        reply::message(headers, JSON, encoding::encode(message, &HeaderMap::new()))
    }
}

/// Those of the headers that have one of these names.
fn only(headers: &HeaderMap, names: &[HeaderName]) -> HeaderMap {
    let mut some = HeaderMap::new();
    for name in names {
        for value in headers.get_all(name) {
            some.append(name, value.clone());
        }
    }
    some
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use fincore::{Caller, CallerId};

    use super::*;
    use crate::{
        http::{pipeline::answer::tests::app, transport::worker_pool::Pool},
        mcp::{Reaction, react},
    };

    fn relay() -> Relay {
        let message = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_quote","arguments":{}}}"#;
        let Reaction::Call(call) = react(message.as_bytes(), None) else {
            panic!("{message} is no call")
        };
        let (accepted, place) = (HeaderMap::new(), "http://test".to_owned());
        let from = Ipv4Addr::LOCALHOST.into();
        let share = Share::of(Caller::at(from), CallerId::address(from));
        Relay { call, accepted, place, from, share }
    }

    /// The response of an endpoint, with a body of so many bytes.
    fn response(length: usize) -> hyper::Response<Payload> {
        let body = Bytes::from(format!("{:?}", "x".repeat(length - 2)));
        reply::message(HeaderMap::new(), JSON, encoding::encode(body, &HeaderMap::new()))
    }

    #[test]
    fn a_full_queue_holds_up_long_answers_only() {
        let dir = tempfile::tempdir().unwrap();
        let mut app = app(&dir, Vec::new());
        app.pool = Pool::stalled();
        let app = Arc::new(app);
        let said = |length| {
            let Answered::Now(response) = app.relayed(relay(), response(length)) else {
                panic!("{length} bytes wait")
            };
            let Ok((_, EndpointAnswer::Answered(message))) = reply::take_apart(response) else {
                panic!("{length} bytes are no message")
            };
            String::from_utf8(message.to_vec()).unwrap()
        };
        let short = said(SHORT);
        assert!(short.len() > SHORT && short.contains("\"isError\":false"), "{}", short.len());
        // A waiting call gets an error once the server stops.
        let Answered::Later(mut waiting) = app.relayed(relay(), response(SHORT + 1)) else {
            panic!("a long answer is made here")
        };
        assert!(waiting.try_recv().is_err());
        app.refuse_waiting();
        let Ok((_, EndpointAnswer::Answered(long))) =
            reply::take_apart(waiting.blocking_recv().unwrap())
        else {
            panic!("that is no message")
        };
        let long = str::from_utf8(&long).unwrap();
        assert!(long.len() < SHORT && long.contains("\"isError\":true"), "{}", long.len());
        assert!(long.contains("too many long requests are open"), "{long}");
        assert!(long.contains(r#""structuredContent":{"error":"unavailable","#), "{long}");
    }
}
