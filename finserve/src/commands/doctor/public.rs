//! The server as the public sees it, through whatever stands in front of it.
use std::{net::ToSocketAddrs, time::Duration};

use fincore::chrono::TimeDelta;
use ureq::Agent;

use super::{Finding, certificate, second};
use crate::{
    now::Now,
    outgoing::{self, Way},
    sources::Base,
};

/// What every caller may ask, and what counts against the limit.
const COUNTED: &str = "/api/v1/plans";

/// Addresses that are nobody's (RFC 5737), to be made up.
const FORGED: [&str; 2] = ["203.0.113.77", "198.51.100.77"];

/// A certificate that is renewed by itself never gets this old.
const RENEWAL: TimeDelta = TimeDelta::days(14);

/// Whether a server is ready, by its admin address.
pub(super) fn ready(admin: &str, patience: Duration) -> Finding {
    let says = match agent(patience, Way::Direct)
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
        Err(why) => format!("The server at {admin} cannot be asked: {why}."),
    };
    Finding::wrong("server", says, "Its log says why; `finserve doctor` looks at its files.")
}

/// Asks the public address, and compares with what the server says where it listens.
pub(super) fn look(url: &Base, listen: &str, now: Now, patience: Duration) -> Vec<Finding> {
    let mut findings = vec![encrypted(url, now, patience)];
    let public = match agent(patience, url.way()) {
        Ok(agent) => Asked { agent, address: url.join(COUNTED) },
        Err(why) => {
            findings.push(Finding::wrong(
                "proxy",
                format!("Nothing can be asked: {why}."),
                "Correct SSL_CERT_FILE.",
            ));
            return findings;
        }
    };
    findings.push(forged(&public));
    // From here, a proxy on this machine has the same address as its callers.
    if url.is_local() || leads_here(url) {
        let says = "Whether callers' addresses arrive can only be told by the public address.";
        findings.push(Finding::note("proxy", says.into()));
        return findings;
    }
    if let Ok(agent) = agent(patience, Way::Direct) {
        let direct = Asked { agent, address: format!("http://{listen}{COUNTED}") };
        findings.push(arrives(&public, &direct, listen));
    }
    findings
}

/// Whether the name stands for this machine, as installers write that of the machine itself into `/etc/hosts`.
fn leads_here(url: &Base) -> bool {
    let addresses = url.https().and_then(|at| at.to_socket_addrs().ok());
    addresses.is_some_and(|mut all| all.any(|address| address.ip().is_loopback()))
}

fn encrypted(url: &Base, now: Now, patience: Duration) -> Finding {
    let Some((host, port)) = url.https() else {
        let says = format!("{url} is not encrypted: keys can be read on their way.");
        let remedy = "Give serve --tls-cert and --tls-key, or put a proxy with TLS in front; deploy/ has examples.";
        return Finding::wrong("TLS", says, remedy);
    };
    match certificate::end(host, port, patience) {
        Ok(end) if end - now.utc < RENEWAL => {
            let says = format!("The certificate of {host} is valid only until {}.", second(end));
            Finding::wrong("TLS", says, "Look why it is not renewed: certbot renew --dry-run.")
        }
        Ok(end) => Finding::fine(
            "TLS",
            format!("The certificate of {host} is valid until {}.", second(end)),
        ),
        Err(why) => {
            let says = format!("There is no valid TLS at {host}: {why}.");
            Finding::wrong(
                "TLS",
                says,
                "Clients will refuse it: get a certificate for this very name.",
            )
        }
    }
}

/// Whether somebody can choose by whom they are counted. Two requests with different made-up addresses are two callers
/// for a server that believes them.
fn forged(public: &Asked) -> Finding {
    let cannot = |why: String| {
        let says = format!("Whether made-up addresses are believed cannot be told: {why}.");
        Finding::wrong(
            "proxy",
            says,
            "Is the address right, and does the server run? Try again in a minute.",
        )
    };
    let (first, second) = match (public.left(Some(FORGED[0])), public.left(Some(FORGED[1]))) {
        (Ok(first), Ok(second)) => (first, second),
        (Err(why), _) | (_, Err(why)) => return cannot(why),
    };
    if second < first {
        return Finding::fine("proxy", "A made-up X-Forwarded-For is not believed.".into());
    }
    Finding::wrong(
        "proxy",
        "A made-up X-Forwarded-For is believed: anybody can have any number of limits.".into(),
        "Let the proxy overwrite the header (nginx: proxy_set_header X-Forwarded-For $remote_addr), and let \
         --trusted-proxy name only the proxy.",
    )
}

/// Whether callers are told apart. A server that does not learn their addresses counts them all under the proxy's: then
/// a request through the proxy takes from the same limit as one from this machine.
fn arrives(public: &Asked, direct: &Asked, listen: &str) -> Finding {
    let note = |why: String| {
        let says = format!(
            "Whether callers' addresses arrive can only be told beside the server, which does not answer at {listen}: {why}."
        );
        Finding::note("proxy", says)
    };
    let before = match direct.left(None) {
        Ok(left) => left,
        Err(why) => return note(why),
    };
    if let Err(why) = public.left(None) {
        return note(why);
    }
    match direct.left(None) {
        Ok(after) if after + 1 < before => Finding::wrong(
            "proxy",
            "Callers' addresses do not arrive: all callers without a key share one limit.".into(),
            "Give serve --trusted-proxy with the proxy's address, and let the proxy send X-Forwarded-For.",
        ),
        Ok(_) => Finding::fine("proxy", "Callers' addresses arrive.".into()),
        Err(why) => note(why),
    }
}

fn agent(patience: Duration, way: Way) -> Result<Agent, String> {
    Ok(outgoing::agent(way, patience)?.build().new_agent())
}

/// Somebody who is asked.
struct Asked {
    agent: Agent,
    address: String,
}

impl Asked {
    /// How many requests the limit has left after one, which may come with a made-up address.
    fn left(&self, forged: Option<&str>) -> Result<u32, String> {
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
            (status, _) => Err(format!("it answers {status}, and not as finserve does")),
        }
    }
}
