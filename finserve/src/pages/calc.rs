//! `/calc`: the calculators, each with a form, its result, and what that follows from.
use fincore::{
    Currency, Meta, Result, Snapshot,
    calc::{Amount, Percent, Spread},
};
use maud::{Markup, html};

use super::{
    address::Address,
    language::Language,
    layout,
    market::{Range, Subject},
    view::View,
};

mod accumulated;
mod choices;
mod convert;
mod correction;
mod derivation;
mod form;
mod input;
mod real_rate;

use form::{Field, form};
pub(crate) use input::{Given, first_day};
use input::{Reader, Wrong, number, refused};

/// A calculator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Calculator {
    Correction,
    Accumulated,
    Convert,
    RealRate,
}

/// What a calculator's page is.
pub(crate) enum Outcome {
    /// The form, or the result.
    Shown(Markup),
    /// The address of the result, for what another language would read differently.
    Elsewhere(String),
    /// The form with what is wrong about it, and the same in a sentence.
    Wrong(Markup, String),
}

/// A result, and the parameters that lead to it: as the API reads them.
struct Answer {
    state: Vec<(&'static str, String)>,
    content: Markup,
    meta: Meta,
    /// Whether it goes up to the newest figures, because no last day was given.
    is_open: bool,
}

impl Calculator {
    pub(crate) const ALL: [Calculator; 4] = [
        Calculator::Correction,
        Calculator::Accumulated,
        Calculator::Convert,
        Calculator::RealRate,
    ];

    pub(crate) fn path(self) -> &'static str {
        match self {
            Calculator::Correction => "/calc/correction",
            Calculator::Accumulated => "/calc/accumulated",
            Calculator::Convert => "/calc/convert",
            Calculator::RealRate => "/calc/real-rate",
        }
    }

    fn title(self, view: &View) -> &'static str {
        let say = |english, portuguese| view.language.pick(english, portuguese);
        match self {
            Calculator::Correction => say("Correct an amount", "Corrigir um valor"),
            Calculator::Accumulated => say("Accumulated rate", "Taxa acumulada"),
            Calculator::Convert => say("Convert currencies", "Converter moedas"),
            Calculator::RealRate => say("Real interest", "Juros reais"),
        }
    }

    fn about(self, view: &View) -> &'static str {
        let say = |english, portuguese| view.language.pick(english, portuguese);
        match self {
            Calculator::Correction => say(
                "What an amount of one day is on another: by a price index, the Selic, or a percentage of the CDI plus a spread.",
                "Quanto um valor de uma data vale em outra: por um índice de preços, pela Selic ou por um percentual do CDI mais um spread.",
            ),
            Calculator::Accumulated => say(
                "What a series added up to between two days, compounded.",
                "Quanto uma série acumulou entre duas datas, em capitalização composta.",
            ),
            Calculator::Convert => say(
                "An amount in another currency at the closing rates of a day (PTAX), through the real.",
                "Um valor em outra moeda pelas cotações de fechamento de um dia (PTAX), passando pelo real.",
            ),
            Calculator::RealRate => say(
                "What interest left after inflation, for a period and per year.",
                "O que os juros deixaram depois da inflação, no período e ao ano.",
            ),
        }
    }

    /// The field that names a series.
    fn series(self) -> &'static str {
        match self {
            Calculator::Correction => "index",
            Calculator::Accumulated => "series",
            Calculator::Convert => "from",
            Calculator::RealRate => "interest",
        }
    }

    fn fields(self, snapshot: &Snapshot, view: &View) -> Result<Vec<Field>> {
        match self {
            Calculator::Correction => correction::fields(snapshot, view.language),
            Calculator::Accumulated => accumulated::fields(snapshot, view.language),
            Calculator::Convert => convert::fields(snapshot, view.language),
            Calculator::RealRate => real_rate::fields(snapshot, view.language),
        }
    }

    /// The result; nothing if fields are wrong, which the reader then says.
    fn answer(
        self,
        snapshot: &Snapshot,
        view: &View,
        reader: &mut Reader<'_>,
    ) -> Result<Option<Answer>> {
        match self {
            Calculator::Correction => correction::answer(snapshot, view, reader),
            Calculator::Accumulated => accumulated::answer(snapshot, view, reader),
            Calculator::Convert => convert::answer(snapshot, view, reader),
            Calculator::RealRate => real_rate::answer(snapshot, view, reader),
        }
    }

    /// The endpoint that answers the same.
    fn endpoint(self, state: &[(&'static str, String)]) -> Address {
        Address::at(format!("/api/v1{}", self.path())).with_all(state)
    }
}

/// The list of calculators.
pub(crate) fn calculators(view: &View) -> Markup {
    let title = view.language.pick("Calculators", "Calculadoras");
    let content = html! {
        h1 { (title) }
        p.lead { (view.language.pick(
            "Exact decimals, official figures, and every step shown. A result has an address of its own that can be shared.",
            "Decimais exatos, números oficiais e cada passo à vista. Cada resultado tem um endereço próprio, que pode ser compartilhado.",
        )) }
        div.cards {
            @for calculator in Calculator::ALL {
                article.card {
                    h2 { a href=(view.link(calculator.path())) { (calculator.title(view)) } }
                    p { (calculator.about(view)) }
                }
            }
        }
    };
    layout::page(view, "/calc", title, &content)
}

/// The page of a calculator: its form, and the result of what was filled in.
pub(crate) fn calculator(
    calculator: Calculator,
    snapshot: &Snapshot,
    mut view: View,
    given: &Given,
) -> Result<Outcome> {
    let mut reader = Reader::new(given, view.language);
    let answered = match given.is_empty() {
        true => Ok(None),
        false => calculator.answer(snapshot, &view, &mut reader),
    };
    let answer = match answered {
        Ok(answer) => answer,
        Err(err) => {
            reader.wrongs.push(refused(err, calculator.series())?);
            None
        }
    };
    let wrongs: Vec<Wrong> =
        reader.wrongs.into_iter().map(|wrong| bounded(wrong, given, view.language)).collect();
    if let Some(answer) = &answer {
        // In every language, the address of the same result: numbers are written differently in each.
        let address = Address::at(calculator.path()).with_all(&answer.state);
        if given.is_ambiguous() {
            return Ok(Outcome::Elsewhere(address.link(&view)));
        }
        view.here = Some(address.text());
    }
    let fields = calculator.fields(snapshot, &view)?;
    let title = calculator.title(&view);
    let content = html! {
        p.crumbs { a href=(view.link("/calc")) { (view.language.pick("Calculators", "Calculadoras")) } " / " (title) }
        h1 { (title) }
        p.lead { (calculator.about(&view)) }
        (form(&view, calculator.path(), &fields, given, &wrongs))
        @if let Some(answer) = &answer { (result(&view, calculator, answer)) }
    };
    let page = layout::page(&view, calculator.path(), title, &content);
    Ok(match first(&wrongs) {
        Some(message) => Outcome::Wrong(page, message),
        None => Outcome::Shown(page),
    })
}

/// What is wrong with a number, by the bounds that the library tells.
fn bounded(wrong: Wrong, given: &Given, language: Language) -> Wrong {
    let field = wrong.field.as_deref().unwrap_or_default();
    let Some(typed) = given.get(field) else { return wrong };
    let text = number(typed, language);
    let refused = match field {
        "amount" => text.parse::<Amount>().err(),
        "percent" => text.parse::<Percent>().err(),
        "spread" => text.parse::<Spread>().err(),
        _ => None,
    };
    match refused {
        Some(err) => {
            let message = err.to_string().replacen(&format!("{text:?}"), &format!("{typed:?}"), 1);
            Wrong { message, translated: false, ..wrong }
        }
        None => wrong,
    }
}

fn first(wrongs: &[Wrong]) -> Option<String> {
    let wrong = wrongs.first()?;
    Some(match &wrong.field {
        Some(field) => format!("parameter {field:?}: {}", wrong.message),
        None => wrong.message.clone(),
    })
}

fn result(view: &View, calculator: Calculator, answer: &Answer) -> Markup {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    let address = Address::at(calculator.path()).with_all(&answer.state);
    html! {
        section.result aria-labelledby="result" {
            h2 id="result" { (say("Result", "Resultado")) }
            (answer.content)
            p.note { (say("Source: ", "Fonte: ")) (answer.meta.source) ", " (answer.meta.licence) }
            @if answer.is_open && answer.meta.stale == Some(true) {
                p.note { strong.age { (say(
                    "This goes up to the newest figures here, not to today: the source should have published newer ones by now.",
                    "Vai até os dados mais recentes daqui, não até hoje: a fonte já deveria ter publicado mais novos.",
                )) } }
            }
        }
        section aria-labelledby="share" {
            h2 id="share" { (say("Share and repeat", "Compartilhar e repetir")) }
            p { a id="address" href=(address.link(view)) { (say("Address of this result", "Endereço deste resultado")) } }
            (layout::command(view, "curl", &calculator.endpoint(&answer.state).open_command(view)))
        }
    }
}

/// The form that converts amounts of a currency, for its page.
pub(crate) fn convert_form(snapshot: &Snapshot, view: &View, currency: Currency) -> Result<Markup> {
    let fields = convert::fields(snapshot, view.language)?;
    let given = [("amount", "100"), ("from", currency.as_str()), ("to", Currency::BRL.as_str())];
    let given = Given::of(given.map(|(name, value)| (name, Some(value.to_owned()))));
    let title = view.language.pick("Convert amounts", "Converter valores");
    Ok(html! {
        section aria-labelledby="convert" {
            h2 id="convert" { (title) }
            (form(view, Calculator::Convert.path(), &fields, &given, &[]))
        }
    })
}

/// Where the figures of a series can be compounded, for its page.
pub(crate) fn compound_link(view: &View, subject: &Subject) -> Markup {
    let Subject::Series(series) = subject else { return html! {} };
    if !choices::is_compounded(series) {
        return html! {};
    }
    let (_, newest) = subject.days();
    let Some(from) = Range::Year.start(newest, subject.period()) else { return html! {} };
    let address = Address::at(Calculator::Accumulated.path());
    let address = address.with("series", Some(&series.name)).with("from", Some(from));
    html! {
        p { a href=(address.link(view)) { (view.language.pick(
            "What it accumulated over any period",
            "Quanto acumulou em qualquer período",
        )) } }
    }
}

/// The name of a parameter with its value, if it has one.
fn pair(name: &'static str, value: Option<impl ToString>) -> Option<(&'static str, String)> {
    value.map(|value| (name, value.to_string()))
}
