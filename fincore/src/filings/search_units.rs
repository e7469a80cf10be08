//! The parts of a search: its words, expressions, phrases, years and companies, each with the filings that meet it.
use std::ops::Range;

use crate::{
    filings::{
        ClassLevels,
        word_conditions::{
            Alternative, Scope, WordEnding, delivered, has_letters, whole_word, with_word,
        },
    },
    index::{Condition, TermKind},
    lexicon::{
        CompanyInSearch, CompanyNames, Days, Meaning, Names, day_or_month, is_particle,
        market_words::market_words, meanings, other_numerals, season_of,
    },
    values::{Part, Words},
};

/// A part of a search that is met or not: a word, an expression, a phrase.
#[derive(Debug)]
pub(crate) struct SearchUnit {
    /// As typed, folded.
    pub(crate) words: Vec<String>,
    pub(crate) sense: UnitSense,
    /// The filings that meet it, by whatever they are found by.
    pub(crate) condition: Condition,
    /// The filings that meet it with whole words, in their class or subject.
    pub(crate) full: Condition,
    /// The filings that meet it in their class or the head of their subject.
    pub(crate) head: Condition,
    /// The filings whose class it names.
    pub(crate) class: Option<Condition>,
    /// The filings that have what is only linked to it.
    pub(crate) linked: Option<Condition>,
    /// The expressions that are linked to it.
    pub(crate) links: Vec<String>,
    /// Whether it is an expression of the market, and so says what is asked.
    pub(crate) is_known: bool,
    /// The meaningful words of an expression that nothing matches as a whole.
    pub(crate) parts: Vec<SearchUnit>,
    /// The codes of the companies that it names.
    companies: Vec<u32>,
    /// Whether the first of them are meant before the others.
    is_ranked: bool,
    /// The codes of all companies whose names start with it.
    family: Vec<u32>,
    /// The filings that have it in their texts and in the heads of those, if it is a brand and no name of the company.
    brand: Option<(Condition, Condition)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnitSense {
    /// The meaning of a word or an expression.
    Word,
    /// The company that it names.
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
        SearchUnit {
            words,
            sense,
            full: condition.clone(),
            head: condition.clone(),
            condition,
            class: None,
            linked: None,
            links: Vec::new(),
            is_known: false,
            parts: Vec::new(),
            companies: Vec::new(),
            is_ranked: false,
            family: Vec::new(),
            brand: None,
        }
    }

    /// The filings of all companies whose names start with it.
    pub(crate) fn family(&self) -> Condition {
        Condition::any(self.family.iter().map(|code| Condition::company(*code)))
    }

    /// The filings of the companies that it names: of each on its own if some are meant before others, or else of all.
    pub(crate) fn companies(&self) -> Vec<Condition> {
        let mut each = self.companies.iter().map(|code| Condition::company(*code));
        if self.is_ranked { each.collect() } else { vec![Condition::any(&mut each)] }
    }

    /// The filings that meet it or have what is linked to it.
    pub(crate) fn loosely(&self) -> Condition {
        Condition::any([self.condition.clone()].into_iter().chain(self.linked.clone()))
    }
}

/// The units of a search.
pub(crate) fn units(words: &Words, names: &Names, classes: &ClassLevels) -> Vec<SearchUnit> {
    let mut units: Vec<SearchUnit> = Vec::new();
    let parts = words.parts();
    for (at, part) in parts.iter().enumerate() {
        let ending = if at + 1 == parts.len() { WordEnding::Prefix } else { WordEnding::Whole };
        match part {
            Part::Words(words) => {
                let run = WordRun::new(words, ending, parts.get(at + 1), names, classes);
                units.extend(run.units());
            }
            Part::Phrase(words) => {
                let known = words.iter().all(|word| word.is_ascii());
                let condition =
                    if known { Condition::Phrase(words.clone()) } else { Condition::nothing() };
                units.push(SearchUnit::new(words.clone(), UnitSense::Phrase, condition));
            }
            Part::Cnpj(whole, words) => {
                let literally = words.iter().map(|word| with_word(word, ending, Scope::Anywhere));
                let condition = Condition::Any(vec![
                    Condition::Prefix(whole.clone()),
                    Condition::all(literally),
                ]);
                let companies = names.codes_identified_by(whole);
                let sense = if companies.is_empty() { UnitSense::Word } else { UnitSense::Company };
                let unit = SearchUnit::new(vec![whole.clone()], sense, condition);
                units.push(SearchUnit { companies, ..unit });
            }
        }
    }
    // Particles only connect the words that say something, and a unit that occurs twice adds nothing.
    let says_something = units.iter().any(|unit| unit.sense != UnitSense::Particle);
    let mut once: Vec<SearchUnit> = Vec::new();
    for unit in units {
        let only_connects = says_something && unit.sense == UnitSense::Particle;
        if !only_connects && !once.iter().any(|known| known.condition == unit.condition) {
            once.push(unit);
        }
    }
    for at in 0..once.len() {
        let is_named = |(other, unit): (usize, &SearchUnit)| {
            other != at && !unit.companies.is_empty() && unit.companies == once[at].companies
        };
        // Beside the name of its company, a brand is what is asked of it.
        if once[at].brand.is_some() && once.iter().enumerate().any(is_named) {
            let Some((full, head)) = once[at].brand.take() else { continue };
            (once[at].full, once[at].head) = (full, head);
            (once[at].sense, once[at].companies) = (UnitSense::Word, Vec::new());
        }
    }
    // Days of delivery say nothing without something that is delivered.
    if let [unit] = &mut once[..]
        && unit.links.iter().any(|link| link.contains('/'))
    {
        (unit.linked, unit.links) = (None, Vec::new());
    }
    once
}

/// Plain words of a search.
struct WordRun<'w> {
    texts: Vec<&'w str>,
    ending: WordEnding,
    next: Option<&'w Part>,
    names: &'w Names,
    classes: &'w ClassLevels,
    meanings: Vec<Meaning>,
    companies: Vec<CompanyInSearch>,
}

impl<'w> WordRun<'w> {
    fn new(
        words: &'w [String],
        ending: WordEnding,
        next: Option<&'w Part>,
        names: &'w Names,
        classes: &'w ClassLevels,
    ) -> WordRun<'w> {
        let texts: Vec<&str> = words.iter().map(String::as_str).collect();
        let meanings = meanings(&texts);
        let mut run =
            WordRun { texts, ending, next, names, classes, meanings, companies: Vec::new() };
        let mut is_topic = vec![false; words.len()];
        let mut at = 0;
        while at < words.len() {
            let length = run.topic_length(at, words.len());
            is_topic[at..at + length].fill(true);
            at += length.max(1);
        }
        run.companies = names.companies_in_search(&run.texts, &is_topic);
        run
    }

    /// How many words from a place on are an expression of the market or the name of a class.
    fn topic_length(&self, at: usize, end: usize) -> usize {
        let rest = &self.texts[at..end];
        let meaning = self.meanings.iter().find(|one| one.at.start == at && one.at.end <= end);
        let lengths = [
            meaning.map(|one| one.at.len()),
            market_words(rest).map(|one| one.length),
            self.classes.longest(rest).map(|(length, _)| length),
        ];
        lengths.into_iter().flatten().max().unwrap_or_default()
    }

    fn units(&self) -> Vec<SearchUnit> {
        let mut units = Vec::new();
        let mut at = 0;
        while at < self.texts.len() {
            if let Some(named) = self.companies.iter().find(|named| named.at.start == at) {
                units.push(self.of_company(named));
                at = named.at.end;
                continue;
            }
            let next = self.companies.iter().map(|named| named.at.start).find(|start| *start > at);
            let end = next.unwrap_or(self.texts.len());
            if let Some((length, days)) = day_or_month(&self.texts[at..end]) {
                units.push(self.time(at..at + length, days));
                at += length;
                continue;
            }
            let length = self.topic_length(at, end);
            if length > 0 {
                units.push(self.topic(at..at + length));
                at += length;
                continue;
            }
            at += 1;
            if !names_a_number(&self.texts[at - 1..], self.next) {
                units.push(self.word(at - 1));
            }
        }
        units
    }

    fn ending(&self, at: usize) -> WordEnding {
        if at + 1 == self.texts.len() { self.ending } else { WordEnding::Whole }
    }

    /// The words as they stand.
    fn literally(&self, run: Range<usize>, scope: Scope) -> Condition {
        if run.len() > 1 && has_letters(&self.texts[run.clone()]) {
            return Condition::Phrase(self.owned(run));
        }
        Condition::all(run.map(|at| with_word(self.texts[at], self.ending(at), scope)))
    }

    fn owned(&self, run: Range<usize>) -> Vec<String> {
        self.texts[run].iter().map(|word| (*word).to_owned()).collect()
    }

    fn of_company(&self, named: &CompanyInSearch) -> SearchUnit {
        let run = named.at.clone();
        let companies = named.codes.iter().map(|code| Condition::company(*code));
        let or_literally =
            |scope| Condition::any(companies.clone().chain([self.literally(run.clone(), scope)]));
        SearchUnit {
            full: or_literally(Scope::Text),
            head: or_literally(Scope::Head),
            companies: named.codes.clone(),
            is_ranked: named.is_ranked,
            family: named.family.clone(),
            brand: self.is_brand(named).then(|| {
                let literally = |scope| self.literally(run.clone(), scope);
                (literally(Scope::Text), literally(Scope::Head))
            }),
            ..SearchUnit::new(
                self.owned(run.clone()),
                UnitSense::Company,
                or_literally(Scope::Anywhere),
            )
        }
    }

    /// Whether words that name a company stand in none of its own names.
    fn is_brand(&self, named: &CompanyInSearch) -> bool {
        let texts = &self.texts[named.at.clone()];
        let companies = named.codes.iter().filter_map(|code| self.names.get(*code));
        let is_own = |company: &CompanyNames| texts.iter().all(|word| company.has_own_word(word));
        texts.iter().all(|word| !word.bytes().any(|byte| byte.is_ascii_digit()))
            && !companies.into_iter().any(is_own)
    }

    /// An expression of the market, or the name of a class.
    fn topic(&self, run: Range<usize>) -> SearchUnit {
        let texts = &self.texts[run.clone()];
        let meaning = self.meanings.iter().find(|one| one.at == run).map(|one| &one.word);
        let season = meaning.and_then(|word| season_of(word));
        let market = market_words(texts).filter(|market| market.length == texts.len());
        let means = market.as_ref().map_or(&[][..], |market| market.means);
        let links = market.as_ref().map_or(&[][..], |market| market.linked);
        let same: Vec<Alternative> =
            means.iter().map(|text| Alternative::of(text, self.classes)).collect();
        let own_class = self.classes.named(texts);
        let class: Vec<Condition> = own_class
            .iter()
            .cloned()
            .chain(same.iter().filter_map(|one| one.class.clone()))
            .collect();
        let in_scope = |scope| {
            let meant = meaning.into_iter().map(|word| whole_word(word, scope));
            let same = same.iter().map(|alternative| alternative.condition(scope));
            // Words that only occur in the same text are no expression.
            let literally = if scope != Scope::Anywhere && run.len() > 1 {
                Condition::TextPhrase(self.owned(run.clone()))
            } else {
                self.literally(run.clone(), scope)
            };
            Condition::any(meant.chain(same).chain(own_class.clone()).chain([literally]))
        };
        let linked = links.iter().map(|text| Alternative::of(text, self.classes));
        let linked = linked.map(|one| one.condition(Scope::Text));
        // The report of a quarter need not name it.
        let linked: Vec<Condition> = linked.chain(season.map(delivered)).collect();
        let seasons = season.map(|(from, to)| format!("{from}/{to}"));
        let links = links.iter().map(|text| (*text).to_owned()).chain(seasons).collect();
        SearchUnit {
            full: in_scope(Scope::Text),
            head: in_scope(Scope::Head),
            class: (!class.is_empty()).then(|| Condition::any(class.into_iter())),
            linked: (!linked.is_empty()).then(|| Condition::any(linked.into_iter())),
            links,
            is_known: true,
            parts: self.parts(&run),
            ..SearchUnit::new(self.owned(run.clone()), UnitSense::Word, in_scope(Scope::Anywhere))
        }
    }

    /// A day or a month: the filings that were delivered in it, or name it.
    fn time(&self, run: Range<usize>, days: Days) -> SearchUnit {
        let named = |scope| {
            let said = run.clone().filter(|at| !is_particle(self.texts[*at]));
            let literally = Condition::all(said.map(|at| self.literally(at..at + 1, scope)));
            Condition::Any(vec![delivered(days), literally])
        };
        SearchUnit {
            full: named(Scope::Text),
            head: named(Scope::Head),
            ..SearchUnit::new(self.owned(run.clone()), UnitSense::Year, named(Scope::Anywhere))
        }
    }

    /// The words of an expression that say something by themselves.
    fn parts(&self, run: &Range<usize>) -> Vec<SearchUnit> {
        /// Words of many classes.
        const GENERIC: [&str; 14] = [
            "aviso",
            "ata",
            "politica",
            "relatorio",
            "comunicado",
            "assembleia",
            "geral",
            "edital",
            "plano",
            "formulario",
            "carta",
            "documento",
            "comite",
            "reuniao",
        ];
        let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
        let says = |at: &usize| {
            let word = self.texts[*at];
            !is_particle(word) && !is_number(word) && !GENERIC.contains(&word)
        };
        let part = |at: usize| match market_words(&self.texts[at..at + 1]) {
            Some(_) => self.topic(at..at + 1),
            None => self.word(at),
        };
        if run.len() > 1 { run.clone().filter(says).map(part).collect() } else { Vec::new() }
    }

    fn word(&self, at: usize) -> SearchUnit {
        let text = self.texts[at];
        let owned = self.owned(at..at + 1);
        let in_scope = |scope| with_word(text, self.ending(at), scope);
        if is_year(text) {
            let year = Condition::Term(TermKind::Year, text.to_owned());
            return SearchUnit {
                full: year.clone(),
                head: year,
                ..SearchUnit::new(owned, UnitSense::Year, in_scope(Scope::Anywhere))
            };
        }
        let sense = if is_particle(text) && self.ending(at) == WordEnding::Whole {
            UnitSense::Particle
        } else {
            UnitSense::Word
        };
        let numerals = other_numerals(text);
        let in_scope = |scope| {
            let others = numerals.iter().map(|other| whole_word(other, scope));
            Condition::any([in_scope(scope)].into_iter().chain(others))
        };
        // A number may be that of a company.
        let codes = self.names.codes_identified_by(text);
        let companies = codes.into_iter().map(Condition::company);
        let condition = Condition::any(companies.chain([in_scope(Scope::Anywhere)]));
        SearchUnit {
            full: in_scope(Scope::Text),
            head: in_scope(Scope::Head),
            ..SearchUnit::new(owned, sense, condition)
        }
    }
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
