//! `/calc`: the calculators, each with a form, its result, and what that follows from.
use fincore::{Currency, Meta, Result, Snapshot};
use maud::{Markup, html};

use super::{
    language::Language,
    layout,
    market::{Range, Subject},
    page_url::Address,
    spreadsheet::{self, Sheet, Shows},
    view::View,
};

mod accumulated;
mod convert;
mod correction;
mod derivation;
mod form;
mod form_choices;
mod rate;
mod real_rate;
mod typed_input;

use form::{Field, form};
pub(crate) use typed_input::{Given, first_day};
use typed_input::{Reader, refused};

/// A calculator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Calculator {
    Correction,
    Accumulated,
    Convert,
    RealRate,
    Rate,
}

/// The state of a calculator's page.
pub(crate) enum Outcome {
    /// The form, or the result.
    Shown(Markup),
    /// The address of the result, for what another language would read differently.
    Elsewhere(String),
    /// The form with what is wrong about it.
    Wrong(Markup),
}

/// A result, and the parameters that lead to it: as the API reads them.
struct Answer {
    state: Vec<(&'static str, String)>,
    content: Markup,
    /// Where its figures come from; none if it needs none.
    meta: Option<Meta>,
    /// Whether it goes up to the newest figures, because no last day was given.
    is_open: bool,
}

impl Calculator {
    /// The endpoint of a result with the steps that it follows from.
    fn steps_link(self, state: &State, view: &View) -> String {
        let mut all = state.clone();
        all.push(("steps", "true".into()));
        self.endpoint(&all).plain_link(view)
    }

    pub(crate) const ALL: [Calculator; 5] = [
        Calculator::Correction,
        Calculator::Accumulated,
        Calculator::Convert,
        Calculator::RealRate,
        Calculator::Rate,
    ];

    pub(crate) fn path(self) -> &'static str {
        match self {
            Calculator::Correction => "/calc/correction",
            Calculator::Accumulated => "/calc/accumulated",
            Calculator::Convert => "/calc/convert",
            Calculator::RealRate => "/calc/real-rate",
            Calculator::Rate => "/calc/rate",
        }
    }

    fn title(self, view: &View) -> &'static str {
        let say = |english, portuguese| view.language.pick(english, portuguese);
        match self {
            Calculator::Correction => say("Correct an amount", "Corrigir um valor"),
            Calculator::Accumulated => say("Accumulated rate", "Taxa acumulada"),
            Calculator::Convert => say("Convert currencies", "Converter moedas"),
            Calculator::RealRate => say("Real interest", "Juros reais"),
            Calculator::Rate => say("Convert a rate", "Converter uma taxa"),
        }
    }

    fn about(self, view: &View) -> &'static str {
        let say = |english, portuguese| view.language.pick(english, portuguese);
        match self {
            Calculator::Correction => say(
                "Adjust a past amount for inflation, Selic or CDI: by a price index, or by a percentage of the CDI plus a spread.",
                "Atualize um valor passado pela inflação, pela Selic ou pelo CDI: por um índice de preços, ou por um percentual do CDI mais um spread.",
            ),
            Calculator::Accumulated => say(
                "How much a series accumulated between two days, compounded.",
                "Quanto uma série acumulou entre duas datas, em capitalização composta.",
            ),
            Calculator::Convert => say(
                "Convert an amount to another currency, through the real, at the PTAX closing rates of a day.",
                "Converta um valor para outra moeda, passando pelo real, pelas cotações PTAX de fechamento de um dia.",
            ),
            Calculator::RealRate => say(
                "What interest earned after inflation, over a period and per year.",
                "Quanto os juros renderam acima da inflação, no período e ao ano.",
            ),
            Calculator::Rate => say(
                "Convert an interest rate between years of 252, 360 or 365 days, months and business days, by compound interest.",
                "Converta uma taxa de juros entre anos de 252, 360 ou 365 dias, meses e dias úteis, em juros compostos.",
            ),
        }
    }

    /// The field that names a series, or else the first choice.
    fn series(self) -> &'static str {
        match self {
            Calculator::Correction => "index",
            Calculator::Accumulated => "series",
            Calculator::Convert | Calculator::Rate => "from",
            Calculator::RealRate => "interest",
        }
    }

    fn fields(self, snapshot: &Snapshot, view: &View) -> Result<Vec<Field>> {
        match self {
            Calculator::Correction => correction::fields(snapshot, view.language),
            Calculator::Accumulated => accumulated::fields(snapshot, view.language),
            Calculator::Convert => convert::fields(snapshot, view.language),
            Calculator::RealRate => real_rate::fields(snapshot, view.language),
            Calculator::Rate => Ok(rate::fields(view.language)),
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
            Calculator::Rate => rate::answer(view, reader),
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
            "Exact decimals, official figures, and every step shown. Each result has its own link, which you can share.",
            "Decimais exatos, números oficiais e cada passo à vista. Cada resultado tem um link próprio, que pode ser compartilhado.",
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
    let about = view.language.pick(
        "Calculators with the official figures of Brazil: amounts adjusted by IPCA, IGP-M or CDI, accumulated rates, currencies, real interest, rates of other periods.",
        "Calculadoras com os números oficiais do Brasil: valores corrigidos por IPCA, IGP-M ou CDI, taxas acumuladas, moedas, juro real, taxas de outros períodos.",
    );
    layout::described_page(view, "/calc", (title, about), &content)
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
    let wrongs = reader.wrongs;
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
    let about = calculator.about(&view);
    let page = layout::described_page(&view, calculator.path(), (title, about), &content);
    Ok(if wrongs.is_empty() { Outcome::Shown(page) } else { Outcome::Wrong(page) })
}

fn result(view: &View, calculator: Calculator, answer: &Answer) -> Markup {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    let address = Address::at(calculator.path()).with_all(&answer.state);
    html! {
        section.result aria-labelledby="result" {
            h2 id="result" { (say("Result", "Resultado")) }
            (answer.content)
            @if let Some(meta) = &answer.meta {
                p.note { (say("Source: ", "Fonte: ")) (meta.source) ", " (meta.licence) }
            }
            @if answer.is_open && answer.meta.as_ref().is_some_and(|meta| meta.stale == Some(true)) {
                p.note { strong.age { (say(
                    "This result ends at our newest figures, not today: our copy ends there, and newer figures are due.",
                    "O resultado vai até os nossos dados mais recentes, não até hoje: a nossa cópia termina ali, e já deve haver dados mais novos.",
                )) } }
            }
        }
        section aria-labelledby="share" {
            h2 id="share" { (say("Share and repeat", "Compartilhar e repetir")) }
            p { a id="address" href=(address.link(view)) { (say("Link to this result", "Link deste resultado")) } }
            (layout::command(view, "curl", &calculator.endpoint(&answer.state).open_command(view)))
            (spreadsheet::panel(view, &Sheet::of(calculator.endpoint(&answer.state), Shows::Number, None)))
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
    if !form_choices::is_compounded(series) {
        return html! {};
    }
    let (_, newest) = subject.days();
    let Some(from) = Range::Year.start(newest, subject.period()) else { return html! {} };
    let address = Address::at(Calculator::Accumulated.path());
    let address = address.with("series", Some(&series.name)).with("from", Some(from));
    html! {
        p { a href=(address.link(view)) { (view.language.pick(
            "How much it accumulated over any period",
            "Quanto acumulou em qualquer período",
        )) } }
    }
}

/// The parameters of a result that have a value.
type State = Vec<(&'static str, String)>;

/// The name of a parameter with its value, if it has one.
fn pair(name: &'static str, value: Option<impl ToString>) -> Option<(&'static str, String)> {
    value.map(|value| (name, value.to_string()))
}

/// The state of a result, of the parameters that have a value.
fn state<const N: usize>(pairs: [Option<(&'static str, String)>; N]) -> State {
    pairs.into_iter().flatten().collect()
}

/// The figure that a calculator was asked for, as people and programs read it, and what follows it.
fn figure(language: Language, value: &impl std::fmt::Display, unit: impl maud::Render) -> Markup {
    html! { p.figure { data value=(value) { (language.written(value)) } " " (unit) } }
}
