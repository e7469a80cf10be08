//! Short forms of names that are not in the registry: `Energisa MS`, `Copel GT`, `EDP ES`.
//!
//! They follow from the names: what stands before a state gets the letters of the state, and generation, transmission and
//! distribution their letters. A reviewed line for each of them would only repeat the rule.
use std::{str::FromStr, sync::LazyLock};

use super::generic_words::is_generic;
use crate::{
    error::{Error, Result},
    types::tsv,
};

struct Abbreviation {
    kind: Kind,
    words: Vec<&'static str>,
    letters: Vec<&'static str>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    State,
    /// What a power company does.
    Activity,
}

impl FromStr for Kind {
    type Err = Error;

    fn from_str(text: &str) -> Result<Kind> {
        match text {
            "state" => Ok(Kind::State),
            "activity" => Ok(Kind::Activity),
            _ => Err(Error::in_file(text, "a state or an activity")),
        }
    }
}

static ALL: LazyLock<Vec<Abbreviation>> = LazyLock::new(|| {
    let table = include_str!("abbreviations.tsv");
    tsv::embedded("abbreviations.tsv", table, "kind\twords\tletters", |[kind, words, letters]| {
        let (words, letters) = (words.split(' ').collect(), tsv::list(letters).collect());
        Ok(Abbreviation { kind: kind.parse()?, words, letters })
    })
});

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
        for kind in [Kind::State, Kind::Activity] {
            let fits = |line: &&Abbreviation| line.kind == kind && begins(at, &line.words);
            let letters = ALL.iter().find(fits).map(|line| &line.letters);
            forms.extend(letters.into_iter().flatten().map(|letters| short(letters)));
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
