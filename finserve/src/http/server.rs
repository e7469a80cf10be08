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
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::graceful::GracefulShutdown,
};
use tokio::{
    net::{TcpListener, TcpStream},
    runtime::{Builder, Runtime},
    signal::unix::{SignalKind, signal},
    sync::{
        OwnedSemaphorePermit, Semaphore,
        mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel},
        watch,
    },
};
use tokio_io_timeout::TimeoutStream;

use super::{
    access::{Access, Signal},
    answer::{Answered, App, Later, Threads},
    payload::Payload,
    reply::Deadline,
    request::{MAX_UPLOAD, Request, Upload},
};
use crate::now::Now;

/// Connections beyond this many wait in the kernel's queue.
const MAX_CONNECTIONS: usize = 4096;
/// How long a peer may take to send the head of a request, and to be silent between two.
const HEAD_TIMEOUT: Duration = Duration::from_secs(15);
/// How long a peer may take to send a body.
const BODY_TIMEOUT: Duration = Duration::from_secs(15);
/// How much of a longer body is read and discarded: closing a connection while the peer still sends often
/// loses the response.
const MAX_DISCARDED: usize = 1024 * 1024;
/// How long a peer may leave an answer unread.
const WRITE_TIMEOUT: Duration = Duration::from_secs(30);
/// The longest head of a request, in bytes.
const MAX_HEAD: usize = 16 * 1024;
/// How long requests under way may take after a signal to stop.
const STOP_TIMEOUT: Duration = Duration::from_secs(10);

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
    let workers = Workers::start(app, WRITE_TIMEOUT)?;
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
    fn start(app: &Arc<App>, write_timeout: Duration) -> io::Result<Workers> {
        let count = thread::available_parallelism().map_or(1, NonZero::get);
        let started = (0..count).map(|_| {
            let (sender, receiver) = unbounded_channel();
            let runtime = Builder::new_current_thread().enable_all().build()?;
            let app = app.clone();
            let serve = move || runtime.block_on(work(receiver, app, write_timeout));
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
async fn work(
    mut connections: UnboundedReceiver<Connection>,
    app: Arc<App>,
    write_timeout: Duration,
) {
    let graceful = GracefulShutdown::new();
    while let Some((stream, peer, slot)) = connections.recv().await {
        // Out of descriptors, most likely: the connection ends.
        let Ok(stream) = TcpStream::from_std(stream) else { continue };
        let (deadline, deadlines) = watch::channel(None);
        let mut stream = TimeoutStream::new(stream);
        stream.set_write_timeout(Some(write_timeout));
        let connection = graceful.watch(connection(stream, peer, app.clone(), deadline));
        tokio::spawn(async move {
            tokio::select! {
                // An error means that the peer went away or broke the protocol, or that the rest of a body cannot
                // be made: nobody is left to tell.
                _ = connection => (),
                () = overdue(deadlines) => (),
            }
            drop(slot);
        });
    }
    // Connections that are still open after that are dropped.
    let _ = tokio::time::timeout(STOP_TIMEOUT, graceful.shutdown()).await;
}

/// Waits until the response under way has not been read by its deadline.
///
/// The time-out for writing cuts peers that read nothing at all; this cuts those that read a little now and then.
async fn overdue(mut deadlines: watch::Receiver<Option<Instant>>) {
    loop {
        let deadline = *deadlines.borrow_and_update();
        let passed = async {
            match deadline {
                Some(deadline) => tokio::time::sleep_until(deadline.into()).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = passed => return,
            changed = deadlines.changed() => if changed.is_err() {
                // The connection has ended, which is for others to notice.
                std::future::pending::<()>().await;
            },
        }
    }
}

/// A connection with all its limits. It tells by when the response under way must have been read.
fn connection(
    stream: TimeoutStream<TcpStream>,
    peer: SocketAddr,
    app: Arc<App>,
    deadline: watch::Sender<Option<Instant>>,
) -> impl hyper_util::server::graceful::GracefulConnection<Error = hyper::Error> {
    // Responses are written at once, so delaying packets only costs time.
    let _ = stream.get_ref().set_nodelay(true);
    let deadline = Arc::new(deadline);
    let service = service_fn(move |request: hyper::Request<Incoming>| {
        let (app, deadline) = (app.clone(), deadline.clone());
        async move {
            let (head, body) = request.into_parts();
            let upload = match head.method {
                Method::POST => receive(body).await,
                _ => Upload::Whole(hyper::body::Bytes::new()),
            };
            let request = Request { head, upload, peer: peer.ip(), now: Now::read() };
            let response = answer(&app, request).await?;
            let until = response.extensions().get().map(|Deadline(until)| *until);
            // Most responses have none, and then nobody needs to wake up.
            deadline.send_if_modified(|known| std::mem::replace(known, until) != until);
            Ok::<_, io::Error>(response)
        }
    });
    http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .max_buf_size(MAX_HEAD)
        // A client that closes its sending side after the request still gets the response.
        .half_close(true)
        .serve_connection(TokioIo::new(Box::pin(stream)), service)
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
        let refreshed = tokio::time::timeout(REFRESH_TIMEOUT, refreshes.changed()).await;
        if !matches!(refreshed, Ok(Ok(()))) || !access.has_unknown_key(request) {
            return;
        }
    }
}

/// The body of a request, if it is short and comes soon.
async fn receive(body: Incoming) -> Upload {
    match tokio::time::timeout(BODY_TIMEOUT, collect(body)).await {
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
