//! The rows that changed after a data version: the net effect of the change log, and of the days that have passed.
use std::{
    fs::File,
    io::{self, BufReader, Read, Seek, Write},
    path::Path,
    sync::Mutex,
};

use crate::{
    answers::Cell,
    publish::{RowSource, VisitRow},
    store::{Change, Snapshot, changes},
    values::{Date, Error, ExportFault, Result, lock},
};

/// The rows that changed, in order, each with the kind of change.
#[derive(Debug)]
pub(crate) struct Delta {
    source: Box<dyn RowSource>,
    changes: ChangeList,
    /// The number of rows.
    total: u64,
}

const CHANGE_BITS: u32 = 2;

fn pack(key: u64, change: Change) -> PackedChange {
    let code = match change {
        Change::Added => 0,
        Change::Changed => 1,
        Change::Removed => 2,
    };
    key << CHANGE_BITS | code
}

fn key_of(packed: PackedChange) -> u64 {
    packed >> CHANGE_BITS
}

fn change_of(packed: PackedChange) -> Change {
    match packed & 3 {
        0 => Change::Added,
        1 => Change::Changed,
        _ => Change::Removed,
    }
}

impl Delta {
    /// Finds the changes after `since`, for one export at a time, because sorting them takes memory. Fails if the log does
    /// not reach back, or if there is no such version yet.
    pub(crate) fn collect(
        snapshot: &Snapshot,
        source: Box<dyn RowSource>,
        since: u64,
        version: u64,
    ) -> Result<Delta> {
        if since > version {
            let fault = ExportFault::FutureVersion { version: since, newest: version };
            return Err(fault.into());
        }
        static COLLECTING: Mutex<()> = Mutex::new(());
        let _one_at_a_time = lock(&COLLECTING);
        changes::check_reaches_back(snapshot, since)?;
        let mut changes = net_changes(logged_changes(snapshot, source.as_ref(), since)?);
        let day = day_of(snapshot, since)?;
        let today = snapshot.today();
        // A row that was hidden on that day may have become visible without any change, so it counts as added, whatever the
        // log says. A client that exported that version on a later day may have the row, so its removal is included.
        changes.retain(|packed| match source.hidden_until(key_of(*packed)) {
            Some(date) if date > today => false,
            Some(date) if date > day => change_of(*packed) == Change::Removed,
            Some(_) | None => true,
        });
        let shown = source.keys_shown_after(snapshot, day)?;
        changes.extend(shown.into_iter().map(|key| pack(key, Change::Added)));
        changes.sort_unstable();
        changes.dedup_by_key(|packed| key_of(*packed));
        if snapshot.has_corrupt_values() {
            changes = without_unreadable(snapshot, source.as_ref(), changes)?;
        }
        let total = total(snapshot, source.as_ref(), &changes)?;
        Ok(Delta { source, changes: ChangeList::new(changes, snapshot.directory()), total })
    }

    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    /// Visits the next rows, at most `limit`, with the kind of change as their first cell; returns `false` if there are no
    /// more.
    pub(crate) fn next_rows(
        &mut self,
        snapshot: &Snapshot,
        limit: usize,
        visit: VisitRow<'_>,
    ) -> Result<bool> {
        for packed in self.changes.next(limit)? {
            let (key, change) = (key_of(packed), change_of(packed));
            match change {
                Change::Added => self.visit_found(snapshot, key, "added", visit)?,
                // Which of many rows changed is not known: they are removed together, then added.
                Change::Changed if self.source.rows_of_key(snapshot, key)?.is_some() => {
                    visit(&with_change("removed", &self.source.removed_row(key)))?;
                    self.visit_found(snapshot, key, "added", visit)?;
                }
                Change::Changed => self.visit_found(snapshot, key, "changed", visit)?,
                Change::Removed => visit(&with_change("removed", &self.source.removed_row(key)))?,
            }
        }
        Ok(self.changes.has_more())
    }

    fn visit_found(
        &self,
        snapshot: &Snapshot,
        key: u64,
        change: &'static str,
        visit: VisitRow<'_>,
    ) -> Result<()> {
        self.source.find(snapshot, key, &mut |cells| visit(&with_change(change, cells))).map(drop)
    }
}

/// The number of rows that changes make.
fn total(snapshot: &Snapshot, source: &dyn RowSource, changes: &[PackedChange]) -> Result<u64> {
    let mut total = 0;
    for packed in changes {
        let change = change_of(*packed);
        total += match source.rows_of_key(snapshot, key_of(*packed))? {
            None => 1,
            Some(_) if change == Change::Removed => 1,
            Some(rows) => rows + u64::from(change == Change::Changed),
        };
    }
    Ok(total)
}

/// A row with the kind of change as its first cell.
fn with_change<'r>(change: &'static str, cells: &[Cell<'r>]) -> Vec<Cell<'r>> {
    [&[Cell::from(change)], cells].concat()
}

/// Every change after a version, oldest first.
fn logged_changes(
    snapshot: &Snapshot,
    source: &dyn RowSource,
    since: u64,
) -> Result<Vec<PackedChange>> {
    let dataset = source.change_log_name();
    let key = |dataset: &str, key: &str| source.key(dataset, key);
    let changes = changes::kinds_after(snapshot, since, dataset.as_deref(), key)?;
    Ok(changes.into_iter().map(|(key, change)| pack(key, change)).collect())
}

/// One change for each key: the first one says whether the row was there before, the last one whether it is now.
fn net_changes(mut changes: Vec<PackedChange>) -> Vec<PackedChange> {
    // A stable sort: the changes of one key stay in their order.
    changes.sort_by_key(|packed| key_of(*packed));
    let mut net = 0;
    let mut next = 0;
    while next < changes.len() {
        let (first, key) = (change_of(changes[next]), key_of(changes[next]));
        while changes.get(next + 1).is_some_and(|packed| key_of(*packed) == key) {
            next += 1;
        }
        let (was_there, is_there) =
            (first != Change::Added, change_of(changes[next]) != Change::Removed);
        let change = match (was_there, is_there) {
            (false, true) => Some(Change::Added),
            (true, true) => Some(Change::Changed),
            (true, false) => Some(Change::Removed),
            (false, false) => None,
        };
        if let Some(change) = change {
            changes[net] = pack(key, change);
            net += 1;
        }
        next += 1;
    }
    changes.truncate(net);
    changes
}

/// The day in Brasília on which a version was made. Where that is not known any more, every day comes after it. Before
/// the first version there was nothing that could be hidden.
fn day_of(snapshot: &Snapshot, version: u64) -> Result<Date> {
    if version == 0 {
        return Ok(Date::MAX);
    }
    Ok(changes::time_of_version(snapshot, version)?.map_or(Date::MIN, Date::in_brasilia))
}

/// The changes if rows that cannot be read count as missing.
fn without_unreadable(
    snapshot: &Snapshot,
    source: &dyn RowSource,
    changes: Vec<PackedChange>,
) -> Result<Vec<PackedChange>> {
    let mut remaining = Vec::with_capacity(changes.len());
    for packed in changes {
        let (key, change) = (key_of(packed), change_of(packed));
        let is_there = change == Change::Removed || source.find(snapshot, key, &mut |_| Ok(()))?;
        match (change, is_there) {
            (_, true) => remaining.push(packed),
            (Change::Added, false) => (),
            (Change::Changed | Change::Removed, false) => {
                remaining.push(pack(key, Change::Removed));
            }
        }
    }
    Ok(remaining)
}

/// The key of a row and its kind of change, in eight bytes: an import may change a million rows. They sort by key.
pub(crate) type PackedChange = u64;

/// How many are kept in memory.
const MOST_IN_MEMORY: usize = 32 * 1024;

/// Changes in order, read once.
#[derive(Debug)]
pub(crate) struct ChangeList {
    total: u64,
    read: u64,
    changes: Changes,
}

#[derive(Debug)]
enum Changes {
    Memory(Vec<PackedChange>),
    /// Without a name, so that nothing is left of it after a crash.
    File(BufReader<File>),
}

impl ChangeList {
    /// Keeps changes; many of them in a file in this directory, if it can be written.
    pub(crate) fn new(changes: Vec<PackedChange>, directory: &Path) -> ChangeList {
        let total = changes.len() as u64;
        let file = (changes.len() > MOST_IN_MEMORY).then(|| write(&changes, directory).ok());
        let changes = match file.flatten() {
            Some(file) => Changes::File(BufReader::new(file)),
            None => Changes::Memory(changes),
        };
        ChangeList { total, read: 0, changes }
    }

    #[cfg(test)]
    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    fn has_more(&self) -> bool {
        self.read < self.total
    }

    /// The next changes, at most `limit`.
    pub(crate) fn next(&mut self, limit: usize) -> Result<Vec<PackedChange>> {
        let left = usize::try_from(self.total - self.read).unwrap_or(usize::MAX);
        let count = limit.min(left);
        let next = match &mut self.changes {
            Changes::Memory(changes) => {
                let start = usize::try_from(self.read).unwrap_or(usize::MAX);
                changes.iter().skip(start).take(count).copied().collect()
            }
            Changes::File(file) => {
                let mut bytes = vec![0; count * size_of::<PackedChange>()];
                file.read_exact(&mut bytes)
                    .map_err(|err| Error::storage("the changes cannot be read back", err))?;
                let (changes, _) = bytes.as_chunks();
                changes.iter().map(|bytes| PackedChange::from_le_bytes(*bytes)).collect()
            }
        };
        self.read += count as u64;
        Ok(next)
    }
}

fn write(changes: &[PackedChange], directory: &Path) -> io::Result<File> {
    let mut file = tempfile::tempfile_in(directory).or_else(|_| tempfile::tempfile())?;
    let mut writer = io::BufWriter::new(&mut file);
    for change in changes {
        writer.write_all(&change.to_le_bytes())?;
    }
    writer.flush()?;
    drop(writer);
    file.rewind()?;
    Ok(file)
}

#[cfg(test)]
mod change_list_tests {
    use super::*;

    #[test]
    fn many_come_back_from_a_file_as_few_do_from_memory() {
        let dir = tempfile::tempdir().unwrap();
        for (total, in_memory) in
            [(0, true), (7, true), (MOST_IN_MEMORY, true), (MOST_IN_MEMORY + 1, false)]
        {
            let changes: Vec<u64> = (0..total as u64).map(|number| number * 5).collect();
            let mut list = ChangeList::new(changes.clone(), dir.path());
            assert_eq!(matches!(list.changes, Changes::Memory(_)), in_memory, "{total}");
            assert_eq!(list.total(), total as u64);
            let mut read = Vec::new();
            while list.has_more() {
                read.extend(list.next(1000).unwrap());
            }
            assert_eq!(read, changes);
            assert!(list.next(10).unwrap().is_empty());
        }
        assert_eq!(dir.path().read_dir().unwrap().count(), 0);
        let nowhere = ChangeList::new(vec![1; MOST_IN_MEMORY + 1], Path::new("/nowhere"));
        assert_eq!(nowhere.total(), MOST_IN_MEMORY as u64 + 1);
    }
}
