//! The company that a path or a filter names.
use std::{fmt, str::FromStr};

use super::{Cnpj, CompanyId, CvmCode, Identifier, TICKER_ROOT};
use crate::error::{Error, Result, Wanted};

/// A CVM code, a CNPJ, a ticker or an ISIN: whatever names a company, in the forms in which people paste it.
///
/// The CNPJ may be that of a branch, or its first eight characters. The ISIN stands for its issuer, by the letters that its
/// tickers begin with.
///
/// ```
/// use fincore::CompanyRef;
///
/// for text in ["9512", "00951-2", "33.000.167/0001-01", "petr4", "PETR4.SA", "BVMF:PETR4", "BRPETRACNPR6"] {
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
        let found = Identifier::of_text(text);
        let root = found.as_ref().and_then(Identifier::ticker_root).map(str::to_ascii_uppercase);
        let company = match found {
            Some(Identifier::Code(code)) => Some(code.into()),
            Some(Identifier::Cnpj(characters)) => {
                let whole = characters.parse().ok();
                whole
                    .or_else(|| Cnpj::beginning(&characters))
                    .map(|cnpj| CompanyId::Cnpj(cnpj).into())
            }
            Some(Identifier::Ticker(ticker)) => {
                Some(CompanyRef::Ticker(ticker.to_ascii_uppercase()))
            }
            // Tickers and ISINs share the letters of the issuer.
            Some(Identifier::Isin(_)) => root.map(CompanyRef::Ticker),
            None => ticker(text.trim()).map(CompanyRef::Ticker),
        };
        company.ok_or_else(|| Error::invalid(text, Wanted::Company))
    }
}

/// Four characters and a number, which may end in letters.
fn ticker(text: &str) -> Option<String> {
    let text = text.to_ascii_uppercase();
    let (root, number) = text.split_at_checked(TICKER_ROOT)?;
    let is_root = root.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && root.starts_with(|c: char| c.is_ascii_uppercase());
    let is_number = (1..=3).contains(&number.len())
        && number.starts_with(|c: char| c.is_ascii_digit())
        && number.bytes().all(|byte| byte.is_ascii_alphanumeric());
    (is_root && is_number).then_some(text)
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
super::serialize_as_str!(CompanyRef);

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
        assert_eq!(read("CVM 00951-2").as_deref(), Some("9512"));
        assert_eq!(read("MRSA3B").as_deref(), Some("MRSA3B"));
        assert_eq!(read("BVMF:VALE3").as_deref(), Some("VALE3"));
        assert_eq!(read("ITUB4 BZ Equity").as_deref(), Some("ITUB4"));
        assert_eq!(read("BRPETRACNPR6").as_deref(), Some("PETR"));
        for text in ["33.000.167", "33000167", "33.000.167/0001", "CNPJ/MF nº 33000167/0001-01"] {
            assert_eq!(read(text).as_deref(), Some("33.000.167/0001-01"), "{text}");
        }
        for text in ["", "petrobras", "PETR", "PETR4 VALE3", "PETR4-1", "PETR\u{664}", "9.512"] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
