//! The same figures for programs: links, and the command line of exactly this view.
use maud::{Markup, html};

use super::history::{ROWS, Shown};
use crate::pages::layout;

/// The most rows that the API gives at once.
const MOST_ROWS: u32 = 10_000;

impl Shown<'_> {
    pub(super) fn downloads(&self) -> Markup {
        let view = self.known.view;
        let say = |english, portuguese| view.language.pick(english, portuguese);
        let Some((from, to)) = self.days else { return html! {} };
        let all = self.known.subject.endpoint().with("from", from).with("to", to);
        let skipped = self.asked.page.saturating_sub(1) * u64::from(ROWS);
        let skipped = (skipped > 0).then_some(skipped);
        let line = all.clone().with("limit", Some(ROWS)).with("offset", skipped).open_command(view);
        let json = all.with("limit", Some(MOST_ROWS));
        let csv = json.clone().with("format", Some("csv"));
        html! {
            section aria-labelledby="data" {
                h2 id="data" { (say("The same for programs", "O mesmo para programas")) }
                (layout::command(view, "curl", &line))
                p.actions {
                    a.button href=(json.plain_link(view)) { "JSON" }
                    a.button href=(csv.plain_link(view)) { (say("CSV (Platinum plan)", "CSV (plano Platinum)")) }
                }
                p.note { (say(
                    "The API knows you by the key in the X-API-Key header, not by being signed in here: a browser opens these links on the Free plan.",
                    "A API reconhece você pela chave no cabeçalho X-API-Key, não por estar conectado aqui: um navegador abre estes links no plano Free.",
                )) }
            }
        }
    }
}
