//! Converts amounts from one currency into another, through the real.
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use crate::{
    answers::{Meta, Sourced},
    calc::{Amount, period::LONGEST_GAP},
    calendar,
    market::{FxRate, Side, Text, quotes, whole_histories},
    store::Snapshot,
    values::{CalculationFault, Currency, Date, Decimal, Figure, FixedPoint, Pair, Result, tsv},
};

/// A query for an amount in another currency.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Conversion {
    /// The amount; by default one unit.
    #[serde(default = "one")]
    pub amount: Amount,
    /// The currency of the amount.
    pub from: Currency,
    /// The currency of the result.
    pub to: Currency,
    /// The day of the bulletin; by default the newest that has both currencies.
    pub date: Option<Date>,
    /// The side of the quotes; by default the one at which the market sells.
    #[serde(default)]
    pub side: Side,
}

fn one() -> Amount {
    "1".parse().expect("a number")
}

impl Conversion {
    /// One unit at the newest closing quotes.
    #[must_use]
    pub fn new(from: Currency, to: Currency) -> Conversion {
        Conversion { amount: one(), from, to, date: None, side: Side::Sell }
    }
}

/// An amount in another currency, and how it was computed.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ConvertedAmount {
    /// The amount.
    pub amount: Amount,
    /// Its currency.
    pub from: Currency,
    /// The currency of the result.
    pub to: Currency,
    /// The result, rounded half up to 8 decimals.
    pub result: Figure,
    /// The value of one unit, rounded half up to 16 decimals.
    pub rate: Figure,
    /// The side of the quotes.
    pub side: Side,
    /// The day of the bulletin that was used; none where no quote was needed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<Date>,
    /// The day of the query, if there is no quote of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asked: Option<Date>,
    /// The quotes that were used.
    pub quotes: Vec<Leg>,
    /// The rule in a sentence.
    pub rule: String,
    /// The rule in Portuguese.
    pub rule_pt: String,
}

/// One quote of a conversion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Leg {
    /// The pair: a currency in reais.
    pub pair: Pair,
    /// Reais for one unit.
    pub value: Decimal,
}

/// Converts an amount at PTAX closing quotes. Two foreign currencies are converted through the real, at quotes of the same
/// side and day. For a day without a bulletin, the one before is used, and the answer says so.
///
/// Any day is allowed on every plan. Fails for currencies without quotes, for a day in the future, and for one that is more
/// than ten days after the bulletin before it.
///
/// ```
/// use fincore::calc::{self, Conversion};
///
/// # let dir = tempfile::tempdir().unwrap();
/// # let catalogue = fincore::bundle::filled_copy(dir.path())?;
/// # let snapshot = catalogue.snapshot("2026-10-05".parse()?)?;
/// let sunday = Some("2026-02-01".parse()?);
/// let query = Conversion { amount: "100".parse()?, date: sunday, ..Conversion::new("USD".parse()?, "BRL".parse()?) };
/// let reais = calc::convert(&snapshot, query)?;
/// assert_eq!((reais.date, reais.asked), (Some("2026-01-30".parse()?), sunday));
/// # Ok::<(), fincore::Error>(())
/// ```
pub fn convert(snapshot: &Snapshot, query: Conversion) -> Result<Sourced<ConvertedAmount>> {
    let Conversion { amount, from, to, date, side } = query;
    if let Some(date) = date.filter(|date| *date > snapshot.today()) {
        return Err(CalculationFault::Future { date: date.into() }.into());
    }
    let (value, quotes) = match (from == Currency::BRL, to == Currency::BRL) {
        (true, true) => (FixedPoint::one(), Vec::new()),
        _ if from == to => {
            // Fails for a currency without quotes.
            whole_histories::common_quotes(snapshot, from, to, snapshot.today())?;
            (FixedPoint::one(), Vec::new())
        }
        (true, _) => {
            let (quote, _) = quotes(snapshot, to, to, date)?;
            let worth = over(&FixedPoint::one(), &quote, side)?;
            (worth, vec![quote])
        }
        (_, true) => {
            let (quote, _) = quotes(snapshot, from, from, date)?;
            (FixedPoint::from(price(&quote, side)), vec![quote])
        }
        (false, false) => {
            let (one, other) = quotes(snapshot, from, to, date)?;
            (over(&FixedPoint::from(price(&one, side)), &other, side)?, vec![one, other])
        }
    };
    let used = quotes.first().map(|quote| quote.date);
    let asked = date.filter(|asked| used.is_some_and(|used| used != *asked));
    let text = rule(from, to);
    let (en, pt) = asked.zip(used).map(|(asked, used)| substitute(asked, used)).unwrap_or_default();
    let meta = match quotes.first() {
        Some(quote) => whole_histories::quotes_meta(snapshot, quote.pair.base)?,
        None => Meta::new(quotes::PTAX),
    };
    let leg = |quote: &FxRate| Leg { pair: quote.pair, value: price(quote, side) };
    let converted = ConvertedAmount {
        amount,
        from,
        to,
        result: FixedPoint::from(amount.get()).times(&value).round(8).trim_zeros(2),
        rate: value.round(16).trim_zeros(4),
        side,
        date: used,
        asked,
        quotes: quotes.iter().map(leg).collect(),
        rule: [text.en, &en].concat(),
        rule_pt: [text.pt, &pt].concat(),
    };
    Ok(Sourced::new(converted, meta))
}

fn price(quote: &FxRate, side: Side) -> Decimal {
    match side {
        Side::Buy => quote.buy,
        Side::Sell => quote.sell,
    }
}

fn over(reais: &FixedPoint, quote: &FxRate, side: Side) -> Result<FixedPoint> {
    let (pair, date) = (quote.pair, quote.date.into());
    let worthless = || CalculationFault::NoPrice { pair: pair.to_string(), date }.into();
    reais.over(&FixedPoint::from(price(quote, side))).ok_or_else(worthless)
}

/// The quotes of both currencies on the newest day up to the given one.
fn quotes(
    snapshot: &Snapshot,
    one: Currency,
    other: Currency,
    date: Option<Date>,
) -> Result<(FxRate, FxRate)> {
    let day = date.unwrap_or(snapshot.today());
    let mut currencies = vec![one.to_string(), other.to_string()];
    currencies.dedup();
    let found = whole_histories::common_quotes(snapshot, one, other, day)?;
    let Some((first, second)) = found else {
        return Err(CalculationFault::NoBulletin { day: day.into(), currencies }.into());
    };
    if date.is_some() && first.date < day.days_before(LONGEST_GAP) {
        let (day, newest) = (day.into(), first.date.into());
        return Err(CalculationFault::OldBulletin { day, currencies, newest }.into());
    }
    Ok((first, second))
}

fn rule(from: Currency, to: Currency) -> Text {
    let text = |en, pt| Text { en, pt };
    match (from == Currency::BRL, to == Currency::BRL) {
        _ if from == to => text("The two currencies are the same.", "As duas moedas são a mesma."),
        (true, _) => text(
            "The result is amount ÷ PTAX closing quote.",
            "O resultado é valor ÷ cotação PTAX de fechamento.",
        ),
        (_, true) => text(
            "The result is amount × PTAX closing quote.",
            "O resultado é valor × cotação PTAX de fechamento.",
        ),
        (false, false) => text(
            "The result is amount × PTAX closing quote of the first currency ÷ that of the second, both in reais, of the same side and day.",
            "O resultado é valor × cotação PTAX de fechamento da primeira moeda ÷ a da segunda, ambas em reais, do mesmo lado e dia.",
        ),
    }
}

/// The sentence about a day without quotes, in English and Portuguese.
fn substitute(asked: Date, used: Date) -> (String, String) {
    if calendar::is_business_day(asked) {
        (
            format!(" There is no quote of {asked} here; that of {used} is used."),
            format!(" Não há aqui cotação de {asked}; vale a de {used}."),
        )
    } else {
        (
            format!(" {asked} has no bulletin; the one before it, of {used}, is used."),
            format!(" {asked} não tem boletim; vale o anterior, de {used}."),
        )
    }
}

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

struct OldCurrency {
    since: Date,
    name: &'static str,
    /// How many of the currency before became one of it.
    divisor: u64,
}

/// In the order of their first days.
static CURRENCIES: LazyLock<Vec<OldCurrency>> = LazyLock::new(|| {
    let table = include_str!("old_currencies.tsv");
    let header = "since\tcurrency\tdivisor";
    tsv::embedded("old_currencies.tsv", table, header, |[since, name, divisor]| {
        Ok(OldCurrency { since: since.parse()?, name, divisor: tsv::number(divisor)? })
    })
});

/// Converts an amount in the first day's currency to that of the last; `None` if it is the same currency.
pub(crate) fn reais(amount: &FixedPoint, from: Date, to: Date) -> Option<Reais> {
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
mod old_currencies_tests {
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
