//! Where Valkey is, and how to log in to it.
use std::fmt;

use percent_encoding::percent_decode_str;

/// The port of Redis and Valkey.
const PORT: u16 = 6379;

/// How an address is written.
const WANTED: &str = "expected an address such as redis://host:6379, \
    redis://user:password@host:6379/0, or with rediss:// for TLS";

/// Where Valkey is. Shows host, port and number of the database, and never the password.
///
/// The client library has a parser of its own, which is stricter about passwords (`?` and `#` must be escaped) and laxer
/// about the rest (`#insecure` switches the verification of certificates off).
#[derive(Clone)]
pub(crate) struct Address {
    pub(super) host: String,
    pub(super) port: u16,
    pub(super) user: Option<String>,
    pub(super) password: Option<String>,
    pub(super) database: u32,
    pub(super) is_encrypted: bool,
}

impl Address {
    /// Reads `redis://[[user]:password@]host[:port][/database]`, or the same with `rediss`. The message of a failure
    /// repeats nothing of the text, which may hold a password.
    pub(crate) fn parse(text: &str) -> Result<Address, String> {
        let read = || {
            let (scheme, rest) = text.split_once("://")?;
            let is_encrypted = match scheme {
                "redis" => false,
                "rediss" => true,
                _ => return None,
            };
            let (authority, database) = rest.split_once('/').unwrap_or((rest, ""));
            let database = if database.is_empty() { 0 } else { parse_digits(database)? };
            let (login, place) = match authority.rsplit_once('@') {
                Some((login, place)) => (Some(login), place),
                None => (None, authority),
            };
            let (user, password) = login.map_or(Some((None, None)), parse_login)?;
            let (host, port) = parse_host_and_port(place)?;
            Some(Address { host, port, user, password, database, is_encrypted })
        };
        read().ok_or_else(|| WANTED.to_owned())
    }
}

/// The user and the password of `[user]:password`.
fn parse_login(text: &str) -> Option<(Option<String>, Option<String>)> {
    let (user, password) = text.split_once(':').unwrap_or((text, ""));
    let decode = |text: &str| {
        let text = percent_decode_str(text).decode_utf8().ok()?;
        Some((!text.is_empty()).then(|| text.into_owned()))
    };
    let (user, password) = (decode(user)?, decode(password)?);
    // A user without a password is a mistake.
    (user.is_none() || password.is_some()).then_some((user, password))
}

fn parse_host_and_port(text: &str) -> Option<(String, u16)> {
    let (host, port) = match text.strip_prefix('[') {
        Some(rest) => {
            let (host, port) = rest.split_once(']')?;
            (host, if port.is_empty() { None } else { Some(port.strip_prefix(':')?) })
        }
        None => text.split_once(':').map_or((text, None), |(host, port)| (host, Some(port))),
    };
    let plain = |c: char| c.is_ascii_alphanumeric() || "-._:%".contains(c);
    let port = port.map_or(Some(PORT), parse_digits)?;
    (!host.is_empty() && host.chars().all(plain)).then(|| (host.to_owned(), port))
}

/// A number in digits alone: no sign.
fn parse_digits<N: std::str::FromStr>(text: &str) -> Option<N> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Address { host, port, database, .. } = self;
        write!(f, "{host}:{port}/{database}")
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_others_write() {
        let cases = [
            ("redis://valkey", "valkey:6379/0", None, None, false),
            ("redis://127.0.0.1:7000/3", "127.0.0.1:7000/3", None, None, false),
            ("redis://[::1]:7000", "::1:7000/0", None, None, false),
            ("redis://[::1]/", "::1:6379/0", None, None, false),
            ("redis://:p%40ss@a.b", "a.b:6379/0", None, Some("p@ss"), false),
            ("redis://:a?b#c@a_b", "a_b:6379/0", None, Some("a?b#c"), false),
            ("rediss://ana:a:b@c@a.b:1/2", "a.b:1/2", Some("ana"), Some("a:b@c"), true),
        ];
        for (text, shown, user, password, is_encrypted) in cases {
            let address = Address::parse(text).unwrap();
            assert_eq!(
                (&*address.to_string(), address.is_encrypted),
                (shown, is_encrypted),
                "{text}"
            );
            assert_eq!((address.user.as_deref(), address.password.as_deref()), (user, password));
        }
    }

    #[test]
    fn says_what_is_wanted_and_repeats_nothing() {
        for text in [
            "",
            "valkey:6379",
            "http://:geheim@a",
            "redis://",
            "redis://:geheim@",
            "redis://geheim@a",
            "redis://:geheim@a:port",
            "redis://:geheim@a:+1",
            "redis://:geheim@a:70000",
            "redis://:geheim@a/db",
            "redis://:geheim@a/1?x=y",
            "rediss://:geheim@a/#insecure",
            "redis://:gehe%ffim@a",
            "redis://:geheim@[::1",
            "redis://:geheim@a b",
        ] {
            let message = Address::parse(text).unwrap_err();
            assert_eq!(message, WANTED, "{text}");
        }
        let address = Address::parse("redis://ana:geheim@a/1").unwrap();
        assert!(!format!("{address} {address:?}").contains("geheim"));
    }
}
