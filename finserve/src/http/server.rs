//! Connections in, responses out. All that is `async` is here.
//!
//! One thread accepts connections; each worker thread has a runtime of its own and keeps the connections that it was
//! given, so that workers share nothing but the [`App`].
use std::{
    io,
    net::SocketAddr,
    num::NonZero,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use http_body_util::BodyExt;
use hyper::{Method, Response, body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::{
    net::{TcpListener, TcpStream},
    runtime::{Builder, Runtime},
    signal::unix::{SignalKind, signal},
    sync::{
        OwnedSemaphorePermit, Semaphore,
        mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel},
    },
    time::{MissedTickBehavior, interval, timeout},
};

use super::{
    access::{Access, Signal},
    answer::{Answered, App, Later, Threads},
    patience::{Ending, Open, Patience, Patient, Timeouts},
    payload::Payload,
    reply::Deadline,
    request::{MAX_UPLOAD, Request, Upload},
};
use crate::now::Now;

/// Connections beyond this many wait in the kernel's queue.
const MAX_CONNECTIONS: usize = 4096;
/// How long peers may take.
const TIMEOUTS: Timeouts =
    Timeouts { head: Duration::from_secs(15), write: Duration::from_secs(30) };
/// How often a worker looks whether one has taken longer.
const LOOK: Duration = Duration::from_secs(1);
/// How long a peer may take to send a body.
const BODY_TIMEOUT: Duration = Duration::from_secs(15);
/// How much of a longer body is read and discarded: closing a connection while the peer still sends often
/// loses the response.
const MAX_DISCARDED: usize = 1024 * 1024;
/// The longest head of a request, in bytes.
const MAX_HEAD: usize = 16 * 1024;
/// How long requests under way may take after a signal to stop.
const STOP_TIMEOUT: Duration = Duration::from_secs(10);

/// After so many turns of connections at most, a worker looks for new requests.
const EVENT_INTERVAL: u32 = 16;

/// How long a request with an unknown key waits for the keys to be refreshed.
const REFRESH_TIMEOUT: Duration = Duration::from_secs(2);

/// A socket that listens, and the runtime that accepts its connections.
pub(crate) struct Listener {
    runtime: Runtime,
    listener: TcpListener,
}

impl Listener {
    /// Listens on the first of these addresses that can be listened on.
    pub(crate) fn bind(addresses: &[SocketAddr]) -> io::Result<Listener> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let listener = runtime.block_on(TcpListener::bind(addresses))?;
        Ok(Listener { runtime, listener })
    }

    pub(crate) fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

/// Serves until SIGINT or SIGTERM; `started` runs once the signal handlers are installed.
///
/// When this returns, nothing of any request runs any more.
pub(crate) fn serve(
    Listener { runtime, listener }: Listener,
    app: &Arc<App>,
    started: impl FnOnce(),
) -> io::Result<()> {
    let workers = Workers::start(app, TIMEOUTS)?;
    let accepted = runtime.block_on(async {
        let stop = stop_signal()?;
        started();
        accept(listener, &workers, stop).await;
        Ok(())
    });
    app.access().close();
    workers.finish();
    app.finish();
    accepted
}

/// Waits for SIGINT or SIGTERM; from now on they no longer end the program by themselves.
fn stop_signal() -> io::Result<impl Future<Output = ()>> {
    let (mut interrupt, mut terminate) =
        (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => (),
            _ = terminate.recv() => (),
        }
    })
}

/// A connection on its way to a worker, and its place among all connections.
type Connection = (std::net::TcpStream, SocketAddr, OwnedSemaphorePermit);

/// The threads that serve connections.
struct Workers(Vec<(UnboundedSender<Connection>, thread::JoinHandle<()>)>);

impl Workers {
    /// One for each processor.
    fn start(app: &Arc<App>, timeouts: Timeouts) -> io::Result<Workers> {
        let count = thread::available_parallelism().map_or(1, NonZero::get);
        let started = (0..count).map(|_| {
            let (sender, receiver) = unbounded_channel();
            let mut runtime = Builder::new_current_thread();
            let runtime = runtime.enable_all().event_interval(EVENT_INTERVAL).build()?;
            let app = app.clone();
            let serve = move || runtime.block_on(work(receiver, app, timeouts));
            Ok((sender, thread::spawn(serve)))
        });
        Ok(Workers(started.collect::<io::Result<_>>()?))
    }

    /// Returns once all requests under way are answered or have taken too long.
    fn finish(self) {
        let (senders, threads): (Vec<_>, Vec<_>) = self.0.into_iter().unzip();
        drop(senders);
        for thread in threads {
            // A worker that panicked has said so already.
            let _ = thread.join();
        }
    }
}

/// Hands connections to the workers in turn, until it is stopped.
async fn accept(listener: TcpListener, workers: &Workers, stop: impl Future<Output = ()>) {
    let slots = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    let mut turns = workers.0.iter().cycle();
    tokio::pin!(stop);
    loop {
        // Waiting for a slot belongs into the select, or a full server could not be stopped.
        let next = async {
            let slot = slots.clone().acquire_owned().await.expect("the semaphore is never closed");
            (slot, listener.accept().await)
        };
        let (slot, accepted) = tokio::select! {
            next = next => next,
            () = &mut stop => return,
        };
        let Ok((Ok(stream), peer)) = accepted.map(|(stream, peer)| (stream.into_std(), peer))
        else {
            // Out of descriptors, most likely: give connections some time to end.
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        if let Some((worker, _)) = turns.next() {
            // A worker only goes away when this loop has ended.
            let _ = worker.send((stream, peer, slot));
        }
    }
}

/// Serves the connections that come, until no more come and those are closed.
async fn work(mut connections: UnboundedReceiver<Connection>, app: Arc<App>, timeouts: Timeouts) {
    let (graceful, open) = (GracefulShutdown::new(), Arc::new(Open::default()));
    let (mut looks, mut number) = (interval(LOOK), 0);
    looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        let next = tokio::select! {
            next = connections.recv() => next,
            _ = looks.tick(), if !open.is_empty() => {
                open.end_overdue(Instant::now());
                continue;
            }
        };
        let Some((stream, peer, slot)) = next else { break };
        // Out of descriptors, most likely: the connection ends.
        let Ok(stream) = TcpStream::from_std(stream) else { continue };
        let patience = Arc::new(Patience::new(timeouts, Instant::now()));
        let connection = graceful.watch(connection(stream, peer, app.clone(), patience.clone()));
        let place = open.place(number);
        let task = tokio::spawn(async move {
            // An error means that the peer went away or broke the protocol, or that the rest of a body cannot be made:
            // nobody is left to tell.
            let _ = connection.await;
            drop((slot, place));
        });
        open.put(number, patience, task.abort_handle());
        number += 1;
    }
    // Connections that are still open after that are dropped.
    let _ = timeout(STOP_TIMEOUT, graceful.shutdown()).await;
}

/// A connection with all its limits.
fn connection(
    stream: TcpStream,
    peer: SocketAddr,
    app: Arc<App>,
    patience: Arc<Patience>,
) -> impl hyper_util::server::graceful::GracefulConnection<Error = hyper::Error> {
    // Responses are written at once, so delaying packets only costs time.
    let _ = stream.set_nodelay(true);
    let stream = Patient::new(stream, patience.clone());
    // One counter for each connection: the workers would compete for one of all.
    let shared = Arc::new((app, patience));
    let service = service_fn(move |request: hyper::Request<Incoming>| {
        let shared = shared.clone();
        async move {
            let (app, patience) = &*shared;
            patience.expect_nothing();
            let (head, body) = request.into_parts();
            let upload = match head.method {
                Method::POST => receive(body).await,
                _ => Upload::Whole(hyper::body::Bytes::new()),
            };
            let request = Request { head, upload, peer: peer.ip(), now: Now::read() };
            let mut response = answer(app, request).await?;
            if response.body().is_whole() {
                patience.expect_request(Instant::now());
            } else {
                let deadline = response.extensions().get().map(|Deadline(until)| *until);
                patience.expect_read(deadline);
                response.body_mut().tell_end(Ending(patience.clone()));
            }
            Ok::<_, io::Error>(response)
        }
    });
    http1::Builder::new()
        .max_buf_size(MAX_HEAD)
        // A client that closes its sending side after the request still gets the response.
        .half_close(true)
        .serve_connection(stream, service)
}

/// Answers a request: here, or where it holds up no other. Fails only where a bug lost the answer, and that ends the
/// connection.
async fn answer(app: &Arc<App>, request: Request) -> io::Result<Response<Payload>> {
    let mut caller = app.access().identify(&request);
    let is_form = request.head.method == Method::POST;
    if (caller.is_err() || is_form) && app.access().has_unknown_key(&request) {
        refresh_for(app.access(), &request).await;
        caller = app.access().identify(&request);
    }
    match app.answer(request, caller) {
        Answered::Now(response) => Ok(response),
        Answered::Later(Later { on: Threads::Pool, work }) => {
            app.pool().run(work).await.map_err(io::Error::other)
        }
        Answered::Later(Later { on: Threads::Waiting, work }) => {
            tokio::task::spawn_blocking(work).await.map_err(io::Error::other)
        }
    }
}

/// Waits until the keys have been refreshed after this call, so that one that another program issued a moment
/// ago is known. A refresh that completes first may have begun before the call; the second has not.
async fn refresh_for(access: &Access, request: &Request) {
    let mut refreshes = access.refresh_signal().subscribe();
    for _ in 0..2 {
        access.refresh_signal().signal(Signal::Refresh);
        let refreshed = timeout(REFRESH_TIMEOUT, refreshes.changed()).await;
        if !matches!(refreshed, Ok(Ok(()))) || !access.has_unknown_key(request) {
            return;
        }
    }
}

/// The body of a request, if it is short and comes soon.
async fn receive(body: Incoming) -> Upload {
    match timeout(BODY_TIMEOUT, collect(body)).await {
        Ok(Ok(upload)) => upload,
        Ok(Err(_)) => Upload::Broken("the body is broken off"),
        Err(_) => Upload::Broken("the body took too long to arrive"),
    }
}

async fn collect(mut body: Incoming) -> hyper::Result<Upload> {
    let (mut bytes, mut length) = (Vec::new(), 0);
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame?.into_data() else { continue };
        length += data.len();
        if length <= MAX_UPLOAD {
            bytes.extend_from_slice(&data);
        } else if length > MAX_DISCARDED {
            break;
        }
    }
    Ok(if length <= MAX_UPLOAD { Upload::Whole(bytes.into()) } else { Upload::TooLarge })
}

#[cfg(test)]
mod tests;
