//! What is wanted, by the numbers of terms.
use std::{cell::RefCell, collections::HashMap};

use rusqlite::Connection;

use super::{
    Directory, Kind, Want,
    build::{NAME_RUN, words_of_level},
    directory::Words,
    grams::LONGEST,
    terms::{TermId, find},
};
use crate::{error::Result, names::Names, types::fold};

/// Which filings of any block are wanted.
#[derive(Clone, Debug)]
pub(super) enum Plan {
    /// All of them.
    Everything,
    /// None of them.
    Nothing,
    /// Those that meet all conditions, of which there are two at least.
    All(Vec<Plan>),
    /// Those that meet one of the conditions, of which there are two at least.
    Any(Vec<Plan>),
    /// Those that meet so many of the conditions.
    AtLeast(usize, Vec<Plan>),
    /// Those with the first of these terms that the block has.
    FirstOf(Vec<TermId>),
    /// Those with these words side by side in a text.
    Phrase(Phrase),
}

/// A phrase of two words at least.
#[derive(Clone, Debug)]
pub(super) struct Phrase {
    pub(super) words: Vec<String>,
    /// For every length from 1 on, the terms of its runs; a run without a number is not noted in any block.
    pub(super) runs: Vec<Vec<Option<TermId>>>,
    /// If it is longer than all runs, the filings of classes that have it in a level: those may be many.
    pub(super) classes: Box<Plan>,
}

/// The terms of a word; what includes the others first.
const OF_WORD: [Kind; 3] = [Kind::Both, Kind::Name, Kind::Text];

/// Looks terms up, each once.
pub(super) struct Lookup<'c> {
    connection: &'c Connection,
    directory: &'c Directory,
    names: &'c Names,
    found: RefCell<HashMap<(Kind, String), Option<TermId>>>,
}

impl<'c> Lookup<'c> {
    pub(super) fn new(
        connection: &'c Connection,
        directory: &'c Directory,
        names: &'c Names,
    ) -> Lookup<'c> {
        Lookup { connection, directory, names, found: RefCell::default() }
    }

    fn find(&self, kind: Kind, text: &str) -> Result<Option<TermId>> {
        if Words::knows(kind) {
            return Ok(self.directory.words.find(kind, text));
        }
        let term = (kind, text.to_owned());
        if let Some(known) = self.found.borrow().get(&term) {
            return Ok(*known);
        }
        let found = find(self.connection, kind, text)?;
        self.found.borrow_mut().insert(term, found);
        Ok(found)
    }
}

impl Plan {
    pub(super) fn of(lookup: &Lookup<'_>, want: &Want) -> Result<Plan> {
        let of_all = |wants: &[Want]| -> Result<Vec<Plan>> {
            wants.iter().map(|want| Plan::of(lookup, want)).collect()
        };
        let first_of = |kinds: &[Kind], text: &str| -> Result<Plan> {
            let ids = kinds.iter().map(|kind| lookup.find(*kind, text));
            let ids = ids.collect::<Result<Vec<_>>>()?;
            Ok(Plan::first_of(ids.into_iter().flatten().collect()))
        };
        Ok(match want {
            Want::All(wants) => Plan::all(of_all(wants)?),
            Want::Any(wants) => Plan::any(of_all(wants)?),
            Want::AtLeast(least, wants) => Plan::AtLeast(*least, of_all(wants)?),
            Want::Term(kind, text) => first_of(&[*kind], text)?,
            Want::Word(word) => first_of(&OF_WORD, word)?,
            Want::Head(word) => {
                let text = first_of(&[Kind::Head, Kind::Text], word)?;
                Plan::any(vec![text, first_of(&[Kind::Name], word)?])
            }
            Want::Begins(prefix) => match lookup.find(Kind::Prefix, prefix)? {
                Some(id) => Plan::first_of(vec![id]),
                None => {
                    let words = lookup.directory.words.beginning(prefix, OF_WORD);
                    let plans =
                        words.map(|ids| Plan::first_of(ids.into_iter().flatten().collect()));
                    Plan::any(plans.collect())
                }
            },
            Want::Phrase(words) => match &words[..] {
                [] => Plan::Everything,
                [word] => Plan::of(lookup, &Want::Word(word.clone()))?,
                words => {
                    let in_names = in_names(lookup, words)?;
                    Plan::any(vec![in_names, Phrase::of(lookup, words)?])
                }
            },
            Want::TextPhrase(words) => Phrase::of(lookup, words)?,
        })
    }

    fn first_of(ids: Vec<TermId>) -> Plan {
        if ids.is_empty() { Plan::Nothing } else { Plan::FirstOf(ids) }
    }

    fn all(mut plans: Vec<Plan>) -> Plan {
        if plans.iter().any(|plan| matches!(plan, Plan::Nothing)) {
            return Plan::Nothing;
        }
        plans.retain(|plan| !matches!(plan, Plan::Everything));
        match plans.len() {
            0 => Plan::Everything,
            1 => plans.remove(0),
            _ => Plan::All(plans),
        }
    }

    /// Whether filings may be read to find it.
    pub(super) fn may_read(&self) -> bool {
        match self {
            Plan::Phrase(_) => true,
            Plan::All(plans) | Plan::Any(plans) | Plan::AtLeast(_, plans) => {
                plans.iter().any(Plan::may_read)
            }
            Plan::Everything | Plan::Nothing | Plan::FirstOf(_) => false,
        }
    }

    fn any(mut plans: Vec<Plan>) -> Plan {
        if plans.iter().any(|plan| matches!(plan, Plan::Everything)) {
            return Plan::Everything;
        }
        plans.retain(|plan| !matches!(plan, Plan::Nothing));
        match plans.len() {
            0 => Plan::Nothing,
            1 => plans.remove(0),
            _ => Plan::Any(plans),
        }
    }
}

/// The filings of companies with a phrase in a name.
fn in_names(lookup: &Lookup<'_>, words: &[String]) -> Result<Plan> {
    if words.len() <= NAME_RUN {
        let run = lookup.find(Kind::NameRun, &words.join(" "))?;
        return Ok(Plan::first_of(run.into_iter().collect()));
    }
    let companies = lookup.names.with_phrase(words).map(|company| {
        let code = lookup.find(Kind::Company, &company.code.to_string())?;
        Ok(Plan::first_of(code.into_iter().collect()))
    });
    Ok(Plan::any(companies.collect::<Result<_>>()?))
}

impl Phrase {
    fn of(lookup: &Lookup<'_>, words: &[String]) -> Result<Plan> {
        let mut runs = Vec::new();
        for length in 1..=words.len().min(LONGEST) {
            let kind = if length == 1 { Kind::Text } else { Kind::Run };
            let ids = words.windows(length).map(|run| lookup.find(kind, &run.join(" ")));
            runs.push(ids.collect::<Result<Vec<_>>>()?);
        }
        if runs[0].iter().any(Option::is_none) {
            return Ok(Plan::Nothing);
        }
        let classes = match words.len() > LONGEST {
            true => of_classes(lookup, words)?,
            false => Plan::Nothing,
        };
        Ok(Plan::Phrase(Phrase { words: words.to_vec(), runs, classes: Box::new(classes) }))
    }
}

/// The filings of classes that have a phrase in a level.
fn of_classes(lookup: &Lookup<'_>, phrase: &[String]) -> Result<Plan> {
    const SQL: &str = "SELECT id, category, type, species FROM class";
    let mut statement = lookup.connection.prepare_cached(SQL)?;
    let mut rows = statement.query([])?;
    let mut classes = Vec::new();
    while let Some(row) = rows.next()? {
        let has = |column| -> Result<bool> {
            let level = words_of_level(&fold(row.get_ref(column)?.as_str().unwrap_or_default()));
            Ok(level.windows(phrase.len()).any(|run| run == phrase))
        };
        if has(1)? || has(2)? || has(3)? {
            let class = lookup.find(Kind::Class, &row.get::<_, i64>(0)?.to_string())?;
            classes.push(Plan::first_of(class.into_iter().collect()));
        }
    }
    Ok(Plan::any(classes))
}
