//! Checks that the host of a URL may be called, as far as its name says so now.
use std::{
    io,
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

/// One of the names that are being resolved, until this is dropped: also by a thread that panics or never starts.
struct Lookup(&'static AtomicUsize);

impl Lookup {
    /// `None` if there are too many already.
    fn begin(running: &'static AtomicUsize) -> Option<Lookup> {
        let lookup = Lookup(running);
        (running.fetch_add(1, Ordering::Relaxed) < MOST_LOOKUPS).then_some(lookup)
    }
}

impl Drop for Lookup {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Fails if the host stands for an address that may not be called. A name that cannot be resolved in time passes: every
/// call resolves and checks it again, and that is what decides.
pub(crate) fn check(url: &str, targets: Targets) -> Result<(), Refusal> {
    // Faults of a URL are reported where it is stored.
    let Some(host) = url.parse::<Uri>().ok().and_then(|uri| uri.host().map(str::to_owned)) else {
        return Ok(());
    };
    let is_public = addresses(host).into_iter().all(|address| targets.allow(address));
    if is_public { Ok(()) } else { Err(BadRequest::PrivateAddress.into()) }
}

/// The addresses of a host; none if they cannot be had in time.
fn addresses(host: String) -> Vec<IpAddr> {
    let spawn = |work: Work| thread::Builder::new().name("lookup".into()).spawn(work).map(drop);
    addresses_by(host, &LOOKUPS, spawn)
}

type Work = Box<dyn FnOnce() + Send>;

/// Looks up on a thread that `spawn` starts, with a count of its own.
fn addresses_by(
    host: String,
    running: &'static AtomicUsize,
    spawn: impl FnOnce(Work) -> io::Result<()>,
) -> Vec<IpAddr> {
    let Some(lookup) = Lookup::begin(running) else { return Vec::new() };
    let (sender, receiver) = mpsc::sync_channel(1);
    let resolve = move || {
        // The port does not matter.
        let found = format!("{host}:443").to_socket_addrs();
        drop(lookup);
        let found: Vec<IpAddr> =
            found.map_or_else(|_| Vec::new(), |found| found.map(|found| found.ip()).collect());
        // A request that has stopped waiting is no failure.
        let _ = sender.send(found);
    };
    if let Err(err) = spawn(Box::new(resolve)) {
        tracing::error!("no thread can be started to resolve a name: {err}");
    }
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

    #[test]
    fn a_thread_that_panics_or_never_starts_counts_no_longer() {
        static RUNNING: AtomicUsize = AtomicUsize::new(0);
        let host = || "127.0.0.1".to_owned();
        let never = |_| Err(io::Error::other("no more threads"));
        let panics = |work: Work| {
            let panicking = thread::spawn(move || {
                let _work = work;
                panic!("forced");
            });
            assert!(panicking.join().is_err());
            Ok(())
        };
        for _ in 0..MOST_LOOKUPS {
            assert!(addresses_by(host(), &RUNNING, never).is_empty());
            assert!(addresses_by(host(), &RUNNING, panics).is_empty());
        }
        assert_eq!(RUNNING.load(Ordering::Relaxed), 0);
        let here = |work: Work| {
            work();
            Ok(())
        };
        assert_eq!(addresses_by(host(), &RUNNING, here), [IpAddr::from([127, 0, 0, 1])]);
    }

    #[test]
    fn one_lookup_too_many_is_not_begun() {
        static RUNNING: AtomicUsize = AtomicUsize::new(0);
        let lookups: Vec<_> = (0..MOST_LOOKUPS).map(|_| Lookup::begin(&RUNNING)).collect();
        assert!(lookups.iter().all(Option::is_some) && Lookup::begin(&RUNNING).is_none());
        drop(lookups);
        assert!(Lookup::begin(&RUNNING).is_some());
    }
}
