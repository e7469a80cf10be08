//! The changes that a delta goes through: a few in memory, many in a file, because a slow reader keeps them for long.
use std::{
    fs::File,
    io::{self, BufReader, Read, Seek, Write},
    path::Path,
};

use crate::error::{Error, Result};

/// The key of a row and its kind of change, in eight bytes: an import may change a million rows. They sort by key.
pub(super) type PackedChange = u64;

/// How many are kept in memory.
const MOST_IN_MEMORY: usize = 32 * 1024;

/// Changes in order, read once.
#[derive(Debug)]
pub(super) struct ChangeList {
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
    pub(super) fn new(changes: Vec<PackedChange>, directory: &Path) -> ChangeList {
        let total = changes.len() as u64;
        let file = (changes.len() > MOST_IN_MEMORY).then(|| write(&changes, directory).ok());
        let changes = match file.flatten() {
            Some(file) => Changes::File(BufReader::new(file)),
            None => Changes::Memory(changes),
        };
        ChangeList { total, read: 0, changes }
    }

    #[cfg(test)]
    pub(super) fn total(&self) -> u64 {
        self.total
    }

    pub(super) fn has_more(&self) -> bool {
        self.read < self.total
    }

    /// The next changes, at most `limit`.
    pub(super) fn next(&mut self, limit: usize) -> Result<Vec<PackedChange>> {
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
mod tests {
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
