//! Values of statements, in thousands of reais or in reais.
use std::str::FromStr;

use crate::{error::Error, types::Decimal};

/// In what the values of a form are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scale {
    Units,
    Thousands,
}

impl FromStr for Scale {
    type Err = Error;

    fn from_str(text: &str) -> Result<Scale, Error> {
        match text.trim() {
            "UNIDADE" => Ok(Scale::Units),
            "MIL" => Ok(Scale::Thousands),
            other => Err(Error::in_file(other, "a scale (UNIDADE or MIL)")),
        }
    }
}

/// A value in reais: `1447937.0000000000` in thousands is 1447937000. Zeros behind the dot carry nothing, because every
/// value has ten of them.
pub(super) fn parse_value(text: &str, scale: Scale) -> Result<Decimal, Error> {
    let text = text.trim();
    parse(text, scale).ok_or_else(|| Error::in_file(text, "a value (-1234.5000000000)"))
}

fn parse(text: &str, scale: Scale) -> Option<Decimal> {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let (whole, decimals) = unsigned.split_once('.').unwrap_or((unsigned, "0"));
    let are_digits =
        |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if !are_digits(whole) || !are_digits(decimals) {
        return None;
    }
    let decimals = decimals.trim_end_matches('0');
    let digits: i64 = format!("{}{decimals}", whole.trim_start_matches('0'))
        .parse()
        .or_else(|err| {
            if whole.bytes().all(|byte| byte == b'0') && decimals.is_empty() {
                Ok(0)
            } else {
                Err(err)
            }
        })
        .ok()?;
    let digits = if unsigned.len() < text.len() { -digits } else { digits };
    let places = match scale {
        Scale::Units => 0,
        Scale::Thousands => 3,
    };
    match decimals.len().checked_sub(places) {
        Some(decimals) => Decimal::new(digits, u8::try_from(decimals).ok()?),
        None => {
            let more = u32::try_from(places - decimals.len()).ok()?;
            Decimal::new(digits.checked_mul(10_i64.pow(more))?, 0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_in_reais_to_their_last_digit() {
        let cases = [
            ("1447937.0000000000", Scale::Thousands, "1447937000"),
            ("-127130.0000000000", Scale::Thousands, "-127130000"),
            ("0.0000000000", Scale::Thousands, "0"),
            ("0.5000000000", Scale::Thousands, "500"),
            ("12.3456000000", Scale::Thousands, "12345.6"),
            ("1234.5600000000", Scale::Units, "1234.56"),
            ("0.0123400000", Scale::Units, "0.01234"),
            ("007", Scale::Units, "7"),
            ("3202125000.0000000000", Scale::Thousands, "3202125000000"),
        ];
        for (text, scale, value) in cases {
            assert_eq!(parse_value(text, scale).unwrap().to_string(), value, "{text}");
        }
    }

    #[test]
    fn refuses_what_is_no_value() {
        for text in
            ["", "-", "1.447.937", "1,5", "1e5", "NaN", "9999999999999999999", "1.", ".5", "--1"]
        {
            assert!(parse_value(text, Scale::Units).is_err(), "{text}");
        }
        assert!(parse_value("999999999999999999", Scale::Thousands).is_err());
        assert!("MILHÃO".parse::<Scale>().is_err());
    }
}
