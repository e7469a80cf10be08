//! What is known of a request once it has been answered: for the log and for what is measured.
use std::{
    net::IpAddr,
    sync::Arc,
    time::{Duration, Instant},
};

use fincore::{Caller, sessions::Holder};
use hyper::{
    Method,
    header::{AUTHORIZATION, HeaderMap, HeaderValue},
    http::request::Parts,
};
use ipnet::{Ipv4Net, Ipv6Net};

use super::headers::{X_API_KEY, X_REQUEST_ID};
use crate::{log::REQUESTS, metrics::Metrics};

/// How much of a key is shown, as it is listed: `fin_AbCdEfGh`.
const PREFIX: usize = 12;

/// A request and how it was answered.
pub(crate) struct Visit {
    /// The place of its row in the table, and that row's path.
    row: Option<usize>,
    route: &'static str,
    method: Method,
    status: u16,
    plan: &'static str,
    key: Option<Box<str>>,
    network: Network,
    id: Option<HeaderValue>,
    begun: Instant,
}

/// The network that a request comes from: an address would tell more than a log should.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Network(IpAddr);

impl Visit {
    /// The visit of a caller, who may be signed in, at an address, who is answered with this status and these headers.
    pub(crate) fn new(
        (head, begun): (&Parts, Instant),
        (row, route): (Option<usize>, &'static str),
        (caller, signed_in): (&Caller, Option<&Holder>),
        address: IpAddr,
        (status, answer): (u16, &HeaderMap),
    ) -> Visit {
        Visit {
            row,
            route,
            method: head.method.clone(),
            status,
            plan: caller.plan.id(),
            key: match signed_in {
                Some(holder) => Some(holder.key.as_str().into()),
                None => caller.id.key().and_then(|_| prefix(&head.headers)),
            },
            network: Network(address),
            id: answer.get(X_REQUEST_ID).cloned(),
            begun,
        }
    }

    /// The answer has been sent, or is on its way as a whole.
    pub(crate) fn end(self, metrics: &Metrics, bytes: u64) {
        let took = self.begun.elapsed();
        let bytes = if self.method == Method::HEAD { 0 } else { bytes };
        metrics.end(self.row, self.status, bytes, took);
        self.log(bytes, took);
    }

    fn log(&self, bytes: u64, took: Duration) {
        tracing::info!(
            target: REQUESTS,
            id = self.id.as_ref().and_then(|id| id.to_str().ok()),
            method = self.method.as_str(),
            route = self.route,
            status = u64::from(self.status),
            plan = self.plan,
            key = self.key.as_deref(),
            from = &*self.network.text(),
            bytes,
            micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX),
            "request"
        );
    }
}

/// A visit whose answer is made while it is sent; it ends when this is dropped.
pub(crate) struct Underway {
    visit: Option<Visit>,
    metrics: Arc<Metrics>,
    sent: u64,
}

impl Underway {
    pub(crate) fn new(visit: Visit, metrics: Arc<Metrics>) -> Underway {
        Underway { visit: Some(visit), metrics, sent: 0 }
    }

    /// So many bytes more were sent.
    pub(crate) fn sent(&mut self, bytes: usize) {
        self.sent += bytes as u64;
    }
}

impl Drop for Underway {
    fn drop(&mut self) {
        if let Some(visit) = self.visit.take() {
            visit.end(&self.metrics, self.sent);
        }
    }
}

/// The first characters of the key that a request carries. It is known to be a good one.
fn prefix(headers: &HeaderMap) -> Option<Box<str>> {
    let header = headers.get(X_API_KEY).or_else(|| headers.get(AUTHORIZATION))?;
    let key = header.to_str().ok()?.rsplit(' ').next()?;
    Some(key.get(..PREFIX)?.into())
}

impl Network {
    /// `203.0.113.0/24` or `2001:db8:7::/48`.
    fn text(self) -> String {
        match self.0 {
            IpAddr::V4(address) => Ipv4Net::new_assert(address, 24).trunc().to_string(),
            IpAddr::V6(address) => Ipv6Net::new_assert(address, 48).trunc().to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_only_the_network_of_an_address() {
        let text = |address: &str| Network(address.parse().unwrap()).text();
        assert_eq!(text("203.0.113.77"), "203.0.113.0/24");
        assert_eq!(text("2001:db8:7:8::9"), "2001:db8:7::/48");
    }
}
