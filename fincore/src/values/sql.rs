//! Values as the databases store them. A text or number that is no such value is an error about this value, not about the file.
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
