//! A server that is asked over HTTP.
use std::time::Duration;

use fincore::{Key, printable};
use serde::Deserialize;
use ureq::{Agent, Proxy};

use super::Failure;
use crate::{
    sources::{Base, in_words},
    tls::tls,
};

/// How long connecting may take.
const CONNECT: Duration = Duration::from_secs(10);

/// How long an answer may take, all of it: a server gives up on one after half a minute.
const ANSWER: Duration = Duration::from_secs(60);

/// The longest answer, in bytes: ten times what ten thousand rows take.
const LONGEST: u64 = 64 << 20;

/// A server, and the key to ask it with. Nothing shows the key.
pub(crate) struct Server {
    base: Base,
    key: Option<Key>,
    agent: Agent,
}

/// What an error of the API says.
#[derive(Deserialize)]
struct Error {
    error: String,
    message: String,
    upgrade_url: Option<String>,
}

impl Server {
    /// Fails where the key is malformed: a key that was mistyped is not sent to anybody.
    pub(crate) fn new(base: Base, key: Option<&str>) -> Result<Server, Failure> {
        let wrong =
            "the key is malformed: check --key or FINSERVE_KEY (fin_ and 38 letters and digits)";
        let key = key.map(|key| key.trim().parse().map_err(|_| Failure::other(wrong)));
        let proxy = if base.is_local() { None } else { Proxy::try_from_env() };
        let config = Agent::config_builder()
            .user_agent(concat!("finserve/", env!("CARGO_PKG_VERSION")))
            .http_status_as_error(false)
            // Another host must not get the key.
            .max_redirects(0)
            .proxy(proxy)
            .tls_config(tls().map_err(Failure::other)?)
            .timeout_connect(Some(CONNECT))
            .timeout_global(Some(ANSWER))
            .build();
        Ok(Server { base, key: key.transpose()?, agent: config.new_agent() })
    }

    /// The answer to a path and query string, as JSON.
    pub(super) fn get(&self, path: &str, query: &str) -> Result<String, Failure> {
        let mark = if query.is_empty() { "" } else { "?" };
        let mut request = self.agent.get(self.base.join(&format!("{path}{mark}{query}")));
        if let Some(key) = &self.key {
            request = request.header("X-API-Key", key.reveal());
        }
        let cannot = |err| {
            let why = in_words(err);
            Failure::other(format!("{}: {why}; is the address right?", self.base))
        };
        let mut answer = request.call().map_err(cannot)?;
        let status = answer.status().as_u16();
        let text = |name: &str| Some(answer.headers().get(name)?.to_str().ok()?.to_owned());
        let (location, retry) = (text("Location"), text("Retry-After"));
        let body = answer.body_mut().with_config().limit(LONGEST).read_to_string();
        match status {
            200 => body.map_err(cannot),
            300..400 => Err(self.moved(location)),
            _ => Err(match serde_json::from_str(&body.unwrap_or_default()) {
                Ok(error) => self.refused(error, retry),
                Err(_) => Failure::other(format!(
                    "{} answers {status}, and not as finserve does: is the address right?",
                    self.base
                )),
            }),
        }
    }

    fn moved(&self, to: Option<String>) -> Failure {
        let to = to.map(|to| Key::redact(&printable(&to)));
        let to = to.unwrap_or_else(|| "another address".into());
        Failure::other(format!("{} has moved to {to}: give that address with --server", self.base))
    }

    /// What the API says, and what helps.
    fn refused(&self, error: Error, retry: Option<String>) -> Failure {
        let Error { error: code, message, upgrade_url } = error;
        // What comes from elsewhere may steer a terminal.
        let message = printable(&message).into_owned();
        let helps = match (&*code, retry, &self.key) {
            ("plan_required", _, key) => {
                let at = upgrade_url.unwrap_or_else(|| self.base.join("/pricing"));
                // A path begins at the host.
                let host = if at.starts_with('/') { self.base.origin() } else { "" };
                let plans = format!("the plans are at {host}{}", printable(&at));
                match key {
                    Some(_) => plans,
                    None => format!("give a key with --key or FINSERVE_KEY; {plans}"),
                }
            }
            ("invalid_api_key", ..) => "check --key or FINSERVE_KEY".into(),
            // The sentence says when.
            ("rate_limited", ..) => return Failure::refused(&code, message),
            ("unavailable", Some(seconds), _) if seconds.parse::<u32>().is_ok() => {
                format!("try again in {seconds} s")
            }
            _ => return Failure::refused(&code, message),
        };
        Failure::refused(&code, format!("{}; {helps}", message.trim_end_matches('.')))
    }
}
