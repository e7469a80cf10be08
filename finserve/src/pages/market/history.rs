//! `/market/{series}` and `/market/fx/{pair}`: a history as a chart and a table.
use fincore::{Date, Decimal, Meta, Result, Snapshot, plans::Upgrade};
use maud::{Markup, html};

use super::{
    newest_figure::NewestFigure,
    plan_reach::{Reached, reached},
    range::Range,
    series_or_pair::{Part, Subject, origin_name},
    transformation_choices::{Transformed, fields, unit_name},
    transformed_history::{TransformedHistory, fits},
};
use crate::{
    errors::BadRequest,
    pages::{
        chart::{Chart, Every, FEWEST, Period, Shape, Size},
        errors::ErrorMessage,
        layout,
        page_url::Address,
        upgrade_prompt::upgrade,
        view::View,
    },
};

/// Rows of the table on a page.
pub(super) const ROWS: u32 = 100;

/// More months than this are drawn as a line.
const MOST_BARS: usize = 60;

/// The day on which the real became the currency, which ended the years of high inflation.
const REAL: Date = Date::new(1994, 7, 1).expect("a day of the calendar");

/// Figures before the real that are so many times the highest one after it get a chart of their own.
const HIGHER: f64 = 3.0;

pub(crate) struct Asked {
    pub(crate) range: Option<Range>,
    pub(crate) from: Option<Date>,
    pub(crate) to: Option<Date>,
    pub(crate) transformed: Transformed,
    /// The page of the table, from 1.
    pub(crate) page: u64,
}

/// The fields of the form as they were sent.
#[derive(Clone, Debug, Default)]
pub(crate) struct HistoryForm {
    pub(crate) from: Option<String>,
    pub(crate) to: Option<String>,
    pub(crate) frequency: Option<String>,
    pub(crate) units: Option<String>,
}

/// The content of every page of a series or currency.
pub(super) struct Known<'a> {
    pub(super) view: &'a View,
    pub(super) subject: &'a Subject,
    newest: NewestFigure,
}

/// All that a page shows.
pub(super) struct Shown<'a> {
    pub(super) known: Known<'a>,
    pub(super) asked: &'a Asked,
    /// The first and the last day that were asked of the library.
    pub(super) days: Option<(Option<Date>, Option<Date>)>,
    /// All days with the figure that is drawn, oldest first.
    pub(super) points: Vec<(Date, Decimal)>,
    pub(super) part: Part,
    /// The figures instead of those that were published, if others are asked for.
    pub(super) transformed: Option<TransformedHistory>,
    pub(super) upgrade: Option<Upgrade>,
}

/// The page of a series or currency; `more` follows the history. Fails for days in the wrong order.
pub(crate) fn history(
    snapshot: &Snapshot,
    view: &View,
    subject: &Subject,
    asked: &Asked,
    more: &Markup,
) -> Result<Markup> {
    let Reached { days, upgrade } = reached(snapshot, subject, asked)?;
    let known = Known::read(snapshot, view, subject)?;
    let skipped = asked.page.saturating_sub(1) * u64::from(ROWS);
    let nothing = || Part { rows: Vec::new(), total: 0, meta: known.newest.meta.clone() };
    let (points, part, transformed) = match (days, asked.transformed.transformation()) {
        (Some(days), None) => {
            let part = subject.read(snapshot, days, (ROWS, skipped))?;
            (subject.points(snapshot, days)?, part, None)
        }
        (Some(days), Some(how)) => {
            let history = TransformedHistory::read(snapshot, subject, days, how)?;
            let (total, meta) = (history.rows.len() as u64, history.meta.clone());
            (history.points(), Part { rows: Vec::new(), total, meta }, Some(history))
        }
        (None, _) => (Vec::new(), nothing(), None),
    };
    let shown = Shown { known, asked, days, points, part, transformed, upgrade };
    let title = subject.title(view.language);
    let [frequency, units] = asked.transformed.parameters().map(|(_, value)| value);
    let form = HistoryForm {
        from: asked.from.map(|date| date.to_string()),
        to: asked.to.map(|date| date.to_string()),
        frequency: frequency.map(ToOwned::to_owned),
        units: units.map(ToOwned::to_owned),
    };
    let content = html! {
        (shown.known.heading(&title))
        (shown.known.ranges(asked.range(), &form))
        @if let Some(prompt) = &shown.upgrade { (upgrade_of(view, prompt)) }
        (shown.charts(&title))
        (more)
        (shown.table())
        (shown.downloads())
        (shown.known.facts())
        (subject.described(view))
    };
    let about = subject.about(view.language);
    Ok(layout::described_page(view, &subject.path(), (&title, &about), &content))
}

/// The page for a faulty request: its form with the days that were named, and no history.
pub(crate) fn wrong_history(
    snapshot: &Snapshot,
    view: &View,
    subject: &Subject,
    form: &HistoryForm,
    wrong: &BadRequest,
) -> Result<Markup> {
    let known = Known::read(snapshot, view, subject)?;
    let title = subject.title(view.language);
    let message = ErrorMessage::bad_request(wrong, view.language);
    let content = html! {
        (known.heading(&title))
        p.wrong role="alert" lang=[message.lang] { (message.text) }
        (known.ranges(None, form))
        (known.facts())
    };
    Ok(layout::page(view, &subject.path(), &title, &content))
}

pub(super) fn upgrade_of(view: &View, prompt: &Upgrade) -> Markup {
    html! {
        (upgrade(view, prompt))
        p.note { (view.language.pick(
            "The page shows the part that your plan includes.",
            "A página mostra a parte incluída no seu plano.",
        )) }
    }
}

impl<'a> Known<'a> {
    fn read(snapshot: &Snapshot, view: &'a View, subject: &'a Subject) -> Result<Known<'a>> {
        Ok(Known { view, subject, newest: NewestFigure::read(snapshot, subject)? })
    }

    /// The title and the newest figures.
    fn heading(&self, title: &str) -> Markup {
        let (view, subject, language) = (self.view, self.subject, self.view.language);
        html! {
            p.crumbs { a href=(view.link("/market")) { (language.pick("Market", "Mercado")) } " / " (subject.name()) }
            h1 { (title) }
            (self.newest.show(view, subject))
        }
    }

    /// Links to the ranges, and a form for any days and transformations.
    fn ranges(&self, current: Option<Range>, form: &HistoryForm) -> Markup {
        let (view, path) = (self.view, self.subject.path());
        let HistoryForm { from, to, frequency, units } = form;
        let address = |range: Range| {
            let address = Address::at(path.as_str()).with("range", Some(range.code()));
            address.with("frequency", frequency.as_ref()).with("units", units.as_ref())
        };
        let say = |english, portuguese| view.language.pick(english, portuguese);
        html! {
            nav.ranges aria-label=(say("Range", "Período")) {
                @for range in Range::ALL {
                    @let is_it = current == Some(range);
                    a href=(address(range).link(view)) aria-current=[is_it.then_some("true")] { (range.name(view.language)) }
                }
            }
            form.days method="get" action=(view.path(&path)) data-tidy {
                @if view.chosen { input type="hidden" name="lang" value=(view.language.code()); }
                label { (say("From", "De")) input type="date" name="from" value=[from]; }
                label { (say("To", "Até")) input type="date" name="to" value=[to]; }
                (fields(view.language, [frequency.as_deref(), units.as_deref()], |choice| fits(self.subject, choice)))
                button { (say("Show", "Mostrar")) }
            }
        }
    }

    /// The facts of the whole series.
    fn facts(&self) -> Markup {
        let (view, subject, language) = (self.view, self.subject, self.view.language);
        let (first, last) = subject.days();
        let [first, last] = [first, last].map(|date| subject.period().of(date, language));
        let Meta { source, licence, updated_at, computed_from, .. } = &self.newest.meta;
        let say = |english, portuguese| view.language.pick(english, portuguese);
        html! {
            section aria-labelledby="about" {
                h2 id="about" { (say("About these figures", "Sobre estes valores")) }
                dl.about {
                    dt { (say("Unit", "Unidade")) } dd { (subject.unit(language)) }
                    dt { (say("Published", "Publicação")) } dd { (subject.rhythm(language)) }
                    dt { (say("Coverage", "Cobertura")) } dd { (first) " – " (last) " · " (self.held()) }
                    dt { (say("Source", "Fonte")) } dd { (source) }
                    @if let Some(computed) = computed_from { dt { (say("Computed from", "Calculado a partir de")) } dd { (computed) } }
                    dt { (say("Licence", "Licença")) } dd { (licence) }
                    @if let Some(updated) = updated_at {
                        dt { (say("Last updated", "Última atualização")) }
                        dd { time datetime=(updated.to_rfc3339()) { (updated.format("%Y-%m-%d %H:%M UTC")) } }
                    }
                }
            }
        }
    }
}

impl Known<'_> {
    /// How many days or months are held.
    fn held(&self) -> String {
        let (language, count) = (self.view.language, self.subject.count());
        let number = language.count(count);
        let what = match (self.subject.period(), count) {
            (Period::Day, 1) => language.pick("day held", "dia disponível"),
            (Period::Day, _) => language.pick("days held", "dias disponíveis"),
            (Period::Month | Period::Quarter | Period::Year, 1) => {
                language.pick("month held", "mês disponível")
            }
            (Period::Month | Period::Quarter | Period::Year, _) => {
                language.pick("months held", "meses disponíveis")
            }
        };
        format!("{number} {what}")
    }
}

impl Shown<'_> {
    /// The chart; where figures before the real would leave no room for those after it, two of them.
    fn charts(&self, title: &str) -> Markup {
        let language = self.known.view.language;
        if self.points.is_empty() {
            return html! { p.note { (language.pick("There are no figures for these days.", "Não há valores para estes dias.")) } };
        }
        let (before, after) = self.points.split_at(self.start_of_axis());
        html! {
            (self.chart("history", title, after))
            @if !before.is_empty() {
                p.note { (language.pick(
                    "Figures before the real (July 1994) are many times higher, so they have an axis of their own:",
                    "Os valores anteriores ao real (julho de 1994) são muitas vezes maiores e por isso têm um eixo próprio:",
                )) }
                (self.chart("before-the-real", title, before))
            }
            @if self.known.subject.columns(language).len() > 1 && self.points.len() >= FEWEST {
                p.note { (language.pick("The curve shows the sell side.", "A curva mostra o lado da venda.")) }
            }
        }
    }

    /// The place of the first figure that the chart shows: the others are too high for its axis.
    fn start_of_axis(&self) -> usize {
        let start = self.points.partition_point(|(date, _)| *date < REAL);
        let (before, after) = self.points.split_at(start);
        let highest = |points: &[(Date, Decimal)]| {
            points.iter().map(|(_, figure)| figure.to_f64().abs()).fold(0.0, f64::max)
        };
        let is_higher = highest(before) > HIGHER * highest(after);
        if is_higher && !after.is_empty() { start } else { 0 }
    }

    fn chart(&self, id: &str, title: &str, points: &[(Date, Decimal)]) -> Markup {
        let (language, subject) = (self.known.view.language, self.known.subject);
        let (Some((first, _)), Some((last, _))) = (points.first(), points.last()) else {
            return html! {};
        };
        if points.len() < FEWEST {
            return html! { p.note { (language.pick("Too few figures for a chart: the table has them.", "Poucos valores para um gráfico: estão na tabela.")) } };
        }
        let (period, is_plain) = (self.period(), self.transformed.is_none());
        let is_bars = is_plain && subject.is_change() && points.len() <= MOST_BARS;
        let [from, to] = [*first, *last].map(|date| period.of(date, language));
        let mut title =
            language.pick(format!("{title}, {from} to {to}"), format!("{title}, {from} a {to}"));
        if let Some(words) = self.asked.transformed.in_words(language) {
            title = format!("{title}: {words}");
        }
        if let Some(base) = self.transformed.as_ref().and_then(|history| history.base) {
            title = format!("{title} ({} = 100)", period.of(base, language));
        }
        let own_unit = subject.unit(language);
        let shape = if is_plain { subject.shape() } else { Shape::Line };
        let chart = Chart {
            id,
            title: &title,
            unit: &unit_name(self.part.meta.unit.filter(|_| !is_plain), &own_unit, language),
            points,
            shape: if is_bars { Shape::Bars } else { shape },
            period,
            size: Size::Wide,
        };
        html! {
            (chart.picture(language))
            @if let Some(thinned) = thinned(&chart, self.known.view) { p.note { (thinned) } }
            @if chart.has_gaps() { p.note { (gaps(period, self.known.view)) } }
        }
    }

    fn period(&self) -> Period {
        self.asked.transformed.period(self.known.subject.period())
    }

    /// One page of the transformed figures.
    fn transformed_table(&self, history: &TransformedHistory) -> Markup {
        let (language, period) = (self.known.view.language, self.period());
        let skipped = usize::try_from(self.asked.page.saturating_sub(1)).unwrap_or(usize::MAX);
        let skipped = skipped.saturating_mul(ROWS as usize);
        let mut rows = history.rows.iter().skip(skipped).take(ROWS as usize).peekable();
        html! {
            section aria-labelledby="figures" {
                h2 id="figures" { (language.pick("Figures", "Valores")) }
                @if rows.peek().is_none() {
                    p { (language.pick("There are no figures on this page.", "Não há valores nesta página.")) }
                } @else {
                    table.history {
                        thead { tr {
                            th scope="col" { (period.name(language)) }
                            th.count scope="col" { (language.pick("Value", "Valor")) }
                        } }
                        tbody { @for row in rows {
                            tr {
                                th scope="row" { time datetime=(row.date) { (period.of(row.date, language)) } }
                                td.count { (language.written(&row.value)) }
                            }
                        } }
                    }
                }
                (self.pages())
            }
        }
    }

    /// One page of all days of the range.
    fn table(&self) -> Markup {
        if let Some(history) = &self.transformed {
            return self.transformed_table(history);
        }
        let (language, subject) = (self.known.view.language, self.known.subject);
        let when = subject.period().name(language);
        let has_origins = self.part.rows.iter().any(|row| !row.origin.is_published());
        html! {
            section aria-labelledby="figures" {
                h2 id="figures" { (language.pick("Figures", "Valores")) }
                @if self.part.rows.is_empty() {
                    p { (language.pick("There are no figures on this page.", "Não há valores nesta página.")) }
                } @else {
                    table.history {
                        thead { tr {
                            th scope="col" { (when) }
                            @for column in subject.columns(language) { th.count scope="col" { (column) } }
                            @if has_origins { th scope="col" { (language.pick("Origin", "Origem")) } }
                        } }
                        tbody { @for row in &self.part.rows {
                            tr {
                                th scope="row" { time datetime=(row.date) { (subject.period().of(row.date, language)) } }
                                @for figure in &row.figures { td.count { (language.number(*figure)) } }
                                @if has_origins { td { (origin_name(row.origin, language).unwrap_or(language.pick("published", "publicado"))) } }
                            }
                        } }
                    }
                }
                (self.pages())
            }
        }
    }

    /// Links to the other pages of the table.
    fn pages(&self) -> Markup {
        let (view, total) = (self.known.view, self.part.total);
        let last = total.div_ceil(u64::from(ROWS)).max(1);
        let page = self.asked.page;
        if last == 1 && page == 1 {
            return html! {};
        }
        let say = |english, portuguese| view.language.pick(english, portuguese);
        let link =
            |page: u64| format!("{}#figures", self.address().with("page", Some(page)).link(view));
        let (shown, all) = (view.language.written(&page), view.language.written(&last));
        html! {
            nav.pages aria-label=(say("Pages of the table", "Páginas da tabela")) {
                @if page > 1 { a rel="prev" href=(link((page - 1).min(last))) { (say("Newer", "Mais novos")) } }
                span { (view.language.pick(format!("Page {shown} of {all}"), format!("Página {shown} de {all}"))) }
                @if page < last { a rel="next" href=(link(page + 1)) { (say("Older", "Mais antigos")) } }
            }
        }
    }

    /// The address of this history, without the page of the table.
    fn address(&self) -> Address {
        Address::at(self.known.subject.path())
            .with("range", self.asked.range().map(Range::code))
            .with("from", self.asked.from)
            .with("to", self.asked.to)
            .with("frequency", self.asked.transformed.parameters()[0].1)
            .with("units", self.asked.transformed.parameters()[1].1)
    }
}

/// Why a line is broken.
fn gaps(period: Period, view: &View) -> &'static str {
    match period {
        Period::Day => view.language.pick(
            "The line is broken where more than five business days in a row have no figure.",
            "A linha é interrompida onde faltam valores por mais de cinco dias úteis seguidos.",
        ),
        Period::Month | Period::Quarter | Period::Year => view.language.pick(
            "The chart is broken where months have no figure.",
            "O gráfico é interrompido onde faltam meses.",
        ),
    }
}

/// The points that show their values, where not all do. Steps are drawn in full.
fn thinned(chart: &Chart<'_>, view: &View) -> Option<String> {
    let language = view.language;
    let of = match chart.every() {
        Every::Point => return None,
        Every::Week => language.pick("each week", "cada semana"),
        Every::Month => language.pick("each month", "cada mês"),
        Every::Quarter => language.pick("each quarter", "cada trimestre"),
        Every::Year => language.pick("each year", "cada ano"),
    };
    Some(match chart.shape {
        Shape::Steps => language.pick(
            format!("The curve shows every change, and tells the last figure of {of}; the table has every figure."),
            format!("A curva mostra todas as mudanças e informa o último valor de {of}; a tabela tem todos."),
        ),
        Shape::Line | Shape::Bars => language.pick(
            format!("The curve shows the last figure of {of}; the table has every figure."),
            format!("A curva mostra o último valor de {of}; a tabela tem todos."),
        ),
    })
}
