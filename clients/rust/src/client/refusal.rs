//! The errors of the API, read from its answers.
use std::time::Duration;

use fincore::{Key, printable};
use serde::Deserialize;

use super::{Reply, base_address::BaseAddress};
use crate::{answers::plans::Upgrade, error::Error};

/// The body of an error of the API.
#[derive(Deserialize)]
struct Refusal {
    /// Its code.
    error: String,
    message: String,
    upgrade_url: Option<String>,
}

/// The error that an answer with another status than 200 means.
pub(super) fn error(base: &BaseAddress, reply: Reply) -> Error {
    let status = reply.status;
    if let (300..400, Some(to)) = (status, &reply.location) {
        let to = Key::redact(&printable(&base.resolve(to)));
        let message = format!("{} has moved to {to}: use that address", base.as_str());
        return Error::Unexpected { message };
    }
    let Ok(Refusal { error, message, upgrade_url }) = serde_json::from_str(&reply.body) else {
        let base = base.as_str();
        let message =
            format!("{base} answers {status}, and not as finserve does: is the address right?");
        return Error::Unexpected { message };
    };
    // The text of a server may hold control characters for the terminal.
    let message = printable(&message).into_owned();
    match (error.as_str(), status) {
        ("invalid_api_key" | "api_key_required", _) => Error::InvalidKey { message },
        ("rate_limited", _) => {
            let retry_after = reply.retry_after.unwrap_or(Duration::from_secs(1));
            Error::RateLimited { message, retry_after }
        }
        ("unavailable", _) => Error::Unavailable { message, retry_after: reply.retry_after },
        ("not_found", _) => Error::NotFound { message },
        ("plan_required", _) => match serde_json::from_str::<Upgrade>(&reply.body) {
            Ok(upgrade) => {
                let plans_url = upgrade_url.map(|url| base.resolve(&url));
                Error::PlanRequired { upgrade: Box::new(upgrade), plans_url }
            }
            // A plan or a feature that this version does not know.
            Err(_) => Error::Unexpected { message },
        },
        (_, 400..500) => Error::Invalid { parameter: parameter(&message), message },
        _ => Error::Failed { message },
    }
}

/// The parameter that a message begins with: `parameter "from": …`.
fn parameter(message: &str) -> Option<String> {
    let (name, _) = message.strip_prefix("parameter \"")?.split_once('"')?;
    Some(name.to_owned())
}
