//! `/filings/{id}`: one filing, with the link to its document.
use fincore::{Date, FilingId, filings::Filing, plans::Upgrade};
use maud::{Markup, html};

use super::{official_names, rows};
use crate::pages::{layout, page_url::Address, upgrade_prompt::upgrade, view::View};

/// The states of a filing's page.
pub(crate) enum FilingShown {
    /// To those whose plan does not include filings: as much as a row of a preview says at most.
    Glimpse { company: String, category: String, date: Date, prompt: Upgrade },
    /// All facts.
    Whole(Box<Filing>),
}

/// The page of the filing with this id.
pub(crate) fn filing(view: &View, id: FilingId, shown: &FilingShown) -> Markup {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    let (title, content) = match shown {
        FilingShown::Glimpse { company, category, date, prompt } => (
            format!("{company}: {category}"),
            html! {
                h1.name { (official_names::category(view, category)) }
                p.lead { span lang="pt-BR" { (company) } ", " (day(view, *date)) }
                (upgrade(view, prompt))
            },
        ),
        FilingShown::Whole(filing) => (
            format!("{}: {}", filing.company_name, filing.description()),
            html! {
                @match &filing.subject {
                    Some(subject) => h1.name lang="pt-BR" { (subject) },
                    None => h1.name { (official_names::category(view, &filing.category)) },
                }
                p.lead { a lang="pt-BR" href=(rows::company_link(view, filing)) { (filing.company_name) } ", " (day(view, filing.date)) }
                p.actions { @if is_on_the_web(&filing.url) {
                    a.button.primary href=(filing.url) target="_blank" rel="noopener" {
                        (say("Open the document at CVM", "Abrir o documento na CVM"))
                        span.unseen { (say(" (new window)", " (nova janela)")) }
                    }
                } @else { code { (filing.url) } } }
                (facts(view, filing))
            },
        ),
    };
    let endpoint = Address::at(format!("/api/v1/filings/{id}"));
    let content = html! {
        p.trail { a href=(view.link("/filings")) { (say("Filings", "Documentos")) } }
        (content)
        h2 { (say("The same from the API", "O mesmo pela API")) }
        (layout::command(view, "call", &endpoint.command(view)))
    };
    let about = view.language.pick(
        format!("{title}: protocol {id} of CVM, Brazil’s securities regulator, with a link to the document."),
        format!("{title}: protocolo {id} da CVM, com link para o documento."),
    );
    layout::described_page(view, &format!("/filings/{id}"), (&title, &about), &content)
}

/// Whether an address, which a file of CVM said, leads to a page and does nothing else.
fn is_on_the_web(url: &str) -> bool {
    ["https://", "http://"].iter().any(|start| url.starts_with(start))
}

fn day(view: &View, date: Date) -> Markup {
    html! { time datetime=(date) { (view.language.date(date)) } }
}

fn facts(view: &View, filing: &Filing) -> Markup {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    let text = |text: &str| (!text.is_empty()).then(|| html! { span lang="pt-BR" { (text) } });
    let alike = Address::at("/filings")
        .with("company", Some(filing.company_id))
        .with("category", Some(&filing.category));
    let rows = [
        (say("Category", "Categoria"), Some(official_names::category(view, &filing.category))),
        (say("Type", "Tipo"), text(&filing.r#type)),
        (say("Species", "Espécie"), text(&filing.species)),
        (say("Delivered on", "Data de entrega"), Some(day(view, filing.date))),
        (say("Refers to", "Data de referência"), filing.reference_date.map(|date| day(view, date))),
        (say("Version", "Versão"), Some(html! { (filing.version) })),
        (say("Protocol", "Protocolo"), Some(html! { (filing.id) })),
        (say("CVM code", "Código CVM"), Some(html! { (filing.company_id) })),
    ];
    html! {
        dl.details {
            @for (name, value) in rows {
                @if let Some(value) = value { div { dt { (name) } dd { (value) } } }
            }
        }
        p { a href=(alike.link(view)) { (say("More in this category from this company", "Mais desta categoria e companhia")) } }
    }
}
