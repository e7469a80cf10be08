//! A condition with the numbers of its terms looked up, ready to be evaluated in each block.
use std::{cell::RefCell, collections::HashMap};

use rusqlite::Connection;

use crate::{
    index::{
        Directory, TermKind,
        directory::WordList,
        terms::{TermId, find_term, words_of_level},
        word_runs::{LONGEST_NAME_RUN, LONGEST_RUN},
    },
    lexicon::Names,
    values::{KeyRange, Result, fold},
};

/// A condition on the filings of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum QueryPlan {
    /// All of them.
    Everything,
    /// None of them.
    Nothing,
    /// Filings that meet all conditions; there are at least two.
    All(Vec<QueryPlan>),
    /// Filings that meet one of the conditions; there are at least two.
    Any(Vec<QueryPlan>),
    /// Filings that meet at least this many of the conditions.
    AtLeast(usize, Vec<QueryPlan>),
    /// Filings with a key from the first to the last.
    Keys(KeyRange),
    /// Filings with the first of these terms that the block has.
    FirstOf(Vec<TermId>),
    /// Filings with these words side by side in a text.
    Phrase(PhrasePlan),
}

/// A phrase of two words at least.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PhrasePlan {
    pub(crate) words: Vec<String>,
    /// For every length from 1 on, the terms of its runs; a run without a number is not indexed in any block.
    pub(crate) runs: Vec<Vec<Option<TermId>>>,
    /// If it is longer than all runs, the filings of classes that have it in a level: those may be many.
    pub(crate) classes: Box<QueryPlan>,
}

/// The kinds of terms that a word can be; the one that includes the others first.
const OF_WORD: [TermKind; 3] = [TermKind::Both, TermKind::Name, TermKind::Text];

/// Looks up the numbers of terms, each once.
pub(crate) struct TermLookup<'c> {
    connection: &'c Connection,
    directory: &'c Directory,
    names: &'c Names,
    found: RefCell<HashMap<(TermKind, String), Option<TermId>>>,
}

impl<'c> TermLookup<'c> {
    pub(crate) fn new(
        connection: &'c Connection,
        directory: &'c Directory,
        names: &'c Names,
    ) -> TermLookup<'c> {
        TermLookup { connection, directory, names, found: RefCell::default() }
    }

    fn find(&self, kind: TermKind, text: &str) -> Result<Option<TermId>> {
        if WordList::includes(kind) {
            return Ok(self.directory.words.find(kind, text));
        }
        let term = (kind, text.to_owned());
        if let Some(known) = self.found.borrow().get(&term) {
            return Ok(*known);
        }
        let found = find_term(self.connection, kind, text)?;
        self.found.borrow_mut().insert(term, found);
        Ok(found)
    }
}

impl QueryPlan {
    pub(crate) fn of(lookup: &TermLookup<'_>, condition: &Condition) -> Result<QueryPlan> {
        let of_all = |conditions: &[Condition]| -> Result<Vec<QueryPlan>> {
            conditions.iter().map(|condition| QueryPlan::of(lookup, condition)).collect()
        };
        let first_of = |kinds: &[TermKind], text: &str| -> Result<QueryPlan> {
            let ids = kinds.iter().map(|kind| lookup.find(*kind, text));
            let ids = ids.collect::<Result<Vec<_>>>()?;
            Ok(QueryPlan::first_of(ids.into_iter().flatten().collect()))
        };
        Ok(match condition {
            Condition::All(conditions) => QueryPlan::all(of_all(conditions)?),
            Condition::Any(conditions) => QueryPlan::any(of_all(conditions)?),
            Condition::AtLeast(least, conditions) => {
                QueryPlan::AtLeast(*least, of_all(conditions)?)
            }
            Condition::Term(kind, text) => first_of(&[*kind], text)?,
            Condition::Keys(keys) => QueryPlan::Keys(*keys),
            Condition::Word(word) => first_of(&OF_WORD, word)?,
            Condition::Text(word) => first_of(&[TermKind::Text], word)?,
            Condition::Head(word) => first_of(&[TermKind::Head, TermKind::Text], word)?,
            Condition::Prefix(prefix) => match lookup.find(TermKind::Prefix, prefix)? {
                Some(id) => QueryPlan::first_of(vec![id]),
                None => {
                    let words = lookup.directory.words.with_prefix(prefix, OF_WORD);
                    let plans =
                        words.map(|ids| QueryPlan::first_of(ids.into_iter().flatten().collect()));
                    QueryPlan::any(plans.collect())
                }
            },
            Condition::Phrase(words) => match &words[..] {
                [] => QueryPlan::Everything,
                [word] => QueryPlan::of(lookup, &Condition::Word(word.clone()))?,
                words => {
                    let in_names = in_names(lookup, words)?;
                    QueryPlan::any(vec![in_names, PhrasePlan::of(lookup, words)?])
                }
            },
            Condition::TextPhrase(words) => PhrasePlan::of(lookup, words)?,
        })
    }

    fn first_of(ids: Vec<TermId>) -> QueryPlan {
        if ids.is_empty() { QueryPlan::Nothing } else { QueryPlan::FirstOf(ids) }
    }

    fn all(mut plans: Vec<QueryPlan>) -> QueryPlan {
        if plans.iter().any(|plan| matches!(plan, QueryPlan::Nothing)) {
            return QueryPlan::Nothing;
        }
        plans.retain(|plan| !matches!(plan, QueryPlan::Everything));
        match plans.len() {
            0 => QueryPlan::Everything,
            1 => plans.remove(0),
            _ => QueryPlan::All(plans),
        }
    }

    /// Whether evaluating it may read filings.
    pub(crate) fn may_read_filings(&self) -> bool {
        match self {
            QueryPlan::Phrase(_) => true,
            QueryPlan::All(plans) | QueryPlan::Any(plans) | QueryPlan::AtLeast(_, plans) => {
                plans.iter().any(QueryPlan::may_read_filings)
            }
            QueryPlan::Everything
            | QueryPlan::Nothing
            | QueryPlan::Keys(..)
            | QueryPlan::FirstOf(_) => false,
        }
    }

    fn any(mut plans: Vec<QueryPlan>) -> QueryPlan {
        if plans.iter().any(|plan| matches!(plan, QueryPlan::Everything)) {
            return QueryPlan::Everything;
        }
        plans.retain(|plan| !matches!(plan, QueryPlan::Nothing));
        match plans.len() {
            0 => QueryPlan::Nothing,
            1 => plans.remove(0),
            _ => QueryPlan::Any(plans),
        }
    }
}

/// The filings of companies with a phrase in a name.
fn in_names(lookup: &TermLookup<'_>, words: &[String]) -> Result<QueryPlan> {
    if words.len() <= LONGEST_NAME_RUN {
        let run = lookup.find(TermKind::NameRun, &words.join(" "))?;
        return Ok(QueryPlan::first_of(run.into_iter().collect()));
    }
    let companies = lookup.names.with_phrase(words).map(|company| {
        let code = lookup.find(TermKind::Company, &company.code.to_string())?;
        Ok(QueryPlan::first_of(code.into_iter().collect()))
    });
    Ok(QueryPlan::any(companies.collect::<Result<_>>()?))
}

impl PhrasePlan {
    fn of(lookup: &TermLookup<'_>, words: &[String]) -> Result<QueryPlan> {
        let mut runs = Vec::new();
        for length in 1..=words.len().min(LONGEST_RUN) {
            let kind = if length == 1 { TermKind::Text } else { TermKind::Run };
            let ids = words.windows(length).map(|run| lookup.find(kind, &run.join(" ")));
            runs.push(ids.collect::<Result<Vec<_>>>()?);
        }
        if runs[0].iter().any(Option::is_none) {
            return Ok(QueryPlan::Nothing);
        }
        let classes =
            if words.len() > LONGEST_RUN { of_classes(lookup, words)? } else { QueryPlan::Nothing };
        Ok(QueryPlan::Phrase(PhrasePlan {
            words: words.to_vec(),
            runs,
            classes: Box::new(classes),
        }))
    }
}

/// The filings of classes that have a phrase in a level.
fn of_classes(lookup: &TermLookup<'_>, phrase: &[String]) -> Result<QueryPlan> {
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
            let class = lookup.find(TermKind::Class, &row.get::<_, i64>(0)?.to_string())?;
            classes.push(QueryPlan::first_of(class.into_iter().collect()));
        }
    }
    Ok(QueryPlan::any(classes))
}

/// A condition on filings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Condition {
    /// Filings that meet all conditions; all filings if there are none.
    All(Vec<Condition>),
    /// Filings that meet one of the conditions; no filing if there are none.
    Any(Vec<Condition>),
    /// Filings that meet at least this many of the conditions.
    AtLeast(usize, Vec<Condition>),
    /// Filings with a term.
    Term(TermKind, String),
    /// Filings with a key from the first to the last: those that were delivered between two days.
    Keys(KeyRange),
    /// Filings with a word, in texts or names.
    Word(String),
    /// Filings with a word in their class or their subject.
    Text(String),
    /// Filings with a word in their class or the head of their subject.
    Head(String),
    /// Filings with a word that has this prefix.
    Prefix(String),
    /// Filings with these words side by side, in a text or a name.
    Phrase(Vec<String>),
    /// Filings with these two or more words side by side in a text.
    TextPhrase(Vec<String>),
}

impl Condition {
    /// Filings that meet one of the conditions; the condition itself if there is only one.
    pub(crate) fn any(conditions: impl Iterator<Item = Condition>) -> Condition {
        let mut conditions: Vec<Condition> = conditions.collect();
        match conditions.len() {
            1 => conditions.remove(0),
            _ => Condition::Any(conditions),
        }
    }

    /// Filings that meet all conditions; the condition itself if there is only one.
    pub(crate) fn all(conditions: impl Iterator<Item = Condition>) -> Condition {
        let mut conditions: Vec<Condition> =
            conditions.filter(|condition| *condition != Condition::everything()).collect();
        match conditions.len() {
            1 => conditions.remove(0),
            _ => Condition::All(conditions),
        }
    }

    /// The filings of a company.
    pub(crate) fn company(code: u32) -> Condition {
        Condition::Term(TermKind::Company, code.to_string())
    }

    /// Every filing.
    pub(crate) fn everything() -> Condition {
        Condition::All(Vec::new())
    }

    /// No filing at all.
    pub(crate) fn nothing() -> Condition {
        Condition::Any(Vec::new())
    }
}
