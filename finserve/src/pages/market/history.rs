//! `/market/{series}` and `/market/fx/{pair}`: a history as a chart and a table.
use fincore::{Date, Decimal, Meta, Result, Snapshot, plans::Upgrade};
use maud::{Markup, html};

use super::{
    plan_reach::{Reached, reached},
    range::Range,
    series_or_pair::{Part, Subject},
};
use crate::{
    errors::BadRequest,
    pages::{
        chart::{Chart, Every, Period, Shape, Size, downsample},
        data_age,
        errors::ErrorMessage,
        layout,
        page_url::Address,
        upgrade_prompt::upgrade,
        view::View,
    },
};

/// Rows of the table on a page.
pub(super) const ROWS: u32 = 100;

/// The most points of the chart's line.
const MOST_POINTS: usize = 600;

/// More months than this are drawn as a line.
const MOST_BARS: usize = 60;

/// What is asked of a history.
pub(crate) struct Asked {
    pub(crate) range: Option<Range>,
    pub(crate) from: Option<Date>,
    pub(crate) to: Option<Date>,
    /// The page of the table, from 1.
    pub(crate) page: u64,
}

/// What every page of a series or currency shows.
pub(super) struct Known<'a> {
    pub(super) view: &'a View,
    pub(super) subject: &'a Subject,
    newest: Part,
    today: Date,
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
    let (points, part) = match days {
        Some(days) => {
            (subject.points(snapshot, days)?, subject.read(snapshot, days, (ROWS, skipped))?)
        }
        None => (Vec::new(), Part { rows: Vec::new(), total: 0, meta: known.newest.meta.clone() }),
    };
    let shown = Shown { known, asked, days, points, part, upgrade };
    let title = subject.title(view.language);
    let named = [asked.from, asked.to].map(|date| date.map(|date| date.to_string()));
    let content = html! {
        (shown.known.heading(&title))
        (shown.known.ranges(asked.range(), named))
        @if let Some(prompt) = &shown.upgrade { (upgrade_of(view, prompt)) }
        (shown.chart(&title))
        (more)
        (shown.table())
        (shown.downloads())
        (shown.known.facts())
    };
    Ok(layout::page(view, &subject.path(), &title, &content))
}

/// The same page for a question that is wrong: its form with the days that were named, and no history.
pub(crate) fn wrong_history(
    snapshot: &Snapshot,
    view: &View,
    subject: &Subject,
    days: [Option<String>; 2],
    wrong: &BadRequest,
) -> Result<Markup> {
    let known = Known::read(snapshot, view, subject)?;
    let title = subject.title(view.language);
    let message = ErrorMessage::bad_request(wrong, view.language);
    let content = html! {
        (known.heading(&title))
        p.wrong role="alert" lang=[message.lang] { (message.text) }
        (known.ranges(None, days))
        (known.facts())
    };
    Ok(layout::page(view, &subject.path(), &title, &content))
}

fn upgrade_of(view: &View, prompt: &Upgrade) -> Markup {
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
        let newest = subject.read(snapshot, (None, None), (1, 0))?;
        Ok(Known { view, subject, newest, today: snapshot.today() })
    }

    /// The title and the newest figures.
    fn heading(&self, title: &str) -> Markup {
        let (view, subject, language) = (self.view, self.subject, self.view.language);
        let columns = subject.columns(language);
        let stale = self.newest.meta.stale == Some(true);
        html! {
            p.crumbs { a href=(view.link("/market")) { (language.pick("Market", "Mercado")) } " / " (subject.name()) }
            h1 { (title) }
            @if let Some(row) = self.newest.rows.first() {
                div.newest {
                    @for (figure, column) in row.figures.iter().zip(&columns) {
                        p.figure {
                            data value=(figure) { (language.number(*figure)) }
                            span.unit {
                                @if columns.len() > 1 { (column) " · " }
                                (subject.unit(language))
                            }
                        }
                    }
                }
                p.change {
                    time datetime=(row.date) { (subject.period().of(row.date, language)) }
                    @if stale { " · " strong.age { (data_age::of(subject.period(), self.today, row.date, language)) } }
                }
            }
        }
    }

    /// Links to the ranges, and a form for any days.
    fn ranges(&self, current: Option<Range>, [from, to]: [Option<String>; 2]) -> Markup {
        let (view, path) = (self.view, self.subject.path());
        let say = |english, portuguese| view.language.pick(english, portuguese);
        html! {
            nav.ranges aria-label=(say("Range", "Período")) {
                @for range in Range::ALL {
                    @let is_it = current == Some(range);
                    a href=(Address::at(path.as_str()).with("range", Some(range.code())).link(view)) aria-current=[is_it.then_some("true")] { (range.name(view.language)) }
                }
            }
            form.days method="get" action=(view.path(&path)) {
                @if view.chosen { input type="hidden" name="lang" value=(view.language.code()); }
                label { (say("From", "De")) input type="date" name="from" value=[from]; }
                label { (say("To", "Até")) input type="date" name="to" value=[to]; }
                button { (say("Show", "Mostrar")) }
            }
        }
    }

    /// What is known of the whole series.
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
                    dt { (say("Coverage", "Cobertura")) } dd { (first) " – " (last) }
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

impl Shown<'_> {
    fn chart(&self, title: &str) -> Markup {
        let (language, subject) = (self.known.view.language, self.known.subject);
        let (Some((first, _)), Some((last, _))) = (self.points.first(), self.points.last()) else {
            return html! { p.note { (language.pick("There are no figures for these days.", "Não há valores para estes dias.")) } };
        };
        let dates: Vec<Date> = self.points.iter().map(|(date, _)| *date).collect();
        let steps = [Every::Week, Every::Month, Every::Quarter, Every::Year];
        let (every, places) = downsample(&dates, MOST_POINTS, &steps);
        let points: Vec<_> = places.into_iter().map(|place| self.points[place]).collect();
        let is_bars = subject.is_change() && points.len() <= MOST_BARS;
        let [from, to] = [*first, *last].map(|date| subject.period().of(date, language));
        let title =
            language.pick(format!("{title}, {from} to {to}"), format!("{title}, {from} a {to}"));
        let chart = Chart {
            id: "history",
            title: &title,
            unit: &subject.unit(language),
            points: &points,
            shape: if is_bars { Shape::Bars } else { Shape::Line },
            period: subject.period(),
            size: Size::Wide,
        };
        html! {
            (chart.picture(language))
            @if let Some(thinned) = thinned(every, self.known.view) { p.note { (thinned) } }
            @if subject.columns(language).len() > 1 {
                p.note { (language.pick("The curve shows the sell side.", "A curva mostra o lado da venda.")) }
            }
        }
    }

    /// One page of all days of the range.
    fn table(&self) -> Markup {
        let (language, subject) = (self.known.view.language, self.known.subject);
        let when = match subject.period() {
            Period::Day => language.pick("Date", "Data"),
            Period::Month => language.pick("Month", "Mês"),
        };
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
                        } }
                        tbody { @for row in &self.part.rows {
                            tr {
                                th scope="row" { time datetime=(row.date) { (subject.period().of(row.date, language)) } }
                                @for figure in &row.figures { td.count { (language.number(*figure)) } }
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

    /// What leads to this history again, without the page of the table.
    fn address(&self) -> Address {
        Address::at(self.known.subject.path())
            .with("range", self.asked.range().map(Range::code))
            .with("from", self.asked.from)
            .with("to", self.asked.to)
    }
}

/// Which points are drawn, where not all are.
fn thinned(every: Every, view: &View) -> Option<&'static str> {
    let say = |english, portuguese| Some(view.language.pick(english, portuguese));
    match every {
        Every::Point => None,
        Every::Week => say(
            "The curve shows the last figure of each week; the table has every figure.",
            "A curva mostra o último valor de cada semana; a tabela tem todos.",
        ),
        Every::Month => say(
            "The curve shows the last figure of each month; the table has every figure.",
            "A curva mostra o último valor de cada mês; a tabela tem todos.",
        ),
        Every::Quarter => say(
            "The curve shows the last figure of each quarter; the table has every figure.",
            "A curva mostra o último valor de cada trimestre; a tabela tem todos.",
        ),
        Every::Year => say(
            "The curve shows the last figure of each year; the table has every figure.",
            "A curva mostra o último valor de cada ano; a tabela tem todos.",
        ),
    }
}
