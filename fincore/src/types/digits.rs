//! Parses whole numbers strictly.
use std::str::FromStr;

/// Parses ASCII digits; leading zeros are allowed.
///
/// Returns `None` for a sign, whitespace, any other character, an empty string, or a number too large for
/// `N`.
pub(crate) fn whole_number<N: FromStr>(text: &str) -> Option<N> {
    // The integers' own `FromStr` also accepts a `+`.
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_digits_and_leading_zeros() {
        for (text, number) in [("0", 0), ("7", 7), ("007", 7), ("000", 0), ("65535", 65535)] {
            assert_eq!(whole_number::<u16>(text), Some(number), "{text}");
        }
    }

    #[test]
    fn refuses_everything_else() {
        for text in ["", "+1", "-1", "-0", " 1", "1 ", "1_0", "1.0", "1e2", "0x1", "٣", "１", "x"]
        {
            assert_eq!(whole_number::<u16>(text), None, "{text:?}");
        }
        assert_eq!(whole_number::<u16>("65536"), None);
        assert_eq!(whole_number::<u64>("18446744073709551616"), None);
    }
}
