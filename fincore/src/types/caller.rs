//! Callers: whom a request is counted against.
use std::net::IpAddr;

use crate::plans::Plan;

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
    /// What the requests are counted against. A key that was exchanged for another one has the id of that one, so that an
    /// exchange gives no second limit.
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

    /// The same with requests that are counted against `first`, the first key of the holder.
    pub(crate) fn counted_as(self, first: KeyId) -> Caller {
        Caller { id: CallerId::of_key(first), ..self }
    }
}

/// What requests are counted against: the holder of a key, an IPv4 address, or an IPv6 network (/64), which is what a
/// provider assigns to one customer.
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

    /// The same number for the same caller in every process that shares the accounts, and no other's.
    #[must_use]
    pub fn number(self) -> u64 {
        self.0
    }
}

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
