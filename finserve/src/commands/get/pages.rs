//! Lists that are longer than what the API gives at once, page by page.
use serde_json::value::RawValue;

use super::{Failure, Question, unreadable};
use crate::{
    ask::{Origin, View},
    cli::Part,
    ordered::{Object, Ordered},
};

/// The answer to a question, as JSON; of a list as many rows as are wanted.
pub(super) fn ask(origin: &Origin, question: &Question) -> Result<String, Failure> {
    let view = origin.view()?;
    let Some(Part { limit, offset, all }) = question.part else {
        return one(&view, question, None, None);
    };
    let wanted = if all { u64::MAX } else { limit.unwrap_or(0) };
    if wanted <= question.page {
        return one(&view, question, limit, offset);
    }
    let start = offset.unwrap_or(0);
    let mut rows: Vec<Box<RawValue>> = Vec::new();
    let mut first: Option<(Object, u64)> = None;
    loop {
        let had = rows.len() as u64;
        let json = one(&view, question, Some(question.page.min(wanted - had)), Some(start + had))?;
        let page: Object = serde_json::from_str(&json).map_err(unreadable)?;
        let Some(data) = page.get("data") else { return Ok(json) };
        let data: Vec<Box<RawValue>> = serde_json::from_str(data.get()).map_err(unreadable)?;
        let total = page.get("total").and_then(|total| total.get().parse().ok()).unwrap_or(0);
        let come = data.len();
        rows.extend(data);
        let (_, known) = first.get_or_insert((page, total));
        if *known != total {
            let message = "the data changed while its pages were read: please repeat the command";
            return Err(Failure::Said(message.into()));
        }
        let had = rows.len() as u64;
        if come == 0 || had >= wanted || start.saturating_add(had) >= total {
            break;
        }
    }
    let (page, _) = first.unwrap_or_default();
    united(page, &rows).map_err(unreadable)
}

fn one(
    view: &View<'_>,
    question: &Question,
    limit: Option<u64>,
    offset: Option<u64>,
) -> Result<String, Failure> {
    let (limit, offset) = (limit.map(|rows| rows.to_string()), offset.map(|rows| rows.to_string()));
    let given = question.query.iter().map(|(name, value)| (*name, value.as_str()));
    let limit = limit.as_deref().map(|rows| ("limit", rows));
    let offset = offset.as_deref().map(|rows| ("offset", rows));
    let query: Vec<(&str, &str)> = given.chain(limit).chain(offset).collect();
    Ok(view.ask(&question.path, &query)?)
}

/// The first page with the rows of all pages.
fn united(Ordered(members): Object, rows: &[Box<RawValue>]) -> serde_json::Result<String> {
    let rows: Vec<&str> = rows.iter().map(|row| row.get()).collect();
    let member = |(name, value): (String, Box<RawValue>)| {
        let value = match &*name {
            "data" => RawValue::from_string(format!("[{}]", rows.join(",")))?,
            "limit" => RawValue::from_string(rows.len().to_string())?,
            _ => value,
        };
        Ok((name, value))
    };
    let members = members.into_iter().map(member).collect::<serde_json::Result<Vec<_>>>()?;
    Ok(Ordered(members).write()?.get().to_owned())
}
