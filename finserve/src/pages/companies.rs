//! `/companies`: companies by name, status and sector.
mod amounts;
pub(crate) mod company;
pub(crate) mod comparison;
pub(crate) mod five_years;
mod metric_names;
mod missing_statements;
pub(crate) mod screen;
pub(crate) mod statement;

use fincore::companies::{Company, FilterValues};
use maud::{Markup, html};

use super::{
    company_name::{company_link, other_name},
    filings::official_names,
    filter_fields::{self, Field},
    layout,
    page_url::Address,
    result_list::{self, Detail, Found, LIST_ROWS, PAGE_ROWS, Words},
    spreadsheet::{self, Sheet, Shows},
    structured_data::DatasetPage,
    view::View,
};

/// The filters as they were written.
#[derive(Clone, Debug, Default)]
pub(crate) struct CompaniesSought {
    pub(crate) q: Option<String>,
    pub(crate) status: Option<String>,
    pub(crate) sector: Option<String>,
    /// From 1.
    pub(crate) page: u64,
}

impl CompaniesSought {
    /// The address of one of its pages.
    fn page(&self, number: u64) -> Address {
        self.narrowed(Address::at("/companies")).with("page", (number > 1).then_some(number))
    }

    /// The request to the API for the same rows.
    fn endpoint(&self) -> Address {
        let path = if self.q.is_some() { "/api/v1/companies/search" } else { "/api/v1/companies" };
        let skipped = self.page.saturating_sub(1) * u64::from(PAGE_ROWS);
        self.narrowed(Address::at(path)).with("offset", (skipped > 0).then_some(skipped))
    }

    fn narrowed(&self, address: Address) -> Address {
        let CompaniesSought { q, status, sector, .. } = self;
        address
            .with("q", q.as_ref())
            .with("status", status.as_ref())
            .with("sector", sector.as_ref())
    }
}

/// The page; `kinds` are the values of the filters, for those who may know them.
pub(crate) fn companies(
    view: &View,
    sought: &CompaniesSought,
    kinds: Option<&FilterValues>,
    found: &Found<Company>,
) -> Markup {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    let words = Words {
        one: say("company", "companhia"),
        many: say("companies", "companhias"),
        none: say("No company matches", "Nenhuma companhia encontrada"),
    };
    let about = say(
        "Search all companies that are or were registered with CVM, Brazil’s securities regulator: by name, ticker, CNPJ, status and sector.",
        "Busque todas as companhias que têm ou tiveram registro na CVM: por nome, código de negociação, CNPJ, situação e setor.",
    );
    let content = html! {
        h1 { (say("Companies", "Companhias")) }
        p.lead { (say(
            "Search every company that is or was registered with CVM, by name, former name, brand, ticker, CNPJ or CVM code.",
            "Busque toda companhia que tem ou teve registro na CVM, por nome, nome anterior, marca, código de negociação, CNPJ ou código CVM.",
        )) }
        (form(view, sought, kinds))
        p.actions {
            a.button href=(view.link("/companies/screen")) { (say("Rank by figures", "Classificar por números")) }
            a.button href=(view.link("/companies/compare")) { (say("Compare", "Comparar")) }
        }
        (result_list::list(view, found, &words, |rows, detail| table(view, rows, detail), |number| sought.page(number)))
        @if !found.rows().is_empty() { (result_list::csv_link(view, sought.endpoint())) }
        (layout::command(view, "call", &sought.endpoint().command(view)))
        @if !found.rows().is_empty() { (spreadsheet::panel(view, &sheet(sought))) }
        (DatasetPage { path: "/companies", name: say("Companies registered with CVM", "Companhias registradas na CVM"), about, creator: "Comissão de Valores Mobiliários", endpoint: "/api/v1/companies" }.describe(view))
    };
    layout::described_page(view, "/companies", (say("Companies", "Companhias"), about), &content)
}

/// The name of the first company, and all of them.
fn sheet(sought: &CompaniesSought) -> Sheet {
    let rows = CompaniesSought { page: 1, ..sought.clone() }.endpoint();
    let value = rows.clone().with("field", Some("name")).with("limit", Some(1));
    Sheet::of(value, Shows::Text, Some(rows.with("limit", Some(LIST_ROWS))))
}

fn form(view: &View, sought: &CompaniesSought, kinds: Option<&FilterValues>) -> Markup {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    let status = Field {
        name: "status",
        label: say("Status", "Situação"),
        value: sought.status.as_deref(),
        hint: "ATIVO",
    };
    let sector = Field {
        name: "sector",
        label: say("Sector", "Setor"),
        value: sought.sector.as_deref(),
        hint: "Bancos",
    };
    let values = |of: fn(&FilterValues) -> &Vec<String>| {
        kinds.map(|kinds| filter_fields::plainly(of(kinds)))
    };
    // Suggestions are for those whose plan includes companies, like the filters' values.
    let suggestions = kinds.map(|_| view.link("/companies/suggest"));
    html! {
        form.filters role="search" method="get" action=(view.path("/companies")) data-tidy {
            (filter_fields::language(view))
            div.wide.suggested {
                label for="q" { (say("Name, ticker, CNPJ or code", "Nome, código de negociação, CNPJ ou código CVM")) }
                input id="q" type="search" name="q" value=[sought.q.as_deref()] placeholder="Vale, PETR4, 33.000.167/0001-01" maxlength="500" autocomplete="off"
                    data-suggest=[suggestions] data-found=(say("suggestions", "sugestões")) data-list=(say("Suggestions", "Sugestões"));
            }
            (status.choice(say("Any", "Qualquer"), values(|kinds| &kinds.statuses).as_deref()))
            (sector.choice(say("Any", "Qualquer"), values(|kinds| &kinds.sectors).as_deref()))
            p.actions {
                button.primary { (say("Search", "Buscar")) }
                a.button href=(view.link("/companies")) { (say("Clear", "Limpar")) }
            }
        }
    }
}

fn table(view: &View, rows: &[Company], detail: Detail) -> Markup {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    let [name, tickers, status, sector] = [
        say("Name", "Nome"),
        say("Tickers", "Códigos"),
        say("Status", "Situação"),
        say("Sector", "Setor"),
    ];
    let titles = match detail {
        Detail::Whole => vec![name, tickers, "CNPJ", status, sector],
        Detail::Preview => vec![name, status],
    };
    let is_whole = detail == Detail::Whole;
    html! {
        table.rows {
            thead { tr { @for title in titles { th scope="col" { (title) } } } }
            tbody lang="pt-BR" {
                @for company in rows { tr {
                    th scope="row" {
                        a href=(company_link(view, company.id)) { (company.name) }
                        @if let Some(trade_name) = other_name(company).filter(|_| is_whole) { small { (trade_name) } }
                    }
                    @if is_whole {
                        td data-label=(tickers) { (company.tickers.join(" ")) }
                        td.number data-label="CNPJ" { @if let Some(cnpj) = company.cnpj { (cnpj) } }
                    }
                    td data-label=(status) { (status_of(view, company)) }
                    @if is_whole { td data-label=(sector) { (company.sector) } }
                } }
            }
        }
    }
}

/// The status of a company, as the registry has it.
fn status_of(view: &View, company: &Company) -> Markup {
    let outside = || view.language.pick("not in the registry", "fora do cadastro");
    html! {
        @match &company.status {
            Some(status) => { (official_names::status(view, status)) }
            None => { span lang=(view.language.tag()) { (outside()) } }
        }
    }
}
