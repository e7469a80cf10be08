//! The arguments of `get statements`, and the question that they become.
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

/// The most periods that the API gives at once: more than there are since forms have statements.
const PERIODS: u64 = 200;

#[derive(Debug, Args)]
pub(crate) struct Statements {
    /// CVM code, CNPJ or ticker
    #[arg(add = ArgValueCompleter::new(complete::company))]
    company: String,
    /// balance-sheet, income, comprehensive-income, cash-flow, value-added or equity-changes; without it, the list of forms
    kind: Option<String>,
    /// annual, quarter, ytd (year to date) or ttm (the last twelve months) [default: annual]
    #[arg(long)]
    period: Option<String>,
    /// consolidated or individual [default: consolidated, or individual if there is nothing else]
    #[arg(long)]
    scope: Option<String>,
    #[command(flatten)]
    days: Days,
    /// Only what CVM had received by the end of this day, YYYY-MM-DD
    #[arg(long, value_name = "DATE")]
    as_of: Option<String>,
    /// Show what the following form gives for comparison, where it differs from what was filed
    #[arg(long)]
    restated: bool,
    /// The deepest accounts: 1 for 3, 2 for 3.01
    #[arg(long)]
    depth: Option<String>,
    /// wide (a row for each account, a column for each period) or, as JSON only, long (a row for each period) [default: wide]
    #[arg(long)]
    layout: Option<String>,
    /// Maximum number of periods; without a statement, of forms [default: 5 periods, 20 forms]
    #[arg(long, value_name = "PERIODS", value_parser = rows)]
    limit: Option<u64>,
    /// Number of periods or forms to skip
    #[arg(long, value_name = "PERIODS")]
    offset: Option<u64>,
    /// All periods, or all forms
    #[arg(long, conflicts_with = "limit")]
    all: bool,
}

impl Statements {
    pub(super) fn question(&self) -> Question {
        let Statements { company, kind, limit, offset, all, .. } = self;
        let forms = format!("companies/{}/statements", percent_encode(company));
        let (limit, offset, all) = (*limit, *offset, *all);
        let Some(kind) = kind else {
            let pages = PageOptions { limit, offset, all };
            return self.choose(Question::at(&forms)).with_pages(pages);
        };
        let layout = Some(self.layout.clone().unwrap_or_else(|| "wide".into()));
        let asked = self.choose(Question::at(&format!("{forms}/{}", percent_encode(kind))));
        // Rows are accounts there, so that they do not say which period comes next: all periods are one page.
        let pages = PageOptions { limit: limit.or(all.then_some(PERIODS)), offset, all: false };
        let asked = asked.with([("layout", &layout)]).with_pages(pages);
        Question { page_size: u64::MAX, ..asked }
    }

    /// The chosen filters; the API refuses those that do not fit.
    fn choose(&self, question: Question) -> Question {
        let restated = self.restated.then(|| "true".to_owned());
        let layout = self.layout.clone().filter(|_| self.kind.is_none());
        self.days.add_to(question).with([
            ("period", &self.period),
            ("scope", &self.scope),
            ("as_of", &self.as_of),
            ("restated", &restated),
            ("depth", &self.depth),
            ("layout", &layout),
        ])
    }
}
