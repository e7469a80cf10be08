//! The form of a comparison, and what it can be filled in with.
use fincore::market::{ListedSeries, SeriesIds};
use maud::{Markup, html};

use super::PATH;
use crate::pages::{market::transformation_choices::fields, page_url::Address, view::View};

/// The suggestion in the empty form.
const SUGGESTED: &str = "ipca,igp-m";

/// The fields of the form as they were sent.
#[derive(Clone, Debug, Default)]
pub(crate) struct ComparisonForm {
    pub(crate) series: Option<String>,
    pub(crate) from: Option<String>,
    pub(crate) to: Option<String>,
    pub(crate) frequency: Option<String>,
    pub(crate) units: Option<String>,
}

/// The form, as it was sent.
pub(super) fn show_form(view: &View, form: &ComparisonForm) -> Markup {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    let ComparisonForm { series, from, to, frequency, units } = form;
    html! {
        form.days method="get" action=(view.path(PATH)) data-tidy {
            @if view.chosen { input type="hidden" name="lang" value=(view.language.code()); }
            label.series { (say("Series, separated by commas", "Séries, separadas por vírgulas"))
                input name="series" value=(series.as_deref().unwrap_or(SUGGESTED)) autocomplete="off" spellcheck="false" required;
            }
            label { (say("From", "De")) input type="date" name="from" value=[from]; }
            label { (say("To", "Até")) input type="date" name="to" value=[to]; }
            (fields(view.language, [frequency.as_deref(), units.as_deref()], |_| true))
            button { (say("Compare", "Comparar")) }
        }
    }
}

/// Comparisons to begin with.
pub(super) fn examples(view: &View) -> Markup {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    let examples = [
        (
            say("IPCA and IGP-M in 12 months", "IPCA e IGP-M em 12 meses"),
            "ipca,igp-m",
            "accumulated_12m",
            None,
        ),
        (say("Selic and CDI", "Selic e CDI"), "selic,cdi", "", None),
        (
            say("Dollar and euro as an index", "Dólar e euro em número-índice"),
            "usd-sell,eur-sell",
            "index",
            Some("month"),
        ),
    ];
    html! {
        ul { @for (name, series, units, frequency) in examples {
            @let address = Address::at(PATH).with("series", Some(series)).with("frequency", frequency);
            @let address = address.with("units", Some(units).filter(|units| !units.is_empty()));
            li { a href=(address.link(view)) { (name) } }
        } }
    }
}

/// The names that the form takes: each adds its series to those that are compared.
pub(super) fn names(view: &View, all: &[ListedSeries], form: &ComparisonForm) -> Markup {
    let language = view.language;
    let before = form.series.as_deref().map(|series| format!("{series},")).unwrap_or_default();
    let is_in =
        |name: &str| form.series.iter().flat_map(|all| all.split(',')).any(|id| id.trim() == name);
    let address = |name: &str| {
        let address = Address::at(PATH).with("series", Some(format!("{before}{name}")));
        let address = address.with("from", form.from.as_ref()).with("to", form.to.as_ref());
        address.with("frequency", form.frequency.as_ref()).with("units", form.units.as_ref())
    };
    // As many as an answer can have.
    if form.series.as_deref().map_or(0, |series| series.split(',').count()) >= SeriesIds::MOST {
        return html! {};
    }
    html! {
        details.names open[form.series.is_none()] {
            summary { (language.pick("Add a series", "Acrescentar uma série")) }
            ul { @for series in all.iter().filter(|series| !is_in(&series.name)) {
                li { a href=(address(&series.name).link(view)) { (series.name) }
                    @if let Some(title) = series.title { " " small { (language.pick(title.en, title.pt)) } } }
            } }
        }
    }
}
