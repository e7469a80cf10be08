//! The HTTP client for requests to other servers: certificates, redirections and time limits.
use std::{net::SocketAddr, time::Duration};

use ureq::{
    Agent, Proxy,
    config::{Config, ConfigBuilder},
    http::Uri,
    typestate::AgentScope,
    unversioned::{
        resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver},
        transport::{DefaultConnector, NextTimeout},
    },
};

use super::trusted_certificates::ureq_config;

/// Whether requests go through the proxy that the environment names.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ProxyMode {
    Direct,
    Proxy,
}

/// The configuration of an agent, to which callers can add. It trusts the certificates that this program trusts, follows no
/// redirection, because that could carry a key to any host, and gives up after `timeout`, counted from resolving the name to
/// the last byte. Every status is an answer. Fails, with a message, if the certificates cannot be read.
pub(crate) fn agent(
    proxy_mode: ProxyMode,
    timeout: Duration,
) -> Result<ConfigBuilder<AgentScope>, String> {
    let proxy = match proxy_mode {
        ProxyMode::Direct => None,
        ProxyMode::Proxy => Proxy::try_from_env(),
    };
    #[expect(clippy::disallowed_methods, reason = "the one place where agents are made")]
    let config = Agent::config_builder();
    Ok(config
        .user_agent(concat!("finserve/", env!("CARGO_PKG_VERSION")))
        .http_status_as_error(false)
        .max_redirects(0)
        .proxy(proxy)
        .tls_config(ureq_config()?)
        .timeout_global(Some(timeout)))
}

/// An agent with this configuration. Where a name has addresses of both families, the first that it tries is of IPv4: an
/// IPv6 route that leads nowhere would use up most of the time for a connection.
pub(crate) fn connect_to_ipv4_first(config: Config) -> Agent {
    Agent::with_parts(config, DefaultConnector::default(), Ipv4First(DefaultResolver::default()))
}

/// Resolves names as usual, and alternates between the families of addresses.
#[derive(Debug)]
struct Ipv4First(DefaultResolver);

/// The most addresses that are tried, because each one has a share of the time.
const MOST_ADDRESSES: usize = 4;

impl Resolver for Ipv4First {
    fn resolve(
        &self,
        uri: &Uri,
        config: &Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let found = self.0.resolve(uri, config, timeout)?;
        let mut addresses = self.empty();
        alternate(&found).into_iter().for_each(|address| addresses.push(address));
        Ok(addresses)
    }
}

/// The first addresses of both families in turn, beginning with IPv4.
fn alternate(found: &[SocketAddr]) -> Vec<SocketAddr> {
    let (mut four, mut six): (Vec<_>, Vec<_>) =
        found.iter().rev().copied().partition(SocketAddr::is_ipv4);
    let mut addresses = Vec::new();
    while addresses.len() < MOST_ADDRESSES && !(four.is_empty() && six.is_empty()) {
        addresses.extend(four.pop());
        addresses.extend(six.pop());
    }
    addresses.truncate(MOST_ADDRESSES);
    addresses
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_both_families_alternate() {
        let check = |found: &[&str], wanted: &[&str]| {
            let parsed = |texts: &[&str]| -> Vec<SocketAddr> {
                texts.iter().map(|text| text.parse().unwrap()).collect()
            };
            assert_eq!(alternate(&parsed(found)), parsed(wanted));
        };
        let six = ["[2001:db8::1]:443", "[2001:db8::2]:443", "[2001:db8::3]:443"];
        let four = ["192.0.2.1:443", "192.0.2.2:443"];
        check(&[six[0], six[1], six[2], four[0], four[1]], &[four[0], six[0], four[1], six[1]]);
        check(&six, &six);
        check(&four[..1], &four[..1]);
        check(&[], &[]);
    }

    #[test]
    fn an_agent_follows_no_redirection_and_does_not_wait_forever() {
        let config = agent(ProxyMode::Direct, Duration::from_secs(7)).unwrap().build();
        assert_eq!((config.max_redirects(), config.http_status_as_error()), (0, false));
        assert_eq!(config.timeouts().global, Some(Duration::from_secs(7)));
        assert!(config.proxy().is_none());
    }
}
