//! How a page is shown.
use fincore::sessions::Holder;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::language::Language;
use crate::{base_path::BasePath, offer::Offer};

/// What is escaped in parameters; days and names stay readable.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_');

/// How a page is shown to its visitor.
pub(crate) struct View {
    pub(crate) language: Language,
    /// Whether the language was chosen on the page; links then keep it.
    pub(crate) chosen: bool,
    /// The address of the service as the browser knows it: `http://localhost:8080`.
    pub(crate) origin: String,
    /// What all links begin with.
    pub(crate) base: BasePath,
    /// Where customers ask for a larger plan.
    pub(crate) offer: Offer,
    /// Who is signed in.
    pub(crate) visitor: Option<Holder>,
    /// The path and query of this page, if it can be returned to.
    pub(crate) here: Option<String>,
}

impl View {
    /// A link to another page that keeps a chosen language.
    pub(crate) fn link(&self, path: &str) -> String {
        let path = self.path(path);
        if self.chosen { format!("{path}?lang={}", self.language.code()) } else { path }
    }

    /// A link to another page with these parameters, which keeps a chosen language.
    pub(crate) fn link_to(&self, path: &str, query: &[(&str, &str)]) -> String {
        let language = self.chosen.then(|| ("lang", self.language.code()));
        let query: Vec<_> = query.iter().copied().chain(language).collect();
        with_query(&self.path(path), &query)
    }

    /// The parameters of this page, if it is in the same part of the site as `path`: without its language.
    pub(crate) fn kept(&self, path: &str) -> String {
        let part = |path: &str| path.trim_start_matches('/').split('/').next().map(str::to_owned);
        let here = self.here.as_deref().and_then(|here| here.split_once('?'));
        let Some((_, query)) = here.filter(|(here, _)| part(here) == part(path)) else {
            return String::new();
        };
        let is_kept = |pair: &&str| !pair.is_empty() && pair.split('=').next() != Some("lang");
        query.split('&').filter(is_kept).collect::<Vec<_>>().join("&")
    }

    /// A link to sign in, and to come back to this page afterwards.
    pub(crate) fn sign_in(&self) -> String {
        let link = self.link("/sign-in");
        let back =
            self.here.as_deref().filter(|here| *here != "/" && !here.starts_with("/sign-in"));
        let Some(back) = back else { return link };
        let mark = if self.chosen { '&' } else { '?' };
        format!("{link}{mark}next={}", utf8_percent_encode(back, NON_ALPHANUMERIC))
    }

    /// Where the browser finds what is at this path of ours.
    pub(crate) fn path(&self, path: &str) -> String {
        self.base.link(path)
    }

    /// The command line that asks for this path and query, which are ours: with the key where the visitor has one.
    pub(crate) fn curl(&self, target: &str) -> String {
        let key = self.visitor.as_ref().map_or("", |_| "-H \"X-API-Key: $FINSERVE_KEY\" ");
        format!("curl {key}'{}{target}'", self.origin.replace('\'', "%27"))
    }

    /// The same, for those who are not on the page.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("{}{}", self.origin, self.path(path))
    }
}

/// A path with parameters.
pub(crate) fn with_query(path: &str, query: &[(&str, &str)]) -> String {
    let pairs =
        query.iter().map(|(name, value)| format!("{name}={}", utf8_percent_encode(value, ESCAPED)));
    let pairs: Vec<String> = pairs.collect();
    if pairs.is_empty() { path.to_owned() } else { format!("{path}?{}", pairs.join("&")) }
}
