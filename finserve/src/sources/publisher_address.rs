//! The address of a publisher, to which the official paths are added.
use std::{fmt, str::FromStr};

use crate::net::http_client::ProxyMode;

/// An `http` or `https` address, with or without a path; written without its last slash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BaseUrl(String);

impl BaseUrl {
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// The address of an official path, which starts with a slash.
    pub(crate) fn join(&self, path: &str) -> String {
        format!("{}{path}", self.0)
    }

    /// The host and port of an `https` address.
    pub(crate) fn https(&self) -> Option<(&str, u16)> {
        let authority = self.0.strip_prefix("https://")?.split('/').next()?;
        match authority.rsplit_once(':') {
            // The colons inside an IPv6 address separate no port.
            Some((host, port)) if !port.ends_with(']') => {
                Some((host.trim_matches(['[', ']']), port.parse().ok()?))
            }
            _ => Some((authority.trim_matches(['[', ']']), 443)),
        }
    }

    /// Whether the server is on this machine, so that no proxy is used.
    pub(crate) fn is_local(&self) -> bool {
        let host = self.0.split_once("://").map_or("", |(_, rest)| rest);
        let host = host.split('/').next().unwrap_or_default();
        ["localhost", "127.", "[::1]"].iter().any(|local| host.starts_with(local))
    }

    /// Whether requests go through the proxy of the environment.
    pub(crate) fn proxy_mode(&self) -> ProxyMode {
        if self.is_local() { ProxyMode::Direct } else { ProxyMode::Proxy }
    }
}

impl FromStr for BaseUrl {
    type Err = String;

    fn from_str(text: &str) -> Result<BaseUrl, String> {
        let base = text.trim_end_matches('/');
        let rest = base.strip_prefix("https://").or_else(|| base.strip_prefix("http://"));
        let host = rest.and_then(|rest| rest.split('/').next()).unwrap_or_default();
        let strange = |c: char| c.is_whitespace() || c.is_control() || "?#@\"'<>\\".contains(c);
        if host.is_empty() || host.starts_with(':') || base.contains(strange) {
            return Err("expected an address such as https://host or http://host:port/path".into());
        }
        Ok(BaseUrl(base.to_owned()))
    }
}

impl fmt::Display for BaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joins_with_exactly_one_slash() {
        for (base, joined) in [
            ("https://dados.cvm.gov.br", "https://dados.cvm.gov.br/dados/a.csv"),
            ("https://dados.cvm.gov.br/", "https://dados.cvm.gov.br/dados/a.csv"),
            ("http://127.0.0.1:8081/cvm//", "http://127.0.0.1:8081/cvm/dados/a.csv"),
            ("http://[::1]:8081", "http://[::1]:8081/dados/a.csv"),
        ] {
            assert_eq!(base.parse::<BaseUrl>().unwrap().join("/dados/a.csv"), joined);
        }
    }

    #[test]
    fn refuses_what_is_no_address() {
        for text in ["", "https://", "dados.cvm.gov.br", "ftp://a", "http://:80", "http://a b"] {
            assert!(text.parse::<BaseUrl>().is_err(), "{text}");
        }
        for text in ["http://a?b", "http://a#b", "http://user@a", "file:///etc"] {
            assert!(text.parse::<BaseUrl>().is_err(), "{text}");
        }
    }

    #[test]
    fn knows_host_and_port_of_https() {
        for (text, found) in [
            ("https://example.org/data", Some(("example.org", 443))),
            ("https://example.org:8443", Some(("example.org", 8443))),
            ("https://[::1]", Some(("::1", 443))),
            ("https://[::1]:8443/a", Some(("::1", 8443))),
            ("http://example.org", None),
            ("https://example.org:99999", None),
        ] {
            assert_eq!(text.parse::<BaseUrl>().unwrap().https(), found, "{text}");
        }
    }

    #[test]
    fn knows_this_machine() {
        for (text, local) in [
            ("http://127.0.0.1:1/a", true),
            ("http://localhost", true),
            ("http://[::1]:80", true),
            ("https://api.bcb.gov.br/127.0.0.1", false),
        ] {
            assert_eq!(text.parse::<BaseUrl>().unwrap().is_local(), local, "{text}");
        }
    }
}
