//! Connections in, responses out. All that is `async` is here.
#![allow(clippy::print_stdout)]
use std::{convert::Infallible, io, sync::Arc, time::Duration};

use chrono::{TimeDelta, Utc};
use fincore::{Date, Error, Result};
use hyper::{server::conn::http1, service::service_fn};
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

use crate::{answer::App, cli, open_catalogue};

/// Connections beyond this many wait in the kernel's queue.
const MAX_CONNECTIONS: usize = 4096;
/// How long a peer may take to send the head of a request, and to be silent between two.
const HEAD_TIMEOUT: Duration = Duration::from_secs(15);
/// How long a peer may leave an answer unread.
const WRITE_TIMEOUT: Duration = Duration::from_secs(30);
/// The longest head of a request, in bytes.
const MAX_HEAD: usize = 16 * 1024;
/// How long requests under way may take after a signal to stop.
const STOP_TIMEOUT: Duration = Duration::from_secs(10);

/// Serves until SIGINT or SIGTERM.
pub(crate) fn run(args: &cli::Serve) -> Result<()> {
    let catalogue = open_catalogue(&args.data.dir)?;
    let cannot =
        |context: String| move |err: io::Error| Error::Storage { context, source: err.into() };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(cannot("cannot start".into()))?;
    runtime.block_on(async {
        let listening = cannot(format!("cannot listen on {}", args.listen));
        let listener = TcpListener::bind(args.listen).await.map_err(listening)?;
        let address = listener.local_addr().map_err(cannot("cannot listen".into()))?;
        println!("finserve {} listens on http://{address}", env!("CARGO_PKG_VERSION"));
        serve(listener, App::new(catalogue)).await.map_err(cannot("the server failed".into()))
    })
}

async fn serve(listener: TcpListener, app: App) -> io::Result<()> {
    let app = Arc::new(app);
    let slots = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    let graceful = GracefulShutdown::new();
    let (mut interrupt, mut terminate) =
        (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    loop {
        // Waiting for a slot belongs into the select, or a full server could not be stopped.
        let next = async {
            let slot = slots.clone().acquire_owned().await.expect("the semaphore is never closed");
            (slot, listener.accept().await)
        };
        let (slot, accepted) = tokio::select! {
            next = next => next,
            _ = interrupt.recv() => break,
            _ = terminate.recv() => break,
        };
        let Ok((stream, _)) = accepted else {
            // Out of descriptors, most likely: give connections some time to end.
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let connection = graceful.watch(connection(stream, app.clone()));
        tokio::spawn(async move {
            // An error means that the peer went away or broke the protocol: nobody is left to tell.
            let _ = connection.await;
            drop(slot);
        });
    }
    drop(listener);
    // Who has not finished by then is cut off.
    let _ = tokio::time::timeout(STOP_TIMEOUT, graceful.shutdown()).await;
    Ok(())
}

/// A connection with all its limits.
fn connection(
    stream: TcpStream,
    app: Arc<App>,
) -> impl hyper_util::server::graceful::GracefulConnection<Error = hyper::Error> {
    // Answers are written whole, so waiting for more to send only costs time.
    let _ = stream.set_nodelay(true);
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(WRITE_TIMEOUT));
    let service = service_fn(move |request: hyper::Request<hyper::body::Incoming>| {
        let (parts, _body) = request.into_parts();
        // Queries take microseconds: handing them to another thread would cost more than they do.
        let response = app.answer(&parts, today());
        async move { Ok::<_, Infallible>(response) }
    });
    http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .max_buf_size(MAX_HEAD)
        .serve_connection(TokioIo::new(Box::pin(stream)), service)
}

/// The day in Brasília, which has kept UTC−3 all year since 2019.
fn today() -> Date {
    let day = (Utc::now() - TimeDelta::hours(3)).date_naive();
    Date::try_from(day).unwrap_or(Date::MAX)
}
