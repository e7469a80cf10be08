//! `/docs`: the API reference, made from `openapi.yaml`, for readers and without JavaScript.
pub(crate) mod interactive;
mod json_example;
mod operation;
mod schema_table;

use std::collections::BTreeMap;

use maud::{Markup, PreEscaped, html};

use self::{operation::operation, schema_table::schema_table};
use super::{layout, view::View};
use crate::openapi::{Api, HTML};

/// The reference. Descriptions are in English, as `openapi.yaml` has them; what is around them is in the language of the
/// visitor.
pub(crate) fn reference(view: &View) -> Markup {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    let api: &Api = &HTML;
    let title = say("API reference", "Referência da API");
    let content = html! {
        div.guide.reference {
            nav aria-label=(title) { (contents(view, api)) }
            article {
                h1 { (title) }
                p.actions {
                    a.button.primary href=(view.link("/docs/try")) { (say("Interactive reference", "Referência interativa")) }
                    a.button href=(view.link("/docs/guide")) { (say("Guide", "Guia")) }
                    a.button href=(view.path("/docs/openapi.yaml")) { "openapi.yaml" }
                }
                @if view.language.tag() != "en" {
                    p.note { (say("", "As descrições são em inglês, como no arquivo openapi.yaml.")) }
                }
                div lang="en" { (PreEscaped(&api.description)) }
                @for tag in &api.tags {
                    section id=(anchor(&tag.name)) {
                        h2 lang="en" { (tag.name) }
                        div lang="en" { (PreEscaped(&tag.description)) }
                        @for one in api.operations.iter().filter(|one| one.tag == tag.name) { (operation(view, one)) }
                    }
                }
                (errors(view, api))
                section id="schemas" {
                    h2 { (say("What answers are made of", "De que são feitas as respostas")) }
                    @for (name, schema) in &api.schemas { (schema_table(view, name, schema)) }
                }
            }
        }
    };
    let about = say(
        "Every endpoint of the finserve API: parameters, plans, example answers and errors, for market data, companies and filings of Brazil.",
        "Todos os endpoints da API do finserve: parâmetros, planos, exemplos de resposta e erros, para dados de mercado, companhias e documentos do Brasil.",
    );
    layout::described_page(view, "/docs", (title, about), &content)
}

/// The groups of operations, each with its own.
fn contents(view: &View, api: &Api) -> Markup {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    html! {
        ul {
            @for tag in &api.tags {
                li {
                    a lang="en" href=(format!("#{}", anchor(&tag.name))) { strong { (tag.name) } }
                    ul lang="en" {
                        @for one in api.operations.iter().filter(|one| one.tag == tag.name) {
                            li { a href=(format!("#{}", one.id)) { (one.summary) } }
                        }
                    }
                }
            }
            li { a href="#errors" { strong { (say("Errors", "Erros")) } } }
            li { a href="#schemas" { strong { (say("What answers are made of", "De que são feitas as respostas")) } } }
        }
    }
}

/// The statuses of refusals, each with what it means.
fn errors(view: &View, api: &Api) -> Markup {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    let mut known = BTreeMap::new();
    for response in api.operations.iter().flat_map(|one| &one.responses) {
        if is_refusal(&response.status) {
            known.entry(response.status.as_str()).or_insert(response);
        }
    }
    html! {
        section id="errors" {
            h2 { (say("Errors", "Erros")) }
            @for (status, response) in known {
                h3 { code { (status) } }
                div lang="en" { (PreEscaped(&response.description)) }
                @if let Some(example) = &response.example { pre tabindex="0" { code { (json_example::indented(example.get())) } } }
            }
        }
    }
}

fn is_refusal(status: &str) -> bool {
    status.starts_with('4') || status.starts_with('5')
}

/// The anchor of a group of operations.
fn anchor(tag: &str) -> String {
    format!("group-{}", tag.to_lowercase().replace(' ', "-"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{pages::language::Language, site::upgrade_contact::UpgradeContact};

    #[test]
    fn every_operation_and_schema_is_there_and_every_link_of_the_page_leads_somewhere() {
        for language in [Language::English, Language::Portuguese] {
            let page = reference(&View {
                language,
                chosen: false,
                origin: "http://localhost:8080".to_owned(),
                is_local: true,
                base: crate::site::base_path::BasePath::default(),
                upgrade_contact: UpgradeContact::default(),
                visitor: None,
                here: None,
            })
            .into_string();
            for one in &HTML.operations {
                assert!(page.contains(&format!("id=\"{}\"", one.id)), "{}", one.id);
            }
            for target in page.split("href=\"#").skip(1) {
                let target = target.split('"').next().unwrap();
                assert_eq!(page.matches(&format!("id=\"{target}\"")).count(), 1, "{target}");
            }
            assert!(!page.contains("<script>") && page.contains("US dollar"));
        }
    }
}
