//! Faults of a request, in the language of the page and in words for people.
use fincore::{Invalid, Key, Resource};

use super::language::Language;
use crate::errors::{BadRequest, NotFound};

mod calculations;
mod requests;
mod transformations;
mod values;

/// A sentence that says what is wrong.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ErrorMessage {
    pub(crate) text: String,
    /// The language of the text, for the `lang` attribute, where it is not that of the page.
    pub(crate) lang: Option<&'static str>,
}

impl ErrorMessage {
    /// A sentence in the language of the page.
    pub(crate) fn plain(text: &str) -> ErrorMessage {
        ErrorMessage { text: text.to_owned(), lang: None }
    }

    pub(crate) fn bad_request(wrong: &BadRequest, language: Language) -> ErrorMessage {
        ErrorMessage::new(requests::bad_request(wrong, language), wrong, language)
    }

    pub(crate) fn not_found(missing: &NotFound, language: Language) -> ErrorMessage {
        ErrorMessage::new(requests::not_found(missing, language), missing, language)
    }

    /// The address has more bytes than this.
    pub(crate) fn long_address(most: usize, language: Language) -> ErrorMessage {
        ErrorMessage::plain(&sentence(&language.pick(
            format!("the address is longer than {most} bytes"),
            format!("o endereço tem mais de {most} bytes"),
        )))
    }

    /// The library's fault, beside the field of a form.
    pub(crate) fn invalid(invalid: &Invalid, language: Language) -> ErrorMessage {
        ErrorMessage::new(values::invalid(invalid, language), invalid, language)
    }

    /// The choice in a form does not exist.
    pub(crate) fn no_such_choice(what: Resource, id: &str, language: Language) -> ErrorMessage {
        let words = requests::no_such_choice(what, id, language);
        ErrorMessage::new(words, &what.not_found(id), language)
    }

    /// The words as a sentence; where the pages have none, the English of the API as it is. What may be a key is cut.
    fn new(words: Option<String>, english: &dyn ToString, language: Language) -> ErrorMessage {
        match words {
            Some(words) => ErrorMessage::plain(&sentence(&Key::redact(&words))),
            None => ErrorMessage {
                text: Key::redact(&english.to_string()),
                lang: language.pick(None, Some("en")),
            },
        }
    }
}

/// With a capital at its beginning and a full stop at its end.
fn sentence(text: &str) -> String {
    let mut rest = text.chars();
    let first = rest.next().into_iter().flat_map(char::to_uppercase);
    first.chain(rest.chain(['.'])).collect()
}

#[cfg(test)]
mod tests;
