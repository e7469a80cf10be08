//! Lists that are longer than what the API gives at once, page by page.
use std::{
    io::{self, IsTerminal, Write},
    ops::ControlFlow,
    thread,
    time::Duration,
};

use serde::{Deserialize, de::IgnoredAny};
use serde_json::value::RawValue;

use super::{Failure, Question, unreadable};
use crate::{
    ask::{self, Kind, Origin, View},
    cli::Part,
    ordered::{Object, Ordered},
};

/// The longest that a server may have us wait for a page. Limits are counted by the minute.
const LONGEST_WAIT: Duration = Duration::from_secs(120);

/// How often a page is asked for: others may use up the limit of the same key in the meantime.
const TRIES: u32 = 5;

/// What a page says of its list.
#[derive(Deserialize)]
struct Extent {
    data: Option<Vec<IgnoredAny>>,
    #[serde(default)]
    total: u64,
}

/// The answer to a question, as JSON; of a list as many rows as are wanted.
pub(super) fn ask(origin: &Origin, question: &Question) -> Result<String, Failure> {
    let mut pages = Vec::new();
    let _ = each(origin, question, |json| {
        pages.push(json);
        Ok(ControlFlow::Continue(()))
    })?;
    if spans_pages(question).is_none()
        && let Some(answer) = pages.pop()
    {
        return Ok(answer);
    }
    united(pages).map_err(unreadable)
}

/// How many rows are wanted, where that may be more than a page.
fn spans_pages(question: &Question) -> Option<u64> {
    let Part { limit, all, .. } = question.part?;
    let wanted = if all { u64::MAX } else { limit.unwrap_or(0) };
    (wanted > question.page).then_some(wanted)
}

/// Hands over the answer to a question, as JSON; of a list as many pages as the rows that are wanted take. Ends early where
/// `take` breaks off.
pub(super) fn each(
    origin: &Origin,
    question: &Question,
    mut take: impl FnMut(String) -> Result<ControlFlow<()>, Failure>,
) -> Result<ControlFlow<()>, Failure> {
    let view = origin.view()?;
    let Part { limit, offset, .. } = question.part.unwrap_or_default();
    let Some(wanted) = spans_pages(question) else {
        return take(one(&view, question, limit, offset)?);
    };
    let start = offset.unwrap_or(0);
    let (mut had, mut known) = (0, None);
    loop {
        let (limit, offset) = (question.page.min(wanted - had), start.saturating_add(had));
        let ask = || one(&view, question, Some(limit), Some(offset));
        // Whoever has nothing yet is told at once.
        let json = if had == 0 { ask() } else { patiently(ask) }?;
        let Extent { data, total } = serde_json::from_str(&json).map_err(unreadable)?;
        let Some(data) = data else { return take(json) };
        if *known.get_or_insert(total) != total {
            let message = "the data changed while its pages were read: please repeat the command";
            return Err(Failure::Said(message.into()));
        }
        had += data.len() as u64;
        let is_last = data.is_empty() || had >= wanted || start.saturating_add(had) >= total;
        match take(json)? {
            ControlFlow::Continue(()) if !is_last => (),
            end => return Ok(end),
        }
    }
}

fn one(
    view: &View<'_>,
    question: &Question,
    limit: Option<u64>,
    offset: Option<u64>,
) -> Result<String, ask::Failure> {
    let (limit, offset) = (limit.map(|rows| rows.to_string()), offset.map(|rows| rows.to_string()));
    let given = question.query.iter().map(|(name, value)| (*name, value.as_str()));
    let limit = limit.as_deref().map(|rows| ("limit", rows));
    let offset = offset.as_deref().map(|rows| ("offset", rows));
    let query: Vec<(&str, &str)> = given.chain(limit).chain(offset).collect();
    view.ask(&question.path, &query)
}

/// Asks again where the server says when, so that the pages that have come are not in vain.
fn patiently(ask: impl Fn() -> Result<String, ask::Failure>) -> Result<String, ask::Failure> {
    let mut tries = 1;
    loop {
        match ask() {
            Err(ask::Failure { kind: Kind::Later(wait), message, .. })
                if wait <= LONGEST_WAIT && tries < TRIES =>
            {
                let mut stderr = io::stderr();
                if stderr.is_terminal() {
                    // Without a terminal there is nobody to tell.
                    let _ = writeln!(stderr, "{message}: waiting {} s", wait.as_secs());
                }
                thread::sleep(wait);
                tries += 1;
            }
            answer => return answer,
        }
    }
}

/// The first page with the rows of all pages.
fn united(pages: Vec<String>) -> serde_json::Result<String> {
    let mut first: Option<Object> = None;
    let mut rows: Vec<Box<RawValue>> = Vec::new();
    for json in pages {
        let page: Object = serde_json::from_str(&json)?;
        if let Some(data) = page.get("data") {
            rows.extend(serde_json::from_str::<Vec<Box<RawValue>>>(data.get())?);
        }
        first.get_or_insert(page);
    }
    let rows: Vec<&str> = rows.iter().map(|row| row.get()).collect();
    let member = |(name, value): (String, Box<RawValue>)| {
        let value = match &*name {
            "data" => RawValue::from_string(format!("[{}]", rows.join(",")))?,
            "limit" => RawValue::from_string(rows.len().to_string())?,
            _ => value,
        };
        Ok((name, value))
    };
    let Ordered(members) = first.unwrap_or_default();
    let members = members.into_iter().map(member).collect::<serde_json::Result<Vec<_>>>()?;
    Ok(Ordered(members).write()?.get().to_owned())
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn waits_for_what_comes_soon_and_not_for_ever() {
        let later = |wait| {
            let kind = Kind::Later(Duration::from_secs(wait));
            Err(ask::Failure { kind, message: "the limit".into(), error: None })
        };
        for (failures, wait, asked, answered) in [
            (0, 0, 1, true),
            (3, 0, 4, true),
            (TRIES, 0, TRIES, false),
            (1, LONGEST_WAIT.as_secs() + 1, 1, false),
        ] {
            let tries = Cell::new(0);
            let answer = patiently(|| {
                tries.set(tries.get() + 1);
                if tries.get() > failures { Ok("rows".into()) } else { later(wait) }
            });
            assert_eq!((tries.get(), answer.is_ok()), (asked, answered), "{failures}, {wait}");
        }
    }

    #[test]
    fn pages_become_one_to_the_last_digit() {
        let page = |rows: &str| format!(r#"{{"data":[{rows}],"total":3,"limit":2,"offset":0}}"#);
        let whole = united(vec![page(r#"{"a":1.50},2"#), page("3")]).unwrap();
        assert_eq!(whole, r#"{"data":[{"a":1.50},2,3],"total":3,"limit":3,"offset":0}"#);
    }
}
