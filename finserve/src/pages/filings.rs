//! `/filings`: filings by words, company, category, type and days.
mod coverage_note;
pub(crate) mod filing;
pub(crate) mod official_names;
pub(crate) mod rows;
pub(crate) mod timeline;

use fincore::{
    CompanyRef, Date,
    filings::{Category, Filing, FormCoverage},
    fold,
};
use maud::{Markup, html};

pub(crate) use coverage_note::coverage_note;

use super::{
    filter_fields::{self, Field},
    layout,
    page_url::Address,
    result_list::{self, Found, LIST_ROWS, PAGE_ROWS, Words},
    spreadsheet::{self, Sheet, Shows},
    structured_data::DatasetPage,
    view::View,
};

/// The filters as they were written.
#[derive(Clone, Debug, Default)]
pub(crate) struct FilingsSought {
    pub(crate) q: Option<String>,
    pub(crate) company: Option<String>,
    pub(crate) category: Option<String>,
    pub(crate) kind: Option<String>,
    pub(crate) from: Option<String>,
    pub(crate) to: Option<String>,
    pub(crate) order: Option<String>,
    /// From 1.
    pub(crate) page: u64,
}

impl FilingsSought {
    /// The address of one of its pages.
    fn page(&self, number: u64) -> Address {
        let address = self.narrowed(Address::at("/filings")).with("order", self.order.as_ref());
        address.with("page", (number > 1).then_some(number))
    }

    /// The request to the API for the same rows, where only a search has an order.
    fn endpoint(&self) -> Address {
        let is_search = self.q.is_some();
        let path = if is_search { "/api/v1/filings/search" } else { "/api/v1/filings" };
        let skipped = self.page.saturating_sub(1) * u64::from(PAGE_ROWS);
        self.narrowed(Address::at(path))
            .with("order", self.order.as_ref().filter(|_| is_search))
            .with("offset", (skipped > 0).then_some(skipped))
    }

    fn narrowed(&self, address: Address) -> Address {
        address
            .with("q", self.q.as_ref())
            .with("company", self.company.as_ref())
            .with("category", self.category.as_ref())
            .with("type", self.kind.as_ref())
            .with("from", self.from.as_ref())
            .with("to", self.to.as_ref())
    }
}

/// The link to the filings of a category.
pub(crate) fn category_link(view: &View, category: &str) -> String {
    Address::at("/filings").with("category", Some(category)).link(view)
}

/// The page; `categories` are the values of two filters, for those who may know them. The coverage is that of today.
pub(crate) fn filings(
    view: &View,
    sought: &FilingsSought,
    categories: Option<&[Category]>,
    (event_documents, today): (&FormCoverage, Date),
    found: &Found<Filing>,
) -> Markup {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    let words = Words {
        one: say("filing", "documento"),
        many: say("filings", "documentos"),
        none: say("No filing matches", "Nenhum documento encontrado"),
    };
    let about = say(
        "Search what companies filed with CVM, Brazil’s securities regulator, by subject, company, category, type and day.",
        "Busque o que as companhias entregaram à CVM por assunto, companhia, categoria, tipo e dia.",
    );
    let content = html! {
        h1 { (say("Filings", "Documentos")) }
        p.lead { (say(
            "What companies filed with CVM: material facts, shareholder meetings, results and notices. The search covers their subjects and classes, not the documents themselves.",
            "O que as companhias entregaram à CVM: fatos relevantes, assembleias, resultados e avisos. A busca cobre os assuntos e as classes, não o texto dos documentos.",
        )) }
        (form(view, sought, categories))
        (coverage_note(view, event_documents, today))
        (result_list::list(view, found, &words, |rows, detail| rows::of_all(view, rows, detail), |number| sought.page(number)))
        @if let Some(name) = sought.company.as_deref().filter(|company| company.parse::<CompanyRef>().is_err()) {
            p { a href=(Address::at("/companies").with("q", Some(name)).link(view)) { (view.language.pick(
                format!("Look for “{name}” among companies"),
                format!("Procurar “{name}” entre as companhias"),
            )) } }
        }
        @if !found.rows().is_empty() { (result_list::csv_link(view, sought.endpoint())) }
        (layout::command(view, "call", &sought.endpoint().command(view)))
        @if !found.rows().is_empty() { (spreadsheet::panel(view, &sheet(sought))) }
        (DatasetPage { path: "/filings", name: say("Filings with CVM", "Documentos entregues à CVM"), about, creator: "Comissão de Valores Mobiliários", endpoint: "/api/v1/filings" }.describe(view))
    };
    layout::described_page(view, "/filings", (say("Filings", "Documentos"), about), &content)
}

/// Formulas for the first filing, and for all of them.
fn sheet(sought: &FilingsSought) -> Sheet {
    let rows = FilingsSought { page: 1, ..sought.clone() }.endpoint();
    let value = rows.clone().with("field", Some("description")).with("limit", Some(1));
    Sheet::of(value, Shows::Text, Some(rows.with("limit", Some(LIST_ROWS))))
}

fn form(view: &View, sought: &FilingsSought, categories: Option<&[Category]>) -> Markup {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    let any = say("Any", "Qualquer");
    let orders = [
        ("newest".to_owned(), say("Newest first", "Mais recentes primeiro").to_owned()),
        ("relevance".to_owned(), say("Most relevant first", "Mais relevantes primeiro").to_owned()),
    ];
    let named = |category: String| {
        let name = official_names::category_name(view, &category);
        let text = name.map_or_else(|| category.clone(), |name| format!("{name} · {category}"));
        (category, text)
    };
    let categories_known = categories.map(|all| {
        let official = distinct(all.iter().map(|row| &row.category));
        official.into_iter().map(|(category, _)| named(category)).collect::<Vec<_>>()
    });
    let types = categories.map(|all| types(all, sought.category.as_deref()));
    // A plan that lists the categories also searches for companies.
    let suggestions = categories.map(|_| view.link("/companies/suggest"));
    html! {
        form.filters role="search" method="get" action=(view.path("/filings")) data-tidy {
            (filter_fields::language(view))
            div.wide {
                label for="q" { (say("Search", "Busca")) }
                input id="q" type="search" name="q" value=[sought.q.as_deref()] placeholder=(say("dividends, public offering, vale material fact 2024", "dividendos, \"oferta pública\", vale fato relevante 2024")) maxlength="500";
            }
            div.suggested {
                label for="company" { (say("Company", "Companhia")) }
                input id="company" type="text" name="company" value=[sought.company.as_deref()] placeholder=(say("Ticker, CNPJ or CVM code", "Código, CNPJ ou código CVM")) maxlength="500" autocomplete="off"
                    data-suggest=[suggestions] data-fills data-found=(say("suggestions", "sugestões")) data-list=(say("Suggestions", "Sugestões"));
            }
            (Field { name: "category", label: say("Category", "Categoria"), value: sought.category.as_deref(), hint: "Fato Relevante" }.choice(any, categories_known.as_deref()))
            (Field { name: "type", label: say("Type", "Tipo"), value: sought.kind.as_deref(), hint: "" }.choice(any, types.as_deref()))
            (Field { name: "from", label: say("From", "De"), value: sought.from.as_deref(), hint: "" }.day())
            (Field { name: "to", label: say("To", "Até"), value: sought.to.as_deref(), hint: "" }.day())
            (Field { name: "order", label: say("Sort by", "Ordenar por"), value: Some(sought.order.as_deref().unwrap_or("newest")), hint: "" }.choice("", Some(&orders)))
            p.actions {
                button.primary { (say("Search", "Buscar")) }
                a.button href=(view.link("/filings")) { (say("Clear", "Limpar")) }
            }
        }
    }
}

/// The types of the filings in a category, or of all.
fn types(all: &[Category], category: Option<&str>) -> Vec<(String, String)> {
    let category = category.map(fold);
    let fits =
        |row: &&Category| category.as_ref().is_none_or(|folded| *folded == fold(&row.category));
    distinct(all.iter().filter(fits).map(|row| &row.r#type))
}

/// Each value once, in alphabetical order.
fn distinct<'v>(values: impl Iterator<Item = &'v String>) -> Vec<(String, String)> {
    let mut values: Vec<String> = values.filter(|value| !value.is_empty()).cloned().collect();
    values.sort_by_key(|value| fold(value));
    values.dedup();
    filter_fields::plainly(&values)
}
