//! How a page is shown.
use super::language::Language;
use crate::base_path::BasePath;

/// How a page is shown to its visitor.
pub(crate) struct View {
    pub(crate) language: Language,
    /// Whether the language was chosen on the page; links then keep it.
    pub(crate) chosen: bool,
    /// The address of the service as the browser knows it: `http://localhost:8080`.
    pub(crate) origin: String,
    /// What all links begin with.
    pub(crate) base: BasePath,
}

impl View {
    /// A link to another page that keeps a chosen language.
    pub(crate) fn link(&self, path: &str) -> String {
        let path = self.path(path);
        if self.chosen { format!("{path}?lang={}", self.language.code()) } else { path }
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
