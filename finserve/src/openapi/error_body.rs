//! The body of an error of the API, read by those that call it.
use serde::Deserialize;

/// An error of the API.
#[derive(Deserialize)]
pub(crate) struct Error {
    /// Its code.
    pub(crate) error: String,
    pub(crate) message: String,
    upgrade_url: Option<String>,
}

impl Error {
    /// Parses an error of the API; `None` if the text is something else.
    pub(crate) fn read(json: &str) -> Option<Error> {
        serde_json::from_str(json).ok()
    }

    /// The URL of the plans, if a larger one helps; `service` is the address of the service.
    pub(crate) fn plans_url(&self, service: &str) -> Option<String> {
        let at = self.upgrade_url.as_deref()?;
        // The path is absolute: it includes the base path of the service.
        let origin = || service.splitn(4, '/').take(3).collect::<Vec<_>>().join("/");
        Some(if at.starts_with('/') { origin() + at } else { at.to_owned() })
    }
}

/// The message of an error of the API, for a reader who does not see its other members; `service` is the address of the
/// service.
pub(crate) fn error_message(error: &str, service: &str) -> String {
    let Some(error) = Error::read(error) else {
        return "the service failed, and did not say why".to_owned();
    };
    match error.plans_url(service) {
        Some(plans) => format!("{} The plans are at {plans}.", error.message),
        None => error.message,
    }
}

/// How the message of the API begins if a part of a path cannot be parsed.
pub(crate) const NO_SUCH_PATH: &str = "there is nothing at this path: ";

/// Whether a message of the API says that a text is no company: a user who knows only a name can search for it.
pub(crate) fn lacks_company(message: &str) -> bool {
    let not_a_company = ["is not a company (", "is not the id of a company ("];
    message.starts_with("there is no company ")
        || not_a_company.iter().any(|text| message.contains(text))
}
