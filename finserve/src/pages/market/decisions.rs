//! `/market/selic/decisions`: what the Copom decided, meeting by meeting, and when it meets next.
use fincore::{
    Date, Feature, Limit, Result, Snapshot,
    market::{self, Decision, Decisions, History, Meeting},
};
use maud::{Markup, html};

use super::{Subject, downloads, history::upgrade_of};
use crate::pages::{
    language::Language,
    layout,
    page_url::Address,
    spreadsheet::{Sheet, Shows},
    structured_data::DatasetPage,
    view::View,
};

/// Where the page is.
const PATH: &str = "/market/selic/decisions";

/// The page of decisions, as far as the plan reaches.
pub(crate) fn decisions(snapshot: &Snapshot, view: &View) -> Result<Markup> {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    let all = History { limit: Limit::MAX, ..History::default() };
    let found = market::selic_decisions(snapshot, all)?;
    let prompt = snapshot.plan().need(Feature::HistoricalData).err();
    let title = say("Decisions of the Copom", "Decisões do Copom");
    let about = say(
        "The Selic target before and after each meeting of Brazil's monetary policy committee (Copom), and the days of the next meetings.",
        "A meta da taxa Selic antes e depois de cada reunião do Comitê de Política Monetária (Copom) e as datas das próximas reuniões.",
    );
    let content = html! {
        p.crumbs {
            a href=(view.link("/market")) { (say("Market", "Mercado")) } " / "
            a href=(view.link("/market/selic")) { "selic" } " / " (say("decisions", "decisões"))
        }
        h1 { (title) }
        p.lead { (about) }
        @if found.page.meta.stale == Some(true) {
            p.note { (say(
                "These figures are out of date: the decision of the last meeting may be missing.",
                "Estes dados estão desatualizados: a decisão da última reunião pode estar faltando.",
            )) }
        }
        (upcoming(view, &found.upcoming))
        @if let Some(prompt) = &prompt { (upgrade_of(view, prompt)) }
        (table(view, &found))
        (files(view))
        p.note {
            (say("Source: ", "Fonte: ")) (found.page.meta.source) " · " (found.page.meta.licence) ". "
            (say(
                "Changes whose meeting is not in the calendar have no date of a meeting.",
                "As mudanças cuja reunião não está no calendário ficam sem data de reunião.",
            ))
        }
        (described(view, title, about))
    };
    Ok(layout::described_page(view, PATH, (title, about), &content))
}

/// From the page of the Selic to this one.
pub(crate) fn decisions_link(view: &View, subject: &Subject) -> Markup {
    html! {
        @if subject.name() == "selic" {
            p { a href=(view.link(PATH)) { (view.language.pick(
                "Decisions of the Copom, and its next meetings",
                "Decisões do Copom e as próximas reuniões",
            )) } }
        }
    }
}

fn upcoming(view: &View, meetings: &[Meeting]) -> Markup {
    let language = view.language;
    html! {
        section aria-labelledby="next" {
            h2 id="next" { (language.pick("Next meetings", "Próximas reuniões")) }
            @if meetings.is_empty() {
                p { (language.pick("The calendar has no further meetings.", "O calendário não tem outras reuniões.")) }
            } @else {
                ul { @for meeting in meetings {
                    li {
                        (day(meeting.first_day, language)) (language.pick(" and ", " e ")) (day(meeting.second_day, language))
                    }
                } }
                p.note { (language.pick(
                    "The decision is published on the second day at about 18:30 (Brasília) and is in force from the next day.",
                    "A decisão é divulgada no segundo dia, por volta das 18h30 (Brasília), e vale a partir do dia seguinte.",
                )) }
            }
        }
    }
}

fn table(view: &View, found: &Decisions) -> Markup {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    html! {
        section aria-labelledby="decided" {
            h2 id="decided" { (say("Decided", "Decididas")) }
            @if found.page.data.is_empty() {
                p { (say("There are no decisions.", "Não há decisões.")) }
            } @else {
                div.scroll tabindex="0" {
                    table.history {
                        thead { tr {
                            th scope="col" { (say("Meeting", "Reunião")) }
                            th scope="col" { (say("In force from", "Vigência")) }
                            th.count scope="col" { (say("Before, % a year", "Antes, % ao ano")) }
                            th.count scope="col" { (say("After, % a year", "Depois, % ao ano")) }
                            th.count scope="col" { (say("Change, points", "Mudança, p.p.")) }
                        } }
                        tbody { @for row in &found.page.data { (line(row, view.language)) } }
                    }
                }
            }
        }
    }
}

fn line(row: &Decision, language: Language) -> Markup {
    html! {
        tr {
            th scope="row" {
                @match row.date {
                    Some(date) => { (day(date, language)) }
                    None => { span title=(language.pick("not in the calendar", "fora do calendário")) { "–" } }
                }
            }
            td { (day(row.effective_from, language)) }
            td.count { (language.number(row.before)) }
            td.count { (language.number(row.after)) }
            td.count { (signed(row, language)) }
        }
    }
}

/// The change with its sign; a target that was kept has none.
fn signed(row: &Decision, language: Language) -> String {
    let sign = if row.after > row.before { "+" } else { "" };
    format!("{sign}{}", language.written(&row.change))
}

fn day(date: Date, language: Language) -> Markup {
    html! { time datetime=(date) { (language.date(date)) } }
}

/// The files for programs.
fn files(view: &View) -> Markup {
    let line = Address::at("/api/v1/market/selic/decisions").open_command(view);
    let most = History { limit: Limit::MAX, ..History::default() }.limit;
    let json = Address::at("/market/download/selic/decisions").with("limit", Some(most.get()));
    let rows = Address::at("/api/v1/market/selic/decisions");
    let value = rows.clone().with("field", Some("after")).with("limit", Some(1));
    downloads::files(
        view,
        &line,
        &json,
        &Sheet::of(value, Shows::Number, Some(rows.with("limit", Some(most.get())))),
    )
}

fn described(view: &View, name: &str, about: &str) -> Markup {
    let (creator, endpoint) = ("Banco Central do Brasil", "/api/v1/market/selic/decisions");
    DatasetPage { path: PATH, name, about, creator, endpoint }.describe(view)
}
