//! The arguments of `get`, and the question of the API that they become.
use clap::{Args, Subcommand, ValueEnum};
use clap_complete::engine::ArgValueCompleter;
use fincore::CompanyId;

use super::{
    asked::{Drawn, Part, Question, Shown, Whom},
    complete,
};
use crate::ask::encoded;

#[derive(Debug, Args)]
pub(crate) struct Get {
    #[command(subcommand)]
    pub(crate) what: What,
    #[command(flatten)]
    pub(crate) whom: Whom,
    #[command(flatten)]
    pub(crate) shown: Shown,
}

#[derive(Debug, Subcommand)]
pub(crate) enum What {
    /// Selic, CDI, IPCA and exchange rates: the newest of each, or the history of one
    Market(Market),
    /// Any series of the central bank by number or name; without one, the list of them
    Series(Series),
    /// Companies: found by name, brand, ticker, CNPJ or code, and listed by status and sector
    Companies(Companies),
    /// One company
    Company {
        /// CVM code, CNPJ, ticker, a whole name, or a part of one that only one company has
        #[arg(add = ArgValueCompleter::new(complete::company))]
        company: String,
    },
    /// Filings, newest first: found by words, or by company, category, type and days
    Filings(Filings),
    /// One filing, with the address of its document
    Filing {
        /// The id, as the list of filings shows it
        id: String,
    },
    /// The categories and types of filings, with their numbers
    Categories {
        #[command(flatten)]
        part: Part,
    },
    /// Whether a day is a business day of the financial market; without one, the business days of a range
    Calendar {
        /// The day, YYYY-MM-DD
        #[arg(conflicts_with_all = ["from", "to"])]
        date: Option<String>,
        #[command(flatten)]
        days: Days,
    },
    /// Companies and filings in one answer
    Search {
        /// All words must match; words in double quotes are a phrase
        #[arg(value_name = "QUERY", add = ArgValueCompleter::new(complete::name))]
        q: String,
        /// The most rows of each
        #[arg(long, value_name = "ROWS")]
        limit: Option<String>,
        /// The number of rows to skip of each
        #[arg(long, value_name = "ROWS")]
        offset: Option<String>,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Days {
    /// First day, YYYY-MM-DD
    #[arg(long, value_name = "DATE")]
    from: Option<String>,
    /// Last day, YYYY-MM-DD
    #[arg(long, value_name = "DATE")]
    to: Option<String>,
}

/// What histories take.
#[derive(Debug, Args)]
pub(crate) struct History {
    #[command(flatten)]
    days: Days,
    #[command(flatten)]
    part: Part,
    /// Only the newest value
    #[arg(long, conflicts_with_all = ["from", "to", "limit", "offset", "all", "chart"])]
    current: bool,
    /// Draw it: all of it, unless --from, --to or --limit say less
    #[arg(long)]
    chart: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Market {
    #[arg(value_name = "INDICATOR", default_value = "overview")]
    indicator: Indicator,
    /// The currency pair of fx, such as EUR/BRL, EURBRL or eur-brl [default: USD/BRL]
    #[arg(long, add = ArgValueCompleter::new(complete::pair))]
    pair: Option<String>,
    #[command(flatten)]
    history: History,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Indicator {
    /// The newest value of all four
    Overview,
    /// Selic target rate, percent a year
    Selic,
    /// Interbank deposit rate, percent a year
    Cdi,
    /// Consumer price inflation, percent a month
    Ipca,
    /// Closing exchange rates (PTAX) of a currency pair
    Fx,
    /// The currency pairs there are
    Pairs,
}

#[derive(Debug, Args)]
pub(crate) struct Series {
    /// Number or name, such as 189, igp-m or IGPM
    #[arg(add = ArgValueCompleter::new(complete::series))]
    series: Option<String>,
    #[command(flatten)]
    history: History,
}

#[derive(Debug, Args)]
pub(crate) struct Companies {
    /// Any name, brand, ticker, CNPJ or CVM code, best match first
    #[arg(value_name = "QUERY", add = ArgValueCompleter::new(complete::name))]
    q: Option<String>,
    /// Only companies with this status, such as ativo
    #[arg(long)]
    status: Option<String>,
    /// Only companies of this sector
    #[arg(long)]
    sector: Option<String>,
    #[command(flatten)]
    part: Part,
}

#[derive(Debug, Args)]
pub(crate) struct Filings {
    /// All words must match; words in double quotes are a phrase
    #[arg(value_name = "QUERY")]
    q: Option<String>,
    /// Only filings of this company: CVM code, CNPJ or ticker
    #[arg(long, add = ArgValueCompleter::new(complete::company))]
    company: Option<String>,
    /// Only filings of this category, such as "fato relevante"
    #[arg(long, add = ArgValueCompleter::new(complete::category))]
    category: Option<String>,
    /// Only filings of this type
    #[arg(long, add = ArgValueCompleter::new(complete::filing_type))]
    r#type: Option<String>,
    #[command(flatten)]
    days: Days,
    /// With QUERY: newest or relevance [default: newest]
    #[arg(long, requires = "q")]
    order: Option<String>,
    #[command(flatten)]
    part: Part,
}

/// What `get` asks for.
#[derive(Debug)]
pub(crate) enum Wanted {
    Answer(Question),
    /// The company that this text names.
    Company(String),
}

impl What {
    /// The question that this is; what the API has to say against it, it says itself.
    pub(crate) fn wanted(&self) -> Wanted {
        Wanted::Answer(match self {
            What::Market(market) => market.question(),
            What::Series(Series { series: Some(series), history }) => {
                history.question(&format!("market/series/{}", encoded(series)))
            }
            What::Series(Series { series: None, history }) => history.list("market/series"),
            What::Companies(Companies { q, status, sector, part }) => {
                let path = if q.is_some() { "companies/search" } else { "companies" };
                Question::at(path)
                    .with([("q", q), ("status", status), ("sector", sector)])
                    .part(*part)
            }
            What::Company { company } if company.parse::<CompanyId>().is_ok() => {
                Question::company(&encoded(company))
            }
            What::Company { company } => return Wanted::Company(company.clone()),
            What::Filings(filings) => filings.question(),
            What::Filing { id } => Question::at(&format!("filings/{}", encoded(id))),
            What::Categories { part } => Question::at("filings/categories").part(*part),
            What::Calendar { date: Some(date), .. } => {
                Question::at(&format!("calendar/{}", encoded(date)))
            }
            What::Calendar { date: None, days } => days.of(Question::at("calendar/business-days")),
            What::Search { q, limit, offset } => Question::at("search").with([
                ("q", &Some(q.clone())),
                ("limit", limit),
                ("offset", offset),
            ]),
        })
    }
}

impl Market {
    fn question(&self) -> Question {
        let asked = match self.indicator {
            Indicator::Overview => self.history.list("market/overview"),
            Indicator::Selic => self.history.question("market/selic"),
            Indicator::Cdi => self.history.question("market/cdi"),
            Indicator::Ipca => self.history.question("market/ipca"),
            Indicator::Fx => self.history.question("market/fx"),
            Indicator::Pairs => self.history.list("market/fx/pairs"),
        };
        asked.with([("pair", &self.pair)])
    }
}

impl History {
    /// The history at this path, or the newest value of it.
    fn question(&self, path: &str) -> Question {
        if self.current {
            return Question::at(&format!("{path}/current"));
        }
        let (drawn, part) = match self.chart {
            true => (Drawn::Chart, Part { all: self.part.limit.is_none(), ..self.part }),
            false => (Drawn::Rows, self.part),
        };
        Question { page: 10_000, drawn, ..self.days.of(Question::at(path)).part(part) }
    }

    /// What has no history: the API refuses days, and there is nothing to draw.
    fn list(&self, path: &str) -> Question {
        let drawn = if self.chart { Drawn::Impossible } else { Drawn::Rows };
        Question { drawn, ..self.days.of(Question::at(path)).part(self.part) }
    }
}

impl Days {
    fn of(&self, question: Question) -> Question {
        question.with([("from", &self.from), ("to", &self.to)])
    }
}

impl Filings {
    fn question(&self) -> Question {
        let Filings { q, company, category, r#type, days, order, part } = self;
        let path = if q.is_some() { "filings/search" } else { "filings" };
        let asked = Question::at(path).with([
            ("q", q),
            ("company", company),
            ("category", category),
            ("type", r#type),
            ("order", order),
        ]);
        days.of(asked).part(*part)
    }
}

#[cfg(test)]
mod tests;
