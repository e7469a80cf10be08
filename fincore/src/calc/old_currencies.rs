//! The currencies that Brazil had, and how many of each became one real.
use std::sync::LazyLock;

use serde::Serialize;

use crate::{
    numbers::{figure::Figure, fixed_point::FixedPoint},
    types::{Date, Decimal, tsv},
};

/// An amount in reais that began in an older currency.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Reais {
    /// The currency of the first day.
    pub currency: &'static str,
    /// How many of it are one unit of the last day's currency.
    pub divisor: u64,
    /// The currency of the last day.
    pub into: &'static str,
    /// The result in it, rounded half up to cents.
    pub result: Figure,
}

struct Currency {
    since: Date,
    name: &'static str,
    /// How many of the currency before became one of it.
    divisor: u64,
}

/// In the order of their first days.
static CURRENCIES: LazyLock<Vec<Currency>> = LazyLock::new(|| {
    let table = include_str!("old_currencies.tsv");
    let header = "since\tcurrency\tdivisor";
    tsv::embedded("old_currencies.tsv", table, header, |[since, name, divisor]| {
        Ok(Currency { since: since.parse()?, name, divisor: tsv::number(divisor)? })
    })
});

/// What an amount of the first day's currency is in that of the last; `None` if it is the same.
pub(super) fn reais(amount: &FixedPoint, from: Date, to: Date) -> Option<Reais> {
    let at = |day: Date| CURRENCIES.iter().rposition(|known| known.since <= day).unwrap_or(0);
    let (begin, end) = (at(from), at(to));
    if begin >= end {
        return None;
    }
    let divisor: u64 = CURRENCIES[begin + 1..=end].iter().map(|known| known.divisor).product();
    let result = amount.over(&FixedPoint::from(whole(divisor)?))?.round(2);
    Some(Reais { currency: CURRENCIES[begin].name, divisor, into: CURRENCIES[end].name, result })
}

fn whole(number: u64) -> Option<Decimal> {
    number.to_string().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_real_is_2750_million_million_cruzeiros_of_1980() {
        let day = |text: &str| text.parse::<Date>().unwrap();
        let amount = FixedPoint::from("2750000000000.00".parse::<Decimal>().unwrap());
        let then = reais(&amount, day("1980-01-01"), day("2026-01-01")).unwrap();
        assert_eq!((then.divisor, then.result.to_string()), (2_750_000_000_000, "1.00".into()));
        assert_eq!((then.currency, then.into), ("Cr$ (cruzeiro)", "R$ (real)"));
        let last = reais(&amount, day("1994-06-30"), day("1994-07-01")).unwrap();
        assert_eq!(last.divisor, 2750);
        assert_eq!(reais(&amount, day("1994-07-01"), day("2026-01-01")), None);
        assert_eq!(reais(&amount, day("1991-01-01"), day("1992-01-01")), None);
    }
}
