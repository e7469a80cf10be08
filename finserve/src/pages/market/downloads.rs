//! The figures for programs: files, and the command line of exactly this view.
use fincore::{Feature, Limit, Plan, market::History};
use maud::{Markup, html};

use super::history::{ROWS, Shown};
use crate::pages::{
    layout,
    page_url::Address,
    spreadsheet::{self, Sheet, Shows},
    view::View,
};

impl Shown<'_> {
    pub(super) fn downloads(&self) -> Markup {
        let view = self.known.view;
        let Some((from, to)) = self.days.filter(|_| !self.points.is_empty()) else {
            return html! {};
        };
        let [frequency, units] = self.asked.transformed.parameters();
        let base = self.transformed.as_ref().and_then(|history| history.base);
        let days = |address: Address| {
            let address = address.with(frequency.0, frequency.1).with(units.0, units.1);
            address.with("base", base).with("from", from).with("to", to)
        };
        let skipped = self.asked.page.saturating_sub(1) * u64::from(ROWS);
        let skipped = (skipped > 0).then_some(skipped);
        let line = days(self.known.subject.endpoint()).with("limit", Some(ROWS));
        let line = line.with("offset", skipped).open_command(view);
        let most = History { limit: Limit::MAX, ..History::default() }.limit;
        let json = days(self.known.subject.download()).with("limit", Some(most.get()));
        let rows = days(self.known.subject.endpoint());
        let is_plain = frequency.1.is_none() && units.1.is_none();
        let value = match is_plain {
            true => self.known.subject.current(),
            // Transformed rows have no other address of their newest figure.
            false => rows.clone().with("limit", Some(1)),
        };
        let rows = Some(rows.with("limit", Some(most.get())));
        files(view, &line, &json, &Sheet::of(value, Shows::Number, rows))
    }
}

/// The command line of a view, its rows as files, and how a spreadsheet shows them.
pub(super) fn files(view: &View, line: &str, json: &Address, sheet: &Sheet) -> Markup {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    let csv = json.clone().with("format", Some("csv"));
    let has_csv =
        view.visitor.as_ref().is_some_and(|holder| holder.caller.plan.includes(Feature::Csv));
    let csv_needs =
        Plan::ALL.into_iter().find(|plan| plan.includes(Feature::Csv)).filter(|_| !has_csv);
    html! {
        section aria-labelledby="data" {
            h2 id="data" { (say("Use this in a program", "Use em um programa")) }
            (layout::command(view, "curl", line))
            p.actions {
                a.button href=(json.plain_link(view)) { "JSON" }
                a.button href=(csv.plain_link(view)) {
                    "CSV" @if let Some(plan) = csv_needs { " (" (say("plan ", "plano ")) (plan.name()) ")" }
                }
            }
            (spreadsheet::panel(view, sheet))
        }
    }
}
