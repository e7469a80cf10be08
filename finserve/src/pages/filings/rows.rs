//! Filings as the rows of a table.
use fincore::filings::Filing;
use maud::{Markup, html};

use super::official_names;
use crate::pages::{company_name, page_url::Address, result_list::Detail, view::View};

/// Filings of any company.
pub(crate) fn of_all(view: &View, rows: &[Filing], detail: Detail) -> Markup {
    table(view, rows, Companies::Named, detail)
}

/// Filings of one company, which is not named again.
pub(crate) fn of_one(view: &View, rows: &[Filing], detail: Detail) -> Markup {
    table(view, rows, Companies::Known, detail)
}

/// The page of a filing.
pub(crate) fn link(view: &View, filing: &Filing) -> String {
    Address::at(format!("/filings/{}", filing.id)).link(view)
}

/// The link with the subject; with the number of the document if it has none.
pub(crate) fn titled_link(view: &View, filing: &Filing) -> Markup {
    html! {
        @match &filing.subject {
            Some(subject) => a href=(link(view, filing)) lang="pt-BR" { (subject) },
            None => a href=(link(view, filing)) class="untitled" { (view.language.pick("Document ", "Documento ")) (filing.id) },
        }
    }
}

/// The page of the company of a filing.
pub(crate) fn company_link(view: &View, filing: &Filing) -> String {
    company_name::company_link(view, filing.company_id)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Companies {
    Named,
    Known,
}

fn table(view: &View, rows: &[Filing], companies: Companies, detail: Detail) -> Markup {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    let (date, company) = (say("Date", "Data"), say("Company", "Companhia"));
    let (category, subject) = (say("Category", "Categoria"), say("Subject", "Assunto"));
    let version = say("version", "versão");
    let is_named = companies == Companies::Named;
    html! {
        table.rows.filings {
            thead { tr {
                th scope="col" { (date) }
                @if is_named { th scope="col" { (company) } }
                th scope="col" { (category) }
                @if detail == Detail::Whole { th scope="col" { (subject) } }
            } }
            tbody {
                @for filing in rows { tr {
                    td.number data-label=(date) { time datetime=(filing.date) { (view.language.date(filing.date)) } }
                    @if is_named {
                        td lang="pt-BR" data-label=(company) { a href=(company_link(view, filing)) { (filing.company_name) } }
                    }
                    @match detail {
                        Detail::Whole => {
                            td data-label=(category) {
                                (official_names::category(view, &filing.category))
                                @if !filing.r#type.is_empty() { small lang="pt-BR" { (filing.r#type) } }
                            }
                            th scope="row" {
                                (titled_link(view, filing))
                                @if filing.version > 1 { small lang=(view.language.tag()) { (version) " " (filing.version) } }
                            }
                        }
                        Detail::Preview => {
                            th scope="row" { a href=(link(view, filing)) { (official_names::category(view, &filing.category)) } }
                        }
                    }
                } }
            }
        }
    }
}
