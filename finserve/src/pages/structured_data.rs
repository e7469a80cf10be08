//! Descriptions of datasets for search engines, in the words of schema.org.
use maud::{Markup, PreEscaped, html};
use serde_json::json;

use super::view::View;

/// A set of data that a page shows.
pub(crate) struct DatasetPage<'p> {
    pub(crate) path: &'p str,
    pub(crate) name: &'p str,
    pub(crate) about: &'p str,
    /// Who published it first.
    pub(crate) creator: &'p str,
    /// The path of the API that has it.
    pub(crate) endpoint: &'p str,
}

impl DatasetPage<'_> {
    /// The description as JSON-LD: data that browsers do not run.
    pub(crate) fn describe(&self, view: &View) -> Markup {
        let described = json!({
            "@context": "https://schema.org",
            "@type": "Dataset",
            "name": self.name,
            "description": self.about,
            "url": view.url(self.path),
            "inLanguage": view.language.tag(),
            "license": "https://opendatacommons.org/licenses/odbl/1-0/",
            "creator": { "@type": "Organization", "name": self.creator },
            "distribution": {
                "@type": "DataDownload",
                "encodingFormat": "application/json",
                "contentUrl": view.url(self.endpoint),
            },
        });
        // Nothing in it can end the element.
        let described = described.to_string().replace('<', "\\u003c");
        html! { script type="application/ld+json" { (PreEscaped(described)) } }
    }
}
