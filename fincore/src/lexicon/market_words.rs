//! Everyday words and the words of filings for them: synonyms, and related words. The table is used for queries only,
//! so that a change of it needs no new index.
use std::{
    collections::{BTreeSet, HashMap},
    sync::LazyLock,
};

use strsim::osa_distance;

use crate::{
    lexicon::{equivalents::forms, is_particle},
    values::tsv,
};

/// A line of the table.
struct Line {
    typed: Vec<&'static str>,
    means: Vec<&'static str>,
    linked: Vec<&'static str>,
}

/// The synonyms and related words of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MarketWords {
    /// How many words the expression takes.
    pub(crate) length: usize,
    /// Expressions that mean the same.
    pub(crate) means: &'static [&'static str],
    /// Expressions that are only linked to it. The link is one way.
    pub(crate) linked: &'static [&'static str],
}

/// An expression that is typed, without its particles, each word in all forms; and its line.
type Typed = (Vec<Vec<String>>, usize);

static LINES: LazyLock<Vec<Line>> = LazyLock::new(|| {
    let table = include_str!("market_words.tsv");
    let header = "typed\tmeans\tlinked\treason";
    tsv::embedded("market_words.tsv", table, header, |[typed, means, linked, reason]| {
        tsv::check_reason(reason)?;
        let [typed, means, linked] = [typed, means, linked].map(|cell| tsv::list(cell).collect());
        Ok(Line { typed, means, linked })
    })
});

static BY_FIRST_WORD: LazyLock<HashMap<String, Vec<Typed>>> = LazyLock::new(|| {
    let mut all: HashMap<String, Vec<Typed>> = HashMap::new();
    for (line, Line { typed, .. }) in LINES.iter().enumerate() {
        for text in typed {
            let words: Vec<Vec<String>> =
                text.split(' ').filter(|word| !is_particle(word)).map(forms).collect();
            for first in words.first().into_iter().flatten() {
                all.entry(first.clone()).or_default().push((words.clone(), line));
            }
        }
    }
    all
});

/// How many of these words an expression takes if they begin with it. Particles between its words do not count.
pub(crate) fn begins_with<E>(
    words: &[&str],
    expression: &[E],
    is_one: impl Fn(&E, &str) -> bool,
) -> Option<usize> {
    let mut at = 0;
    for (place, wanted) in expression.iter().enumerate() {
        while place > 0
            && words.get(at).is_some_and(|word| is_particle(word) && !is_one(wanted, word))
        {
            at += 1;
        }
        words.get(at).filter(|word| is_one(wanted, word))?;
        at += 1;
    }
    Some(at)
}

/// The longest expression of the market that these words begin with.
pub(crate) fn market_words(words: &[&str]) -> Option<MarketWords> {
    let known = BY_FIRST_WORD.get(*words.first()?)?;
    let is_one = |forms: &Vec<String>, word: &str| forms.iter().any(|form| form == word);
    let is_same = |forms: &Vec<String>, word: &str| forms.first().is_some_and(|form| form == word);
    let fitting = known.iter().filter_map(|(expression, line)| {
        let length = begins_with(words, expression, is_one)?;
        // `venda` is not what `vendas` are.
        let is_typed = begins_with(words, expression, is_same) == Some(length);
        Some((length, is_typed, usize::MAX - line))
    });
    let (length, _, line) = fitting.max()?;
    let line = usize::MAX - line;
    let Line { means, linked, .. } = &LINES[line];
    Some(MarketWords { length, means, linked })
}

/// The word of the market, or among `others`, that is spelled nearly like a word.
pub(crate) fn nearest_word<'w>(
    word: &str,
    others: impl Iterator<Item = &'w str>,
) -> Option<String> {
    /// Shorter words are near to too many.
    const SHORTEST: usize = 5;
    /// From here on two letters may differ.
    const LONG: usize = 8;
    static KNOWN: LazyLock<BTreeSet<&str>> = LazyLock::new(|| {
        let cells = LINES.iter().flat_map(|line| [&line.typed, &line.means, &line.linked]);
        cells.flatten().flat_map(|text| text.split(' ')).collect()
    });
    if word.len() < SHORTEST || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return None;
    }
    let most = if word.len() < LONG { 1 } else { 2 };
    let known = KNOWN.iter().copied().chain(others);
    let near = known.filter(|known| {
        known.len() >= SHORTEST
            && known.len().abs_diff(word.len()) <= most
            && known[..1] == word[..1]
    });
    let near = near.map(|known| (osa_distance(known, word), known));
    let (distance, known) = near.filter(|(distance, _)| *distance <= most).min()?;
    (distance > 0).then(|| known.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::fold;

    #[test]
    fn every_line_is_folded_and_typed_once() {
        let mut seen = Vec::new();
        for Line { typed, means, linked } in LINES.iter() {
            assert!(!typed.is_empty(), "{means:?}");
            for text in [typed, means, linked].into_iter().flatten() {
                assert_eq!(fold(text), *text);
                assert!(text.split(' ').all(|word| !word.is_empty()), "{text}");
            }
            for text in typed {
                assert!(!seen.contains(text), "{text} is typed in two lines");
                seen.push(*text);
            }
        }
        assert!(seen.len() > 300);
    }

    #[test]
    fn the_longest_expression_counts_and_particles_do_not() {
        let of = |text: &str| market_words(&text.split(' ').collect::<Vec<_>>());
        assert_eq!(of("fr vale").unwrap().means, ["fato relevante"]);
        assert_eq!(of("follow on da cvc").unwrap().length, 2);
        assert_eq!(of("politica dividendos vale").unwrap().length, 2);
        assert_eq!(of("politica de dividendos vale").unwrap().length, 3);
        assert_eq!(of("vale dividendos"), None);
        assert!(of("venda").unwrap().means.contains(&"alienacao"));
        assert!(of("vendas").unwrap().linked.contains(&"previa operacional"));
    }

    #[test]
    fn links_are_one_way() {
        let linked = |text| market_words(&[text]).unwrap().linked;
        assert!(linked("dividendos").contains(&"jcp"));
        assert!(!linked("jcp").contains(&"dividendo"));
    }
}
