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
mod tests;
