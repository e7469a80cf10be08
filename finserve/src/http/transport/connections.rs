//! The connections that are open: how many there may be, and which of them end when there are too many.
use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Instant,
};

use fincore::CallerId;
use ipnet::IpNet;
use tokio::task::AbortHandle;

use super::{peer_timeouts::PeerDeadline, turns::Turn};

/// How many connections there may be.
#[derive(Clone, Debug)]
pub(crate) struct Bounds {
    /// In all.
    pub(crate) most: usize,
    /// From one address, or from one /64 network of IPv6.
    pub(crate) per_address: usize,
    /// Proxies, which bring connections of everybody, and have no bound of their own.
    pub(crate) proxies: Vec<IpNet>,
}

/// Why a connection is not served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Full {
    /// Its address has as many as one may have.
    Address,
    /// There are as many as there may be, and all of them are busy.
    All,
}

/// All open connections.
pub(crate) struct Connections {
    bounds: Bounds,
    all: Mutex<All>,
}

#[derive(Default)]
struct All {
    open: HashMap<u64, Open>,
    /// Only addresses with connections are listed, so this is never longer than `open`.
    by_address: HashMap<CallerId, usize>,
    next: u64,
}

/// An open connection.
struct Open {
    address: CallerId,
    patience: Arc<PeerDeadline>,
    /// The task that serves it, once that has begun.
    task: Option<AbortHandle>,
}

/// The place of a connection, until this is dropped.
pub(crate) struct Place {
    connections: Arc<Connections>,
    number: u64,
    pub(crate) patience: Arc<PeerDeadline>,
    pub(crate) turn: Arc<Turn>,
}

impl Connections {
    pub(crate) fn new(bounds: Bounds) -> Connections {
        Connections { bounds, all: Mutex::default() }
    }

    pub(crate) fn count(&self) -> usize {
        self.all().open.len()
    }

    /// How many are not waiting for a request, but in the middle of one.
    pub(crate) fn busy(&self) -> usize {
        let all = self.all();
        all.open.values().filter(|open| open.patience.waits_until().is_none()).count()
    }

    /// A place for a connection. Where all are taken, an idle connection of the address that has most ends for it.
    pub(crate) fn enter(
        self: &Arc<Connections>,
        peer: IpAddr,
        patience: PeerDeadline,
    ) -> Result<Place, Full> {
        let peer = peer.to_canonical();
        let address = CallerId::address(peer);
        let mut all = self.all();
        let has = all.by_address.get(&address).copied().unwrap_or_default();
        let is_proxy = self.bounds.proxies.iter().any(|network| network.contains(&peer));
        if has >= self.bounds.per_address && !is_proxy {
            return Err(Full::Address);
        }
        if all.open.len() >= self.bounds.most {
            let idle = all.greediest_idle().ok_or(Full::All)?;
            all.end(idle);
        }
        let (patience, number) = (Arc::new(patience), all.next);
        all.next += 1;
        *all.by_address.entry(address).or_default() += 1;
        all.open.insert(number, Open { address, patience: patience.clone(), task: None });
        let turn = Arc::new(Turn::of((!is_proxy).then_some(address)));
        Ok(Place { connections: self.clone(), number, patience, turn })
    }

    /// Notes what serves a connection.
    pub(crate) fn serve(&self, number: u64, task: AbortHandle) {
        if let Some(open) = self.all().open.get_mut(&number) {
            open.task = Some(task);
        }
    }

    /// Ends those whose peers have taken too long, and says how many those are.
    pub(crate) fn end_overdue(&self, now: Instant) -> usize {
        // Whether a permit holds is decided elsewhere and may take a while: connections come and go meanwhile.
        let open: Vec<_> = {
            let all = self.all();
            let open = all.open.values();
            open.map(|open| (open.patience.clone(), open.task.clone())).collect()
        };
        let overdue = open.iter().filter(|(patience, _)| patience.is_over(now));
        overdue.inspect(|(_, task)| task.iter().for_each(AbortHandle::abort)).count()
    }

    fn all(&self) -> MutexGuard<'_, All> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl All {
    /// Of the connections that wait for a request, one of the address that has most connections: that which has waited
    /// longest.
    fn greediest_idle(&self) -> Option<u64> {
        let idle = self.open.iter().filter(|(_, open)| open.task.is_some());
        let idle =
            idle.filter_map(|(number, open)| Some((number, open, open.patience.waits_until()?)));
        let of = |open: &Open| self.by_address.get(&open.address).copied();
        let first = idle.max_by_key(|(_, open, until)| (of(open), std::cmp::Reverse(*until)));
        first.map(|(number, _, _)| *number)
    }

    fn end(&mut self, number: u64) {
        if let Some(open) = self.remove(number) {
            open.task.iter().for_each(AbortHandle::abort);
        }
    }

    fn remove(&mut self, number: u64) -> Option<Open> {
        let open = self.open.remove(&number)?;
        if let Some(has) = self.by_address.get_mut(&open.address) {
            *has -= 1;
            if *has == 0 {
                self.by_address.remove(&open.address);
            }
        }
        Some(open)
    }
}

impl Place {
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    pub(crate) fn connections(&self) -> &Arc<Connections> {
        &self.connections
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // It may have had to make room already.
        let _ = self.connections.all().remove(self.number);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::http::transport::peer_timeouts::{Permit, Timeouts};

    fn connections(most: usize, per_address: usize) -> Arc<Connections> {
        let proxies = vec!["10.0.0.0/8".parse().unwrap()];
        Arc::new(Connections::new(Bounds { most, per_address, proxies }))
    }

    fn enter(connections: &Arc<Connections>, peer: &str, start: Instant) -> Result<Place, Full> {
        let timeouts =
            Timeouts { head: Duration::from_secs(15), write: Duration::from_secs(30), rate: 4096 };
        connections.enter(peer.parse().unwrap(), PeerDeadline::new(timeouts, start))
    }

    #[test]
    fn an_address_has_its_share_and_a_proxy_all() {
        let (all, now) = (connections(10, 2), Instant::now());
        let mut places: Vec<_> =
            ["192.0.2.1", "::ffff:192.0.2.1"].map(|peer| enter(&all, peer, now).ok()).into();
        assert!(places.iter().all(Option::is_some));
        assert_eq!(enter(&all, "192.0.2.1", now).err(), Some(Full::Address));
        places.extend(["2001:db8::1", "2001:db8::2"].map(|peer| enter(&all, peer, now).ok()));
        assert_eq!(enter(&all, "2001:db8::3", now).err(), Some(Full::Address));
        places.extend((0..6).map(|_| enter(&all, "10.0.0.1", now).ok()));
        assert!(places.iter().all(Option::is_some));
        assert_eq!((all.count(), enter(&all, "198.51.100.1", now).err()), (10, Some(Full::All)));
        places.remove(0);
        assert!(enter(&all, "192.0.2.1", now).is_ok());
        drop(places);
        assert_eq!((all.count(), all.all().by_address.len()), (0, 0));
    }

    #[test]
    fn connections_come_and_go_while_a_permit_is_asked() {
        let (all, now) = (connections(10, 2), Instant::now());
        let place = enter(&all, "192.0.2.1", now).ok().unwrap();
        let asked = all.clone();
        let is_free = Arc::new(Mutex::new(None));
        let seen = is_free.clone();
        let permit = Permit::new(move || {
            *seen.lock().unwrap() = Some(asked.all.try_lock().is_ok());
            false
        });
        place.patience.expect_read(None, Some(permit));
        assert_eq!(all.end_overdue(now), 1);
        assert_eq!(*is_free.lock().unwrap(), Some(true));
    }

    #[test]
    fn idle_connections_of_the_greediest_make_room() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let (all, now) = (connections(4, 3), Instant::now());
            let mut places = Vec::new();
            for (at, peer) in
                ["192.0.2.1", "192.0.2.2", "192.0.2.2", "192.0.2.2"].iter().enumerate()
            {
                let place = enter(&all, peer, now + Duration::from_secs(at as u64)).ok().unwrap();
                let task = tokio::spawn(std::future::pending::<()>());
                all.serve(place.number(), task.abort_handle());
                places.push((place, task));
            }
            // The oldest of them is busy.
            places[1].0.patience.expect_nothing();
            let new = enter(&all, "192.0.2.3", now).ok().unwrap();
            let ended = [&places[0], &places[1], &places[3]].map(|(_, task)| task.is_finished());
            assert!((&mut places[2].1).await.unwrap_err().is_cancelled());
            assert_eq!(ended, [false; 3]);
            for (place, _) in &places {
                place.patience.expect_nothing();
            }
            assert_eq!(enter(&all, "192.0.2.4", now).err(), Some(Full::All));
            drop(new);
            assert_eq!(all.count(), 3);
        });
    }
}
