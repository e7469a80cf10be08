//! Every tool, one row each: a name for the path of an endpoint, and when to use it.
use std::sync::LazyLock;

use serde_json::{Map, Value, json};

use crate::api::{API, FORMATS, Operation, Parameter};

/// The rows. What a tool takes, and which plan it needs, is what `openapi.yaml` says of the path.
#[rustfmt::skip]
const ROWS: &[(&str, &str, &str)] = &[
    ("get_market_overview",    "/api/v1/market/overview",
     "The newest Selic target rate, CDI, IPCA and US dollar quote of Brazil in one answer."),
    ("list_series",            "/api/v1/market/series",
     "Every time series that is held (interest rates, price indexes, exchange rates), with its name, unit, rhythm and first \
      and last day. Use it to find the name that the other series tools take."),
    ("get_series_value",       "/api/v1/market/series/{series}/current",
     "The newest value of one series, such as selic, cdi, ipca, igp-m, inpc or savings."),
    ("get_series_history",     "/api/v1/market/series/{series}",
     "The values of one series between two days, the newest first. The date of a monthly series is the first day of its month."),
    ("list_currencies",        "/api/v1/market/fx/pairs",
     "The currency pairs that have quotes, all against the Brazilian real, with the number of days each has."),
    ("get_quote",              "/api/v1/market/fx/current",
     "The newest PTAX closing quote of a currency pair, in reais per unit."),
    ("get_quote_history",      "/api/v1/market/fx",
     "The PTAX closing quotes of a currency pair between two days, the newest first."),
    ("correct_amount",         "/api/v1/calc/correction",
     "What an amount of one day is on another by a price index (ipca, igpm, inpc), the Selic or the CDI, with a percentage of \
      it or a spread on top."),
    ("accumulate_series",      "/api/v1/calc/accumulated",
     "What a series accumulated between two days: inflation of a year, the CDI of a month, the change of the dollar."),
    ("convert_currency",       "/api/v1/calc/convert",
     "An amount in another currency at PTAX closing quotes, of any day, through the Brazilian real."),
    ("compute_real_rate",      "/api/v1/calc/real-rate",
     "Interest less inflation over whole months: what the Selic or the CDI left after the IPCA or another price index."),
    ("get_business_day",       "/api/v1/calendar/{date}",
     "Whether a day is a business day of the Brazilian financial market, which holiday it is, and the business days before \
      and after it."),
    ("list_business_days",     "/api/v1/calendar/business-days",
     "The business days of the Brazilian financial market between two days."),
    ("search_companies",       "/api/v1/companies/search",
     "Finds companies by name, former name, brand, ticker, CNPJ or CVM code, the best match first. Typing errors are forgiven."),
    ("list_companies",         "/api/v1/companies",
     "The companies registered with CVM, by status and sector."),
    ("get_company",            "/api/v1/companies/{id}",
     "The facts about one company, by CVM code or CNPJ. Use search_companies to find the code."),
    ("list_company_filings",   "/api/v1/companies/{id}/filings",
     "What one company has filed with CVM, the newest first, by category, type and days."),
    ("search_filings",         "/api/v1/filings/search",
     "Finds filings by the words of their subject, company, category and type, such as \"fato relevante\" or \"dividendos\"; \
      they can be narrowed to a company, a category and days."),
    ("list_filings",           "/api/v1/filings",
     "Filings of all companies, the newest first, by company, category, type and days. Without arguments: what was filed last."),
    ("get_filing",             "/api/v1/filings/{id}",
     "One filing, with the address of the document at CVM."),
    ("list_filing_categories", "/api/v1/filings/categories",
     "The categories and types of filings with how many there are: the values that the other filing tools take."),
    ("search",                 "/api/v1/search",
     "Searches companies and filings at once. Use it when it is not clear which of the two is meant."),
];

/// The tools, ready to be called.
pub(crate) static TOOLS: LazyLock<Vec<Tool>> =
    LazyLock::new(|| ROWS.iter().copied().filter_map(Tool::of).collect());

/// The tools as a list of JSON.
pub(super) static LISTED: LazyLock<String> =
    LazyLock::new(|| Value::from_iter(TOOLS.iter().map(Tool::described)).to_string());

/// A tool: an endpoint with another name.
pub(crate) struct Tool {
    pub(crate) name: &'static str,
    says: &'static str,
    pub(crate) operation: &'static Operation,
    /// What it takes, in the order of the document.
    pub(crate) parameters: Vec<&'static Parameter>,
    /// How many rows it gives unless it is told.
    pub(crate) rows: Option<u64>,
}

impl Tool {
    /// The tool of a row; nothing where there is no such endpoint.
    fn of((name, path, says): (&'static str, &'static str, &'static str)) -> Option<Tool> {
        let operation = API.get(path)?;
        let taken = |parameter: &&Parameter| !FORMATS.contains(&parameter.name.as_str());
        let parameters: Vec<_> = operation.parameters.iter().filter(taken).collect();
        let limit = parameters.iter().find(|parameter| parameter.name == "limit");
        let rows = limit.and_then(|limit| limit.schema.get("default")?.as_u64()).map(few);
        Some(Tool { name, says, operation, parameters, rows })
    }

    pub(crate) fn find(name: &str) -> Option<&'static Tool> {
        TOOLS.iter().find(|tool| tool.name == name)
    }

    /// Whether it takes this.
    pub(crate) fn takes(&self, name: &str) -> bool {
        self.parameters.iter().any(|parameter| parameter.name == name)
    }

    /// As `tools/list` shows it.
    fn described(&self) -> Value {
        let plan = self.operation.plan.as_deref().filter(|plan| *plan != "free");
        let plan = plan.map(|plan| format!(" Needs the {} plan.", capitalised(plan)));
        json!({
            "name": self.name,
            "title": self.operation.summary,
            "description": format!("{}{}", self.says, plan.unwrap_or_default()),
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

/// How many rows an agent gets of a list that has so many for a program: it reads every one of them.
fn few(rows: u64) -> u64 {
    match rows {
        0..=10 => rows,
        11..=20 => 10,
        // Lists that are meant to be read as a whole.
        _ => 50,
    }
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// The number of rows, for the tests.
#[cfg(test)]
pub(super) fn rows() -> usize {
    ROWS.len()
}
