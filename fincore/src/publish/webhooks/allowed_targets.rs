//! Restricts webhooks to public addresses, unless the operator allows others.
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use url::{Host, Url};

use crate::values::{Error, Key, Result, Wanted, WebhookFault};

/// As long as any address that a browser takes.
const MAX_CHARACTERS: usize = 2048;

/// Domains that are never public.
const PRIVATE_NAMES: [&str; 9] = [
    "localhost",
    "localdomain",
    "local",
    "internal",
    "intranet",
    "lan",
    "home",
    "corp",
    "home.arpa",
];

/// The first port that needs no right to be listened on. Below are mail, shells and the like, which a call could confuse.
const FIRST_FREE_PORT: u16 = 1024;

/// The addresses that webhooks may call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Targets {
    /// Only `https`, only public addresses, and only the ports 443 and from 1024 on.
    Public,
    /// As [`Public`](Targets::Public), plus these ports.
    PublicAndPorts(Ports),
    /// Also `http`, and any address: for tests and intranets.
    Any,
}

impl Targets {
    /// Returns `true` if this address may be called. Check the address that a name resolves to when you connect to it, because
    /// it can change at any time.
    ///
    /// ```
    /// use fincore::webhooks::Targets;
    ///
    /// assert!(Targets::Public.allow("8.8.8.8".parse().unwrap()));
    /// assert!(!Targets::Public.allow("169.254.169.254".parse().unwrap()));
    /// assert!(Targets::Any.allow("127.0.0.1".parse().unwrap()));
    /// ```
    #[must_use]
    pub fn allow(self, address: IpAddr) -> bool {
        match (self, address) {
            (Targets::Any, _) => true,
            (_, IpAddr::V4(address)) => is_public_v4(address),
            (_, IpAddr::V6(address)) => is_public_v6(address),
        }
    }

    /// Returns `true` if only public addresses are called, and only over `https`.
    #[must_use]
    pub fn are_public(self) -> bool {
        self != Targets::Any
    }

    /// Fails if an address has a secret of ours in it, or a port that is not called. A webhook that an earlier version
    /// created may have such an address, so it must be checked before each call. The error does not repeat the address.
    ///
    /// ```
    /// use fincore::webhooks::Targets;
    ///
    /// assert!(Targets::Public.check_address("https://example.com:8443/hook").is_ok());
    /// assert!(Targets::Public.check_address("https://example.com:22/").is_err());
    /// ```
    pub fn check_address(self, url: &str) -> Result<()> {
        refuse_secret(url)?;
        // An address that cannot be parsed fails when it is called.
        Url::parse(url).map_or(Ok(()), |url| self.check_port(&url))
    }

    fn check_port(self, url: &Url) -> Result<()> {
        let port = url.port_or_known_default().unwrap_or_default();
        let is_called = match self {
            Targets::Any => true,
            Targets::Public | Targets::PublicAndPorts(_)
                if port == 443 || port >= FIRST_FREE_PORT =>
            {
                true
            }
            Targets::Public => false,
            Targets::PublicAndPorts(ports) => ports.has(port),
        };
        if is_called { Ok(()) } else { Err(WebhookFault::Port { port }.into()) }
    }

    /// Parses an address, and returns it in its normal form. Fails if it may not be called.
    pub(crate) fn parse(self, text: &str) -> Result<Url> {
        let wanted = match self {
            Targets::Public | Targets::PublicAndPorts(_) => Wanted::HttpsAddress,
            Targets::Any => Wanted::HttpAddress,
        };
        refuse_secret(text)?;
        // The parser would drop these silently.
        if text.contains(|c: char| c.is_control() || c.is_whitespace()) {
            return Err(Error::invalid(text, wanted));
        }
        let Ok(url) = Url::parse(text) else { return Err(Error::invalid(text, wanted)) };
        let is_web = url.scheme() == "https" || (self == Targets::Any && url.scheme() == "http");
        let Some(host) = url.host().filter(|_| is_web && url.port() != Some(0)) else {
            return Err(Error::invalid(text, wanted));
        };
        if url.as_str().len() > MAX_CHARACTERS || text.len() > MAX_CHARACTERS {
            return Err(WebhookFault::LongAddress { most: MAX_CHARACTERS }.into());
        }
        if !url.username().is_empty() || url.password().is_some() {
            // The message does not repeat the password.
            return Err(WebhookFault::Credentials.into());
        }
        if url.fragment().is_some() {
            return Err(Error::invalid(text, Wanted::AddressWithoutFragment));
        }
        if !self.allow_host(&host) {
            return Err(Error::invalid(text, Wanted::PublicAddress));
        }
        self.check_address(url.as_str())?;
        Ok(url)
    }

    fn allow_host(self, host: &Host<&str>) -> bool {
        match host {
            Host::Ipv4(address) => self.allow((*address).into()),
            Host::Ipv6(address) => self.allow((*address).into()),
            Host::Domain(name) => self == Targets::Any || is_public_name(name),
        }
    }
}

/// Ports below 1024 that may be called too; the others need not be named.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ports([u64; FIRST_FREE_PORT as usize / 64]);

impl Ports {
    fn has(self, port: u16) -> bool {
        let (word, bit) = (usize::from(port / 64), port % 64);
        self.0.get(word).is_some_and(|word| word >> bit & 1 == 1)
    }
}

impl FromIterator<u16> for Ports {
    fn from_iter<I: IntoIterator<Item = u16>>(ports: I) -> Ports {
        let mut all = Ports::default();
        for port in ports {
            if let Some(word) = all.0.get_mut(usize::from(port / 64)) {
                *word |= 1 << (port % 64);
            }
        }
        all
    }
}

/// Fails if there is a secret of ours in an address, percent-encoded or not.
fn refuse_secret(address: &str) -> Result<()> {
    if Key::is_likely_in(address) { Err(WebhookFault::SecretInAddress.into()) } else { Ok(()) }
}

/// An address as it is shown: one that an earlier version stored may have a secret in it.
pub(crate) fn shown(url: &str) -> String {
    if Key::is_likely_in(url) { Key::redact(url) } else { url.to_owned() }
}

/// The host of an address that was checked, with its port: `example.com:443`.
pub(crate) fn host(url: &str) -> String {
    let parts = Url::parse(url)
        .ok()
        .and_then(|url| Some((url.host_str()?.to_owned(), url.port_or_known_default()?)));
    parts.map_or_else(String::new, |(host, port)| format!("{host}:{port}"))
}

/// A name without a dot belongs to the local network.
fn is_public_name(name: &str) -> bool {
    let name = name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase();
    let is_private = |end: &str| {
        name.strip_suffix(end).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    };
    name.contains('.') && !name.ends_with('.') && !PRIVATE_NAMES.into_iter().any(is_private)
}

/// Follows the registry of special addresses (RFC 6890 and later).
fn is_public_v4(address: Ipv4Addr) -> bool {
    let special = match address.octets() {
        // "This network"; multicast, reserved and broadcast.
        [0 | 224.., ..]
        // Shared by the customers of a provider.
        | [100, 64..=127, _, _]
        // Protocol assignments; documentation; what was 6to4.
        | [192, 0, 0 | 2, _]
        | [192, 88, 99, _]
        | [198, 51, 100, _]
        | [203, 0, 113, _]
        // Measuring equipment.
        | [198, 18 | 19, _, _] => true,
        _ => false,
    };
    !(special || address.is_private() || address.is_loopback() || address.is_link_local())
}

/// An address that contains an IPv4 address is as public as that one.
fn is_public_v6(address: Ipv6Addr) -> bool {
    if let Some(inside) = address.to_ipv4_mapped() {
        return is_public_v4(inside);
    }
    match address.segments() {
        // Protocol assignments, Teredo among them; documentation; 6to4.
        [0x2001, 0..=0x01ff, ..]
        | [0x2001, 0x0db8, ..]
        | [0x2002, ..]
        | [0x3fff, 0..=0x0fff, ..] => false,
        // All that was ever assigned to the public. Everything else is refused: loopback, unique-local, link-local,
        // site-local, multicast, translated and discarded addresses.
        [first, ..] => first & 0xe000 == 0x2000,
    }
}

#[cfg(test)]
mod tests;
