//! The data that comes with the library, compressed into it.
//!
//! [`fill`] copies it into a [`Catalogue`] on first use: interest rates, price indexes, exchange rates, the
//! companies in CVM's registry with their tickers, about 84,000 filings, and the statements of comprehensive income of five
//! years. [`fill_with`] reports each [`FillStep`], for a
//! progress bar. [`write_tables`] is how the bundle itself is made.
//!
//! ```
//! # let dir = tempfile::tempdir().unwrap();
//! let catalogue = fincore::Catalogue::open(dir.path().join("catalogue.db"))?;
//! let mut tables = Vec::new();
//! fincore::bundle::fill_with(&catalogue, |step| tables.push(step.table))?;
//! assert!(tables.contains(&"selic.csv"));
//! # Ok::<(), fincore::Error>(())
//! ```
use std::{
    env,
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    process,
    time::{Duration, SystemTime},
};

use chrono::{DateTime, TimeDelta, Utc};

use crate::{
    filings::Filings,
    import::bundle::{self, statements::BundledStatements},
    store::{Catalogue, Snapshot, Tally, Writer},
    values::{Date, Error, Result},
};

pub(crate) mod market;
pub(crate) mod registry;
pub(crate) mod statements;

include!(concat!(env!("OUT_DIR"), "/bundle.rs"));

/// The metadata entry with the id of the bundle that a catalogue has.
const META_ENTRY: &str = "bundle";

/// The day on which the bundled data was gathered, 2026-10-05, in days since 1970.
const GATHERED_ON: i64 = 20_731;

/// The id of the bundled data, which changes with the data.
#[must_use]
pub fn id() -> &'static str {
    ID
}

/// The progress of [`fill_with`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FillStep {
    /// The table to be stored next.
    pub table: &'static str,
    /// The number of tables stored so far.
    pub done: usize,
    /// The number of tables in total.
    pub tables: usize,
}

/// Copies the bundled data into a catalogue that does not have it yet. Returns whether it did.
///
/// If the catalogue already has it, this costs one look-up. All of it becomes visible at once. Stored
/// figures are kept, because an import may have brought newer ones; but of those that an older bundle
/// brought, the few that their publisher has corrected since are replaced, and become revisions.
///
/// ```
/// # let dir = tempfile::tempdir().unwrap();
/// let catalogue = fincore::Catalogue::open(dir.path().join("catalogue.db"))?;
/// assert!(fincore::bundle::fill(&catalogue)?);
/// assert!(!fincore::bundle::fill(&catalogue)?);
/// # Ok::<(), fincore::Error>(())
/// ```
pub fn fill(catalogue: &Catalogue) -> Result<bool> {
    fill_with(catalogue, |_| ())
}

/// Fills, and calls `progress` before each table. The first fill takes seconds.
pub fn fill_with(catalogue: &Catalogue, progress: impl FnMut(FillStep)) -> Result<bool> {
    fill_tables(catalogue, |_| true, progress)
}

fn fill_tables(
    catalogue: &Catalogue,
    is_wanted: impl Fn(&str) -> bool,
    progress: impl FnMut(FillStep),
) -> Result<bool> {
    if catalogue.snapshot(Date::MAX)?.meta(META_ENTRY)?.as_deref() == Some(ID) {
        return Ok(false);
    }
    let mut writer = catalogue.write(gathered_at())?.without_log();
    // Another program may have been faster while this one waited for the lock.
    if writer.meta(META_ENTRY)?.as_deref() == Some(ID) {
        return Ok(false);
    }
    store_tables(&writer, is_wanted, progress)?;
    writer.note(META_ENTRY, ID.as_bytes());
    writer.commit()?;
    Ok(true)
}

/// Adds the bundled rows that are missing in a catalogue that was filled before. Returns their number.
pub(crate) fn refill(writer: &Writer) -> Result<usize> {
    match writer.meta(META_ENTRY)? {
        Some(_) => Ok(store_tables(writer, |_| true, |_| ())?.new),
        None => Ok(0),
    }
}

/// The market's tables alone, for tests of figures: filings and statements take seconds.
#[cfg(test)]
pub(crate) fn fill_market(catalogue: &Catalogue) -> Result<bool> {
    fill_tables(catalogue, |name| name.ends_with(".csv"), |_| ())
}

fn store_tables(
    writer: &Writer,
    is_wanted: impl Fn(&str) -> bool,
    mut progress: impl FnMut(FillStep),
) -> Result<Tally> {
    let mut stores = Stores::default();
    let mut tally = Tally::default();
    for (done, (name, packed)) in TABLES.iter().enumerate() {
        if !is_wanted(name) {
            continue;
        }
        progress(FillStep { table: name, done, tables: TABLES.len() });
        tally += stores.store_table(writer, name, &unpack(name, packed)?)?;
    }
    stores.finish(writer)?;
    writer.set_meta(META_ENTRY, ID)?;
    Ok(tally)
}

fn unpack(name: &str, packed: &[u8]) -> Result<String> {
    let damaged = |err: Box<dyn std::error::Error + Send + Sync>| {
        Error::storage(format!("the bundled {name} is damaged"), err)
    };
    let table = zstd::stream::decode_all(packed).map_err(|err| damaged(err.into()))?;
    String::from_utf8(table).map_err(|err| damaged(err.into()))
}

/// When the bundled data was gathered, which is the time of its changes, whenever it is stored.
fn gathered_at() -> DateTime<Utc> {
    DateTime::UNIX_EPOCH + TimeDelta::days(GATHERED_ON)
}

/// Rows collected from all tables of one fill.
#[derive(Default)]
struct Stores {
    filings: Filings,
    statements: BundledStatements,
}

impl Stores {
    fn store_table(&mut self, writer: &Writer, name: &str, table: &str) -> Result<Tally> {
        if let Some(tally) = bundle::market::store_table(writer, name, table)? {
            Ok(tally)
        } else if name == registry::COMPANIES {
            registry::store_companies(writer, table)
        } else if name == registry::TICKERS {
            registry::store_tickers(writer, table)
        } else if name.starts_with(registry::FILINGS) {
            registry::store_filings(writer, &mut self.filings, name, table)
        } else if let Some(tally) = self.statements.store_table(writer, name, table)? {
            Ok(tally)
        } else {
            Err(Error::storage(format!("the bundled {name}"), "unknown table"))
        }
    }

    fn finish(mut self, writer: &Writer) -> Result<()> {
        self.filings.take_extents().record_bundled(writer)?;
        self.filings.finish(writer)?;
        self.statements.finish(writer)
    }
}

/// Writes the tables of a bundle into `dir`, from the data of a snapshot.
///
/// Fails if a file cannot be written.
pub fn write_tables(snapshot: &Snapshot, dir: &Path) -> Result<()> {
    let write = |name: &str, table: String| {
        let path = dir.join(name);
        fs::write(&path, table)
            .map_err(|err| Error::storage(format!("cannot write {}", path.display()), err))
    };
    let bundled = |wanted: &str| {
        let table = TABLES.iter().find(|(name, _)| *name == wanted);
        table.map_or(Ok(String::new()), |(name, packed)| unpack(name, packed))
    };
    let (carried, corrected) =
        (bundled(bundle::market::CARRIED)?, bundled(bundle::market::CORRECTED)?);
    for (name, table) in bundle::market::tables(snapshot, &carried, corrected)? {
        write(name, table)?;
    }
    write(registry::COMPANIES, registry::companies_table(snapshot)?)?;
    write(registry::TICKERS, registry::tickers_table(snapshot)?)?;
    let filings = registry::filings_tables(snapshot)?;
    for (name, table) in filings.into_iter().chain(statements::tables(snapshot)?) {
        write(&name, table)?;
    }
    Ok(())
}

/// The prefix of the directories, one for each program that was built.
const PREFIX: &str = "bundled-";

const FILE: &str = "catalogue.db";

/// The lock that is held while a directory is filled.
const FILLING: &str = "finserve-filling.lock";

/// How long the directory of another program stays.
const KEEP: Duration = Duration::from_secs(24 * 60 * 60);

/// A catalogue with the bundled data in this directory.
pub fn filled_copy(directory: &Path) -> Result<Catalogue> {
    let copied = stored().and_then(|stored| copy(&stored, directory));
    copied.map_err(|err| Error::storage("the bundled data cannot be copied".to_owned(), err))?;
    Catalogue::open(directory.join(FILE))
}

/// Copies the file, and the write-ahead log that may be left beside it.
fn copy(stored: &Path, directory: &Path) -> io::Result<()> {
    fs::copy(stored.join(FILE), directory.join(FILE))?;
    let log = "catalogue.db-wal";
    if stored.join(log).exists() {
        fs::copy(stored.join(log), directory.join(log))?;
    }
    Ok(())
}

/// The directory that is copied.
fn stored() -> io::Result<PathBuf> {
    let program = env::current_exe()?;
    let built = fs::metadata(&program)?.modified()?.duration_since(SystemTime::UNIX_EPOCH);
    let name = program.file_stem().unwrap_or_default().to_string_lossy();
    // A program that was built anew may fill a catalogue in another way.
    let name = format!("{PREFIX}{name}-{}", built.unwrap_or_default().as_nanos());
    let parent = parent(&program);
    let whole = parent.join(name);
    fs::create_dir_all(&parent)?;
    // One thread of one process fills it, and the others wait, unless the lock is another user's.
    let filling = File::create(parent.join(FILLING)).and_then(|file| file.lock().map(|()| file));
    if whole.exists() {
        return Ok(whole);
    }
    remove_old(&parent);
    let part = parent.join(format!("{PREFIX}part-{}", process::id()));
    fs::create_dir(&part)?;
    let catalogue = Catalogue::open(part.join(FILE)).map_err(io::Error::other)?;
    fill(&catalogue).map_err(io::Error::other)?;
    drop(catalogue);
    let named = fs::rename(&part, &whole);
    drop(filling);
    named.map(|()| whole)
}

/// Where the directories are: `target/tmp` for what Cargo built there, the system's own for the programs of examples.
fn parent(program: &Path) -> PathBuf {
    let of_cargo = program.parent().filter(|folder| folder.ends_with("deps"));
    let target = of_cargo.and_then(Path::parent).and_then(Path::parent);
    target.map_or_else(env::temp_dir, |target| target.join("tmp"))
}

fn remove_old(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let is_ours = entry.file_name().to_string_lossy().starts_with(PREFIX);
        let modified = entry.metadata().and_then(|found| found.modified());
        let age = modified.ok().and_then(|modified| modified.elapsed().ok());
        if is_ours && age.is_some_and(|age| age > KEEP) {
            // It stays if it cannot be removed.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::market;
    use crate::market::queries;
    use crate::market::rows;

    use super::*;
    use crate::store::catalogue::temporary as catalogue;

    #[test]
    fn fills_a_new_catalogue_once() {
        let (_dir, catalogue) = catalogue();
        assert!(fill(&catalogue).unwrap());
        assert!(!fill(&catalogue).unwrap());
        let snapshot = catalogue.snapshot(Date::MAX).unwrap();
        assert_eq!(snapshot.version().unwrap(), 1);
        assert!(market::overview(&snapshot).is_ok());
    }

    #[test]
    fn the_bundle_of_another_program_leaves_imported_figures() {
        let (_dir, catalogue) = catalogue();
        fill_market(&catalogue).unwrap();
        let mut import =
            crate::import::Import::begin(&catalogue, crate::store::catalogue::noon()).unwrap();
        import.file("bcdata.sgs.433.json", br#"[{"data":"01/08/2026","valor":"9.99"}]"#).unwrap();
        import.commit().unwrap();
        let writer = catalogue.write(crate::store::catalogue::noon()).unwrap();
        writer.set_meta(META_ENTRY, "that of an older program").unwrap();
        writer.commit().unwrap();
        assert!(fill_market(&catalogue).unwrap());
        let ipca = market::ipca_current(&catalogue.snapshot(Date::MAX).unwrap()).unwrap();
        assert_eq!(ipca.value.to_string(), "9.99");
    }

    #[test]
    fn the_bundle_of_a_newer_program_adds_and_removes_nothing() {
        const SIDE: &str =
            "INSERT INTO fx (currency, date, sell) VALUES ('EUR', '2025-04-22', '6.6')";
        let (_dir, catalogue) = catalogue();
        let older = catalogue.write(crate::store::catalogue::noon()).unwrap();
        for (name, table) in [
            ("selic.csv", "date,value\n1999-03-01,44.00\n"),
            ("series.csv", "series,date,value\n189,2026-05-01,9.99\n987654,2026-05-01,7\n"),
        ] {
            Stores::default().store_table(&older, name, table).unwrap();
        }
        older.prepare(SIDE).unwrap().execute([]).unwrap();
        older.commit().unwrap();
        assert!(fill_market(&catalogue).unwrap());
        let snapshot = catalogue.snapshot(Date::MAX).unwrap();
        let oldest_and_newest = |number| {
            let rows = market::all(&snapshot, number).unwrap();
            let text = |row: &market::Rate| format!("{} {}", row.date, row.value);
            (text(rows.last().unwrap()), text(&rows[0]), rows.len())
        };
        let want = ("1999-03-01 44.00".into(), "2026-11-04 13.75".into(), 10_108);
        assert_eq!(oldest_and_newest(432), want);
        let want = ("2010-01-01 0.63".into(), "2026-05-01 9.99".into(), 197);
        assert_eq!(oldest_and_newest(189), want);
        assert_eq!(oldest_and_newest(987_654).2, 1);
        // The bundled buying price joins the selling price that was there.
        let query = queries::FxHistory {
            pair: "EURBRL".parse().unwrap(),
            to: Some("2025-04-22".parse().unwrap()),
            ..Default::default()
        };
        let euro = market::fx(&snapshot, query).unwrap().data[0].clone();
        assert_eq!(
            (euro.date.to_string(), euro.sell.to_string()),
            ("2025-04-22".into(), "6.6".into())
        );
    }

    #[test]
    fn days_that_carry_a_figure_say_so_even_if_an_older_program_stored_them() {
        const FORGET: &str = "UPDATE rate SET computed = 0 WHERE computed = 2";
        let (_dir, catalogue) = catalogue();
        fill_market(&catalogue).unwrap();
        let refill = |forget: &str| {
            let writer = catalogue.write(gathered_at()).unwrap();
            writer.connection().execute_batch(forget).unwrap();
            writer.set_meta(META_ENTRY, "that of an older program").unwrap();
            writer.commit().unwrap();
            assert!(fill_market(&catalogue).unwrap());
        };
        let carried = || {
            let query =
                queries::History { limit: crate::values::page::Limit::MAX, ..Default::default() };
            let page = market::selic(&catalogue.snapshot(Date::MAX).unwrap(), query).unwrap();
            let rows = page.data.iter().filter(|rate| rate.origin == rows::Origin::Carried);
            assert_eq!(rows.count() as u64, page.meta.carried);
            (page.meta.carried, page.data.len())
        };
        assert_eq!(carried(), (31, 10_000));
        refill(FORGET);
        assert_eq!(carried(), (31, 10_000));
        // A published figure takes the place of one, and no bundle marks days again after an import.
        let mut import =
            crate::import::Import::begin(&catalogue, crate::store::catalogue::noon()).unwrap();
        import.file("bcdata.sgs.432.json", br#"[{"data":"06/10/2026","valor":"13.75"}]"#).unwrap();
        import.commit().unwrap();
        assert_eq!(carried().0, 30);
        refill(FORGET);
        assert_eq!(carried().0, 0);
    }

    #[test]
    fn a_registry_older_than_the_known_one_is_left_out() {
        let (_dir, catalogue) = catalogue();
        let table = |day: &str, name: &str| {
            let header = "id\tcnpj\tname\ttrade_name\tstatus\tstatus_since\tsector\tregistered_on\tcancelled_on";
            format!(
                "{header}\n9512\t33.000.167/0001-01\t{name}\t\tATIVO\t{day}\tPetróleo\t1977-07-20\t\n"
            )
        };
        let name_after = |table: &str| {
            let writer = catalogue.write(crate::store::catalogue::noon()).unwrap();
            Stores::default().store_table(&writer, registry::COMPANIES, table).unwrap();
            writer.commit().unwrap();
            let snapshot = catalogue.snapshot(Date::MAX).unwrap();
            crate::companies::find(&snapshot, "9512".parse().unwrap()).unwrap().answer.name
        };
        assert_eq!(name_after(&table("2025-01-01", "OLD")), "OLD");
        assert_eq!(name_after(&table("2026-01-01", "NEW")), "NEW");
        assert_eq!(name_after(&table("2025-06-01", "OLDER")), "NEW");
    }

    #[test]
    fn what_is_filled_in_is_written_out_again() {
        let dir = tempfile::tempdir().unwrap();
        let catalogue = filled_copy(dir.path()).unwrap();
        write_tables(&catalogue.snapshot(Date::MAX).unwrap(), dir.path()).unwrap();
        let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("data");
        for (name, _) in TABLES {
            let (ours, bundled) = (fs::read(dir.path().join(name)), fs::read(data.join(name)));
            assert!(ours.unwrap() == bundled.unwrap(), "{name} differs");
        }
    }

    #[test]
    fn refuses_a_damaged_table_with_its_line() {
        let (_dir, catalogue) = catalogue();
        let store = |name, table| {
            let writer = catalogue.write(crate::store::catalogue::noon()).unwrap();
            Stores::default().store_table(&writer, name, table).unwrap_err().to_string()
        };
        assert_eq!(
            store("ipca.csv", "data;valor\n"),
            "ipca.csv, line 1: the header is not date,value"
        );
        assert_eq!(
            store("ipca.csv", "date,value\n2024-01-01\n"),
            "ipca.csv, line 2: the fields are not date,value"
        );
        assert_eq!(
            store("series.csv", "series,date,value\n189,2024-01-01,1.0\nIGP-M,2024-01-01,1.0\n"),
            "series.csv, line 3: \"IGP-M\" is not a whole number"
        );
        let message = store("fx.csv", "currency,date,buy,sell\nUSD,2024-01-32,1.0,1.0\n");
        assert_eq!(message, "fx.csv, line 2: \"2024-01-32\" is not a date (YYYY-MM-DD)");
    }
}
