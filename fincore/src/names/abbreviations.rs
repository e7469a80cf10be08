//! Short forms of names that are not in the registry: `Energisa MS`, `Copel GT`, `EDP ES`.
//!
//! They follow from the names: what stands before a state gets the letters of the state, and generation, transmission and
//! distribution their letters. A reviewed line for each of them would only repeat the rule.

use super::generic_words::is_generic;

/// The states and their letters; longer names before those that they begin with.
#[rustfmt::skip]
const STATES: &[(&[&str], &str)] = &[
    (&["mato", "grosso", "do", "sul"], "ms"), (&["rio", "grande", "do", "norte"], "rn"), (&["rio", "grande", "do", "sul"], "rs"),
    (&["acre"], "ac"), (&["alagoas"], "al"), (&["amapa"], "ap"), (&["amazonas"], "am"), (&["bahia"], "ba"), (&["ceara"], "ce"),
    (&["distrito", "federal"], "df"), (&["espirito", "santo"], "es"), (&["goias"], "go"), (&["maranhao"], "ma"),
    (&["mato", "grosso"], "mt"), (&["minas", "gerais"], "mg"), (&["para"], "pa"), (&["paraiba"], "pb"), (&["parana"], "pr"),
    (&["pernambuco"], "pe"), (&["piaui"], "pi"), (&["rio", "de", "janeiro"], "rj"), (&["rondonia"], "ro"),
    (&["roraima"], "rr"), (&["santa", "catarina"], "sc"), (&["sao", "paulo"], "sp"), (&["sergipe"], "se"),
    (&["tocantins"], "to"),
];

/// What power companies do, and the letters for it.
#[rustfmt::skip]
const ACTIVITIES: &[(&[&str], &[&str])] = &[
    (&["geracao", "e", "transmissao"], &["gt", "get"]), (&["geracao", "transmissao"], &["gt"]), (&["geracao"], &["g"]),
    (&["transmissao"], &["t"]), (&["distribuicao"], &["d", "dis"]), (&["distribuidora"], &["d"]),
];

/// The short forms of a name.
pub(super) fn short_forms(words: &[String]) -> Vec<Vec<String>> {
    let begins = |at: usize, with: &[&str]| {
        words.get(at..at + with.len()).is_some_and(|run| run.iter().zip(with).all(|(a, b)| a == b))
    };
    let mut forms = Vec::new();
    // A brand of one or two words, and then the state or the activity.
    for at in 1..words.len().min(3) {
        if words[..at].iter().any(|word| is_generic(word)) {
            continue;
        }
        let short = |letters: &str| -> Vec<String> {
            words[..at].iter().cloned().chain([letters.to_owned()]).collect()
        };
        if let Some((_, letters)) = STATES.iter().find(|(state, _)| begins(at, state)) {
            forms.push(short(letters));
        }
        if let Some((_, letters)) = ACTIVITIES.iter().find(|(activity, _)| begins(at, activity)) {
            forms.extend(letters.iter().map(|letters| short(letters)));
        }
    }
    forms
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_and_activities_have_letters() {
        let forms = |text: &str| -> Vec<String> {
            let words: Vec<String> = text.split(' ').map(str::to_owned).collect();
            short_forms(&words).into_iter().map(|form| form.join(" ")).collect()
        };
        assert_eq!(forms("energisa mato grosso do sul dist de energia sa"), ["energisa ms"]);
        assert_eq!(forms("copel geracao e transmissao sa"), ["copel gt", "copel get"]);
        assert_eq!(forms("cemig distribuicao sa"), ["cemig d", "cemig dis"]);
        assert_eq!(forms("equatorial para distribuidora de energia sa"), ["equatorial pa"]);
        assert!(forms("banco do estado do para sa").is_empty());
        assert!(forms("petrobras").is_empty());
    }
}
