//! Compares the tables, indexes, views and triggers of a file with those that the migrations make. A file from elsewhere may
//! have others: a trigger would change what is written, and a view what is read.
use std::{collections::BTreeMap, path::Path};

use rusqlite::Connection;

use super::{
    open::{attach, open_error, version_of},
    schema::Schema,
};
use crate::{
    error::{Error, Result},
    truncate::truncate,
};

/// What SQLite makes by itself.
const OF_SQLITE: [&str; 3] = ["sqlite_sequence", "sqlite_stat1", "sqlite_stat4"];

/// The objects of a file by name: what they are, and the statement that makes them.
type Objects = BTreeMap<String, (String, String)>;

/// Fails if the file at `path` has another schema than the migrations up to its version make. Changes nothing.
pub(crate) fn check_schema(path: &Path, schema: &Schema) -> Result<()> {
    let connection = attach(path).map_err(|err| open_error(path, schema, err))?;
    let (found, made) = both(&connection, schema)?;
    let mut problems = differences(&found, &made);
    let missing = made.iter().filter(|(name, _)| !found.contains_key(*name));
    problems.extend(missing.map(|(name, (kind, _))| format!("the {kind} {name} is missing")));
    if problems.is_empty() {
        return Ok(());
    }
    let (path, problems) = (path.display(), problems.join("; "));
    Err(Error::unavailable(
        format!("{path} is not as this program makes it: {problems}"),
        "it may have been changed on purpose: take a copy from a place that you trust",
    ))
}

/// What a file has that the migrations do not make, or make otherwise: a sentence for each.
pub(crate) fn foreign_objects(connection: &Connection, schema: &Schema) -> Result<Vec<String>> {
    let (found, made) = both(connection, schema)?;
    Ok(differences(&found, &made))
}

fn both(connection: &Connection, schema: &Schema) -> Result<(Objects, Objects)> {
    let made = Connection::open_in_memory()?;
    let version = version_of(connection)?.min(schema.migrations.len());
    for migration in &schema.migrations[..version] {
        made.execute_batch(migration)?;
    }
    Ok((objects(connection)?, objects(&made)?))
}

fn differences(found: &Objects, made: &Objects) -> Vec<String> {
    let difference = |(name, object): (&String, &(String, String))| {
        let (kind, shown) = (truncate(&object.0), truncate(name));
        match made.get(name) {
            Some(made) if made == object => None,
            Some(_) => Some(format!("the {kind} {shown:?} is made in another way")),
            None => Some(format!("the {kind} {shown:?} is not one of ours")),
        }
    };
    found.iter().filter_map(difference).collect()
}

/// Indexes without a statement belong to their table.
fn objects(connection: &Connection) -> Result<Objects> {
    const SQL: &str = "SELECT type, name, sql FROM main.sqlite_master WHERE sql IS NOT NULL";
    let mut statement = connection.prepare(SQL)?;
    let rows = statement
        .query_map([], |row| Ok((row.get::<_, String>(1)?, (row.get(0)?, row.get(2)?))))?;
    let is_own = |name: &str| OF_SQLITE.contains(&name);
    let rows: Vec<(String, (String, String))> = rows.collect::<rusqlite::Result<_>>()?;
    Ok(rows.into_iter().filter(|(name, (kind, _))| !(is_own(name) && kind == "table")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{accounts, catalogue, sqlite};

    #[test]
    fn finds_what_the_migrations_do_not_make() {
        for schema in [&accounts::SCHEMA, &catalogue::SCHEMA] {
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join("file.db");
            drop(sqlite::open(&path, schema).unwrap());
            check_schema(&path, schema).unwrap();
            let changes = [
                "CREATE TRIGGER t AFTER INSERT ON {} BEGIN SELECT 1; END",
                "CREATE VIEW v AS WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n",
                "CREATE TABLE other (x)",
                "ALTER TABLE {} ADD COLUMN other TEXT",
            ];
            for change in changes {
                let changed = dir.path().join("changed.db");
                std::fs::copy(&path, &changed).unwrap();
                let connection = Connection::open(&changed).unwrap();
                connection.execute_batch(&change.replace("{}", schema.table)).unwrap();
                drop(connection);
                let said = check_schema(&changed, schema).unwrap_err().to_string();
                assert!(said.contains("not as this program makes it"), "{change}: {said}");
                for suffix in ["", "-wal", "-shm"] {
                    let _ = std::fs::remove_file(format!("{}{suffix}", changed.display()));
                }
            }
        }
    }

    #[test]
    fn triggers_do_not_fire_and_views_are_not_read() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file.db");
        let connection = Connection::open(&path).unwrap();
        let made = "CREATE TABLE a (x); CREATE VIEW v AS SELECT x FROM a;
            CREATE TRIGGER t AFTER INSERT ON a BEGIN UPDATE a SET x = 'changed'; END";
        connection.execute_batch(made).unwrap();
        drop(connection);
        let connection = attach(&path).unwrap();
        connection.execute("INSERT INTO a VALUES ('as it was')", []).unwrap();
        let x: String = connection.query_row("SELECT x FROM a", [], |row| row.get(0)).unwrap();
        assert_eq!(x, "as it was");
        assert!(connection.query_row("SELECT x FROM v", [], |_| Ok(())).is_err());
    }
}
