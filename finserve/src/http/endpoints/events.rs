//! Events by polling and by listening.
use fincore::{
    Error,
    events::{self, Cursor, EventsQuery},
};
use hyper::header::{ACCEPT, HeaderMap, HeaderValue};

use super::{
    context::Context,
    event_stream::{EventLog, Listening},
};
use crate::errors::{BadRequest, Problem};
use crate::http::message::{
    accept,
    header_names::{LAST_EVENT_ID, X_ACCEL_BUFFERING},
    parameters::Params,
    payload::Payload,
    refusal::Refusal,
    render::Answer,
    reply::{Body, Caching, Reply},
};

/// The media type of a stream of events.
const EVENT_STREAM: &str = "text/event-stream";

/// `GET /api/v1/events`: what was published after a place; as a stream where that is preferred.
pub(crate) fn events(context: &Context<'_>, params: Params<'_>) -> Result<Reply, Refusal> {
    let query: EventsQuery = params.read()?;
    if wants_stream(&context.request.head.headers) {
        return listen(context, query.since);
    }
    let snapshot = context.catalogue.snapshot(context.request.now.today())?;
    let events = events::list(&snapshot, context.window, query)?;
    Ok(Reply::ok(Answer::json(events)?, Caching::Never))
}

/// A stream that starts after the event that the client saw last, or at the place that it names, or now.
fn listen(context: &Context<'_>, since: Option<Cursor>) -> Result<Reply, Refusal> {
    let last = context.request.head.headers.get(LAST_EVENT_ID).filter(|id| !id.is_empty());
    let since = match last {
        Some(id) => Some(seen(id)?),
        None => since,
    };
    let pass = context.access.listen(context.request)?;
    let log = EventLog {
        catalogue: context.catalogue.clone(),
        clock: context.clock.clone(),
        window: context.window,
    };
    let listening = Listening::start(log, context.streams.clone(), pass, since)?;
    let body = Body::stream(EVENT_STREAM, None, Payload::stream(listening));
    // Proxies would hold events back to send many at once.
    let unbuffered = (X_ACCEL_BUFFERING, HeaderValue::from_static("no"));
    Ok(Reply::ok(body, Caching::Never).with_headers([unbuffered]))
}

fn seen(id: &HeaderValue) -> Result<Cursor, Refusal> {
    let wrong = |problem| BadRequest::Header { name: "Last-Event-ID", problem };
    let text = id.to_str().map_err(|_| wrong(Problem::NotPlainText))?;
    text.parse().map_err(|err: Error| match err {
        Error::Invalid(invalid) => wrong(Problem::Library(invalid)).into(),
        err => Refusal::from(err),
    })
}

/// Whether a stream is named among the accepted types, and JSON is not preferred to it.
fn wants_stream(headers: &HeaderMap) -> bool {
    let weight = |media: &str| {
        let named = accept::offers(headers, ACCEPT)
            .filter(|(upgrade_contact, _)| upgrade_contact.eq_ignore_ascii_case(media));
        named.map(|(_, weight)| weight).fold(0.0, f32::max)
    };
    let stream = weight(EVENT_STREAM);
    stream > 0.0 && stream >= weight("application/json")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_is_sent_to_those_who_name_it() {
        let cases = [
            ("text/event-stream", true),
            ("Text/Event-Stream;q=0.5", true),
            ("text/event-stream, application/json", true),
            ("application/json, text/event-stream;q=0.9", false),
            ("text/event-stream;q=0", false),
            ("*/*", false),
            ("text/*", false),
        ];
        for (accept, wanted) in cases {
            let headers = HeaderMap::from_iter([(ACCEPT, HeaderValue::from_static(accept))]);
            assert_eq!(wants_stream(&headers), wanted, "{accept}");
        }
        assert!(!wants_stream(&HeaderMap::new()));
    }
}
