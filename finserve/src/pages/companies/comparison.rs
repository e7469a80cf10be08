//! `/companies/compare`: the figures of a few companies side by side.
use fincore::{
    companies::Company,
    plans::Upgrade,
    statements::{AccountPlan, CompanyFinancials, Metric, Scope},
};
use maud::{Markup, html};

use super::{amounts::figure, five_years::year_end, metric_names::metric_name};
use crate::{
    errors::BadRequest,
    pages::{
        company_name::company_link,
        errors::ErrorMessage,
        filter_fields, layout,
        page_url::Address,
        spreadsheet::{self, Cell, Sheet, Shows},
        upgrade_prompt::upgrade,
        view::View,
    },
};

const PATH: &str = "/companies/compare";

/// The suggestion in the empty form.
const SUGGESTED: &str = "PETR4,VALE3,ITUB4";

/// A company with the figures of its newest year, if it has statements.
pub(crate) struct ComparedCompany {
    pub(crate) company: Company,
    pub(crate) newest: Option<CompanyFinancials>,
}

/// The states of the page.
pub(crate) enum CompaniesCompared {
    /// The form alone.
    Nothing,
    /// The form, and where to get more.
    Locked(Upgrade),
    /// The form, and what is wrong with it.
    Wrong(BadRequest),
    /// The companies, in the order in which they were named.
    Whole(Vec<ComparedCompany>),
}

/// The page; `ids` are the companies as they were written.
pub(crate) fn compared_companies(
    view: &View,
    ids: Option<&str>,
    shown: &CompaniesCompared,
) -> Markup {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    let title = say("Compare companies", "Comparar companhias");
    let about = say(
        "Revenue, EBITDA, net income, debt, cash flow, margins and returns of up to five companies side by side, from the statements that they filed with CVM.",
        "Receita, EBITDA, lucro líquido, dívida, fluxo de caixa, margens e retornos de até cinco companhias lado a lado, das demonstrações entregues à CVM.",
    );
    let content = html! {
        p.crumbs { a href=(view.link("/companies")) { (say("Companies", "Companhias")) } " / " (say("compare", "comparar")) }
        h1 { (title) }
        form.days method="get" action=(view.path(PATH)) data-tidy {
            (filter_fields::language(view))
            label.series { (say("Up to five companies, separated by commas: tickers, CNPJ or CVM codes", "Até cinco companhias, separadas por vírgulas: códigos de negociação, CNPJ ou códigos CVM"))
                input name="ids" value=(ids.unwrap_or(SUGGESTED)) autocomplete="off" spellcheck="false" maxlength="200" required;
            }
            button { (say("Compare", "Comparar")) }
        }
        @match shown {
            CompaniesCompared::Nothing => {}
            CompaniesCompared::Locked(prompt) => { (upgrade(view, prompt)) }
            CompaniesCompared::Wrong(wrong) => {
                @let message = ErrorMessage::bad_request(wrong, view.language);
                p.wrong role="alert" lang=[message.lang] { (message.text) }
            }
            CompaniesCompared::Whole(companies) => { (table(view, companies)) }
        }
        p.actions { a.button href=(view.link("/companies/screen")) { (say("Rank all companies", "Classificar todas as companhias")) } }
    };
    layout::described_page(view, PATH, (title, about), &content)
}

fn table(view: &View, companies: &[ComparedCompany]) -> Markup {
    let language = view.language;
    let say = |english, portuguese| language.pick(english, portuguese);
    let value = |company: &ComparedCompany, metric: Metric| {
        company.newest.as_ref().and_then(|newest| newest.figure(metric).value)
    };
    let has = |metric: &Metric| companies.iter().any(|company| value(company, *metric).is_some());
    let metrics: Vec<Metric> = Metric::ALL.into_iter().filter(has).collect();
    let missing: Vec<&str> = companies
        .iter()
        .filter(|company| company.newest.is_none())
        .map(|company| company.company.name.as_str())
        .collect();
    html! {
        @if !metrics.is_empty() {
            div.scroll.statement.side-by-side tabindex="0" {
                table {
                    thead { tr {
                        th scope="col" { (say("Newest fiscal year", "Último exercício social")) }
                        @for company in companies { (heading(view, company)) }
                    } }
                    tbody { @for metric in metrics { tr {
                        th scope="row" { (metric_name(language, metric)) }
                        @for company in companies { td.count { (figure(language, metric, value(company, metric))) } }
                    } } }
                }
            }
            p.note { (say(
                "In reais, rounded: the exact figure is in the tooltip. A dash: the plan of accounts has no such figure, or the statement it comes from has not been imported.",
                "Em reais, arredondados: o valor exato está na dica. Um traço: o plano de contas não tem esse valor, ou a demonstração de onde vem não foi importada.",
            )) }
        }
        @if !missing.is_empty() {
            p.note {
                (say("No statements have been imported of: ", "Nenhuma demonstração foi importada de: ")) span lang="pt-BR" { (missing.join(", ")) } ". "
                code { "finserve sync" } (say(" or ", " ou ")) code { "finserve import" } (say(" brings them.", " as traz."))
            }
        }
        h2 { (say("The same from the API", "O mesmo pela API")) }
        @for (nth, company) in companies.iter().enumerate() {
            @let endpoint = Address::at(format!("/api/v1/companies/{}/financials", company.company.id)).with("limit", Some(1));
            (layout::command(view, &format!("call-{nth}"), &endpoint.command(view)))
        }
        @let cells = cells(companies);
        @if !cells.is_empty() { (spreadsheet::panel(view, &Sheet { cells, rows: None })) }
    }
}

/// A figure of each company: the first that all of them have, or else that it has itself.
fn cells(companies: &[ComparedCompany]) -> Vec<Cell> {
    let newest =
        || companies.iter().filter_map(|shown| Some((&shown.company, shown.newest.as_ref()?)));
    let has = |row: &CompanyFinancials, metric: Metric| row.figure(metric).value.is_some();
    let common = Metric::ALL.into_iter().find(|metric| newest().all(|(_, row)| has(row, *metric)));
    let cell = |(company, row): (&Company, &CompanyFinancials)| {
        let metric = common.or_else(|| Metric::ALL.into_iter().find(|metric| has(row, *metric)))?;
        let value = newest_figure(&company.id.to_string(), metric);
        let name = format!("{} ({})", company.name, metric.name());
        Some(Cell { name, value, shows: Shows::Number })
    };
    newest().filter_map(cell).collect()
}

/// A figure of the newest fiscal year of a company, at the API.
pub(super) fn newest_figure(id: &str, metric: Metric) -> Address {
    Address::at(format!("/api/v1/companies/{id}/financials"))
        .with("field", Some(metric.name()))
        .with("limit", Some(1))
}

/// A company: its name, the year, and whose figures they are.
fn heading(view: &View, company: &ComparedCompany) -> Markup {
    let language = view.language;
    let ComparedCompany { company, newest } = company;
    let link = company_link(view, company.id);
    html! {
        th.count scope="col" {
            @if company.tickers.is_empty() { a lang="pt-BR" href=(link) { (company.name) } }
            @else { a href=(link) { (company.tickers.join(" ")) } small.name lang="pt-BR" { (company.name) } }
            @if let Some(newest) = newest {
                small { (year_end(language, newest.period_end)) }
                small { (match newest.scope {
                    Scope::Consolidated => language.pick("consolidated", "consolidado"),
                    Scope::Individual => language.pick("individual", "individual"),
                }) @match newest.plan {
                    Some(AccountPlan::Bank) => (language.pick(", bank", ", banco")),
                    Some(AccountPlan::Insurer) => (language.pick(", insurer", ", seguradora")),
                    Some(AccountPlan::General) | None => {}
                } }
            }
        }
    }
}
