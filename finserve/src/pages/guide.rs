//! The guide: the pages of `docs/`, which the build has turned into HTML.
use maud::{Markup, PreEscaped, html};

use super::{layout, view::View};

/// A page of the guide, in English.
pub(crate) struct GuidePage {
    /// Its name in addresses; empty for the index.
    pub(crate) name: &'static str,
    title: &'static str,
    summary: &'static str,
    /// The text below the heading; `~base~` stands for the base path of the server.
    body: &'static str,
}

/// The index, and then every page in the order of the index.
const GUIDE: &[GuidePage] = include!(concat!(env!("OUT_DIR"), "/guide.rs"));

impl GuidePage {
    /// The page of this name.
    pub(crate) fn find(name: &str) -> Option<&'static GuidePage> {
        GUIDE.iter().find(|page| page.name == name)
    }

    /// The names of all pages but the index.
    pub(crate) fn names() -> impl Iterator<Item = &'static str> {
        GUIDE.iter().map(|page| page.name).filter(|name| !name.is_empty())
    }

    fn path(&self) -> String {
        match self.name {
            "" => "/docs/guide".to_owned(),
            name => format!("/docs/guide/{name}"),
        }
    }
}

/// `/docs/guide` and the pages below it. The guide is in English; what is around it is in the language of the visitor.
pub(crate) fn guide(view: &View, page: &GuidePage) -> Markup {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    let current = |other: &GuidePage| (other.name == page.name).then_some("page");
    let content = html! {
        div.guide {
            nav aria-label=(say("Guide", "Guia")) {
                ul {
                    @for other in GUIDE {
                        li { a lang="en" href=(view.link(&other.path())) aria-current=[current(other)] { (other.title) } }
                    }
                    li { a href=(view.link("/docs")) { (say("API reference", "Referência da API")) } }
                    li { a href=(view.link("/docs/try")) { (say("Interactive reference", "Referência interativa")) } }
                }
            }
            article lang="en" {
                h1 { (page.title) }
                (PreEscaped(page.body.replace("~base~", &view.path(""))))
            }
        }
    };
    layout::described_page(view, &page.path(), (page.title, page.summary), &content)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_has_a_title_a_summary_and_a_body() {
        assert!(GUIDE.len() > 15, "{}", GUIDE.len());
        for page in GUIDE {
            assert!(!page.title.is_empty() && page.summary.len() > 20, "{}", page.name);
            assert!(!page.body.contains("<h1") && !page.body.contains(".md\""), "{}", page.name);
        }
        let search = GuidePage::find("search").unwrap();
        assert!(search.body.contains("<h2 id=\"find-companies\">"));
        assert!(
            search.body.contains("href=\"~base~/docs/guide/companies-and-filings#list-companies")
        );
        assert!(GuidePage::find("nothing").is_none());
    }
}
