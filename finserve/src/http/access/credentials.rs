//! The caller of a request: the address it comes from, and the key it carries.
use std::net::IpAddr;

use fincore::Key;
use hyper::header::{AUTHORIZATION, HeaderMap};
use ipnet::IpNet;

use crate::{
    errors::BadRequest,
    http::message::{
        header_names::{X_API_KEY, X_FORWARDED_FOR},
        refusal::Refusal,
    },
};

/// The caller's address: the peer's or, where that is one of our own proxies, the last address in
/// `X-Forwarded-For` that is not. What comes before it was written by the caller, and may be forged.
pub(crate) fn address(peer: IpAddr, headers: &HeaderMap, proxies: &[IpNet]) -> IpAddr {
    let trusted = |address: &IpAddr| proxies.iter().any(|network| network.contains(address));
    let lines = headers.get_all(X_FORWARDED_FOR).iter().rev();
    let mut hops = lines.flat_map(|line| line.to_str().unwrap_or_default().rsplit(','));
    let mut address = peer.to_canonical();
    while trusted(&address) {
        match hops.next().and_then(hop) {
            Some(before) => address = before,
            None => break,
        }
    }
    address
}

/// An address as proxies write it: bare, or with a port.
fn hop(text: &str) -> Option<IpAddr> {
    let text = text.trim();
    let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    let with_port = || text.parse().map(|address: std::net::SocketAddr| address.ip());
    bare.parse().or_else(|_| with_port()).map(|address: IpAddr| address.to_canonical()).ok()
}

/// The key in `X-API-Key` or `Authorization: Bearer`; both may be given if they are the same.
///
/// Fails for an invalid key, whichever header it is in, and for two that differ.
pub(crate) fn key(headers: &HeaderMap) -> Result<Option<Key>, Refusal> {
    let plain = headers.get_all(X_API_KEY).iter().map(|value| value.to_str().ok());
    let bearer = headers.get_all(AUTHORIZATION).iter().map(|value| {
        let (scheme, key) = value.to_str().ok()?.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then(|| key.trim())
    });
    let mut given = plain.chain(bearer);
    let Some(first) = given.next() else { return Ok(None) };
    if given.any(|other| other != first) {
        return Err(BadRequest::TwoKeys.into());
    }
    let key = first.and_then(|text| text.parse().ok());
    key.map(Some).ok_or(Refusal::InvalidKey)
}

pub(crate) fn is_given(headers: &HeaderMap) -> bool {
    headers.contains_key(X_API_KEY) || headers.contains_key(AUTHORIZATION)
}

/// How many characters of a key are shown, as it is listed: `fin_AbCdEfGh`.
const PREFIX: usize = 12;

/// The first characters of the key that a request carries, which has been found valid.
pub(crate) fn key_prefix(headers: &HeaderMap) -> Option<Box<str>> {
    let header = headers.get(X_API_KEY).or_else(|| headers.get(AUTHORIZATION))?;
    let key = header.to_str().ok()?.rsplit(' ').next()?;
    Some(key.get(..PREFIX)?.into())
}

#[cfg(test)]
mod tests {
    use hyper::header::{HeaderName, HeaderValue};

    use super::*;

    fn headers(lines: &[(HeaderName, &str)]) -> HeaderMap {
        let value = |text: &str| HeaderValue::from_bytes(text.as_bytes()).unwrap();
        lines.iter().map(|(name, text)| (name.clone(), value(text))).collect()
    }

    #[test]
    fn believes_only_our_own_proxies() {
        let proxies: Vec<IpNet> =
            ["10.0.0.0/8", "fd00::/8"].iter().map(|text| text.parse().unwrap()).collect();
        let cases = [
            ("192.0.2.1", vec!["198.51.100.1"], "192.0.2.1"),
            ("10.0.0.1", vec![], "10.0.0.1"),
            ("10.0.0.1", vec!["198.51.100.1"], "198.51.100.1"),
            ("::ffff:10.0.0.1", vec!["::ffff:198.51.100.1"], "198.51.100.1"),
            ("fd00::1", vec!["2001:db8::1"], "2001:db8::1"),
            ("10.0.0.1", vec!["1.1.1.1, 198.51.100.1, 10.0.0.2"], "198.51.100.1"),
            ("10.0.0.1", vec!["1.1.1.1", "198.51.100.1", "10.0.0.2,10.0.0.3"], "198.51.100.1"),
            ("10.0.0.1", vec!["10.0.0.3, 10.0.0.2"], "10.0.0.3"),
            ("10.0.0.1", vec!["1.1.1.1, unknown, 10.0.0.2"], "10.0.0.2"),
            ("10.0.0.1", vec!["1.1.1.1, , 10.0.0.2"], "10.0.0.2"),
            ("10.0.0.1", vec!["198.51.100.1:5000"], "198.51.100.1"),
            ("10.0.0.1", vec!["[2001:db8::1]:5000"], "2001:db8::1"),
            ("10.0.0.1", vec!["[2001:db8::1]"], "2001:db8::1"),
            ("10.0.0.1", vec!["é"], "10.0.0.1"),
        ];
        for (peer, lines, client) in cases {
            let lines: Vec<_> = lines.into_iter().map(|line| (X_FORWARDED_FOR, line)).collect();
            let found = address(peer.parse().unwrap(), &headers(&lines), &proxies);
            assert_eq!(found, client.parse::<IpAddr>().unwrap(), "{peer} {lines:?}");
        }
    }

    #[test]
    fn forged_addresses_change_nothing() {
        let peer: IpAddr = "192.0.2.1".parse().unwrap();
        let proxies = ["10.0.0.0/8".parse().unwrap()];
        for n in 0..1000_u32 {
            let forged = std::net::Ipv4Addr::from_bits(n.wrapping_mul(0x9e37_79b9)).to_string();
            let line = headers(&[(X_FORWARDED_FOR, &forged)]);
            assert_eq!(address(peer, &line, &[]), peer);
            assert_eq!(address(peer, &line, &proxies), peer);
            let behind = format!("{forged}, 192.0.2.1");
            let line = headers(&[(X_FORWARDED_FOR, &behind)]);
            assert_eq!(address("10.0.0.1".parse().unwrap(), &line, &proxies), peer);
        }
    }

    #[test]
    fn takes_a_key_from_either_header() {
        let (one, two) = (Key::generate().unwrap(), Key::generate().unwrap());
        let bearer = |key: &Key| format!("Bearer {}", key.reveal());
        let (of_one, of_two) = (bearer(&one), bearer(&two));
        let read = |lines: &[(HeaderName, &str)]| key(&headers(lines));
        assert!(read(&[]).ok().flatten().is_none());
        for lines in [
            vec![(X_API_KEY, one.reveal())],
            vec![(AUTHORIZATION, &of_one)],
            vec![(AUTHORIZATION, &of_one.replace("Bearer", "bEARER "))],
            vec![(X_API_KEY, one.reveal()), (AUTHORIZATION, &of_one)],
            vec![(X_API_KEY, one.reveal()), (X_API_KEY, one.reveal())],
        ] {
            assert_eq!(read(&lines).ok().flatten().as_ref(), Some(&one), "{}", lines.len());
        }
        for lines in [
            vec![(X_API_KEY, one.reveal()), (AUTHORIZATION, &of_two)],
            vec![(X_API_KEY, one.reveal()), (X_API_KEY, two.reveal())],
            vec![(X_API_KEY, one.reveal()), (AUTHORIZATION, "Basic YTpi")],
        ] {
            assert!(matches!(read(&lines), Err(Refusal::BadRequest(_))));
        }
        for line in [
            (X_API_KEY, ""),
            (X_API_KEY, "é"),
            (X_API_KEY, &of_one),
            (AUTHORIZATION, one.reveal()),
            (AUTHORIZATION, "Bearer"),
            (AUTHORIZATION, "Bearer "),
            (AUTHORIZATION, "Basic YTpi"),
        ] {
            assert!(matches!(read(&[line]), Err(Refusal::InvalidKey)));
        }
    }
}
