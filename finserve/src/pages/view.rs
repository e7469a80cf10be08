//! How a page is shown.
use super::language::Language;

/// How a page is shown to its visitor.
pub(crate) struct View {
    pub(crate) language: Language,
    /// Whether the language was chosen on the page; links then keep it.
    pub(crate) chosen: bool,
    /// The address of the service as the browser knows it: `http://localhost:8080`.
    pub(crate) origin: String,
}

impl View {
    /// A link to another page that keeps a chosen language.
    pub(crate) fn link(&self, path: &str) -> String {
        if self.chosen { format!("{path}?lang={}", self.language.code()) } else { path.to_owned() }
    }
}
