//! Figures of computed periods that do not follow from the accounts of these: forms write outflows with or without the minus
//! sign, and each under accounts of its own.
use super::{FigureValue, Reason, StatementPart};
use crate::{
    statements::{account::Account, recipes::Sign},
    types::Decimal,
};

/// A figure of a statement: as filed, or of its parts, added and subtracted.
pub(super) fn of_parts(
    whole: Option<&[Account]>,
    parts: &[StatementPart],
    figure: impl Fn(Option<&[Account]>) -> FigureValue,
) -> FigureValue {
    if parts.is_empty() {
        return figure(whole);
    }
    let mut sum = Some(Decimal::from(0));
    let mut from: Vec<String> = Vec::new();
    for part in parts {
        let FigureValue { value, from: codes, reason } = figure(Some(&part.accounts));
        let Some(value) = value else { return FigureValue { reason, ..FigureValue::default() } };
        sum = match part.sign {
            Sign::Plus => sum.and_then(|sum| sum.checked_add(value)),
            Sign::Minus => sum.and_then(|sum| sum.checked_sub(value)),
        };
        from.extend(codes);
    }
    from.sort_by_cached_key(|code| crate::statements::code_order(code));
    from.dedup();
    FigureValue::made(sum, from)
}

/// The same of a figure that sums several accounts. If a part lacks one that another part counts, it may have it under
/// another name, so that the figure is in doubt.
pub(super) fn of_sums(
    whole: Option<&[Account]>,
    parts: &[StatementPart],
    figure: impl Fn(Option<&[Account]>) -> FigureValue,
) -> FigureValue {
    let zero = Decimal::from(0);
    for part in parts {
        let codes = figure(Some(&part.accounts)).from;
        let counts = |account: &&Account| account.value != zero && codes.contains(&account.code);
        for counted in part.accounts.iter().filter(counts) {
            let is_it = |account: &Account| {
                (&account.code, &account.name) == (&counted.code, &counted.name)
            };
            if !parts.iter().all(|other| other.accounts.iter().any(is_it)) {
                return FigureValue::none(Reason::NoAccount);
            }
        }
    }
    of_parts(whole, parts, figure)
}
