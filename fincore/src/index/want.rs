//! What is looked for in the index.
use super::Kind;

/// Which filings are wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Want {
    /// Those that meet all conditions; without one, all filings.
    All(Vec<Want>),
    /// Those that meet one of the conditions; without one, none.
    Any(Vec<Want>),
    /// Those that meet so many of the conditions at least.
    AtLeast(usize, Vec<Want>),
    /// Those with a term.
    Term(Kind, String),
    /// Those with a word, in texts or names.
    Word(String),
    /// Those with a word in their class, the head of their subject, or a name.
    Head(String),
    /// Those with a word that begins so.
    Begins(String),
    /// Those with these words side by side, in a text or a name.
    Phrase(Vec<String>),
    /// Those with these two or more words side by side in a text.
    TextPhrase(Vec<String>),
}

impl Want {
    /// Those that meet one of the conditions; the condition itself if there is only one.
    pub(crate) fn any(wants: impl Iterator<Item = Want>) -> Want {
        let mut wants: Vec<Want> = wants.collect();
        match wants.len() {
            1 => wants.remove(0),
            _ => Want::Any(wants),
        }
    }

    /// Those that meet all conditions; the condition itself if there is only one.
    pub(crate) fn all(wants: impl Iterator<Item = Want>) -> Want {
        let mut wants: Vec<Want> = wants.filter(|want| *want != Want::everything()).collect();
        match wants.len() {
            1 => wants.remove(0),
            _ => Want::All(wants),
        }
    }

    /// The filings of a company.
    pub(crate) fn company(code: u32) -> Want {
        Want::Term(Kind::Company, code.to_string())
    }

    /// Every filing.
    pub(crate) fn everything() -> Want {
        Want::All(Vec::new())
    }

    /// No filing at all.
    pub(crate) fn nothing() -> Want {
        Want::Any(Vec::new())
    }
}
