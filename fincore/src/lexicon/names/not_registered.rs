//! Well-known companies that do not file with CVM: a search for them says so, and returns nothing that is merely spelled alike.
//!
//! Only what is searched for as if it did: foreign companies whose receipts trade here, unlisted companies of the daily news,
//! public bodies. A name that a registered company has is found before this table is asked.
use std::sync::LazyLock;

use crate::values::tsv;

/// A company that does not file with CVM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NotRegistered {
    /// Its name, folded.
    folded: &'static str,
    /// As it is written.
    pub(crate) name: &'static str,
    /// The receipts of its shares that trade in São Paulo.
    pub(crate) receipts: Option<&'static str>,
}

static ALL: LazyLock<Vec<NotRegistered>> = LazyLock::new(|| {
    let table = include_str!("not_registered.tsv");
    let header = "folded\tname\treceipts\treason";
    tsv::embedded("not_registered.tsv", table, header, |[folded, name, receipts, reason]| {
        tsv::check_reason(reason)?;
        Ok(NotRegistered { folded, name, receipts: tsv::present(receipts) })
    })
});

/// Words that may stand beside such a name.
const BESIDE: [&str; 9] =
    ["do", "brasil", "sa", "inc", "bdr", "banco", "grupo", "brazil", "company"];

/// The company of this table that these words name, if they name nothing else.
pub(crate) fn find(words: &[&str]) -> Option<NotRegistered> {
    ALL.iter().copied().find(|known| {
        let name: Vec<&str> = known.folded.split(' ').collect();
        let at = words.windows(name.len()).position(|run| run == name);
        let is_beside = |word: &&str| {
            let receipts =
                known.receipts.is_some_and(|receipts| receipts.eq_ignore_ascii_case(word));
            BESIDE.contains(word) || receipts
        };
        at.is_some_and(|at| {
            words[..at].iter().all(is_beside) && words[at + name.len()..].iter().all(is_beside)
        })
    })
}

/// The company of this table that some of these words name.
pub(crate) fn find_within(words: &[&str]) -> Option<NotRegistered> {
    let is_named = |known: &&NotRegistered| {
        let name: Vec<&str> = known.folded.split(' ').collect();
        words.windows(name.len()).any(|run| run == name)
    };
    ALL.iter().find(is_named).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::fold;

    #[test]
    fn every_line_is_folded_and_stands_once() {
        for (at, known) in ALL.iter().enumerate() {
            assert_eq!(fold(known.folded), known.folded);
            assert!(ALL[..at].iter().all(|other| other.folded != known.folded), "{}", known.folded);
        }
    }

    #[test]
    fn a_name_is_found_with_the_words_beside_it() {
        let name = |text: &str| find(&text.split(' ').collect::<Vec<_>>()).map(|known| known.name);
        assert_eq!(name("mercado livre"), Some("Mercado Livre"));
        assert_eq!(name("volkswagen do brasil"), Some("Volkswagen"));
        assert_eq!(name("tesla tsla34"), Some("Tesla"));
        assert_eq!(name("mercado extra"), None);
        assert_eq!(name("vale tesla"), None);
    }
}
