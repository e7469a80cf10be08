//! The fields of a form as they were sent: all of them text, so that what is wrong can be told beside the form.
use std::str::FromStr;

use fincore::Key;

use crate::errors::{BadRequest, Problem, Wanted};

/// More pages than any list has.
const MOST_PAGES: u64 = 1_000_000;

/// A field: one that is empty was not filled in, and no page repeats a key.
pub(crate) fn given(text: Option<String>) -> Option<String> {
    text.map(|text| Key::redact(text.trim())).filter(|text| !text.is_empty())
}

/// The number of a page, from 1.
pub(crate) fn page_number(text: Option<&String>) -> Result<u64, BadRequest> {
    let Some(text) = text else { return Ok(1) };
    let wrong = || BadRequest::Value(Problem::value(text, Wanted::PageNumber { most: MOST_PAGES }));
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
    let number = text.parse().ok().filter(|number| is_plain && (1..=MOST_PAGES).contains(number));
    number.ok_or_else(wrong)
}

/// A field that is read by its type, if it is filled in.
pub(crate) fn read<T: FromStr>(text: Option<&String>) -> Result<Option<T>, T::Err> {
    text.map(|text| text.parse()).transpose()
}
