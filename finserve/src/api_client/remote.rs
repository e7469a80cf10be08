//! Asks a server over HTTP.
use std::time::Duration;

use fincore::{Key, printable};
use ureq::Agent;

use super::{Failure, FailureKind};
use crate::{
    net::http_client,
    openapi,
    sources::{BaseUrl, describe_failure},
};

/// How long connecting may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// How long an answer may take, all of it: a server gives up on one after half a minute.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(60);

/// The longest answer, in bytes: ten times what ten thousand rows take.
const LONGEST_ANSWER: u64 = 64 << 20;

/// A server, and the key to ask it with. The key is never printed.
pub(crate) struct Server {
    pub(super) base: BaseUrl,
    key: Option<Key>,
    agent: Agent,
}

/// What is wrong with a text that is no key. The message does not repeat it.
fn invalid_key_message(text: &str) -> &'static str {
    if Key::has_shape(text) {
        "the key is mistyped, by its checksum: copy it again, and check --key or FINSERVE_KEY"
    } else {
        "the key is malformed: check --key or FINSERVE_KEY (fin_ and 38 letters and digits)"
    }
}

impl Server {
    /// Fails where the key is malformed: a mistyped key must not be sent to any host.
    pub(crate) fn new(base: BaseUrl, key: Option<&str>) -> Result<Server, Failure> {
        let key = key.map(str::trim);
        let key = key.map(|key| key.parse().map_err(|_| Failure::other(invalid_key_message(key))));
        // No redirection is followed: another host must not get the key.
        let config =
            http_client::agent(base.proxy_mode(), ANSWER_TIMEOUT).map_err(Failure::other)?;
        let agent = config.timeout_connect(Some(CONNECT_TIMEOUT)).build().new_agent();
        Ok(Server { base, key: key.transpose()?, agent })
    }

    /// The answer to a path and query string, as JSON.
    pub(super) fn get(&self, path: &str, query: &str) -> Result<String, Failure> {
        let mark = if query.is_empty() { "" } else { "?" };
        let mut request = self.agent.get(self.base.join(&format!("{path}{mark}{query}")));
        if let Some(key) = &self.key {
            request = request.header("X-API-Key", key.reveal());
        }
        let cannot = |err| {
            let reason = describe_failure(err);
            Failure::other(format!("{}: {reason}; is the address right?", self.base))
        };
        let mut answer = request.call().map_err(cannot)?;
        let status = answer.status().as_u16();
        let text = |name: &str| Some(answer.headers().get(name)?.to_str().ok()?.to_owned());
        let (location, retry) = (text("Location"), text("Retry-After"));
        let body = answer.body_mut().with_config().limit(LONGEST_ANSWER).read_to_string();
        match status {
            200 => body.map_err(cannot),
            300..400 => Err(self.moved_failure(location)),
            _ => Err(self.api_failure(body.unwrap_or_default(), retry).unwrap_or_else(|| {
                Failure::other(format!(
                    "{} answers {status}, and not as finserve does: is the address right?",
                    self.base
                ))
            })),
        }
    }

    fn moved_failure(&self, to: Option<String>) -> Failure {
        let to = to.map(|to| Key::redact(&printable(&to)));
        let to = to.unwrap_or_else(|| "another address".into());
        Failure::other(format!("{} has moved to {to}: give that address with --server", self.base))
    }

    /// The error of the API with what helps; `None` if the answer is not an error of the API.
    fn api_failure(&self, body: String, retry: Option<String>) -> Option<Failure> {
        let error = openapi::Error::read(&body)?;
        let seconds = retry.and_then(|seconds| seconds.parse::<u32>().ok());
        // The text of a server may hold control characters for the terminal.
        let message = printable(&error.message).into_owned();
        let helps = match (&*error.error, seconds, &self.key) {
            ("plan_required", _, key) => {
                let at = error
                    .plans_url(self.base.as_str())
                    .unwrap_or_else(|| self.base.join("/pricing"));
                let plans = format!("the plans are at {}", printable(&at));
                Some(match key {
                    Some(_) => plans,
                    None => format!("give a key with --key or FINSERVE_KEY; {plans}"),
                })
            }
            ("invalid_api_key", ..) => Some("check --key or FINSERVE_KEY".into()),
            ("unavailable", Some(seconds), _) => Some(format!("try again in {seconds} s")),
            // If the limit is used up, the message itself says when to try again.
            _ => None,
        };
        let message = match helps {
            Some(helps) => format!("{}; {helps}", message.trim_end_matches('.')),
            None => message,
        };
        let kind = match (FailureKind::from_code(&error.error), seconds) {
            (FailureKind::Other, Some(seconds)) => {
                FailureKind::Later(Duration::from_secs(seconds.into()))
            }
            (kind, _) => kind,
        };
        Some(Failure { kind, message, error: Some(body) })
    }
}
