//! The subject of a history: a series or a currency.
use fincore::{
    Date, Decimal, Limit, Meta, Offset, Pair, Result, SeriesId, Snapshot,
    market::{
        self, FxHistory, FxPair, FxPairs, ListedSeries, NewerSide, Origin, Rhythm, SeriesCurrent,
        SeriesHistory, SeriesList,
    },
};
use maud::Markup;

use crate::{
    errors::BadRequest,
    pages::{
        chart::{Period, Shape},
        language::Language,
        page_url::Address,
        structured_data::DatasetPage,
        view::View,
    },
};

/// A series or a currency that has figures.
pub(crate) enum Subject {
    Series(Box<ListedSeries>),
    Pair(FxPair),
}

/// Figures of a day: one of a series, two of a currency.
pub(crate) struct Row {
    pub(crate) date: Date,
    pub(crate) figures: Vec<Decimal>,
    pub(crate) origin: Origin,
}

/// A part of a history, newest first.
pub(crate) struct Part {
    pub(crate) rows: Vec<Row>,
    pub(crate) total: u64,
    pub(crate) meta: Meta,
}

/// The most rows that can be asked for at once.
const MOST: u32 = 10_000;

/// Currencies with fewer days come last in lists, and are no pages to be found by.
const FEW_DAYS: u64 = 30;

/// Gold, which the bulletin quotes by the gram.
const GOLD: &str = "XAU";

/// Currencies with a name of their own; others are called by their code.
const CURRENCIES: [(&str, &str, &str); 11] = [
    ("USD", "US dollar", "Dólar americano"),
    ("EUR", "Euro", "Euro"),
    ("GBP", "Pound sterling", "Libra esterlina"),
    ("JPY", "Yen", "Iene"),
    ("CHF", "Swiss franc", "Franco suíço"),
    ("CAD", "Canadian dollar", "Dólar canadense"),
    ("AUD", "Australian dollar", "Dólar australiano"),
    ("CNY", "Yuan", "Iuane"),
    ("ARS", "Argentine peso", "Peso argentino"),
    ("CLP", "Chilean peso", "Peso chileno"),
    (GOLD, "Gold", "Ouro"),
];

impl Subject {
    /// The series of an id. Fails if it has no figures; the inner error is for one that has some, and is not listed.
    pub(crate) fn series(
        snapshot: &Snapshot,
        id: &SeriesId,
    ) -> Result<Result<Subject, BadRequest>> {
        let is_it = |series: &ListedSeries| {
            SeriesId::from(series.number) == *id
                || series.name.parse().is_ok_and(|name: SeriesId| name == *id)
        };
        let all = market::series_list(snapshot, SeriesList::default())?.data;
        match all.into_iter().find(is_it) {
            Some(series) => Ok(Ok(Subject::Series(Box::new(series)))),
            None => {
                // Fails with the reason why there is none.
                market::series_current(snapshot, SeriesCurrent::new(id.clone()))?;
                Ok(Err(BadRequest::UnlistedSeries(id.clone())))
            }
        }
    }

    /// The currency of a pair. Fails if it has no quotes; the inner error is for one that has some, and is not listed.
    pub(crate) fn pair(snapshot: &Snapshot, pair: Pair) -> Result<Result<Subject, BadRequest>> {
        let newest = market::fx_current(snapshot, market::FxCurrent { pair })?.date;
        let all = market::fx_pairs(snapshot, FxPairs::default())?.data;
        let covered = all.into_iter().find(|covered| covered.pair == pair);
        Ok(covered.map(Subject::Pair).ok_or(BadRequest::UnlistedPair { pair, newest }))
    }

    /// The path of its page.
    pub(crate) fn path(&self) -> String {
        match self {
            Subject::Series(series) => format!("/market/{}", series.name),
            Subject::Pair(covered) => format!("/market/fx/{}", slug(covered.pair)),
        }
    }

    /// The short name: `ipca`, `USD/BRL`.
    pub(crate) fn name(&self) -> String {
        match self {
            Subject::Series(series) => series.name.to_string(),
            Subject::Pair(covered) => covered.pair.to_string(),
        }
    }

    pub(crate) fn title(&self, language: Language) -> String {
        match self {
            Subject::Series(series) => match series.title {
                Some(title) => language.pick(title.en, title.pt).to_owned(),
                None => language.pick(
                    format!("Series {} of the central bank", series.number),
                    format!("Série {} do Banco Central", series.number),
                ),
            },
            Subject::Pair(covered) => {
                let (pair, code) = (covered.pair, covered.pair.base.as_str());
                let named = CURRENCIES.iter().find(|(known, ..)| *known == code);
                let (english, portuguese) =
                    named.map_or((code, code), |(_, english, portuguese)| (english, portuguese));
                language.pick(
                    format!("{english} ({pair}), PTAX closing rate"),
                    format!("{portuguese} ({pair}), PTAX de fechamento"),
                )
            }
        }
    }

    /// The description of the page.
    pub(crate) fn about(&self, language: Language) -> String {
        let (title, unit, (first, last)) = (self.title(language), self.unit(language), self.days());
        let [first, last] = [first, last].map(|day| language.date(day));
        let unit = if unit.is_empty() { unit } else { format!(", {unit}") };
        language.pick(
            format!("{title}{unit}: chart, table and download of the figures of Banco Central do Brasil from {first} to {last}."),
            format!("{title}{unit}: gráfico, tabela e download dos números do Banco Central do Brasil de {first} a {last}."),
        )
    }

    /// The description for search engines.
    pub(crate) fn described(&self, view: &View) -> Markup {
        let (path, name, about) =
            (self.path(), self.title(view.language), self.about(view.language));
        let endpoint = self.endpoint().text();
        let creator = "Banco Central do Brasil";
        DatasetPage { path: &path, name: &name, about: &about, creator, endpoint: &endpoint }
            .describe(view)
    }

    /// The unit of its figures; nothing where it is not known.
    pub(crate) fn unit(&self, language: Language) -> String {
        match self {
            Subject::Series(series) => series
                .unit
                .map_or_else(String::new, |unit| language.pick(unit.en, unit.pt).to_owned()),
            Subject::Pair(covered) if covered.pair.base.as_str() == GOLD => {
                language.pick("BRL per gram", "reais por grama").to_owned()
            }
            Subject::Pair(covered) => language.pick(
                format!("BRL per {}", covered.pair.base),
                format!("reais por {}", covered.pair.base),
            ),
        }
    }

    /// Whether its figures are percentages, whose changes are percentage points.
    pub(crate) fn is_percent(&self) -> bool {
        match self {
            Subject::Series(series) => {
                series.unit.is_some_and(|unit| unit.en.starts_with("percent"))
            }
            Subject::Pair(_) => false,
        }
    }

    /// How its line is drawn.
    pub(crate) fn shape(&self) -> Shape {
        let holds = match self {
            Subject::Series(series) => market::known_series()
                .iter()
                .any(|known| known.number == series.number && known.holds_until_changed()),
            Subject::Pair(_) => false,
        };
        if holds { Shape::Steps } else { Shape::Line }
    }

    /// How many days or months have a figure.
    pub(crate) fn count(&self) -> u64 {
        match self {
            Subject::Series(series) => series.count,
            Subject::Pair(covered) => covered.days,
        }
    }

    /// How many days a currency has, where they are few.
    pub(crate) fn few_days(&self, language: Language) -> Option<String> {
        match self {
            Subject::Pair(covered) if has_few_days(covered) => Some(match covered.days {
                1 => language.pick("1 day held", "1 dia disponível").to_owned(),
                days => {
                    language.pick(format!("{days} days held"), format!("{days} dias disponíveis"))
                }
            }),
            Subject::Pair(_) | Subject::Series(_) => None,
        }
    }

    /// The years of a currency that has few days.
    pub(crate) fn years_of_few(&self, snapshot: &Snapshot) -> Result<Vec<u16>> {
        match self {
            Subject::Pair(covered) if has_few_days(covered) => {
                market::years_with_quotes(snapshot, covered.pair.base)
            }
            Subject::Pair(_) | Subject::Series(_) => Ok(Vec::new()),
        }
    }

    /// The day by which the next figure should be published, where that is known.
    pub(crate) fn next_due(&self, snapshot: &Snapshot) -> Result<Option<Date>> {
        match self {
            Subject::Series(series) => market::next_due(snapshot, series.number),
            Subject::Pair(covered) => market::next_quote_due(snapshot, covered.pair),
        }
    }

    /// One side of a currency that is newer than its newest quote.
    pub(crate) fn newer_sides(&self, snapshot: &Snapshot) -> Result<Vec<NewerSide>> {
        match self {
            Subject::Pair(covered) => market::newer_sides(snapshot, covered.pair),
            Subject::Series(_) => Ok(Vec::new()),
        }
    }

    /// How often it has a figure, in words.
    pub(crate) fn rhythm(&self, language: Language) -> &'static str {
        let rhythm = match self {
            Subject::Series(series) => series.rhythm,
            Subject::Pair(_) => Some(Rhythm::BusinessDays),
        };
        match rhythm {
            Some(Rhythm::Daily) => language.pick("every day", "todos os dias"),
            Some(Rhythm::BusinessDays) => {
                language.pick("every business day", "todos os dias úteis")
            }
            Some(Rhythm::Monthly) => language.pick("every month", "todos os meses"),
            None => language.pick("not known", "não conhecida"),
        }
    }

    pub(crate) fn period(&self) -> Period {
        match self {
            Subject::Series(series) if series.rhythm == Some(Rhythm::Monthly) => Period::Month,
            Subject::Series(_) | Subject::Pair(_) => Period::Day,
        }
    }

    /// Whether its figures are changes, which are drawn from zero.
    pub(crate) fn is_change(&self) -> bool {
        match self {
            Subject::Series(series) => {
                self.period() == Period::Month
                    && series.unit.is_some_and(|unit| unit.en == "percent per month")
            }
            Subject::Pair(_) => false,
        }
    }

    /// The first and the last day that it has.
    pub(crate) fn days(&self) -> (Date, Date) {
        match self {
            // Only a series that is held has a page.
            Subject::Series(series) => {
                (series.first.unwrap_or(Date::MIN), series.last.unwrap_or(Date::MIN))
            }
            Subject::Pair(covered) => (covered.from, covered.to),
        }
    }

    /// The names of the figures of a row.
    pub(crate) fn columns(&self, language: Language) -> Vec<&'static str> {
        match self {
            Subject::Series(_) => vec![language.pick("Value", "Valor")],
            Subject::Pair(_) => {
                vec![language.pick("Buy", "Compra"), language.pick("Sell", "Venda")]
            }
        }
    }

    /// A part of its history, as the API answers the same question.
    pub(crate) fn read(
        &self,
        snapshot: &Snapshot,
        (from, to): (Option<Date>, Option<Date>),
        (limit, offset): (u32, u64),
    ) -> Result<Part> {
        let (limit, offset) = (Limit::new(limit)?, Offset::new(offset)?);
        match self {
            Subject::Series(series) => {
                let of = SeriesHistory::new(SeriesId::from(series.number));
                let page =
                    market::series(snapshot, SeriesHistory { from, to, limit, offset, ..of })?;
                let row = |rate: market::Rate| Row {
                    date: rate.date,
                    figures: vec![rate.value],
                    origin: rate.origin,
                };
                Ok(Part {
                    rows: page.data.into_iter().map(row).collect(),
                    total: page.total,
                    meta: page.meta,
                })
            }
            Subject::Pair(covered) => {
                let query = FxHistory { pair: covered.pair, from, to, limit, offset };
                let page = market::fx(snapshot, query)?;
                let row = |quote: market::FxRate| Row {
                    date: quote.date,
                    figures: vec![quote.buy, quote.sell],
                    origin: Origin::Published,
                };
                Ok(Part {
                    rows: page.data.into_iter().map(row).collect(),
                    total: page.total,
                    meta: page.meta,
                })
            }
        }
    }

    /// All days of a range with the figure that is drawn, oldest first.
    pub(crate) fn points(
        &self,
        snapshot: &Snapshot,
        days: (Option<Date>, Option<Date>),
    ) -> Result<Vec<(Date, Decimal)>> {
        let mut points = Vec::new();
        loop {
            let read = u64::try_from(points.len()).unwrap_or(u64::MAX);
            let part = self.read(snapshot, days, (MOST, read))?;
            let drawn = |row: &Row| row.figures.last().map(|figure| (row.date, *figure));
            points.extend(part.rows.iter().filter_map(drawn));
            let read = u64::try_from(points.len()).unwrap_or(u64::MAX);
            if part.rows.is_empty() || read >= part.total {
                break;
            }
        }
        points.reverse();
        Ok(points)
    }

    /// Where a browser gets the figures as a file.
    pub(crate) fn download(&self) -> Address {
        match self {
            Subject::Series(series) => Address::at(format!("/market/download/{}", series.name)),
            Subject::Pair(covered) => {
                Address::at(format!("/market/download/fx/{}", slug(covered.pair)))
            }
        }
    }

    /// The endpoint of its newest figure.
    pub(crate) fn current(&self) -> Address {
        match self {
            Subject::Series(series) => {
                Address::at(format!("/api/v1/market/series/{}/current", series.name))
            }
            Subject::Pair(covered) => {
                Address::at("/api/v1/market/fx/current").with("pair", Some(slug(covered.pair)))
            }
        }
    }

    /// The endpoint that answers the same question.
    pub(crate) fn endpoint(&self) -> Address {
        match self {
            Subject::Series(series) => {
                Address::at(format!("/api/v1/market/series/{}", series.name))
            }
            Subject::Pair(covered) => {
                Address::at("/api/v1/market/fx").with("pair", Some(slug(covered.pair)))
            }
        }
    }
}

/// The name of a figure's origin, if it was not published.
pub(crate) fn origin_name(origin: Origin, language: Language) -> Option<&'static str> {
    match origin {
        Origin::Published => None,
        Origin::Computed => Some(language.pick("computed", "calculado")),
        Origin::Carried => {
            Some(language.pick("carried from the day before", "repetido do dia anterior"))
        }
    }
}

/// Whether a currency has so few days that other currencies come first.
pub(crate) fn has_few_days(covered: &FxPair) -> bool {
    covered.days < FEW_DAYS
}

/// A pair as it is written in addresses: `usd-brl`.
pub(crate) fn slug(pair: Pair) -> String {
    pair.to_string().replace('/', "-").to_ascii_lowercase()
}
