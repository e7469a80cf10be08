//! The address of a server, to which the paths of the API are added.
use hyper::Uri;

use crate::error::{Error, Result};

/// An `http` or `https` address, with or without a path; written without its last slash.
#[derive(Clone, Debug)]
pub(super) struct BaseAddress {
    text: String,
    /// The part before the path.
    origin: String,
}

impl BaseAddress {
    pub(super) fn parse(text: &str) -> Result<BaseAddress> {
        let text = text.trim().trim_end_matches('/');
        let wrong = || Error::Setup {
            message: format!(
                "{text:?} is no address such as https://host or http://host:port/path"
            ),
        };
        let uri: Uri = text.parse().map_err(|_| wrong())?;
        let scheme = uri.scheme_str().filter(|scheme| ["http", "https"].contains(scheme));
        let authority = uri.authority().filter(|authority| !authority.as_str().contains('@'));
        let (scheme, authority) = scheme.zip(authority).ok_or_else(wrong)?;
        // The parser cuts a fragment off.
        if authority.host().is_empty() || uri.query().is_some() || text.contains('#') {
            return Err(wrong());
        }
        Ok(BaseAddress { text: text.to_owned(), origin: format!("{scheme}://{authority}") })
    }

    pub(super) fn as_str(&self) -> &str {
        &self.text
    }

    /// The address of a path of the API and its query string.
    pub(super) fn join(&self, path_and_query: &str) -> Option<Uri> {
        format!("{}{path_and_query}", self.text).parse().ok()
    }

    /// The address that a server names: a path is one of this host.
    pub(super) fn resolve(&self, address: &str) -> String {
        if address.starts_with('/') {
            format!("{}{address}", self.origin)
        } else {
            address.to_owned()
        }
    }

    /// Whether the server is on this machine, so that no proxy is used.
    pub(super) fn is_local(&self) -> bool {
        let (_, host) = self.origin.split_once("://").unwrap_or_default();
        ["localhost", "127.", "[::1]"].iter().any(|local| host.starts_with(local))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_added_with_one_slash() {
        for (base, joined) in [
            ("https://data.example.com", "https://data.example.com/api/v1/plans"),
            ("http://127.0.0.1:8080/data//", "http://127.0.0.1:8080/data/api/v1/plans"),
            ("http://[::1]:80/", "http://[::1]:80/api/v1/plans"),
        ] {
            let base = BaseAddress::parse(base).unwrap();
            assert_eq!(base.join("/api/v1/plans").unwrap().to_string(), joined);
        }
        let base = BaseAddress::parse("https://example.com/data").unwrap();
        assert_eq!(base.resolve("/data/pricing"), "https://example.com/data/pricing");
        assert_eq!(base.resolve("https://other.example/"), "https://other.example/");
    }

    #[test]
    fn what_is_no_address_is_refused() {
        let wrong = ["", "data.example.com", "ftp://a", "http://", "http://a b", "http://user@a"];
        for text in wrong.into_iter().chain(["http://a?b", "http://a#b", "file:///etc"]) {
            assert!(BaseAddress::parse(text).is_err(), "{text}");
        }
    }
}
