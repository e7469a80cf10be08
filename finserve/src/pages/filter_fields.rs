//! Fields of forms that narrow a list.
use fincore::{Date, fold};
use maud::{Markup, html};

use super::view::View;

/// A field for a text.
pub(crate) struct Field<'f> {
    pub(crate) name: &'static str,
    pub(crate) label: &'f str,
    pub(crate) value: Option<&'f str>,
    pub(crate) hint: &'f str,
}

impl Field<'_> {
    /// A line of text.
    pub(crate) fn text(&self) -> Markup {
        html! {
            label { (self.label) input type="text" name=(self.name) value=[self.value] placeholder=(self.hint) maxlength="500"; }
        }
    }

    /// A day.
    pub(crate) fn day(&self) -> Markup {
        // Browsers complain about anything else.
        let day = self.value.filter(|text| text.parse::<Date>().is_ok());
        html! { label { (self.label) input type="date" name=(self.name) value=[day]; } }
    }

    /// One of several values, each with what is shown for it; those who may not know the values write one themselves.
    pub(crate) fn choice(&self, all: &str, values: Option<&[(String, String)]>) -> Markup {
        let Some(values) = values else { return self.text() };
        let chosen = self.value.map(fold);
        let is_chosen = |value: &str| chosen.as_deref() == Some(fold(value).as_str());
        let is_known = values.iter().any(|(value, _)| is_chosen(value));
        html! {
            label { (self.label)
                select name=(self.name) {
                    @if !all.is_empty() { option value="" { (all) } }
                    @if let (Some(value), false) = (self.value, is_known) {
                        option value=(value) selected { (value) }
                    }
                    @for (value, shown) in values {
                        option value=(value) selected[is_chosen(value)] { (shown) }
                    }
                }
            }
        }
    }
}

/// Values that are shown as they are.
pub(crate) fn plainly(values: &[String]) -> Vec<(String, String)> {
    values.iter().map(|value| (value.clone(), value.clone())).collect()
}

/// Keeps a chosen language when a form is sent.
pub(crate) fn language(view: &View) -> Markup {
    html! {
        @if view.chosen { input type="hidden" name="lang" value=(view.language.code()); }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_shows_what_is_chosen_however_it_is_written() {
        let values = plainly(&["Fato Relevante".to_owned(), "Assembleia".to_owned()]);
        let choice = |value: Option<&str>| {
            let field = Field { name: "category", label: "Category", value, hint: "" };
            field.choice("All", Some(&values)).into_string()
        };
        assert!(choice(Some("fato relevante")).contains("value=\"Fato Relevante\" selected"));
        assert!(!choice(None).contains("selected"));
        assert!(choice(Some("\"<b>")).contains("value=\"&quot;&lt;b&gt;\" selected"));
        let field = Field { name: "category", label: "Category", value: Some("x"), hint: "" };
        assert!(field.choice("All", None).into_string().contains("<input type=\"text\""));
    }
}
