//! A tool call as a request of its endpoint.
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::value::RawValue;

use super::{arguments::Arguments, json_rpc::string, protocol_version::Era, tools::Tool};
use crate::openapi::{API, ParameterLocation};

/// The longest path and query string that a server takes, in bytes.
const MAX_TARGET: usize = 8 * 1024;

/// The longest path that leads anywhere, in bytes.
const MAX_PATH: usize = 1024;

/// The characters that are escaped in addresses: all but letters, digits and the marks that no address gives a meaning to (RFC 3986, 2.3).
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// A call of a tool.
pub(crate) struct Call {
    pub(super) id: Box<RawValue>,
    pub(super) era: Era,
    pub(super) tool: &'static Tool,
    path: String,
    query: Vec<(&'static str, String)>,
}

impl Call {
    /// A call with these arguments. Fails, with a message, if they cannot be sent; the endpoint decides whether
    /// they are right.
    pub(super) fn new(
        (id, era): (&RawValue, Era),
        tool: &'static Tool,
        arguments: &Arguments<'_>,
    ) -> Result<Call, String> {
        let mut values = texts(arguments)?;
        let path = path(tool, &mut values)?;
        if let Some(rows) = tool.rows.filter(|_| !values.iter().any(|(name, _)| *name == "limit")) {
            values.push(("limit", rows.to_string()));
        }
        // In the order of the document, so that equal calls find the same cached answer.
        let position = |name: &str| tool.parameters.iter().position(|one| one.name == name);
        values.sort_by_key(|(name, _)| position(name));
        let call = Call { id: id.to_owned(), era, tool, path, query: values };
        if call.path.len() > MAX_PATH {
            return Err(format!("the path of {} would take more than {MAX_PATH} bytes", tool.name));
        }
        if call.target().len() > MAX_TARGET {
            return Err(format!("the arguments take more than {MAX_TARGET} bytes together"));
        }
        Ok(call)
    }

    /// The path of the request, escaped.
    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    /// The parameters of the request, not escaped.
    pub(crate) fn query(&self) -> Vec<(&str, &str)> {
        self.query.iter().map(|(name, value)| (*name, value.as_str())).collect()
    }

    /// Path and query string.
    pub(crate) fn target(&self) -> String {
        let pairs = self.query.iter().map(|(name, value)| format!("{name}={}", escape(value)));
        let query = pairs.collect::<Vec<_>>().join("&");
        [self.path.as_str(), if query.is_empty() { "" } else { "?" }, &query].concat()
    }
}

fn escape(text: &str) -> String {
    utf8_percent_encode(text, ESCAPED).to_string()
}

/// The arguments as text; those that are null are left out.
fn texts(arguments: &Arguments<'_>) -> Result<Vec<(&'static str, String)>, String> {
    let text = |(name, value): &(&'static str, &RawValue)| match text(value) {
        Ok(value) => value.map(|value| Ok((*name, value))),
        Err(()) => {
            Some(Err(format!("argument {name:?} must be a string, a number, true or false")))
        }
    };
    arguments.iter().filter_map(text).collect()
}

/// A value as the endpoint takes it, with the digits that were sent; `None` for null.
fn text(value: &RawValue) -> Result<Option<String>, ()> {
    match value.get() {
        "null" => Ok(None),
        structure if structure.starts_with(['{', '[']) => Err(()),
        quoted if quoted.starts_with('"') => {
            string(value).map(|text| Some(text.into_owned())).ok_or(())
        }
        plain => Ok(Some(plain.to_owned())),
    }
}

/// The path of the endpoint with its values, which are removed from the list.
fn path(tool: &Tool, values: &mut Vec<(&'static str, String)>) -> Result<String, String> {
    let (mut path, mut plain) = (tool.operation.path.clone(), tool.operation.path.clone());
    for parameter in tool.parameters.iter().filter(|one| one.location == ParameterLocation::Path) {
        let name = &parameter.name;
        let at = values.iter().position(|(given, _)| given == name);
        let value = at.map(|at| values.remove(at).1).unwrap_or_default();
        if value.is_empty() {
            let example = parameter.sample().map(|sample| format!(", such as {sample:?}"));
            return Err(format!("argument {name:?} is missing{}", example.unwrap_or_default()));
        }
        path = path.replace(&format!("{{{name}}}"), &escape(&value));
        plain = plain.replace(&format!("{{{name}}}"), &value);
        // `search` is no company, although that path exists.
        if API.get(&plain).is_some() {
            return Err(format!("argument {name:?}: {} finds nothing under {value:?}", tool.name));
        }
    }
    Ok(path)
}
