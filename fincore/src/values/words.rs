//! Search terms, and the known values that come nearest to one that nothing has.
use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};
use strsim::osa_distance;

use crate::values::{Error, Identifier, Limit, Offset, Result, Wanted, fold, identifier::tokens};

/// The words of a search: at least one, at most 32, in at most 500 characters.
///
/// A word is a run of letters and digits; case and accents are ignored. Words in double quotes are a phrase, to be
/// found side by side in this order. Everything else separates words.
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
    parts: Vec<Part>,
}

/// A part of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// Words in any order and place.
    Words(Vec<String>),
    /// A CNPJ or the beginning of one, without its marks; and as it would be read if it were none.
    Cnpj(String, Vec<String>),
    /// Words side by side.
    Phrase(Vec<String>),
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
#[derive(Clone, Debug, Deserialize, Serialize)]
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

    /// Its parts, in the order of the text.
    pub(crate) fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// The phrases among its parts.
    pub(crate) fn phrases(&self) -> impl Iterator<Item = &[String]> {
        self.parts.iter().filter_map(|part| match part {
            Part::Phrase(words) => Some(words.as_slice()),
            Part::Words(_) | Part::Cnpj(..) => None,
        })
    }

    /// All words, whichever part they belong to.
    pub(crate) fn all(&self) -> impl Iterator<Item = &str> {
        let words = self.parts.iter().flat_map(|part| match part {
            Part::Words(words) | Part::Phrase(words) => words.as_slice(),
            Part::Cnpj(whole, _) => std::slice::from_ref(whole),
        });
        words.map(String::as_str)
    }
}

impl FromStr for Words {
    type Err = Error;

    fn from_str(text: &str) -> Result<Words> {
        let parts = parts(text);
        let count: usize = parts.iter().map(Part::len).sum();
        let wanted = if count == 0 {
            Wanted::Words
        } else if count > MAX_WORDS {
            Wanted::FewerWords { most: MAX_WORDS, given: count }
        } else if text.chars().count() > MAX_CHARACTERS {
            Wanted::ShorterText { most: MAX_CHARACTERS }
        } else {
            return Ok(Words { text: text.to_owned(), parts });
        };
        Err(Error::invalid(text, wanted))
    }
}

impl Part {
    fn len(&self) -> usize {
        match self {
            Part::Words(words) | Part::Phrase(words) | Part::Cnpj(_, words) => words.len(),
        }
    }
}

/// The parts of a text. A quotation mark without a second one separates words, like any other sign.
fn parts(text: &str) -> Vec<Part> {
    let marks = ['"', '“', '”', '„', '«', '»'];
    let mut parts = Vec::new();
    let mut rest = text;
    loop {
        let quoted = rest.split_once(marks).and_then(|(before, after)| {
            after.split_once(marks).map(|(phrase, after)| (before, phrase, after))
        });
        let Some((before, phrase, after)) = quoted else { break };
        plain(before, &mut parts);
        let phrase: Vec<String> = words(&fold(phrase)).map(str::to_owned).collect();
        if !phrase.is_empty() {
            parts.push(Part::Phrase(phrase));
        }
        rest = after;
    }
    plain(rest, &mut parts);
    parts
}

/// The parts of a text without quotation marks. Of an identifier with marks, only what says which company it is stays.
fn plain(text: &str, parts: &mut Vec<Part>) {
    let tokens: Vec<&str> = tokens(text).collect();
    let mut before = String::new();
    let mut at = 0;
    while at < tokens.len() {
        let leading = Identifier::leading(&tokens[at..]);
        let taken = leading.as_ref().map_or(1, |(taken, _)| *taken);
        let given = &tokens[at..at + taken];
        match leading.map(|(_, found)| found) {
            Some(Identifier::Cnpj(whole)) => {
                push_words(&std::mem::take(&mut before), parts);
                let numbers =
                    given.iter().filter(|token| token.contains(|c: char| c.is_ascii_digit()));
                let numbers = numbers.copied().collect::<Vec<_>>().join(" ");
                parts.push(Part::Cnpj(whole, words(&fold(&numbers)).map(str::to_owned).collect()));
            }
            Some(Identifier::Code(code)) => before.push_str(&code.to_string()),
            Some(Identifier::Ticker(word) | Identifier::Isin(word)) => before.push_str(&word),
            None => before.push_str(given[0]),
        }
        before.push(' ');
        at += taken;
    }
    push_words(&before, parts);
}

fn push_words(text: &str, parts: &mut Vec<Part>) {
    let words: Vec<String> = words(&fold(text)).map(str::to_owned).collect();
    if !words.is_empty() {
        parts.push(Part::Words(words));
    }
}

super::as_text!(Words);

impl fmt::Display for Words {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

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

/// How many of them are named.
const MOST: usize = 3;

/// A shorter text is in too many values.
const SHORTEST: usize = 3;

/// The known values that come nearest to one that nothing has, if any does. `None` if one of the known values is the same but
/// for case and accents.
pub(crate) fn nearest_to_unknown(given: &str, known: &[String]) -> Option<Vec<String>> {
    let folded = fold(given);
    if known.iter().any(|value| fold(value) == folded) {
        return None;
    }
    Some(nearest(&folded, known).into_iter().map(str::to_owned).collect())
}

/// The known values that have this text, or else words that differ from it in few letters.
fn nearest<'k>(folded: &str, known: &'k [String]) -> Vec<&'k str> {
    let most_letters = folded.chars().count() / 4;
    let distance = |value: &String| {
        let value = fold(value);
        if folded.chars().count() < SHORTEST {
            return None;
        }
        if value.contains(folded) {
            return Some(0);
        }
        let parts = value.split(|c: char| !c.is_alphanumeric()).chain([value.as_str()]);
        let least = parts.map(|part| osa_distance(part, folded)).min();
        least.filter(|least| *least <= most_letters)
    };
    let found: Vec<(usize, &str)> =
        known.iter().filter_map(|value| Some((distance(value)?, value.as_str()))).collect();
    let least = found.iter().map(|(distance, _)| *distance).min();
    let best = found.into_iter().filter(|(distance, _)| Some(*distance) == least);
    best.map(|(_, value)| value).take(MOST).collect()
}

#[cfg(test)]
mod tests;

#[cfg(test)]
mod nearest_tests {
    use super::*;

    #[test]
    fn names_what_comes_nearest() {
        let known =
            ["Energia Elétrica", "Bancos", "Emp. Adm. Part. - Energia Elétrica", "Comércio"]
                .map(str::to_owned);
        let near = |given| nearest_to_unknown(given, &known);
        assert_eq!((near("BANCOS"), near("comercio")), (None, None));
        assert_eq!(
            near("eletrico").unwrap(),
            ["Energia Elétrica", "Emp. Adm. Part. - Energia Elétrica"]
        );
        assert_eq!(near("banco").unwrap(), ["Bancos"]);
        assert_eq!(near("Bnacos").unwrap(), ["Bancos"]);
        for nothing in ["blah", "", "%", "en"] {
            assert_eq!(near(nothing).unwrap(), Vec::<String>::new());
        }
    }
}
