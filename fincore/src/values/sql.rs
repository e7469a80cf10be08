//! Values as the databases store them. A text or number that is no such value is an error about this value, not about the
//! file. And numbers in seven bits a byte.
use rusqlite::{
    Result,
    types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef},
};

use crate::values::{Cnpj, Currency, CvmCode, Date, Decimal};

macro_rules! stored_as_text {
    ($($type:ty),+) => {$(
        impl FromSql for $type {
            fn column_result(value: ValueRef<'_>) -> FromSqlResult<$type> {
                value.as_str()?.parse().map_err(FromSqlError::other)
            }
        }

        impl ToSql for $type {
            fn to_sql(&self) -> Result<ToSqlOutput<'_>> {
                Ok(self.to_string().into())
            }
        }
    )+};
}

stored_as_text!(Cnpj, Currency, Date, Decimal);

impl FromSql for CvmCode {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<CvmCode> {
        CvmCode::new(u32::column_result(value)?).map_err(FromSqlError::other)
    }
}

impl ToSql for CvmCode {
    fn to_sql(&self) -> Result<ToSqlOutput<'_>> {
        Ok(self.get().into())
    }
}

/// Takes a number from the start of these bytes, as [`write_leb128`] writes it.
pub(crate) fn read_leb128(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..u64::BITS).step_by(7) {
        let byte = *bytes.split_off_first()?;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

/// Writes a number in seven bits a byte, the lowest first.
pub(crate) fn write_leb128(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(u8::try_from(number & 0x7f).unwrap_or_default() | 0x80);
        number >>= 7;
    }
    bytes.push(u8::try_from(number).unwrap_or_default());
}
