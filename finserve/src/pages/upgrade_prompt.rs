//! Where to get what the visitor's plan does not include.
use fincore::{Feature, plans::Upgrade};
use maud::{Markup, html};

use super::{error_page, view::View};

/// The missing rows, which plan has them, and how to get that plan.
pub(crate) fn upgrade(view: &View, prompt: &Upgrade) -> Markup {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    let what = match prompt.feature {
        Feature::Companies => say("all companies, with search", "todas as companhias, com busca"),
        Feature::Filings => say(
            "all filings and financial statements, with search",
            "todos os documentos e demonstrações financeiras, com busca",
        ),
        Feature::HistoricalData => {
            say("the whole history, not just 12 months", "a série inteira, não só 12 meses")
        }
        Feature::Market
        | Feature::Calculators
        | Feature::Plans
        | Feature::BulkExport
        | Feature::Csv
        | Feature::Webhooks
        | Feature::PrioritySupport => say("what is missing here", "o que falta aqui"),
    };
    let (required, current) = (prompt.required_plan.name(), prompt.current_plan.name());
    html! {
        div.upgrade {
            p {
                (say("The plan ", "O plano ")) strong { (required) } (say(" includes ", " inclui ")) (what)
                (say("; you are on ", "; você está no ")) (current) "."
            }
            (error_page::upgrade(view))
        }
    }
}
