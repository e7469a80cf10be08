//! From when to when filings are held, beside every list of them.
use fincore::{Date, filings::FormCoverage};
use maud::{Markup, html};

use crate::pages::{data_age, view::View};

/// From when to when event documents are held, which are most of what companies file, and their age if newer ones are due.
pub(crate) fn coverage_note(view: &View, event_documents: &FormCoverage, today: Date) -> Markup {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    let day = |day: Date| html! { time datetime=(day) { (view.language.date(day)) } };
    html! {
        p.note.coverage {
            @match event_documents.span {
                Some(span) => {
                    (say("Notices and minutes are held from ", "Avisos e atas disponíveis de "))
                    (day(span.from)) (say(" to ", " a ")) (day(span.to))
                    @if event_documents.stale {
                        " · " strong.age { (data_age::days(today, span.to, view.language)) }
                    }
                }
                None => (say("No file of notices and minutes is held whole.", "Não há nenhum arquivo completo de avisos e atas.")),
            }
            " · " a href=(view.link("/status")) { (say("Status of the data", "Situação dos dados")) }
        }
    }
}
