//! How a page is shown.
use fincore::sessions::Holder;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use super::language::Language;
use crate::{base_path::BasePath, offer::Offer};

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

    /// The same, for those who are not on the page.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("{}{}", self.origin, self.path(path))
    }
}
