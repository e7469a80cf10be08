//! `/market`: every series and the main currencies, with a small curve each.
use fincore::{
    Decimal, Pair, Result, Snapshot,
    market::{self, FxPair, FxPairs, ListedSeries, NewerSide, SeriesList},
    plans::RECENT_DAYS,
};
use maud::{Markup, html};

use super::{
    chart::sparkline::sparkline,
    data_age, layout,
    page_url::Address,
    spreadsheet::{self, Cell, Sheet, Shows},
    view::View,
};

mod compare;
mod decisions;
mod downloads;
mod history;
mod newer_side;
mod newest_figure;
mod plan_reach;
mod range;
mod series_or_pair;
mod transformation_choices;
mod transformed_history;

pub(crate) use compare::{
    ComparisonAsked, ComparisonForm, compare_links, comparison, wrong_comparison,
};
pub(crate) use decisions::{decisions, decisions_link};
pub(crate) use history::{Asked, HistoryForm, history, wrong_history};
pub(crate) use newer_side::newer_side_notes;
pub(crate) use range::Range;
use series_or_pair::origin_name;
pub(crate) use series_or_pair::{Subject, has_few_days, slug};
pub(crate) use transformation_choices::Transformed;

/// Currencies that have a line of their own, where they have quotes.
const MAIN: [&str; 10] = ["USD", "EUR", "GBP", "JPY", "CHF", "CAD", "AUD", "CNY", "ARS", "CLP"];

/// Series that most people look for, which come first in their group.
const FIRST: [&str; 5] = ["selic", "cdi", "ipca", "igp-m", "inpc"];

/// The groups of series.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Group {
    Interest,
    Prices,
    Activity,
    Exchange,
    Other,
}

impl Group {
    const ALL: [Group; 5] =
        [Group::Interest, Group::Prices, Group::Activity, Group::Exchange, Group::Other];

    fn of(series: &ListedSeries) -> Group {
        let is_price = ["ipca", "igp", "inpc"].iter().any(|start| series.name.starts_with(start));
        match series.unit.map(|unit| unit.en) {
            Some(_) if is_price => Group::Prices,
            Some("BRL per unit") => Group::Exchange,
            Some(unit) if unit.starts_with("percent") => Group::Interest,
            Some(_) => Group::Activity,
            None => Group::Other,
        }
    }

    fn name(self, view: &View) -> &'static str {
        let say = |english, portuguese| view.language.pick(english, portuguese);
        match self {
            Group::Interest => say("Interest rates", "Juros"),
            Group::Prices => say("Prices", "Preços"),
            Group::Activity => say("Activity and credit", "Atividade e crédito"),
            Group::Exchange => say("Exchange rates as series", "Câmbio em séries"),
            Group::Other => say("Other series", "Outras séries"),
        }
    }
}

/// A line of the page.
struct Line {
    subject: Subject,
    value: Decimal,
    age: Option<String>,
    curve: Markup,
    newer: Vec<NewerSide>,
    /// The origin of the value, where it was not published.
    origin: Option<&'static str>,
}

/// The page of all series and currencies.
pub(crate) fn market(snapshot: &Snapshot, view: &View) -> Result<Markup> {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    let mut series = market::series_list(snapshot, SeriesList::default())?.data.into_vec();
    series.sort_by_key(|series| {
        FIRST.iter().position(|first| series.name == *first).unwrap_or(FIRST.len())
    });
    let pairs = market::fx_pairs(snapshot, FxPairs::default())?.data.into_vec();
    let main = |pair: Pair| MAIN.iter().position(|code| *code == pair.base.as_str());
    let mut currencies: Vec<&FxPair> =
        pairs.iter().filter(|all| main(all.pair).is_some()).collect();
    currencies.sort_by_key(|covered| (has_few_days(covered), main(covered.pair)));
    let mut lines = Vec::new();
    for covered in currencies {
        lines.extend(line(snapshot, view, Subject::Pair(covered.clone()))?);
    }
    let currencies = lines;
    let mut groups: Vec<(Group, Vec<Line>)> = Group::ALL.map(|group| (group, Vec::new())).into();
    for series in series {
        let group = Group::of(&series);
        let Some(line) = line(snapshot, view, Subject::Series(Box::new(series)))? else { continue };
        if let Some((_, lines)) = groups.iter_mut().find(|(of, _)| *of == group) {
            lines.push(line);
        }
    }
    let content = html! {
        h1 { (say("Market", "Mercado")) }
        p.lead { (say(
            "Every central bank series that we hold, and the main currencies: the newest figure and the twelve months before it.",
            "Todas as séries do Banco Central que temos e as principais moedas: o valor mais recente e os doze meses anteriores.",
        )) }
        (table(view, "currencies", say("Currencies", "Moedas"), &currencies))
        (others(view, &pairs))
        @for (at, (group, lines)) in groups.iter().enumerate() {
            @if !lines.is_empty() { (table(view, &format!("group-{at}"), group.name(view), lines)) }
        }
        (spreadsheet::panel(view, &sheet()))
        p.note {
            (say("Figures that show their age are out of date. ", "Valores que mostram a idade estão desatualizados. "))
            a href=(view.link("/market/compare")) { (say("Compare series", "Comparar séries")) }
            " · " a href=(view.link("/calc")) { (say("Calculators", "Calculadoras")) }
            " · " a href=(view.path("/api/v1/market/series")) { (say("All series as JSON", "Todas as séries em JSON")) }
            " · " a href=(view.path("/api/v1/market/fx/pairs")) { (say("All currencies as JSON", "Todas as moedas em JSON")) }
        }
    };
    let about = say(
        "Every rate, index and exchange rate of Banco Central do Brasil that is held here: newest figure, date and twelve months of each.",
        "Todas as taxas, índices e câmbio do Banco Central do Brasil que temos: valor mais recente, data e doze meses de cada série.",
    );
    Ok(layout::described_page(view, "/market", (say("Market", "Mercado"), about), &content))
}

/// The figures that are asked for most.
fn sheet() -> Sheet {
    let cell = |name: &str, field| {
        let value = Address::at("/api/v1/market/overview").with("field", Some(field));
        Cell { name: name.to_owned(), value, shows: Shows::Number }
    };
    let cells = [
        cell("Selic", "selic.value"),
        cell("CDI", "cdi.value"),
        cell("IPCA", "ipca.value"),
        cell("USD/BRL", "fx.sell"),
    ];
    Sheet { cells: cells.into(), rows: None }
}

/// A line of the page; nothing where the plan reaches no figure.
fn line(snapshot: &Snapshot, view: &View, subject: Subject) -> Result<Option<Line>> {
    let (_, newest) = subject.days();
    let days = (Some(newest.days_before(RECENT_DAYS)), None);
    let points = subject.points(snapshot, days)?;
    let Some((date, value)) = points.last().copied() else { return Ok(None) };
    let newest = subject.read(snapshot, days, (1, 0))?;
    let stale = newest.meta.stale == Some(true);
    let origin = newest.rows.first().map(|row| row.origin).unwrap_or_default();
    let origin = origin_name(origin, view.language);
    let age = stale.then(|| data_age::of(subject.period(), snapshot.today(), date, view.language));
    let curve = sparkline(&points, subject.period(), subject.shape());
    let newer = subject.newer_sides(snapshot)?;
    Ok(Some(Line { subject, value, age, curve, newer, origin }))
}

fn table(view: &View, id: &str, title: &str, lines: &[Line]) -> Markup {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    html! {
        section aria-labelledby=(id) {
            h2 id=(id) { (title) }
            table.market {
                thead { tr {
                    th scope="col" { (say("Figure", "Indicador")) }
                    th.count scope="col" { (say("Newest", "Mais recente")) }
                    th scope="col" { (say("Date", "Data")) }
                    th.curve scope="col" { (say("12 months", "12 meses")) }
                } }
                tbody { @for line in lines { (line.show(view)) } }
            }
        }
    }
}

impl Line {
    fn show(&self, view: &View) -> Markup {
        let (language, subject) = (view.language, &self.subject);
        let (_, date) = subject.days();
        html! {
            tr {
                th scope="row" {
                    a href=(view.link(&subject.path())) { (subject.title(language)) }
                    small { (subject.name()) @if let Some(days) = subject.few_days(language) { " · " (days) } }
                    @if !self.newer.is_empty() { small { (newer_side_notes(view, &self.newer)) } }
                }
                td.count {
                    data value=(self.value) { (language.number(self.value)) }
                    small { (subject.unit(language)) @if let Some(origin) = self.origin { " · " (origin) } }
                }
                td {
                    time datetime=(date) { (subject.period().of(date, language)) }
                    @if let Some(age) = &self.age { small.age { (age) } }
                }
                td.curve { (self.curve) }
            }
        }
    }
}

/// Links to the pages of all other currencies.
fn others(view: &View, pairs: &[FxPair]) -> Markup {
    let mut others: Vec<&FxPair> =
        pairs.iter().filter(|covered| !MAIN.contains(&covered.pair.base.as_str())).collect();
    others.sort_by_key(|covered| has_few_days(covered));
    if others.is_empty() {
        return html! {};
    }
    let count = others.len();
    html! {
        details.more-currencies {
            summary { (view.language.pick(format!("{count} other currencies"), format!("Outras {count} moedas"))) }
            p.note { (view.language.pick("Beside each currency stands the number of days held.", "Ao lado de cada moeda está o número de dias disponíveis.")) }
            ul { @for covered in others {
                li { a href=(view.link(&format!("/market/fx/{}", slug(covered.pair)))) { (covered.pair.base) } " " small { (covered.days) } }
            } }
        }
    }
}
