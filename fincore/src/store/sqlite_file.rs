//! Creates, opens and migrates a database file, and compares its tables with those that the migrations make.
use std::{
    collections::BTreeMap,
    fs::{self, File, OpenOptions},
    path::{Path, PathBuf},
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};

use rusqlite::{Connection, ErrorCode, OpenFlags, config::DbConfig};

use crate::{
    store::{
        deadline,
        file_identity::{companion_path, make_private, missing_permission},
    },
    values::{Error, Result, truncate},
};

/// Earlier versions can corrupt a WAL database that two connections write.
const OLDEST_SQLITE: i32 = 3_051_003;

/// How long a writer waits for another program's transaction.
pub(crate) const BUSY_TIMEOUT: Duration = Duration::from_secs(10);
/// The pause between two attempts where SQLite does not wait by itself.
const BUSY_PAUSE: Duration = Duration::from_millis(50);

/// The size in bytes that SQLite keeps a write-ahead log at: it copies the log into the file at about that size.
const LOG_SIZE_LIMIT: u32 = 4 << 20;

/// Prepared statements cached per connection; the library has fewer.
const CACHED_STATEMENTS: usize = 128;

/// Opens the file at `path`, creating it if needed, and applies missing migrations.
///
/// Fails for a file that exists but is empty, or is something else: treating it as new would silently
/// lose what it should hold.
pub(crate) fn open(path: &Path, schema: &Schema) -> Result<Connection> {
    if !path.exists() {
        // A link whose target is missing, perhaps because a volume is not mounted, must not be replaced.
        if path.is_symlink() {
            return Err(refuse(path, schema, "it is a link to a file that does not exist"));
        }
        // SQLite would apply an old log to the new file. If another program creates the file at the same time, its name
        // exists before its log.
        let mut log = path.as_os_str().to_owned();
        log.push("-wal");
        let log = PathBuf::from(log);
        if log.exists() && !path.exists() {
            let why = format!("{} is left of a file that is gone", log.display());
            return Err(Error::unavailable(why, "restore a backup, or move it away"));
        }
        create(path, schema)?;
    }
    reopen(path, schema)
}

/// Opens a file that must exist already. If it was removed meanwhile, it is not created again.
pub(crate) fn reopen(path: &Path, schema: &Schema) -> Result<Connection> {
    check_file(path, schema)?;
    connect(path, schema)
}

fn connect(path: &Path, schema: &Schema) -> Result<Connection> {
    let cannot = |err| open_error(path, schema, err);
    let mut connection = attach(path).map_err(cannot)?;
    check_identity(&connection, path, schema)?;
    if schema.audience == Audience::Owner {
        make_private(path)?;
    }
    use_wal(&connection).map_err(cannot)?;
    connection.pragma_update(None, "journal_size_limit", LOG_SIZE_LIMIT).map_err(cannot)?;
    migrate(&mut connection, schema.migrations, path)?;
    Ok(connection)
}

/// Fails unless the file exists and has the schema of this program. Changes nothing.
pub(crate) fn check_current(path: &Path, schema: &Schema) -> Result<()> {
    check_file(path, schema)?;
    let cannot = |err| open_error(path, schema, err);
    let connection = attach(path).map_err(cannot)?;
    check_identity(&connection, path, schema)?;
    let (found, known) = (version_of(&connection).map_err(cannot)?, schema.migrations.len());
    match found.cmp(&known) {
        std::cmp::Ordering::Less => {
            let reason = format!("it is at version {found}, this program reads version {known}");
            Err(Error::Outdated { path: path.display().to_string(), reason })
        }
        std::cmp::Ordering::Equal => Ok(()),
        std::cmp::Ordering::Greater => Err(too_new(path, found, known)),
    }
}

/// Fails if the file was made by a newer version of this program; not for anything else that is wrong with it. Changes nothing.
pub(crate) fn refuse_newer(path: &Path, schema: &Schema) -> Result<()> {
    match check_current(path, schema) {
        Err(err @ Error::Newer { .. }) => Err(err),
        Ok(()) | Err(_) => Ok(()),
    }
}

fn too_new(path: &Path, found: usize, known: usize) -> Error {
    let reason = format!("it is at version {found}, this program supports {known}");
    Error::Newer { path: path.display().to_string(), reason }
}

/// How an existing file is opened: with SQLite's default flags, a missing one would be created empty.
const EXISTING: OpenFlags =
    OpenFlags::SQLITE_OPEN_READ_WRITE.union(OpenFlags::SQLITE_OPEN_NO_MUTEX);

/// A connection to an existing file.
pub(crate) fn attach(path: &Path) -> rusqlite::Result<Connection> {
    let connection = Connection::open_with_flags(path, EXISTING)?;
    prepare(&connection)?;
    Ok(connection)
}

/// The error of a file that cannot be opened, with what helps.
pub(crate) fn open_error(path: &Path, schema: &Schema, err: rusqlite::Error) -> Error {
    let path_shown = path.display();
    match err.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => refuse(path, schema, "it is not a database"),
        Some(ErrorCode::DatabaseCorrupt) => {
            Error::unavailable(format!("{path_shown} is damaged ({err})"), schema.remedy)
        }
        Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied | ErrorCode::ReadOnly) => {
            match missing_permission(path) {
                Some(reason) => Error::NotPermitted { path: path_shown.to_string(), reason },
                None => Error::database(format!("cannot open {path_shown}"), err),
            }
        }
        _ => Error::database(format!("cannot open {path_shown}"), err),
    }
}

/// Creates a file. It gets its name once it is complete, so that no other program ever sees a partial file; if
/// another program was faster, its file stays.
fn create(path: &Path, schema: &Schema) -> Result<()> {
    static FILES: AtomicU32 = AtomicU32::new(0);
    let cannot = |err| Error::storage(format!("cannot create {}", path.display()), err);
    let number = FILES.fetch_add(1, Ordering::Relaxed);
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{}-{number}.new", std::process::id()));
    let new = PathBuf::from(name);
    let mut options = match schema.audience {
        Audience::Owner => owner_only(),
        Audience::Default => OpenOptions::new(),
    };
    options.create(true).truncate(true).write(true).open(&new).map_err(cannot)?;
    let created = connect(&new, schema).and_then(|connection| {
        connection.close().map_err(|(_, err)| Error::from(err))?;
        match fs::hard_link(&new, path) {
            Ok(()) => Ok(()),
            Err(_) if path.exists() => Ok(()),
            // Not every file system has hard links.
            Err(_) => fs::rename(&new, path).map_err(cannot),
        }
    });
    // By now it is linked under its real name, or useless.
    let _ = fs::remove_file(&new);
    // Best effort: not every system can sync a directory.
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let _ = File::open(directory.unwrap_or(Path::new("."))).and_then(|file| file.sync_all());
    created
}

/// Options for a file that only its owner can read; SQLite gives its log the same permissions.
pub(crate) fn owner_only() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// The error of a file that cannot be read right after it was opened, with what helps.
pub(crate) fn error_after_open(path: &Path, schema: &Schema, err: Error) -> Error {
    let err = error_of_file(path, schema, err);
    if !err.is_damage() {
        return err;
    }
    Error::unavailable(format!("{} cannot be read ({err})", path.display()), schema.remedy)
}

fn check_file(path: &Path, schema: &Schema) -> Result<()> {
    let file = fs::metadata(path).map_err(|err| match missing_permission(path) {
        Some(reason) => Error::NotPermitted { path: path.display().to_string(), reason },
        None => Error::unavailable(format!("cannot open {}", path.display()), err),
    })?;
    if !file.is_file() {
        return Err(refuse(path, schema, "it is not a regular file"));
    }
    if file.len() == 0 {
        return Err(refuse(path, schema, "it is empty"));
    }
    Ok(())
}

fn check_identity(connection: &Connection, path: &Path, schema: &Schema) -> Result<()> {
    const TABLE: &str = "SELECT COUNT(*) FROM sqlite_master WHERE type = 'table' AND name = ?1";
    let number = |pragma| connection.pragma_query_value(None, pragma, |row| row.get::<_, i32>(0));
    let identity: rusqlite::Result<_> = (|| {
        let has_table: bool = connection.query_row(TABLE, [schema.table], |row| row.get(0))?;
        Ok((number("application_id")?, version_of(connection)?, has_table))
    })();
    match identity {
        Ok((id, _, _)) if id == schema.application_id => Ok(()),
        Ok((0, version, true)) if (1..=schema.unmarked).contains(&version) => Ok(()),
        // A file that is being created.
        Ok((0, 0, false)) if fs::metadata(path).is_ok_and(|file| file.len() == 0) => Ok(()),
        Ok(_) => Err(refuse(path, schema, "it is another program's database")),
        Err(err) => Err(open_error(path, schema, err)),
    }
}

fn refuse(path: &Path, schema: &Schema, why: &str) -> Error {
    let (path, what) = (path.display(), schema.what);
    Error::unavailable(
        format!("{path} is not {what}: {why}"),
        "name another directory, or move the file away and restore a backup",
    )
}

/// The journal mode is stored in the file, so later connections inherit it.
fn use_wal(connection: &Connection) -> rusqlite::Result<()> {
    // SQLite does not wait by itself if another program does this at the same time.
    let mut tries = BUSY_TIMEOUT.as_millis() / BUSY_PAUSE.as_millis();
    loop {
        match connection.pragma_update(None, "journal_mode", "wal") {
            Err(err) if tries > 0 && err.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => {
                tries -= 1;
            }
            outcome => return outcome,
        }
        std::thread::sleep(BUSY_PAUSE);
    }
}

/// Settings that every connection needs, readers included.
pub(crate) fn prepare(connection: &Connection) -> rusqlite::Result<()> {
    if rusqlite::version_number() < OLDEST_SQLITE {
        let reason = format!("SQLite {} is too old: 3.51.3 is needed", rusqlite::version());
        return Err(rusqlite::Error::ToSqlConversionFailure(reason.into()));
    }
    connection.busy_timeout(BUSY_TIMEOUT)?;
    deadline::interrupt_queries(connection)?;
    connection.set_prepared_statement_cache_capacity(CACHED_STATEMENTS);
    // Without this, SQLite recompiles a cached statement whenever a parameter changes: 8 µs instead of
    // 0.8.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    // Our files have neither triggers nor views. In a file from elsewhere they could change every row, or never end.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    Ok(())
}

fn migrate(connection: &mut Connection, migrations: &[&str], path: &Path) -> Result<()> {
    // Checked before locking, so that opening an up-to-date file never waits for a writer.
    if version_of(connection)? == migrations.len() {
        return Ok(());
    }
    let tx = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    let done = version_of(&tx)?;
    let Some(missing) = migrations.get(done..) else {
        return Err(too_new(path, done, migrations.len()));
    };
    for (step, migration) in (done + 1..).zip(missing) {
        tx.execute_batch(migration).map_err(|err| {
            // The full error would repeat the whole SQL.
            let reason = match err {
                rusqlite::Error::SqlInputError { msg, .. } => msg,
                err => err.to_string(),
            };
            Error::storage(
                format!("{} cannot be migrated to version {step}", path.display()),
                reason,
            )
        })?;
    }
    tx.pragma_update(None, "user_version", migrations.len().to_string())?;
    tx.commit()?;
    Ok(())
}

pub(crate) fn version_of(connection: &Connection) -> rusqlite::Result<usize> {
    let version: u32 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    Ok(version as usize)
}

/// A kind of database file.
pub(crate) struct Schema {
    /// The kind of file, for messages: `an accounts file`.
    pub(crate) what: &'static str,
    /// The application id in SQLite's header, which tells our files from other databases.
    pub(crate) application_id: i32,
    /// In order. A released migration never changes.
    pub(crate) migrations: &'static [&'static str],
    /// How many of the first migrations did not set the application id yet.
    pub(crate) unmarked: usize,
    /// A table that those migrations create.
    pub(crate) table: &'static str,
    /// Advice for a file that is not ours.
    pub(crate) remedy: &'static str,
    /// Who may read the file.
    pub(crate) audience: Audience,
}

/// Who may read a new file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Audience {
    /// Its owner only.
    Owner,
    /// The users that the system allows by default.
    Default,
}

/// Tables that SQLite makes by itself.
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

/// Objects of a file that the migrations do not make, or make otherwise: a sentence for each.
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

/// How long to wait for readers of an older state. The snapshots of requests are shorter.
const MAX_WAIT: Duration = Duration::from_millis(250);

/// Whether the log of a database is worth shortening.
pub(crate) fn has_large_log(path: &Path) -> bool {
    fs::metadata(companion_path(path, "-wal")).is_ok_and(|log| log.len() >= LOG_SIZE_LIMIT.into())
}

/// Truncates the log. While another connection reads from it or writes to it, it stays, and a later call may succeed.
pub(crate) fn shrink_log(path: &Path) -> Result<()> {
    let shrunk = attach(path).and_then(|connection| {
        connection.busy_timeout(MAX_WAIT)?;
        connection.pragma(None, "wal_checkpoint", "TRUNCATE", |_| Ok(()))
    });
    match shrunk.map_err(Error::from) {
        Err(Error::Busy(_)) => Ok(()),
        outcome => outcome,
    }
}

/// A table or index that a file should have.
pub(crate) struct SchemaObject {
    pub(crate) name: String,
    /// The statement that creates it.
    pub(crate) sql: String,
}

/// The error that this is for the file at `path`: a statement also fails if the file has lost its tables, as one that was
/// emptied has.
pub(crate) fn error_of_file(path: &Path, schema: &Schema, err: Error) -> Error {
    err.unless_whole(|| {
        let missing =
            attach(path).map_err(Error::from).and_then(|file| missing_objects(&file, schema));
        missing.is_ok_and(|missing| missing.is_empty())
    })
}

/// The tables and indexes that migrations create and this file does not have.
pub(crate) fn missing_objects(
    connection: &Connection,
    schema: &Schema,
) -> Result<Vec<SchemaObject>> {
    const ALL: &str = "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL";
    const FIND: &str = "SELECT 1 FROM main.sqlite_master WHERE name = ?1";
    let whole = Connection::open_in_memory()?;
    schema.migrations.iter().try_for_each(|migration| whole.execute_batch(migration))?;
    let mut objects = whole.prepare(ALL)?;
    let objects =
        objects.query_map([], |row| Ok(SchemaObject { name: row.get(0)?, sql: row.get(1)? }))?;
    let mut find = connection.prepare(FIND)?;
    let mut missing = Vec::new();
    for object in objects {
        let object = object?;
        if !find.exists([&object.name])? {
            missing.push(object);
        }
    }
    Ok(missing)
}

#[cfg(test)]
mod schema_comparison_tests {
    use crate::accounts::sqlite_store;

    use super::*;

    #[test]
    fn finds_what_the_migrations_do_not_make() {
        for schema in [&sqlite_store::SCHEMA, &crate::store::CATALOGUE_SCHEMA] {
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join("file.db");
            drop(open(&path, schema).unwrap());
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
