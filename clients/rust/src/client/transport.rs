//! Connections to a server: kept open between requests, with TLS, through a proxy where the environment names one.
use std::{error::Error as StdError, io, sync::Arc, time::Duration};

use http_body_util::Empty;
use hyper::{
    Request, Response,
    body::{Bytes, Incoming},
};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::{
    client::{
        legacy::{
            self, Client,
            connect::{HttpConnector, proxy::Tunnel},
        },
        proxy::matcher::Matcher,
    },
    rt::{TokioExecutor, TokioTimer},
};
use rustls::{ClientConfig, RootCertStore, crypto::ring};

use super::base_address::BaseAddress;
use crate::error::{Error, Result};

/// How long a connection stays open without a request: less than servers and proxies usually allow.
const LONGEST_IDLE: Duration = Duration::from_secs(30);

/// Connections of one kind. All requests go to one host, so that it is known beforehand whether a proxy is between.
#[derive(Debug)]
pub(super) enum Transport {
    Direct(Client<HttpsConnector<HttpConnector>, Empty<Bytes>>),
    Proxied(Client<HttpsConnector<Tunnel<HttpConnector>>, Empty<Bytes>>),
}

impl Transport {
    /// Connections to this address. Connecting to one of its addresses may take so long.
    pub(super) fn new(
        base: &BaseAddress,
        tls: Option<Arc<ClientConfig>>,
        connect_timeout: Duration,
    ) -> Result<Transport> {
        let tls = match tls {
            Some(tls) => (*tls).clone(),
            None => usual_tls()?,
        };
        let mut tcp = HttpConnector::new();
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        tcp.set_connect_timeout(Some(connect_timeout));
        let secure =
            HttpsConnectorBuilder::new().with_tls_config(tls).https_or_http().enable_http1();
        let mut pool = Client::builder(TokioExecutor::new());
        pool.pool_idle_timeout(LONGEST_IDLE).pool_timer(TokioTimer::new());
        let proxy = base.join("").filter(|_| !base.is_local());
        let Some(proxy) = proxy.and_then(|uri| Matcher::from_env().intercept(&uri)) else {
            return Ok(Transport::Direct(pool.build(secure.wrap_connector(tcp))));
        };
        let scheme = proxy.uri().scheme_str().unwrap_or_default();
        if scheme != "http" {
            let message = format!("a proxy of the kind {scheme:?} is not supported; expected http");
            return Err(Error::Setup { message });
        }
        let mut tunnel = Tunnel::new(proxy.uri().clone(), tcp);
        if let Some(authorization) = proxy.basic_auth() {
            tunnel = tunnel.with_auth(authorization.clone());
        }
        Ok(Transport::Proxied(pool.build(secure.wrap_connector(tunnel))))
    }

    pub(super) async fn send(
        &self,
        request: Request<Empty<Bytes>>,
    ) -> Result<Response<Incoming>, legacy::Error> {
        match self {
            Transport::Direct(client) => client.request(request).await,
            Transport::Proxied(client) => client.request(request).await,
        }
    }
}

/// The certificates of the usual authorities.
fn usual_tls() -> Result<ClientConfig> {
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|err| Error::Setup { message: err.to_string() })?;
    let roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    Ok(config.with_root_certificates(roots).with_no_client_auth())
}

/// Why there is no answer, in words: the reason at the bottom of an error.
pub(super) fn reason(err: &(dyn StdError + 'static)) -> String {
    let mut innermost = err;
    loop {
        if let Some(io) = innermost.downcast_ref::<io::Error>()
            && let Some(reason) = reason_of_io(io)
        {
            return reason;
        }
        match innermost.source() {
            Some(source) => innermost = source,
            None => return format!("the connection failed ({innermost})"),
        }
    }
}

fn reason_of_io(err: &io::Error) -> Option<String> {
    if let Some(tls) = err.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>()) {
        return Some(format!("no secure connection ({tls})"));
    }
    let reason = match err.kind() {
        io::ErrorKind::ConnectionRefused => "the server refuses connections",
        io::ErrorKind::TimedOut => "the server did not answer in time",
        io::ErrorKind::UnexpectedEof
        | io::ErrorKind::ConnectionReset
        | io::ErrorKind::ConnectionAborted
        | io::ErrorKind::BrokenPipe => "the server broke off the connection",
        io::ErrorKind::NetworkUnreachable | io::ErrorKind::HostUnreachable => {
            "the network cannot be reached"
        }
        _ if err.to_string().contains("lookup address") => "the host name cannot be resolved",
        _ => return None,
    };
    Some(reason.to_owned())
}
