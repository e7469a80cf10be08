//! `/llms.txt` and `/llms-full.txt`: the API for language models, written from what `openapi.yaml` says.
use std::{collections::BTreeSet, fmt::Write, sync::LazyLock};

use fincore::plans;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{
    context::Context,
    openapi_document::{PLACEHOLDER, address},
};
use crate::{
    http::message::{
        parameters::Params,
        refusal::Refusal,
        reply::{Body, Caching, Reply},
    },
    mcp::{PATH, TOOLS},
    openapi::{API, Operation, Parameter, ParameterLocation, Response},
    site::api_key_header::x_api_key,
};

static SHORT: LazyLock<String> = LazyLock::new(|| document(introduction(), line));
static FULL: LazyLock<String> = LazyLock::new(|| document(introduction() + &errors(), section));

/// `GET /llms.txt`
pub(crate) fn short(context: &Context<'_>, _: Params<'_>) -> Result<Reply, Refusal> {
    Ok(served(&SHORT, context))
}

/// `GET /llms-full.txt`
pub(crate) fn full(context: &Context<'_>, _: Params<'_>) -> Result<Reply, Refusal> {
    Ok(served(&FULL, context))
}

/// The document with the address of this very service.
///
/// Plain text, although it is Markdown: browsers offer `text/markdown` for download.
fn served(document: &str, context: &Context<'_>) -> Reply {
    let document = document.replace(PLACEHOLDER, &address(context.origin.as_deref(), context.base));
    let vary = "Host, X-Forwarded-Proto, Accept-Encoding";
    Reply::ok(Body::new("text/plain; charset=utf-8", document), Caching::Refetched(vary))
}

/// A text, and after it every endpoint in the words of `described`.
fn document(mut text: String, described: impl Fn(&Operation) -> String) -> String {
    for tag in &API.tags {
        let _ = write!(text, "\n## {}\n\n{}\n\n", tag.name, tag.description.trim());
        let operations = API.operations.iter().filter(|operation| operation.tag == tag.name);
        operations.for_each(|operation| text += &described(operation));
    }
    text
}

fn introduction() -> String {
    let header = x_api_key!();
    let mut text = format!(
        "# finserve

> Brazilian financial data: interest rates, inflation and exchange rates of the central bank (BCB), companies and their \
filings at the securities regulator (CVM). Over HTTP as JSON, and as tools for agents (MCP).

## How to call the API

- Address: {PLACEHOLDER}
- Requests without a key are on the Free plan and limited by client address. `POST /api/v1/plans/register` with \
`{{\"name\": \"Ana\", \"email\": \"ana@example.com\"}}` gives a free key.
- Send a key as `{header}: KEY` or `Authorization: Bearer KEY`, never in the address.
- Every response says how many requests are left (`X-RateLimit-Remaining`); 429 says when to retry (`Retry-After`).
- Every error is `{{\"error\": \"code\", \"message\": \"sentence\"}}`; 403 `plan_required` names the plan that you need.
- Lists have `data`, `total`, `limit` and `offset`; the next page starts at `offset` + `limit`. Dates are YYYY-MM-DD.
- Numbers keep the digits of their source: parse them as decimals.

## Plans

"
    );
    let mut smaller: Option<plans::Offer> = None;
    for plan in plans::list().plans {
        let (name, price, limit) = (plan.name, plan.price, plan.rate_limit);
        let known =
            |feature: &&str| smaller.as_ref().is_some_and(|one| one.features.contains(feature));
        let new: Vec<&str> = plan.features.iter().copied().filter(|one| !known(one)).collect();
        let (currency, new) = (plan.currency, new.join("; "));
        let before = smaller
            .as_ref()
            .map(|one| format!("everything in {}, and: ", one.name))
            .unwrap_or_default();
        let _ = writeln!(
            text,
            "- {name} ({price} {currency} per month, {limit} requests per minute): {before}{new}"
        );
        smaller = Some(plan);
    }
    let tools: Vec<&str> = TOOLS.iter().map(|tool| tool.name).collect();
    let _ = write!(
        text,
        "
## Documents and tools

- [Every endpoint with parameters, examples and errors]({PLACEHOLDER}/llms-full.txt)
- [OpenAPI as YAML]({PLACEHOLDER}/docs/openapi.yaml), [as JSON]({PLACEHOLDER}/docs/openapi.json)
- [Reference for people]({PLACEHOLDER}/docs), [plans]({PLACEHOLDER}/pricing)
- MCP: {PLACEHOLDER}{PATH} (Streamable HTTP, with the same keys, plans and limits), or `finserve mcp` (standard input and \
output). Tools: {}
",
        tools.join(", ")
    );
    text
}

/// An endpoint in a line.
fn line(operation: &Operation) -> String {
    let Operation { method, path, summary, .. } = operation;
    let (plan, takes) = (plan(operation), names(operation));
    format!("- [{method} {path}]({PLACEHOLDER}{path}): {summary}. {plan}{takes}\n")
}

fn plan(operation: &Operation) -> String {
    operation
        .plan
        .as_ref()
        .map_or_else(|| "Needs no plan.".to_owned(), |plan| format!("Plan: {plan}."))
}

fn names(operation: &Operation) -> String {
    let query = operation.parameters.iter().filter(|one| one.location != ParameterLocation::Path);
    let names: Vec<&str> = query.map(|parameter| parameter.name.as_str()).collect();
    if names.is_empty() { String::new() } else { format!(" Parameters: {}.", names.join(", ")) }
}

/// An endpoint with all that is known of it.
fn section(operation: &Operation) -> String {
    let Operation { method, path, summary, description, .. } = operation;
    let mut text = format!(
        "### {method} {path}\n\n{summary}. {}\n\n{}\n\n",
        plan(operation),
        description.trim()
    );
    if !operation.parameters.is_empty() {
        text += "Parameters:\n\n";
        operation.parameters.iter().for_each(|parameter| text += &parameter_line(parameter));
        text += "\n";
    }
    let _ = write!(text, "Example:\n\n```\n{}\n```\n\n", example(operation));
    let answer = operation.responses.iter().find(|one| one.status.starts_with('2'));
    if let Some(answer) = answer.and_then(|answer| answer.example.as_ref()) {
        let _ = write!(text, "```json\n{answer}\n```\n\n");
    }
    let errors: Vec<String> = operation.responses.iter().filter_map(error).collect();
    text + &format!("Errors: {}\n\n", errors.join(", "))
}

/// Every error, once in each meaning that it has.
fn errors() -> String {
    let all = API.operations.iter().flat_map(|operation| &operation.responses);
    let words = |response: &Response| {
        Some(format!("- {}: {}\n", error(response)?, response.description.trim()))
    };
    let lines: BTreeSet<String> = all.filter_map(words).collect();
    format!("\n## Errors\n\n{}", String::from_iter(lines))
}

/// The status and the code of an error; nothing where a response is none.
fn error(response: &Response) -> Option<String> {
    #[derive(Deserialize)]
    struct Error {
        error: String,
    }
    let status = Some(&response.status).filter(|status| status.starts_with(['4', '5']))?;
    let example = response.example.as_ref();
    let error = example.and_then(|example| serde_json::from_str::<Error>(example.get()).ok());
    Some(error.map_or_else(|| status.clone(), |Error { error }| format!("{status} `{error}`")))
}

fn parameter_line(parameter: &Parameter) -> String {
    let Parameter { name, required, schema, description, .. } = parameter;
    let place = match parameter.location {
        ParameterLocation::Path => "in the path, ",
        ParameterLocation::Header => "a header, ",
        ParameterLocation::Query => "",
    };
    let required = if *required { ", required" } else { "" };
    let sample = parameter.example.as_ref().and_then(|_| parameter.sample());
    let sample = sample.map(|sample| format!(" Example: `{sample}`.")).unwrap_or_default();
    let (kind, description) = (kind(schema), description.trim());
    format!("- `{name}` ({place}{kind}{required}): {description}{sample}\n")
}

/// The type of a value and its bounds, in words.
fn kind(schema: &Map<String, Value>) -> String {
    let text = |name: &str| {
        let value = schema.get(name)?;
        Some(value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned))
    };
    let mut kind = text("type").unwrap_or_else(|| "string".into());
    if let Some(Value::Array(all)) = schema.get("enum") {
        let all: Vec<&str> = all.iter().filter_map(Value::as_str).collect();
        kind = format!("one of {}", all.join(", "));
    } else if text("format").as_deref() == Some("date") {
        kind = "date YYYY-MM-DD".into();
    }
    let bounds = [
        ("minimum", "at least "),
        ("maximum", "at most "),
        ("maxLength", "characters at most "),
        ("pattern", "pattern "),
        ("default", "default "),
    ];
    for (name, words) in bounds {
        if let Some(value) = text(name) {
            let _ = write!(kind, ", {words}{value}");
        }
    }
    kind
}

/// A command that asks for it.
fn example(operation: &Operation) -> String {
    let escaped = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
    let mut target = operation.path.clone();
    let mut query = Vec::new();
    for parameter in &operation.parameters {
        let Some(sample) = parameter.sample() else { continue };
        let name = &parameter.name;
        match parameter.location {
            ParameterLocation::Path => target = target.replace(&format!("{{{name}}}"), &sample),
            ParameterLocation::Query if parameter.required => {
                query.push(format!("{name}={}", escaped(&sample)));
            }
            ParameterLocation::Query | ParameterLocation::Header => (),
        }
    }
    let mark = if query.is_empty() { "" } else { "?" };
    let target = [target.as_str(), mark, &query.join("&")].concat();
    let method = match operation.method.as_str() {
        "GET" => String::new(),
        method => format!("-X {method} "),
    };
    let needs_key = operation.plan.as_ref().is_some_and(|plan| plan != "free");
    let key = if needs_key { concat!("-H '", x_api_key!(), ": KEY' ") } else { "" };
    let body = operation.body.as_ref().map(|body| {
        format!(" -H 'Content-Type: application/json' -d '{}'", body.get().replace('\'', "'\\''"))
    });
    format!("curl {method}{key}'{PLACEHOLDER}{target}'{}", body.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{http::pipeline::route_table::Routes, site::upgrade_contact::UpgradeContact};

    #[test]
    fn both_name_every_endpoint_of_the_table() {
        let routes = Routes::new(UpgradeContact::default());
        let mut named = 0;
        for (method, path) in routes.api() {
            let line = format!("\n- [{method} {path}]({PLACEHOLDER}{path}): ");
            assert_eq!(SHORT.matches(&line).count(), 1, "{line}");
            let heading = format!("\n### {method} {path}\n");
            assert_eq!(FULL.matches(&heading).count(), 1, "{heading}");
            named += 1;
        }
        assert!(named > 40);
        assert_eq!(FULL.matches("\n### ").count(), named);
        assert_eq!(SHORT.matches("\n- [GET ").count(), FULL.matches("\n### GET ").count());
    }

    #[test]
    fn an_endpoint_has_its_parameters_an_example_and_its_errors() {
        let (_, section) = FULL.split_once("### GET /api/v1/companies/search\n").unwrap();
        let (section, _) = section.split_once("\n### ").unwrap();
        for part in [
            "Plan: bronze.",
            "- `q` (string, characters at most 500, pattern ^[^\\x00]*$, required): Search text.",
            "- `limit` (integer, at least 1, at most 1000, default 20): ",
            "curl -H 'X-API-Key: KEY' 'http://localhost:8080/api/v1/companies/search?q=petrobras'",
            "403 `plan_required`",
            "429 `rate_limited`",
        ] {
            assert!(section.contains(part), "{part}: {section}");
        }
    }
}
