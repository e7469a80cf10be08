//! Rows of a list on a page: a part of all, a preview of them, or why there is none.
use fincore::{CorrectedWords, Feature, Hint, LinkedWords, Meta, Page, plans::Upgrade, truncate};
use maud::{Markup, html};

use super::{
    errors::ErrorMessage, language::Language, page_url::Address, upgrade_prompt::upgrade,
    view::View,
};
use crate::errors::BadRequest;

/// The most rows that are shown to those whose plan does not include them.
pub(crate) const PREVIEW_ROWS: u32 = 3;

/// How many rows a page of a list has, as many as the API answers by default.
pub(crate) const PAGE_ROWS: u32 = 20;

/// The most rows of one answer with a list of companies or filings.
pub(crate) const LIST_ROWS: u32 = 1000;

/// The rows of a list that a visitor is shown.
pub(crate) enum Found<R> {
    /// All of them, page by page.
    Whole(Box<Page<R>>),
    /// The first ones, what is said about them, and what to do to see the others.
    Preview { rows: Vec<R>, meta: Box<Meta>, prompt: Upgrade },
    /// None, because the question is wrong.
    Wrong(BadRequest),
}

/// The columns of a row that are shown.
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

    /// The number of the last page, if one after it is asked for.
    fn last_page(&self) -> Option<u64> {
        match self {
            Found::Whole(page) if page.data.is_empty() && page.total > 0 => {
                Some(page.total.div_ceil(u64::from(PAGE_ROWS)))
            }
            Found::Whole(_) | Found::Preview { .. } | Found::Wrong(_) => None,
        }
    }

    fn meta(&self) -> Option<&Meta> {
        match self {
            Found::Whole(page) => Some(&page.meta),
            Found::Preview { meta, .. } => Some(meta),
            Found::Wrong(_) => None,
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
    html! {
        section.results aria-labelledby="results" {
            h2 id="results" { (heading(view, found, words)) }
            @if let Some(meta) = found.meta() {
                @if meta.fuzzy { p.note { (nearness(view, meta)) } }
                @if !meta.linked.is_empty() { p.note { (links(view, meta)) } }
                @for hint in &meta.hints { (explanation(view, hint)) }
            }
            @match found {
                Found::Wrong(wrong) => {
                    @let message = ErrorMessage::bad_request(wrong, view.language);
                    p.wrong role="alert" lang=[message.lang] { (message.text) }
                }
                Found::Whole(_) | Found::Preview { .. } => {
                    @if !found.rows().is_empty() { (table(found.rows(), found.detail())) }
                    @else if let Some(last) = found.last_page() {
                        p.wrong { (view.language.pick(
                            format!("There is no such page: the last one is {}.", view.language.count(last)),
                            format!("Não existe essa página: a última é a {}.", view.language.count(last)),
                        )) }
                    }
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

/// How the nearest matches differ from what is sought.
fn nearness(view: &View, meta: &Meta) -> String {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    let mut said = vec![
        say(
            "Nothing matches exactly. These are the nearest matches.",
            "Nada corresponde exatamente. Estes são os resultados mais próximos.",
        )
        .to_owned(),
    ];
    for CorrectedWords { from, to, .. } in &meta.corrected {
        said.push(view.language.pick(
            format!("“{from}” was taken for “{to}”."),
            format!("“{from}” foi entendido como “{to}”."),
        ));
    }
    if !meta.dropped.is_empty() {
        let words: Vec<String> = meta.dropped.iter().map(|word| format!("“{word}”")).collect();
        let words = words.join(", ");
        said.push(view.language.pick(
            format!("Not all of them have: {words}."),
            format!("Nem todos contêm: {words}."),
        ));
    }
    said.join(" ")
}

/// The words that were looked for because others are linked to them.
fn links(view: &View, meta: &Meta) -> String {
    let linked = meta.linked.iter().map(|LinkedWords { from, to, .. }| {
        let to = to.iter().map(|text| format!("“{text}”")).collect::<Vec<_>>().join(", ");
        view.language.pick(
            format!("After “{from}”, this also lists: {to}."),
            format!("Depois de “{from}”, a lista traz também: {to}."),
        )
    });
    linked.collect::<Vec<_>>().join(" ")
}

/// Why there are no rows, in the words of the page; what it has no words for is in English and marked as such.
fn explanation(view: &View, hint: &Hint) -> Markup {
    let say = |english: String, portuguese: String| view.language.pick(english, portuguese);
    let day = |day: &str| {
        day.parse::<fincore::Date>().map_or_else(|_| day.to_owned(), |day| view.language.date(day))
    };
    let text = match hint {
        Hint::UnknownValue { row, field, given, nearest, .. } => {
            let given = truncate(given);
            let [row, field] = [row, field].map(|name| names_of(name));
            let nothing = match view.language {
                Language::English => format!("No {} has the {} “{given}”.", row.0, field.0),
                Language::Portuguese => format!("{} tem {} “{given}”.", row.1, field.1),
            };
            match &nearest[..] {
                [] => nothing,
                nearest => {
                    let nearest = nearest.join("; ");
                    format!(
                        "{nothing} {}",
                        say(format!("Nearest: {nearest}."), format!("Mais próximos: {nearest}."),)
                    )
                }
            }
        }
        Hint::UnknownCompany { company } => say(
            format!("There is no company “{company}”; look for it by its name under Companies."),
            format!("Não há companhia “{company}”; procure pelo nome em Companhias."),
        ),
        Hint::UnknownIdentifier { kind, given, nearest } => {
            let given = truncate(given);
            let of = if *kind == "CVM code" { "código CVM" } else { *kind };
            let nothing = say(
                format!("No company has the {kind} “{given}”."),
                format!("Nenhuma companhia tem o {of} “{given}”."),
            );
            match &nearest[..] {
                [] => nothing,
                nearest => {
                    let nearest = nearest.join(", ");
                    let of_theirs =
                        say(format!("Nearest: {nearest}."), format!("Mais próximos: {nearest}."));
                    format!("{nothing} {of_theirs}")
                }
            }
        }
        Hint::NotRegistered { name, receipts } => {
            let nothing = say(
                format!("{name} does not file with CVM as a company."),
                format!("{name} não é companhia registrada na CVM."),
            );
            let traded = receipts.map(|ticker| {
                say(
                    format!(" Its receipts trade as {ticker}."),
                    format!(" Seus recibos são negociados como {ticker}."),
                )
            });
            nothing + &traded.unwrap_or_default()
        }
        Hint::Held { from, to } => {
            let (from, to) = (day(from), day(to));
            say(
                format!("Filings are held from {from} to {to}."),
                format!("Há documentos de {from} a {to}."),
            )
        }
        Hint::NoneHasAll { .. } => say(
            "Each filter by itself has filings, but none has all of them together.".to_owned(),
            "Cada filtro, sozinho, tem documentos, mas nenhum atende a todos juntos.".to_owned(),
        ),
        other => return html! { p.note lang="en" { (other) } },
    };
    html! { p.note { (text) } }
}

/// The words for a kind of row or a filter: in English after “no” and “the”, in Portuguese as the sentence needs them.
fn names_of(name: &'static str) -> (&'static str, &'static str) {
    match name {
        "filing" => (name, "Nenhum documento"),
        "company" => (name, "Nenhuma companhia"),
        "category" => (name, "a categoria"),
        "type" => (name, "o tipo"),
        "status" => (name, "a situação"),
        "sector" => (name, "o setor"),
        _ => (name, name),
    }
}

/// The link to the same list as CSV, up to the most rows of one answer, for those whose plan includes that: the session
/// counts, because the link is on our own page.
pub(crate) fn csv_link(view: &View, endpoint: Address) -> Markup {
    let has_csv =
        view.visitor.as_ref().is_some_and(|holder| holder.caller.plan.includes(Feature::Csv));
    let csv = endpoint.with("limit", Some(LIST_ROWS)).with("format", Some("csv"));
    html! {
        @if has_csv { p.actions { a.button href=(csv.plain_link(view)) { "CSV" } } }
    }
}

/// How many rows there are, exactly; or that this is a preview, which says nothing about that.
fn heading<R>(view: &View, found: &Found<R>, words: &Words) -> String {
    let language = view.language;
    match found {
        Found::Whole(page) if page.total == 0 => words.none.to_owned(),
        Found::Preview { rows, .. } if rows.is_empty() => words.none.to_owned(),
        Found::Whole(page) if page.total == 1 => format!("1 {}", words.one),
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
    if number > last {
        return html! {
            nav.pager aria-label=(language.pick("Pages", "Páginas")) {
                ul { (link(1, language.pick("First", "Primeira"), None)) (link(last, language.pick("Last", "Última"), Some("prev"))) }
            }
        };
    }
    let place = language.pick(
        format!("Page {} of {}", language.count(number), language.count(last)),
        format!("Página {} de {}", language.count(number), language.count(last)),
    );
    html! {
        nav.pager aria-label=(language.pick("Pages", "Páginas")) {
            ul {
                @if number > 1 {
                    (link(1, language.pick("First", "Primeira"), None))
                    (link(number - 1, language.pick("Previous", "Anterior"), Some("prev")))
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
