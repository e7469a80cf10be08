//! The arguments of `get`, and the question of the API that they become.
use clap::{Args, Subcommand, ValueEnum};
use clap_complete::engine::ArgValueCompleter;
use fincore::CompanyRef;

use super::{
    complete,
    query_options::{ChartMode, OutputOptions, PageOptions, Question, RemoteOptions},
};
use crate::api_client::percent_encode;

mod financials;
mod statements;
use financials::Financials;
use statements::Statements;

#[derive(Debug, Args)]
pub(crate) struct Get {
    #[command(subcommand)]
    pub(crate) command: GetCommand,
    #[command(flatten)]
    pub(crate) remote: RemoteOptions,
    #[command(flatten)]
    pub(crate) output: OutputOptions,
}

#[derive(Debug, Subcommand)]
pub(crate) enum GetCommand {
    /// Selic, CDI, IPCA and exchange rates: the newest value of each, or the history of one
    Market(Market),
    /// One series of the central bank by number or name, or several side by side; without an argument, the list of series
    Series(Series),
    /// Search companies by name, brand, ticker, CNPJ or code, or list them by status and sector
    Companies(Companies),
    /// One company
    Company {
        /// CVM code, CNPJ, ticker, full name, or a part of a name that only one company has
        #[arg(add = ArgValueCompleter::new(complete::company))]
        company: String,
    },
    /// Search filings by words, or list them by company, category, type and date
    Filings(Filings),
    /// One filing, with the URL of its document
    Filing {
        /// The id of the filing, as the list of filings shows it
        id: String,
    },
    /// Financial statements of a company: one of them by year, quarter or twelve months, or the list of forms
    Statements(Statements),
    /// Key figures: of a company period by period, or of all companies side by side
    Financials(Financials),
    /// The categories and types of filings, with the number of filings of each
    Categories {
        #[command(flatten)]
        pages: PageOptions,
    },
    /// Whether a day is a business day of the financial market; without a day, the business days of a range
    Calendar {
        /// The day, YYYY-MM-DD
        #[arg(conflicts_with_all = ["from", "to"])]
        date: Option<String>,
        #[command(flatten)]
        days: Days,
    },
    /// Search companies and filings together
    Search {
        /// All words must match; words in double quotes are a phrase
        #[arg(value_name = "QUERY", add = ArgValueCompleter::new(complete::name))]
        q: String,
        /// Maximum number of companies, and of filings
        #[arg(long, value_name = "ROWS")]
        limit: Option<String>,
        /// Number of companies, and of filings, to skip
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

/// The flags of histories.
#[derive(Debug, Args)]
pub(crate) struct History {
    #[command(flatten)]
    days: Days,
    #[command(flatten)]
    pages: PageOptions,
    #[command(flatten)]
    transformation: Transformation,
    /// What was known at the end of this day, YYYY-MM-DD
    #[arg(long, value_name = "DATE")]
    as_of: Option<String>,
    /// The first value of each day that was published, not the one that replaced it
    #[arg(long, conflicts_with_all = ["as_of", "current"])]
    first_release: bool,
    /// Only the newest value
    #[arg(long, conflicts_with_all = ["from", "to", "limit", "offset", "all", "chart", "frequency", "units", "only"])]
    current: bool,
    /// Draw a chart of the whole history, or of the part that --from, --to and --limit select
    #[arg(long)]
    chart: bool,
}

/// How a history is transformed.
#[derive(Debug, Args)]
#[command(next_help_heading = "Transformation")]
pub(crate) struct Transformation {
    /// One row per week, month, quarter or year
    #[arg(long)]
    frequency: Option<String>,
    /// What a period makes of its values: mean, first, last, min, max, sum or compound [default: compound for rates of a day or month, otherwise mean]
    #[arg(long, requires = "frequency")]
    aggregate: Option<String>,
    /// What is told of each row: value, change, percent_change, year_ago, percent_year_ago, accumulated_12m or index
    #[arg(long)]
    units: Option<String>,
    /// The date of the row that is 100, with --units index [default: the first]
    #[arg(long, value_name = "DATE", requires = "units")]
    base: Option<String>,
    /// changes: only rows whose value differs from the one before
    #[arg(long, value_name = "ROWS")]
    only: Option<String>,
    /// Show the period that has not ended too
    #[arg(long)]
    partial: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Market {
    #[arg(value_name = "INDICATOR", default_value = "overview")]
    indicator: Indicator,
    /// The currency pair of fx, such as EUR/BRL, EURBRL or eur-brl [default: USD/BRL]
    #[arg(long, add = ArgValueCompleter::new(complete::pair))]
    pair: Option<String>,
    /// The side of fx that is transformed: buy or sell [default: sell]
    #[arg(long)]
    side: Option<String>,
    #[command(flatten)]
    history: History,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Indicator {
    /// The newest value of each indicator
    Overview,
    /// Selic target rate, percent a year
    Selic,
    /// Decisions of the monetary policy committee (Copom) on the Selic target
    Decisions,
    /// Interbank deposit rate, percent a year
    Cdi,
    /// Consumer price inflation, percent a month
    Ipca,
    /// Closing exchange rates (PTAX) of a currency pair
    Fx,
    /// The currency pairs that have quotes
    Pairs,
}

#[derive(Debug, Args)]
pub(crate) struct Series {
    /// Number or name, such as 189, igp-m or IGPM; up to ten, separated by commas, are shown side by side
    #[arg(add = ArgValueCompleter::new(complete::series))]
    series: Option<String>,
    /// Search names, titles and units of series, also of those that `finserve sync --series` could bring
    #[arg(long = "search", value_name = "WORDS", conflicts_with = "series")]
    q: Option<String>,
    /// Count, ends, extremes, mean and standard deviation of the series, instead of its rows
    #[arg(long, requires = "series", conflicts_with_all = ["limit", "offset", "all", "chart", "frequency", "units", "only", "partial", "current", "first_release"])]
    summary: bool,
    #[command(flatten)]
    history: History,
}

#[derive(Debug, Args)]
pub(crate) struct Companies {
    /// Name, brand, ticker, CNPJ or CVM code; the best match comes first
    #[arg(value_name = "QUERY", add = ArgValueCompleter::new(complete::name))]
    q: Option<String>,
    /// Only companies with this status, such as ativo
    #[arg(long)]
    status: Option<String>,
    /// Only companies of this sector
    #[arg(long)]
    sector: Option<String>,
    /// Only companies with a ticker (true), or only those without (false)
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    listed: Option<String>,
    #[command(flatten)]
    pages: PageOptions,
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
    pages: PageOptions,
}

#[derive(Debug)]
pub(crate) enum GetRequest {
    Question(Question),
    /// The company with this name or ticker.
    CompanyLookup(String),
}

impl GetCommand {
    /// The question of the API that these arguments become; the API itself refuses what is wrong with it.
    pub(crate) fn request(&self) -> GetRequest {
        GetRequest::Question(match self {
            GetCommand::Market(market) => market.question(),
            GetCommand::Series(series) => series.question(),
            GetCommand::Companies(Companies { q, status, sector, listed, pages }) => {
                let path = if q.is_some() { "companies/search" } else { "companies" };
                Question::at(path)
                    .with([("q", q), ("status", status), ("sector", sector), ("listed", listed)])
                    .with_pages(*pages)
            }
            GetCommand::Company { company } => match company.parse() {
                Ok(CompanyRef::Id(id)) => Question::company(&percent_encode(&id.to_string())),
                Ok(CompanyRef::Ticker(_)) | Err(_) => {
                    return GetRequest::CompanyLookup(company.clone());
                }
            },
            GetCommand::Filings(filings) => filings.question(),
            GetCommand::Filing { id } => Question::at(&format!("filings/{}", percent_encode(id))),
            GetCommand::Statements(statements) => statements.question(),
            GetCommand::Financials(financials) => financials.question(),
            GetCommand::Categories { pages } => {
                Question::at("filings/categories").with_pages(*pages)
            }
            GetCommand::Calendar { date: Some(date), .. } => {
                Question::at(&format!("calendar/{}", percent_encode(date)))
            }
            GetCommand::Calendar { date: None, days } => {
                days.add_to(Question::at("calendar/business-days"))
            }
            GetCommand::Search { q, limit, offset } => Question::at("search").with([
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
            Indicator::Decisions => self.history.list("market/selic/decisions"),
            Indicator::Cdi => self.history.question("market/cdi"),
            Indicator::Ipca => self.history.question("market/ipca"),
            Indicator::Fx => self.history.question("market/fx"),
            Indicator::Pairs => self.history.list("market/fx/pairs"),
        };
        asked.with([("pair", &self.pair), ("side", &self.side)])
    }
}

impl Series {
    fn question(&self) -> Question {
        let Some(series) = &self.series else {
            return self.history.list("market/series").with([("q", &self.q)]);
        };
        let path = format!("market/series/{}", percent_encode(series));
        match self.summary {
            false if series.contains(',') => {
                let asked = self.history.list("market/series");
                Question { page_size: 10_000, ..asked.with([("ids", &Some(series.clone()))]) }
            }
            true => {
                let asked = self.history.days.add_to(Question::at(&format!("{path}/summary")));
                asked.with([("as_of", &self.history.as_of)])
            }
            false => self.history.question(&path),
        }
    }
}

impl History {
    /// The history at this path, or the newest value of it.
    fn question(&self, path: &str) -> Question {
        if self.current {
            return Question::at(&format!("{path}/current")).with([("as_of", &self.as_of)]);
        }
        let (chart_mode, pages) = match self.chart {
            true => {
                (ChartMode::Chart, PageOptions { all: self.pages.limit.is_none(), ..self.pages })
            }
            false => (ChartMode::Rows, self.pages),
        };
        Question { page_size: 10_000, chart_mode, ..self.rows(path).with_pages(pages) }
    }

    /// A list without a history: the API refuses days and transformations, and there is nothing to draw.
    fn list(&self, path: &str) -> Question {
        let chart_mode = if self.chart { ChartMode::Impossible } else { ChartMode::Rows };
        Question { chart_mode, ..self.rows(path).with_pages(self.pages) }
    }

    /// The rows that the flags choose.
    fn rows(&self, path: &str) -> Question {
        let first_release = self.first_release.then(|| "true".to_owned());
        let asked = self.transformation.add_to(self.days.add_to(Question::at(path)));
        asked.with([("as_of", &self.as_of), ("first_release", &first_release)])
    }
}

impl Transformation {
    fn add_to(&self, question: Question) -> Question {
        let Transformation { frequency, aggregate, units, base, only, partial } = self;
        let partial = partial.then(|| "true".to_owned());
        question.with([
            ("frequency", frequency),
            ("aggregate", aggregate),
            ("units", units),
            ("base", base),
            ("only", only),
            ("partial", &partial),
        ])
    }
}

impl Days {
    fn add_to(&self, question: Question) -> Question {
        question.with([("from", &self.from), ("to", &self.to)])
    }
}

impl Filings {
    fn question(&self) -> Question {
        let Filings { q, company, category, r#type, days, order, pages } = self;
        let path = if q.is_some() { "filings/search" } else { "filings" };
        let asked = Question::at(path).with([
            ("q", q),
            ("company", company),
            ("category", category),
            ("type", r#type),
            ("order", order),
        ]);
        days.add_to(asked).with_pages(*pages)
    }
}

#[cfg(test)]
mod tests;
