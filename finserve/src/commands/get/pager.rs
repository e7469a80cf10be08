//! Reads lists that are longer than one page of the API.
use std::{
    io::{self, IsTerminal, Write},
    ops::ControlFlow,
    thread,
    time::Duration,
};

use indexmap::IndexMap;
use serde::{Deserialize, de::IgnoredAny};
use serde_json::value::RawValue;

use super::{Failure, Question, invalid_answer, step_pages::Calculation};
use crate::{
    api_client::{self, FailureKind, Origin, View},
    cli::PageOptions,
};

/// The longest `Retry-After` of a server that the command waits for. Limits are counted by the minute.
const LONGEST_WAIT: Duration = Duration::from_secs(120);

/// How often a page is asked for: other programs may use up the limit of the same key in the meantime.
const TRIES: u32 = 5;

/// The rows of a page, and how many the whole list has.
#[derive(Deserialize)]
struct Extent {
    data: Option<Vec<IgnoredAny>>,
    #[serde(default)]
    total: u64,
}

/// The answer to a question, as JSON; a list has as many rows as the user wants.
pub(super) fn ask(origin: &Origin, question: &Question) -> Result<String, Failure> {
    let mut pages = Vec::new();
    let _ = for_each_page(origin, question, |json| {
        pages.push(json);
        Ok(ControlFlow::Continue(()))
    })?;
    if rows_over_pages(question).is_none()
        && let Some(answer) = pages.pop()
    {
        return Ok(answer);
    }
    merge(pages).map_err(invalid_answer)
}

/// How many rows the user wants, if they may take more than one page.
fn rows_over_pages(question: &Question) -> Option<u64> {
    let PageOptions { limit, all, .. } = question.pages?;
    let wanted = if all { u64::MAX } else { limit.unwrap_or(0) };
    (wanted > question.page_size).then_some(wanted)
}

/// Passes the answer to a question to `take`, as JSON; a list page by page, up to the number of rows that the user wants.
/// Ends early if `take` breaks off.
pub(super) fn for_each_page(
    origin: &Origin,
    question: &Question,
    mut take: impl FnMut(String) -> Result<ControlFlow<()>, Failure>,
) -> Result<ControlFlow<()>, Failure> {
    let view = origin.view()?;
    let PageOptions { limit, offset, .. } = question.pages.unwrap_or_default();
    if question.lists_steps() {
        return take(ask_all_steps(&view, question)?);
    }
    let Some(wanted) = rows_over_pages(question) else {
        return take(ask_page(&view, question, limit, offset)?);
    };
    let start = offset.unwrap_or(0);
    let (mut had, mut known) = (0, None);
    loop {
        let (limit, offset) = (question.page_size.min(wanted - had), start.saturating_add(had));
        let ask = || ask_page(&view, question, Some(limit), Some(offset));
        // A failure of the first page is reported at once: nothing is lost by it.
        let json = if had == 0 { ask() } else { ask_with_retries(ask) }?;
        let Extent { data, total } = serde_json::from_str(&json).map_err(invalid_answer)?;
        let Some(data) = data else { return take(json) };
        if *known.get_or_insert(total) != total {
            let message = "the data changed while its pages were read: please repeat the command";
            return Err(Failure::Message(message.into()));
        }
        had += data.len() as u64;
        let is_last = data.is_empty() || had >= wanted || start.saturating_add(had) >= total;
        match take(json)? {
            ControlFlow::Continue(()) if !is_last => (),
            end => return Ok(end),
        }
    }
}

/// A calculation with all its steps.
fn ask_all_steps(view: &View<'_>, question: &Question) -> Result<String, Failure> {
    let ask = |offset| ask_page(view, question, Some(question.page_size), Some(offset));
    let read = |json: String| Calculation::read(&json).map_err(invalid_answer);
    let mut calculation = read(ask(0)?)?;
    let mut asked = question.page_size;
    while calculation.steps().map_err(invalid_answer)? == asked {
        let next = read(ask_with_retries(|| ask(asked))?)?;
        calculation.append(next).map_err(invalid_answer)?;
        asked += question.page_size;
    }
    calculation.json().map_err(invalid_answer)
}

fn ask_page(
    view: &View<'_>,
    question: &Question,
    limit: Option<u64>,
    offset: Option<u64>,
) -> Result<String, api_client::Failure> {
    let (limit, offset) = (limit.map(|rows| rows.to_string()), offset.map(|rows| rows.to_string()));
    let given = question.query.iter().map(|(name, value)| (*name, value.as_str()));
    let limit = limit.as_deref().map(|rows| ("limit", rows));
    let offset = offset.as_deref().map(|rows| ("offset", rows));
    let query: Vec<(&str, &str)> = given.chain(limit).chain(offset).collect();
    view.ask(&question.path, &query)
}

/// Asks again after the time that the server names, so that the pages so far are not lost.
fn ask_with_retries(
    ask: impl Fn() -> Result<String, api_client::Failure>,
) -> Result<String, api_client::Failure> {
    let mut tries = 1;
    loop {
        match ask() {
            Err(api_client::Failure { kind: FailureKind::Later(wait), message, .. })
                if wait <= LONGEST_WAIT && tries < TRIES =>
            {
                let mut stderr = io::stderr();
                if stderr.is_terminal() {
                    // A message that cannot be written does not matter.
                    let _ = writeln!(stderr, "{message}: waiting {} s", wait.as_secs());
                }
                thread::sleep(wait);
                tries += 1;
            }
            answer => return answer,
        }
    }
}

/// The first page with the rows of all pages, and where the rows after them are.
fn merge(pages: Vec<String>) -> serde_json::Result<String> {
    let mut first: Option<IndexMap<String, Box<RawValue>>> = None;
    let mut rows: Vec<Box<RawValue>> = Vec::new();
    let mut next = None;
    for json in pages {
        let page: IndexMap<String, Box<RawValue>> = serde_json::from_str(&json)?;
        if let Some(data) = page.get("data") {
            rows.extend(serde_json::from_str::<Vec<Box<RawValue>>>(data.get())?);
        }
        next = page.get("next").cloned();
        first.get_or_insert(page);
    }
    let rows: Vec<&str> = rows.iter().map(|row| row.get()).collect();
    let member = |(name, value): (String, Box<RawValue>)| {
        let value = match &*name {
            "data" => RawValue::from_string(format!("[{}]", rows.join(",")))?,
            "limit" => RawValue::from_string(rows.len().to_string())?,
            "next" => next.clone().unwrap_or(value),
            _ => value,
        };
        Ok((name, value))
    };
    let members = first.unwrap_or_default().into_iter().map(member);
    serde_json::to_string(&members.collect::<serde_json::Result<IndexMap<_, _>>>()?)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn waits_for_what_comes_soon_and_not_for_ever() {
        let later = |wait| {
            let kind = FailureKind::Later(Duration::from_secs(wait));
            Err(api_client::Failure { kind, message: "the limit".into(), error: None })
        };
        for (failures, wait, asked, answered) in [
            (0, 0, 1, true),
            (3, 0, 4, true),
            (TRIES, 0, TRIES, false),
            (1, LONGEST_WAIT.as_secs() + 1, 1, false),
        ] {
            let tries = Cell::new(0);
            let answer = ask_with_retries(|| {
                tries.set(tries.get() + 1);
                if tries.get() > failures { Ok("rows".into()) } else { later(wait) }
            });
            assert_eq!((tries.get(), answer.is_ok()), (asked, answered), "{failures}, {wait}");
        }
    }

    #[test]
    fn pages_become_one_to_the_last_digit() {
        let page = |rows: &str, next: &str| {
            format!(r#"{{"data":[{rows}],"total":3,"limit":2,"offset":0,"next":{next}}}"#)
        };
        let whole =
            merge(vec![page(r#"{"a":1.50},2"#, "\"/a?offset=2\""), page("3", "null")]).unwrap();
        assert_eq!(
            whole,
            r#"{"data":[{"a":1.50},2,3],"total":3,"limit":3,"offset":0,"next":null}"#
        );
    }
}
