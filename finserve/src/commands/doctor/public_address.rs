//! Checks of the public address of a server, through the proxies in front of it.
use std::{net::ToSocketAddrs, time::Duration};

use fincore::chrono::TimeDelta;
use ureq::Agent;

use super::{Finding, certificate, format_time};
use crate::{
    coordination::clock::Now,
    net::http_client::{self, ProxyMode},
    sources::BaseUrl,
};

/// A path that every caller may ask for, and that counts against the limit.
const COUNTED: &str = "/api/v1/plans";

/// Addresses that are reserved for documentation (RFC 5737): no real caller has them.
const FORGED: [&str; 2] = ["203.0.113.77", "198.51.100.77"];

/// A certificate that is renewed automatically is never this close to its end.
const RENEWAL: TimeDelta = TimeDelta::days(14);

/// Whether a server is ready, by its admin address.
pub(super) fn check_ready(admin: &str, timeout: Duration) -> Finding {
    let says = match agent(timeout, ProxyMode::Direct)
        .map(|agent| agent.get(format!("http://{admin}/ready")).call())
    {
        Ok(Ok(answer)) if answer.status().is_success() => {
            return Finding::fine("server", "The server is ready.".into());
        }
        Ok(Ok(mut answer)) => {
            let body = answer.body_mut().with_config().limit(1024).read_to_string();
            let body = body.unwrap_or_default();
            let body = fincore::printable(body.trim());
            format!("The server is not ready: it answers {} {body}", answer.status())
        }
        Ok(Err(err)) => format!("The server at {admin} does not answer: {err}."),
        Err(why) => format!("The server at {admin} cannot be reached: {why}."),
    };
    Finding::wrong("server", says, "Its log says why; `finserve doctor` looks at its files.")
}

/// Asks the public address, and compares its answers with those of the server where it listens.
pub(super) fn check(url: &BaseUrl, listen: &str, now: Now, timeout: Duration) -> Vec<Finding> {
    let mut findings = vec![check_tls(url, now, timeout)];
    let public = match agent(timeout, url.proxy_mode()) {
        Ok(agent) => Probe { agent, address: url.join(COUNTED) },
        Err(why) => {
            findings.push(Finding::wrong(
                "proxy",
                format!("No request can be sent: {why}."),
                "Correct SSL_CERT_FILE.",
            ));
            return findings;
        }
    };
    findings.push(check_forged_addresses(&public));
    // Seen from this machine, a proxy on it has the same address as its callers.
    if url.is_local() || resolves_to_this_machine(url) {
        let says = "Only the public address shows whether callers' addresses arrive.";
        findings.push(Finding::note("proxy", says.into()));
        return findings;
    }
    if let Ok(agent) = agent(timeout, ProxyMode::Direct) {
        let direct = Probe { agent, address: format!("http://{listen}{COUNTED}") };
        findings.push(check_caller_addresses(&public, &direct, listen));
    }
    findings
}

/// Whether the host name is this machine: installers write the name of the machine into `/etc/hosts`.
fn resolves_to_this_machine(url: &BaseUrl) -> bool {
    let addresses = url.https().and_then(|at| at.to_socket_addrs().ok());
    addresses.is_some_and(|mut all| all.any(|address| address.ip().is_loopback()))
}

fn check_tls(url: &BaseUrl, now: Now, timeout: Duration) -> Finding {
    let Some((host, port)) = url.https() else {
        let says = format!("{url} is not encrypted: keys can be read in transit.");
        let remedy = "Start serve with --tls-cert and --tls-key, or put a proxy with TLS in front of it; deploy/ has examples.";
        return Finding::wrong("TLS", says, remedy);
    };
    match certificate::expiry(host, port, timeout) {
        Ok(end) if end - now.utc < RENEWAL => {
            let says =
                format!("The certificate of {host} is valid only until {}.", format_time(end));
            Finding::wrong("TLS", says, "Find out why it is not renewed: certbot renew --dry-run.")
        }
        Ok(end) => Finding::fine(
            "TLS",
            format!("The certificate of {host} is valid until {}.", format_time(end)),
        ),
        Err(why) => {
            let says = format!("There is no valid TLS at {host}: {why}.");
            Finding::wrong(
                "TLS",
                says,
                "Clients will refuse it: get a certificate for exactly this name.",
            )
        }
    }
}

/// Checks whether a caller can choose the address under which it is counted. Two requests with different made-up addresses
/// are two callers for a server that trusts the header.
fn check_forged_addresses(public: &Probe) -> Finding {
    let cannot = |why: String| {
        let says = format!("Cannot tell whether forged addresses are trusted: {why}.");
        Finding::wrong(
            "proxy",
            says,
            "Check that the address is right and the server is running, and try again in a minute.",
        )
    };
    let (first, second) = match (
        public.remaining_after_request(Some(FORGED[0])),
        public.remaining_after_request(Some(FORGED[1])),
    ) {
        (Ok(first), Ok(second)) => (first, second),
        (Err(why), _) | (_, Err(why)) => return cannot(why),
    };
    if second < first {
        return Finding::fine("proxy", "A forged X-Forwarded-For is not trusted.".into());
    }
    Finding::wrong(
        "proxy",
        "A forged X-Forwarded-For is trusted: callers can evade their limits.".into(),
        "Make the proxy overwrite the header (nginx: proxy_set_header X-Forwarded-For \
         $remote_addr), and name only the proxy with --trusted-proxy.",
    )
}

/// Checks whether the server can tell callers apart. A server that does not learn their addresses counts them all under the
/// proxy's: then a request through the proxy takes from the same limit as one from this machine.
fn check_caller_addresses(public: &Probe, direct: &Probe, listen: &str) -> Finding {
    let note = |why: String| {
        let says = format!(
            "Cannot tell whether callers' addresses arrive: run this on the machine of the server, which does not answer at {listen}: {why}."
        );
        Finding::note("proxy", says)
    };
    let before = match direct.remaining_after_request(None) {
        Ok(left) => left,
        Err(why) => return note(why),
    };
    if let Err(why) = public.remaining_after_request(None) {
        return note(why);
    }
    match direct.remaining_after_request(None) {
        Ok(after) if after + 1 < before => Finding::wrong(
            "proxy",
            "Callers' addresses do not arrive: all callers without a key share one limit.".into(),
            "Start serve with --trusted-proxy and the proxy's address, and make the proxy send X-Forwarded-For.",
        ),
        Ok(_) => Finding::fine("proxy", "Callers' addresses arrive.".into()),
        Err(why) => note(why),
    }
}

fn agent(timeout: Duration, proxy_mode: ProxyMode) -> Result<Agent, String> {
    Ok(http_client::agent(proxy_mode, timeout)?.build().new_agent())
}

/// An address to which test requests go.
struct Probe {
    agent: Agent,
    address: String,
}

impl Probe {
    /// Sends one request, perhaps with a made-up address, and returns how many the limit allows after it.
    fn remaining_after_request(&self, forged: Option<&str>) -> Result<u32, String> {
        let mut request = self.agent.get(&self.address);
        if let Some(forged) = forged {
            request = request.header("X-Forwarded-For", forged);
        }
        let answer = request.call().map_err(|err| err.to_string())?;
        let left = answer.headers().get("X-RateLimit-Remaining");
        let left = left.and_then(|left| left.to_str().ok()?.parse().ok());
        match (answer.status().as_u16(), left) {
            (200, Some(left)) => Ok(left),
            (429, _) => Err("the limit of this address is used up".into()),
            (status, _) => Err(format!("it answers {status}, but not as finserve does")),
        }
    }
}
