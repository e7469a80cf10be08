//! The fields of a form as they were sent: all of them text, so that what is wrong can be told beside the form.
use std::str::FromStr;

use fincore::{Error, Key};

/// More pages than any list has.
const MOST_PAGES: u64 = 1_000_000;

/// A field: one that is empty was not filled in, and no page repeats a key.
pub(super) fn given(text: Option<String>) -> Option<String> {
    text.map(|text| Key::redact(text.trim())).filter(|text| !text.is_empty())
}

/// The number of a page, from 1.
pub(super) fn page_number(text: Option<&String>) -> fincore::Result<u64> {
    let Some(text) = text else { return Ok(1) };
    let wanted = || Error::invalid(text, format_args!("a page (1 to {MOST_PAGES})"));
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
    let number = text.parse().ok().filter(|number| is_plain && (1..=MOST_PAGES).contains(number));
    number.ok_or_else(wanted)
}

/// A field that is read by its type, if it is filled in.
pub(super) fn read<T: FromStr<Err = Error>>(text: Option<&String>) -> fincore::Result<Option<T>> {
    text.map(|text| text.parse()).transpose()
}
