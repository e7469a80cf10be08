//! The admin address, for operators: `/metrics`, `/ready`, `/live`.
use std::{
    convert::Infallible,
    fmt,
    sync::{Arc, OnceLock},
    thread,
    time::{Duration, Instant},
};

use http_body_util::Full;
use hyper::{
    Method, Request, Response, StatusCode,
    body::{Bytes, Incoming},
    header::{CONTENT_TYPE, HOST, HeaderValue},
    server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::{TokioIo, TokioTimer};
use serde_json::json;
use tokio::{net::TcpStream, sync::Semaphore, task::spawn_blocking, time::timeout};

use super::{readiness::Readiness, workers::Workers};
use crate::{
    net::{
        http_date::{self, WRONG_CLOCK},
        listener::{Listener, answer_by_hand},
    },
    site::host_header::is_own_name,
};

/// The most connections at once; there are few operators.
const CONNECTIONS: usize = 32;
/// How long a peer may take to send a request.
const HEAD_TIMEOUT: Duration = Duration::from_secs(5);
/// How long a connection may last: a monitor can connect again.
const LONGEST_CONNECTION: Duration = Duration::from_secs(300);

/// The media type of Prometheus' text format.
const METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
const TEXT: &str = "text/plain; charset=utf-8";
const JSON: &str = "application/json";

/// The metrics of a server as Prometheus reads them.
pub(crate) type MetricsText = Box<dyn Fn() -> Result<String, fmt::Error> + Send + Sync>;

/// The routes of the admin address.
pub(crate) struct Admin {
    pub(crate) ready: Arc<Readiness>,
    /// Set once the server has started.
    pub(crate) metrics: OnceLock<MetricsText>,
    pub(crate) workers: OnceLock<Arc<Workers>>,
}

impl Admin {
    pub(crate) fn new(ready: &Arc<Readiness>) -> Arc<Admin> {
        let (metrics, workers) = (OnceLock::new(), OnceLock::new());
        Arc::new(Admin { ready: ready.clone(), metrics, workers })
    }

    /// Answers on a thread of its own, for as long as the program runs, to those who call it by an address, as `localhost`, or by
    /// one of these names.
    pub(crate) fn serve(self: &Arc<Admin>, listener: Listener, names: Vec<String>) {
        let (admin, names) = (self.clone(), Arc::new(names));
        thread::spawn(move || {
            let slots = Arc::new(Semaphore::new(CONNECTIONS));
            listener.serve_each(|stream| {
                let (admin, names, slots) = (admin.clone(), names.clone(), slots.clone());
                async move {
                    // Without a free slot the connection is closed; the monitor tries again.
                    let Ok(_slot) = slots.try_acquire() else { return };
                    let _ = timeout(LONGEST_CONNECTION, connection(stream, &admin, &names)).await;
                }
            });
        });
    }

    async fn answer(
        self: &Arc<Admin>,
        request: &Request<Incoming>,
        names: &[String],
    ) -> Response<Full<Bytes>> {
        // Old probes send no `Host`. Browsers always do, with the name of the site that they think they are at.
        let is_own = |host: &HeaderValue| host.to_str().is_ok_and(|host| is_own_name(host, names));
        if !request.headers().get_all(HOST).iter().all(is_own) {
            let words = "call this by its address, as localhost, or by the name that --admin has\n";
            return response(StatusCode::MISDIRECTED_REQUEST, TEXT, words.into());
        }
        if ![Method::GET, Method::HEAD].contains(request.method()) {
            return response(StatusCode::METHOD_NOT_ALLOWED, TEXT, "only GET and HEAD\n".into());
        }
        match request.uri().path() {
            "/live" => response(StatusCode::OK, TEXT, "live\n".into()),
            "/ready" => self.ready(),
            "/metrics" => {
                let admin = self.clone();
                // It reads files, which must not delay other requests.
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
        // Requests are answered without the workers that are late, so they are only named.
        let late = self.workers.get().map(|workers| workers.late(Instant::now()));
        let late = late.unwrap_or_default();
        let body = json!({ "ready": reasons.is_empty(), "reasons": reasons, "late": late });
        response(status, JSON, format!("{body}\n"))
    }

    fn metrics(&self) -> Response<Full<Bytes>> {
        let Some(metrics) = self.metrics.get() else {
            return response(StatusCode::SERVICE_UNAVAILABLE, TEXT, "starting\n".into());
        };
        match metrics() {
            Ok(text) => response(StatusCode::OK, METRICS, text),
            Err(err) => response(StatusCode::INTERNAL_SERVER_ERROR, TEXT, format!("{err}\n")),
        }
    }
}

async fn connection(stream: TcpStream, admin: &Arc<Admin>, names: &Arc<Vec<String>>) {
    if !http_date::is_writable() {
        return answer_by_hand(stream, WRONG_CLOCK).await;
    }
    let service = service_fn(|request| {
        let (admin, names) = (admin.clone(), names.clone());
        async move { Ok::<_, Infallible>(admin.answer(&request, &names).await) }
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEAD_TIMEOUT);
    // An error of the connection means that the peer has gone.
    let _ = http.serve_connection(TokioIo::new(stream), service).await;
}

fn response(status: StatusCode, media: &'static str, body: String) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from(body)));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(media));
    response
}
