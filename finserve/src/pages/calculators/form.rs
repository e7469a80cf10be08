//! The form of a calculator.
use maud::{Markup, html};

use super::typed_input::{Given, Wrong, first_day};
use crate::pages::view::View;

/// A field of a form.
pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) label: &'static str,
    pub(crate) hint: &'static str,
    pub(crate) kind: Kind,
    /// The first day in the empty form.
    pub(crate) start: String,
}

/// How a field is filled in.
pub(crate) enum Kind {
    Number,
    Day,
    Month,
    /// One of these values, each with its name.
    Choice(Vec<(String, String)>),
}

/// A form that is sent as the address of its result.
pub(crate) fn form(
    view: &View,
    path: &str,
    fields: &[Field],
    given: &Given,
    wrongs: &[Wrong],
) -> Markup {
    let says = |wrong: &Wrong| {
        let message = wrong.message(view.language);
        html! { span lang=[message.lang] { (message.text) } }
    };
    let is_field = |wrong: &Wrong| fields.iter().any(|field| Some(field.name) == wrong.field);
    html! {
        // On a small screen the result is below the form.
        form.calculator method="get" action=(format!("{}#result", view.path(path))) {
            @if view.chosen { input type="hidden" name="lang" value=(view.language.code()); }
            @for wrong in wrongs.iter().filter(|wrong| !is_field(wrong)) {
                p.wrong role="alert" { (says(wrong)) }
            }
            @for field in fields {
                @let wrong = wrongs.iter().find(|wrong| wrong.field == Some(field.name));
                (field.show(view, given, wrong.map(says)))
            }
            button.primary { (view.language.pick("Calculate", "Calcular")) }
        }
    }
}

impl Field {
    fn show(&self, view: &View, given: &Given, wrong: Option<Markup>) -> Markup {
        let Field { name, kind, .. } = self;
        let value = match given.is_empty() {
            true => self.start.as_str(),
            false => given.get(name).unwrap_or_default(),
        };
        let (id, hint, error) =
            (format!("field-{name}"), format!("hint-{name}"), format!("wrong-{name}"));
        let described = [
            (!self.hint.is_empty()).then_some(hint.as_str()),
            wrong.as_ref().map(|_| error.as_str()),
        ];
        let described: Vec<&str> = described.into_iter().flatten().collect();
        let described = (!described.is_empty()).then(|| described.join(" "));
        let invalid = wrong.as_ref().map(|_| "true");
        html! {
            div.field {
                label for=(id) { (self.label) }
                @match kind {
                    Kind::Choice(choices) => {
                        select id=(id) name=(name) aria-describedby=[described] aria-invalid=[invalid] {
                            // A choice that the list lacks is kept, so that it can be corrected.
                            @if !choices.iter().any(|(choice, _)| choice == value) && !value.is_empty() {
                                option value=(value) selected { (value) }
                            }
                            @for (choice, shown) in choices {
                                option value=(choice) selected[choice == value] { (shown) }
                            }
                        }
                    }
                    Kind::Number => {
                        input id=(id) name=(name) value=(value) type="text" inputmode="decimal" autocomplete="off" aria-describedby=[described] aria-invalid=[invalid];
                    }
                    Kind::Day | Kind::Month => {
                        @let (shown, input) = self.day(value);
                        input id=(id) name=(name) value=(shown) type=(input) autocomplete="off" placeholder=[(input == "month").then(|| view.language.pick("YYYY-MM", "AAAA-MM"))] aria-describedby=[described] aria-invalid=[invalid];
                    }
                }
                @if !self.hint.is_empty() { small id=(hint) { (self.hint) } }
                @if let Some(wrong) = wrong { span.wrong id=(error) { (wrong) } }
            }
        }
    }

    /// A day as its input holds it. An input for days shows nothing but days, so that others are kept as text.
    fn day(&self, value: &str) -> (String, &'static str) {
        match (first_day(value).parse::<fincore::Date>(), &self.kind) {
            (Ok(day), Kind::Month) => (day.to_string()[..7].to_owned(), "month"),
            (Ok(day), _) => (day.to_string(), "date"),
            (Err(_), Kind::Month) if value.is_empty() => (String::new(), "month"),
            (Err(_), _) if value.is_empty() => (String::new(), "date"),
            (Err(_), _) => (value.to_owned(), "text"),
        }
    }
}
