//! What a history is of: a series or a currency.
use fincore::{
    Date, Decimal, Limit, Meta, Offset, Pair, Result, SeriesId, Snapshot,
    market::{
        self, FxHistory, FxPair, FxPairs, ListedSeries, Rhythm, SeriesCurrent, SeriesHistory,
        SeriesList,
    },
};

use crate::{
    errors::BadRequest,
    pages::{chart::Period, language::Language, page_url::Address},
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
}

/// A part of a history, newest first.
pub(crate) struct Part {
    pub(crate) rows: Vec<Row>,
    pub(crate) total: u64,
    pub(crate) meta: Meta,
}

/// The most rows that can be asked for at once.
const MOST: u32 = 10_000;

/// Currencies with a name of their own; others are called by their code.
const CURRENCIES: [(&str, &str, &str); 10] = [
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

    /// The unit of its figures; nothing where it is not known.
    pub(crate) fn unit(&self, language: Language) -> String {
        match self {
            Subject::Series(series) => series
                .unit
                .map_or_else(String::new, |unit| language.pick(unit.en, unit.pt).to_owned()),
            Subject::Pair(covered) => language.pick(
                format!("BRL per {}", covered.pair.base),
                format!("reais por {}", covered.pair.base),
            ),
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
            Subject::Series(series) => (series.first, series.last),
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
                let row = |rate: market::Rate| Row { date: rate.date, figures: vec![rate.value] };
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

/// A pair as it is written in addresses: `usd-brl`.
pub(crate) fn slug(pair: Pair) -> String {
    pair.to_string().replace('/', "-").to_ascii_lowercase()
}
