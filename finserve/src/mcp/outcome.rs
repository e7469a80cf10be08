//! What became of a call, as the agent is told.
use serde::{Deserialize, de::IgnoredAny};
use serde_json::{json, value::RawValue};

use super::{call::Call, hints, protocol::result, tools::TOOLS};
use crate::api::{self, NO_SUCH_PATH, lacks_company};

/// What an answer says of its length.
#[derive(Deserialize)]
struct Extent {
    total: Option<u64>,
    offset: Option<u64>,
    data: Option<Vec<IgnoredAny>>,
    /// The two lists of the global search, which has no total.
    companies: Option<Vec<IgnoredAny>>,
    filings: Option<Vec<IgnoredAny>>,
}

impl Extent {
    /// Whether it is a list in which there is nothing at all.
    fn is_empty(&self) -> bool {
        let is_empty = |rows: &Option<Vec<IgnoredAny>>| rows.as_ref().is_some_and(Vec::is_empty);
        let is_list = self.total == Some(0) && is_empty(&self.data);
        is_list || (is_empty(&self.companies) && is_empty(&self.filings))
    }
}

impl Call {
    /// The message with an answer of the endpoint, which stays as it is, down to the last digit.
    pub(crate) fn answered(&self, body: &str) -> String {
        if serde_json::from_str::<&RawValue>(body).is_err() {
            return self.failed("the service gave an answer that is not JSON");
        }
        let note = self.note(body).map(|note| format!(",{}", text(&note))).unwrap_or_default();
        let (text, structured) = (text(body), structured(body));
        let members = format!("\"content\":[{text}{note}]{structured},\"isError\":false");
        result(&self.id, self.era, &members)
    }

    /// The message with an error of the endpoint; `place` is the address of the service.
    pub(crate) fn refused(&self, body: &str, place: &str) -> String {
        let content = failure(&api::words(body, place));
        result(&self.id, self.era, &[content, structured(body)].concat())
    }

    /// The message that a call failed, and why.
    pub(crate) fn failed(&self, words: &str) -> String {
        result(&self.id, self.era, &failure(words))
    }

    /// How to get the rows that this answer does not have; nothing where it has all of them.
    fn note(&self, body: &str) -> Option<String> {
        let extent: Extent = serde_json::from_str(body).ok()?;
        if extent.is_empty() {
            return hints::for_nothing(&self.query());
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

/// The members of a result that tells of a failure.
pub(super) fn failure(words: &str) -> String {
    // Agents know tools, not addresses.
    let mut words = words.strip_prefix(NO_SUCH_PATH).unwrap_or(words).to_owned();
    if lacks_company(&words) {
        words += "; the tool search_companies finds companies by any name or ticker";
    }
    for tool in TOOLS.iter() {
        let (path, name) = (&tool.operation.path, tool.name);
        words = words.replace(&format!("GET {path} "), &format!("the tool {name} "));
    }
    format!("\"content\":[{}],\"isError\":true", text(&words))
}

fn text(text: &str) -> String {
    json!({ "type": "text", "text": text }).to_string()
}

/// The member for programs, if the body is an object. Messages are lines, and a proxy may have written it on several.
fn structured(body: &str) -> String {
    let is_object = body.starts_with('{') && serde_json::from_str::<&RawValue>(body).is_ok();
    let object = || body.replace(['\n', '\r'], "");
    if is_object { format!(",\"structuredContent\":{}", object()) } else { String::new() }
}
