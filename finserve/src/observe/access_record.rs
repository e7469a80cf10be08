//! Access records: one line of the log, and one count of the metrics, for each request that has been answered.
use std::{
    net::IpAddr,
    sync::Arc,
    time::{Duration, Instant},
};

use hyper::{Method, header::HeaderValue};
use ipnet::Ipv6Net;

use super::{
    log,
    metrics::{InFlight, Metrics},
};

/// A request and how it was answered.
pub(crate) struct AccessRecord {
    /// The position of its route in the table, and that route's path.
    pub(crate) route: (Option<usize>, &'static str),
    pub(crate) method: Method,
    pub(crate) status: u16,
    pub(crate) plan: &'static str,
    /// The first characters of the key that was used, as keys are listed.
    pub(crate) key: Option<Box<str>>,
    pub(crate) network: Network,
    /// The request id, as the response carries it.
    pub(crate) id: Option<HeaderValue>,
    pub(crate) started: Instant,
    /// Counts the request among those in flight until its record is written.
    pub(crate) _in_flight: Option<InFlight>,
}

/// The network that a request comes from: a log should not hold whole addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Network(pub(crate) IpAddr);

impl AccessRecord {
    /// Counts and logs the request: its response has been sent, or is complete.
    pub(crate) fn write(self, metrics: &Metrics, bytes: u64) {
        let took = self.started.elapsed();
        let bytes = if self.method == Method::HEAD { 0 } else { bytes };
        metrics.end(self.route.0, self.status, bytes, took);
        self.log(bytes, took);
    }

    fn log(&self, bytes: u64, took: Duration) {
        // Ids, methods and the beginnings of keys have no characters that would have to be escaped.
        log::request(|fields| {
            if let Some(id) = self.id.as_ref().and_then(|id| id.to_str().ok()) {
                fields.plain("id", id);
            }
            fields.plain("method", self.method.as_str());
            fields.plain("route", self.route.1);
            fields.number("status", self.status);
            fields.plain("plan", self.plan);
            if let Some(key) = &self.key {
                fields.plain("key", key);
            }
            fields.plain("from", &self.network.text());
            fields.number("bytes", bytes);
            fields.number("micros", u64::try_from(took.as_micros()).unwrap_or(u64::MAX));
        });
    }
}

/// The record of a response that is streamed; it is written when the stream is dropped.
pub(crate) struct OpenRecord {
    record: Option<AccessRecord>,
    metrics: Arc<Metrics>,
    sent: u64,
}

impl OpenRecord {
    pub(crate) fn new(record: AccessRecord, metrics: Arc<Metrics>) -> OpenRecord {
        OpenRecord { record: Some(record), metrics, sent: 0 }
    }

    /// Adds to the number of bytes that were sent.
    pub(crate) fn add_sent(&mut self, bytes: usize) {
        self.sent += bytes as u64;
    }
}

impl Drop for OpenRecord {
    fn drop(&mut self) {
        if let Some(record) = self.record.take() {
            record.write(&self.metrics, self.sent);
        }
    }
}

impl Network {
    /// `203.0.113.0/24` or `2001:db8:7::/48`.
    fn text(self) -> String {
        match self.0 {
            IpAddr::V4(address) => {
                let (mut text, mut numbers) = (String::with_capacity(18), itoa::Buffer::new());
                for octet in &address.octets()[..3] {
                    text.push_str(numbers.format(*octet));
                    text.push('.');
                }
                text + "0/24"
            }
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
        assert_eq!(text("10.0.0.255"), "10.0.0.0/24");
        assert_eq!(text("2001:db8:7:8::9"), "2001:db8:7::/48");
    }
}
