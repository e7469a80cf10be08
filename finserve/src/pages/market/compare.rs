//! `/market/compare`: several series as a chart with a legend, and as a table.
use chrono::{Months, NaiveDate};
use fincore::{
    Date, Error, ErrorKind, Feature, Limit, Offset, Result, SeriesId, Snapshot,
    market::{
        self, ComparedRow, ComparedSeries, Comparison, ListedSeries, Rhythm, SeriesIds, SeriesList,
        transform::{Transformation, Units},
    },
    plans::Upgrade,
};
use maud::{Markup, html};

use super::{
    downloads::files,
    history::{ROWS, upgrade_of},
    series_or_pair::Subject,
    transformation_choices::{Transformed, unit_name},
};
use crate::{
    errors::BadRequest,
    pages::{
        chart::{
            FEWEST, Period, Shape,
            lines::{Line, Lines},
        },
        errors::ErrorMessage,
        layout,
        page_url::Address,
        spreadsheet::{Cell, Sheet, Shows},
        view::View,
    },
};

mod form;
mod links;
pub(crate) use form::ComparisonForm;
use form::{examples, names, show_form};
pub(crate) use links::compare_links;

const PATH: &str = "/market/compare";

/// Without days, the page shows so many years.
const YEARS: u32 = 10;

/// The chosen series and days.
pub(crate) struct ComparisonAsked {
    /// None for the empty form.
    pub(crate) ids: Option<SeriesIds>,
    pub(crate) from: Option<Date>,
    pub(crate) to: Option<Date>,
    pub(crate) transformed: Transformed,
    /// The page of the table, from 1.
    pub(crate) page: u64,
}

/// The page of several series. Fails for a series that does not exist, and for what has no meaning for one of them.
pub(crate) fn comparison(
    snapshot: &Snapshot,
    view: &View,
    form: &ComparisonForm,
    asked: &ComparisonAsked,
) -> Result<Markup> {
    let all = market::series_list(snapshot, SeriesList::default())?.data.into_vec();
    let Some(ids) = &asked.ids else { return Ok(page(view, &all, form, &html! {})) };
    let shown = Shown::read(snapshot, view, (&all, ids), asked)?;
    let content = html! {
        @if let Some(prompt) = &shown.upgrade { (upgrade_of(view, prompt)) }
        (shown.legend())
        (shown.charts())
        (shown.table())
        (shown.downloads())
        (shown.sources())
    };
    // The form holds the days that are shown.
    let day = |day: Option<Date>| day.map(|day| day.to_string());
    let form = &ComparisonForm { from: day(shown.days.0), to: day(shown.days.1), ..form.clone() };
    Ok(page(view, &all, form, &content))
}

/// The page for a faulty request: its form, and the fault.
pub(crate) fn wrong_comparison(
    snapshot: &Snapshot,
    view: &View,
    form: &ComparisonForm,
    wrong: &BadRequest,
) -> Result<Markup> {
    let all = market::series_list(snapshot, SeriesList::default())?.data.into_vec();
    let message = ErrorMessage::bad_request(wrong, view.language);
    let content = html! { p.wrong role="alert" lang=[message.lang] { (message.text) } };
    Ok(page(view, &all, form, &content))
}

fn page(view: &View, all: &[ListedSeries], form: &ComparisonForm, content: &Markup) -> Markup {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    let title = say("Compare series", "Comparar séries");
    let about = say(
        "Rates, price indexes and exchange rates of Banco Central do Brasil in one chart and one table: by month or year, accumulated over twelve months, as an index.",
        "Taxas, índices de preços e câmbio do Banco Central do Brasil em um gráfico e uma tabela: por mês ou ano, acumulados em doze meses, em número-índice.",
    );
    let content = html! {
        p.crumbs { a href=(view.link("/market")) { (say("Market", "Mercado")) } " / " (say("compare", "comparar")) }
        h1 { (title) }
        (show_form(view, form))
        @if form.series.is_none() { (examples(view)) }
        (content)
        (names(view, all, form))
    };
    layout::described_page(view, PATH, (title, about), &content)
}

/// All that is shown of a comparison.
struct Shown<'a> {
    view: &'a View,
    asked: &'a ComparisonAsked,
    ids: &'a SeriesIds,
    /// The series, in the order of the columns.
    series: Vec<ListedSeries>,
    /// All rows of these days, newest first.
    rows: Vec<ComparedRow>,
    /// The other facts of the series.
    answer: ComparedSeries,
    days: (Option<Date>, Option<Date>),
    /// The day of an index that is 100.
    base: Option<Date>,
    upgrade: Option<Upgrade>,
}

impl<'a> Shown<'a> {
    fn read(
        snapshot: &Snapshot,
        view: &'a View,
        (all, ids): (&[ListedSeries], &'a SeriesIds),
        asked: &'a ComparisonAsked,
    ) -> Result<Shown<'a>> {
        let mut days = (asked.from.or_else(|| usual_start(snapshot, asked)), asked.to);
        let mut transformation = asked.transformed.transformation();
        let ask = |days, transformation| read_all(snapshot, ids, days, transformation);
        // Without units, the answer tells which days there are, and which of them the plan reaches.
        let plain = transformation.map(|how| Transformation { units: Units::Value, ..how });
        let (found, upgrade) = match ask(days, plain) {
            Err(refused) => {
                let prompt = upgrade_prompt(refused)?;
                // Where even the last day is too old, the page shows the newest ones.
                days = (None, days.1);
                let found = ask(days, plain).or_else(|refused| {
                    upgrade_prompt(refused)?;
                    days = (None, None);
                    ask(days, plain)
                })?;
                (found, Some(prompt))
            }
            Ok(found) => (found, None),
        };
        let mut base = None;
        if let Some(how) = &mut transformation
            && how.units == Units::Index
        {
            // An index compares only what begins on the same day.
            let is_common = |row: &&ComparedRow| row.values.iter().all(Option::is_some);
            base = found.0.iter().rev().find(is_common).map(|row| row.date);
            how.base = base;
        }
        let (rows, answer) = match transformation {
            Some(how) if how.units != Units::Value => ask(days, transformation)?,
            _ => found,
        };
        let listed = |id: &SeriesId| {
            let is_it = |series: &&ListedSeries| is_named(series, id);
            let unknown = || Error::not_found(fincore::Resource::Series, &id.to_string());
            all.iter().find(is_it).cloned().ok_or_else(unknown)
        };
        let series = ids.iter().map(listed).collect::<Result<_>>()?;
        Ok(Shown { view, asked, ids, series, rows, answer, days, base, upgrade })
    }

    /// The unit of each column.
    fn unit(&self, place: usize) -> String {
        let language = self.view.language;
        let own = self.series[place].unit.map_or("", |unit| language.pick(unit.en, unit.pt));
        unit_name(self.answer.meta.series[place].1.unit, own, language)
    }

    fn title(&self, place: usize) -> String {
        Subject::Series(Box::new(self.series[place].clone())).title(self.view.language)
    }

    fn line(&self, place: usize) -> Line {
        let series = &self.series[place];
        let own = match series.rhythm {
            Some(Rhythm::Monthly) => Period::Month,
            Some(Rhythm::Daily | Rhythm::BusinessDays) | None => Period::Day,
        };
        let subject = Subject::Series(Box::new(series.clone()));
        let is_plain = self.asked.transformed == Transformed::default();
        let point = |row: &ComparedRow| Some((row.date, row.values[place].clone()?));
        Line {
            place,
            name: self.ids[place].to_string(),
            points: self.rows.iter().rev().filter_map(point).collect(),
            shape: if is_plain { subject.shape() } else { Shape::Line },
            period: self.asked.transformed.period(own),
        }
    }

    /// The names of the series, each with a piece of its line.
    fn legend(&self) -> Markup {
        let (view, language) = (self.view, self.view.language);
        html! {
            ul.legend aria-label=(language.pick("Series", "Séries")) {
                @for (place, id) in self.ids.iter().enumerate() {
                    li {
                        (self.line(place).sample())
                        a href=(view.link(&format!("/market/{}", self.series[place].name))) { (self.title(place)) }
                        small { (id) " · " (self.unit(place)) }
                        @if self.ids.len() > 1 {
                            a.remove href=(self.without(place).link(view)) aria-label=(language.pick(format!("Remove {id}"), format!("Remover {id}"))) { "×" }
                        }
                    }
                }
            }
        }
    }

    /// A chart for each unit: no axis counts two things.
    fn charts(&self) -> Markup {
        let language = self.view.language;
        let mut groups: Vec<(String, Vec<Line>)> = Vec::new();
        for place in 0..self.ids.len() {
            let (unit, line) = (self.unit(place), self.line(place));
            match groups.iter_mut().find(|(known, _)| *known == unit) {
                Some((_, lines)) => lines.push(line),
                None => groups.push((unit, vec![line])),
            }
        }
        if self.rows.len() < FEWEST {
            return html! { p.note { (language.pick("Too few figures for a chart: the table has them.", "Poucos valores para um gráfico: estão na tabela.")) } };
        }
        let index = self.view_address(Some(Units::Index.as_str()), None);
        let has_no_base = self.asked.transformed.units == Units::Index && self.base.is_none();
        html! {
            @if has_no_base {
                p.note { (language.pick(
                    "No day has a figure of every series, so each index begins where its series does: choose a frequency.",
                    "Nenhum dia tem valores de todas as séries, e cada índice começa onde começa a série: escolha uma frequência.",
                )) }
            }
            @for (at, (unit, lines)) in groups.iter().enumerate() {
                (Lines { id: &format!("compared-{at}"), title: &self.chart_title(lines), unit, lines }.picture(language))
            }
            @if groups.len() > 1 {
                p.note {
                    (language.pick("The units differ, so each has an axis of its own. ", "As unidades diferem, e cada uma tem um eixo próprio. "))
                    a href=(index.link(self.view)) { (language.pick("Show all as an index", "Mostrar todas em número-índice")) }
                }
            }
        }
    }

    fn chart_title(&self, lines: &[Line]) -> String {
        let language = self.view.language;
        let names: Vec<&str> = lines.iter().map(|line| line.name.as_str()).collect();
        let mut title = names.join(", ");
        if let Some(words) = self.asked.transformed.in_words(language) {
            title = format!("{title}: {words}");
        }
        match self.base.filter(|_| self.asked.transformed.units == Units::Index) {
            Some(base) => format!("{title} ({} = 100)", language.date(base)),
            None => title,
        }
    }

    /// One page of all dates.
    fn table(&self) -> Markup {
        let (language, page) = (self.view.language, self.asked.page);
        let skipped = usize::try_from(page.saturating_sub(1)).unwrap_or(usize::MAX);
        let skipped = skipped.saturating_mul(ROWS as usize);
        let rows: Vec<&ComparedRow> = self.rows.iter().skip(skipped).take(ROWS as usize).collect();
        let periods: Vec<Period> = (0..self.ids.len()).map(|at| self.line(at).period).collect();
        let is_one = periods.iter().all(|period| *period == periods[0]);
        let period = if is_one { periods[0] } else { Period::Day };
        html! {
            section aria-labelledby="figures" {
                h2 id="figures" { (language.pick("Figures", "Valores")) }
                @if rows.is_empty() {
                    p { (language.pick("There are no figures on this page.", "Não há valores nesta página.")) }
                } @else {
                    div.scroll tabindex="0" {
                        table.compared {
                            thead { tr {
                                th scope="col" { (period.name(language)) }
                                @for id in self.ids.iter() { th.count scope="col" { (id) } }
                            } }
                            tbody { @for row in rows {
                                tr {
                                    th scope="row" { time datetime=(row.date) { (period.of(row.date, language)) } }
                                    @for value in &row.values { td.count { @if let Some(value) = value { (language.written(value)) } } }
                                }
                            } }
                        }
                    }
                }
                (self.pages())
            }
        }
    }

    /// Links to the other pages of the table.
    fn pages(&self) -> Markup {
        let (view, page) = (self.view, self.asked.page);
        let last = self.answer.total.div_ceil(u64::from(ROWS)).max(1);
        if last == 1 && page == 1 {
            return html! {};
        }
        let say = |english, portuguese| view.language.pick(english, portuguese);
        let link = |page: u64| {
            let address = self.view_address(None, None).with("page", Some(page));
            format!("{}#figures", address.link(view))
        };
        let (shown, all) = (view.language.written(&page), view.language.written(&last));
        html! {
            nav.pages aria-label=(say("Pages of the table", "Páginas da tabela")) {
                @if page > 1 { a rel="prev" href=(link((page - 1).min(last))) { (say("Newer", "Mais novos")) } }
                span { (view.language.pick(format!("Page {shown} of {all}"), format!("Página {shown} de {all}"))) }
                @if page < last { a rel="next" href=(link(page + 1)) { (say("Older", "Mais antigos")) } }
            }
        }
    }

    fn downloads(&self) -> Markup {
        let ids: Vec<String> = self.ids.iter().map(ToString::to_string).collect();
        let [frequency, units] = self.asked.transformed.parameters();
        let question = |path: &str| {
            let address = Address::at(path).with("ids", Some(ids.join(",")));
            let address = address.with(frequency.0, frequency.1).with(units.0, units.1);
            let address = address.with("base", self.base);
            address.with("from", self.days.0).with("to", self.days.1)
        };
        let skipped = self.asked.page.saturating_sub(1) * u64::from(ROWS);
        let line = question("/api/v1/market/series").with("limit", Some(ROWS));
        let line = line.with("offset", (skipped > 0).then_some(skipped));
        let most = Comparison { limit: Limit::MAX, ..Comparison::new(self.ids.clone()) }.limit;
        let json = question("/market/download/compare").with("limit", Some(most.get()));
        let rows = question("/api/v1/market/series");
        let cells = self.ids.iter().map(|id| self.cell(id)).collect();
        let sheet = Sheet { cells, rows: Some(rows.with("limit", Some(most.get()))) };
        files(self.view, &line.open_command(self.view), &json, &sheet)
    }

    /// The newest figure of a series. The newest row of all is no place for it: another series may have that day alone.
    fn cell(&self, id: &SeriesId) -> Cell {
        let [frequency, units] = self.asked.transformed.parameters();
        let is_newest = frequency.1.is_none() && units.1.is_none() && self.days.1.is_none();
        let value = if is_newest {
            Address::at(format!("/api/v1/market/series/{id}/current"))
        } else {
            Address::at(format!("/api/v1/market/series/{id}"))
                .with(frequency.0, frequency.1)
                .with(units.0, units.1)
                .with("base", self.base)
                .with("to", self.days.1)
                .with("limit", Some(1))
        };
        let name = if self.ids.len() == 1 { String::new() } else { id.to_string() };
        Cell { name, value, shows: Shows::Number }
    }

    /// Where the figures come from.
    fn sources(&self) -> Markup {
        let language = self.view.language;
        let meta = &self.answer.meta;
        html! {
            section aria-labelledby="about" {
                h2 id="about" { (language.pick("About these figures", "Sobre estes valores")) }
                dl.about {
                    @for (id, meta) in &meta.series {
                        dt { (id) }
                        dd { (meta.source) @if meta.stale == Some(true) { " · " (language.pick("newer figures are due", "há valores mais novos a publicar")) } }
                    }
                    dt { (language.pick("Licence", "Licença")) } dd { (meta.licence) }
                }
            }
        }
    }

    /// The address of this view, in other units or with other series.
    fn view_address(&self, units: Option<&'static str>, series: Option<String>) -> Address {
        let own = self.ids.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
        let [frequency, own_units] = self.asked.transformed.parameters();
        Address::at(PATH)
            .with("series", Some(series.unwrap_or(own)))
            .with("from", self.asked.from)
            .with("to", self.asked.to)
            .with(frequency.0, frequency.1)
            .with("units", units.or(own_units.1))
    }

    /// The view without one of the series.
    fn without(&self, place: usize) -> Address {
        let others = self.ids.iter().enumerate().filter(|(at, _)| *at != place);
        let others: Vec<String> = others.map(|(_, id)| id.to_string()).collect();
        self.view_address(None, Some(others.join(",")))
    }
}

fn is_named(series: &ListedSeries, id: &SeriesId) -> bool {
    SeriesId::from(series.number) == *id
        || series.name.parse().is_ok_and(|name: SeriesId| name == *id)
}

/// The first day of the usual range, where no days are named and the plan has them.
fn usual_start(snapshot: &Snapshot, asked: &ComparisonAsked) -> Option<Date> {
    if asked.to.is_some() || snapshot.plan().need(Feature::HistoricalData).is_err() {
        return None;
    }
    let month = NaiveDate::from(snapshot.today().first_of_month());
    Date::try_from(month.checked_sub_months(Months::new(YEARS * 12))?).ok()
}

/// The prompt of an answer that needs a larger plan; any other error is passed on.
fn upgrade_prompt(refused: Error) -> Result<Upgrade> {
    match refused.kind() {
        ErrorKind::PlanRequired(prompt) => Ok(prompt.clone()),
        _ => Err(refused),
    }
}

/// All rows of these days, and the answer that they are of.
fn read_all(
    snapshot: &Snapshot,
    ids: &SeriesIds,
    (from, to): (Option<Date>, Option<Date>),
    transformation: Option<Transformation>,
) -> Result<(Vec<ComparedRow>, ComparedSeries)> {
    let mut rows = Vec::new();
    loop {
        let offset = Offset::new(u64::try_from(rows.len()).unwrap_or(u64::MAX))?;
        let query =
            Comparison { from, to, limit: Limit::MAX, offset, ..Comparison::new(ids.clone()) };
        let mut answer = market::compare(snapshot, query, transformation)?;
        let found = std::mem::take(&mut answer.data);
        let is_last = found.is_empty();
        rows.extend(found);
        if is_last || rows.len() as u64 >= answer.total {
            return Ok((rows, answer));
        }
    }
}
