//! Connections in, responses out.
//!
//! One thread accepts connections; each worker thread has a runtime of its own and keeps the connections that it was
//! given, so that workers share nothing but the [`App`].
use std::{
    convert::Infallible,
    io,
    net::SocketAddr,
    num::NonZero,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    thread,
    time::{Duration, Instant},
};

use http_body_util::BodyExt;
use hyper::{
    Method, Response,
    body::Incoming,
    header::{CONNECTION, HeaderValue},
    rt::{Read, Write},
    server::conn::http1,
    service::service_fn,
};
use hyper_util::{rt::TokioIo, server::graceful::GracefulShutdown};
use tokio::{
    net::{TcpListener, TcpStream},
    runtime::Builder,
    sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel},
    time::{MissedTickBehavior, interval, sleep, timeout},
};
use tokio_rustls::TlsAcceptor;

use super::{
    message::{
        link_parameter::LinkCredential,
        payload::Payload,
        reply::Deadline,
        request::{Request, Session, Upload, max_upload},
    },
    pipeline::{
        app::App,
        dispatch::{answer, answer_at_once},
    },
    transport::{
        certificate::Certificate,
        connections::{Bounds, Connections, Full, Place},
        peer_timeouts::{Ending, PeerDeadline, Permit, TimedStream, Timeouts},
        stop_signals::{StopOn, StopReason},
        turns::{InTurn, Turn},
    },
};
use crate::{
    cluster::limits::{Batcher, SharedLimits},
    net::{
        http_date::{self, WRONG_CLOCK},
        listener::{Listener, Owner, answer_by_hand},
    },
    observe::metrics::Reason,
};

/// How long peers may take. Four KiB a second is a tenth of what a mobile phone with a poor connection reads.
const TIMEOUTS: Timeouts =
    Timeouts { head: Duration::from_secs(15), write: Duration::from_secs(30), rate: 4096 };
/// How often connections are checked for peers that have taken too long.
const LOOK: Duration = Duration::from_secs(1);
/// How long a connection waits that has no place yet.
const PAUSE: Duration = Duration::from_millis(50);
/// How long a peer may take to send a body.
const BODY_TIMEOUT: Duration = Duration::from_secs(15);
/// How much of a longer body is read and discarded: closing a connection while the peer still sends often
/// loses the response.
const MAX_DISCARDED: usize = 1024 * 1024;
/// The longest head of a request, in bytes. Longer than what is answered, so that a request that is too long is refused like
/// any other.
const MAX_HEAD: usize = 32 * 1024;
/// For how long connections, and then requests, are still taken after a signal to stop: those that were sent before it may
/// not have been read yet.
const LAST_CALL: Duration = Duration::from_millis(300);
/// How long requests under way may take after that: what waits for a thread then is refused, what runs goes on.
const STOP_TIMEOUT: Duration = Duration::from_secs(3);
/// How long work on other threads may take in all after the signal: the program ends within five seconds.
const LAST_WORK: Duration = Duration::from_secs(4);

/// After so many turns of connections at most, a worker looks for new requests.
const EVENT_INTERVAL: u32 = 16;

/// How connections are served.
pub(crate) struct Settings {
    pub(crate) bounds: Bounds,
    /// With which certificate, if by HTTPS.
    pub(crate) certificate: Option<Arc<Certificate>>,
}

/// Serves until `stop`; `started` runs once the signal handlers are installed, `stopping` once the server should stop.
///
/// Returns how many requests were cut off because they took too long: the others were answered. Where none was, nothing of
/// any request runs any more.
pub(crate) fn serve(
    Listener { runtime, listener, owner }: Listener,
    app: &Arc<App>,
    settings: Settings,
    stop: StopOn,
    started: impl FnOnce(),
    stopping: impl FnOnce(StopReason),
) -> io::Result<usize> {
    let Settings { bounds, certificate } = settings;
    let connections = Arc::new(Connections::new(bounds));
    let workers = Workers::start(app, certificate.as_ref())?;
    let mut stopped_at = Instant::now();
    let accepted = runtime.block_on(async {
        let stop = stop.listen(certificate.clone())?;
        started();
        let acceptor =
            Acceptor { listener, owner, connections, timeouts: TIMEOUTS, app, certificate };
        let stop = async {
            let reason = stop.await;
            stopped_at = Instant::now();
            stopping(reason);
        };
        acceptor.accept(&workers, stop).await;
        Ok(())
    });
    app.refuse_waiting();
    let cut_off = workers.finish();
    app.finish(stopped_at + LAST_WORK);
    accepted.map(|()| cut_off)
}

/// A connection on its way to a worker, and its place among all connections.
type Connection = (std::net::TcpStream, SocketAddr, Place);

/// The threads that serve connections.
struct Workers(Vec<(UnboundedSender<Connection>, thread::JoinHandle<usize>)>);

impl Workers {
    /// One for each processor.
    fn start(app: &Arc<App>, certificate: Option<&Arc<Certificate>>) -> io::Result<Workers> {
        let count = thread::available_parallelism().map_or(1, NonZero::get);
        let started = (0..count).map(|_| {
            let (sender, receiver) = unbounded_channel();
            let mut runtime = Builder::new_current_thread();
            let runtime = runtime.enable_all().event_interval(EVENT_INTERVAL).build()?;
            let (app, tls) = (app.clone(), certificate.map(Certificate::acceptor));
            let serve = move || runtime.block_on(work(receiver, app, tls));
            Ok((sender, thread::spawn(serve)))
        });
        Ok(Workers(started.collect::<io::Result<_>>()?))
    }

    /// Returns once all requests under way are answered or have taken too long: how many have.
    fn finish(self) -> usize {
        let (senders, threads): (Vec<_>, Vec<_>) = self.0.into_iter().unzip();
        drop(senders);
        // A worker that panicked has said so already. The first whose time is up still sees the connections of all.
        threads.into_iter().filter_map(|thread| thread.join().ok()).max().unwrap_or_default()
    }
}

/// Where connections come in.
struct Acceptor<'a> {
    listener: TcpListener,
    owner: Owner,
    connections: Arc<Connections>,
    timeouts: Timeouts,
    app: &'a App,
    certificate: Option<Arc<Certificate>>,
}

impl Acceptor<'_> {
    /// Hands connections to the workers in turn, until it is stopped. Looks after those that are open meanwhile.
    async fn accept<S>(self, workers: &Workers, stop: impl Future<Output = S>) -> S {
        let (mut turns, mut waiting) = (workers.0.iter().cycle(), None);
        let mut looks = interval(LOOK);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        tokio::pin!(stop);
        loop {
            // Waiting for a place belongs into the select, or a full server could not be stopped.
            tokio::select! {
                entered = self.enter(&mut waiting) => {
                    if let Some((worker, _)) = turns.next() {
                        // A worker only goes away when this loop has ended.
                        let _ = worker.send(entered);
                    }
                }
                _ = looks.tick() => self.look(),
                stopped = &mut stop => {
                    self.app.access().close();
                    if self.owner == Owner::Us {
                        let last = self.last(&mut waiting, turns);
                        let _: Result<(), _> = timeout(LAST_CALL, last).await;
                    }
                    // Those who have just come in have not been heard yet.
                    sleep(LAST_CALL).await;
                    return stopped;
                }
            }
        }
    }

    /// Takes the connections that would end with the socket.
    async fn last(
        &self,
        waiting: &mut Option<(std::net::TcpStream, SocketAddr)>,
        turns: impl Iterator<Item = &(UnboundedSender<Connection>, thread::JoinHandle<usize>)>,
    ) {
        for (worker, _) in turns {
            let _ = worker.send(self.enter(waiting).await);
        }
    }

    /// The next connection that is served. One that has no place yet stays in `waiting`, and all others in the kernel's
    /// queue.
    async fn enter(&self, waiting: &mut Option<(std::net::TcpStream, SocketAddr)>) -> Connection {
        loop {
            let Some((stream, peer)) = waiting.take() else {
                let accepted = self.listener.accept().await;
                match accepted.and_then(|(stream, peer)| Ok((stream.into_std()?, peer))) {
                    Ok(new) => *waiting = Some(new),
                    // Out of descriptors, most likely: give connections some time to end.
                    Err(_) => sleep(PAUSE).await,
                }
                continue;
            };
            let patience = PeerDeadline::new(self.timeouts, Instant::now());
            match self.connections.enter(peer.ip(), patience) {
                Ok(place) => return (stream, peer, place),
                Err(Full::Address) => {
                    self.app.metrics().count_refusal(Some(Reason::ConnectionsPerAddress));
                }
                Err(Full::All) => {
                    *waiting = Some((stream, peer));
                    sleep(PAUSE).await;
                }
            }
        }
    }

    /// Runs once a second.
    fn look(&self) {
        let overdue = self.connections.end_overdue(Instant::now());
        self.app.metrics().count_overdue(overdue);
        self.app.metrics().set_connections(self.connections.count());
        if let Some(certificate) = &self.certificate {
            certificate.follow();
        }
    }
}

/// Serves the connections that come, until no more come and those are closed, or have taken too long. Returns how many
/// requests of all workers were under way then.
async fn work(
    mut receiver: UnboundedReceiver<Connection>,
    app: Arc<App>,
    tls: Option<TlsAcceptor>,
) -> usize {
    read_clock().await;
    let (graceful, mut all) = (GracefulShutdown::new(), None);
    let batcher = app.access().shared_limits().map(SharedLimits::new_batcher);
    if let Some(batcher) = batcher.clone() {
        tokio::spawn(batcher.run());
    }
    while let Some((stream, peer, place)) = receiver.recv().await {
        // Out of descriptors, most likely: the connection ends.
        let Ok(stream) = TcpStream::from_std(stream) else { continue };
        // Responses are written at once, so delaying packets only costs time.
        let _ = stream.set_nodelay(true);
        let (app, tls, watcher) = ((app.clone(), batcher.clone()), tls.clone(), graceful.watcher());
        let (connections, number) = (place.connections().clone(), place.number());
        let turn = place.turn.clone();
        let served = InTurn::new(turn.clone(), async move {
            let patience = place.patience.clone();
            // An error means that the peer went away or broke the protocol, or that the rest of a body cannot be made:
            // no peer is left to answer.
            match tls {
                _ if !http_date::is_writable() => answer_wrong_clock(stream, tls).await,
                None => {
                    let stream = TokioIo::new(stream);
                    let _ = watcher
                        .watch(connection(stream, (peer, false), app, (patience, turn)))
                        .await;
                }
                Some(tls) => {
                    if let Ok(stream) = tls.accept(stream).await {
                        let stream = TokioIo::new(stream);
                        let served = connection(stream, (peer, true), app, (patience, turn));
                        let _ = watcher.watch(served).await;
                    }
                }
            }
            drop(place);
        });
        let task = tokio::spawn(served);
        connections.serve(number, task.abort_handle());
        all = Some(connections);
    }
    // Connections that are still open after that are dropped.
    match timeout(STOP_TIMEOUT, graceful.shutdown()).await {
        Ok(()) => 0,
        Err(_) => all.map_or(0, |all| all.busy()),
    }
}

/// Lets hyper read the clock once on this thread, while it is right.
async fn read_clock() {
    if http_date::is_writable() {
        let (stream, _) = tokio::io::duplex(1);
        let service =
            service_fn(async |_| Ok::<_, Infallible>(hyper::Response::new(String::new())));
        let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
    }
}

/// Answers a connection that hyper cannot serve, because it could not write the date.
async fn answer_wrong_clock(stream: TcpStream, tls: Option<TlsAcceptor>) {
    match tls {
        None => answer_by_hand(stream, WRONG_CLOCK).await,
        Some(tls) => {
            if let Ok(stream) = tls.accept(stream).await {
                answer_by_hand(stream, WRONG_CLOCK).await;
            }
        }
    }
}

/// A connection with all its limits, to a peer and perhaps encrypted.
fn connection<S: Read + Write + Send + Unpin + 'static>(
    stream: S,
    (peer, is_encrypted): (SocketAddr, bool),
    (app, batcher): (Arc<App>, Option<Batcher>),
    (patience, turn): (Arc<PeerDeadline>, Arc<Turn>),
) -> impl hyper_util::server::graceful::GracefulConnection<Error = hyper::Error> {
    let stream = TimedStream::new(stream, patience.clone());
    // One counter for each connection: the workers would compete for one of all.
    let shared = Arc::new((app, batcher, patience));
    let service = service_fn(move |request: hyper::Request<Incoming>| {
        let (app, batcher, patience) = &*shared;
        patience.expect_nothing();
        let (head, body) = request.into_parts();
        let (upload, peer, now) = (Upload::default(), peer.ip(), app.clock().now());
        let mut request = Request {
            head,
            upload,
            peer,
            is_encrypted,
            now,
            session: Session::None,
            link: LinkCredential::None,
            reaction: None,
            turn: turn.clone(),
        };
        if let Some(response) = answer_at_once(app, batcher.as_ref(), &mut request) {
            return Answering::Now(Some(send(response, app, patience)));
        }
        let shared = shared.clone();
        Answering::Later(Box::pin(async move {
            let (app, batcher, patience) = &*shared;
            if request.head.method == Method::POST {
                request.upload = receive(body, max_upload(request.head.uri.path())).await;
                request.now = app.clock().now();
            }
            send(answer(app, batcher.as_ref(), request).await, app, patience)
        }))
    });
    http1::Builder::new()
        .max_buf_size(MAX_HEAD)
        // A client that closes its sending side after the request still gets the response.
        .half_close(true)
        .serve_connection(stream, service)
}

/// A response that is there, or one that is waited for. The latter is in a box: hyper moves the whole future, which has
/// room for all that may have to be waited for.
enum Answering<F> {
    Now(Option<Response<Payload>>),
    Later(Pin<Box<F>>),
}

impl<F: Future<Output = Response<Payload>>> Future for Answering<F> {
    type Output = Result<Response<Payload>, Infallible>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        match &mut *self {
            Answering::Now(response) => {
                Poll::Ready(Ok(response.take().expect("it is polled once")))
            }
            Answering::Later(response) => response.as_mut().poll(context).map(Ok),
        }
    }
}

/// A response on its way, and what is expected of the peer from now on.
fn send(
    mut response: Response<Payload>,
    app: &App,
    patience: &Arc<PeerDeadline>,
) -> Response<Payload> {
    if app.access().is_closing() {
        response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    }
    if response.body().is_whole() {
        patience.expect_request(Instant::now());
    } else {
        let deadline = response.extensions().get().map(|Deadline(until)| *until);
        let permit = response.extensions().get::<Permit>().cloned();
        patience.expect_read(deadline, permit);
        response.body_mut().tell_end(Ending(patience.clone()));
    }
    response
}

/// The body of a request, if it is short and comes soon.
async fn receive(body: Incoming, most: usize) -> Upload {
    match timeout(BODY_TIMEOUT, collect(body, most)).await {
        Ok(Ok(upload)) => upload,
        Ok(Err(_)) => Upload::Broken,
        Err(_) => Upload::TooSlow,
    }
}

async fn collect(mut body: Incoming, most: usize) -> hyper::Result<Upload> {
    let (mut bytes, mut length) = (Vec::new(), 0);
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame?.into_data() else { continue };
        length += data.len();
        if length <= most {
            bytes.extend_from_slice(&data);
        } else if length > MAX_DISCARDED {
            break;
        }
    }
    Ok(if length <= most { Upload::Whole(bytes.into()) } else { Upload::TooLarge(most) })
}

#[cfg(test)]
mod tests;
