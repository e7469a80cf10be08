//! What a list on a page holds: a part of all rows, a preview of them, or why there is none.
use fincore::{Page, plans::Upgrade};
use maud::{Markup, html};

use super::{errors::ErrorMessage, page_url::Address, upgrade_prompt::upgrade, view::View};
use crate::errors::BadRequest;

/// The most rows that are shown to those whose plan does not include them.
pub(crate) const PREVIEW_ROWS: u32 = 3;

/// How many rows a page of a list has, as many as the API answers by default.
pub(crate) const PAGE_ROWS: u32 = 20;

/// The rows of a list that a visitor is shown.
pub(crate) enum Found<R> {
    /// All of them, page by page.
    Whole(Page<R>),
    /// The first ones, and what to do to see the others.
    Preview { rows: Vec<R>, is_fuzzy: bool, prompt: Upgrade },
    /// None, because the question is wrong.
    Wrong(BadRequest),
}

/// How much of a row is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Detail {
    /// All of it.
    Whole,
    /// In a preview, no more than the page of one row tells those whose plan does not include it.
    Preview,
}

impl<R> Found<R> {
    fn detail(&self) -> Detail {
        match self {
            Found::Preview { .. } => Detail::Preview,
            Found::Whole(_) | Found::Wrong(_) => Detail::Whole,
        }
    }

    pub(crate) fn rows(&self) -> &[R] {
        match self {
            Found::Whole(page) => &page.data,
            Found::Preview { rows, .. } => rows,
            Found::Wrong(_) => &[],
        }
    }

    fn is_fuzzy(&self) -> bool {
        match self {
            Found::Whole(page) => page.meta.fuzzy,
            Found::Preview { is_fuzzy, .. } => *is_fuzzy,
            Found::Wrong(_) => false,
        }
    }
}

/// The words for what is listed, in the language of the page.
pub(crate) struct Words {
    pub(crate) one: &'static str,
    pub(crate) many: &'static str,
    pub(crate) none: &'static str,
}

/// A list below its form: how many rows there are, the rows as a table, and links to the other pages of it. `page` is
/// the address of one of those, by its number.
pub(crate) fn list<R>(
    view: &View,
    found: &Found<R>,
    words: &Words,
    table: impl Fn(&[R], Detail) -> Markup,
    page: impl Fn(u64) -> Address,
) -> Markup {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    html! {
        section.results aria-labelledby="results" {
            h2 id="results" { (heading(view, found, words)) }
            @if found.is_fuzzy() {
                p.note { (say(
                    "Nothing matches exactly. These are the nearest matches.",
                    "Nada corresponde exatamente. Estes são os resultados mais próximos.",
                )) }
            }
            @match found {
                Found::Wrong(wrong) => {
                    @let message = ErrorMessage::bad_request(wrong, view.language);
                    p.wrong role="alert" lang=[message.lang] { (message.text) }
                }
                Found::Whole(_) | Found::Preview { .. } => {
                    @if !found.rows().is_empty() { (table(found.rows(), found.detail())) }
                }
            }
            @match found {
                Found::Whole(whole) => { (pager(view, whole, page)) }
                Found::Preview { prompt, .. } => { (upgrade(view, prompt)) }
                Found::Wrong(_) => {}
            }
        }
    }
}

/// How many rows there are, exactly; or that this is a preview, which says nothing about that.
fn heading<R>(view: &View, found: &Found<R>, words: &Words) -> String {
    let language = view.language;
    match found {
        Found::Whole(Page { total: 0, .. }) => words.none.to_owned(),
        Found::Preview { rows, .. } if rows.is_empty() => words.none.to_owned(),
        Found::Whole(Page { total: 1, .. }) => format!("1 {}", words.one),
        Found::Whole(page) => format!("{} {}", language.count(page.total), words.many),
        Found::Preview { .. } => language.pick("Preview", "Amostra").to_owned(),
        Found::Wrong(_) => language.pick("Please correct", "Corrija, por favor").to_owned(),
    }
}

/// Links to the first page, the one before, the next and the last.
fn pager<R>(view: &View, page: &Page<R>, address: impl Fn(u64) -> Address) -> Markup {
    let language = view.language;
    let rows = u64::from(PAGE_ROWS);
    let (number, last) = (page.offset / rows + 1, page.total.div_ceil(rows).max(1));
    if last == 1 && number == 1 {
        return html! {};
    }
    let link = |to: u64, name: &str, rel: Option<&str>| {
        html! {
            li { a href=(address(to).link(view)) rel=[rel] { (name) } }
        }
    };
    let place = language.pick(
        format!("Page {} of {}", language.count(number), language.count(last)),
        format!("Página {} de {}", language.count(number), language.count(last)),
    );
    html! {
        nav.pager aria-label=(language.pick("Pages", "Páginas")) {
            ul {
                @if number > 1 {
                    (link(1, language.pick("First", "Primeira"), None))
                    (link((number - 1).min(last), language.pick("Previous", "Anterior"), Some("prev")))
                }
                li { span aria-current="page" { (place) } }
                @if number < last {
                    (link(number + 1, language.pick("Next", "Próxima"), Some("next")))
                    (link(last, language.pick("Last", "Última"), None))
                }
            }
        }
    }
}
