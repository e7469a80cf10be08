//! Where Valkey is, and how to get in.
use std::{fmt, sync::Arc};

use percent_encoding::percent_decode_str;
use rustls::pki_types::ServerName;
use tokio_rustls::TlsConnector;

use super::connection::Fault;
use crate::tls;

/// The port of Redis and Valkey.
const PORT: u16 = 6379;

/// How an address is written.
const WANTED: &str = "an address is written redis://host:6379, \
    redis://user:password@host:6379/0, or with rediss:// for TLS";

/// Where Valkey is. Shows host, port and number of the database, and never the password.
#[derive(Clone)]
pub(crate) struct Address {
    pub(super) host: String,
    pub(super) port: u16,
    pub(super) user: Option<String>,
    pub(super) password: Option<String>,
    pub(super) database: u32,
    is_encrypted: bool,
    /// For encrypted connections, once it is ready.
    pub(super) tls: Option<Encryption>,
}

/// How a connection is encrypted.
#[derive(Clone)]
pub(super) struct Encryption {
    pub(super) connector: TlsConnector,
    pub(super) name: ServerName<'static>,
}

impl Address {
    /// Reads `redis://[[user]:password@]host[:port][/database]`, or the same with `rediss`. What it says on failure repeats
    /// nothing of the text, which may hold a password.
    pub(crate) fn parse(text: &str) -> Result<Address, String> {
        let read = || {
            let (scheme, rest) = text.split_once("://")?;
            let is_encrypted = match scheme {
                "redis" => false,
                "rediss" => true,
                _ => return None,
            };
            let (place, database) = rest.split_once('/').unwrap_or((rest, ""));
            let database = if database.is_empty() { 0 } else { digits(database)? };
            let (who, place) =
                place.rsplit_once('@').map_or((None, place), |(who, place)| (Some(who), place));
            let (user, password) = match who.map(|who| who.split_once(':').unwrap_or((who, ""))) {
                Some((user, password)) => (decoded(user)?, decoded(password)?),
                None => (None, None),
            };
            // A user without a password is a mistake.
            if user.is_some() && password.is_none() {
                return None;
            }
            let (host, port) = host_and_port(place)?;
            Some(Address { host, port, user, password, database, is_encrypted, tls: None })
        };
        read().ok_or_else(|| WANTED.to_owned())
    }

    /// Another node of the same cluster.
    pub(super) fn at(&self, (host, port): &(String, u16)) -> Result<Address, Fault> {
        let other = Address { host: host.clone(), port: *port, ..self.clone() };
        let Some(tls) = &self.tls else { return Ok(other) };
        let name = ServerName::try_from(host.clone());
        let name = name.map_err(|err| Fault::Said(format!("the cluster names a host: {err}")))?;
        let tls = Some(Encryption { connector: tls.connector.clone(), name });
        Ok(Address { tls, ..other })
    }

    /// The address with all that encryption needs. Fails, in words, where there is nobody to believe.
    pub(super) fn ready(mut self) -> Result<Address, String> {
        if self.is_encrypted {
            let name = ServerName::try_from(self.host.clone()).map_err(|err| err.to_string())?;
            let connector = TlsConnector::from(Arc::new(tls::client()?));
            self.tls = Some(Encryption { connector, name });
        }
        Ok(self)
    }
}

fn decoded(text: &str) -> Option<Option<String>> {
    let text = percent_decode_str(text).decode_utf8().ok()?;
    Some((!text.is_empty()).then(|| text.into_owned()))
}

fn host_and_port(text: &str) -> Option<(String, u16)> {
    let (host, port) = match text.strip_prefix('[') {
        Some(rest) => {
            let (host, port) = rest.split_once(']')?;
            (host, if port.is_empty() { None } else { Some(port.strip_prefix(':')?) })
        }
        None => text.split_once(':').map_or((text, None), |(host, port)| (host, Some(port))),
    };
    let plain = |c: char| c.is_ascii_alphanumeric() || "-._:%".contains(c);
    let port = port.map_or(Some(PORT), digits)?;
    (!host.is_empty() && host.chars().all(plain)).then(|| (host.to_owned(), port))
}

/// A number in digits alone: no sign.
fn digits<N: std::str::FromStr>(text: &str) -> Option<N> {
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
            assert_eq!(address.ready().unwrap().tls.is_some(), is_encrypted);
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
