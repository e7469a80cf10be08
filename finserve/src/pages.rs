//! Pages for people, in English and Portuguese. They read the same snapshot as any other request.
pub(crate) mod assets;
mod chart;
pub(crate) mod front;
mod home;
mod language;
mod layout;
mod plain;
mod pricing;
mod usage;

use home::home;
use hyper::header::{HOST, HeaderMap};
use language::Language;
use plain::{docs, not_found};
use pricing::{Field, KeyForm, pricing};
use usage::{UsageForm, usage};

/// Who looks at a page, and how.
pub(crate) struct Visit {
    pub(crate) language: Language,
    /// Whether the language was chosen on the page; links then keep it.
    pub(crate) chosen: bool,
    /// The address of the service as the visitor knows it: `http://localhost:8080`.
    pub(crate) origin: String,
}

impl Visit {
    /// A visit with these headers, in the language that was chosen or else that of the browser.
    pub(crate) fn new(headers: &HeaderMap, chosen: Option<Language>) -> Visit {
        let text = |value: Option<&hyper::header::HeaderValue>| {
            value.and_then(|value| value.to_str().ok()).map(str::to_owned)
        };
        let host = text(headers.get(HOST)).unwrap_or_default();
        // A proxy that ends TLS says so. It only changes what its own visitor is shown.
        let scheme = match text(headers.get("x-forwarded-proto")).as_deref() {
            Some("https") => "https",
            _ => "http",
        };
        Visit {
            language: chosen.unwrap_or_else(|| Language::accepted(headers)),
            chosen: chosen.is_some(),
            origin: format!("{scheme}://{host}"),
        }
    }

    /// A link to another page that keeps a chosen language.
    pub(crate) fn link(&self, path: &str) -> String {
        if self.chosen { format!("{path}?lang={}", self.language.code()) } else { path.to_owned() }
    }
}
