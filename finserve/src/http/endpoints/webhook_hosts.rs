//! Whether the host of a URL may be called, as far as its name says so now.
use std::{
    net::{IpAddr, ToSocketAddrs},
    sync::{
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
    thread,
    time::Duration,
};

use fincore::webhooks::Targets;
use hyper::Uri;

use crate::{errors::BadRequest, http::message::refusal::Refusal};

/// How long a request waits for a name to be resolved.
const PATIENCE: Duration = Duration::from_secs(2);
/// The most names that are resolved at a time, so that slow ones do not collect threads.
const MOST_LOOKUPS: usize = 16;

static LOOKUPS: AtomicUsize = AtomicUsize::new(0);

/// Fails if the host stands for an address that may not be called. A name that cannot be resolved in time passes: every
/// call resolves and checks it again, and that is what decides.
pub(crate) fn check(url: &str, targets: Targets) -> Result<(), Refusal> {
    // What is wrong with a URL is said by those who store it.
    let Some(host) = url.parse::<Uri>().ok().and_then(|uri| uri.host().map(str::to_owned)) else {
        return Ok(());
    };
    let is_public = addresses(host).into_iter().all(|address| targets.allow(address));
    if is_public { Ok(()) } else { Err(BadRequest::PrivateAddress.into()) }
}

/// The addresses of a host; none if they cannot be had in time.
fn addresses(host: String) -> Vec<IpAddr> {
    if LOOKUPS.fetch_add(1, Ordering::Relaxed) >= MOST_LOOKUPS {
        LOOKUPS.fetch_sub(1, Ordering::Relaxed);
        return Vec::new();
    }
    let (sender, receiver) = mpsc::sync_channel(1);
    thread::spawn(move || {
        // The port does not matter.
        let found = format!("{host}:443").to_socket_addrs();
        LOOKUPS.fetch_sub(1, Ordering::Relaxed);
        let found: Vec<IpAddr> =
            found.map_or_else(|_| Vec::new(), |found| found.map(|found| found.ip()).collect());
        // A request that has stopped waiting is no failure.
        let _ = sender.send(found);
    });
    receiver.recv_timeout(PATIENCE).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resolves_in_time_or_not_at_all() {
        assert_eq!(addresses("127.0.0.1".into()), [IpAddr::from([127, 0, 0, 1])]);
        assert_eq!(addresses("[::1]".into()), [IpAddr::from([0, 0, 0, 0, 0, 0, 0, 1])]);
        assert!(addresses("no such name".into()).is_empty());
    }
}
