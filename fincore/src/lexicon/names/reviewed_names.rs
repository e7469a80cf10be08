//! Brands, nicknames, former names and tickers that the registry does not have.
use std::{str::FromStr, sync::LazyLock};

use crate::values::{Error, Result, tsv};

struct ReviewedName {
    kind: Kind,
    company: u32,
    name: &'static str,
}

/// The kinds in the order of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    /// A brand of products or services.
    Brand,
    /// A name that the market and the press use.
    Nickname,
    /// A former name of the company, or of a company that it took over.
    Former,
    Ticker(Trading),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Trading {
    Current,
    Ended,
    /// In New York or over the counter.
    Abroad,
}

impl FromStr for Kind {
    type Err = Error;

    fn from_str(text: &str) -> Result<Kind> {
        match text {
            "brand" => Ok(Kind::Brand),
            "nickname" => Ok(Kind::Nickname),
            "former" => Ok(Kind::Former),
            "ticker" => Ok(Kind::Ticker(Trading::Current)),
            "ended ticker" => Ok(Kind::Ticker(Trading::Ended)),
            "ticker abroad" => Ok(Kind::Ticker(Trading::Abroad)),
            _ => Err(Error::in_file(text, "a kind of reviewed name")),
        }
    }
}

/// In the order of kinds and codes.
static ALL: LazyLock<Vec<ReviewedName>> = LazyLock::new(|| {
    let table = include_str!("reviewed_names.tsv");
    let header = "kind\tcompany\tname\treason";
    tsv::embedded("reviewed_names.tsv", table, header, |[kind, company, name, reason]| {
        tsv::check_reason(reason)?;
        Ok(ReviewedName { kind: kind.parse()?, company: tsv::number(company)?, name })
    })
});

/// All of them: the code of the company, and the name.
pub(crate) fn reviewed_names() -> impl Iterator<Item = (u32, &'static str)> {
    ALL.iter().map(|line| (line.company, line.name))
}

/// Whether a reviewed name is what the company was called before.
pub(crate) fn is_former(company: u32, name: &str) -> bool {
    names_of(company, Kind::Former).any(|former| former == name)
}

/// The tickers among them, and whether they still trade.
pub(crate) fn tickers() -> impl Iterator<Item = (u32, &'static str, Trading)> {
    ALL.iter().filter_map(|line| match line.kind {
        Kind::Ticker(trading) => Some((line.company, line.name, trading)),
        Kind::Brand | Kind::Nickname | Kind::Former => None,
    })
}

/// The tickers of a company that trade, in small letters, whether or not its forms list them.
pub(crate) fn current_tickers(company: u32) -> impl Iterator<Item = &'static str> {
    names_of(company, Kind::Ticker(Trading::Current))
}

fn names_of(company: u32, kind: Kind) -> impl Iterator<Item = &'static str> {
    let start = ALL.partition_point(|line| (line.kind, line.company) < (kind, company));
    let own =
        ALL[start..].iter().take_while(move |line| (line.kind, line.company) == (kind, company));
    own.map(|line| line.name)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::values::fold;

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
    fn lines_are_in_the_order_of_kinds_and_codes() {
        for two in ALL.windows(2) {
            let [one, next] = [0, 1].map(|at| (two[at].kind, two[at].company));
            assert!(one <= next, "{} stands before {}", two[0].name, two[1].name);
        }
    }
}
