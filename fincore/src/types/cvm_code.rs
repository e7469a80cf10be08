//! CVM codes.
use std::fmt;

use super::whole_number;
use crate::error::{Error, Result, Wanted};

/// The number of a company in CVM's registry, 1 to 999999; `009512` is read as `9512`.
///
/// ```
/// let code: fincore::CvmCode = "009512".parse()?;
/// assert_eq!(code.to_string(), "9512");
/// # Ok::<(), fincore::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CvmCode(u32);

impl CvmCode {
    /// The code with this number. Fails outside 1 to 999999.
    pub fn new(number: u32) -> Result<CvmCode> {
        Self::check(number).ok_or_else(|| Error::invalid(&number.to_string(), Wanted::CvmCode))
    }

    /// The number.
    #[must_use]
    pub fn get(self) -> u32 {
        self.0
    }

    fn check(number: u32) -> Option<CvmCode> {
        (1..=999_999).contains(&number).then_some(CvmCode(number))
    }

    fn parse(text: &str) -> Option<CvmCode> {
        whole_number(text).and_then(Self::check)
    }
}

impl fmt::Display for CvmCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

super::text_type!(CvmCode, Wanted::CvmCode);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_leading_zeros() {
        for (text, want) in
            [("9512", "9512"), ("009512", "9512"), ("0000001", "1"), ("521027", "521027")]
        {
            assert_eq!(text.parse::<CvmCode>().unwrap().to_string(), want);
        }
    }

    #[test]
    fn refuses_everything_else() {
        for text in [
            "",
            "0",
            "000000",
            "1000000",
            "-1",
            "+1",
            " 1",
            "1 ",
            "1.0",
            "PETR4",
            "٣",
            "99999999999",
        ] {
            let message = text.parse::<CvmCode>().unwrap_err().to_string();
            assert_eq!(message, format!("{text:?} is not a CVM code (1 to 6 digits)"));
        }
    }
}
