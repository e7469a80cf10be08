//! The value of a `Host` header: a host and perhaps a port, and nothing else.
use std::net::{IpAddr, Ipv6Addr};

/// As long as names in the DNS can be.
const LONGEST_NAME: usize = 255;

/// The host of a `Host` header, without its port and the brackets of an IPv6 address; `None` if it is anything else than
/// `host` or `host:port`.
pub(crate) fn host(text: &str) -> Option<&str> {
    let (host, rest) = match text.strip_prefix('[') {
        Some(inside) => {
            let (address, rest) = inside.split_once(']')?;
            address.parse::<Ipv6Addr>().ok()?;
            (address, rest)
        }
        None => {
            let (name, rest) = text.split_at(text.find(':').unwrap_or(text.len()));
            let plain = |c: u8| c.is_ascii_alphanumeric() || b"-._".contains(&c);
            let is_name = (1..=LONGEST_NAME).contains(&name.len()) && name.bytes().all(plain);
            (is_name.then_some(name)?, rest)
        }
    };
    let is_port =
        |port: &str| port.bytes().all(|c| c.is_ascii_digit()) && port.parse::<u16>().is_ok();
    (rest.is_empty() || rest.strip_prefix(':').is_some_and(is_port)).then_some(host)
}

/// Whether a `Host` header names this machine: by `localhost`, by one of these names, or by an address. A page of another
/// site cannot do that: it is read under a name of its own, even if that leads here (DNS rebinding).
pub(crate) fn is_own_name(text: &str, own: &[String]) -> bool {
    let is_own = |host: &str| {
        host.eq_ignore_ascii_case("localhost")
            || host.parse::<IpAddr>().is_ok()
            || own.iter().any(|name| name.eq_ignore_ascii_case(host))
    };
    host(text).is_some_and(is_own)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_a_host_with_or_without_a_port() {
        for (text, wanted) in [
            ("data.example", "data.example"),
            ("Data_1.example.:8080", "Data_1.example."),
            ("localhost:0", "localhost"),
            ("127.0.0.1:80", "127.0.0.1"),
            ("[::1]", "::1"),
            ("[2001:db8::1]:443", "2001:db8::1"),
        ] {
            assert_eq!(host(text), Some(wanted), "{text}");
        }
        let long = "a".repeat(256);
        for text in [
            "",
            ":80",
            "x y",
            "a#",
            "evil.example/path",
            "a?b",
            "a@b",
            "a\\b",
            "a\"b",
            "a<b",
            "é",
            "a:",
            "a:b",
            "a:65536",
            "a:+1",
            "a:80:80",
            "::1",
            "[::1",
            "[::1]x",
            "[a]",
            "[::1%1]",
            "a,b",
            "a%20b",
            &long,
        ] {
            assert_eq!(host(text), None, "{text:?}");
        }
    }

    #[test]
    fn a_machine_has_its_addresses_and_the_names_that_it_was_given() {
        let own = ["metrics.internal".to_owned()];
        for name in
            ["localhost:9464", "127.0.0.1", "[::1]:9464", "10.0.0.7:9464", "Metrics.Internal:9464"]
        {
            assert!(is_own_name(name, &own), "{name}");
        }
        for name in [
            "evil.example",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "metrics.internal.evil",
            "",
        ] {
            assert!(!is_own_name(name, &own), "{name}");
        }
    }
}
