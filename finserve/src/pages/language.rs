//! English and Portuguese: which one a visitor reads, and how it writes numbers and dates.
use fincore::{Date, Decimal};
use serde::Deserialize;

use crate::errors::{Problem, Wanted};

/// A language of the pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    English,
    Portuguese,
}

impl Language {
    /// The tag of the `lang` attribute.
    pub(crate) fn tag(self) -> &'static str {
        self.pick("en", "pt-BR")
    }

    /// The word in addresses.
    pub(crate) fn code(self) -> &'static str {
        self.pick("en", "pt")
    }

    /// The one of two texts that is in this language.
    pub(crate) fn pick<T>(self, english: T, portuguese: T) -> T {
        match self {
            Language::English => english,
            Language::Portuguese => portuguese,
        }
    }

    /// A figure with its published digits and the language's decimal mark.
    pub(crate) fn number(self, figure: Decimal) -> String {
        self.mark(&figure.to_string())
    }

    /// A number of things, in groups of three digits.
    pub(crate) fn count(self, number: u64) -> String {
        let (digits, mark) = (number.to_string(), self.pick(',', '.'));
        let mut text = String::new();
        for (at, digit) in digits.chars().enumerate() {
            if at > 0 && (digits.len() - at).is_multiple_of(3) {
                text.push(mark);
            }
            text.push(digit);
        }
        text
    }

    /// A calculated figure to this many decimals, with its sign.
    pub(crate) fn signed(self, figure: f64, decimals: usize) -> String {
        self.mark(&format!("{figure:+.decimals$}"))
    }

    /// A calculated figure with all its digits.
    pub(crate) fn written(self, figure: &impl std::fmt::Display) -> String {
        self.mark(&figure.to_string())
    }

    /// An amount of money: with two decimals, or more where it has more.
    pub(crate) fn money(self, amount: &impl std::fmt::Display) -> String {
        let text = amount.to_string();
        let decimals = text.split_once('.').map_or(0, |(_, decimals)| decimals.len());
        let mark = if decimals == 0 { "." } else { "" };
        self.mark(&format!("{text}{mark}{}", "0".repeat(2_usize.saturating_sub(decimals))))
    }

    /// A number with the language's decimal mark and groups of three digits before it.
    fn mark(self, figure: &str) -> String {
        let (group, mark) = self.pick((',', '.'), ('.', ','));
        let (whole, decimals) = match figure.split_once('.') {
            Some((whole, decimals)) => (whole, Some(decimals)),
            None => (figure, None),
        };
        let mut written = String::with_capacity(figure.len() + 8);
        let digits = whole.bytes().filter(u8::is_ascii_digit).count();
        let mut before = 0;
        for c in whole.chars() {
            if c.is_ascii_digit() {
                if before > 0 && (digits - before) % 3 == 0 {
                    written.push(group);
                }
                before += 1;
            }
            written.push(if c == '-' { '−' } else { c });
        }
        if let Some(decimals) = decimals {
            written.push(mark);
            written.push_str(decimals);
        }
        written
    }

    /// A day as it is written in running text.
    pub(crate) fn date(self, date: impl Into<chrono::NaiveDate>) -> String {
        let date = date.into();
        self.pick(date.format("%-d %b %Y"), date.format("%d/%m/%Y")).to_string()
    }

    /// A month of a year.
    pub(crate) fn month(self, date: Date) -> String {
        let date = chrono::NaiveDate::from(date);
        self.pick(date.format("%b %Y"), date.format("%m/%Y")).to_string()
    }
}

impl std::str::FromStr for Language {
    type Err = Problem;

    fn from_str(text: &str) -> Result<Language, Problem> {
        match text {
            "en" => Ok(Language::English),
            "pt" => Ok(Language::Portuguese),
            _ => Err(Problem::value(text, Wanted::Language)),
        }
    }
}

impl<'de> Deserialize<'de> for Language {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Language, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_figures_and_days_as_the_reader_does() {
        let (en, pt) = (Language::English, Language::Portuguese);
        let figure: Decimal = "-0.32".parse().unwrap();
        assert_eq!((en.number(figure), pt.number(figure)), ("−0.32".into(), "−0,32".into()));
        assert_eq!((en.signed(0.25, 2), pt.signed(-0.25, 2)), ("+0.25".into(), "−0,25".into()));
        for (figure, english, portuguese) in [
            ("1434.75", "1,434.75", "1.434,75"),
            ("-1000000", "−1,000,000", "−1.000.000"),
            ("999", "999", "999"),
            ("-100000.5", "−100,000.5", "−100.000,5"),
        ] {
            assert_eq!(
                (en.written(&figure), pt.written(&figure)),
                (english.into(), portuguese.into())
            );
        }
        let amounts = ["1000", "1000.5", "1000.25", "0.125"].map(|amount| pt.money(&amount));
        assert_eq!(amounts, ["1.000,00", "1.000,50", "1.000,25", "0,125"]);
        assert_eq!(
            [0, 999, 1000, 83914, 1234567].map(|number| en.count(number)),
            ["0", "999", "1,000", "83,914", "1,234,567"]
        );
        assert_eq!(pt.count(83_914), "83.914");
        let day: Date = "2026-09-04".parse().unwrap();
        assert_eq!((en.date(day), pt.date(day)), ("4 Sep 2026".into(), "04/09/2026".into()));
    }
}
