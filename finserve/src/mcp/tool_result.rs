//! The result of a tool call, as a message to the agent.
//!
//! The text and `structuredContent` are the same bytes of the endpoint: clients show one or the other to the model, and
//! no number passes through a float. Only the address of a list's next page is left out: agents page by `offset`.
use std::borrow::Cow;

use serde::{Deserialize, de::IgnoredAny};
use serde_json::{json, value::RawValue};

use super::{empty_result_hints, result_message::result, tool_call::Call, tools::TOOLS};
use crate::openapi::{self, NO_SUCH_PATH, lacks_company};

/// The members of an answer that tell how many rows there are.
#[derive(Deserialize)]
struct Extent {
    total: Option<u64>,
    offset: Option<u64>,
    data: Option<Vec<IgnoredAny>>,
    /// The two lists of the global search, which has no total.
    companies: Option<Vec<IgnoredAny>>,
    filings: Option<Vec<IgnoredAny>>,
    meta: Option<ExtentMeta>,
}

/// Why there are no rows.
#[derive(Deserialize)]
struct ExtentMeta {
    #[serde(default)]
    hints: Vec<String>,
}

impl Extent {
    fn is_empty(&self) -> bool {
        let is_empty = |rows: &Option<Vec<IgnoredAny>>| rows.as_ref().is_some_and(Vec::is_empty);
        let is_list = self.total == Some(0) && is_empty(&self.data);
        is_list || (is_empty(&self.companies) && is_empty(&self.filings))
    }
}

impl Call {
    /// The message with an answer of the endpoint, which is not changed in any digit.
    pub(crate) fn answer_message(&self, body: &str) -> String {
        if serde_json::from_str::<&RawValue>(body).is_err() {
            return self.failure_message("the service returned an answer that is not JSON");
        }
        let body = &*without_next(body);
        let note = self.note(body).map(|note| format!(",{}", text(&note))).unwrap_or_default();
        let (text, structured) = (text(body), structured_content(body));
        let members = format!("\"content\":[{text}{note}]{structured},\"isError\":false");
        result(&self.id, self.era, &members)
    }

    /// The message with an error of the endpoint; `service` is the address of the service.
    pub(crate) fn refusal_message(&self, body: &str, service: &str) -> String {
        let content = failure_members(&openapi::error_message(body, service));
        result(&self.id, self.era, &[content, structured_content(body)].concat())
    }

    /// The message that a call failed, and why.
    pub(crate) fn failure_message(&self, message: &str) -> String {
        result(&self.id, self.era, &failure_members(message))
    }

    /// How to get the rows that this answer does not have; `None` if it has all of them.
    fn note(&self, body: &str) -> Option<String> {
        let extent: Extent = serde_json::from_str(body).ok()?;
        if extent.is_empty() {
            let hints = extent.meta.map(|meta| meta.hints).unwrap_or_default();
            return empty_result_hints::hint(&self.query(), &hints);
        }
        if !self.tool.takes("offset") {
            return None;
        }
        let given = |name| self.query().into_iter().find(|(given, _)| *given == name);
        let number = |name| given(name).and_then(|(_, value)| value.parse::<u64>().ok());
        let offset = extent.offset.or_else(|| number("offset")).unwrap_or(0);
        if let (Some(total), Some(data)) = (extent.total, &extent.data) {
            let (first, last) =
                (offset.saturating_add(1), offset.saturating_add(data.len() as u64));
            if data.is_empty() {
                return Some(format!(
                    "There are {total} rows: offset={offset} is beyond the last."
                ));
            }
            return (last < total).then(|| {
                format!("These are rows {first} to {last} of {total}. For more, call with offset={last}.")
            });
        }
        let longest = extent.companies?.len().max(extent.filings?.len()) as u64;
        let next = offset + longest;
        (longest > 0 && Some(longest) == number("limit"))
            .then(|| format!("There may be more: call with offset={next}."))
    }
}

/// A list without the address of its next page, which is its last member: agents know tools, not paths.
fn without_next(body: &str) -> Cow<'_, str> {
    let next = body.rfind(",\"next\":");
    let is_last = |at: usize| {
        let value = body[at..].strip_prefix(",\"next\":")?.strip_suffix('}')?;
        serde_json::from_str::<Option<String>>(value).ok()
    };
    match next {
        Some(at) if is_last(at).is_some() => Cow::Owned(format!("{}}}", &body[..at])),
        Some(_) | None => Cow::Borrowed(body),
    }
}

/// The members of a result that reports a failure.
pub(super) fn failure_members(message: &str) -> String {
    // Agents know tools, not paths.
    let mut message = message.strip_prefix(NO_SUCH_PATH).unwrap_or(message).to_owned();
    if lacks_company(&message) {
        message += "; the tool search_companies finds companies by any name or ticker";
    }
    for tool in TOOLS.iter() {
        let (path, name) = (&tool.operation.path, tool.name);
        message = message.replace(&format!("GET {path} "), &format!("the tool {name} "));
    }
    format!("\"content\":[{}],\"isError\":true", text(&message))
}

fn text(text: &str) -> String {
    json!({ "type": "text", "text": text }).to_string()
}

/// The `structuredContent` member, if the body is an object. It is put on one line, because a message is one line and a proxy
/// may have reformatted the body.
fn structured_content(body: &str) -> String {
    let is_object = body.starts_with('{') && serde_json::from_str::<&RawValue>(body).is_ok();
    let object = || body.replace(['\n', '\r'], "");
    if is_object { format!(",\"structuredContent\":{}", object()) } else { String::new() }
}
