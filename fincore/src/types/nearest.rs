//! The known values that come nearest to one that nothing has.
use strsim::osa_distance;

use super::fold;

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
mod tests {
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
