//! What a search asks of the index: as it stands, and as near as possible if that finds nothing.
use std::ops::Range;

use crate::{
    index::{Kind, Want},
    language::{Meaning, forms, is_particle, means},
    names::{Named, Names},
    types::{Part, Words},
};

/// A part of a search that is met or not: a word, an expression, a phrase.
#[derive(Debug)]
pub(super) struct Unit {
    words: Vec<String>,
    sense: Sense,
    /// The filings that meet it.
    want: Want,
    /// Those that meet it in their class, the head of their subject, or a name.
    head: Want,
}

/// How much a unit says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sense {
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

impl Unit {
    fn new(words: Vec<String>, sense: Sense, want: Want) -> Unit {
        Unit { words, sense, head: want.clone(), want }
    }
}

/// The units of a search.
pub(super) fn units(words: &Words, names: &Names) -> Vec<Unit> {
    let mut units: Vec<Unit> = Vec::new();
    let parts = words.parts();
    for (at, part) in parts.iter().enumerate() {
        let ending = if at + 1 == parts.len() { Ending::Begun } else { Ending::Whole };
        match part {
            Part::Words(words) => units.extend(in_words(words, ending, parts.get(at + 1), names)),
            Part::Phrase(words) => {
                let known = words.iter().all(|word| word.is_ascii());
                let want = if known { Want::Phrase(words.clone()) } else { Want::nothing() };
                units.push(Unit::new(words.clone(), Sense::Phrase, want));
            }
            Part::Cnpj(whole, words) => {
                let parts = in_words(words, ending, None, names).into_iter().map(|unit| unit.want);
                let want = Want::Any(vec![Want::Begins(whole.clone()), Want::All(parts.collect())]);
                units.push(Unit::new(vec![whole.clone()], Sense::Word, want));
            }
        }
    }
    // Asking twice changes nothing.
    let mut once: Vec<Unit> = Vec::new();
    for unit in units {
        if !once.iter().any(|known| known.want == unit.want) {
            once.push(unit);
        }
    }
    once
}

/// The filings that meet all units.
pub(super) fn all(units: &[Unit]) -> Want {
    Want::all(units.iter().map(|unit| unit.want.clone()))
}

/// Tiers of the filings that meet all units, the most relevant first: those of the company that is meant before others,
/// then those with the words side by side, then those that have them in their class or the head of their subject.
pub(super) fn tiers(units: &[Unit], names: &Names) -> Vec<Want> {
    let about = Want::all(units.iter().map(|unit| unit.head.clone()));
    let words: Vec<&str> = units.iter().flat_map(|unit| &unit.words).map(String::as_str).collect();
    let company = names.meant(&words).and_then(|code| names.get(code));
    let phrase = topic(units, company).map(Want::TextPhrase);
    let side_by_side = phrase.map(|phrase| Want::All(vec![about.clone(), phrase]));
    let best: Vec<Want> = side_by_side.into_iter().chain([about]).collect();
    let of_company = company.map(|company| Want::company(company.code));
    let own = of_company.into_iter().flat_map(|company| {
        let best = best.iter().map(|want| Want::All(vec![company.clone(), want.clone()]));
        best.chain([company.clone()]).collect::<Vec<_>>()
    });
    own.chain(best.iter().cloned()).chain([all(units)]).collect()
}

/// The words besides the name of the company and years, if they stand side by side.
fn topic(units: &[Unit], company: Option<&Named>) -> Option<Vec<String>> {
    let of_company = |unit: &Unit| {
        let has = |word: &String| {
            company.is_some_and(|company| company.words().any(|known| known == word))
        };
        unit.sense == Sense::Company || unit.words.iter().all(has)
    };
    let mut runs = units.split(|unit| of_company(unit) || unit.sense == Sense::Year);
    let longest = runs.by_ref().max_by_key(|run| run.len())?;
    let words: Vec<String> = longest.iter().flat_map(|unit| unit.words.clone()).collect();
    (words.len() > 1).then_some(words)
}

/// What to try if nothing meets all units, nearest first; each in tiers, the more relevant first. Phrases must be met in
/// any case.
pub(super) fn nearby(units: &[Unit], names: &Names) -> Vec<[Want; 2]> {
    /// Whoever types more means every word of it.
    const MOST_UNITS: usize = 10;
    let phrases = units.iter().filter(|unit| unit.sense == Sense::Phrase);
    let phrases: Vec<Want> = phrases.map(|unit| unit.want.clone()).collect();
    let says = |unit: &&Unit| !matches!(unit.sense, Sense::Phrase | Sense::Particle);
    let said: Vec<&Unit> = units.iter().filter(says).collect();
    let foreign = units.iter().flat_map(|unit| &unit.words).any(|word| !word.is_ascii());
    if foreign || said.is_empty() || said.len() > MOST_UNITS {
        return Vec::new();
    }
    let with_phrases = |want| Want::all(phrases.iter().cloned().chain([want]));
    let mut tries = Vec::new();
    // A typing error in the name of a company, or a name that is joined or split otherwise.
    let words: Vec<&str> = said.iter().flat_map(|unit| &unit.words).map(String::as_str).collect();
    if let Some((code, taken)) = names.meant_nearly(&words) {
        let is_left = |unit: &&&Unit| !unit.words.iter().all(|word| taken.contains(&word.as_str()));
        let rest: Vec<&Unit> = said.iter().filter(is_left).copied().collect();
        let is_named = rest.len() < said.len();
        let of_company = |want| with_phrases(Want::All(vec![Want::company(code), want]));
        if is_named {
            tries.push(but(0, &rest).map(of_company));
            tries.extend(most(&rest).map(|near| near.map(of_company)));
        }
        // One word besides the name is missing: the company is what is left.
        if is_named && rest.len() == 1 {
            tries.push(but(1, &rest).map(of_company));
        }
    }
    if said.len() + phrases.len() < units.len() {
        tries.push(but(0, &said).map(with_phrases));
    }
    tries.extend(most(&said).map(|near| near.map(with_phrases)));
    tries
}

/// The filings that meet all units but one, but two and so on, up to half of them.
fn most(units: &[&Unit]) -> impl Iterator<Item = [Want; 2]> {
    const MOST_MISSING: usize = 2;
    (1..=(units.len() / 2).min(MOST_MISSING)).map(|missing| but(missing, units))
}

/// The filings that meet all units but so many; first those that meet them in class, head or name.
fn but(missing: usize, units: &[&Unit]) -> [Want; 2] {
    let heads = units.iter().map(|unit| unit.head.clone());
    let wants = units.iter().map(|unit| unit.want.clone());
    let of = |wants: Vec<Want>| match missing {
        0 => Want::all(wants.into_iter()),
        _ => Want::AtLeast(units.len() - missing, wants),
    };
    [of(heads.collect()), of(wants.collect())]
}

/// How the last word of a text is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ending {
    /// As it stands.
    Whole,
    /// As the beginning of a word.
    Begun,
}

/// Where a word is looked for.
#[derive(Clone, Copy, Debug)]
enum Place {
    Anywhere,
    /// In the class, the head of the subject, or a name.
    Head,
}

/// The units of plain words.
fn in_words(words: &[String], ending: Ending, next: Option<&Part>, names: &Names) -> Vec<Unit> {
    let texts: Vec<&str> = words.iter().map(String::as_str).collect();
    let meanings = means(&texts);
    let ending = |at: usize| if at + 1 == words.len() { ending } else { Ending::Whole };
    // What is meant, or the words as they stand.
    let expression = |run: Range<usize>, sense: Sense, wants: [Vec<Want>; 2]| {
        let as_it_stands =
            |place| Want::all(run.clone().map(|at| with_word(texts[at], ending(at), place)));
        let [want, head] = wants;
        let want = Want::any(want.into_iter().chain([as_it_stands(Place::Anywhere)]));
        let head = Want::any(head.into_iter().chain([as_it_stands(Place::Head)]));
        Unit { head, ..Unit::new(words[run.clone()].to_vec(), sense, want) }
    };
    let of_companies = |run: Range<usize>, codes: Vec<u32>| {
        let companies: Vec<Want> = codes.into_iter().map(Want::company).collect();
        expression(run, Sense::Company, [companies.clone(), companies])
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
            && let codes = names.traded_as_split(root, number)
            && !codes.is_empty()
        {
            units.push(of_companies(at..at + 2, codes));
            at += 2;
            continue;
        }
        if let Some(Meaning { at: run, word }) = meanings.iter().find(|one| one.at.start == at) {
            let wants = [vec![Want::Word(word.clone())], vec![Want::Head(word.clone())]];
            units.push(expression(run.clone(), Sense::Word, wants));
            at = run.end;
            continue;
        }
        at += 1;
        if names_a_number(rest, next) {
            continue;
        }
        let run = at - 1..at;
        if is_year(text) {
            let head = Want::Term(Kind::Year, text.to_owned());
            let want = with_word(text, ending(run.start), Place::Anywhere);
            units.push(Unit { head, ..Unit::new(words[run].to_vec(), Sense::Year, want) });
            continue;
        }
        let sense = match is_particle(text) && ending(run.start) == Ending::Whole {
            true => Sense::Particle,
            false => Sense::Word,
        };
        units.push(match names.identified_by(text) {
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

/// The filings with a word in one of its forms; or with one that begins so.
fn with_word(word: &str, ending: Ending, place: Place) -> Want {
    if !word.is_ascii() {
        return Want::nothing();
    }
    let whole = |word: &String| match place {
        Place::Head => Want::Head(word.clone()),
        Place::Anywhere => Want::Word(word.clone()),
    };
    let forms = forms(word);
    if ending == Ending::Whole {
        return Want::any(forms.iter().map(whole));
    }
    let others = forms.iter().filter(|form| !form.starts_with(word)).map(whole);
    // Heads are kept by whole words: a word that is only begun may stand anywhere.
    Want::any([Want::Begins(word.to_owned())].into_iter().chain(others))
}
