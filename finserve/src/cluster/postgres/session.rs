//! Statements over a connection, each with a deadline.
use std::{sync::Arc, time::Instant};

use deadpool_postgres::Object;
use fincore::{
    Result,
    accounts::{self, Batch, Row, Value},
};
use futures_util::future::try_join_all;

use super::{Postgres, errors, values};

/// How many rows are on their way at once, and how many of them in one statement: a row by itself takes PostgreSQL six
/// times as long.
const IN_FLIGHT: usize = 6400;
const TOGETHER: usize = 64;

pub(super) struct Session<'p> {
    postgres: &'p Postgres,
    /// `None` once it is dropped.
    client: Option<Arc<Object>>,
    until: Instant,
    /// The connection is free of leftovers.
    is_clean: bool,
}

impl Drop for Session<'_> {
    /// A connection that may be in the middle of something is not used again, also after a panic.
    fn drop(&mut self) {
        if !self.is_clean {
            drop(self.client.take().and_then(Arc::into_inner).map(Object::take));
        }
    }
}

impl<'p> Session<'p> {
    pub(super) fn new(postgres: &'p Postgres, client: Object, until: Instant) -> Session<'p> {
        Session { postgres, client: Some(Arc::new(client)), until, is_clean: false }
    }

    /// Nothing of it is under way any more.
    pub(super) fn mark_clean(&mut self) {
        self.is_clean = true;
    }

    fn client(&self) -> Result<Arc<Object>> {
        self.client.clone().ok_or_else(errors::late_error)
    }

    /// Runs statements that return nothing.
    pub(super) fn run(&self, sql: &'static str) -> Result<()> {
        let client = self.client()?;
        self.postgres.wait(self.until, async move {
            client.batch_execute(sql).await.map_err(errors::from_postgres)
        })
    }
}

impl accounts::Session for Session<'_> {
    fn execute(&self, sql: &'static str, values: &[Value<'_>]) -> Result<usize> {
        let (client, values) = (self.client()?, values::own(values));
        self.postgres.wait(self.until, async move {
            let statement = client
                .prepare_cached(&number_parameters(sql))
                .await
                .map_err(errors::from_postgres)?;
            let changed =
                client.execute_raw(&statement, &values).await.map_err(errors::from_postgres)?;
            Ok(usize::try_from(changed).unwrap_or(usize::MAX))
        })
    }

    fn query(&self, sql: &'static str, values: &[Value<'_>]) -> Result<Vec<Row>> {
        let (client, values) = (self.client()?, values::own(values));
        self.postgres.wait(self.until, async move {
            let statement = client
                .prepare_cached(&number_parameters(sql))
                .await
                .map_err(errors::from_postgres)?;
            let rows = client.query(&statement, &values::as_parameters(&values)).await;
            rows.map_err(errors::from_postgres)?.iter().map(values::read_row).collect()
        })
    }

    /// Sends many rows with a statement, and does not wait for each.
    fn insert_each(&self, sql: &'static str, rows: &[Vec<Value<'_>>]) -> Result<()> {
        for rows in rows.chunks(IN_FLIGHT) {
            let client = self.client()?;
            let texts: Vec<_> =
                rows.chunks(TOGETHER).map(|rows| repeat_row(sql, rows.len())).collect();
            let values: Vec<_> =
                rows.chunks(TOGETHER).map(|rows| values::own(&rows.concat())).collect();
            self.postgres.wait(self.until, async move {
                let sent = texts.iter().zip(&values).map(async |(sql, values)| {
                    let statement = client.prepare_cached(sql).await?;
                    client.execute_raw(&statement, values).await
                });
                try_join_all(sent).await.map_err(errors::from_postgres).map(drop)
            })?;
        }
        Ok(())
    }

    fn has_batch(&self, batch: &Batch) -> Result<bool> {
        const SQL: &str = "SELECT 1 FROM batch WHERE writer = ?1 AND number >= ?2";
        let number = i64::try_from(batch.number).unwrap_or(i64::MAX);
        let found = self.query(SQL, &[Value::Text(&batch.writer), Value::Integer(number)])?;
        Ok(!found.is_empty())
    }

    fn continue_numbering(&self) -> Result<()> {
        const SQL: &str = "SELECT
            setval(pg_get_serial_sequence('key', 'id'), (SELECT COALESCE(MAX(id), 0) + 1 FROM key), false),
            setval(pg_get_serial_sequence('link', 'number'), (SELECT COALESCE(MAX(number), 0) + 1 FROM link), false),
            setval(pg_get_serial_sequence('session', 'number'),
                (SELECT COALESCE(MAX(number), 0) + 1 FROM session), false),
            setval(pg_get_serial_sequence('event', 'number'),
                (SELECT COALESCE(MAX(number), 0) + 1 FROM event), false),
            setval(pg_get_serial_sequence('delivery', 'id'),
                (SELECT COALESCE(MAX(id), 0) + 1 FROM delivery), false),
            setval(pg_get_serial_sequence('webhook', 'number'), (SELECT COALESCE(MAX(number), 0) + 1 FROM (
                SELECT number FROM webhook UNION ALL SELECT webhook FROM ended UNION ALL SELECT webhook FROM delivery
            ) AS used), false)";
        self.query(SQL, &[]).map(drop)
    }
}

/// Notes that a batch is written, and forgets writers that have long ended.
pub(super) fn note_batch(session: &dyn accounts::Session, batch: &Batch) -> Result<()> {
    const NOTE: &str = "INSERT INTO batch (writer, number, written) VALUES (?1, ?2, now())
        ON CONFLICT (writer) DO UPDATE SET number = excluded.number, written = excluded.written";
    const FORGET: &str = "DELETE FROM batch WHERE written < now() - interval '30 days'";
    let number = i64::try_from(batch.number).unwrap_or(i64::MAX);
    session.execute(NOTE, &[Value::Text(&batch.writer), Value::Integer(number)])?;
    if batch.number == 1 {
        session.execute(FORGET, &[])?;
    }
    Ok(())
}

/// A statement that inserts so many rows, from one that inserts one.
fn repeat_row(sql: &str, rows: usize) -> String {
    let Some((before, rest)) = sql.split_once("VALUES (") else { return number_parameters(sql) };
    let Some((row, after)) = rest.split_once(')') else { return number_parameters(sql) };
    let width = row.split(',').count();
    let list = |row: usize| {
        let marks = (1..=width).map(|column| format!("${}", row * width + column));
        format!("({})", marks.collect::<Vec<_>>().join(", "))
    };
    format!("{before}VALUES {}{after}", (0..rows).map(list).collect::<Vec<_>>().join(", "))
}

/// The statement with parameters as PostgreSQL writes them.
fn number_parameters(sql: &str) -> String {
    sql.replace('?', "$")
}
