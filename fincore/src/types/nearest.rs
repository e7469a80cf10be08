//! Hints for a value that nothing has: the known values that come nearest to it.
use strsim::osa_distance;

use super::fold;
use crate::truncate::truncate;

/// How many of them a hint names.
const MOST: usize = 3;

/// A shorter text is in too many values.
const SHORTEST: usize = 3;

/// Says that nothing has a value, and which values come nearest; or, if none does, what helps otherwise. `None` if one of the known values is the same but for case and accents.
pub(crate) fn hint_for_unknown(
    (what, field): (&str, &str),
    given: &str,
    known: &[String],
    otherwise: &str,
) -> Option<String> {
    let folded = fold(given);
    if known.iter().any(|value| fold(value) == folded) {
        return None;
    }
    let help = match &nearest(&folded, known)[..] {
        [] => otherwise.to_owned(),
        near => format!("nearest: {}", near.join("; ")),
    };
    Some(format!("no {what} has the {field} \"{}\"; {help}", truncate(given)))
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
mod tests {
    use super::*;

    #[test]
    fn names_what_comes_nearest_or_where_to_look() {
        let known =
            ["Energia Elétrica", "Bancos", "Emp. Adm. Part. - Energia Elétrica", "Comércio"]
                .map(str::to_owned);
        let hint = |given| hint_for_unknown(("company", "sector"), given, &known, "see /sectors");
        let start = |given| format!("no company has the sector \"{given}\"; ");
        assert_eq!(hint("BANCOS"), None);
        assert_eq!(hint("comercio"), None);
        assert_eq!(
            hint("eletrico").unwrap(),
            start("eletrico") + "nearest: Energia Elétrica; Emp. Adm. Part. - Energia Elétrica"
        );
        assert_eq!(hint("banco").unwrap(), start("banco") + "nearest: Bancos");
        assert_eq!(hint("Bnacos").unwrap(), start("Bnacos") + "nearest: Bancos");
        for nothing in ["blah", "", "%", "en"] {
            assert_eq!(hint(nothing).unwrap(), start(nothing) + "see /sectors");
        }
    }
}
