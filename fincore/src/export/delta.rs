//! What changed after a data version: the net of all that the change log has, and of the days that have passed.
use super::source::{Source, Visit};
use crate::{
    catalogue::{Change, Snapshot},
    changes,
    error::{Error, Result},
    table::Cell,
    types::Date,
};

/// The rows that changed, in order, each with what happened to it.
#[derive(Debug)]
pub(super) struct Delta {
    source: Box<dyn Source>,
    changes: Vec<Packed>,
    /// The number of rows that were read.
    read: usize,
}

/// A key and what happened to its row, in eight bytes: an import may change a million rows. They sort by key.
type Packed = u64;

const CHANGE_BITS: u32 = 2;

fn pack(key: u64, change: Change) -> Packed {
    let code = match change {
        Change::Added => 0,
        Change::Changed => 1,
        Change::Removed => 2,
    };
    key << CHANGE_BITS | code
}

fn key_of(packed: Packed) -> u64 {
    packed >> CHANGE_BITS
}

fn change_of(packed: Packed) -> Change {
    match packed & 3 {
        0 => Change::Added,
        1 => Change::Changed,
        _ => Change::Removed,
    }
}

impl Delta {
    /// Finds what changed after `since`. Fails if the log does not reach back, or if there is no such version yet.
    pub(super) fn collect(
        snapshot: &Snapshot,
        source: Box<dyn Source>,
        since: u64,
        version: u64,
    ) -> Result<Delta> {
        if since > version {
            return Err(Error::Invalid(format!(
                "there is no data version {since} yet: the newest one is {version}"
            )));
        }
        let mut changes = net(logged(snapshot, source.as_ref(), since)?);
        let day = day_of(snapshot, since)?;
        let today = snapshot.today();
        // What was hidden on that day may have become visible without any change. It is added, whatever happened to
        // it; and those who read that version on a later day may have it, so what was removed is told as well.
        changes.retain(|packed| match source.day(key_of(*packed)) {
            Some(date) if date > today => false,
            Some(date) if date > day => change_of(*packed) == Change::Removed,
            Some(_) | None => true,
        });
        let shown = source.shown_after(snapshot, day)?;
        changes.extend(shown.into_iter().map(|key| pack(key, Change::Added)));
        changes.sort_unstable();
        changes.dedup_by_key(|packed| key_of(*packed));
        if snapshot.has_unreadable() {
            changes = readable(snapshot, source.as_ref(), changes)?;
        }
        Ok(Delta { source, changes, read: 0 })
    }

    pub(super) fn total(&self) -> u64 {
        self.changes.len() as u64
    }

    /// Visits the next rows, at most so many, with what happened as their first cell; `false` if there are no more.
    pub(super) fn part(
        &mut self,
        snapshot: &Snapshot,
        limit: usize,
        visit: Visit<'_>,
    ) -> Result<bool> {
        for packed in self.changes.iter().skip(self.read).take(limit) {
            let (key, change) = (key_of(*packed), change_of(*packed));
            match change {
                Change::Added => self.found(snapshot, key, "added", visit)?,
                Change::Changed => self.found(snapshot, key, "changed", visit)?,
                Change::Removed => visit(&after("removed", &self.source.removed(key)))?,
            }
        }
        self.read = self.changes.len().min(self.read + limit);
        Ok(self.read < self.changes.len())
    }

    fn found(
        &self,
        snapshot: &Snapshot,
        key: u64,
        change: &'static str,
        visit: Visit<'_>,
    ) -> Result<()> {
        self.source.find(snapshot, key, &mut |cells| visit(&after(change, cells))).map(drop)
    }
}

/// A row after the cell that says what happened to it.
fn after<'r>(change: &'static str, cells: &[Cell<'r>]) -> Vec<Cell<'r>> {
    [&[Cell::from(change)], cells].concat()
}

/// Every change after a version, oldest first.
fn logged(snapshot: &Snapshot, source: &dyn Source, since: u64) -> Result<Vec<Packed>> {
    let mut changes = Vec::new();
    let dataset = source.logged_as();
    let key = |dataset: &str, key: &str| source.key(dataset, key);
    changes::keys_since(snapshot, since, dataset.as_deref(), key, |key, change| {
        changes.push(pack(key, change));
    })?;
    Ok(changes)
}

/// One change for each key: the first one says whether the row was there before, the last one whether it is now.
fn net(mut changes: Vec<Packed>) -> Vec<Packed> {
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
    Ok(changes::made_at(snapshot, version)?.map_or(Date::MIN, Date::in_brasilia))
}

/// What remains if rows that cannot be read count as missing.
fn readable(snapshot: &Snapshot, source: &dyn Source, changes: Vec<Packed>) -> Result<Vec<Packed>> {
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
