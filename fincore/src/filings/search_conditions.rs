//! Turns a search into conditions of the index: those of an exact match, and those of fuzzy matches if nothing matches
//! exactly.
use std::ops::Range;

use crate::{
    index::{Condition, TermKind},
    language::{Meaning, forms, is_particle, meanings},
    names::{CompanyNames, Names, NearlyMeant},
    types::{Part, Words},
};

/// A part of a search that is met or not: a word, an expression, a phrase.
#[derive(Debug)]
pub(super) struct SearchUnit {
    words: Vec<String>,
    sense: UnitSense,
    /// The filings that meet it.
    condition: Condition,
    /// The filings that meet it in their class, the head of their subject, or a name.
    head: Condition,
}

/// What a unit of a search says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum UnitSense {
    /// What a word or an expression means.
    Word,
    /// The company that it names as a whole.
    Company,
    /// The year.
    Year,
    /// Little: an article, a preposition.
    Particle,
    /// Nothing but these words will do.
    Phrase,
}

impl SearchUnit {
    fn new(words: Vec<String>, sense: UnitSense, condition: Condition) -> SearchUnit {
        SearchUnit { words, sense, head: condition.clone(), condition }
    }
}

/// The units of a search.
pub(super) fn units(words: &Words, names: &Names) -> Vec<SearchUnit> {
    let mut units: Vec<SearchUnit> = Vec::new();
    let parts = words.parts();
    for (at, part) in parts.iter().enumerate() {
        let ending = if at + 1 == parts.len() { WordEnding::Prefix } else { WordEnding::Whole };
        match part {
            Part::Words(words) => units.extend(in_words(words, ending, parts.get(at + 1), names)),
            Part::Phrase(words) => {
                let known = words.iter().all(|word| word.is_ascii());
                let condition =
                    if known { Condition::Phrase(words.clone()) } else { Condition::nothing() };
                units.push(SearchUnit::new(words.clone(), UnitSense::Phrase, condition));
            }
            Part::Cnpj(whole, words) => {
                let parts =
                    in_words(words, ending, None, names).into_iter().map(|unit| unit.condition);
                let condition = Condition::Any(vec![
                    Condition::Prefix(whole.clone()),
                    Condition::All(parts.collect()),
                ]);
                units.push(SearchUnit::new(vec![whole.clone()], UnitSense::Word, condition));
            }
        }
    }
    // A unit that occurs twice adds nothing.
    let mut once: Vec<SearchUnit> = Vec::new();
    for unit in units {
        if !once.iter().any(|known| known.condition == unit.condition) {
            once.push(unit);
        }
    }
    once
}

/// The filings that meet all units.
pub(super) fn all(units: &[SearchUnit]) -> Condition {
    Condition::all(units.iter().map(|unit| unit.condition.clone()))
}

/// Tiers of the filings that meet all units, the most relevant first: those of the company that is meant before others,
/// then those with the words side by side, then those that have them in their class or the head of their subject.
pub(super) fn tiers(units: &[SearchUnit], names: &Names) -> Vec<Condition> {
    let about = Condition::all(units.iter().map(|unit| unit.head.clone()));
    let words: Vec<&str> = units.iter().flat_map(|unit| &unit.words).map(String::as_str).collect();
    let company = names.meant_company(&words).and_then(|code| names.get(code));
    let phrase = topic(units, company).map(Condition::TextPhrase);
    let side_by_side = phrase.map(|phrase| Condition::All(vec![about.clone(), phrase]));
    let best: Vec<Condition> = side_by_side.into_iter().chain([about]).collect();
    let of_company = company.map(|company| Condition::company(company.code));
    let own = of_company.into_iter().flat_map(|company| {
        let best =
            best.iter().map(|condition| Condition::All(vec![company.clone(), condition.clone()]));
        best.chain([company.clone()]).collect::<Vec<_>>()
    });
    own.chain(best.iter().cloned()).chain([all(units)]).collect()
}

/// The longest run of words that name neither the company nor a year, if it has more than one word.
fn topic(units: &[SearchUnit], company: Option<&CompanyNames>) -> Option<Vec<String>> {
    let of_company = |unit: &SearchUnit| {
        let has = |word: &String| {
            company.is_some_and(|company| company.words().any(|known| known == word))
        };
        unit.sense == UnitSense::Company || unit.words.iter().all(has)
    };
    let mut runs = units.split(|unit| of_company(unit) || unit.sense == UnitSense::Year);
    let longest = runs.by_ref().max_by_key(|run| run.len())?;
    let words: Vec<String> = longest.iter().flat_map(|unit| unit.words.clone()).collect();
    (words.len() > 1).then_some(words)
}

/// A condition to try if nothing meets all units.
#[derive(Debug)]
pub(super) struct NearSearch {
    /// In tiers, the more relevant first.
    pub(super) tiers: [Condition; 2],
    /// Words that are taken for others: as given, and what they stand for.
    pub(super) corrected: Option<(String, String)>,
    /// The units that may be left out: their words, and the filings that meet them all the same.
    pub(super) optional: Vec<(String, Condition)>,
}

/// The conditions to try if nothing meets all units, nearest first. Phrases must be met in any case.
pub(super) fn fuzzy(units: &[SearchUnit], names: &Names) -> Vec<NearSearch> {
    /// A longer search means every word of it.
    const MOST_UNITS: usize = 10;
    let phrases = units.iter().filter(|unit| unit.sense == UnitSense::Phrase);
    let phrases: Vec<Condition> = phrases.map(|unit| unit.condition.clone()).collect();
    let says = |unit: &&SearchUnit| !matches!(unit.sense, UnitSense::Phrase | UnitSense::Particle);
    let said: Vec<&SearchUnit> = units.iter().filter(says).collect();
    let foreign = units.iter().flat_map(|unit| &unit.words).any(|word| !word.is_ascii());
    if foreign || said.is_empty() || said.len() > MOST_UNITS {
        return Vec::new();
    }
    let with_phrases = |condition| Condition::all(phrases.iter().cloned().chain([condition]));
    let optional = |taken: &[&str]| {
        let is_taken =
            |unit: &SearchUnit| unit.words.iter().all(|word| taken.contains(&word.as_str()));
        let free = units.iter().filter(|unit| unit.sense != UnitSense::Phrase && !is_taken(unit));
        free.map(|unit| (unit.words.join(" "), unit.condition.clone())).collect()
    };
    let mut tries = Vec::new();
    // A typing error in the name of a company, or a name that is joined or split otherwise.
    let words: Vec<&str> = said.iter().flat_map(|unit| &unit.words).map(String::as_str).collect();
    if let Some(NearlyMeant { code, words: taken, meant }) = names.nearly_meant_company(&words) {
        let corrected = meant.map(|meant| (taken.join(" "), meant));
        let near =
            |tiers| NearSearch { tiers, corrected: corrected.clone(), optional: optional(&taken) };
        let is_left =
            |unit: &&&SearchUnit| !unit.words.iter().all(|word| taken.contains(&word.as_str()));
        let rest: Vec<&SearchUnit> = said.iter().filter(is_left).copied().collect();
        let is_named = rest.len() < said.len();
        let of_company =
            |condition| with_phrases(Condition::All(vec![Condition::company(code), condition]));
        if is_named {
            tries.push(near(all_but(0, &rest).map(of_company)));
            tries.extend(all_but_few(&rest).map(|tiers| near(tiers.map(of_company))));
        }
        // Only one word besides the name is left: without it, all filings of the company match.
        if is_named && rest.len() == 1 {
            tries.push(near(all_but(1, &rest).map(of_company)));
        }
    }
    let near = |tiers| NearSearch { tiers, corrected: None, optional: optional(&[]) };
    if said.len() + phrases.len() < units.len() {
        tries.push(near(all_but(0, &said).map(with_phrases)));
    }
    tries.extend(all_but_few(&said).map(|tiers| near(tiers.map(with_phrases))));
    tries
}

/// The filings that meet all units but one, but two and so on, up to half of them.
fn all_but_few(units: &[&SearchUnit]) -> impl Iterator<Item = [Condition; 2]> {
    const MOST_MISSING: usize = 2;
    (1..=(units.len() / 2).min(MOST_MISSING)).map(|missing| all_but(missing, units))
}

/// The filings that meet all units but `missing`; first those that meet them in class, head or name.
fn all_but(missing: usize, units: &[&SearchUnit]) -> [Condition; 2] {
    let heads = units.iter().map(|unit| unit.head.clone());
    let conditions = units.iter().map(|unit| unit.condition.clone());
    let of = |conditions: Vec<Condition>| match missing {
        0 => Condition::all(conditions.into_iter()),
        _ => Condition::AtLeast(units.len() - missing, conditions),
    };
    [of(heads.collect()), of(conditions.collect())]
}

/// How the last word of a text is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WordEnding {
    /// As it stands.
    Whole,
    /// As the prefix of a word.
    Prefix,
}

/// Where a word is looked for.
#[derive(Clone, Copy, Debug)]
enum WordScope {
    Anywhere,
    /// In the class, the head of the subject, or a name.
    Head,
}

/// The units of plain words.
fn in_words(
    words: &[String],
    ending: WordEnding,
    next: Option<&Part>,
    names: &Names,
) -> Vec<SearchUnit> {
    let texts: Vec<&str> = words.iter().map(String::as_str).collect();
    let meanings = meanings(&texts);
    let ending = |at: usize| if at + 1 == words.len() { ending } else { WordEnding::Whole };
    // What the expression means, or its words as they stand.
    let expression = |run: Range<usize>, sense: UnitSense, conditions: [Vec<Condition>; 2]| {
        let as_it_stands =
            |scope| Condition::all(run.clone().map(|at| with_word(texts[at], ending(at), scope)));
        let [condition, head] = conditions;
        let condition =
            Condition::any(condition.into_iter().chain([as_it_stands(WordScope::Anywhere)]));
        let head = Condition::any(head.into_iter().chain([as_it_stands(WordScope::Head)]));
        SearchUnit { head, ..SearchUnit::new(words[run.clone()].to_vec(), sense, condition) }
    };
    let of_companies = |run: Range<usize>, codes: Vec<u32>| {
        let companies: Vec<Condition> = codes.into_iter().map(Condition::company).collect();
        expression(run, UnitSense::Company, [companies.clone(), companies])
    };
    let mut units = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let (rest, text) = (&texts[at..], texts[at]);
        if let Some((length, codes)) = names.expression(rest) {
            units.push(of_companies(at..at + length, codes));
            at += length;
            continue;
        }
        if let [root, number, ..] = rest
            && let codes = names.codes_of_split_ticker(root, number)
            && !codes.is_empty()
        {
            units.push(of_companies(at..at + 2, codes));
            at += 2;
            continue;
        }
        if let Some(Meaning { at: run, word }) = meanings.iter().find(|one| one.at.start == at) {
            let conditions =
                [vec![Condition::Word(word.clone())], vec![Condition::Head(word.clone())]];
            units.push(expression(run.clone(), UnitSense::Word, conditions));
            at = run.end;
            continue;
        }
        at += 1;
        if names_a_number(rest, next) {
            continue;
        }
        let run = at - 1..at;
        if is_year(text) {
            let head = Condition::Term(TermKind::Year, text.to_owned());
            let condition = with_word(text, ending(run.start), WordScope::Anywhere);
            units.push(SearchUnit {
                head,
                ..SearchUnit::new(words[run].to_vec(), UnitSense::Year, condition)
            });
            continue;
        }
        let sense = match is_particle(text) && ending(run.start) == WordEnding::Whole {
            true => UnitSense::Particle,
            false => UnitSense::Word,
        };
        units.push(match names.codes_identified_by(text) {
            codes if codes.is_empty() => expression(run, sense, [Vec::new(), Vec::new()]),
            codes => of_companies(run, codes),
        });
    }
    units
}

/// Whether a word is a year in which filings were made, or to which they refer.
fn is_year(word: &str) -> bool {
    word.len() == 4 && word.parse().is_ok_and(|year: u16| (1990..2050).contains(&year))
}

/// Whether the first word only says what the next one is: `cvm 9512`, `cnpj 33.000.167/0001-01`.
fn names_a_number(words: &[&str], next: Option<&Part>) -> bool {
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    match (words, next) {
        (["cvm" | "codigo" | "cnpj", number, ..], _) => is_number(number) || *number == "cvm",
        (["cnpj"], Some(Part::Cnpj(..))) => true,
        _ => false,
    }
}

/// The filings with a word in one of its forms; or with a longer word, if this one may be incomplete.
fn with_word(word: &str, ending: WordEnding, scope: WordScope) -> Condition {
    if !word.is_ascii() {
        return Condition::nothing();
    }
    let whole = |word: &String| match scope {
        WordScope::Head => Condition::Head(word.clone()),
        WordScope::Anywhere => Condition::Word(word.clone()),
    };
    let forms = forms(word);
    if ending == WordEnding::Whole {
        return Condition::any(forms.iter().map(whole));
    }
    let others = forms.iter().filter(|form| !form.starts_with(word)).map(whole);
    // Heads are indexed by whole words: a prefix may stand anywhere.
    Condition::any([Condition::Prefix(word.to_owned())].into_iter().chain(others))
}
