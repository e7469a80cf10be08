//! One operation: what it does, what it takes, what it answers.
use maud::{Markup, PreEscaped, html};

use super::{is_refusal, json_example::indented, schema_table::type_of};
use crate::{
    openapi::{Operation, Parameter, ParameterLocation, Response},
    pages::view::View,
};

pub(super) fn operation(view: &View, one: &Operation) -> Markup {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    let (refusals, answers): (Vec<_>, Vec<_>) =
        one.responses.iter().partition(|response| is_refusal(&response.status));
    html! {
        section.operation id=(one.id) {
            h3 lang="en" { (one.summary) }
            p.endpoint {
                code { strong { (one.method) } " " (one.path) }
                @if let Some(plan) = &one.plan { " " span.badge { (say("from ", "a partir do ")) (plan_name(plan)) } }
                " " a href=(interactive(view, one)) { (say("Try it", "Experimentar")) span.unseen { ": " (one.summary) } }
            }
            div lang="en" { (PreEscaped(&one.description)) }
            @if !one.parameters.is_empty() { (parameters(view, &one.parameters)) }
            @if let Some(schema) = &one.body_schema { p { (say("Body: ", "Corpo: ")) (type_of(schema)) } }
            @if let Some(body) = &one.body { (example(say("Example of the body", "Exemplo do corpo"), body.get())) }
            @for answer in answers { (answered(view, answer)) }
            p.note {
                (say("Errors: ", "Erros: "))
                @for (at, refusal) in refusals.iter().enumerate() {
                    @if at > 0 { " · " }
                    code { (refusal.status) }
                }
                " (" a href="#errors" { (say("what they mean", "o que significam")) } ")"
            }
        }
    }
}

/// The operation in the interactive reference, where requests can be sent.
fn interactive(view: &View, one: &Operation) -> String {
    let group = one.tag.to_lowercase().replace(' ', "-");
    format!("{}#tag/{group}/{}{}", view.link("/docs/try"), one.method, one.path)
}

fn plan_name(id: &str) -> &str {
    id.parse().map_or(id, |plan: fincore::Plan| plan.name())
}

fn parameters(view: &View, all: &[Parameter]) -> Markup {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    html! {
        div.scroll tabindex="0" { table {
            thead { tr {
                th scope="col" { (say("Parameter", "Parâmetro")) }
                th scope="col" { (say("Value", "Valor")) }
                th scope="col" { (say("Meaning", "Significado")) }
            } }
            tbody { @for one in all { tr {
                th scope="row" {
                    code { (one.name) }
                    @if one.required { small { (say("required", "obrigatório")) } }
                    @match one.location {
                        ParameterLocation::Path => { small { (say("in the path", "no caminho")) } }
                        ParameterLocation::Header => { small { (say("header", "cabeçalho")) } }
                        ParameterLocation::Query => {}
                    }
                }
                td { (value(view, one)) }
                td lang="en" { (PreEscaped(&one.description)) }
            } } }
        } }
    }
}

/// The values of a parameter, and its default.
fn value(view: &View, one: &Parameter) -> Markup {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    let text = |name: &str| one.schema.get(name).map(plain);
    let choices = one.schema.get("enum").and_then(|choices| choices.as_array());
    html! {
        @match choices {
            Some(choices) => {
                @for (at, choice) in choices.iter().enumerate() { @if at > 0 { ", " } code { (plain(choice)) } }
            }
            None => {
                (text("format").or_else(|| text("type")).unwrap_or_default())
                @if let (Some(least), Some(most)) = (text("minimum"), text("maximum")) { " " (least) "–" (most) }
            }
        }
        @if let Some(default) = text("default") { small { (say("default ", "padrão ")) code { (default) } } }
        @if let Some(sample) = one.example.as_ref() { small { (say("example ", "exemplo ")) code { (plain(sample)) } } }
    }
}

/// A value as it is written in an address.
fn plain(value: &serde_json::Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn answered(view: &View, answer: &Response) -> Markup {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    html! {
        div.answer {
            p { code { (answer.status) } @if let Some(schema) = &answer.schema { " " (type_of(schema)) } }
            div lang="en" { (PreEscaped(&answer.description)) }
        }
        @if let Some(body) = &answer.example { (example(say("Example answer", "Exemplo de resposta"), body.get())) }
    }
}

fn example(title: &str, json: &str) -> Markup {
    html! {
        details { summary { (title) } pre tabindex="0" { code { (indented(json)) } } }
    }
}
