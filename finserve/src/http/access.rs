//! What stands between a caller and the answers: keys, limits and usage.
use std::{
    sync::{Arc, Condvar, Mutex, PoisonError},
    time::{Duration, Instant},
};

use fincore::{
    Accounts, Caller, Key, Plan,
    keys::{self, Registration},
    limits::{Limits, Standing},
    plans::WINDOW,
    usage::{Outcome, Report, Usage, UsageQuery},
};
use ipnet::IpNet;
use tokio::sync::watch;

use super::{caller, now::Now, refusal::Refusal, request::Request};

const HOUR: Duration = Duration::from_secs(3600);

/// The accounts, and what is counted of requests.
pub(crate) struct Access {
    accounts: Accounts,
    limits: Limits,
    usage: Usage,
    registrations: Limits,
    registrations_per_hour: u32,
    proxies: Vec<IpNet>,
    looks: Looks,
}

/// The looks at what other programs have done to the keys. Anybody may ask for one; the thread that takes
/// them decides how often that is.
#[derive(Default)]
pub(crate) struct Looks {
    wanted: Arc<(Mutex<Wanted>, Condvar)>,
    /// How many have been taken.
    taken: watch::Sender<u64>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Wanted {
    #[default]
    Nothing,
    Look,
    Stop,
}

impl Looks {
    /// Asks for something.
    pub(crate) fn want(&self, what: Wanted) {
        let (wanted, bell) = &*self.wanted;
        let mut wanted = wanted.lock().unwrap_or_else(PoisonError::into_inner);
        if *wanted != Wanted::Stop {
            *wanted = what;
        }
        bell.notify_all();
    }

    /// Waits until something is wanted, or so long. What was wanted is wanted no more, but for the end.
    pub(crate) fn wait(&self, longest: Duration) -> Wanted {
        let (wanted, bell) = &*self.wanted;
        let wanted = wanted.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut wanted, _) = bell
            .wait_timeout_while(wanted, longest, |wanted| *wanted == Wanted::Nothing)
            .unwrap_or_else(PoisonError::into_inner);
        let now = *wanted;
        if now == Wanted::Look {
            *wanted = Wanted::Nothing;
        }
        now
    }

    /// Tells those who wait that a look has been taken.
    pub(crate) fn taken(&self) {
        self.taken.send_modify(|taken| *taken += 1);
    }

    /// Sees every look that is taken from now on.
    pub(crate) fn watch(&self) -> watch::Receiver<u64> {
        self.taken.subscribe()
    }
}

impl Access {
    pub(crate) fn new(
        accounts: Accounts,
        registrations_per_hour: u32,
        proxies: Vec<IpNet>,
        start: Instant,
    ) -> Access {
        Access {
            accounts,
            limits: Limits::new(WINDOW, start),
            usage: Usage::default(),
            registrations: Limits::new(HOUR, start),
            registrations_per_hour,
            proxies,
            looks: Looks::default(),
        }
    }

    /// Whoever is at the address that a request comes from, whatever its key.
    pub(crate) fn stranger(&self, request: &Request) -> Caller {
        Caller::at(caller::address(request.peer, &request.head.headers, &self.proxies))
    }

    /// Who sent a request. Fails where it carries a key that is not valid.
    pub(crate) fn identify(&self, request: &Request) -> Result<Caller, Refusal> {
        match caller::key(&request.head.headers)? {
            Some(key) => Ok(keys::authenticate(&self.accounts, &key)?),
            None => Ok(self.stranger(request)),
        }
    }

    /// Whether a request carries a key that could be valid but is not known here: another program may have
    /// issued it a moment ago. Whoever has used up the limit of its address is not believed.
    pub(crate) fn may_be_new(&self, request: &Request) -> bool {
        let Ok(Some(key)) = caller::key(&request.head.headers) else { return false };
        keys::authenticate(&self.accounts, &key).is_err()
            && self.peek(&self.stranger(request), request.now).remaining > 0
    }

    pub(crate) fn looks(&self) -> &Looks {
        &self.looks
    }

    /// Counts a request that is within the caller's limit; fails with the caller's standing if it is not.
    pub(crate) fn admit(&self, caller: &Caller, now: Now) -> Result<Standing, Standing> {
        self.limits.admit(caller, now.instant)
    }

    /// The caller's standing, without counting.
    pub(crate) fn peek(&self, caller: &Caller, now: Now) -> Standing {
        self.limits.peek(caller, now.instant)
    }

    /// Notes how a request ended, where there is a key to note it on.
    pub(crate) fn count(
        &self,
        caller: &Caller,
        endpoint: &'static str,
        outcome: Outcome,
        now: Now,
    ) {
        if let Some(key) = caller.id.key() {
            self.usage.count(key, now.utc_day(), endpoint, outcome);
        }
    }

    /// A new key on the Free plan, unless its address has had enough of them this hour.
    pub(crate) fn register(&self, request: &Request, who: &Registration) -> Result<Key, Refusal> {
        let (limit, address) = (self.registrations_per_hour, self.stranger(request).id);
        let admitted = self.registrations.admit_up_to(limit, address, request.now.instant);
        admitted.map_err(|standing| Refusal::RateLimited {
            allowed: format!("an address may register {limit} keys per hour"),
            retry_after: standing.retry_after,
        })?;
        Ok(keys::issue(&self.accounts, who, Plan::Free, request.now.utc)?)
    }

    /// The usage of a caller's key on the days that are asked for.
    pub(crate) fn report(
        &self,
        caller: &Caller,
        query: &UsageQuery,
        now: Now,
    ) -> Result<Report, Refusal> {
        let key = caller.id.key().ok_or(Refusal::KeyRequired)?;
        Ok(self.usage.report(&self.accounts, key, query, now.utc_day())?)
    }

    /// The usage of a key in the last days, and its standing now.
    pub(crate) fn look_up(&self, key: &Key, now: Now) -> Result<(Report, Standing), Refusal> {
        let caller = keys::authenticate(&self.accounts, key)?;
        Ok((self.report(&caller, &UsageQuery::default(), now)?, self.peek(&caller, now)))
    }

    /// Reads what other programs did to the keys.
    pub(crate) fn refresh(&self) -> fincore::Result<()> {
        let refreshed = self.accounts.refresh();
        self.looks.taken();
        refreshed
    }

    /// Writes what was counted since the last time.
    pub(crate) fn flush(&self) -> fincore::Result<()> {
        self.usage.flush(&self.accounts)
    }

    /// Forgets callers who have gone.
    pub(crate) fn sweep(&self, now: Instant) {
        self.limits.sweep(now);
        self.registrations.sweep(now);
    }
}
