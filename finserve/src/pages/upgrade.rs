//! What a page says where the visitor's plan ends.
use fincore::{Feature, plans::Upgrade};
use maud::{Markup, html};

use super::{plain, view::View};

/// Which plan includes what is not shown, and where to get it.
pub(crate) fn upgrade(view: &View, prompt: &Upgrade) -> Markup {
    let sentence = view.language.pick(prompt.message.clone(), in_portuguese(prompt));
    html! {
        div.upgrade {
            p { strong { (sentence) } }
            (plain::upgrade(view))
        }
    }
}

fn in_portuguese(prompt: &Upgrade) -> String {
    let what = match prompt.feature {
        Feature::Plans => "Planos precisam",
        Feature::Market => "Dados de mercado precisam",
        Feature::Companies => "Companhias e busca precisam",
        Feature::HistoricalData => "Séries de mercado de mais de 12 meses precisam",
        Feature::Filings => "Documentos precisam",
        Feature::BulkExport => "Bases completas precisam",
        Feature::Csv => "CSV e Parquet precisam",
        Feature::Webhooks => "Webhooks e eventos precisam",
        Feature::PrioritySupport => "O atendimento prioritário precisa",
    };
    let (required, current) = (prompt.required_plan.name(), prompt.current_plan.name());
    format!("{what} do plano {required}; esta página está no {current}.")
}
