//! Fixed words of answers: units, licences, periods. This library has them in its own text; those of an answer that another
//! server made are kept, each once.
use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
    sync::Mutex,
};

use serde::{Deserialize, Deserializer, de::Error as _};

use crate::lock::lock;

/// A fixed word or sentence of answers, such as a unit or a licence.
///
/// A text that was read from JSON is kept once for as long as the program runs. There is a bound to that: an answer with too
/// many texts of its own cannot be read.
pub type Term = &'static str;

/// The most bytes that are kept: some ten times what all answers of this version have.
const MOST_BYTES: usize = 64 << 10;

/// Reads a term.
pub(crate) fn one<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Term, D::Error> {
    Kept::deserialize(deserializer).map(|Kept(term)| term)
}

/// Reads a term that may be missing.
pub(crate) fn option<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Term>, D::Error> {
    Ok(Option::<Kept>::deserialize(deserializer)?.map(|Kept(term)| term))
}

/// Reads several terms.
pub(crate) fn list<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Term>, D::Error> {
    Ok(Vec::<Kept>::deserialize(deserializer)?.into_iter().map(|Kept(term)| term).collect())
}

/// Reads an object whose keys are terms.
pub(crate) fn keys<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<BTreeMap<Term, T>, D::Error> {
    let read = BTreeMap::<Kept, T>::deserialize(deserializer)?;
    Ok(read.into_iter().map(|(Kept(term), value)| (term, value)).collect())
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Kept(Term);

impl<'de> Deserialize<'de> for Kept {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Kept, D::Error> {
        static KEPT: Mutex<BTreeSet<Term>> = Mutex::new(BTreeSet::new());
        let text = Cow::<str>::deserialize(deserializer)?;
        let term = keep(&mut lock(&KEPT), &text, MOST_BYTES);
        term.map(Kept).ok_or_else(|| D::Error::custom("there are too many different terms"))
    }
}

/// The term that is equal to a text; `None` if there is no more room for it.
fn keep(kept: &mut BTreeSet<Term>, text: &str, most_bytes: usize) -> Option<Term> {
    if let Some(known) = kept.get(text) {
        return Some(known);
    }
    let bytes: usize = kept.iter().map(|term| term.len()).sum();
    if bytes + text.len() > most_bytes {
        return None;
    }
    let term: Term = text.to_owned().leak();
    kept.insert(term);
    Some(term)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_text_is_kept_once_and_only_so_many_are() {
        let mut kept = BTreeSet::new();
        let first = keep(&mut kept, "percent", 10).unwrap();
        assert!(std::ptr::eq(first, keep(&mut kept, "percent", 10).unwrap()));
        assert_eq!(keep(&mut kept, "BRL", 10), Some("BRL"));
        assert_eq!(keep(&mut kept, "x", 10), None);
        assert_eq!(keep(&mut kept, "percent", 10), Some("percent"));
    }
}
