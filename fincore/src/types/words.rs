//! Search terms, and the folding that makes text comparable.
use std::{collections::HashSet, str::FromStr};

use serde::Deserialize;
use unicode_normalization::char::{decompose_compatible, is_combining_mark};

use super::{Limit, Offset};
use crate::error::{Error, Result};

/// The words of a search: at least one, at most 32, in at most 500 characters.
///
/// A word is a run of letters and digits; case and accents are ignored. Everything else separates words;
/// nothing in the text is query syntax.
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

/// Longer than any name; pasting a whole document is an error.
const MAX_CHARACTERS: usize = 500;
const MAX_WORDS: usize = 32;
/// Every prefix of a word is counted, so a word of 40,000 letters would fill the disk.
const MAX_LETTERS: usize = 64;

/// A search: the words, and which part of the results to return.
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
    /// All words must match; the last one matches as a prefix.
    pub q: Words,
    /// The most results to return.
    #[serde(default)]
    pub limit: Limit<1000>,
    /// The number of results to skip.
    #[serde(default)]
    pub offset: Offset,
}

impl Search {
    /// A search for the words in `text`, with the default limit and no offset.
    ///
    /// Fails if `text` has no words, or too many.
    pub fn new(text: &str) -> Result<Search> {
        Ok(Search { q: text.parse()?, limit: Limit::default(), offset: Offset::default() })
    }
}

impl Words {
    /// The text as passed in.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The FTS5 expression for all words, the last one as a prefix.
    ///
    /// `None` if a word has letters that no source uses.
    pub(crate) fn with_last_as_prefix(&self) -> Option<String> {
        self.all_words().map(|words| words + "*")
    }

    /// The FTS5 expression for all words, each of them complete. `None` as above.
    pub(crate) fn all_words(&self) -> Option<String> {
        let known = self.words.iter().all(|word| word.is_ascii());
        // Inside quotes, FTS5 sees a plain word and never an operator.
        known.then(|| format!("\"{}\"", self.words.join("\" \"")))
    }

    /// The FTS5 expression for texts that start with these words in this order, the last one as a prefix.
    /// `None` as above.
    pub(crate) fn as_name_prefix(&self) -> Option<String> {
        let known = self.words.iter().all(|word| word.is_ascii());
        known.then(|| format!("^\"{}\"*", self.words.join(" ")))
    }

    /// The word, if there is only one.
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
            // A repeated word adds nothing. The last one stays: it is a prefix.
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

/// The words of a folded text. `S.A.`, `S/A` and `SA` are the same word, because the registry uses all
/// three. Overlong words are cut.
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

/// Lowercases, strips accents and collapses whitespace. Texts with the same folding count as equal;
/// folding twice changes nothing.
///
/// Every letter of Windows-1252, the encoding of all sources, becomes ASCII. Search indexes store folded
/// words, so the folding of Windows-1252 must never change.
pub(crate) fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '!'..='~' => folded.push(c.to_ascii_lowercase()),
            // Only letters and digits are decomposed: symbols such as ™ and ´ separate words.
            c if c.is_alphanumeric() => {
                decompose_compatible(c, |part| push_lowercase(&mut folded, part));
            }
            c => push(&mut folded, c),
        }
    }
    folded.truncate(folded.trim_end().len());
    folded
}

/// Appends a decomposed character in lowercase.
fn push_lowercase(folded: &mut String, c: char) {
    match c {
        // Fast path for nearly every letter of the sources.
        '!'..='~' => folded.push(c.to_ascii_lowercase()),
        '\u{300}'..='\u{36f}' => (),
        c => c.to_lowercase().for_each(|c| push(folded, c)),
    }
}

/// Appends a lowercase character. Combining marks are dropped; whitespace collapses to one space.
fn push(folded: &mut String, c: char) {
    match c {
        c if c.is_whitespace() || c.is_control() => {
            if !folded.is_empty() && !folded.ends_with(' ') {
                folded.push(' ');
            }
        }
        // The standalone circumflex is an accent, though Unicode calls it a letter.
        c if is_combining_mark(c) || c == 'ˆ' => (),
        c => match plain(c) {
            Some(letters) => folded.push_str(letters),
            None => folded.push(c),
        },
    }
}

/// The replacement for a character that Unicode does not decompose.
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
        // The micro sign decomposes to this Greek letter.
        'μ' => "u",
        // In the middle of a decomposed ½.
        '\u{2044}' => "/",
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
