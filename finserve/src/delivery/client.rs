//! One call of a webhook: the request, the time it may take, and the addresses it may reach.
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

use super::failure_messages::describe;
use crate::net::http_client::{self, ProxyMode};

/// The longest that one attempt may take, from resolving the name to the head of the answer.
const TIMEOUT: Duration = Duration::from_secs(15);
/// How long the body of an answer may take. It is not used, but a connection can be reused once its answer was read.
const BODY_TIMEOUT: Duration = Duration::from_secs(1);
/// The most bytes that are read of it.
const MOST_BODY: u64 = 4 * 1024;
/// Connections that were idle for longer are not reused: receivers close them, and a call would be lost.
const MAX_IDLE_AGE: Duration = Duration::from_secs(3);

/// Calls receivers. All calls share its connections.
#[derive(Debug)]
pub(super) struct Client {
    agent: Agent,
    targets: Targets,
}

impl Client {
    /// Fails, with a message, if the certificates cannot be read.
    pub(super) fn new(targets: Targets) -> Result<Client, String> {
        let config = http_client::agent(ProxyMode::Direct, TIMEOUT)?
            .accept_encoding(AutoHeaderValue::None)
            .https_only(targets.are_public())
            .max_idle_connections(64)
            .max_idle_connections_per_host(4)
            .max_idle_age(MAX_IDLE_AGE)
            .timeout_recv_body(Some(BODY_TIMEOUT))
            .build();
        let resolver = PublicResolver { targets, resolver: DefaultResolver::default() };
        let agent = Agent::with_parts(config, DefaultConnector::default(), resolver);
        Ok(Client { agent, targets })
    }

    /// Makes a call; returns the status of the answer, or what went wrong.
    pub(super) fn call(&self, call: &Call, now: DateTime<Utc>) -> Result<u16, String> {
        // The address may be older than what is allowed now.
        self.targets.check_address(&call.url).map_err(|err| err.to_string())?;
        let mut request = self.agent.post(&call.url).header("Content-Type", "application/json");
        for (name, value) in call.headers(now) {
            request = request.header(name, value);
        }
        let mut response = request.send(call.body.as_str()).map_err(|err| describe(&err))?;
        // The status decides, even if the body cannot be read.
        let body = response.body_mut().as_reader();
        let _ = std::io::copy(&mut body.take(MOST_BODY), &mut std::io::sink());
        Ok(response.status().as_u16())
    }
}

/// Resolves names, and refuses those with an address that may not be called. The connection is made to one of the addresses
/// that are returned here, so the name cannot be resolved to another one a moment later.
#[derive(Debug)]
struct PublicResolver {
    targets: Targets,
    resolver: DefaultResolver,
}

impl Resolver for PublicResolver {
    fn resolve(
        &self,
        uri: &Uri,
        config: &Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let addresses = self.resolver.resolve(uri, config, timeout)?;
        if addresses.iter().all(|address| self.targets.allow(address.ip())) {
            return Ok(addresses);
        }
        // Without the address: the owner of the webhook may have asked for a name of our own network.
        Err(ureq::Error::Other("the host does not lead to a public address".into()))
    }
}
