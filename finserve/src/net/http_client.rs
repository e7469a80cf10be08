//! The HTTP client for requests to other servers: certificates, redirections and time limits.
use std::time::Duration;

use ureq::{Agent, Proxy, config::ConfigBuilder, typestate::AgentScope};

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_follows_no_redirection_and_does_not_wait_forever() {
        let config = agent(ProxyMode::Direct, Duration::from_secs(7)).unwrap().build();
        assert_eq!((config.max_redirects(), config.http_status_as_error()), (0, false));
        assert_eq!(config.timeouts().global, Some(Duration::from_secs(7)));
        assert!(config.proxy().is_none());
    }
}
