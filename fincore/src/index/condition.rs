//! The condition that filings must meet to be found.
use super::term_kind::TermKind;

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
    Keys(i64, i64),
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
