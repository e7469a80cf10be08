//! The id that a company is looked up by.
use std::{fmt, str::FromStr};

use super::{Cnpj, CvmCode, Identifier};
use crate::error::{Error, Result, Wanted};

/// A CVM code or a CNPJ: either identifies a company.
///
/// Fourteen characters are always a CNPJ, even if they are digits with leading zeros.
///
/// ```
/// use fincore::{CompanyId, CvmCode};
///
/// let by_code: CompanyId = "009512".parse()?;
/// assert_eq!(by_code, CompanyId::Cvm(CvmCode::new(9512)?));
/// let by_cnpj: CompanyId = "33.000.167/0001-01".parse()?;
/// assert!(matches!(by_cnpj, CompanyId::Cnpj(_)));
/// # Ok::<(), fincore::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CompanyId {
    /// Its number in CVM's registry.
    Cvm(CvmCode),
    /// Its tax number.
    Cnpj(Cnpj),
}

impl FromStr for CompanyId {
    type Err = Error;

    fn from_str(text: &str) -> Result<CompanyId> {
        let id = match Identifier::of_text(text) {
            Some(Identifier::Code(code)) => Some(CompanyId::Cvm(code)),
            Some(Identifier::Cnpj(characters)) => characters.parse().ok().map(CompanyId::Cnpj),
            Some(Identifier::Ticker(_) | Identifier::Isin(_)) | None => None,
        };
        id.ok_or_else(|| Error::invalid(text, Wanted::CompanyId))
    }
}

impl From<CvmCode> for CompanyId {
    fn from(code: CvmCode) -> CompanyId {
        CompanyId::Cvm(code)
    }
}

impl From<Cnpj> for CompanyId {
    fn from(cnpj: Cnpj) -> CompanyId {
        CompanyId::Cnpj(cnpj)
    }
}

impl fmt::Display for CompanyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CompanyId::Cvm(code) => fmt::Display::fmt(code, f),
            CompanyId::Cnpj(cnpj) => fmt::Display::fmt(cnpj, f),
        }
    }
}

super::deserialize_from_str!(CompanyId);
super::serialize_as_str!(CompanyId);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_a_code_from_a_cnpj() {
        let read = |text: &str| text.parse::<CompanyId>().map(|id| format!("{id:?}")).ok();
        assert_eq!(read("009512").as_deref(), Some("Cvm(9512)"));
        assert_eq!(read(" 9512 ").as_deref(), Some("Cvm(9512)"));
        assert_eq!(read("código CVM 00951-2").as_deref(), Some("Cvm(9512)"));
        assert_eq!(read("CNPJ nº 33000167/0001-01").as_deref(), Some("Cnpj(33.000.167/0001-01)"));
        assert_eq!(read("00000000000191").as_deref(), Some("Cnpj(00.000.000/0001-91)"));
        for text in ["", "0", "petrobras", "33000167000102"] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
