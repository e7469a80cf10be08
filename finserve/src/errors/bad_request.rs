//! Requests that are wrong.
use fincore::{Date, Invalid, Pair, SeriesId, truncate};

use super::problem::Problem;
use crate::site::api_key_header::x_api_key;

/// A fault of a request.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BadRequest {
    /// A value is wrong, and the name of its parameter would not help.
    #[error("{0}")]
    Value(Problem),
    /// A parameter is wrong.
    #[error("parameter {name:?}: {problem}")]
    Parameter { name: String, problem: Problem },
    /// There is no such parameter; these are the known ones.
    #[error("parameter {name:?} is unknown; this endpoint takes {}", list(.known))]
    UnknownParameter { name: String, known: Vec<&'static str> },
    /// There is no such parameter, and its value has a key in it, which is not repeated.
    #[error(
        "parameter {name:?} is unknown; a key does not belong in an address, which others see: send it as {} or, where a \
         program cannot send headers, make a link of it (POST /api/v1/links, or /usage) and send its token as token=",
        x_api_key!()
    )]
    KeyInAddress { name: String },
    /// A parameter is left out.
    #[error("parameter {name:?} is missing")]
    MissingParameter { name: &'static str },
    /// A parameter is given twice.
    #[error("parameter {name:?} is given twice")]
    RepeatedParameter { name: String },
    /// There are too many parameters.
    #[error("there are more than {most} parameters")]
    TooManyParameters { most: usize },
    /// A form has a field that it should not have.
    #[error("unknown field `{name}`, {}", expected(.known))]
    UnknownField { name: String, known: &'static [&'static str] },
    /// The path or the query string cannot be decoded.
    #[error("{text:?} in the address {fault}")]
    Address { text: String, fault: AddressFault },
    /// A header is wrong.
    #[error("header {name:?}: {problem}")]
    Header { name: &'static str, problem: Problem },
    /// There is no `Host` header, or more than one.
    #[error("the Host header must be given exactly once")]
    Host,
    /// The `Host` header is something else than a host and a port. It is not repeated.
    #[error("the Host header must be a host name or an address, with or without a port")]
    HostName,
    /// The method is no word of HTTP.
    #[error("the method is not an HTTP method")]
    Method,
    /// Two headers give different keys.
    #[error("two different keys are given; send one, as {} or as Authorization", x_api_key!())]
    TwoKeys,
    /// A key and a link token are given.
    #[error("a key and a link token are given; send one of them")]
    KeyAndLink,
    /// The body ended before it was complete.
    #[error("the body is incomplete")]
    BrokenBody,
    /// The fields of a form are not UTF-8.
    #[error("the form is not UTF-8")]
    FormNotUtf8,
    /// The body is not the JSON that is wanted. The parser's own words are for programmers.
    #[error("the body must look like {example}{}", .error.as_ref().map(|err| format!(": {err}")).unwrap_or_default())]
    Json { example: &'static str, error: Option<String> },
    /// An export is asked for over HTTP/1.0.
    #[error(
        "exports need HTTP/1.1, because over HTTP/1.0 a truncated one would look complete; a proxy \
         in between may need a setting (nginx: proxy_http_version 1.1)"
    )]
    ExportOverHttp10,
    /// The changes since a version are unknown.
    #[error("{0}; export all of it, without since")]
    ExportSince(Invalid),
    /// The host of a webhook has an address that is not public. Which one is not told: a name of the network that this
    /// server is in may have been asked for.
    #[error("\"url\" does not lead to a public address: webhooks only call public addresses")]
    PrivateAddress,
    /// The target after signing in cannot be sent as an address.
    #[error("this is not a path")]
    NotAPath,
    /// The fields of a form cannot be sent as an address.
    #[error("the fields cannot be an address")]
    NotAnAddress,
    /// A field of a form is wrong, as its page says beside it.
    #[error("a field of the form is wrong")]
    Form,
    /// A series that has values is not in the list of series.
    #[error("series {0} is not listed")]
    UnlistedSeries(SeriesId),
    /// A currency pair that has quotes is not in the list of pairs.
    #[error("{pair} is not listed; its newest quote is dated {newest}")]
    UnlistedPair { pair: Pair, newest: Date },
}

/// Why a part of an address cannot be decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum AddressFault {
    #[error("has a % that is not followed by two hexadecimal digits")]
    BrokenEscape,
    #[error("is not UTF-8")]
    NotUtf8,
    #[error("contains a NUL character")]
    Nul,
}

impl BadRequest {
    pub(crate) fn parameter(name: impl Into<String>, problem: Problem) -> BadRequest {
        BadRequest::Parameter { name: name.into(), problem }
    }

    pub(crate) fn address(text: &str, fault: AddressFault) -> BadRequest {
        BadRequest::Address { text: truncate(text).into_owned(), fault }
    }
}

/// The names of parameters, as a sentence lists them.
fn list(names: &[&str]) -> String {
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

/// The names of fields, in serde's words.
fn expected(names: &[&str]) -> String {
    match names {
        [] => "there are no fields".to_owned(),
        [one] => format!("expected `{one}`"),
        [one, other] => format!("expected `{one}` or `{other}`"),
        _ => format!("expected one of `{}`", names.join("`, `")),
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    /// A form with three fields, and none.
    #[test]
    fn unknown_fields_are_told_as_serde_does() {
        #[derive(Debug, Deserialize)]
        #[serde(deny_unknown_fields)]
        #[expect(dead_code, reason = "only its errors are read")]
        struct Three {
            a: u8,
            b: u8,
            c: u8,
        }
        #[derive(Debug, Deserialize)]
        #[serde(deny_unknown_fields)]
        struct None {}
        let check = |said: String, known| {
            let ours = BadRequest::UnknownField { name: "x".to_owned(), known };
            assert!(said.starts_with(&ours.to_string()), "{said}: {ours}");
        };
        let json = r#"{"x":1}"#;
        check(serde_json::from_str::<Three>(json).unwrap_err().to_string(), &["a", "b", "c"]);
        check(serde_json::from_str::<None>(json).unwrap_err().to_string(), &[]);
    }
}
