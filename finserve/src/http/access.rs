//! What stands between a caller and the answers: keys, limits and usage; and the caller's own endpoints.
use std::{
    net::IpAddr,
    time::{Duration, Instant},
};

use fincore::{
    Accounts, Error, Key, Plan, Result,
    keys::{self, Registration},
    limits::{Caller, Limits, Standing},
    plans::WINDOW,
    usage::{Ended, Report, Usage, UsageQuery},
};
use hyper::header::{CONTENT_TYPE, HeaderMap};
use ipnet::IpNet;
use serde::Serialize;

use crate::{
    cli, client,
    params::Params,
    reply::{Body, Caching, Outcome},
    request::{Client, Now, Upload},
};

const HOUR: Duration = Duration::from_secs(3600);

/// The accounts, and what is counted of requests.
pub(crate) struct Access {
    accounts: Accounts,
    limits: Limits,
    usage: Usage,
    registrations: Limits,
    registrations_per_hour: u32,
    proxies: Vec<IpNet>,
}

/// A request to one of the caller's own endpoints.
pub(crate) struct Call<'r> {
    pub(crate) client: Client,
    pub(crate) headers: &'r HeaderMap,
    pub(crate) upload: &'r Upload,
    pub(crate) now: Now,
}

impl<'r> Call<'r> {
    /// The body, if it has arrived whole and is said to be of this media type.
    pub(crate) fn body(&self, wanted: &'static str) -> Result<&'r [u8], Outcome> {
        let media = self.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let media = media.unwrap_or_default().split(';').next().unwrap_or_default();
        if !media.trim().eq_ignore_ascii_case(wanted) {
            return Err(Outcome::WrongMedia(wanted));
        }
        match self.upload {
            Upload::Whole(bytes) => Ok(bytes),
            Upload::TooLarge => Err(Outcome::TooLarge),
            Upload::Broken(why) => Err(Outcome::Failed(Error::Invalid((*why).into()))),
        }
    }
}

impl Access {
    pub(crate) fn new(accounts: Accounts, args: &cli::Serve, start: Instant) -> Access {
        Access {
            accounts,
            limits: Limits::new(WINDOW, start),
            usage: Usage::default(),
            registrations: Limits::new(HOUR, start),
            registrations_per_hour: args.registrations_per_hour,
            proxies: args.trusted_proxy.clone(),
        }
    }

    /// Who is calling. Where the key is no good, that is whoever is at the address, and an error.
    pub(crate) fn identify(&self, peer: IpAddr, headers: &HeaderMap) -> (Client, Result<()>) {
        let address = Caller::address(client::address(peer, headers, &self.proxies));
        let nobody = Client { plan: Plan::Free, key: None, address };
        let holder = client::key(headers)
            .and_then(|key| key.map(|key| keys::authenticate(&self.accounts, &key)).transpose());
        match holder {
            Ok(Some(holder)) => {
                (Client { plan: holder.plan, key: Some(holder.id), address }, Ok(()))
            }
            Ok(None) => (nobody, Ok(())),
            Err(err) => (nobody, Err(err)),
        }
    }

    /// Counts a request that may pass; fails with where the client stands if it may not.
    pub(crate) fn admit(&self, client: &Client, now: Now) -> Result<Standing, Standing> {
        self.limits.admit(client.caller(), client.plan.limit(), now.instant)
    }

    /// Where the client stands, without counting.
    pub(crate) fn peek(&self, client: &Client, now: Now) -> Standing {
        self.limits.peek(client.caller(), client.plan.limit(), now.instant)
    }

    /// Notes how a request ended, where there is a key to note it on.
    pub(crate) fn count(&self, client: &Client, endpoint: &'static str, ended: Ended, now: Now) {
        if let Some(key) = client.key {
            self.usage.count(key, now.utc_day(), endpoint, ended);
        }
    }

    /// A new key on the Free plan, unless its address has had enough of them this hour.
    pub(crate) fn register(&self, call: &Call<'_>, who: &Registration) -> Result<Key> {
        let limit = self.registrations_per_hour;
        let admitted = self.registrations.admit(call.client.address, limit, call.now.instant);
        admitted.map_err(|standing| Error::RateLimited {
            limit,
            per: "registrations an hour from one address".into(),
            retry_after: standing.retry_after,
        })?;
        keys::issue(&self.accounts, who, Plan::Free, call.now.utc)
    }

    /// What a key has asked for in the last days, and where it stands now.
    pub(crate) fn look_up(&self, key: &Key, now: Now) -> Result<(Report, Standing)> {
        let holder = keys::authenticate(&self.accounts, key)?;
        let report =
            self.usage.report(&self.accounts, holder.id, &UsageQuery::default(), now.utc_day())?;
        let standing = self.limits.peek(Caller::key(holder.id), holder.plan.limit(), now.instant);
        Ok((report, standing))
    }

    /// Takes over what other programs did to the keys.
    pub(crate) fn refresh(&self) -> Result<()> {
        self.accounts.refresh()
    }

    /// Writes what was counted since the last time.
    pub(crate) fn flush(&self) -> Result<()> {
        self.usage.flush(&self.accounts)
    }

    /// Forgets callers who have gone.
    pub(crate) fn sweep(&self, now: Instant) {
        self.limits.sweep(now);
        self.registrations.sweep(now);
    }
}

/// `GET /api/v1/plans/usage`: what the caller's key has asked for.
pub(crate) fn usage(access: &Access, call: &Call<'_>, params: Params<'_>) -> Result<Outcome> {
    let key = call.client.key.ok_or(Error::KeyRequired)?;
    let report = access.usage.report(&access.accounts, key, &params.read()?, call.now.utc_day())?;
    Ok(Outcome::Found(Body::json(&report)?, Caching::Never))
}

/// What a registration answers.
#[derive(Serialize)]
struct Registered<'k> {
    message: &'static str,
    api_key: &'k str,
    plan: Plan,
    rate_limit: u32,
}

/// `POST /api/v1/plans/register`: a new key on the Free plan.
pub(crate) fn register(access: &Access, call: &Call<'_>, _: Params<'_>) -> Result<Outcome> {
    let bytes = match call.body("application/json") {
        Ok(bytes) => bytes,
        Err(outcome) => return Ok(outcome),
    };
    let key = access.register(call, &registration(bytes)?)?;
    Ok(Outcome::Created(Body::json(&Registered {
        message: "Welcome! Keep this key safe: it is shown this once, and cannot be shown again.",
        api_key: key.reveal(),
        plan: Plan::Free,
        rate_limit: Plan::Free.limit(),
    })?))
}

fn registration(bytes: &[u8]) -> Result<Registration> {
    const WANTED: &str = r#"the body must be like {"name": "Ana", "email": "ana@example.com"}"#;
    // serde would also read the members from an array, in order.
    if bytes.trim_ascii_start().first() != Some(&b'{') {
        return Err(Error::Invalid(WANTED.into()));
    }
    serde_json::from_slice(bytes).map_err(|err| Error::Invalid(format!("{WANTED}: {err}")))
}
