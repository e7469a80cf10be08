//! Text to search for, and the one rule by which texts are alike.
use std::{collections::HashSet, str::FromStr};

use serde::Deserialize;

use crate::{Error, Limit, Offset, Result};

/// What is searched for: at least one word, and at most 32 in 500 characters.
///
/// Words are runs of letters and digits; case and accents do not count. Everything else only
/// separates words, so that no text has a meaning of its own.
///
/// ```
/// let words: fincore::Words = "PETRÓLEO (S.A.)".parse()?;
/// assert_eq!(words.as_str(), "PETRÓLEO (S.A.)");
/// assert!("?!".parse::<fincore::Words>().is_err());
/// # Ok::<(), fincore::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Words {
    text: String,
    words: Vec<String>,
}

/// Longer than any name; whoever pastes a whole document is told so.
const MAX_CHARACTERS: usize = 500;
const MAX_WORDS: usize = 32;
/// Every beginning of a word is counted, so one of 40,000 letters would fill the disk.
const MAX_LETTERS: usize = 64;

/// What to search for, and how much of the result is wanted.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Search {
    /// All of these words must match, the last one by its beginning.
    pub q: Words,
    /// At most this many results.
    #[serde(default)]
    pub limit: Limit<1000>,
    /// This many results are passed over.
    #[serde(default)]
    pub offset: Offset,
}

impl Words {
    /// The text as it was given.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The words in the full-text index's own language: all of them, the last by its beginning.
    ///
    /// Nothing where a word is written in letters that no text of the sources has.
    pub(crate) fn by_beginning(&self) -> Option<String> {
        self.exactly().map(|words| words + "*")
    }

    /// The same, with the last word complete.
    pub(crate) fn exactly(&self) -> Option<String> {
        let known = self.words.iter().all(|word| word.is_ascii());
        // Quoted, a word of letters and digits is nothing but a word.
        known.then(|| format!("\"{}\"", self.words.join("\" \"")))
    }

    /// Texts that open with these words one after the other, the last by its beginning.
    ///
    /// Nothing, as for [`Words::by_beginning`].
    pub(crate) fn opening(&self) -> Option<String> {
        let known = self.words.iter().all(|word| word.is_ascii());
        known.then(|| format!("^\"{}\"*", self.words.join(" ")))
    }

    /// The only word, where there is just one.
    pub(crate) fn single(&self) -> Option<&str> {
        match &self.words[..] {
            [word] => Some(word),
            _ => None,
        }
    }

    /// The words before the last one, and the last one.
    pub(crate) fn split_last(&self) -> (&[String], &str) {
        self.words.split_last().map_or((&[], ""), |(last, others)| (others, last))
    }
}

impl FromStr for Words {
    type Err = Error;

    fn from_str(text: &str) -> Result<Words> {
        let mut words: Vec<String> = words(&fold(text)).map(str::to_owned).collect();
        let wanted = if words.is_empty() {
            "a text with at least one letter or digit".to_owned()
        } else if words.len() > MAX_WORDS {
            format!("a text of at most {MAX_WORDS} words (it has {})", words.len())
        } else if text.chars().count() > MAX_CHARACTERS {
            format!("a text of at most {MAX_CHARACTERS} characters")
        } else {
            // To ask twice for a whole word is to ask for it once; only the last is a beginning.
            let last = words.pop();
            let mut seen = HashSet::new();
            words.retain(|word| seen.insert(word.clone()));
            words.extend(last);
            return Ok(Words { text: text.to_owned(), words });
        };
        Err(Error::invalid(text, wanted))
    }
}

super::deserialize_from_str!(Words);

/// The words of a folded text. `S.A.`, `S/A` and `SA` are the same word, because the registry has all
/// three; a word is cut where none that people use is as long.
pub(crate) fn words(folded: &str) -> impl Iterator<Item = &str> {
    let words = folded.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let mut words = words.map(cut).peekable();
    std::iter::from_fn(move || {
        let word = words.next()?;
        Some(if word == "s" && words.next_if_eq(&"a").is_some() { "sa" } else { word })
    })
}

fn cut(word: &str) -> &str {
    match word.char_indices().nth(MAX_LETTERS) {
        Some((end, _)) => &word[..end],
        None => word,
    }
}

/// The text in small letters, without accents and with single blanks: texts that fold alike are
/// taken for the same.
///
/// Every letter of Windows-1252, which all texts of the sources are written in, becomes ASCII.
pub(crate) fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            'a'..='z' | '0'..='9' => folded.push(c),
            'A'..='Z' => folded.push(c.to_ascii_lowercase()),
            // Accents apart from their letter, as some systems write them.
            '\u{300}'..='\u{36f}' | 'ˆ' => (),
            c if c.is_whitespace() || c.is_control() => {
                if !folded.is_empty() && !folded.ends_with(' ') {
                    folded.push(' ');
                }
            }
            c if c.is_ascii() => folded.push(c),
            c => match plain(c) {
                Some(letters) => folded.push_str(letters),
                None => folded.extend(c.to_lowercase()),
            },
        }
    }
    folded.truncate(folded.trim_end().len());
    folded
}

/// The ASCII letters that a letter of Windows-1252 stands for.
fn plain(c: char) -> Option<&'static str> {
    Some(match c {
        'À'..='Å' | 'à'..='å' | 'ª' => "a",
        'Æ' | 'æ' => "ae",
        'Ç' | 'ç' => "c",
        'Ð' | 'ð' => "d",
        'È'..='Ë' | 'è'..='ë' => "e",
        'ƒ' => "f",
        'Ì'..='Ï' | 'ì'..='ï' => "i",
        'Ñ' | 'ñ' => "n",
        'Ò'..='Ö' | 'Ø' | 'ò'..='ö' | 'ø' | 'º' => "o",
        'Œ' | 'œ' => "oe",
        'Š' | 'š' => "s",
        'ß' => "ss",
        'Þ' | 'þ' => "th",
        'Ù'..='Ü' | 'ù'..='ü' | 'µ' => "u",
        'Ý' | 'Ÿ' | 'ý' | 'ÿ' => "y",
        'Ž' | 'ž' => "z",
        '¹' => "1",
        '²' => "2",
        '³' => "3",
        '¼' => "1/4",
        '½' => "1/2",
        '¾' => "3/4",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(text: &str) -> Vec<String> {
        text.parse::<Words>().unwrap().words
    }

    #[test]
    fn ignores_case_accents_and_punctuation() {
        let long = "x".repeat(500);
        let cases: [(&str, &[&str]); 12] = [
            ("PETRÓLEO BRASILEIRO", &["petroleo", "brasileiro"]),
            ("petro\u{301}leo", &["petroleo"]),
            ("  S.A.  ", &["sa"]),
            ("Vale S/A, s a, SA, s", &["vale", "sa", "s"]),
            ("s b a s a", &["s", "b", "a", "sa"]),
            ("a b a b a", &["a", "b", "a"]),
            (&long, &[&long[..64]]),
            ("Econômico-Financeiros", &["economico", "financeiros"]),
            ("nº 358/02", &["no", "358", "02"]),
            ("NEAR(a b) OR \"x\"*", &["near", "a", "b", "or", "x"]),
            ("100%", &["100"]),
            ("株式 Ж", &["株式", "ж"]),
        ];
        for (text, want) in cases {
            assert_eq!(check(text), want, "{text}");
        }
    }

    #[test]
    fn refuses_what_has_no_word_or_too_many() {
        let long = ["a ".repeat(33), "x".repeat(501)];
        let wrong = [
            ("", "at least one letter"),
            (" . ", "at least one letter"),
            ("\"", "at least one letter"),
            ("😀", "at least one letter"),
            (&long[0], "at most 32 words (it has 33)"),
            (&long[1], "at most 500 characters"),
        ];
        for (text, reason) in wrong {
            let message = text.parse::<Words>().unwrap_err().to_string();
            assert!(message.contains(reason), "{message}");
        }
    }

    #[test]
    fn quotes_every_word() {
        let words: Words = "vale OR s.a".parse().unwrap();
        assert_eq!(words.by_beginning().unwrap(), "\"vale\" \"or\" \"sa\"*");
        assert_eq!("vale Ж".parse::<Words>().unwrap().by_beginning(), None);
    }

    #[test]
    fn every_letter_of_windows_1252_becomes_ascii() {
        for byte in 0..=255 {
            let text = encoding_rs::WINDOWS_1252.decode(&[byte]).0.into_owned();
            for word in words(&fold(&text)) {
                assert!(word.is_ascii(), "{byte:#x} {text:?} {word:?}");
            }
        }
    }

    proptest! {
        #[test]
        fn no_text_panics_and_folding_twice_changes_nothing(text in "\\PC*") {
            let _ = text.parse::<Words>();
            prop_assert_eq!(fold(&fold(&text)), fold(&text));
        }
    }
}
