//! A stream of events as they are published (`text/event-stream`).
use std::{
    io,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use fincore::{
    Catalogue, Limit, Result,
    events::{self, Cursor, Event, EventsQuery},
};
use http_body_util::BodyExt;
use hyper::body::{Body, Bytes, Frame};
use tokio::time::{Interval, MissedTickBehavior, interval};

use super::{access::Pass, reply::Payload};
use crate::now::Now;

/// How often a listener looks for news, and whether it may go on.
const TICK: Duration = Duration::from_secs(1);
/// After this many ticks without news a comment is sent. Writing is the only way to learn that a client has gone, and
/// one that comes back before that is noticed takes another of its key's slots.
const HEARTBEAT: u32 = 5;
/// The most events that are read, and in memory, at a time.
const PAGE: u32 = 100;

/// The stream of one client. It has no thread: hyper polls it, and it waits for ticks of the clock.
pub(crate) struct Listening {
    catalogue: Catalogue,
    pass: Pass,
    /// The place after what was sent.
    place: Cursor,
    /// The data version up to which everything was sent.
    version: Option<u64>,
    /// The head of the stream, until it is sent.
    opening: Option<Bytes>,
    /// Whether there is more to send at once.
    more: bool,
    ticks: Interval,
    silent: u32,
}

impl Listening {
    /// Starts after a place, or now. Fails if the place is not in the log of changes any more.
    pub(crate) fn start(
        catalogue: &Catalogue,
        pass: Pass,
        since: Option<Cursor>,
        now: Now,
    ) -> Result<Listening> {
        let snapshot = catalogue.snapshot(now.today())?;
        let (place, more) = match since {
            Some(place) => {
                let limit = Limit::new(1)?;
                events::since(&snapshot, EventsQuery { since: Some(place.clone()), limit })?;
                (place, true)
            }
            None => (events::now(&snapshot)?, false),
        };
        let version = Some(snapshot.version()?);
        // The id lets a client that saw no event yet come back without missing one.
        let opening =
            format!("retry: 5000\n: events follow as they are published\nid: {place}\n\n");
        let mut ticks = interval(TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let opening = Some(opening.into());
        let catalogue = catalogue.clone();
        Ok(Listening { catalogue, pass, place, version, opening, more, ticks, silent: 0 })
    }

    /// The stream as the body of a response.
    pub(crate) fn payload(self) -> Payload {
        self.boxed_unsync()
    }

    /// What there is to send now, if anything.
    fn news(&mut self) -> Result<Option<Bytes>> {
        let snapshot = self.catalogue.snapshot(Now::read().today())?;
        let version = Some(snapshot.version()?);
        if !self.more && self.version == version {
            self.silent += 1;
            return Ok((self.silent >= HEARTBEAT).then(|| Bytes::from_static(b": still here\n\n")));
        }
        let query = EventsQuery { since: Some(self.place.clone()), limit: Limit::new(PAGE)? };
        // The worker thread goes on with other requests meanwhile.
        let page = tokio::task::block_in_place(|| events::since(&snapshot, query))?;
        (self.version, self.more, self.place) = (version, page.more, page.next);
        let text: String = page.data.iter().map(written).collect();
        Ok((!text.is_empty()).then(|| text.into()))
    }
}

/// An event as the client reads it.
fn written(event: &Event) -> String {
    // What was read from the log can be written as JSON, which has no line breaks.
    let data = serde_json::to_string(event).unwrap_or_default();
    format!("id: {}\nevent: {}\ndata: {data}\n\n", event.id, event.kind)
}

impl Body for Listening {
    type Data = Bytes;
    type Error = io::Error;

    /// Ends where the client may not listen any more, the server stops, or its place fell out of the log: a client that
    /// comes back is told which.
    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        let this = self.get_mut();
        if let Some(opening) = this.opening.take() {
            return Poll::Ready(Some(Ok(Frame::data(opening))));
        }
        loop {
            if !this.more {
                ready!(this.ticks.poll_tick(context));
            }
            if !this.pass.holds() {
                return Poll::Ready(None);
            }
            match this.news() {
                Ok(Some(bytes)) => {
                    this.silent = 0;
                    return Poll::Ready(Some(Ok(Frame::data(bytes))));
                }
                Ok(None) if this.more => {
                    // Changes that are no events: others get their turn before the next step through them.
                    context.waker().wake_by_ref();
                    return Poll::Pending;
                }
                Ok(None) => (),
                Err(_) => return Poll::Ready(None),
            }
        }
    }
}
