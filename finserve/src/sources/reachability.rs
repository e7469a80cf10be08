//! Checks that the publishers can be reached.
use std::{thread, time::Duration};

use fincore::chrono::{DateTime, Utc};

use super::{
    BaseUrl, PublisherUrls, UserAgent,
    failure::{Fault, FaultKind},
    request::Publisher,
};
use crate::net::http_client;

/// The reply of a publisher to a test request.
#[derive(Debug)]
pub(crate) struct PublisherReply {
    /// Its name.
    pub(crate) publisher: &'static str,
    pub(crate) address: String,
    /// The time by its clock, if it sent one; or why there was no answer.
    pub(crate) clock: Result<Option<DateTime<Utc>>, String>,
    /// A connection was made, whatever came of it.
    pub(crate) is_reached: bool,
}

/// Asks all publishers at once, each with one short request, and waits no longer than `timeout`.
pub(crate) fn check_publishers(
    urls: &PublisherUrls,
    user_agent: &UserAgent,
    timeout: Duration,
) -> Vec<PublisherReply> {
    let PublisherUrls { sgs, olinda, ptax, site, cvm } = urls;
    let all = [
        (Publisher::Sgs, sgs),
        (Publisher::Olinda, olinda),
        (Publisher::Ptax, ptax),
        (Publisher::Site, site),
        (Publisher::Cvm, cvm),
    ];
    thread::scope(|scope| {
        let asked = all.map(|(publisher, base)| {
            (publisher, base, scope.spawn(move || ask(base, user_agent, timeout)))
        });
        let reply = |(publisher, base, asked): (
            Publisher,
            &BaseUrl,
            thread::ScopedJoinHandle<'_, _>,
        )| {
            let failed = || Err(Fault::permanent("asking it failed"));
            let clock = asked.join().unwrap_or_else(|_| failed());
            PublisherReply {
                publisher: publisher.name(),
                address: base.to_string(),
                is_reached: !matches!(&clock, Err(fault) if fault.kind == FaultKind::Unreachable),
                clock: clock.map_err(|fault| fault.message),
            }
        };
        asked.into_iter().map(reply).collect()
    })
}

/// Sends one request. Any answer will do, unless it is a server error.
fn ask(
    base: &BaseUrl,
    user_agent: &UserAgent,
    timeout: Duration,
) -> Result<Option<DateTime<Utc>>, Fault> {
    let agent = http_client::agent(base.proxy_mode(), timeout).map_err(Fault::permanent)?;
    // The phase that takes too long is reported, so the limit of the whole request must be a little longer.
    let connect = timeout.mul_f64(0.9);
    let config = agent.timeout_resolve(Some(connect)).timeout_connect(Some(connect));
    let config = config.user_agent(user_agent.as_str()).build();
    let agent = http_client::connect_to_ipv4_first(config);
    let answer = agent.get(base.join("/")).call()?;
    if answer.status().is_server_error() {
        return Err(Fault::permanent(format!("the server answers {}", answer.status())));
    }
    let date = answer.headers().get("Date").and_then(|date| date.to_str().ok());
    Ok(date.and_then(|date| DateTime::parse_from_rfc2822(date).ok()).map(|date| date.to_utc()))
}
