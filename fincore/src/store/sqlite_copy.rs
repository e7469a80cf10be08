//! Copies a database while it is in use.
use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use rusqlite::{
    Connection,
    backup::{Backup, StepResult},
};

use crate::{
    store::{
        Schema,
        sqlite_check::quick_check,
        sqlite_file::{attach, foreign_objects, open_error, owner_only},
    },
    values::{Error, Result},
};

/// How many pages are copied between two reports: 16 MiB.
const PAGES_A_STEP: i32 = 4096;

/// How far a copy is, in pages.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CopyProgress {
    pub(crate) pages: u64,
    pub(crate) of: u64,
}

/// Writes a copy of the database at `source` to a new file, private and without a log beside it, and checks it. The copy
/// is of one moment, even if the source is written meanwhile. It gets its name when it is complete.
pub(crate) fn copy(
    source: &Path,
    target: &Path,
    schema: &Schema,
    progress: impl FnMut(CopyProgress),
) -> Result<()> {
    if target.exists() {
        return Err(Error::operation(format!("{} exists already", target.display())));
    }
    let mut name = target.as_os_str().to_owned();
    name.push(".part");
    let part = PathBuf::from(name);
    // A new file, so that nothing existing is overwritten or removed.
    owner_only()
        .write(true)
        .create_new(true)
        .open(&part)
        .map_err(|err| Error::storage(format!("cannot create {}", part.display()), err))?;
    let done = copy_into(source, &part, schema, progress).and_then(|problems| {
        if problems.is_empty() {
            let cannot = |err| Error::storage(format!("cannot write {}", target.display()), err);
            return fs::rename(&part, target).map_err(cannot);
        }
        let (source, what) = (source.display(), problems.join("; "));
        Err(Error::unavailable(format!("{source} is damaged ({what})"), schema.remedy))
    });
    if done.is_err() {
        // A partial copy is useless; the error says why it failed.
        let _ = fs::remove_file(&part);
    }
    done
}

/// Writes a copy without free pages to a new file, with its rows in the order of their keys, without a log beside it, and
/// checks it. The copy is of one moment, even if the source is written meanwhile.
pub(crate) fn compact(source: &Path, target: &Path, schema: &Schema) -> Result<()> {
    if target.exists() {
        return Err(Error::operation(format!("{} exists already", target.display())));
    }
    let done = compact_into(source, target, schema);
    if done.is_err() {
        // A partial copy is useless; the error says why it failed.
        let _ = fs::remove_file(target);
    }
    done
}

fn compact_into(source: &Path, target: &Path, schema: &Schema) -> Result<()> {
    let cannot = |err| Error::database(format!("cannot write {}", target.display()), err);
    let name = target
        .to_str()
        .ok_or_else(|| Error::operation(format!("{} is not a name in UTF-8", target.display())))?;
    let from = attach(source).map_err(|err| open_error(source, schema, err))?;
    from.execute("VACUUM INTO ?1", [name]).map_err(cannot)?;
    let copy = attach(target).map_err(cannot)?;
    copy.pragma_update(None, "journal_mode", "delete").map_err(cannot)?;
    let mut problems = quick_check(&copy)?;
    problems.extend(foreign_objects(&copy, schema)?);
    if problems.is_empty() {
        return Ok(());
    }
    let (source, what) = (source.display(), problems.join("; "));
    Err(Error::unavailable(format!("{source} is damaged ({what})"), schema.remedy))
}

/// Copies into an empty file. Returns what is wrong with the copy.
fn copy_into(
    source: &Path,
    part: &Path,
    schema: &Schema,
    mut progress: impl FnMut(CopyProgress),
) -> Result<Vec<String>> {
    let from = attach(source).map_err(|err| open_error(source, schema, err))?;
    // One transaction for all steps: otherwise each commit of another program would make it begin again.
    from.execute_batch("BEGIN; SELECT COUNT(*) FROM sqlite_master;")?;
    let mut copy = Connection::open(part)?;
    {
        let backup = Backup::new(&from, &mut copy)?;
        loop {
            let step = backup.step(PAGES_A_STEP)?;
            let done = backup.progress();
            let number = |pages: i32| u64::from(pages.unsigned_abs());
            let (of, left) = (number(done.pagecount), number(done.remaining));
            progress(CopyProgress { pages: of.saturating_sub(left), of });
            match step {
                StepResult::Done => break,
                StepResult::More => (),
                // No other connection uses the copy, and the source is read in a transaction: the lock is short.
                _ => std::thread::sleep(Duration::from_millis(10)),
            }
        }
    }
    // A single file, without a write-ahead log beside it.
    copy.pragma_update(None, "journal_mode", "delete")?;
    let mut problems = quick_check(&copy)?;
    problems.extend(foreign_objects(&copy, schema)?);
    Ok(problems)
}
