//! Shortens input that error messages quote.
use std::borrow::Cow;

/// Long enough for every name and number, short enough for a message to stay one sentence.
const MAX_CHARACTERS: usize = 60;

/// The first 60 characters of `text`, for messages that quote their input.
///
/// ```
/// assert_eq!(fincore::excerpt("9512"), "9512");
/// assert_eq!(fincore::excerpt(&"x".repeat(5000)), format!("{}…", "x".repeat(60)));
/// ```
#[must_use]
pub fn excerpt(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(MAX_CHARACTERS) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}
