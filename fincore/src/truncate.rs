//! Makes input fit for messages that quote it: short, and harmless on a terminal.
use std::borrow::Cow;

/// Long enough for every name and number, short enough for a message to stay one sentence.
const MAX_CHARACTERS: usize = 60;

/// The first 60 characters of `text`, for messages that quote their input.
///
/// ```
/// assert_eq!(fincore::truncate("9512"), "9512");
/// assert_eq!(fincore::truncate(&"x".repeat(5000)), format!("{}…", "x".repeat(60)));
/// ```
#[must_use]
pub fn truncate(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(MAX_CHARACTERS) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

/// A text as it may be shown on a terminal: characters that steer it, or turn the direction of writing, are spelled
/// out.
///
/// ```
/// assert_eq!(fincore::printable("Balanço 2024.csv"), "Balanço 2024.csv");
/// assert_eq!(fincore::printable("a\u{1b}[31m.csv"), "a\\u{1b}[31m.csv");
/// ```
#[must_use]
pub fn printable(text: &str) -> Cow<'_, str> {
    let steers = |c: char| {
        c.is_control()
            || matches!(c, '\u{200e}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    if !text.contains(steers) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if steers(c) { shown.extend(c.escape_default()) } else { shown.push(c) }
    }
    Cow::Owned(shown)
}
