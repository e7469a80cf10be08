//! Access control: keys, limits and usage.
use std::{
    net::IpAddr,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use fincore::{
    Accounts, Caller, Feature, Key, KeyId, SessionToken,
    keys::{self, Registration},
    limits::{Limits, Standing},
    links,
    plans::WINDOW,
    sessions::{self, Holder},
    usage::{Outcome, Report, Usage, UsageQuery},
};
use hyper::Method;
use ipnet::IpNet;
use tokio::sync::watch;

pub(crate) mod credentials;
use super::{
    message::{
        link_parameter::{LinkCredential, TOKEN},
        refusal::Refusal,
        request::Request,
    },
    transport::{
        concurrency_slots::{Guard, Slots},
        peer_timeouts::Permit,
    },
};
use crate::{
    cluster::limits::SharedLimits,
    coordination::{clock::Now, signal::Signal},
    errors::BadRequest,
};

const HOUR: Duration = Duration::from_secs(3600);

/// How often a key may sign in within an hour: each time writes to the disk.
const SIGN_INS_PER_HOUR: u32 = 60;

/// The shortest time between two look-ups of keys, sessions and links that requests cause where those are in a file: all
/// requests with unknown ones that come in between share the next.
const LOOKUP_INTERVAL: Duration = Duration::from_millis(5);

/// How many streams of events a key may listen to at a time, and all keys together.
const LISTENERS_PER_KEY: usize = 5;
const LISTENERS: usize = 256;

/// The accounts, and what is counted of requests.
pub(crate) struct Access {
    accounts: Arc<Accounts>,
    limits: Arc<Limits>,
    /// Where limits are counted over all replicas, if there are others.
    shared: Option<SharedLimits>,
    usage: Usage,
    registrations: Limits,
    registrations_per_hour: u32,
    sign_ins: Limits,
    proxies: Vec<IpNet>,
    refresh: Refresh,
    /// Whether the last refresh failed, so that others may know of keys and sessions that are not known here.
    is_behind: AtomicBool,
    /// Woken when something new may be due for a webhook.
    outbox: Arc<Signal>,
    listeners: Slots,
    closing: Arc<AtomicBool>,
}

/// The cost of a request for its caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Charge {
    /// It counts against the caller's limit.
    Counted(Caller),
    /// It only shows how the caller stands.
    Free(Caller),
}

/// The verdict of the limit of all replicas, given before the request was answered here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Charged {
    /// It was counted, or refused.
    Counted(Result<Standing, Standing>),
    Free(Standing),
}

/// The right to listen to events for as long as a key is valid and its plan includes that. Holds one of the key's slots.
pub(crate) struct Pass {
    accounts: Arc<Accounts>,
    key: Key,
    closing: Arc<AtomicBool>,
    _slot: Guard,
}

impl Pass {
    /// Whether its holder may go on listening.
    pub(crate) fn holds(&self) -> bool {
        let caller = keys::authenticate(&self.accounts, &self.key);
        !self.closing.load(Ordering::Relaxed)
            && caller.is_ok_and(|caller| caller.plan.includes(Feature::Webhooks))
    }
}

/// Refreshing the keys, which the housekeeping thread does. Any thread may wake it; it decides how often it refreshes.
#[derive(Default)]
pub(crate) struct Refresh {
    /// Wakes or stops the housekeeping thread.
    pub(crate) signal: Signal,
    /// The number of the last refresh that has begun,
    begun: AtomicU64,
    /// and of the newest that is done.
    done: watch::Sender<u64>,
    /// When a request was the last to refresh them itself.
    by_request: Mutex<Option<Instant>>,
}

/// The result of looking up an unknown key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lookup {
    /// All keys committed by the time of the request have been read.
    Done,
    /// Another one has read it a moment ago: it is read again after this.
    In(Duration),
    /// It has to be waited for.
    Elsewhere,
}

impl Refresh {
    /// The number of the last refresh that has begun: what is committed by now is read by later ones.
    pub(crate) fn begun(&self) -> u64 {
        self.begun.load(Ordering::SeqCst)
    }

    /// The number of the newest refresh that is done, as it changes.
    pub(crate) fn subscribe(&self) -> watch::Receiver<u64> {
        self.done.subscribe()
    }

    fn begin(&self) -> u64 {
        self.begun.fetch_add(1, Ordering::SeqCst) + 1
    }

    /// Notes that a refresh is done; a newer one may have overtaken it.
    fn end(&self, number: u64) {
        self.done.send_modify(|newest| *newest = number.max(*newest));
    }

    /// Whether a request may refresh the keys itself, or after how long: those of all requests are some time apart.
    fn claim(&self, now: Instant) -> Result<(), Duration> {
        let mut last = self.by_request.lock().unwrap_or_else(PoisonError::into_inner);
        let since = last.map_or(LOOKUP_INTERVAL, |last| now.saturating_duration_since(last));
        if since < LOOKUP_INTERVAL {
            return Err(LOOKUP_INTERVAL - since);
        }
        *last = Some(now);
        Ok(())
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
            accounts: Arc::new(accounts),
            limits: Arc::new(Limits::new(WINDOW, start)),
            shared: None,
            usage: Usage::default(),
            registrations: Limits::new(HOUR, start),
            registrations_per_hour,
            sign_ins: Limits::new(HOUR, start),
            proxies,
            refresh: Refresh::default(),
            is_behind: AtomicBool::new(false),
            outbox: Arc::default(),
            listeners: Slots::new(LISTENERS_PER_KEY, LISTENERS),
            closing: Arc::default(),
        }
    }

    /// Shares limits over all replicas. `start` is given the memory in which this one counts while it is alone.
    pub(crate) fn with_shared_limits<E>(
        self,
        start: impl FnOnce(Arc<Limits>) -> Result<SharedLimits, E>,
    ) -> Result<Access, E> {
        let shared = Some(start(self.limits.clone())?);
        Ok(Access { shared, ..self })
    }

    /// Where limits are counted over all replicas, if there are others.
    pub(crate) fn shared_limits(&self) -> Option<&SharedLimits> {
        self.shared.as_ref()
    }

    /// The address that a request comes from.
    pub(crate) fn address(&self, request: &Request) -> IpAddr {
        credentials::address(request.peer, &request.head.headers, &self.proxies)
    }

    /// The caller that a request's address stands for, whatever key it carries.
    pub(crate) fn by_address(&self, request: &Request) -> Caller {
        Caller::at(self.address(request))
    }

    /// Who sent a request: the holder of the key that it carries, or else the key that is signed in. Fails where it carries an
    /// invalid key.
    ///
    /// `OPTIONS` needs no key, so its answer says nothing about the one that is sent.
    pub(crate) fn identify(&self, request: &Request) -> Result<Caller, Refusal> {
        if request.head.method == Method::OPTIONS {
            return Ok(self.by_address(request));
        }
        if request.link.is_given() {
            return by_link(request);
        }
        match credentials::key(&request.head.headers)? {
            Some(key) => Ok(keys::authenticate(&self.accounts, &key)?),
            None => match request.session.holder() {
                Some(holder) => Ok(holder.caller),
                None => Ok(self.by_address(request)),
            },
        }
    }

    /// The link that a request carries, as far as it is known here.
    pub(crate) fn find_link(&self, link: LinkCredential) -> LinkCredential {
        match link {
            LinkCredential::Unknown(hash) => links::find(&self.accounts, &hash)
                .map_or(LinkCredential::Unknown(hash), LinkCredential::Valid),
            found => found,
        }
    }

    /// Who is signed in with a session, if anybody is.
    pub(crate) fn holder(&self, token: &SessionToken, now: Now) -> Option<Holder> {
        sessions::find(&self.accounts, token, now.utc)
    }

    /// Whether a session may have begun elsewhere a moment ago.
    pub(crate) fn is_unknown(&self, token: &SessionToken) -> bool {
        !sessions::is_known(&self.accounts, token)
    }

    /// Whether others may know what is not known here.
    pub(crate) fn is_behind(&self) -> bool {
        self.is_behind.load(Ordering::Relaxed)
    }

    /// A session for a key, unless that has begun too many this hour.
    pub(crate) fn sign_in(&self, key: &Key, now: Now) -> Result<SessionToken, Refusal> {
        let caller = keys::authenticate(&self.accounts, key)?;
        let admitted = self.sign_ins.admit_up_to(SIGN_INS_PER_HOUR, caller.id, now.instant);
        admitted.map_err(|standing| Refusal::RateLimited {
            allowed: format!("a key may sign in {SIGN_INS_PER_HOUR} times per hour"),
            retry_after: standing.retry_after,
        })?;
        Ok(sessions::begin(&self.accounts, key, now.utc)?)
    }

    /// Ends a session.
    pub(crate) fn sign_out(&self, token: &SessionToken, now: Now) -> Result<(), Refusal> {
        Ok(sessions::end(&self.accounts, token, now.utc)?)
    }

    /// Whether a request carries a well-formed key that is not valid as far as is known here: another program may
    /// have issued it a moment ago. Only requests that are not [identified](Access::identify), and forms, need to ask.
    pub(crate) fn has_unknown_key(&self, request: &Request) -> bool {
        let in_headers = credentials::key(&request.head.headers).ok().flatten();
        let in_form = || request.form_field("key")?.trim().parse().ok();
        let key: Option<Key> = in_headers.or_else(in_form);
        key.is_some_and(|key| keys::authenticate(&self.accounts, &key).is_err())
    }

    pub(crate) fn accounts(&self) -> &Arc<Accounts> {
        &self.accounts
    }

    pub(crate) fn refresh(&self) -> &Refresh {
        &self.refresh
    }

    /// Wakes the thread that calls webhooks.
    pub(crate) fn outbox(&self) -> &Arc<Signal> {
        &self.outbox
    }

    /// Lets the key of a request listen, unless it or all keys together listen too often.
    pub(crate) fn listen(&self, request: &Request) -> Result<Pass, Refusal> {
        let key = credentials::key(&request.head.headers)?.ok_or(Refusal::KeyRequired)?;
        let caller = keys::authenticate(&self.accounts, &key)?;
        let slot = self
            .listeners
            .take(caller.id)
            .map_err(|full| Refusal::full(full, "streams of events"))?;
        let (accounts, closing) = (self.accounts.clone(), self.closing.clone());
        Ok(Pass { accounts, key, closing, _slot: slot })
    }

    /// Whether the key or the link that a request was made with is still valid, for answers that take long. True without
    /// one.
    pub(crate) fn still_valid(&self, request: &Request) -> Permit {
        if let Some(holder) = request.link.holder() {
            let (accounts, link) = (self.accounts.clone(), holder.hash);
            return Permit::new(move || links::is_valid(&accounts, &link));
        }
        let in_headers = credentials::key(&request.head.headers).ok().flatten();
        let signed_in = || request.session.holder().map(|holder| holder.hash);
        let key = in_headers.map(|key| key.hash()).or_else(signed_in);
        let accounts = self.accounts.clone();
        Permit::new(move || key.is_none_or(|key| keys::is_valid(&accounts, &key)))
    }

    pub(crate) fn is_closing(&self) -> bool {
        self.closing.load(Ordering::Relaxed)
    }

    /// Ends all streams within a second.
    pub(crate) fn close(&self) {
        self.closing.store(true, Ordering::Relaxed);
    }

    /// Counts a request that is within the caller's limit; fails with the caller's standing if it is not.
    pub(crate) fn admit(&self, caller: &Caller, now: Now) -> Result<Standing, Standing> {
        self.limits.admit(caller, now.instant)
    }

    /// Charges a caller for guessing a key, on a thread that may wait.
    pub(crate) fn charge_guess(&self, caller: &Caller, now: Now) {
        // Whether that is still within the limit changes nothing.
        let _ = match &self.shared {
            Some(shared) => shared.admit(caller, now.instant),
            None => self.admit(caller, now),
        };
    }

    /// The caller's standing, without counting.
    pub(crate) fn peek(&self, caller: &Caller, now: Now) -> Standing {
        self.limits.peek(caller, now.instant)
    }

    /// Counts how a request ended, if it was made with a key or a link.
    pub(crate) fn count(
        &self,
        caller: &Caller,
        link: &LinkCredential,
        (endpoint, outcome): (&'static str, Outcome),
        now: Now,
    ) {
        let Some(key) = caller.key else { return };
        let day = now.utc_day();
        match link.holder() {
            Some(holder) => {
                self.usage.count_by_link(key, holder.hash, day, now.utc, endpoint, outcome);
            }
            None => self.usage.count(key, day, endpoint, outcome),
        }
    }

    /// A new key on the Free plan, unless its address has registered too many this hour.
    pub(crate) fn register(&self, request: &Request, who: &Registration) -> Result<Key, Refusal> {
        self.admit_registration(request)?;
        Ok(keys::register(&self.accounts, who, request.now.utc)?)
    }

    /// A new key in the place of this one, unless its address has registered too many this hour.
    pub(crate) fn rotate(&self, request: &Request, key: KeyId) -> Result<Key, Refusal> {
        self.admit_registration(request)?;
        // Earlier requests move to the new key. If that cannot be written, the exchange fails too.
        self.flush()?;
        Ok(keys::rotate(&self.accounts, key, request.now.utc)?)
    }

    /// Revokes a key for good.
    pub(crate) fn revoke(&self, key: KeyId, now: Now) -> Result<(), Refusal> {
        Ok(keys::revoke_by_id(&self.accounts, key, now.utc)?)
    }

    /// Counts a new key against what its address may register in an hour.
    fn admit_registration(&self, request: &Request) -> Result<(), Refusal> {
        let (limit, address) = (self.registrations_per_hour, self.by_address(request).id);
        let admitted = self.registrations.admit_up_to(limit, address, request.now.instant);
        admitted.map(drop).map_err(|standing| Refusal::RateLimited {
            allowed: format!("an address may register {limit} keys per hour"),
            retry_after: standing.retry_after,
        })
    }

    /// The usage of a caller's key on the days that are asked for.
    pub(crate) fn report(
        &self,
        caller: &Caller,
        query: &UsageQuery,
        now: Now,
    ) -> Result<Report, Refusal> {
        let key = caller.key.ok_or(Refusal::KeyRequired)?;
        Ok(self.usage.report(&self.accounts, key, query, now.utc_day())?)
    }

    /// The holder of a key.
    pub(crate) fn holder_of(&self, key: &Key) -> Result<Caller, Refusal> {
        Ok(keys::authenticate(&self.accounts, key)?)
    }

    /// The usage of a caller's key in the last days, and its standing now; on a thread that may wait.
    pub(crate) fn look_up(&self, caller: &Caller, now: Now) -> Result<(Report, Standing), Refusal> {
        let standing = match &self.shared {
            Some(shared) => shared.peek(caller, now.instant),
            None => self.peek(caller, now),
        };
        Ok((self.report(caller, &UsageQuery::default(), now)?, standing))
    }

    /// Reads what other programs did to the keys.
    pub(crate) fn refresh_keys(&self) -> fincore::Result<()> {
        let number = self.refresh.begin();
        let refreshed = self.accounts.refresh();
        self.is_behind.store(refreshed.is_err(), Ordering::Relaxed);
        self.refresh.end(number);
        refreshed
    }

    /// Looks up a request that came when `before` was the last refresh that had begun: at once, if nothing has to be
    /// waited for.
    pub(crate) fn look_up_at_once(&self, before: u64, now: Instant) -> Lookup {
        if *self.refresh.done.borrow() > before {
            return Lookup::Done;
        }
        if let Err(left) = self.refresh.claim(now) {
            return Lookup::In(left);
        }
        let number = self.refresh.begin();
        if self.is_behind() || !self.accounts.refresh_at_once().unwrap_or(false) {
            return Lookup::Elsewhere;
        }
        self.refresh.end(number);
        Lookup::Done
    }

    /// Whether a link that is not known here is looked up: not for an address that is over its limit, as far as that is
    /// counted here. A new link counts within a second anyway.
    pub(crate) fn looks_links_up(&self, request: &Request) -> bool {
        let is_over = || self.peek(&self.by_address(request), request.now).remaining == 0;
        self.shared.is_some() || !is_over()
    }

    /// Writes what was counted since the last time.
    pub(crate) fn flush(&self) -> fincore::Result<()> {
        self.usage.flush(&self.accounts)
    }

    /// How many requests are counted and not yet written.
    pub(crate) fn unwritten(&self) -> u64 {
        self.usage.unwritten_requests()
    }

    /// How many requests were not counted, because the accounts were away for too long.
    pub(crate) fn lost(&self) -> u64 {
        self.usage.lost_requests()
    }

    /// Forgets callers that have been idle for a whole window.
    pub(crate) fn sweep(&self, now: Instant) {
        self.limits.sweep(now);
        self.registrations.sweep(now);
        self.sign_ins.sweep(now);
    }

    /// Forgets sessions that are too old.
    pub(crate) fn sweep_sessions(&self, now: Now) -> fincore::Result<()> {
        while sessions::sweep(&self.accounts, now.utc)? {}
        Ok(())
    }
}

/// Who sent a request that carries a link: the holder of its key. A key beside it would leave open who is meant.
fn by_link(request: &Request) -> Result<Caller, Refusal> {
    if credentials::is_given(&request.head.headers) {
        return Err(BadRequest::KeyAndLink.into());
    }
    match &request.link {
        LinkCredential::Valid(holder) => Ok(holder.caller),
        LinkCredential::Repeated => {
            Err(BadRequest::RepeatedParameter { name: TOKEN.to_owned() }.into())
        }
        LinkCredential::None
        | LinkCredential::Unmarked
        | LinkCredential::Malformed
        | LinkCredential::Unknown(_) => Err(Refusal::InvalidLink),
    }
}
