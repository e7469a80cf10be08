//! `/`: what this is, and the four indicators as they are now.
use fincore::{
    Date, Decimal, Limit, Result, Snapshot,
    market::{self, FxHistory, History, Rate},
};
use maud::{Markup, html};

use super::{
    chart::{Chart, Shape},
    layout,
    view::View,
};

/// A year of days; the newest of them is the current one.
const YEAR: u32 = 366;

/// An indicator, as a card of the page.
struct Card {
    id: &'static str,
    name: &'static str,
    about: &'static str,
    unit: &'static str,
    endpoint: &'static str,
    shape: Shape,
    /// Oldest first, over twelve months; never empty.
    points: Vec<(Date, Decimal)>,
}

/// The home page. Fails where the data has no current figures.
pub(crate) fn home(snapshot: &Snapshot, view: &View) -> Result<Markup> {
    let cards = cards(snapshot, view)?;
    let newest = cards.iter().filter_map(|card| card.points.last()).map(|(date, _)| *date).max();
    let say = |english, portuguese| view.language.pick(english, portuguese);
    let content = html! {
        section.hero {
            h1 { (say("Brazil’s financial data, one call away", "Os dados financeiros do Brasil, a uma chamada")) }
            p.lead {
                (say(
                    "Selic, CDI, IPCA and exchange rates from the central bank; every registered company and its filings from the securities regulator. Plain JSON, with the digits that were published.",
                    "Selic, CDI, IPCA e câmbio do Banco Central; todas as companhias registradas e seus documentos da CVM. JSON simples, com os dígitos publicados.",
                ))
            }
            pre.command tabindex="0" { code { "curl " (view.origin) "/api/v1/market/overview" } }
            p.actions {
                a.button.primary href=(view.link("/pricing")) { (say("Get a free key", "Obter uma chave grátis")) }
                a.button href=(view.link("/docs")) { (say("Try the API", "Experimentar a API")) }
            }
        }
        section aria-labelledby="now" {
            h2 id="now" { (say("The four indicators now", "Os quatro indicadores agora")) }
            div.cards { @for card in &cards { (card.show(view)) } }
            @if let Some(newest) = newest {
                p.note {
                    (say("Newest figure: ", "Dado mais recente: "))
                    time datetime=(newest) { (view.language.date(newest)) } "."
                }
            }
        }
        section.columns {
            div {
                h2 { (say("Read it", "Leia")) }
                p { (say(
                    "Histories since 1980, current values, full-text search over companies and filings, exact totals. Every answer says where its figures come from.",
                    "Séries desde 1980, valores atuais, busca textual em companhias e documentos, totais exatos. Cada resposta diz de onde vêm os números.",
                )) }
            }
            div {
                h2 { (say("Rely on it", "Confie")) }
                p { (say(
                    "Limits that are exact to the request, errors that name the parameter, ETags, compression, and a contract that is tested against the running service.",
                    "Limites exatos por requisição, erros que apontam o parâmetro, ETags, compressão e um contrato testado contra o serviço em execução.",
                )) }
            }
            div {
                h2 { (say("Run it yourself", "Rode você mesmo")) }
                p { (say(
                    "One binary with its data inside, or a Rust library. No database server, no queue, nothing to configure.",
                    "Um binário com os dados dentro, ou uma biblioteca Rust. Sem servidor de banco, sem fila, nada a configurar.",
                )) }
            }
        }
    };
    Ok(layout::page(
        view,
        "/",
        say("Brazil’s financial data", "Dados financeiros do Brasil"),
        &content,
    ))
}

fn cards(snapshot: &Snapshot, view: &View) -> Result<[Card; 4]> {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    let days = |newest: Date, mut points: Vec<(Date, Decimal)>| {
        let oldest = newest.days_before(YEAR - 1);
        points.retain(|(date, _)| (oldest..=newest).contains(date));
        points.reverse();
        points
    };
    let until = |current: &Rate, limit: u32| -> Result<History> {
        Ok(History { to: Some(current.date), limit: Limit::new(limit)?, ..History::default() })
    };
    let figures =
        |rates: Vec<Rate>| rates.into_iter().map(|rate| (rate.date, rate.value)).collect();
    let now = market::overview(snapshot)?;
    let selic = market::selic(snapshot, until(&now.selic, YEAR)?)?.data;
    let cdi = market::cdi(snapshot, until(&now.cdi, YEAR)?)?.data;
    let ipca = market::ipca(snapshot, until(&now.ipca, 12)?)?.data;
    let dollar =
        FxHistory { to: Some(now.fx.date), limit: Limit::new(YEAR)?, ..FxHistory::default() };
    let dollar = market::fx(snapshot, dollar)?.data;
    let dollar = dollar.into_iter().map(|day| (day.date, day.sell)).collect();
    let percent_a_year = say("% a year", "% ao ano");
    Ok([
        Card {
            id: "selic",
            name: "Selic",
            about: say("target rate of the central bank", "meta da taxa básica"),
            unit: percent_a_year,
            endpoint: "/api/v1/market/selic",
            shape: Shape::Line,
            points: days(now.selic.date, figures(selic)),
        },
        Card {
            id: "cdi",
            name: "CDI",
            about: say("interbank deposit rate", "depósitos interbancários"),
            unit: percent_a_year,
            endpoint: "/api/v1/market/cdi",
            shape: Shape::Line,
            points: days(now.cdi.date, figures(cdi)),
        },
        Card {
            id: "ipca",
            name: "IPCA",
            about: say("consumer price inflation", "inflação ao consumidor"),
            unit: say("% in the month", "% no mês"),
            endpoint: "/api/v1/market/ipca",
            shape: Shape::Bars,
            points: days(now.ipca.date, figures(ipca)),
        },
        Card {
            id: "fx",
            name: "USD/BRL",
            about: say("dollar, PTAX closing, sell", "dólar, PTAX de fechamento, venda"),
            unit: say("BRL per dollar", "reais por dólar"),
            endpoint: "/api/v1/market/fx",
            shape: Shape::Line,
            points: days(now.fx.date, dollar),
        },
    ])
}

impl Card {
    fn show(&self, view: &View) -> Markup {
        let language = view.language;
        let Some((date, value)) = self.points.last().copied() else { return html! {} };
        let title = language.pick(
            format!("{} over the last 12 months", self.name),
            format!("{} nos últimos 12 meses", self.name),
        );
        let chart = Chart { id: self.id, title: &title, points: &self.points, shape: self.shape };
        html! {
            article.card {
                h3 { (self.name) " " small { (self.about) } }
                p.figure { data value=(value) { (language.number(value)) } " " span.unit { (self.unit) } }
                p.change {
                    time datetime=(date) { @if self.shape == Shape::Bars { (language.month(date)) } @else { (language.date(date)) } }
                    " · " (self.change(view, value))
                }
                (chart.draw(language))
                p.more { a href=(self.endpoint) { code { (self.endpoint) } } }
            }
        }
    }

    /// How far the newest figure is from the last one that differs, and when that was.
    fn change(&self, view: &View, value: Decimal) -> String {
        let language = view.language;
        let earlier = self.points.iter().rev().find(|(_, figure)| *figure != value);
        let Some((date, figure)) = earlier else {
            return language.pick("unchanged for 12 months", "sem mudança há 12 meses").into();
        };
        let decimals = value.decimals().into();
        let change = language.signed(value.to_f64() - figure.to_f64(), decimals);
        let since =
            if self.shape == Shape::Bars { language.month(*date) } else { language.date(*date) };
        language.pick(format!("{change} since {since}"), format!("{change} desde {since}"))
    }
}
