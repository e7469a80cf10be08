//! Values of the library as PostgreSQL sends and takes them.
use std::error::Error as StdError;

use bytes::BytesMut;
use fincore::{
    Error, Result,
    accounts::{Cell, Row, Value},
};
use tokio_postgres::types::{IsNull, ToSql, Type, to_sql_checked};

/// A value that waits to be sent.
#[derive(Debug)]
pub(super) struct OwnedValue(Cell);

pub(super) fn own(values: &[Value<'_>]) -> Vec<OwnedValue> {
    let own = |value: &Value<'_>| match *value {
        Value::Null => Cell::Null,
        Value::Integer(number) => Cell::Integer(number),
        Value::Text(text) => Cell::Text(text.to_owned()),
        Value::Blob(bytes) => Cell::Blob(bytes.to_owned()),
    };
    values.iter().map(own).map(OwnedValue).collect()
}

pub(super) fn as_parameters(values: &[OwnedValue]) -> Vec<&(dyn ToSql + Sync)> {
    values.iter().map(|value| value as &(dyn ToSql + Sync)).collect()
}

impl ToSql for OwnedValue {
    fn to_sql(
        &self,
        kind: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn StdError + Sync + Send>> {
        match (&self.0, kind) {
            (Cell::Null, _) => Ok(IsNull::Yes),
            (Cell::Integer(number), &Type::INT4) => i32::try_from(*number)?.to_sql(kind, out),
            (Cell::Integer(number), _) => number.to_sql(kind, out),
            (Cell::Text(text), _) => text.to_sql(kind, out),
            (Cell::Blob(bytes), _) => bytes.to_sql(kind, out),
        }
    }

    fn accepts(kind: &Type) -> bool {
        [Type::INT8, Type::INT4, Type::TEXT, Type::BYTEA].contains(kind)
    }

    to_sql_checked!();
}

/// A row as the library takes it.
pub(super) fn read_row(row: &tokio_postgres::Row) -> Result<Row> {
    let cells = row.columns().iter().enumerate().map(|(column, about)| {
        let cell = match *about.type_() {
            Type::INT8 => row.try_get::<_, Option<i64>>(column)?.map(Cell::Integer),
            Type::INT4 => row.try_get::<_, Option<i32>>(column)?.map(i64::from).map(Cell::Integer),
            Type::BOOL => row.try_get::<_, Option<bool>>(column)?.map(i64::from).map(Cell::Integer),
            Type::BYTEA => row.try_get::<_, Option<Vec<u8>>>(column)?.map(Cell::Blob),
            _ => row.try_get::<_, Option<String>>(column)?.map(Cell::Text),
        };
        Ok(cell.unwrap_or(Cell::Null))
    });
    let cells = cells.collect::<Result<_, tokio_postgres::Error>>();
    cells.map(Row::new).map_err(|err| Error::Storage {
        context: "cannot read what PostgreSQL answers".to_owned(),
        source: Box::new(err),
    })
}
