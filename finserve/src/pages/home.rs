//! `/`: what this is, and the latest published figures of the four indicators.
pub(crate) mod latest_facts;

use fincore::{
    Date, Decimal, Figure, Limit, Meta, Result, Rows, Snapshot, filings,
    market::{
        self, FxHistory, History, Indicators, NewerSide, Rate, SeriesHistory,
        transform::{Transformation, Units},
    },
};
use maud::{Markup, html};

use self::latest_facts::news;
use super::{
    chart::{Chart, Period, Shape, Size},
    data_age,
    filings::coverage_note,
    layout,
    market::newer_side_notes,
    page_url::Address,
    view::View,
};

/// A year of days; the newest of them is the current one.
const YEAR: u32 = 366;

/// An indicator, and where its figures are.
struct Indicator {
    id: &'static str,
    name: &'static str,
    about: &'static str,
    unit: &'static str,
    /// The page with all its figures.
    page: &'static str,
    endpoint: &'static str,
    shape: Shape,
    period: Period,
}

/// An indicator with its figures, as a card of the page.
struct Card {
    indicator: Indicator,
    /// Oldest first, over twelve months; never empty.
    points: Vec<(Date, Decimal)>,
    /// How old the newest of them is, in words.
    age: String,
    is_stale: bool,
    /// One side of the quote that is newer than it.
    newer: Vec<NewerSide>,
    /// Its rates accumulated in the twelve months up to the newest.
    in_a_year: Option<Figure>,
}

/// The home page. Fails where the data has no current figures.
pub(crate) fn home(snapshot: &Snapshot, view: &View) -> Result<Markup> {
    let cards = cards(snapshot, view)?;
    let say = |english, portuguese| view.language.pick(english, portuguese);
    let content = html! {
        section.hero {
            h1 { (say("Brazil’s financial data, one call away", "Os dados financeiros do Brasil, a uma chamada de distância")) }
            p.lead {
                (say(
                    "Selic, CDI, IPCA and exchange rates from the central bank; registered companies and their filings from the securities regulator. Plain JSON, in which published figures keep every digit.",
                    "Selic, CDI, IPCA e câmbio do Banco Central; companhias registradas e seus documentos da CVM. JSON simples, em que os valores publicados mantêm todos os dígitos.",
                ))
            }
            (layout::command(view, "first-call", &format!("curl {}", view.url("/api/v1/market/overview"))))
            p.actions {
                @match &view.visitor {
                    None => {
                        a.button.primary href=(format!("{}#key", view.link("/pricing"))) { (say("Get a free key", "Obter uma chave grátis")) }
                        a.button href=(view.link("/docs")) { (say("Read the reference", "Ler a referência")) }
                    }
                    Some(_) => {
                        a.button.primary href=(view.link("/docs/try")) { (say("Try the API", "Experimentar a API")) }
                        a.button href=(view.link("/usage")) { (say("Your key and its usage", "Sua chave e seu uso")) }
                    }
                }
            }
        }
        section aria-labelledby="latest" {
            h2 id="latest" { (say("Latest figures", "Últimos valores")) }
            div.cards { @for card in &cards { (card.show(view)) } }
            (freshness(snapshot, view, &cards)?)
        }
        (news(snapshot, view)?)
        section.columns {
            div {
                h2 { (say("Query it", "Consulte")) }
                p { (say(
                    "Latest values and full histories: IPCA since 1980, CDI since 1994, Selic since 1999, the dollar since 2000. Search over companies and over the subjects and classes of filings, with exact totals. Market answers say where their figures come from and whether newer ones are due.",
                    "Últimos valores e séries completas: IPCA desde 1980, CDI desde 1994, Selic desde 1999, dólar desde 2000. Busca em companhias e nos assuntos e classes dos documentos, com totais exatos. As respostas de mercado dizem de onde vêm os números e se já deveria haver dados mais novos.",
                )) }
            }
            div {
                h2 { (say("Rely on it", "Confie")) }
                p { (say(
                    "Exact rate limits, errors that name the wrong parameter, ETags, compression, and an OpenAPI description that is tested against the running service.",
                    "Limites de requisições exatos, erros que indicam o parâmetro errado, ETags, compressão e uma descrição OpenAPI testada contra o serviço em execução.",
                )) }
            }
            div {
                h2 { (say("Run it yourself", "Rode no seu servidor")) }
                p { (say(
                    "One binary with the data built in, or a Rust library. No database server, no queue, nothing to configure.",
                    "Um binário com os dados embutidos, ou uma biblioteca Rust. Sem servidor de banco de dados, sem fila, nada a configurar.",
                )) }
            }
        }
    };
    let about = say(
        "Today’s Selic, CDI, IPCA and dollar with twelve months of each, the latest material facts of Brazilian companies, and the API that serves them.",
        "Selic, CDI, IPCA e dólar de hoje, com doze meses de cada um, os últimos fatos relevantes de companhias brasileiras e a API que os serve.",
    );
    let title = say("Brazil’s financial data", "Dados financeiros do Brasil");
    Ok(layout::described_page(view, "/", (title, about), &content))
}

/// How new the figures and the filings are, and where to read more about it.
fn freshness(snapshot: &Snapshot, view: &View, cards: &[Card]) -> Result<Markup> {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    let [event_documents, ..] = filings::coverage(snapshot)?;
    let any_stale = event_documents.stale || cards.iter().any(|card| card.is_stale);
    Ok(html! {
        (coverage_note(view, &event_documents, snapshot.today()))
        p.note {
            @if any_stale {
                (say(
                    "Where an age is highlighted, our copy ends and newer data is due. The operator of this server gets it with ",
                    "Onde a idade está em destaque, a nossa cópia termina e já deve haver dados mais novos. O operador deste servidor os obtém com ",
                ))
                a href=(view.path("/docs/guide/keeping-data-fresh")) { code { "finserve sync" } }
                ". "
            } @else {
                (say("These figures are up to date.", "Estes valores estão em dia."))
            }
        }
    })
}

fn cards(snapshot: &Snapshot, view: &View) -> Result<[Card; 4]> {
    let now = market::overview(snapshot)?;
    let until = |current: &Rate, limit: u32| -> Result<History> {
        Ok(History { to: Some(current.date), limit: Limit::new(limit)?, ..History::default() })
    };
    let figures =
        |rates: Rows<Rate>| rates.into_iter().map(|rate| (rate.date, rate.value)).collect();
    let selic = figures(market::selic(snapshot, until(&now.selic, YEAR)?)?.data);
    let cdi = figures(market::cdi(snapshot, until(&now.cdi, YEAR)?)?.data);
    let ipca = figures(market::ipca(snapshot, until(&now.ipca, 12)?)?.data);
    let dollar =
        FxHistory { to: Some(now.fx.date), limit: Limit::new(YEAR)?, ..FxHistory::default() };
    let dollar = market::fx(snapshot, dollar)?.data.into_iter();
    let dollar = dollar.map(|day| (day.date, day.sell)).collect();
    let of = &now.meta.indicators;
    let card = |indicator: Indicator, newest, points, meta: &Meta| Card {
        age: data_age::of(indicator.period, snapshot.today(), newest, view.language),
        points: last_year(newest, points),
        is_stale: meta.stale == Some(true),
        indicator,
        newer: Vec::new(),
        in_a_year: None,
    };
    let [about_selic, about_cdi, about_ipca, about_dollar] = indicators(view, of);
    Ok([
        card(about_selic, now.selic.date, selic, &of.selic),
        card(about_cdi, now.cdi.date, cdi, &of.cdi),
        Card {
            in_a_year: inflation_in_a_year(snapshot, now.ipca.date)?,
            ..card(about_ipca, now.ipca.date, ipca, &of.ipca)
        },
        Card {
            newer: market::newer_sides(snapshot, now.fx.pair)?,
            ..card(about_dollar, now.fx.date, dollar, &of.fx)
        },
    ])
}

/// The inflation of the twelve months that end with this one, if all of them are held.
fn inflation_in_a_year(snapshot: &Snapshot, month: Date) -> Result<Option<Figure>> {
    let (from, to) = (Some(month), Some(month));
    let query = SeriesHistory { from, to, ..SeriesHistory::new("ipca".parse()?) };
    let how = Transformation { units: Units::Accumulated12Months, ..Transformation::default() };
    let rows = market::transformed(snapshot, query, how)?.data;
    Ok(rows.first().map(|row| row.value.clone()))
}

/// A figure of four decimals with two, as IBGE publishes inflation; rounded half up.
fn two_decimals(figure: &Figure) -> String {
    let text = figure.to_string();
    match text.replace('.', "").parse::<i128>() {
        Ok(digits) => {
            let cents = (digits.abs() + 50) / 100;
            let sign = if digits < 0 && cents > 0 { "-" } else { "" };
            format!("{sign}{}.{:02}", cents / 100, cents % 100)
        }
        Err(_) => text,
    }
}

/// The points of the year up to the newest, oldest first.
fn last_year(newest: Date, mut points: Vec<(Date, Decimal)>) -> Vec<(Date, Decimal)> {
    let oldest = newest.days_before(YEAR - 1);
    points.retain(|(date, _)| (oldest..=newest).contains(date));
    points.reverse();
    points
}

fn indicators(view: &View, of: &Indicators) -> [Indicator; 4] {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    let deposits = match of.cdi.computed_from {
        Some(_) => say(
            "interbank deposit rate, computed from the daily rate",
            "taxa dos depósitos interbancários, calculada a partir da taxa diária",
        ),
        None => say("interbank deposit rate", "taxa dos depósitos interbancários"),
    };
    let percent_a_year = say("% a year", "% ao ano");
    [
        Indicator {
            id: "selic",
            name: "Selic",
            about: say("central bank’s target rate", "meta da taxa básica de juros"),
            unit: percent_a_year,
            page: "/market/selic",
            endpoint: "/api/v1/market/selic",
            shape: Shape::Steps,
            period: Period::Day,
        },
        Indicator {
            id: "cdi",
            name: "CDI",
            about: deposits,
            unit: percent_a_year,
            page: "/market/cdi",
            endpoint: "/api/v1/market/cdi",
            shape: Shape::Line,
            period: Period::Day,
        },
        Indicator {
            id: "ipca",
            name: "IPCA",
            about: say("consumer price inflation", "inflação ao consumidor"),
            unit: say("% in the month", "% no mês"),
            page: "/market/ipca",
            endpoint: "/api/v1/market/ipca",
            shape: Shape::Bars,
            period: Period::Month,
        },
        Indicator {
            id: "fx",
            name: "USD/BRL",
            about: say(
                "US dollar, PTAX closing rate, sell side",
                "dólar americano, PTAX de fechamento, venda",
            ),
            unit: say("BRL per dollar", "reais por dólar"),
            page: "/market/fx/usd-brl",
            endpoint: "/api/v1/market/fx",
            shape: Shape::Line,
            period: Period::Day,
        },
    ]
}

impl Card {
    fn show(&self, view: &View) -> Markup {
        let (language, indicator) = (view.language, &self.indicator);
        let Some((date, value)) = self.points.last().copied() else { return html! {} };
        let to = indicator.period.of(date, language);
        let title = language.pick(
            format!("{}, 12 months to {to}", indicator.name),
            format!("{}, 12 meses até {to}", indicator.name),
        );
        let chart = Chart {
            id: indicator.id,
            title: &title,
            unit: indicator.unit,
            points: &self.points,
            shape: indicator.shape,
            period: indicator.period,
            size: Size::Card,
        };
        html! {
            article.card {
                h3 { a href=(view.link(indicator.page)) { (indicator.name) } " " small { (indicator.about) } }
                p.figure { data value=(value) { (language.number(value)) } " " span.unit { (indicator.unit) } }
                @if let Some(year) = &self.in_a_year {
                    @let page = Address::at(indicator.page).with("units", Some(Units::Accumulated12Months.as_str()));
                    p { a href=(page.link(view)) {
                        data value=(year) { (language.written(&two_decimals(year))) }
                        (language.pick("% in 12 months", "% em 12 meses"))
                    } }
                }
                p.change {
                    time datetime=(date) { (indicator.period.of(date, language)) }
                    " · " @if self.is_stale { strong.age { (self.age) } } @else { span.recent { (self.age) } }
                    " · " (self.change(view, value))
                }
                @if !self.newer.is_empty() { p.change { (newer_side_notes(view, &self.newer)) } }
                (chart.draw(language))
                p.more { a href=(view.path(indicator.endpoint)) { code { (view.path(indicator.endpoint)) } } }
            }
        }
    }

    /// How far the newest figure is from the last one that differs, and when that was.
    fn change(&self, view: &View, value: Decimal) -> String {
        let language = view.language;
        let earlier =
            self.points.iter().rev().find(|(_, figure)| figure.to_f64() != value.to_f64());
        let Some((date, figure)) = earlier else {
            return language.pick("unchanged for 12 months", "sem alteração há 12 meses").into();
        };
        let decimals = value.to_string().split_once('.').map_or(0, |(_, decimals)| decimals.len());
        let change = language.signed(value.to_f64() - figure.to_f64(), decimals);
        let since = self.indicator.period.of(*date, language);
        language.pick(format!("{change} since {since}"), format!("{change} desde {since}"))
    }
}
