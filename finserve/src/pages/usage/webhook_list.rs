//! The webhooks of a key, and how their last calls went.
use fincore::{
    chrono::{DateTime, Utc},
    webhooks::{Delivery, Webhook},
};
use maud::{Markup, html};

use crate::pages::{language::Language, view::View};

/// A webhook and its newest deliveries.
#[derive(Debug)]
pub(crate) struct Subscription {
    pub(crate) webhook: Webhook,
    pub(crate) deliveries: Vec<Delivery>,
}

/// The part of the usage page for keys whose plan includes webhooks.
pub(super) fn subscriptions(view: &View, all: &[Subscription]) -> Markup {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    html! {
        section id="webhooks" {
            h3 { "Webhooks" }
            @if all.is_empty() {
                p { (say(
                    "None yet. Create one with POST /api/v1/webhooks to be called when something is published.",
                    "Nenhum ainda. Crie um com POST /api/v1/webhooks para ser avisado do que for publicado.",
                )) }
            }
            @for one in all { (subscription(view, one)) }
        }
    }
}

fn subscription(view: &View, Subscription { webhook, deliveries }: &Subscription) -> Markup {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    let filters = [
        (say("company", "companhia"), &webhook.company),
        (say("category", "categoria"), &webhook.category),
        (say("series", "série"), &webhook.series),
    ];
    let filters = filters.into_iter().filter_map(|(name, value)| Some((name, value.as_ref()?)));
    html! {
        h4 { code { (webhook.url) } }
        p {
            strong { (status(view.language, webhook.status)) }
            @if let Some(reason) = &webhook.reason { ": " (reason) }
            " · " (webhook.events.join(", "))
            @for (name, value) in filters { " · " (name) " " (value) }
            " · " code { (webhook.id) }
        }
        div.scroll tabindex="0" { (table(view, deliveries)) }
    }
}

fn table(view: &View, deliveries: &[Delivery]) -> Markup {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    html! {
        table {
            thead { tr {
                th scope="col" { (say("Event", "Evento")) }
                th scope="col" { (say("Time (UTC)", "Hora (UTC)")) }
                th scope="col" { (say("Status", "Situação")) }
                th.count scope="col" { (say("Attempts", "Tentativas")) }
                th scope="col" { (say("Response", "Resposta")) }
            } }
            tbody {
                @for delivery in deliveries { tr {
                    th scope="row" { (delivery.kind) }
                    td { (time(view.language, delivery.attempted_at.unwrap_or(delivery.created_at))) }
                    td { (status(view.language, delivery.status)) }
                    td.count { (delivery.attempts) }
                    td { (response(delivery)) }
                } }
                @if deliveries.is_empty() {
                    tr { td colspan="5" { (say("No calls yet.", "Nenhuma chamada ainda.")) } }
                }
            }
        }
    }
}

/// The status that the last try got, or what went wrong.
fn response(delivery: &Delivery) -> String {
    let status = delivery.response_status.map(|status| status.to_string());
    match (status, &delivery.error) {
        (Some(status), Some(error)) if !error.contains(&status) => format!("{status}: {error}"),
        (_, Some(error)) => error.clone(),
        (Some(status), None) => status,
        (None, None) => "–".into(),
    }
}

/// The status of a webhook or a delivery, in the language of the page.
fn status(language: Language, status: &'static str) -> &'static str {
    let portuguese = match status {
        "active" => "ativo",
        "disabled" => "desativado",
        "pending" => "pendente",
        "delivered" => "entregue",
        "failed" => "falhou",
        other => other,
    };
    language.pick(status, portuguese)
}

fn time(language: Language, time: DateTime<Utc>) -> String {
    language.pick(time.format("%-d %b %Y %H:%M"), time.format("%d/%m/%Y %H:%M")).to_string()
}
