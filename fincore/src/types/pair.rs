//! Currencies and currency pairs.
use std::fmt;

use crate::error::Wanted;

/// A currency, by the three-letter code that the central bank uses: `USD`, `SDR`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Currency([u8; 3]);

impl Currency {
    /// The Brazilian real; all quotes are in reais.
    pub const BRL: Currency = Currency(*b"BRL");
    /// The United States dollar.
    pub const USD: Currency = Currency(*b"USD");
    /// The euro.
    pub const EUR: Currency = Currency(*b"EUR");
    /// The Japanese yen.
    pub const JPY: Currency = Currency(*b"JPY");
    /// The pound sterling.
    pub const GBP: Currency = Currency(*b"GBP");

    fn parse(text: &str) -> Option<Currency> {
        Currency::of_letters(text.as_bytes())
    }

    fn of_letters(letters: &[u8]) -> Option<Currency> {
        let symbol = <[u8; 3]>::try_from(letters).ok()?;
        symbol
            .iter()
            .all(u8::is_ascii_alphabetic)
            .then(|| Currency(symbol.map(|b| b.to_ascii_uppercase())))
    }

    /// The code: three capital letters.
    #[must_use]
    pub fn as_str(&self) -> &str {
        str::from_utf8(&self.0).expect("three ASCII letters")
    }
}

impl fmt::Display for Currency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A currency pair, written `EUR/BRL`; `EURBRL` and `eur-brl` are read too.
///
/// ```
/// let pair: fincore::Pair = "eur-brl".parse()?;
/// assert_eq!(pair.to_string(), "EUR/BRL");
/// # Ok::<(), fincore::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pair {
    /// The currency that is priced.
    pub base: Currency,
    /// The currency it is priced in.
    pub quote: Currency,
}

impl Pair {
    /// The price of one unit of `base` in Brazilian reais.
    #[must_use]
    pub const fn in_reais(base: Currency) -> Pair {
        Pair { base, quote: Currency::BRL }
    }

    fn parse(text: &str) -> Option<Pair> {
        let (base, quote) = match text.as_bytes() {
            [base @ .., b'/' | b'-', q1, q2, q3] if base.len() == 3 => (base, [*q1, *q2, *q3]),
            [base @ .., q1, q2, q3] if base.len() == 3 => (base, [*q1, *q2, *q3]),
            _ => return None,
        };
        let (base, quote) = (Currency::of_letters(base)?, Currency::of_letters(&quote)?);
        Some(Pair { base, quote })
    }
}

impl Default for Pair {
    /// `USD/BRL`.
    fn default() -> Pair {
        Pair::in_reais(Currency::USD)
    }
}

impl fmt::Display for Pair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ([a, b, c], [x, y, z]) = (self.base.0, self.quote.0);
        f.pad(str::from_utf8(&[a, b, c, b'/', x, y, z]).expect("ASCII letters"))
    }
}

super::text_type!(Currency, Wanted::Currency);
super::text_type!(Pair, Wanted::CurrencyPair);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn accepts_slash_dash_and_no_separator() {
        for text in ["EUR/BRL", "EURBRL", "eur-brl", "Eur/bRl"] {
            assert_eq!(text.parse::<Pair>().unwrap().to_string(), "EUR/BRL");
        }
    }

    #[test]
    fn refuses_everything_else() {
        let wrong = [
            "",
            "EUR",
            "EUR/",
            "/BRL",
            "EUR//BRL",
            "EUR_BRL",
            "EUR BRL",
            "EU/BRLX",
            "EURBRLX",
            "EUR/BR1",
            "€UR/BRL",
            "EURéBR",
            " EUR/BRL",
            "EUR/BRL ",
        ];
        for text in wrong {
            let message = text.parse::<Pair>().unwrap_err().to_string();
            assert!(message.starts_with(&format!("{text:?} is not a currency pair")), "{message}");
        }
    }

    proptest! {
        #[test]
        fn what_is_printed_parses_back(text in "[A-Za-z]{3}[/-]?[A-Za-z]{3}") {
            let pair: Pair = text.parse().unwrap();
            prop_assert_eq!(pair.to_string().parse::<Pair>().unwrap(), pair);
        }

        #[test]
        fn no_text_panics(text in "\\PC*") {
            let _ = text.parse::<Pair>();
        }
    }
}
