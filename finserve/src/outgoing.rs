//! Requests of ours to other servers: what all of them have in common.
use std::time::Duration;

use ureq::{Agent, Proxy, config::ConfigBuilder, typestate::AgentScope};

use crate::tls::tls;

/// Whether requests go through the proxy that the environment names.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Way {
    Direct,
    Proxy,
}

/// An agent that can be told more. It believes the certificates that this program believes, follows no redirection,
/// which may lead anywhere with whatever the request carries, and gives up after `longest`, from resolving the name to the
/// last byte. Every status is an answer. Fails, in words, if the certificates cannot be read.
pub(crate) fn agent(way: Way, longest: Duration) -> Result<ConfigBuilder<AgentScope>, String> {
    let proxy = match way {
        Way::Direct => None,
        Way::Proxy => Proxy::try_from_env(),
    };
    #[expect(clippy::disallowed_methods, reason = "the one place where agents are made")]
    let config = Agent::config_builder();
    Ok(config
        .user_agent(concat!("finserve/", env!("CARGO_PKG_VERSION")))
        .http_status_as_error(false)
        .max_redirects(0)
        .proxy(proxy)
        .tls_config(tls()?)
        .timeout_global(Some(longest)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_follows_nobody_and_does_not_wait_forever() {
        let config = agent(Way::Direct, Duration::from_secs(7)).unwrap().build();
        assert_eq!((config.max_redirects(), config.http_status_as_error()), (0, false));
        assert_eq!(config.timeouts().global, Some(Duration::from_secs(7)));
        assert!(config.proxy().is_none());
    }
}
