//! Callers: whom a request is counted against, and who holds a key.
use std::{fmt, net::IpAddr, str::FromStr};

use crate::values::{Error, Invalid, Key, Plan, Result, SecretKind, Wanted};

/// The number of a key in its accounts file; never reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyId(u32);

impl KeyId {
    /// Only for tests of limiters, which need keys of their own without accounts.
    #[doc(hidden)]
    #[must_use]
    pub fn new(number: u32) -> KeyId {
        KeyId(number)
    }

    pub(crate) fn get(self) -> u32 {
        self.0
    }
}

/// Who sends a request: the holder of a key, or an IP address without one.
///
/// ```
/// use std::net::Ipv4Addr;
/// use fincore::{Caller, Plan};
///
/// let caller = Caller::at(Ipv4Addr::LOCALHOST.into());
/// assert_eq!((caller.plan, caller.key), (Plan::Free, None));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caller {
    /// The plan, which decides on features and rate limit.
    pub plan: Plan,
    /// The identity that requests are counted against. A key that was exchanged for another one has the id of that one,
    /// so that an exchange gives no second limit.
    pub id: CallerId,
    /// The key, if the caller has one.
    pub key: Option<KeyId>,
}

impl Caller {
    /// A caller without a key, on the Free plan.
    #[must_use]
    pub fn at(address: IpAddr) -> Caller {
        Caller { plan: Plan::Free, id: CallerId::address(address), key: None }
    }

    /// The holder of a key, on this plan.
    #[must_use]
    pub fn with_key(key: KeyId, plan: Plan) -> Caller {
        Caller { plan, id: CallerId::of_key(key), key: Some(key) }
    }

    /// Counts the requests against `first`, the first key of the holder.
    pub(crate) fn counted_as(self, first: KeyId) -> Caller {
        Caller { id: CallerId::of_key(first), ..self }
    }
}

/// The holder of a key, an IPv4 address, or an IPv6 network (/64), which is what a provider assigns to one customer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CallerId(
    // Eight bytes, because there may be millions: the upper half of an IPv6 address. Multicast (ff00::/8)
    // is never a source address, so that range is free for keys and IPv4.
    u64,
);

impl CallerId {
    const KEYS: u64 = 0xffff_0000_0000_0000;
    const IPV4: u64 = 0xfffe_0000_0000_0000;

    /// The id of an address. An IPv4-mapped IPv6 address (`::ffff:a.b.c.d`) counts as IPv4.
    #[must_use]
    pub fn address(address: IpAddr) -> CallerId {
        match address.to_canonical() {
            IpAddr::V4(address) => CallerId(CallerId::IPV4 | u64::from(address.to_bits())),
            IpAddr::V6(address) if address.is_multicast() => CallerId(0),
            IpAddr::V6(address) => {
                let [a, b, c, d, ..] = address.segments();
                CallerId([a, b, c, d].iter().fold(0, |upper, part| upper << 16 | u64::from(*part)))
            }
        }
    }

    /// The id of the holder of a key, by the first key, wherever requests come from.
    #[must_use]
    pub fn of_key(key: KeyId) -> CallerId {
        CallerId(CallerId::KEYS | u64::from(key.get()))
    }

    #[cfg(test)]
    pub(crate) const fn of_number(number: u64) -> CallerId {
        CallerId(number)
    }

    /// A number that is unique to the caller, and equal in all processes that share the accounts.
    #[must_use]
    pub fn number(self) -> u64 {
        self.0
    }
}

/// The name of a person or a company: 1 to 100 characters. Surrounding whitespace is removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name(String);

impl Name {
    /// The maximum length in characters.
    pub const MAX_CHARACTERS: usize = 100;

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Name {
    type Err = Error;

    fn from_str(text: &str) -> Result<Name> {
        refuse_key(text)?;
        let name = text.trim();
        let fits = (1..=Name::MAX_CHARACTERS).contains(&name.chars().count());
        if fits && !name.chars().any(|c| c.is_control() || is_invisible(c)) {
            return Ok(Name(name.to_owned()));
        }
        Err(Error::invalid(text, Wanted::Name { most: Name::MAX_CHARACTERS }))
    }
}

/// Fails if there is a key in a text, which is not repeated.
fn refuse_key(text: &str) -> Result<()> {
    if Key::is_likely_in(text) {
        return Err(Error::Invalid(Invalid::Secret(SecretKind::KeyInContact)));
    }
    Ok(())
}

/// Invisible characters that change how others are displayed, or break lines.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// An e-mail address: `ana@example.com`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Email(String);

impl Email {
    /// The maximum length in bytes, from RFC 5321.
    pub const MAX_LENGTH: usize = 254;

    /// The address.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Email {
    type Err = Error;

    /// Accepts what mail servers accept in practice, in any alphabet: no quoted names, no comments, no
    /// bare host.
    fn from_str(text: &str) -> Result<Email> {
        refuse_key(text)?;
        let local = |part: &str| part.len() <= 64 && part.split('.').all(is_atom);
        let domain = |part: &str| part.contains('.') && part.split('.').all(is_label);
        match text.split_once('@') {
            Some((name, host))
                if text.len() <= Email::MAX_LENGTH && local(name) && domain(host) =>
            {
                Ok(Email(text.to_owned()))
            }
            _ => Err(Error::invalid(text, Wanted::Email { most: Email::MAX_LENGTH })),
        }
    }
}

fn is_atom(text: &str) -> bool {
    !text.is_empty()
        && text.chars().all(|c| c.is_alphanumeric() || "!#$%&'*+-/=?^_`{|}~".contains(c))
}

fn is_label(text: &str) -> bool {
    let inside = |c: char| c.is_alphanumeric() || c == '-';
    let edge = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    text.len() <= 63
        && edge(text.chars().next())
        && edge(text.chars().next_back())
        && text.chars().all(inside)
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl fmt::Display for Email {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

super::as_text!(Name);
super::as_text!(Email);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_keys_from_addresses() {
        let key = KeyId::new(7);
        let of_key = CallerId::of_key(key);
        for address in ["127.0.0.1", "255.255.255.255", "::1", "2001:db8::1", "ff02::1", "fdff::1"]
        {
            let id = CallerId::address(address.parse().unwrap());
            assert!(id != of_key && id.number() < CallerId::KEYS, "{address}");
        }
    }
}

#[cfg(test)]
mod contact_tests {
    use super::*;

    #[test]
    fn a_key_is_no_name_and_no_address_and_is_not_repeated() {
        let key = Key::generate().unwrap();
        let key = key.reveal();
        let part = &key[..30];
        for text in [key, part, &format!("{key}@example.com"), &format!("a.{part}@example.com")] {
            for err in [text.parse::<Name>().unwrap_err(), text.parse::<Email>().unwrap_err()] {
                let said = err.to_string();
                assert!(said.starts_with("this looks like a key"), "{said}");
                assert!(!said.contains(&key[4..12]), "{said}");
            }
        }
        assert!("fin_team@example.com".parse::<Email>().is_ok());
        assert!("Fin_Tech Consultores Associados".parse::<Name>().is_ok());
    }

    #[test]
    fn a_name_has_one_to_a_hundred_characters() {
        let long = "é".repeat(100);
        for (text, name) in [("  Ana ", "Ana"), ("José & Filhos", "José & Filhos"), (&long, &long)]
        {
            assert_eq!(text.parse::<Name>().unwrap().as_str(), name);
        }
        for text in ["", "   ", "\u{a0}", "a\nb", "a\u{7}b", "\u{9b}31m", &"x".repeat(101)] {
            assert!(text.parse::<Name>().is_err(), "{text:?}");
        }
    }

    #[test]
    fn an_email_is_one_address() {
        let long = format!("{}@{}.br", "a".repeat(64), "d.".repeat(93) + "d");
        assert_eq!(long.len(), 255);
        let longest = &long[1..];
        for text in ["a@b.co", "ana.maria+api@banco.com.br", "josé@exemplo.com.br", longest] {
            assert_eq!(text.parse::<Email>().unwrap().as_str(), text);
        }
        let wrong = [
            "",
            "a",
            "@",
            "a@",
            "@b.co",
            "a@b",
            "a@b.",
            "a@.b",
            "a@b..co",
            "a@-b.co",
            "a@b-.co",
            ".a@b.co",
            "a.@b.co",
            "a..b@c.co",
            "a b@c.co",
            " a@b.co",
            "a@b.co ",
            "a@b@c.co",
            "a@b.co,c@d.co",
            "a@b.co;c@d.co",
            "<a@b.co>",
            "\"a b\"@c.co",
            "a@[127.0.0.1]",
            "a@b.co\n",
            "a\0@b.co",
            &long,
        ];
        for text in wrong {
            assert!(text.parse::<Email>().is_err(), "{text:?}");
        }
    }
}
