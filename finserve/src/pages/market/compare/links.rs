//! From the page of a series to its comparison with others.
use fincore::{
    Result, Snapshot,
    market::{self, ListedSeries, SeriesList},
};
use maud::{Markup, html};

use super::PATH;
use crate::pages::{
    market::{FIRST, Group, series_or_pair::Subject},
    page_url::Address,
    view::View,
};

/// The most peers that are linked; the form has all series.
const MOST: usize = 4;

/// Links to the comparisons of a series with some of its kind, and a form for any other. A currency is compared by the
/// series of its sell side, where that is held.
pub(crate) fn compare_links(snapshot: &Snapshot, view: &View, subject: &Subject) -> Result<Markup> {
    let mut all = market::series_list(snapshot, SeriesList::default())?.data.into_vec();
    all.sort_by_key(|series| {
        FIRST.iter().position(|first| series.name == *first).unwrap_or(FIRST.len())
    });
    let own = match subject {
        Subject::Series(series) => series.name.to_string(),
        Subject::Pair(covered) => format!("{}-sell", covered.pair.base).to_ascii_lowercase(),
    };
    let Some(series) = all.iter().find(|series| series.name == own) else { return Ok(html! {}) };
    let group = Group::of(series);
    let others = || all.iter().filter(|other| other.number != series.number);
    let is_peer = |other: &&ListedSeries| {
        Group::of(other) == group
            && other.rhythm == series.rhythm
            && other.unit.map(|unit| unit.en) == series.unit.map(|unit| unit.en)
    };
    let language = view.language;
    let title = |series: &ListedSeries| {
        series.title.map_or_else(
            || series.name.to_string(),
            |title| language.pick(title.en, title.pt).to_owned(),
        )
    };
    Ok(html! {
        section.compare aria-labelledby="compare" {
            h2 id="compare" { (language.pick("Compare with…", "Comparar com…")) }
            @if others().any(|other| is_peer(&other)) {
                p.actions { @for other in others().filter(is_peer).take(MOST) {
                    a.button href=(address(group, &own, &other.name).link(view)) { (other.name) }
                } }
            }
            form.days method="get" action=(view.path(PATH)) {
                @if view.chosen { input type="hidden" name="lang" value=(view.language.code()); }
                label.series { (language.pick("Another series", "Outra série"))
                    select name="series" { @for other in others() {
                        option value=(format!("{own},{}", other.name)) { (title(other)) }
                    } }
                }
                button { (language.pick("Compare", "Comparar")) }
            }
        }
    })
}

/// The comparison of two series of a kind, in the units in which they are compared.
fn address(group: Group, one: &str, other: &str) -> Address {
    let address = Address::at(PATH).with("series", Some(format!("{one},{other}")));
    match group {
        Group::Prices => address.with("units", Some("accumulated_12m")),
        Group::Exchange => address.with("frequency", Some("month")).with("units", Some("index")),
        Group::Activity => address.with("units", Some("percent_year_ago")),
        Group::Interest | Group::Other => address,
    }
}
