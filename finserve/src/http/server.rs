//! Connections in, responses out. All that is `async` is here.
use std::{
    convert::Infallible,
    io,
    net::SocketAddr,
    sync::Arc,
    time::{Duration, Instant},
};

use http_body_util::BodyExt;
use hyper::{Method, body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::graceful::GracefulShutdown,
};
use tokio::{
    net::{TcpListener, TcpStream},
    signal::unix::{SignalKind, signal},
    sync::{Semaphore, watch},
};
use tokio_io_timeout::TimeoutStream;

use super::{
    access::{Access, Signal},
    answer::App,
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

/// A socket that listens, and the runtime that will serve it.
pub(crate) struct Listener {
    runtime: tokio::runtime::Runtime,
    listener: TcpListener,
}

impl Listener {
    /// Listens on the first of these addresses that can be listened on.
    pub(crate) fn bind(addresses: &[SocketAddr]) -> io::Result<Listener> {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
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
    runtime.block_on(async {
        let stop = stop_signal()?;
        started();
        accept(listener, app.clone(), WRITE_TIMEOUT, stop).await;
        Ok(())
    })
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

async fn accept(
    listener: TcpListener,
    app: Arc<App>,
    write_timeout: Duration,
    stop: impl Future<Output = ()>,
) {
    let slots = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    let graceful = GracefulShutdown::new();
    tokio::pin!(stop);
    loop {
        // Waiting for a slot belongs into the select, or a full server could not be stopped.
        let next = async {
            let slot = slots.clone().acquire_owned().await.expect("the semaphore is never closed");
            (slot, listener.accept().await)
        };
        let (slot, accepted) = tokio::select! {
            next = next => next,
            () = &mut stop => break,
        };
        let Ok((stream, peer)) = accepted else {
            // Out of descriptors, most likely: give connections some time to end.
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
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
    drop(listener);
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
            if app.access().has_unknown_key(&request) {
                refresh_for(app.access(), &request).await;
            }
            // Most queries take microseconds, less than handing them to another thread would. The
            // others leave this thread by the cost of their route.
            let response = app.answer(&request);
            let until = response.extensions().get().map(|Deadline(until)| *until);
            // Most responses have none, and then nobody needs to wake up.
            deadline.send_if_modified(|known| std::mem::replace(known, until) != until);
            Ok::<_, Infallible>(response)
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
