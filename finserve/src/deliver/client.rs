//! One call: the request, the time it may take, and whom it may reach.
use std::{io::Read, time::Duration};

use fincore::{
    chrono::{DateTime, Utc},
    webhooks::{Call, Targets},
};
use ureq::{
    Agent,
    config::{AutoHeaderValue, Config},
    http::Uri,
    unversioned::{
        resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver},
        transport::{DefaultConnector, NextTimeout},
    },
};

use super::words::words;
use crate::outgoing::{self, Way};

/// The longest that one try may take, from resolving the name to the head of the answer.
const TIMEOUT: Duration = Duration::from_secs(15);
/// How long the body of an answer may take. Nobody reads it; a connection whose answer was read can be used again.
const BODY_TIMEOUT: Duration = Duration::from_secs(1);
/// The most that is read of it.
const MOST_BODY: u64 = 4 * 1024;
/// Connections that are idle for longer are not used again: receivers close them, and a call would be lost.
const IDLE: Duration = Duration::from_secs(3);

/// Calls receivers. All calls share its connections.
#[derive(Debug)]
pub(super) struct Client {
    agent: Agent,
}

impl Client {
    /// Fails, in words, if the certificates cannot be read.
    pub(super) fn new(targets: Targets) -> Result<Client, String> {
        let config = outgoing::agent(Way::Direct, TIMEOUT)?
            .accept_encoding(AutoHeaderValue::None)
            .https_only(targets == Targets::Public)
            .max_idle_connections(64)
            .max_idle_connections_per_host(4)
            .max_idle_age(IDLE)
            .timeout_recv_body(Some(BODY_TIMEOUT))
            .build();
        let resolver = Checked { targets, resolver: DefaultResolver::default() };
        Ok(Client { agent: Agent::with_parts(config, DefaultConnector::default(), resolver) })
    }

    /// The status of the answer, or in words what went wrong.
    pub(super) fn call(&self, call: &Call, now: DateTime<Utc>) -> Result<u16, String> {
        let mut request = self.agent.post(&call.url).header("Content-Type", "application/json");
        for (name, value) in call.headers(now) {
            request = request.header(name, value);
        }
        let mut response = request.send(call.body.as_str()).map_err(|err| words(&err))?;
        // The head has decided, whatever becomes of the body.
        let body = response.body_mut().as_reader();
        let _ = std::io::copy(&mut body.take(MOST_BODY), &mut std::io::sink());
        Ok(response.status().as_u16())
    }
}

/// Resolves names, and refuses those that stand for an address that may not be called. The connection is made to one
/// of the addresses that are returned here, so a name cannot mean something else a moment later.
#[derive(Debug)]
struct Checked {
    targets: Targets,
    resolver: DefaultResolver,
}

impl Resolver for Checked {
    fn resolve(
        &self,
        uri: &Uri,
        config: &Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let addresses = self.resolver.resolve(uri, config, timeout)?;
        match addresses.iter().find(|address| !self.targets.allow(address.ip())) {
            Some(address) => {
                let words = format!("the address {} is not public", address.ip());
                Err(ureq::Error::Other(words.into()))
            }
            None => Ok(addresses),
        }
    }
}
