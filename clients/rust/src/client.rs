//! A server over HTTP: one request, its answer, and the waits in between.
use std::{io::Read, sync::Arc, time::Duration};

use fincore::{Key, printable};
use flate2::read::GzDecoder;
use http_body_util::{BodyExt, Empty, Limited};
use hyper::{
    HeaderMap, Request,
    header::{
        ACCEPT, ACCEPT_ENCODING, CONTENT_ENCODING, HeaderValue, LOCATION, RETRY_AFTER, USER_AGENT,
    },
};
use rustls::ClientConfig;
use serde::de::DeserializeOwned;
use tokio::time;

use crate::{
    error::{Error, Result},
    target::Target,
};

mod base_address;
mod refusal;
mod transport;
use base_address::BaseAddress;
use transport::{Transport, reason};

/// The longest answer, in bytes: ten times what ten thousand rows take.
const LONGEST_ANSWER: usize = 64 << 20;

/// The shortest wait between two tries, for a server that says 0.
const SHORTEST_WAIT: Duration = Duration::from_millis(100);

/// The settings of a client.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The key to ask with; without one, requests are on the Free plan.
    pub key: Option<Key>,
    /// How long a request may take, all of it but the waits: a minute. A server gives up on an answer after half a minute.
    pub timeout: Duration,
    /// How long connecting to an address of the host may take: ten seconds.
    pub connect_timeout: Duration,
    /// How long one query may wait altogether where the server says when to ask again (`Retry-After`), because the limit is
    /// used up or the server is busy. Zero, the default, reports that at once. Limits are counted by the minute, so that a
    /// minute is always enough for a key that is used only here.
    pub longest_wait: Duration,
    /// Certificates and versions of TLS; by default the usual authorities.
    pub tls: Option<Arc<ClientConfig>>,
    /// The name under which the program asks.
    pub user_agent: String,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            key: None,
            timeout: Duration::from_secs(60),
            connect_timeout: Duration::from_secs(10),
            longest_wait: Duration::ZERO,
            tls: None,
            user_agent: concat!("finserve-client/", env!("CARGO_PKG_VERSION")).to_owned(),
        }
    }
}

/// A server of finserve. Clones share its connections.
///
/// It needs a `tokio` runtime. Where `HTTPS_PROXY` or `HTTP_PROXY` names a proxy, requests go through it, unless the server
/// is on this machine or `NO_PROXY` names it. Redirections are not followed: another host must not get the key.
#[derive(Clone, Debug)]
pub struct Client(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    base: BaseAddress,
    settings: Settings,
    transport: Transport,
}

/// An answer as it came, whatever its status.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Reply {
    /// The status code.
    pub status: u16,
    /// The body.
    pub body: String,
    /// The value of `Retry-After`.
    pub retry_after: Option<Duration>,
    /// The value of `Location`.
    pub location: Option<String>,
}

impl Client {
    /// A client of the server at this address, with or without a path: `https://data.example.com/finance`. It connects with
    /// the first request.
    ///
    /// Fails for a text that is no such address.
    ///
    /// ```
    /// use finserve_client::{Client, Settings};
    ///
    /// let key = "fin_…".parse().ok();
    /// let client = Client::new("http://localhost:8080", Settings { key, ..Settings::default() })?;
    /// assert!(Client::new("localhost:8080", Settings::default()).is_err());
    /// # Ok::<(), finserve_client::Error>(())
    /// ```
    pub fn new(address: &str, settings: Settings) -> Result<Client> {
        let base = BaseAddress::parse(address)?;
        let transport = Transport::new(&base, settings.tls.clone(), settings.connect_timeout)?;
        Ok(Client(Arc::new(Inner { base, settings, transport })))
    }

    /// The address of the server, without a slash at the end.
    #[must_use]
    pub fn address(&self) -> &str {
        self.0.base.as_str()
    }

    /// The answer to a path of the API and its query string, both percent-encoded, whatever its status: for what has no typed
    /// query. It waits like a query. Fails only if no answer comes.
    pub async fn fetch(&self, path_and_query: &str) -> Result<Reply> {
        let mut left = self.0.settings.longest_wait;
        loop {
            let reply = self.fetch_once(path_and_query).await?;
            let wait = reply.retry_after.filter(|_| [429, 503].contains(&reply.status));
            match wait.map(|wait| wait.max(SHORTEST_WAIT)) {
                Some(wait) if wait <= left => {
                    left -= wait;
                    time::sleep(wait).await;
                }
                _ => return Ok(reply),
            }
        }
    }

    /// The typed answer.
    pub(crate) async fn ask<A: DeserializeOwned>(&self, target: &Target) -> Result<A> {
        let reply = self.fetch(&target.path_and_query()).await?;
        if reply.status != 200 {
            return Err(refusal::error(&self.0.base, reply));
        }
        serde_json::from_str(&reply.body).map_err(|err| Error::Unexpected {
            message: format!(
                "{}: the answer cannot be read ({err}); is it a finserve server of this version?",
                self.address()
            ),
        })
    }

    async fn fetch_once(&self, path_and_query: &str) -> Result<Reply> {
        let answer = time::timeout(self.0.settings.timeout, self.exchange(path_and_query)).await;
        answer.unwrap_or_else(|_| Err(self.unreachable("the server did not answer in time", None)))
    }

    async fn exchange(&self, path_and_query: &str) -> Result<Reply> {
        let Inner { base, settings, transport } = &*self.0;
        let wrong =
            || Error::Setup { message: format!("{path_and_query:?} is no path of the API") };
        let uri = base.join(path_and_query).ok_or_else(wrong)?;
        let mut request = Request::get(uri)
            .header(ACCEPT, "application/json")
            .header(ACCEPT_ENCODING, "gzip")
            .header(USER_AGENT, &settings.user_agent);
        if let Some(key) = &settings.key {
            let mut key = HeaderValue::from_str(key.reveal()).map_err(|_| wrong())?;
            key.set_sensitive(true);
            request = request.header("X-API-Key", key);
        }
        let request = request.body(Empty::new()).map_err(|_| wrong())?;
        let reply = transport.send(request).await;
        let reply = reply.map_err(|err| self.unreachable(&reason(&err), Some(err.into())))?;
        let (head, body) = reply.into_parts();
        let body = Limited::new(body, LONGEST_ANSWER).collect().await;
        let body = body.map_err(|err| self.unreachable(&reason(&*err), Some(err)))?.to_bytes();
        let retry_after = text(&head.headers, &RETRY_AFTER).and_then(|text| text.parse().ok());
        Ok(Reply {
            status: head.status.as_u16(),
            body: self.decode(&head.headers, &body)?,
            retry_after: retry_after.map(Duration::from_secs),
            location: text(&head.headers, &LOCATION).map(str::to_owned),
        })
    }

    /// The text of a body, which may be compressed.
    fn decode(&self, headers: &HeaderMap, body: &[u8]) -> Result<String> {
        let damaged = |_| self.unreachable("the answer is damaged", None);
        if text(headers, &CONTENT_ENCODING) != Some("gzip") {
            return String::from_utf8(body.to_vec()).map_err(|_| damaged(()));
        }
        let (mut decoded, most) = (String::new(), LONGEST_ANSWER as u64);
        let read = GzDecoder::new(body).take(most).read_to_string(&mut decoded);
        read.map_err(|_| damaged(()))?;
        Ok(decoded)
    }

    fn unreachable(
        &self,
        reason: &str,
        source: Option<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Error {
        let (address, reason) = (self.address().to_owned(), printable(reason).into_owned());
        Error::Unreachable { address, reason, source }
    }
}

/// The text of a header field.
fn text<'h>(headers: &'h HeaderMap, name: &hyper::header::HeaderName) -> Option<&'h str> {
    headers.get(name)?.to_str().ok()
}

#[cfg(test)]
mod tests;
