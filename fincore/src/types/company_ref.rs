//! The company that a path or a filter names.
use std::{fmt, str::FromStr};

use super::{CompanyId, CvmCode};
use crate::error::{Error, Result, Wanted};

/// A CVM code, a CNPJ or a ticker: whatever names a company.
///
/// ```
/// use fincore::CompanyRef;
///
/// for text in ["9512", "33.000.167/0001-01", "petr4", "PETR4.SA"] {
///     text.parse::<CompanyRef>()?;
/// }
/// assert!("petrobras".parse::<CompanyRef>().is_err());
/// # Ok::<(), fincore::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CompanyRef {
    /// Its CVM code or CNPJ.
    Id(CompanyId),
    /// The code that one of its securities trades under, in capital letters.
    Ticker(String),
}

impl FromStr for CompanyRef {
    type Err = Error;

    fn from_str(text: &str) -> Result<CompanyRef> {
        if let Ok(id) = text.parse() {
            return Ok(CompanyRef::Id(id));
        }
        ticker(text.trim())
            .map(CompanyRef::Ticker)
            .ok_or_else(|| Error::invalid(text, Wanted::Company))
    }
}

/// Four characters and a number, perhaps with the suffix that other services give tickers of this exchange.
fn ticker(text: &str) -> Option<String> {
    let text = text.to_ascii_uppercase();
    let code = text.strip_suffix(".SA").unwrap_or(&text);
    let (root, number) = code.split_at_checked(4)?;
    let is_root = root.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && root.starts_with(|c: char| c.is_ascii_uppercase());
    let is_number = (1..=3).contains(&number.len())
        && number.starts_with(|c: char| c.is_ascii_digit())
        && number.bytes().all(|byte| byte.is_ascii_alphanumeric());
    (is_root && is_number).then(|| code.to_owned())
}

impl From<CompanyId> for CompanyRef {
    fn from(id: CompanyId) -> CompanyRef {
        CompanyRef::Id(id)
    }
}

impl From<CvmCode> for CompanyRef {
    fn from(code: CvmCode) -> CompanyRef {
        CompanyRef::Id(code.into())
    }
}

impl fmt::Display for CompanyRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CompanyRef::Id(id) => id.fmt(f),
            CompanyRef::Ticker(ticker) => f.write_str(ticker),
        }
    }
}

super::deserialize_from_str!(CompanyRef);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_tickers_from_ids_and_from_names() {
        let read = |text: &str| text.parse::<CompanyRef>().map(|company| company.to_string()).ok();
        assert_eq!(read("009512").as_deref(), Some("9512"));
        assert_eq!(read("33000167000101").as_deref(), Some("33.000.167/0001-01"));
        assert_eq!(read(" petr4 ").as_deref(), Some("PETR4"));
        assert_eq!(read("B3SA3.SA").as_deref(), Some("B3SA3"));
        assert_eq!(read("KLBN11").as_deref(), Some("KLBN11"));
        for text in ["", "petrobras", "PETR", "PETR4 VALE3", "PETR4-1", "PETR\u{664}", "9.512"] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
