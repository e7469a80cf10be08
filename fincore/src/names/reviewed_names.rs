//! Brands, nicknames, former names and tickers that the registry does not have. Every line has its reason.
//!
//! Texts are folded. A name with the same words as the legal name, the trade name or a name that the company filed under is left
//! out. A ticker of a company that ceased stays with that company, not with its successor.

mod brands;
mod former_names;
mod newer_brands;
mod nicknames;
mod table;
mod tickers;

use table::ReviewedName;

/// Brands are what people buy, nicknames what people say, former names what a company was called. Each table is ordered by
/// code.
const TABLES: [&[ReviewedName]; 7] = [
    brands::BRANDS,
    newer_brands::BRANDS,
    nicknames::NICKNAMES,
    former_names::FORMER,
    tickers::CURRENT,
    tickers::ENDED,
    tickers::ABROAD,
];

/// All of them: the code of the company, and the name.
pub(crate) fn reviewed_names() -> impl Iterator<Item = (u32, &'static str)> {
    TABLES.into_iter().flatten().map(|(company, name, _)| (*company, *name))
}

/// Whether a reviewed name is what the company was called before.
pub(super) fn is_former(company: u32, name: &str) -> bool {
    former_names::FORMER.iter().any(|(code, former, _)| (*code, *former) == (company, name))
}

/// Whether a ticker still trades.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trading {
    Current,
    Ended,
    /// In New York or over the counter.
    Abroad,
}

/// The tickers among them, and whether they still trade.
pub(super) fn tickers() -> impl Iterator<Item = (u32, &'static str, Trading)> {
    let tables = [
        (tickers::CURRENT, Trading::Current),
        (tickers::ENDED, Trading::Ended),
        (tickers::ABROAD, Trading::Abroad),
    ];
    tables.into_iter().flat_map(|(table, trading)| {
        table.iter().map(move |(company, ticker, _)| (*company, *ticker, trading))
    })
}

/// The tickers of a company that trade, in small letters, whether or not its forms list them.
pub(crate) fn current_tickers(company: u32) -> impl Iterator<Item = &'static str> {
    let own = tickers::CURRENT.iter().filter(move |(code, ..)| *code == company);
    own.map(|(_, ticker, _)| *ticker)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::types::fold;

    #[test]
    fn every_name_is_folded_and_stands_once() {
        let mut seen = BTreeSet::new();
        for (company, name) in reviewed_names() {
            assert_eq!(fold(name), name);
            assert!(
                name.split(' ').all(|word| word.bytes().all(|byte| byte.is_ascii_alphanumeric()))
            );
            assert!(seen.insert((company, name)), "{company} {name}");
        }
    }

    #[test]
    fn every_line_has_a_reason() {
        for (company, name, reason) in TABLES.into_iter().flatten() {
            assert!(reason.len() > 5, "{company} {name}");
        }
    }

    #[test]
    fn lines_are_in_the_order_of_codes() {
        for table in TABLES {
            assert!(table.is_sorted_by_key(|(company, ..)| *company));
        }
    }
}
