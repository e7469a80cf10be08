//! `/status`: how new every dataset is, and how getting newer data went.
use fincore::{
    Date, Span,
    chrono::{DateTime, Utc},
    datasets::{Dataset, Status},
    market::{self, Rhythm},
};
use maud::{Markup, html};

use super::{chart::Period, data_age, language::Language, layout, view::View};

/// The page.
pub(crate) fn status(view: &View, status: &Status, late: &[&str]) -> Markup {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    let stale = status.data.iter().filter(|dataset| dataset.stale).count();
    let content = html! {
        h1 { (say("Status of the data", "Situação dos dados")) }
        p.lead { (summary(view.language, stale, status.total)) }
        @if stale > 0 {
            p.note {
                (say("The operator of this server gets newer data with ", "O operador deste servidor obtém dados mais novos com "))
                a href=(view.path("/docs/guide/keeping-data-fresh")) { code { "finserve sync" } } "."
            }
        }
        @if !late.is_empty() {
            p.note {
                strong.age { (say("Background work has not run when it should: ", "O trabalho em segundo plano não rodou quando devia: ")) }
                (late.join(", ")) "."
            }
        }
        (table(view, status))
        p.note {
            (say("“Due” is the newest day that the publisher must have by now, with its usual delay. For programs: ", "“Previsto” é o dia mais recente que a fonte já deve ter, com seu atraso habitual. Para programas: "))
            a href=(view.path("/api/v1/status")) { code { "/api/v1/status" } }
            ", " a href=(view.path("/health")) { code { "/health" } } "."
        }
    };
    layout::described_page(
        view,
        "/status",
        (
            say("Status of the data", "Situação dos dados"),
            say(
                "How new every series, the registry of companies and the filings of each form are, and when newer data is due.",
                "Quão novos são cada série, o cadastro de companhias e os documentos de cada formulário, e quando há dados mais novos.",
            ),
        ),
        &content,
    )
}

fn summary(language: Language, stale: usize, total: usize) -> String {
    match stale {
        0 => language.pick(
            format!("All {total} datasets are up to date."),
            format!("Todos os {total} conjuntos de dados estão em dia."),
        ),
        1 => language.pick(
            format!("Newer data is due for 1 of {total} datasets."),
            format!("Já deve haver dados mais novos de 1 dos {total} conjuntos."),
        ),
        _ => language.pick(
            format!("Newer data is due for {stale} of {total} datasets."),
            format!("Já deve haver dados mais novos de {stale} dos {total} conjuntos."),
        ),
    }
}

fn table(view: &View, status: &Status) -> Markup {
    let language = view.language;
    let say = |english, portuguese| language.pick(english, portuguese);
    let names = [
        say("Dataset", "Conjunto"),
        say("First", "Primeiro"),
        say("Newest", "Mais recente"),
        say("Due", "Previsto"),
        say("Age", "Idade"),
        say("Rows", "Linhas"),
        say("Last sync", "Última sincronização"),
    ];
    let [dataset_name, first, newest, due, age, rows, sync] = names;
    html! {
        div.scroll tabindex="0" role="region" aria-label=(say("Datasets", "Conjuntos de dados")) {
            table.rows.status {
                thead { tr { @for name in names { th scope="col" { (name) } } } }
                tbody {
                    @for dataset in &status.data { tr {
                        th scope="row" data-label=(dataset_name) {
                            (title(language, dataset)) small { code { (dataset.dataset) } }
                            (holes(view, dataset))
                        }
                        @let period = period(dataset);
                        td.number data-label=(first) { (date(view, period, dataset.first)) }
                        td.number data-label=(newest) { (date(view, period, dataset.held_until())) }
                        td.number data-label=(due) { (date(view, period, dataset.expected)) }
                        td data-label=(age) { (age_of(language, status.today, dataset)) }
                        td.number data-label=(rows) { (language.count(dataset.rows)) }
                        td data-label=(sync) { (last_sync(language, dataset)) }
                    } }
                }
            }
        }
    }
}

/// The days or months that are missing between those that are held.
fn holes(view: &View, dataset: &Dataset) -> Markup {
    let language = view.language;
    let period = period(dataset);
    let span = |hole: &Span| match hole.from == hole.to {
        true => period.of(hole.from, language),
        false => format!("{} – {}", period.of(hole.from, language), period.of(hole.to, language)),
    };
    let spans: Vec<String> = dataset.holes.iter().flatten().map(span).collect();
    html! {
        @if !spans.is_empty() {
            small { strong.age { (language.pick("missing", "faltam")) } " " (spans.join(", ")) }
        }
    }
}

fn period(dataset: &Dataset) -> Period {
    let known = market::known_series().iter().find(|known| known.name == dataset.dataset);
    match known.map(|known| known.rhythm) {
        Some(Rhythm::Monthly) => Period::Month,
        _ => Period::Day,
    }
}

fn date(view: &View, period: Period, date: Option<Date>) -> Markup {
    html! {
        @match date {
            Some(day) => time datetime=(day) { (period.of(day, view.language)) },
            None => "–",
        }
    }
}

/// How old a dataset is, if newer data is due.
fn age_of(language: Language, today: Date, dataset: &Dataset) -> Markup {
    html! {
        @match (dataset.stale, dataset.held_until()) {
            (true, Some(newest)) => strong.age { (data_age::of(period(dataset), today, newest, language)) },
            (true, None) => strong.age { (language.pick("not held", "não disponível")) },
            (false, _) => (language.pick("up to date", "em dia")),
        }
    }
}

fn last_sync(language: Language, dataset: &Dataset) -> Markup {
    let time = |time: DateTime<Utc>| {
        html! { time datetime=(time.to_rfc3339()) { (time.format("%Y-%m-%d %H:%M")) " UTC" } }
    };
    html! {
        @match (dataset.last_success, &dataset.error) {
            (_, Some(error)) => {
                strong.age { (language.pick("failed", "falhou")) }
                @if let Some(tried) = dataset.last_attempt { " " (time(tried)) }
                small { (error) }
            }
            (Some(success), None) => (time(success)),
            (None, None) => (language.pick("never", "nunca")),
        }
        (notes(language, dataset))
    }
}

/// Remarks on the files that were imported last.
fn notes(language: Language, dataset: &Dataset) -> Markup {
    let count = match dataset.notes.len() {
        0 => return html! {},
        1 => language.pick("1 note".to_owned(), "1 observação".to_owned()),
        notes => language.pick(format!("{notes} notes"), format!("{notes} observações")),
    };
    html! {
        details {
            summary { (count) }
            @for note in &dataset.notes { small lang="en" { (note) } }
        }
    }
}

fn title(language: Language, dataset: &Dataset) -> String {
    let portuguese = match &*dataset.dataset {
        "fx" => "Taxas de câmbio, fechamento PTAX",
        "companies" => "Companhias abertas",
        "filings.ipe" => "Avisos, atas e outros documentos eventuais (IPE)",
        "filings.dfp" => "Demonstrações financeiras anuais (DFP)",
        "filings.itr" => "Informações trimestrais (ITR)",
        "filings.fre" => "Formulários de referência (FRE)",
        "filings.fca" => "Formulários cadastrais (FCA)",
        "statements" => "Linhas das demonstrações financeiras (DFP, ITR)",
        series => {
            let known = market::known_series().iter().find(|known| known.name == series);
            known.map_or("", |known| known.title.pt)
        }
    };
    if portuguese.is_empty() {
        return dataset.name.to_string();
    }
    language.pick(&*dataset.name, portuguese).to_owned()
}
