//! Every tool, one row each: a name for the path of an endpoint, and when to use it.
use std::sync::LazyLock;

use serde_json::{Map, Value, json};

use crate::openapi::{API, FORMATS, Operation, Parameter};

/// The rows. `openapi.yaml` says which parameters a tool takes and which plan it needs.
#[rustfmt::skip]
const ROWS: &[(&str, &str, &str)] = &[
    ("get_market_overview",    "/api/v1/market/overview",
     "The newest Selic target rate, CDI, IPCA and US dollar quote of Brazil in one answer."),
    ("list_series",            "/api/v1/market/series",
     "Lists every available time series (interest rates, price indexes, exchange rates) with its \
      name, unit, frequency, and first and last day. Use it to find the name that the other series \
      tools take. With q, it searches; those with a count of 0 are not available here. With ids, it returns the values of up to ten series side by side instead."),
    ("get_series_value",       "/api/v1/market/series/{series}/current",
     "The newest value of one series, such as selic, cdi, ipca, igp-m, inpc or savings."),
    ("get_series_history",     "/api/v1/market/series/{series}",
     "The values of one series between two days, newest first. In a monthly series, each date is the first day of its month."),
    ("summarise_series",       "/api/v1/market/series/{series}/summary",
     "Count, smallest and largest value, mean and standard deviation of one series between two days."),
    ("get_selic_decisions",    "/api/v1/market/selic/decisions",
     "The decisions of Brazil's monetary policy committee (Copom) on the Selic target rate, newest first: the day of each \
      meeting, the target before and after, and the change; and the days of its next meetings."),
    ("list_currencies",        "/api/v1/market/fx/pairs",
     "Lists the currency pairs that have quotes, all against the Brazilian real, with the number of days of each."),
    ("get_quote",              "/api/v1/market/fx/current",
     "The newest PTAX closing quote of a currency pair, in reais per unit."),
    ("get_quote_history",      "/api/v1/market/fx",
     "The PTAX closing quotes of a currency pair between two days, newest first."),
    ("correct_amount",         "/api/v1/calc/correction",
     "Adjusts a past amount for inflation (ipca, igpm, inpc), Selic, CDI or savings, optionally by a \
      percentage of the rate or with a spread on top. For rents, count months as contracts do."),
    ("accumulate_series",      "/api/v1/calc/accumulated",
     "What a series accumulated between two days, such as the inflation of a year, the CDI of a month or the change of the dollar."),
    ("convert_currency",       "/api/v1/calc/convert",
     "Converts an amount to another currency, through the Brazilian real, at the PTAX closing quotes of any day."),
    ("compute_real_rate",      "/api/v1/calc/real-rate",
     "Real interest over whole months: what the Selic or the CDI left after the IPCA or another price index."),
    ("convert_rate",           "/api/v1/calc/rate",
     "Converts an interest rate by compound interest between a year of 252 business days, a year of 360 or 365 days, a month and a business day."),
    ("get_business_day",       "/api/v1/calendar/{date}",
     "Tells whether a day is a business day of the Brazilian financial market, which holiday it \
      is, and the business days before and after it."),
    ("list_business_days",     "/api/v1/calendar/business-days",
     "Lists the business days of the Brazilian financial market between two days."),
    ("search_companies",       "/api/v1/companies/search",
     "Finds companies by name, former name, brand, ticker, CNPJ, CVM code or ISIN, best match first. It tolerates typing errors; meta.hints says which ticker or company is not there."),
    ("list_companies",         "/api/v1/companies",
     "Lists the companies registered with CVM; filter by status and sector."),
    ("list_sectors",           "/api/v1/companies/sectors",
     "Lists the sectors, each with its number of companies and how many are active and listed."),
    ("get_company",            "/api/v1/companies/{id}",
     "The details of one company, by CVM code, CNPJ, ticker or ISIN. Use search_companies to find the code."),
    ("list_company_filings",   "/api/v1/companies/{id}/filings",
     "What one company has filed with CVM, newest first; filter by category, type and date."),
    ("list_company_statements", "/api/v1/companies/{id}/statements",
     "Lists which financial statements of one company there are: annual (DFP) and quarterly (ITR) forms with their versions."),
    ("get_statement",          "/api/v1/companies/{id}/statements/{kind}",
     "A financial statement of one company account by account, in reais: balance sheet, income statement, cash flow, value \
      added; by fiscal year, quarter, year to date or the last twelve months (ttm). Give depth 2 or 3 for the main accounts \
      alone: a whole statement is long."),
    ("get_financials",         "/api/v1/companies/{id}/financials",
     "The key figures of one company by fiscal year, quarter or the last twelve months: revenue, EBIT, EBITDA, net income, \
      debt, equity, cash flows, earnings per share, margins, ROE. Use it before get_statement, which has every account."),
    ("screen_companies",       "/api/v1/financials",
     "Compares all companies by their key figures: the largest by revenue or net income, those of a sector, the figures of \
      a year. Give metric, or rows are long."),
    ("search_filings",         "/api/v1/filings/search",
     "Finds filings by the words of their subject, company, category and type, such as \"fato \
      relevante\" or \"dividendos\"; filter by company, category and date."),
    ("list_filings",           "/api/v1/filings",
     "Lists the filings of all companies, newest first; filter by company, category, type and date. Without arguments, it returns the latest filings."),
    ("get_filing",             "/api/v1/filings/{id}",
     "One filing, with the address of the document at CVM."),
    ("list_filing_categories", "/api/v1/filings/categories",
     "Lists the categories and types of filings, with the number of filings of each. The other filing tools take these values."),
    ("search",                 "/api/v1/search",
     "Searches companies and filings together. Use it when it is not clear which of the two is meant."),
];

/// The tools, ready to be called.
pub(crate) static TOOLS: LazyLock<Vec<Tool>> =
    LazyLock::new(|| ROWS.iter().copied().filter_map(Tool::from_row).collect());

/// The tools as a list of JSON.
pub(super) static TOOL_LIST: LazyLock<String> =
    LazyLock::new(|| Value::from_iter(TOOLS.iter().map(Tool::describe)).to_string());

/// A tool. Each tool maps to one endpoint.
pub(crate) struct Tool {
    pub(crate) name: &'static str,
    description: &'static str,
    pub(crate) operation: &'static Operation,
    /// Its parameters, in the order of the document.
    pub(crate) parameters: Vec<&'static Parameter>,
    /// How many rows it returns without a limit.
    pub(crate) rows: Option<u64>,
}

impl Tool {
    /// The tool of a row; `None` if there is no such endpoint.
    fn from_row(
        (name, path, description): (&'static str, &'static str, &'static str),
    ) -> Option<Tool> {
        let operation = API.get(path)?;
        let taken = |parameter: &&Parameter| !FORMATS.contains(&parameter.name.as_str());
        let parameters: Vec<_> = operation.parameters.iter().filter(taken).collect();
        let limit = parameters.iter().find(|parameter| parameter.name == "limit");
        let rows =
            limit.and_then(|limit| limit.schema.get("default")?.as_u64()).map(rows_for_agents);
        Some(Tool { name, description, operation, parameters, rows })
    }

    pub(crate) fn find(name: &str) -> Option<&'static Tool> {
        TOOLS.iter().find(|tool| tool.name == name)
    }

    pub(crate) fn takes(&self, name: &str) -> bool {
        self.parameters.iter().any(|parameter| parameter.name == name)
    }

    /// As `tools/list` shows it.
    fn describe(&self) -> Value {
        let plan = self.operation.plan.as_deref().filter(|plan| *plan != "free");
        let plan = plan.map(|plan| format!(" Needs the {} plan.", capitalise(plan)));
        json!({
            "name": self.name,
            "title": self.operation.summary,
            "description": format!("{}{}", self.description, plan.unwrap_or_default()),
            "inputSchema": self.schema(),
            "annotations": {
                "readOnlyHint": true,
                "destructiveHint": false,
                "idempotentHint": true,
                "openWorldHint": false,
            },
        })
    }

    fn schema(&self) -> Value {
        let property = |parameter: &&Parameter| {
            let mut schema = parameter.schema.clone();
            schema.insert("description".into(), parameter.description.as_str().into());
            if let Some(example) = &parameter.example {
                schema.insert("examples".into(), json!([example]));
            }
            if let (Some(rows), "limit") = (self.rows, parameter.name.as_str()) {
                schema.insert("default".into(), rows.into());
            }
            (parameter.name.clone(), Value::Object(schema))
        };
        let properties: Map<String, Value> = self.parameters.iter().map(property).collect();
        let required = self.parameters.iter().filter(|parameter| parameter.required);
        let required: Vec<&str> = required.map(|parameter| parameter.name.as_str()).collect();
        json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        })
    }
}

/// How many rows an agent gets of a list that gives a program so many: the agent reads every one of them.
fn rows_for_agents(rows: u64) -> u64 {
    match rows {
        0..=10 => rows,
        11..=20 => 10,
        // Lists that are meant to be read in full.
        _ => 50,
    }
}

fn capitalise(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// The number of rows, for the tests.
#[cfg(test)]
pub(super) fn rows() -> usize {
    ROWS.len()
}
