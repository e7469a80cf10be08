//! How a page is shown.
use fincore::sessions::Holder;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use super::language::Language;
use crate::site::{base_path::BasePath, upgrade_contact::UpgradeContact};

/// How a page is shown to its visitor.
pub(crate) struct View {
    pub(crate) language: Language,
    /// Whether the language was chosen on the page; links then keep it.
    pub(crate) chosen: bool,
    /// The address of the service: `http://localhost:8080`; empty where it is not known, so that links are relative.
    pub(crate) origin: String,
    /// The visitor is on the machine of the server, by the name that they call it: pages then show the operator things
    /// that are not for customers.
    pub(crate) is_local: bool,
    /// The prefix of all links.
    pub(crate) base: BasePath,
    /// Where customers ask for a larger plan.
    pub(crate) upgrade_contact: UpgradeContact,
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

    /// A link without the base path, for a form that leads on inside the service.
    pub(crate) fn kept_link(&self, path: &str) -> String {
        if self.chosen { format!("{path}?lang={}", self.language.code()) } else { path.to_owned() }
    }

    /// Where privacy and terms are: on the operator's own page, or on ours.
    pub(crate) fn legal(&self) -> String {
        self.upgrade_contact
            .legal()
            .map_or_else(|| self.link("/legal"), |address| address.url().to_owned())
    }

    /// The parameters of this page, if it is in the same part of the site as `path`: without its language.
    pub(crate) fn kept(&self, path: &str) -> String {
        let part = |path: &str| path.trim_start_matches('/').split('/').next().map(str::to_owned);
        let here = self.here.as_deref().and_then(|here| here.split_once('?'));
        let Some((_, query)) = here.filter(|(here, _)| part(here) == part(path)) else {
            return String::new();
        };
        let is_kept = |pair: &&str| {
            let name = pair.split('=').next().unwrap_or_default();
            !name.is_empty() && name != "lang"
        };
        query.split('&').filter(is_kept).collect::<Vec<_>>().join("&")
    }

    /// The address under which this page at `path` is shared: with all that chooses what it shows.
    pub(crate) fn shared(&self, path: &str) -> String {
        let (link, kept) = (self.link(path), self.kept(path));
        let mark = if link.contains('?') { '&' } else { '?' };
        let query = if kept.is_empty() { String::new() } else { format!("{mark}{kept}") };
        format!("{}{link}{query}", self.origin)
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

    /// The command line that asks for this path and query of ours, where every plan includes that: with the key where the
    /// visitor has one.
    pub(crate) fn curl(&self, target: &str) -> String {
        self.visitor
            .as_ref()
            .map_or_else(|| format!("curl {}", self.quoted(target)), |_| self.curl_with_key(target))
    }

    /// A command with a key from the environment, for endpoints that need a plan.
    pub(super) fn curl_with_key(&self, target: &str) -> String {
        format!("curl -H \"X-API-Key: $FINSERVE_KEY\" {}", self.quoted(target))
    }

    /// An address as a word of a command line: the client chooses the name of the host.
    fn quoted(&self, target: &str) -> String {
        format!("'{}{target}'", self.origin.replace('\'', "%27"))
    }

    /// The full address, for readers outside the page.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("{}{}", self.origin, self.path(path))
    }
}
