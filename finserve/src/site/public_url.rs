//! The address under which clients know the service.
use std::str::FromStr;

use hyper::Uri;

use super::host_header::host;

/// A scheme and a host, perhaps with a port: `https://data.example.com`. It is leaked, because it lasts as long as the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PublicUrl(&'static str);

impl PublicUrl {
    pub(crate) fn as_str(self) -> &'static str {
        self.0
    }
}

impl FromStr for PublicUrl {
    type Err = String;

    fn from_str(text: &str) -> Result<PublicUrl, String> {
        let bare = text.strip_suffix('/').unwrap_or(text);
        let uri = bare.parse::<Uri>().ok();
        let is_origin = uri.as_ref().and_then(Uri::authority).is_some_and(|authority| {
            let is_whole = |scheme| bare == format!("{scheme}://{authority}");
            ["http", "https"].into_iter().any(is_whole) && host(authority.as_str()).is_some()
        });
        is_origin.then(|| PublicUrl(bare.to_owned().leak())).ok_or_else(|| {
            "expected a scheme and a host such as https://data.example.com; --base-path is for a path"
                .to_owned()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_a_scheme_and_a_host() {
        for (text, url) in [
            ("https://data.example.com", "https://data.example.com"),
            ("http://localhost:8080/", "http://localhost:8080"),
            ("https://[2001:db8::1]:8443", "https://[2001:db8::1]:8443"),
        ] {
            assert_eq!(text.parse::<PublicUrl>().map(PublicUrl::as_str), Ok(url));
        }
        for text in [
            "",
            "data.example.com",
            "https://",
            "https://a/b",
            "https://a//",
            "https://a?b",
            "https://a:b@c",
            "https://a b",
            "https://a'b",
            "ftp://a",
            "https://a:99999",
        ] {
            assert!(text.parse::<PublicUrl>().is_err(), "{text}");
        }
    }
}
