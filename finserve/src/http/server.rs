//! Connections in, responses out. All that is `async` is here.
use std::{
    convert::Infallible,
    io,
    net::SocketAddr,
    sync::Arc,
    time::{Duration, Instant},
};

use chrono::Utc;
use fincore::{Error, Result};
use http_body_util::BodyExt;
use hyper::{Method, body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::graceful::GracefulShutdown,
};
use tokio::{
    net::{TcpListener, TcpStream},
    signal::unix::{SignalKind, signal},
    sync::Semaphore,
};
use tokio_io_timeout::TimeoutStream;

use crate::{
    access::Access,
    answer::App,
    cli,
    housekeeping::Housekeeping,
    open_accounts, open_catalogue, print,
    request::{MAX_UPLOAD, Now, Request, Upload},
};

/// Connections beyond this many wait in the kernel's queue.
const MAX_CONNECTIONS: usize = 4096;
/// How long a peer may take to send the head of a request, and to be silent between two.
const HEAD_TIMEOUT: Duration = Duration::from_secs(15);
/// How long a peer may take to send a body.
const BODY_TIMEOUT: Duration = Duration::from_secs(15);
/// How much of a longer body is heard out: a connection that is closed while its peer still sends
/// often takes the answer with it.
const MAX_HEARD: usize = 1024 * 1024;
/// How long a peer may leave an answer unread.
const WRITE_TIMEOUT: Duration = Duration::from_secs(30);
/// The longest head of a request, in bytes.
const MAX_HEAD: usize = 16 * 1024;
/// How long requests under way may take after a signal to stop.
const STOP_TIMEOUT: Duration = Duration::from_secs(10);

/// Serves until SIGINT or SIGTERM.
pub(crate) fn run(args: &cli::Serve) -> Result<()> {
    let catalogue = open_catalogue(&args.data.dir)?;
    let access = Access::new(open_accounts(&args.data.dir)?, args, Instant::now());
    let app = Arc::new(App::new(catalogue, access));
    let cannot =
        |context: String| move |err: io::Error| Error::Storage { context, source: err.into() };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(cannot("cannot start".into()))?;
    let housekeeping = Housekeeping::start(&app);
    let served = runtime.block_on(async {
        let listening = cannot(format!("cannot listen on {}", args.listen));
        let listener = TcpListener::bind(args.listen).await.map_err(listening)?;
        let address = listener.local_addr().map_err(cannot("cannot listen".into()))?;
        let stop = stop_signal().map_err(cannot("cannot listen for signals".into()))?;
        print(&format!("finserve {} listens on http://{address}\n", env!("CARGO_PKG_VERSION")))?;
        serve(listener, app.clone(), stop).await;
        Ok(())
    });
    // Once nobody counts any more, the last counts are written.
    drop(runtime);
    housekeeping.stop();
    served.and(app.access.flush())
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

async fn serve(listener: TcpListener, app: Arc<App>, stop: impl Future<Output = ()>) {
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
        let connection = graceful.watch(connection(stream, peer, app.clone()));
        tokio::spawn(async move {
            // An error means that the peer went away or broke the protocol: nobody is left to tell.
            let _ = connection.await;
            drop(slot);
        });
    }
    drop(listener);
    // Who has not finished by then is cut off.
    let _ = tokio::time::timeout(STOP_TIMEOUT, graceful.shutdown()).await;
}

/// A connection with all its limits.
fn connection(
    stream: TcpStream,
    peer: SocketAddr,
    app: Arc<App>,
) -> impl hyper_util::server::graceful::GracefulConnection<Error = hyper::Error> {
    // Answers are written whole, so waiting for more to send only costs time.
    let _ = stream.set_nodelay(true);
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(WRITE_TIMEOUT));
    let service = service_fn(move |request: hyper::Request<Incoming>| {
        let app = app.clone();
        async move {
            let (head, body) = request.into_parts();
            let upload = match head.method {
                Method::POST => receive(body).await,
                _ => Upload::Whole(hyper::body::Bytes::new()),
            };
            // Most queries take microseconds: handing them to another thread would cost more than
            // they do. What may take longer makes room for others by itself.
            let now = Now { instant: Instant::now(), utc: Utc::now() };
            Ok::<_, Infallible>(app.answer(&Request { head, upload, peer: peer.ip() }, now))
        }
    });
    http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .max_buf_size(MAX_HEAD)
        .serve_connection(TokioIo::new(Box::pin(stream)), service)
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
        } else if length > MAX_HEARD {
            break;
        }
    }
    Ok(if length <= MAX_UPLOAD { Upload::Whole(bytes.into()) } else { Upload::TooLarge })
}
