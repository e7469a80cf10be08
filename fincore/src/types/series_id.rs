//! The id that a series is looked up by.
use std::{fmt, str::FromStr};

use super::{fold, whole_number};
use crate::error::{Error, Result, Wanted};

/// The number of a series in SGS, or its name: case, accents and punctuation of a name are ignored.
///
/// A well-formed id may name a series that does not exist.
///
/// ```
/// use fincore::SeriesId;
///
/// assert_eq!("189".parse::<SeriesId>()?, SeriesId::from(189));
/// assert_eq!("IGP-M".parse::<SeriesId>()?, "igp_m".parse()?);
/// # Ok::<(), fincore::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct SeriesId(Id);

#[derive(Clone, Debug)]
enum Id {
    Number(u32),
    Name {
        given: String,
        /// What is compared: letters and digits.
        letters: String,
    },
}

impl SeriesId {
    /// The number, if it is one.
    pub(crate) fn number(&self) -> Option<u32> {
        match &self.0 {
            Id::Number(number) => Some(*number),
            Id::Name { .. } => None,
        }
    }

    /// Whether it is this name.
    pub(crate) fn is_named(&self, name: &str) -> bool {
        match &self.0 {
            Id::Number(_) => false,
            Id::Name { letters, .. } => *letters == letters_of(name),
        }
    }
}

/// Letters and digits, folded.
fn letters_of(name: &str) -> String {
    fold(name).chars().filter(|letter| letter.is_alphanumeric()).collect()
}

impl FromStr for SeriesId {
    type Err = Error;

    fn from_str(text: &str) -> Result<SeriesId> {
        if let Some(number) = whole_number(text) {
            return Ok(SeriesId(Id::Number(number)));
        }
        let letters = letters_of(text);
        if letters.is_empty() {
            return Err(Error::invalid(text, Wanted::Series));
        }
        Ok(SeriesId(Id::Name { given: text.to_owned(), letters }))
    }
}

impl From<u32> for SeriesId {
    fn from(number: u32) -> SeriesId {
        SeriesId(Id::Number(number))
    }
}

impl PartialEq for SeriesId {
    fn eq(&self, other: &SeriesId) -> bool {
        match (&self.0, &other.0) {
            (Id::Number(ours), Id::Number(theirs)) => ours == theirs,
            (Id::Name { letters: ours, .. }, Id::Name { letters: theirs, .. }) => ours == theirs,
            (Id::Number(_), Id::Name { .. }) | (Id::Name { .. }, Id::Number(_)) => false,
        }
    }
}

impl Eq for SeriesId {}

impl fmt::Display for SeriesId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Id::Number(number) => fmt::Display::fmt(number, f),
            Id::Name { given, .. } => f.pad(given),
        }
    }
}

super::deserialize_from_str!(SeriesId);
super::serialize_as_str!(SeriesId);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn tells_a_number_from_a_name() {
        let number = |text: &str| text.parse::<SeriesId>().ok().map(|id| id.number());
        for (text, wanted) in [
            ("189", Some(Some(189))),
            ("0189", Some(Some(189))),
            ("igp-m", Some(None)),
            // Too large for a number of SGS: a name that no series has.
            ("99999999999", Some(None)),
            ("+189", Some(None)),
            ("4.389", Some(None)),
            ("", None),
            ("-_ /", None),
        ] {
            assert_eq!(number(text), wanted, "{text}");
        }
    }

    #[test]
    fn ignores_case_accents_and_punctuation_of_a_name() {
        for text in ["igp-m", "IGP-M", "igpm", "igp_m", "Igp M", "ÍGP.M"] {
            assert!(text.parse::<SeriesId>().unwrap().is_named("igp-m"), "{text}");
        }
        for text in ["igp", "igp-mm", "189", "i"] {
            assert!(!text.parse::<SeriesId>().unwrap().is_named("igp-m"), "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_text_panics_and_what_is_printed_parses_back(text in "\\PC*") {
            if let Ok(id) = text.parse::<SeriesId>() {
                prop_assert_eq!(&id.to_string().parse::<SeriesId>().unwrap(), &id);
            }
        }
    }
}
