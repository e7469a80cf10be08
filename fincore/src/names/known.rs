//! Brands, nicknames, former names and tickers that the registry does not have. Every line has its reason.
//!
//! Texts are folded. A name that the legal name, the trade name or a name under which the company filed already has
//! as the same words is left out. A ticker of a company that ceased stays with that company, not with its successor.

mod brands;
mod former;
mod nicknames;
mod tickers;

/// CVM code, name and the reason why the name is here.
type Known = (u32, &'static str, &'static str);

/// Brands are what people buy, nicknames what people say, former names what a company was called. In each, lines are in
/// the order of codes.
const TABLES: [&[Known]; 5] =
    [brands::BRANDS, nicknames::NICKNAMES, former::FORMER, tickers::CURRENT, tickers::ENDED];

/// All of them: the code of the company, and the name.
pub(crate) fn names() -> impl Iterator<Item = (u32, &'static str)> {
    TABLES.into_iter().flatten().map(|(company, name, _)| (*company, *name))
}

/// The tickers among them, and whether they still trade.
pub(super) fn tickers() -> impl Iterator<Item = (u32, &'static str, bool)> {
    let tables = [(tickers::CURRENT, true), (tickers::ENDED, false)];
    tables.into_iter().flat_map(|(table, trades)| {
        table.iter().map(move |(company, ticker, _)| (*company, *ticker, trades))
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::types::fold;

    #[test]
    fn every_name_is_folded_and_stands_once() {
        let mut seen = BTreeSet::new();
        for (company, name) in names() {
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
