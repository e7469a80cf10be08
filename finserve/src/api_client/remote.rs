//! Asks a server over HTTP, with the client that programs use.
use std::{error::Error, sync::Arc, time::Duration};

use fincore::{Key, printable};
use finserve_client::{Client, Settings};
use tokio::runtime::{self, Runtime};

use super::{Failure, FailureKind};
use crate::{
    net::trusted_certificates::{explain_refusal, rustls_config},
    openapi,
    sources::BaseUrl,
};

/// A server, and the key to ask it with. The key is never printed.
pub(crate) struct Server {
    base: BaseUrl,
    has_key: bool,
    client: Client,
    /// Commands wait for each answer.
    runtime: Runtime,
}

/// The message for a text that is no key. It does not repeat the text.
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
        let key: Option<Key> = key.transpose()?;
        let has_key = key.is_some();
        let tls = Some(Arc::new(rustls_config().map_err(Failure::other)?));
        let user_agent = concat!("finserve/", env!("CARGO_PKG_VERSION")).to_owned();
        let settings = Settings { key, tls, user_agent, ..Settings::default() };
        let client = Client::new(base.as_str(), settings);
        let client = client.map_err(|err| Failure::other(err.to_string()))?;
        let runtime = runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|err| Failure::other(err.to_string()))?;
        Ok(Server { base, has_key, client, runtime })
    }

    pub(super) fn address(&self) -> &str {
        self.base.as_str()
    }

    /// The answer to a path and query string, as JSON.
    pub(super) fn get(&self, path: &str, query: &str) -> Result<String, Failure> {
        let mark = if query.is_empty() { "" } else { "?" };
        let reply = self.runtime.block_on(self.client.fetch(&format!("{path}{mark}{query}")));
        let reply = reply.map_err(|err| {
            Failure::other(format!("{}; is the address right?", self.explain(&err)))
        })?;
        match reply.status {
            200 => Ok(reply.body),
            300..400 => Err(self.moved_failure(reply.location)),
            status => Err(self.api_failure(reply.body, reply.retry_after).unwrap_or_else(|| {
                Failure::other(format!(
                    "{} answers {status}, and not as finserve does: is the address right?",
                    self.base
                ))
            })),
        }
    }

    /// Why there is no answer; of a certificate, with what helps.
    fn explain(&self, err: &finserve_client::Error) -> String {
        let mut cause: Option<&(dyn Error + 'static)> = err.source();
        while let Some(err) = cause {
            let inner = err.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref);
            if let Some(tls) = inner.and_then(|inner| inner.downcast_ref::<rustls::Error>()) {
                return format!("{}: no secure connection ({})", self.base, explain_refusal(tls));
            }
            cause = err.source();
        }
        err.to_string()
    }

    fn moved_failure(&self, to: Option<String>) -> Failure {
        let to = to.map(|to| Key::redact(&printable(&to)));
        let to = to.unwrap_or_else(|| "another address".into());
        Failure::other(format!("{} has moved to {to}: give that address with --server", self.base))
    }

    /// The error of the API with what helps; `None` if the answer is not an error of the API.
    fn api_failure(&self, body: String, retry: Option<Duration>) -> Option<Failure> {
        let error = openapi::Error::read(&body)?;
        // The text of a server may hold control characters for the terminal.
        let message = printable(&error.message).into_owned();
        let helps = match (&*error.error, retry, self.has_key) {
            ("plan_required", _, has_key) => {
                let at = error
                    .plans_url(self.base.as_str())
                    .unwrap_or_else(|| self.base.join("/pricing"));
                let plans = format!("the plans are at {}", printable(&at));
                Some(match has_key {
                    true => plans,
                    false => format!("give a key with --key or FINSERVE_KEY; {plans}"),
                })
            }
            ("invalid_api_key", ..) => Some("check --key or FINSERVE_KEY".into()),
            ("unavailable", Some(wait), _) => Some(format!("try again in {} s", wait.as_secs())),
            // If the limit is used up, the message itself says when to try again.
            _ => None,
        };
        let message = match helps {
            Some(helps) => format!("{}; {helps}", message.trim_end_matches('.')),
            None => message,
        };
        let kind = match (FailureKind::from_code(&error.error), retry) {
            (FailureKind::Other, Some(wait)) => FailureKind::Later(wait),
            (kind, _) => kind,
        };
        Some(Failure { kind, message, error: Some(body) })
    }
}
