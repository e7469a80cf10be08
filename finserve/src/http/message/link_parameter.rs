//! The parameter `token`, which carries a link token: taken out of the address before anything else reads that, so that the
//! token is in no message, no link to another page, no tag and no key of a cache.
use fincore::{LinkHash, LinkToken, links::Holder};
use hyper::{Uri, http::uri::PathAndQuery};
use percent_encoding::percent_decode_str;

use super::parameters::decode_query;

/// The name of the parameter.
pub(crate) const TOKEN: &str = "token";

/// The link that a request carries. Of its token only the hash is left.
#[derive(Default)]
pub(crate) enum LinkCredential {
    #[default]
    None,
    /// The parameter has a text that is no token. It is still in the address: only endpoints that links may read take it for
    /// a credential.
    Unmarked,
    /// It is given more than once.
    Repeated,
    /// The token is mistyped.
    Malformed,
    /// No link that is known here has this token.
    Unknown(LinkHash),
    Valid(Holder),
}

impl LinkCredential {
    /// The link, if it is one.
    pub(crate) fn holder(&self) -> Option<&Holder> {
        match self {
            LinkCredential::Valid(holder) => Some(holder),
            LinkCredential::None
            | LinkCredential::Unmarked
            | LinkCredential::Repeated
            | LinkCredential::Malformed
            | LinkCredential::Unknown(_) => None,
        }
    }

    pub(crate) fn is_given(&self) -> bool {
        !matches!(self, LinkCredential::None | LinkCredential::Unmarked)
    }
}

/// Takes the token out of the address of a request. What is no token, or may be a key, stays: it is an unknown parameter.
pub(crate) fn take(uri: &mut Uri) -> LinkCredential {
    let Some(query) = uri.query() else { return LinkCredential::None };
    // Most addresses have none, which is quick to see.
    if !query.contains(TOKEN) && !query.contains('%') {
        return LinkCredential::None;
    }
    let mut values = query.split('&').filter(is_token).map(|piece| {
        let value = piece.split_once('=').map_or("", |(_, value)| value);
        // A token with a broken escape behind it is taken out too.
        decode_query(value).unwrap_or(value.into())
    });
    let Some(first) = values.next() else { return LinkCredential::None };
    let others: Vec<_> = values.collect();
    if !others.iter().chain([&first]).any(|value| LinkToken::may_be_in(value)) {
        let is_key = first.starts_with("fin_");
        return if is_key { LinkCredential::None } else { LinkCredential::Unmarked };
    }
    let given = match first.parse::<LinkToken>() {
        _ if !others.is_empty() => LinkCredential::Repeated,
        Ok(token) => LinkCredential::Unknown(token.hash()),
        Err(_) => LinkCredential::Malformed,
    };
    let kept: Vec<&str> = query.split('&').filter(|piece| !is_token(piece)).collect();
    let mark = if kept.is_empty() { "" } else { "?" };
    let target = format!("{}{mark}{}", uri.path(), kept.join("&"));
    let mut parts = std::mem::take(uri).into_parts();
    parts.path_and_query = target.parse::<PathAndQuery>().ok();
    // Only a part of the query string has gone, and the rest is still one.
    *uri = Uri::from_parts(parts).unwrap_or_default();
    given
}

fn is_token(piece: &&str) -> bool {
    let name = piece.split('=').next().unwrap_or_default();
    // Ends at the first letter that differs.
    percent_decode_str(name).eq(TOKEN.bytes())
}

#[cfg(test)]
mod tests {
    use fincore::Key;

    use super::*;

    /// The parameter in an address, and the rest of the address.
    fn taken(address: &str) -> (&'static str, String) {
        let mut uri: Uri = address.parse().unwrap();
        let found = match take(&mut uri) {
            LinkCredential::None => "none",
            LinkCredential::Unmarked => "unmarked",
            LinkCredential::Repeated => "repeated",
            LinkCredential::Malformed => "malformed",
            LinkCredential::Unknown(_) => "token",
            LinkCredential::Valid(_) => "valid",
        };
        (found, uri.to_string())
    }

    #[test]
    fn a_token_is_taken_out_of_the_address_and_nothing_else_is() {
        let (token, key) = (LinkToken::generate().unwrap(), Key::generate().unwrap());
        let (token, key) = (token.reveal(), key.reveal());
        let escaped = token.replace('_', "%5F");
        let cases = [
            ("/a".to_owned(), "none", "/a".to_owned()),
            ("/a?b=1&c".into(), "none", "/a?b=1&c".into()),
            (format!("/a?token={token}"), "token", "/a".into()),
            (format!("/a?b=%20&token={token}&c=+&"), "token", "/a?b=%20&c=+&".into()),
            (format!("/a?%74oken={escaped}&b"), "token", "/a?b".into()),
            (format!("http://h:1/a?token={token}&b=1"), "token", "http://h:1/a?b=1".into()),
            (format!("/a?token={token}&token={token}"), "repeated", "/a".into()),
            (format!("/a?token=x&b=1&token={token}"), "repeated", "/a?b=1".into()),
            (format!("/a?token={token}0"), "malformed", "/a".into()),
            (format!("/a?token=+{token}"), "malformed", "/a".into()),
            ("/a?token=finl_".into(), "malformed", "/a".into()),
            ("/a?token=finl_%zz".into(), "malformed", "/a".into()),
            (format!("/a?token={token}%zz&b=1"), "malformed", "/a?b=1".into()),
            ("/a?token=%zz".into(), "unmarked", "/a?token=%zz".into()),
            ("/a?token=".into(), "unmarked", "/a?token=".into()),
            ("/a?token".into(), "unmarked", "/a?token".into()),
            ("/a?token=x&token=y".into(), "unmarked", "/a?token=x&token=y".into()),
            (format!("/a?token={key}"), "none", format!("/a?token={key}")),
            (format!("/a?tokens={token}"), "none", format!("/a?tokens={token}")),
        ];
        for (address, found, left) in cases {
            assert_eq!(taken(&address), (found, left), "{address}");
        }
    }
}
