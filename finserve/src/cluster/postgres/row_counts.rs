//! How many rows the tables have.
use fincore::{
    Checkup, Result, TableCheckup,
    accounts::{Cell, Row, Session as _},
};

use super::{migrations::schema_version, session::Session};

/// Counts the rows. Damage is for PostgreSQL to find.
pub(super) fn count(session: &Session<'_>) -> Result<Checkup> {
    const TABLES: [(&str, &str); 9] = [
        ("delivery", "SELECT COUNT(*) FROM delivery"),
        ("ended", "SELECT COUNT(*) FROM ended"),
        ("event", "SELECT COUNT(*) FROM event"),
        ("key", "SELECT COUNT(*) FROM key"),
        ("link", "SELECT COUNT(*) FROM link"),
        ("session", "SELECT COUNT(*) FROM session"),
        ("told", "SELECT COUNT(*) FROM told"),
        ("usage", "SELECT COUNT(*) FROM usage"),
        ("webhook", "SELECT COUNT(*) FROM webhook"),
    ];
    let mut tables = Vec::new();
    for (name, sql) in TABLES {
        let counted = session.query(sql, &[])?;
        let rows = match counted.first().map(Row::cells) {
            Some([Cell::Integer(rows)]) => rows.unsigned_abs(),
            _ => 0,
        };
        tables.push(TableCheckup::new(name, rows));
    }
    Ok(Checkup::new(schema_version(session)?, tables))
}
