//! Members of an answer with their types, as a table.
use maud::{Markup, PreEscaped, html};

use crate::{
    openapi::schema::{OtherMembers, Schema},
    pages::view::View,
};

/// A member of an answer, with the names on the way to it.
struct Member<'s> {
    path: String,
    schema: &'s Schema,
    is_required: bool,
}

pub(super) fn schema_table(view: &View, name: &str, schema: &Schema) -> Markup {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    let members = members(schema, "");
    html! {
        section.schema id=(anchor(name)) {
            h3 lang="en" { (name) }
            div lang="en" { (PreEscaped(&schema.description)) }
            @if members.is_empty() { p { (type_of(schema)) } }
            @for part in schema.all_of.iter().filter(|part| part.reference().is_some()) {
                p { (say("Everything of ", "Tudo de ")) (type_of(part)) (say(", and:", ", e:")) }
            }
            @if !members.is_empty() {
                div.scroll tabindex="0" { table {
                    thead { tr {
                        th scope="col" { (say("Member", "Membro")) }
                        th scope="col" { (say("Type", "Tipo")) }
                        th scope="col" { (say("Meaning", "Significado")) }
                    } }
                    tbody { @for Member { path, schema, is_required } in &members { tr {
                        th scope="row" { code { (path) } @if !is_required { small { (say("may be absent", "pode faltar")) } } }
                        td { (type_of(schema)) }
                        td lang="en" { (PreEscaped(&schema.description)) }
                    } } }
                } }
            }
        }
    }
}

/// The members of an object, and of the objects in it, in order.
fn members<'s>(schema: &'s Schema, before: &str) -> Vec<Member<'s>> {
    let mut all = Vec::new();
    for part in &schema.all_of {
        all.extend(members(part, before));
    }
    for (name, schema_of_it) in &schema.properties {
        let path = format!("{before}{name}");
        let is_required = schema.required.contains(name);
        all.push(Member { path: path.clone(), schema: schema_of_it, is_required });
        all.extend(members(schema_of_it, &format!("{path}.")));
        if let Some(item) = &schema_of_it.items {
            all.extend(members(item, &format!("{path}[].")));
        }
    }
    all
}

/// The type of a value in a few words; what is described elsewhere is a link.
pub(super) fn type_of(schema: &Schema) -> Markup {
    if let Some(name) = schema.reference() {
        return html! { a href=(format!("#{}", anchor(name))) lang="en" { (name) } };
    }
    // A reference with something said about it stands in a list of one.
    if let [one] = schema.all_of.as_slice() {
        return html! { (type_of(one)) @if schema.nullable { " | null" } };
    }
    html! {
        span lang="en" {
            @if !schema.choices.is_empty() {
                @for (at, choice) in schema.choices.iter().enumerate() {
                    @if at > 0 { " | " }
                    code { (choice.as_str().map_or_else(|| choice.to_string(), str::to_owned)) }
                }
            } @else if let Some(items) = &schema.items {
                "array of " (type_of(items))
            } @else if let Some(OtherMembers::Each(each)) = &schema.additional_properties {
                "object of " (type_of(each))
            } @else {
                (schema.kind.as_deref().unwrap_or("object"))
                @if let Some(format) = &schema.format { " (" (format) ")" }
            }
            @if schema.nullable { " | null" }
        }
    }
}

/// The anchor of a schema.
fn anchor(name: &str) -> String {
    format!("schema-{name}")
}
