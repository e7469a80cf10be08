//! Numbers that order things, in all the ways they are written: `6`, `6a`, `6o`, `sexta`.

use std::sync::LazyLock;

use crate::types::tsv;

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
