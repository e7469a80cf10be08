//! What operators ask a server, at an address of its own: `/metrics`, `/ready`, `/live`.
use std::{
    convert::Infallible,
    io,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
    thread,
    time::Duration,
};

use fincore::webhooks;
use http_body_util::Full;
use hyper::{
    Method, Request, Response, StatusCode,
    body::{Bytes, Incoming},
    header::{CONTENT_TYPE, HeaderValue},
    server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::{TokioIo, TokioTimer};
use serde_json::json;
use tokio::{net::TcpStream, sync::Semaphore, task::spawn_blocking, time::timeout};

use crate::{
    cluster::limits::SharedLimits,
    http::{App, Listener},
    metrics::{SharedState, State},
    now::Now,
    ready::{About, Readiness},
};

/// The most connections at once; there are few operators.
const CONNECTIONS: usize = 32;
/// How long a peer may take to send a request.
const HEAD: Duration = Duration::from_secs(5);
/// How long a connection may last: a monitor comes again.
const LONGEST: Duration = Duration::from_secs(300);

/// The media type of Prometheus' text format.
const METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
const TEXT: &str = "text/plain; charset=utf-8";
const JSON: &str = "application/json";

/// What operators are told.
pub(crate) struct Admin {
    pub(crate) ready: Arc<Readiness>,
    /// The directory of the data.
    pub(crate) data: PathBuf,
    /// What answers requests, once it has been started.
    pub(crate) app: OnceLock<Arc<App>>,
}

impl Admin {
    pub(crate) fn new(ready: &Arc<Readiness>, data: &Path) -> Arc<Admin> {
        Arc::new(Admin { ready: ready.clone(), data: data.to_owned(), app: OnceLock::new() })
    }

    /// Answers on a thread of its own, for as long as the program runs.
    pub(crate) fn serve(self: &Arc<Admin>, listener: Listener) {
        let admin = self.clone();
        thread::spawn(move || {
            let slots = Arc::new(Semaphore::new(CONNECTIONS));
            listener.each(|stream| {
                let (admin, slots) = (admin.clone(), slots.clone());
                async move {
                    // Whoever finds all of them taken comes again.
                    let Ok(_slot) = slots.try_acquire() else { return };
                    let _ = timeout(LONGEST, connection(stream, &admin)).await;
                }
            });
        });
    }

    async fn answer(self: &Arc<Admin>, request: &Request<Incoming>) -> Response<Full<Bytes>> {
        if ![Method::GET, Method::HEAD].contains(request.method()) {
            return response(StatusCode::METHOD_NOT_ALLOWED, TEXT, "only GET and HEAD\n".into());
        }
        match request.uri().path() {
            "/live" => response(StatusCode::OK, TEXT, "live\n".into()),
            "/ready" => self.ready(),
            "/metrics" => {
                let admin = self.clone();
                // It reads files, and others do not wait until that fails.
                let metrics = spawn_blocking(move || admin.metrics()).await;
                metrics.unwrap_or_else(|err| {
                    response(StatusCode::INTERNAL_SERVER_ERROR, TEXT, format!("{err}\n"))
                })
            }
            _ => {
                let paths = "there are /metrics, /ready and /live\n";
                response(StatusCode::NOT_FOUND, TEXT, paths.into())
            }
        }
    }

    fn ready(&self) -> Response<Full<Bytes>> {
        let reasons = self.ready.reasons();
        let status =
            if reasons.is_empty() { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
        let body = json!({ "ready": reasons.is_empty(), "reasons": reasons });
        response(status, JSON, format!("{body}\n"))
    }

    fn metrics(&self) -> Response<Full<Bytes>> {
        let Some(app) = self.app.get() else {
            return response(StatusCode::SERVICE_UNAVAILABLE, TEXT, "starting\n".into());
        };
        match app.metrics().text(&self.state(app)) {
            Ok(text) => response(StatusCode::OK, METRICS, text),
            Err(err) => response(StatusCode::INTERNAL_SERVER_ERROR, TEXT, format!("{err}\n")),
        }
    }

    fn state(&self, app: &App) -> State {
        let now = Now::read();
        let snapshot = app.catalogue().snapshot(now.today()).ok();
        let subscriptions = webhooks::all(app.access().accounts()).ok();
        let limits = app.access().shared_limits();
        let pending = |all: Vec<webhooks::Owned>| all.iter().map(|owned| owned.pending).sum();
        State {
            ready: self.ready.reasons().is_empty(),
            data_version: snapshot.as_ref().and_then(|all| all.version().ok()),
            status: snapshot.and_then(|all| app.watch().status(&all).ok()),
            unwritten: app.access().unwritten(),
            shared: SharedState {
                accounts_away: self.ready.is_hindered_by(About::Accounts),
                usage_lost: app.access().lost(),
                limits_away: limits.is_some_and(SharedLimits::is_away),
                limits_alone: limits.map_or(0, SharedLimits::alone),
            },
            webhook_queue: subscriptions.map(pending),
            files: files(&self.data).ok().map(|mut files| {
                // Of a server that follows a published catalogue.
                files.extend(files_below(&self.data, "published"));
                files
            }),
        }
    }
}

fn files_below(data: &Path, directory: &str) -> Vec<(String, u64)> {
    let files = files(&data.join(directory)).unwrap_or_default().into_iter();
    files.map(|(name, bytes)| (format!("{directory}/{name}"), bytes)).collect()
}

/// The sizes of the files in the directory of the data.
fn files(data: &Path) -> io::Result<Vec<(String, u64)>> {
    let mut files = Vec::new();
    for entry in data.read_dir()? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        // It may be gone by now.
        if let (true, Ok(file)) = (name.contains(".db"), entry.metadata()) {
            files.push((name, file.len()));
        }
    }
    Ok(files)
}

async fn connection(stream: TcpStream, admin: &Arc<Admin>) {
    let service = service_fn(|request| {
        let admin = admin.clone();
        async move { Ok::<_, Infallible>(admin.answer(&request).await) }
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEAD);
    // A peer that went away has nobody to tell.
    let _ = http.serve_connection(TokioIo::new(stream), service).await;
}

fn response(status: StatusCode, media: &'static str, body: String) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from(body)));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(media));
    response
}
