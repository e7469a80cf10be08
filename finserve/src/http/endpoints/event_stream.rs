//! A stream of events as they are published (`text/event-stream`).
use std::{
    io,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use fincore::{
    Catalogue, Limit, Result,
    events::{self, Cursor, Event, EventWindow, Events, EventsQuery},
};
use hyper::body::{Body, Bytes, Frame};
use tokio::{
    sync::oneshot,
    time::{Interval, MissedTickBehavior, interval},
};

use crate::{
    coordination::clock::Clock,
    http::{access::Pass, transport::worker_pool::Lane},
};

/// How often a listener looks for news, and whether it may go on.
const TICK: Duration = Duration::from_secs(1);
/// After this many ticks without news a comment is sent. Writing is the only way to learn that a client has gone, and
/// one that comes back before that is noticed takes another of its key's slots.
const HEARTBEAT: u32 = 5;
/// The most events that are read, and in memory, at a time.
const PAGE: u32 = 100;

/// The stream of one client. It has no thread: hyper polls it, and it waits for ticks of the clock.
pub(crate) struct Listening {
    log: EventLog,
    pass: Pass,
    /// The place after what was sent.
    place: Cursor,
    /// The data version up to which everything was sent.
    version: Option<u64>,
    /// The head of the stream, until it is sent.
    opening: Option<Bytes>,
    /// Whether there is more to send at once.
    more: bool,
    /// Since it was first polled: only there is a clock that ticks.
    ticks: Option<Interval>,
    silent: u32,
    /// The read in progress, if any.
    reading: Option<oneshot::Receiver<Result<Option<News>>>>,
    /// Where it is read.
    lane: Lane,
}

#[derive(Clone)]
pub(crate) struct EventLog {
    pub(crate) catalogue: Catalogue,
    pub(crate) clock: Clock,
    /// How old what comes in may be and still be an event.
    pub(crate) window: EventWindow,
}

/// New events, and the data version up to which all are included.
struct News {
    version: u64,
    events: Events,
}

impl Listening {
    /// Starts after a place, or now. Fails if the place is not in the log of changes any more.
    pub(crate) fn start(
        log: EventLog,
        lane: Lane,
        pass: Pass,
        since: Option<Cursor>,
    ) -> Result<Listening> {
        let snapshot = log.catalogue.snapshot(log.clock.now().today())?;
        let (place, more) = match since {
            Some(place) => {
                let limit = Limit::new(1)?;
                let query = EventsQuery { since: Some(place.clone()), limit };
                events::list(&snapshot, log.window, query)?;
                (place, true)
            }
            None => (events::latest_cursor(&snapshot)?, false),
        };
        let version = Some(snapshot.version()?);
        // The id lets a client that saw no event yet come back without missing one.
        let opening =
            format!("retry: 5000\n: events follow as they are published\nid: {place}\n\n");
        Ok(Listening {
            log,
            pass,
            place,
            version,
            opening: Some(opening.into()),
            more,
            ticks: None,
            silent: 0,
            reading: None,
            lane,
        })
    }

    /// Begins to read what is new.
    fn read(&self) -> oneshot::Receiver<Result<Option<News>>> {
        let (log, place) = (self.log.clone(), self.place.clone());
        let known = self.version.filter(|_| !self.more);
        self.lane.run(move || news(&log, place, known))
    }

    /// The text to send, if any.
    fn text(&mut self, news: Option<News>) -> Option<Bytes> {
        let Some(News { version, events }) = news else {
            self.silent += 1;
            return (self.silent >= HEARTBEAT).then(|| Bytes::from_static(b": still here\n\n"));
        };
        (self.version, self.more, self.place) = (Some(version), events.more, events.next);
        let text: String = events.data.iter().map(written).collect();
        (!text.is_empty()).then(|| text.into())
    }
}

/// The clock of a listener.
fn ticks() -> Interval {
    let mut ticks = interval(TICK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ticks
}

/// The events after a cursor; `None` if the data has the known version.
fn news(log: &EventLog, place: Cursor, known: Option<u64>) -> Result<Option<News>> {
    let snapshot = log.catalogue.snapshot(log.clock.now().today())?;
    let version = snapshot.version()?;
    if known == Some(version) {
        return Ok(None);
    }
    let query = EventsQuery { since: Some(place), limit: Limit::new(PAGE)? };
    Ok(Some(News { version, events: events::list(&snapshot, log.window, query)? }))
}

/// An event as the client reads it.
fn written(event: &Event) -> String {
    // Events from the log can be written as JSON, which has no line breaks.
    let data = serde_json::to_string(event).unwrap_or_default();
    format!("id: {}\nevent: {}\ndata: {data}\n\n", event.id, event.kind)
}

impl Body for Listening {
    type Data = Bytes;
    type Error = io::Error;

    /// Ends if the client may not listen any more, the server stops, or its place fell out of the log: the next request
    /// of the client gets the reason.
    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        let this = self.get_mut();
        if let Some(opening) = this.opening.take() {
            return Poll::Ready(Some(Ok(Frame::data(opening))));
        }
        loop {
            let Some(reading) = &mut this.reading else {
                if !this.more {
                    ready!(this.ticks.get_or_insert_with(ticks).poll_tick(context));
                }
                if !this.pass.holds() {
                    return Poll::Ready(None);
                }
                this.reading = Some(this.read());
                continue;
            };
            let read = ready!(Pin::new(reading).poll(context));
            this.reading = None;
            let Ok(Ok(news)) = read else { return Poll::Ready(None) };
            if let Some(bytes) = this.text(news) {
                this.silent = 0;
                return Poll::Ready(Some(Ok(Frame::data(bytes))));
            }
        }
    }
}
