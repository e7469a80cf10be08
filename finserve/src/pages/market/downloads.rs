//! The same figures for programs: links, and the command line of exactly this view.
use maud::{Markup, html};

use super::history::{ROWS, Shown};
use crate::pages::layout;

/// The most rows that the API gives at once.
const MOST_ROWS: &str = "10000";

impl Shown<'_> {
    pub(super) fn downloads(&self) -> Markup {
        let view = self.known.view;
        let say = |english, portuguese| view.language.pick(english, portuguese);
        let Some((from, to)) = self.days else { return html! {} };
        let [from, to] = [from, to].map(|date| date.map(|date| date.to_string()));
        let of = |more: &[(&str, &str)]| {
            let from = from.as_deref().map(|from| ("from", from));
            let to = to.as_deref().map(|to| ("to", to));
            let query: Vec<_> = from.into_iter().chain(to).chain(more.iter().copied()).collect();
            view.path(&self.known.subject.endpoint(&query))
        };
        let (rows, skipped) =
            (ROWS.to_string(), self.asked.page.saturating_sub(1) * u64::from(ROWS));
        let skipped = skipped.to_string();
        let mut exact = vec![("limit", rows.as_str())];
        if skipped != "0" {
            exact.push(("offset", skipped.as_str()));
        }
        let line = view.curl(&of(&exact));
        html! {
            section aria-labelledby="data" {
                h2 id="data" { (say("The same for programs", "O mesmo para programas")) }
                (layout::command(view, "curl", &line))
                p.actions {
                    a.button href=(of(&[("limit", MOST_ROWS)])) { "JSON" }
                    a.button href=(of(&[("limit", MOST_ROWS), ("format", "csv")])) { (say("CSV (Platinum plan)", "CSV (plano Platinum)")) }
                }
                p.note { (say(
                    "The API knows you by the key in the X-API-Key header, not by being signed in here: a browser opens these links on the Free plan.",
                    "A API reconhece você pela chave no cabeçalho X-API-Key, não por estar conectado aqui: um navegador abre estes links no plano Free.",
                )) }
            }
        }
    }
}
