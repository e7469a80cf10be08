//! `/companies/{id}`: one company, its figures, its names and its filings.
use fincore::{
    Page,
    companies::Company,
    filings::{Filing, Profile},
    plans::Upgrade,
    statements::{CompanyFinancials, Metric},
};
use maud::{Markup, html};

use super::{
    comparison::newest_figure,
    five_years::{YearsShown, five_years},
};
use crate::pages::{
    company_name::other_name,
    filings::{official_names, rows, timeline},
    layout,
    page_url::Address,
    result_list::Detail,
    spreadsheet::{self, Sheet, Shows},
    upgrade_prompt::upgrade,
    view::View,
};

/// The states of a company's page.
pub(crate) enum CompanyShown {
    /// To those whose plan does not include companies: as much as a row of a preview says at most.
    Glimpse { name: String, status: String, prompt: Upgrade, filed: Filed },
    /// One that files without being in the registry: its name there, and its tickers.
    OnlyFiles { name: String, tickers: Vec<String>, filed: Filed },
    /// All facts.
    Whole { company: Box<Company>, filed: Filed },
}

/// The states of the list of a company's filings.
pub(crate) enum Filed {
    /// The newest, for those whose plan does not include filings.
    Preview { rows: Vec<Filing>, prompt: Upgrade },
    /// All of them in numbers, the newest one by one; and names under which the company filed.
    Whole { profile: Profile, newest: Box<Page<Filing>>, names: Vec<String> },
}

/// The page of the company with this code.
pub(crate) fn company(view: &View, id: &str, shown: &CompanyShown, years: &YearsShown) -> Markup {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    let (name, content) = match shown {
        CompanyShown::Glimpse { name, status, prompt, filed } => (
            name,
            html! {
                p { (say("Status: ", "Situação: ")) (official_names::status(view, status)) }
                (upgrade(view, prompt))
                (filings(view, id, filed))
            },
        ),
        CompanyShown::OnlyFiles { name, tickers, filed } => (
            name,
            html! {
                @if !tickers.is_empty() { p { (say("Tickers: ", "Códigos de negociação: ")) (tickers.join(" ")) } }
                p { (say("This company files with CVM but is not in the registry of companies.", "Esta companhia entrega documentos à CVM, mas não consta do cadastro de companhias.")) }
                (filings(view, id, filed))
            },
        ),
        CompanyShown::Whole { company, filed } => {
            (&company.name, html! { (facts(view, company)) (filings(view, id, filed)) })
        }
    };
    let endpoint = Address::at(format!("/api/v1/companies/{id}"));
    let content = html! {
        p.trail { a href=(view.link("/companies")) { (say("Companies", "Companhias")) } }
        h1.name lang="pt-BR" { (name) }
        (five_years(view, id, years))
        (content)
        h2 { (say("The same from the API", "O mesmo pela API")) }
        @match shown {
            CompanyShown::Glimpse { .. } => { (layout::command(view, "call", &endpoint.command(view))) }
            CompanyShown::OnlyFiles { .. } | CompanyShown::Whole { .. } => {
                (layout::command(view, "call", &endpoint.command(view)))
                (layout::command(view, "call-filings", &listed(id).command(view)))
                @if let YearsShown::Whole(years) = years {
                    (layout::command(view, "call-financials", &financials(id).command(view)))
                    @if let Some(sheet) = sheet(id, years) { (spreadsheet::panel(view, &sheet)) }
                }
            }
        }
    };
    let tickers = match shown {
        CompanyShown::Whole { company, .. } => company.tickers.join(", "),
        CompanyShown::Glimpse { .. } | CompanyShown::OnlyFiles { .. } => String::new(),
    };
    let title = if tickers.is_empty() { name.clone() } else { format!("{name} ({tickers})") };
    let about = view.language.pick(
        format!("{title}, CVM code {id}: registration with CVM, Brazil’s securities regulator, and filings by category and year."),
        format!("{title}, código CVM {id}: registro na CVM e documentos por categoria e ano."),
    );
    layout::described_page(view, &format!("/companies/{id}"), (&title, &about), &content)
}

/// How many of the newest filings are shown.
pub(crate) const NEWEST: u32 = 10;

/// As many years as a table of all figures has.
const MOST_YEARS: u32 = 20;

/// The newest filings at the API.
fn listed(id: &str) -> Address {
    Address::at(format!("/api/v1/companies/{id}/filings")).with("limit", Some(NEWEST))
}

/// The figures of the newest years at the API.
fn financials(id: &str) -> Address {
    Address::at(format!("/api/v1/companies/{id}/financials"))
}

/// The first figure that the newest year has, and the figures of all years.
fn sheet(id: &str, years: &[CompanyFinancials]) -> Option<Sheet> {
    let newest = years.first()?;
    let metric = Metric::ALL.into_iter().find(|metric| newest.figure(*metric).value.is_some())?;
    let rows = financials(id).with("limit", Some(MOST_YEARS));
    Some(Sheet::of(newest_figure(id, metric), Shows::Number, Some(rows)))
}

fn facts(view: &View, company: &Company) -> Markup {
    let language = view.language;
    let say = |english, portuguese| language.pick(english, portuguese);
    let day = |day: Option<fincore::Date>| {
        day.map(|day| html! { time datetime=(day) { (language.date(day)) } })
    };
    let text = |text: &str| (!text.is_empty()).then(|| html! { span lang="pt-BR" { (text) } });
    let by = |name, value: &str| Address::at("/companies").with(name, Some(value)).link(view);
    let sector = (!company.sector.is_empty()).then(|| {
        html! {
            a lang="pt-BR" href=(by("sector", &company.sector)) { (company.sector) }
        }
    });
    let rows = [
        (say("Trade name", "Nome de pregão"), text(other_name(company).unwrap_or_default())),
        (say("Tickers", "Códigos de negociação"), text(&company.tickers.join(" "))),
        ("CNPJ", company.cnpj.map(|cnpj| html! { (cnpj) })),
        (say("CVM code", "Código CVM"), Some(html! { (company.id) })),
        (
            say("Status", "Situação"),
            company.status.as_deref().map(|status| official_names::status(view, status)),
        ),
        (say("Sector", "Setor"), sector),
        (say("Registered on", "Registro em"), day(company.registered_on)),
        (say("Cancelled on", "Cancelamento em"), day(company.cancelled_on)),
    ];
    html! {
        dl.details {
            @for (name, value) in rows {
                @if let Some(value) = value { div { dt { (name) } dd { (value) } } }
            }
        }
    }
}

fn filings(view: &View, id: &str, filed: &Filed) -> Markup {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    let all = || Address::at("/filings").with("company", Some(id));
    html! {
        @match filed {
            Filed::Preview { rows, prompt } => {
                section aria-labelledby="filings" {
                    h2 id="filings" { (say("Newest filings", "Documentos mais recentes")) }
                    @if rows.is_empty() { p { (none(view)) } } @else { (rows::of_one(view, rows, Detail::Preview)) }
                    (upgrade(view, prompt))
                }
            }
            Filed::Whole { profile, newest, names } => {
                @if !names.is_empty() {
                    section aria-labelledby="names" {
                        h2 id="names" { (say("Filed under other names", "Entregou documentos com outros nomes")) }
                        ul.names lang="pt-BR" { @for name in names { li { (name) } } }
                    }
                }
                section aria-labelledby="categories" {
                    h2 id="categories" { (say("Filings by category", "Documentos por categoria")) }
                    @if profile.total == 0 { p { (none(view)) } }
                    ul.categories {
                        @for row in &profile.categories { li {
                            a href=(all().with("category", Some(&row.category)).link(view)) { (official_names::category(view, &row.category)) }
                            " " span.count { (view.language.count(row.filings)) }
                        } }
                    }
                }
                @if profile.total > 0 {
                    @if !profile.periods.is_empty() { (timeline::timeline(view, id, profile)) }
                    section aria-labelledby="newest" {
                        h2 id="newest" { (say("Newest filings", "Documentos mais recentes")) }
                        (rows::of_one(view, &newest.data, Detail::Whole))
                        p.actions { a.button href=(all().link(view)) { (view.language.pick(
                            format!("All {} filings", view.language.count(profile.total)),
                            format!("Todos os {} documentos", view.language.count(profile.total)),
                        )) } }
                    }
                }
            }
        }
    }
}

fn none(view: &View) -> &'static str {
    view.language
        .pick("We have no filings of this company.", "Não temos documentos desta companhia.")
}
