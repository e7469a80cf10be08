//! Text to search for, and the one rule by which texts are alike.
use std::{collections::HashSet, str::FromStr};

use serde::Deserialize;
use unicode_normalization::char::{decompose_compatible, is_combining_mark};

use super::{Limit, Offset};
use crate::error::{Error, Result};

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
///
/// ```
/// use fincore::{Limit, Search};
///
/// let search = Search::new("petróleo brasil")?;
/// assert_eq!((search.limit.get(), search.offset.get()), (20, 0));
/// let more = Search { limit: Limit::new(100)?, ..search };
/// assert_eq!(more.q.as_str(), "petróleo brasil");
/// # Ok::<(), fincore::Error>(())
/// ```
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Search {
    /// All of these words must match, the last one by its beginning.
    pub q: Words,
    /// At most this many results.
    #[serde(default)]
    pub limit: Limit<1000>,
    /// This many results are skipped.
    #[serde(default)]
    pub offset: Offset,
}

impl Search {
    /// A search for the words of `text` with the default limit and no offset.
    ///
    /// Fails where [`Words`] does.
    pub fn new(text: &str) -> Result<Search> {
        Ok(Search { q: text.parse()?, limit: Limit::default(), offset: Offset::default() })
    }
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

/// The text in lowercase, without accents and with single blanks: texts that fold alike are taken for
/// the same, and folding twice changes nothing.
///
/// Every letter of Windows-1252, which all texts of the sources are written in, becomes ASCII. Search
/// indexes hold folded words, so what a character of Windows-1252 becomes must never change.
pub(crate) fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '!'..='~' => folded.push(c.to_ascii_lowercase()),
            // Only letters and digits are taken apart: symbols such as ™ and ´ separate words.
            c if c.is_alphanumeric() => {
                decompose_compatible(c, |part| push_lowercase(&mut folded, part));
            }
            c => push(&mut folded, c),
        }
    }
    folded.truncate(folded.trim_end().len());
    folded
}

/// Appends the lowercase of a character that is already taken apart.
fn push_lowercase(folded: &mut String, c: char) {
    match c {
        // Nearly all letters of the sources end here, which spares them the look-ups below.
        '!'..='~' => folded.push(c.to_ascii_lowercase()),
        '\u{300}'..='\u{36f}' => (),
        c => c.to_lowercase().for_each(|c| push(folded, c)),
    }
}

/// Appends a character that has no uppercase and no accent: nothing for a mark on the letter before,
/// at most one blank for whitespace.
fn push(folded: &mut String, c: char) {
    match c {
        c if c.is_whitespace() || c.is_control() => {
            if !folded.is_empty() && !folded.ends_with(' ') {
                folded.push(' ');
            }
        }
        // The circumflex that stands alone is an accent too, though Unicode calls it a letter.
        c if is_combining_mark(c) || c == 'ˆ' => (),
        c => match plain(c) {
            Some(letters) => folded.push_str(letters),
            None => folded.push(c),
        },
    }
}

/// What stands for a character that Unicode does not decompose.
fn plain(c: char) -> Option<&'static str> {
    Some(match c {
        'æ' => "ae",
        'đ' | 'ð' => "d",
        'ƒ' => "f",
        'ħ' => "h",
        'ı' => "i",
        'ł' => "l",
        'ø' => "o",
        'œ' => "oe",
        'ß' => "ss",
        'ŧ' => "t",
        'þ' => "th",
        // The sign of micro decomposes to the Greek letter.
        'μ' => "u",
        // In the middle of a decomposed ½.
        '\u{2044}' => "/",
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

    /// What each character of Windows-1252 becomes between two letters. Search indexes were written
    /// with these: a changed entry means that every index must be rebuilt.
    #[rustfmt::skip]
    const WINDOWS_1252: [&str; 256] = [
        " ", " ", " ", " ", " ", " ", " ", " ", " ", " ", " ", " ", " ", " ", " ", " ",
        " ", " ", " ", " ", " ", " ", " ", " ", " ", " ", " ", " ", " ", " ", " ", " ",
        " ", "!", "\"", "#", "$", "%", "&", "'", "(", ")", "*", "+", ",", "-", ".", "/",
        "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", ":", ";", "<", "=", ">", "?",
        "@", "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o",
        "p", "q", "r", "s", "t", "u", "v", "w", "x", "y", "z", "[", "\\", "]", "^", "_",
        "`", "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o",
        "p", "q", "r", "s", "t", "u", "v", "w", "x", "y", "z", "{", "|", "}", "~", " ",
        "€", " ", "‚", "f", "„", "…", "†", "‡", "", "‰", "s", "‹", "oe", " ", "z", " ",
        " ", "‘", "’", "“", "”", "•", "–", "—", "˜", "™", "s", "›", "oe", " ", "z", "y",
        " ", "¡", "¢", "£", "¤", "¥", "¦", "§", "¨", "©", "a", "«", "¬", "\u{ad}", "®", "¯",
        "°", "±", "2", "3", "´", "u", "¶", "·", "¸", "1", "o", "»", "1/4", "1/2", "3/4", "¿",
        "a", "a", "a", "a", "a", "a", "ae", "c", "e", "e", "e", "e", "i", "i", "i", "i",
        "d", "n", "o", "o", "o", "o", "o", "×", "o", "u", "u", "u", "u", "y", "th", "ss",
        "a", "a", "a", "a", "a", "a", "ae", "c", "e", "e", "e", "e", "i", "i", "i", "i",
        "d", "n", "o", "o", "o", "o", "o", "÷", "o", "u", "u", "u", "u", "y", "th", "y",
    ];

    #[test]
    fn every_character_of_windows_1252_folds_as_it_always_did() {
        for (byte, want) in (0..=255_u8).zip(WINDOWS_1252) {
            let text = encoding_rs::WINDOWS_1252.decode(&[b'x', byte, b'y']).0.into_owned();
            assert_eq!(fold(&text), format!("x{want}y"), "{byte:#x} {text:?}");
            let alone = &text[1..text.len() - 1];
            assert_eq!(fold(alone), want.trim(), "{byte:#x} {alone:?}");
            assert!(words(want).all(str::is_ascii), "{byte:#x} {want:?}");
        }
    }

    #[test]
    fn folding_any_character_twice_changes_nothing() {
        for c in char::MIN..=char::MAX {
            for text in [c.to_string(), format!("a{c}"), format!("{c}a")] {
                let folded = fold(&text);
                assert_eq!(fold(&folded), folded, "{c:?} U+{:04X}", u32::from(c));
            }
        }
    }

    #[test]
    fn letters_beyond_windows_1252_lose_their_accents_too() {
        let cases = [
            // The sign of the ångström, whose lowercase is a letter with an accent.
            ("\u{212b}", "a"),
            ("\u{130}stanbul", "istanbul"),
            ("Łódź", "lodz"),
            ("ẞ", "ss"),
            ("μ", "u"),
            ("ﬁm", "fim"),
            ("Ⅳ", "iv"),
            ("ＡＢ１", "ab1"),
            ("10⁻⁶", "10⁻6"),
            ("Petrobras™", "petrobras™"),
        ];
        for (text, folded) in cases {
            assert_eq!(fold(text), folded, "{text}");
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
