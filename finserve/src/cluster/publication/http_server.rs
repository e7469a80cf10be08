//! Publications on an HTTP server, which can only be read.
use std::{
    io::Read,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use ureq::{
    Agent, Body,
    config::AutoHeaderValue,
    http::{HeaderMap, Response},
};

use super::store::{MANIFEST, Store, read_manifest};
use crate::{
    net::http_client::{self, ProxyMode},
    sources::BaseUrl,
};

/// Between two looks at a manifest, most of which are answered by 304.
pub(super) const PAUSE: Duration = Duration::from_secs(2);

/// A name must be resolved and a connection made within this time.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// How long a server may be silent.
const SILENCE: Duration = Duration::from_secs(20);
/// The longest that a manifest may take, and a file.
const MANIFEST_TIMEOUT: Duration = Duration::from_secs(10);
const FILE_TIMEOUT: Duration = Duration::from_secs(1800);

/// A server with publications below an address.
pub(super) struct HttpServer {
    base: BaseUrl,
    http: Http,
}

impl HttpServer {
    pub(super) fn new(base: BaseUrl) -> Result<HttpServer, String> {
        let http = Http::new(base.proxy_mode())?;
        Ok(HttpServer { base, http })
    }
}

impl Store for HttpServer {
    fn manifest(&self) -> Result<Option<Vec<u8>>, String> {
        self.http.manifest(&self.base.join(&format!("/{MANIFEST}")))
    }

    fn open(&self, name: &str) -> Result<Box<dyn Read>, String> {
        self.http.open(name, &self.base.join(&format!("/{name}")))
    }

    fn pause(&self) -> Duration {
        PAUSE
    }
}

/// Asks a server. No message repeats an address, which may be signed.
pub(super) struct Http {
    pub(super) agent: Agent,
    /// The manifest that was read last, with what the server said about it.
    known: Mutex<Option<CachedManifest>>,
}

struct CachedManifest {
    etag: Option<String>,
    modified: Option<String>,
    bytes: Vec<u8>,
}

impl Http {
    pub(super) fn new(way: ProxyMode) -> Result<Http, String> {
        let config = http_client::agent(way, FILE_TIMEOUT)?
            // Files are compressed already, and their length is known.
            .accept_encoding(AutoHeaderValue::None)
            .max_redirects(5)
            .timeout_resolve(Some(CONNECT_TIMEOUT))
            .timeout_connect(Some(CONNECT_TIMEOUT))
            .timeout_recv_response(Some(SILENCE))
            .timeout_per_read(Some(SILENCE))
            .build();
        Ok(Http { agent: config.new_agent(), known: Mutex::default() })
    }

    /// The manifest at an address; asked for only if it has changed.
    pub(super) fn manifest(&self, url: &str) -> Result<Option<Vec<u8>>, String> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let mut request =
            self.agent.get(url).config().timeout_global(Some(MANIFEST_TIMEOUT)).build();
        if let Some(known) = &*known {
            if let Some(etag) = &known.etag {
                request = request.header("If-None-Match", etag);
            }
            if let Some(modified) = &known.modified {
                request = request.header("If-Modified-Since", modified);
            }
        }
        let response = request.call().map_err(|err| describe_failure(MANIFEST, &err))?;
        match (response.status().as_u16(), &*known) {
            (304, Some(known)) => return Ok(Some(known.bytes.clone())),
            (404, _) => {
                *known = None;
                return Ok(None);
            }
            (200, _) => (),
            (status, _) => return Err(unexpected_status(MANIFEST, status)),
        }
        let (etag, modified) = validators(response.headers());
        let bytes = read_manifest(response.into_body().into_reader())?;
        *known = Some(CachedManifest { etag, modified, bytes: bytes.clone() });
        Ok(Some(bytes))
    }

    /// The file at an address.
    pub(super) fn open(&self, name: &str, url: &str) -> Result<Box<dyn Read>, String> {
        let response = expect(name, &[200], self.agent.get(url).call())?;
        Ok(Box::new(response.into_body().into_reader()))
    }
}

fn validators(headers: &HeaderMap) -> (Option<String>, Option<String>) {
    let header = |name: &str| Some(headers.get(name)?.to_str().ok()?.to_owned());
    (header("etag"), header("last-modified"))
}

/// The answer, if it has one of these status codes.
pub(super) fn expect(
    name: &str,
    wanted: &[u16],
    answer: Result<Response<Body>, ureq::Error>,
) -> Result<Response<Body>, String> {
    let response = answer.map_err(|err| describe_failure(name, &err))?;
    match response.status().as_u16() {
        status if wanted.contains(&status) => Ok(response),
        status => Err(unexpected_status(name, status)),
    }
}

fn unexpected_status(name: &str, status: u16) -> String {
    format!("{name}: the server answered {status}")
}

fn describe_failure(name: &str, err: &ureq::Error) -> String {
    let why = match err {
        ureq::Error::Timeout(_) => "no answer in time".to_owned(),
        ureq::Error::HostNotFound => "the host name cannot be resolved".to_owned(),
        ureq::Error::ConnectionFailed => "the server cannot be reached".to_owned(),
        ureq::Error::Io(err) => err.to_string(),
        ureq::Error::Tls(why) => format!("no secure connection ({why})"),
        ureq::Error::Rustls(err) => format!("no secure connection ({err})"),
        _ => "the request failed".to_owned(),
    };
    format!("{name}: {why}")
}
