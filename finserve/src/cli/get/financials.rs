//! The arguments of `get financials`, and the question that they become.
use clap::Args;
use clap_complete::engine::ArgValueCompleter;

use super::{
    super::{
        complete,
        query_options::{PageOptions, Question, rows},
    },
    Days,
};
use crate::api_client::percent_encode;

#[derive(Debug, Args)]
pub(crate) struct Financials {
    /// CVM code, CNPJ or ticker; without it, all companies
    #[arg(add = ArgValueCompleter::new(complete::company))]
    company: Option<String>,
    /// annual, quarter or ttm (the last twelve months) [default: annual]
    #[arg(long)]
    period: Option<String>,
    /// Of a company: consolidated or individual [default: consolidated, or individual if there is nothing else]
    #[arg(long)]
    scope: Option<String>,
    #[command(flatten)]
    days: Days,
    /// Of a company, as JSON: each figure with the accounts that it was made of
    #[arg(long)]
    sources: bool,
    /// Of all companies: these figures, separated by commas, such as net_income,revenue [default: all]
    #[arg(long, value_name = "METRICS")]
    metric: Option<String>,
    /// Of all companies: the year in which the period ends [default: the newest of each]
    #[arg(long)]
    year: Option<String>,
    /// Of all companies: only those of this sector
    #[arg(long)]
    sector: Option<String>,
    /// Of all companies: name, a figure, or -FIGURE for the largest first [default: name]
    #[arg(long, allow_hyphen_values = true)]
    order: Option<String>,
    /// Maximum number of periods or companies [default: 5 periods, 20 companies]
    #[arg(long, value_name = "ROWS", value_parser = rows)]
    limit: Option<u64>,
    /// Number of periods or companies to skip
    #[arg(long, value_name = "ROWS")]
    offset: Option<u64>,
    /// Fetch all rows, page by page
    #[arg(long, conflicts_with = "limit")]
    all: bool,
}

impl Financials {
    /// The chosen filters; the API refuses those that do not fit.
    pub(super) fn question(&self) -> Question {
        let Financials { company, period, scope, days, metric, year, sector, order, .. } = self;
        let (path, page_size) = match company {
            Some(company) => (format!("companies/{}/financials", percent_encode(company)), 200),
            None => ("financials".to_owned(), 1_000),
        };
        let sources = self.sources.then(|| "true".to_owned());
        let asked = days.add_to(Question::at(&path)).with([
            ("period", period),
            ("scope", scope),
            ("sources", &sources),
            ("metric", metric),
            ("year", year),
            ("sector", sector),
            ("order", order),
        ]);
        let (limit, offset, all) = (self.limit, self.offset, self.all);
        Question { page_size, ..asked.with_pages(PageOptions { limit, offset, all }) }
    }
}
