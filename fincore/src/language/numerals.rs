//! Numbers that order things, in all the ways they are written: `6`, `6a`, `6o`, `sexta`.

/// Feminine; the masculine ends in `o`.
const ORDINALS: [&str; 20] = [
    "primeira", "segunda", "terceira", "quarta", "quinta", "sexta", "setima", "oitava", "nona",
    "decima", "", "", "", "", "", "", "", "", "", "vigesima",
];

/// The other ways to write a number of at most two digits, or its ordinal; none if the word is something else.
pub(crate) fn other_numerals(word: &str) -> Vec<String> {
    let Some(number) = number(word) else { return Vec::new() };
    let digits = number.to_string();
    let mut all = vec![format!("{digits}a"), format!("{digits}o"), digits];
    let spelled = ORDINALS.get(number - 1).filter(|spelled| !spelled.is_empty());
    if let Some(stem) = spelled.and_then(|spelled| spelled.strip_suffix('a')) {
        all.extend([format!("{stem}a"), format!("{stem}o")]);
    }
    all.retain(|other| other != word);
    all
}

fn number(word: &str) -> Option<usize> {
    let spelled = |ordinal: &&str| {
        ordinal.strip_suffix('a').is_some_and(|stem| {
            word.strip_prefix(stem).is_some_and(|ending| matches!(ending, "a" | "o"))
        })
    };
    if let Some(at) = ORDINALS.iter().position(spelled) {
        return Some(at + 1);
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
