//! Expressions of the market that mean the same, in singular and plural; and ordinals in all spellings.
use std::{
    collections::HashMap,
    sync::{Arc, LazyLock},
};

use crate::values::tsv;

/// Words and expressions that mean the same. Texts are folded, and stand for singular and plural.
struct Equivalent {
    /// The word that stands for all of them: documents with any of the others are found by it.
    word: &'static str,
    /// The others. A query for one of them also finds what the word finds.
    same: Vec<&'static str>,
    /// Expressions in documents that the word finds. A query for one of them finds only itself.
    narrower: Vec<&'static str>,
}

impl Equivalent {
    /// The expressions by which the word finds documents.
    fn expressions(&self) -> Vec<&'static str> {
        [&self.same[..], &self.narrower].concat()
    }
}

static EQUIVALENTS: LazyLock<Vec<Equivalent>> = LazyLock::new(|| {
    let table = include_str!("equivalents.tsv");
    let header = "word\tsame\tnarrower\treason";
    tsv::embedded("equivalents.tsv", table, header, |[word, same, narrower, reason]| {
        tsv::check_reason(reason)?;
        let (same, narrower) = (tsv::list(same).collect(), tsv::list(narrower).collect());
        Ok(Equivalent { word, same, narrower })
    })
});

/// An expression, each of its words in all forms, and the word that stands for it.
struct Expression {
    words: Vec<Vec<String>>,
    word: &'static str,
}

impl Expression {
    fn new(text: &str, word: &'static str) -> Expression {
        Expression { words: text.split(' ').map(forms).collect(), word }
    }

    fn starts(&self, words: &[&str]) -> bool {
        let is_one = |(forms, word): (&Vec<String>, &&str)| forms.iter().any(|form| form == word);
        self.words.len() <= words.len() && self.words.iter().zip(words).all(is_one)
    }
}

/// Expressions by the forms of their first word.
struct ByFirstWord(HashMap<String, Vec<Arc<Expression>>>);

impl ByFirstWord {
    fn new(expressions: impl Fn(&'static Equivalent) -> Vec<&'static str>) -> ByFirstWord {
        let mut all: HashMap<String, Vec<Arc<Expression>>> = HashMap::new();
        for line in EQUIVALENTS.iter() {
            for text in expressions(line) {
                let expression = Arc::new(Expression::new(text, line.word));
                for first in &expression.words[0] {
                    all.entry(first.clone()).or_default().push(expression.clone());
                }
            }
        }
        ByFirstWord(all)
    }

    /// The expressions that these words begin with.
    fn starting<'e>(&'e self, words: &'e [&str]) -> impl Iterator<Item = &'e Expression> {
        let known = words.first().and_then(|first| self.0.get(*first)).into_iter().flatten();
        known.map(AsRef::as_ref).filter(|expression| expression.starts(words))
    }
}

/// Every word with the expressions by which it finds documents.
pub(crate) fn lines() -> impl Iterator<Item = (&'static str, Vec<&'static str>)> {
    EQUIVALENTS.iter().map(|line| (line.word, line.expressions()))
}

/// The words of all expressions that these words begin with.
pub(crate) fn words_for<'w>(words: &'w [&str]) -> impl Iterator<Item = &'static str> + 'w {
    static ALL: LazyLock<ByFirstWord> = LazyLock::new(|| ByFirstWord::new(Equivalent::expressions));
    ALL.starting(words).map(|expression| expression.word)
}

/// The longest expression that these words begin with and that means the same as a word: its length, and the word.
pub(crate) fn longest_synonym(words: &[&str]) -> Option<(usize, String)> {
    static SAME: LazyLock<ByFirstWord> =
        LazyLock::new(|| ByFirstWord::new(|line| line.same.clone()));
    let longest = SAME.starting(words).max_by_key(|expression| expression.words.len())?;
    Some((longest.words.len(), longest.word.to_owned()))
}

/// Shorter words are abbreviations, numbers and particles.
const SHORTEST: usize = 3;

/// The word itself and its other number: `acao` and `acoes`, `dividendos` and `dividendo`. If one word is a form of
/// another, the other is a form of it.
pub(crate) fn forms(word: &str) -> Vec<String> {
    let mut forms = vec![word.to_owned()];
    if word.len() < SHORTEST || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return forms;
    }
    forms.extend(plurals(word));
    let singulars = possible_singulars(word).into_iter();
    forms.extend(singulars.filter(|singular| {
        singular.len() >= SHORTEST && plurals(singular).iter().any(|plural| plural == word)
    }));
    forms
}

/// The endings of singulars, and those of their plurals. The first that fits counts.
const ENDINGS: [(&str, &[&str]); 12] = [
    ("ao", &["oes", "aes", "aos"]),
    ("al", &["ais"]),
    ("el", &["eis"]),
    ("ol", &["ois"]),
    ("ul", &["uis"]),
    ("il", &["is", "eis"]),
    ("m", &["ns"]),
    ("r", &["res"]),
    ("z", &["zes"]),
    ("s", &["ses"]),
    ("n", &["ns"]),
    ("", &["s"]),
];

fn plurals(singular: &str) -> Vec<String> {
    let vowel = singular.ends_with(['a', 'e', 'i', 'o', 'u']);
    for (ending, plurals) in ENDINGS {
        let Some(stem) = singular.strip_suffix(ending) else { continue };
        if ending.is_empty() && !vowel {
            continue;
        }
        return plurals.iter().map(|plural| format!("{stem}{plural}")).collect();
    }
    Vec::new()
}

fn possible_singulars(plural: &str) -> Vec<String> {
    let singulars = ENDINGS.iter().flat_map(|(ending, plurals)| {
        let stems = plurals.iter().filter_map(|with| plural.strip_suffix(with));
        stems.map(move |stem| format!("{stem}{ending}"))
    });
    singulars.collect()
}

struct Ordinal {
    number: usize,
    /// `primeir`, of `primeira` and `primeiro`.
    stem: &'static str,
}

static ORDINALS: LazyLock<Vec<Ordinal>> = LazyLock::new(|| {
    let row = |[number, stem]: [_; 2]| Ok(Ordinal { number: tsv::number(number)?, stem });
    tsv::embedded("numerals.tsv", include_str!("numerals.tsv"), "number\tstem", row)
});

/// The other ways to write a number of at most two digits, or its ordinal; none if the word is something else.
pub(crate) fn other_numerals(word: &str) -> Vec<String> {
    let Some(number) = number(word) else { return Vec::new() };
    let digits = number.to_string();
    let mut all = vec![format!("{digits}a"), format!("{digits}o"), digits];
    if let Some(Ordinal { stem, .. }) = ORDINALS.iter().find(|ordinal| ordinal.number == number) {
        all.extend([format!("{stem}a"), format!("{stem}o")]);
    }
    all.retain(|other| other != word);
    all
}

fn number(word: &str) -> Option<usize> {
    let is_spelled =
        |ordinal: &&Ordinal| matches!(word.strip_prefix(ordinal.stem), Some("a" | "o"));
    if let Some(ordinal) = ORDINALS.iter().find(is_spelled) {
        return Some(ordinal.number);
    }
    let digits = word.strip_suffix(['a', 'o']).unwrap_or(word);
    let is_short = (1..=2).contains(&digits.len());
    let is_number = is_short && digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|number| is_number && *number > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::fold;

    #[test]
    fn every_line_is_folded() {
        for line in EQUIVALENTS.iter() {
            for text in [vec![line.word], line.expressions()].concat() {
                assert_eq!(fold(text), text);
                assert!(text.split(' ').all(|word| !word.is_empty()));
            }
        }
    }
}

#[cfg(test)]
mod plural_tests {
    use super::*;

    #[test]
    fn both_numbers_are_found() {
        let pairs = [
            ("dividendo", "dividendos"),
            ("acao", "acoes"),
            ("capital", "capitais"),
            ("papel", "papeis"),
            ("perfil", "perfis"),
            ("ordem", "ordens"),
            ("auditor", "auditores"),
            ("juiz", "juizes"),
            ("mes", "meses"),
            ("debenture", "debentures"),
            ("fato", "fatos"),
            ("ata", "atas"),
        ];
        for (one, many) in pairs {
            assert!(forms(one).contains(&many.to_owned()), "{one}: {:?}", forms(one));
            assert!(forms(many).contains(&one.to_owned()), "{many}: {:?}", forms(many));
        }
    }

    #[test]
    fn numbers_and_particles_have_one_form() {
        for word in ["3t24", "2024", "de", "sa", "jcp"] {
            assert_eq!(forms(word), [word]);
        }
    }

    #[test]
    fn being_a_form_is_mutual() {
        for word in ["acoes", "aos", "gas", "lapis", "bens", "itaus", "vales", "reais", "pais"] {
            for form in forms(word) {
                assert!(forms(&form).contains(&word.to_owned()), "{word} {form}");
            }
        }
    }
}

#[cfg(test)]
mod numerals_tests {
    use super::*;

    #[test]
    fn a_number_is_written_in_many_ways() {
        assert_eq!(other_numerals("6"), ["6a", "6o", "sexta", "sexto"]);
        assert_eq!(other_numerals("6a"), ["6o", "6", "sexta", "sexto"]);
        assert_eq!(other_numerals("sexto"), ["6a", "6o", "6", "sexta"]);
        assert_eq!(other_numerals("23"), ["23a", "23o"]);
    }

    #[test]
    fn other_words_are_no_numbers() {
        for word in ["2024", "0", "a", "ata", "s", "3t24", ""] {
            assert!(other_numerals(word).is_empty(), "{word}");
        }
    }
}
