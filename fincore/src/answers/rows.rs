//! The rows of a page: read for it, or a slice of rows that are cached together with their JSON.
use std::{
    fmt,
    ops::{Deref, Range},
    sync::Arc,
};

use serde::{Serialize, Serializer};

use crate::values::{Error, Result};

/// The rows of a page. They are a slice in every respect; [`Rows::into_vec`] and `into_iter` take them out.
#[derive(Clone)]
pub struct Rows<T>(Inner<T>);

#[derive(Clone)]
enum Inner<T> {
    Read(Vec<T>),
    Slice(Arc<CachedRows<T>>, Range<usize>),
}

impl<T: Clone> Rows<T> {
    /// The rows as a vector.
    #[must_use]
    pub fn into_vec(self) -> Vec<T> {
        match self.0 {
            Inner::Read(rows) => rows,
            Inner::Slice(cached, range) => cached.rows[range].to_vec(),
        }
    }
}

impl<T> Rows<T> {
    /// The JSON of the rows, separated by commas, where it is in memory.
    pub(crate) fn json(&self) -> Option<&str> {
        match &self.0 {
            Inner::Read(_) => None,
            Inner::Slice(cached, range) => Some(cached.json(range)),
        }
    }
}

impl<T> Default for Rows<T> {
    fn default() -> Rows<T> {
        Rows(Inner::Read(Vec::new()))
    }
}

impl<T> From<Vec<T>> for Rows<T> {
    fn from(rows: Vec<T>) -> Rows<T> {
        Rows(Inner::Read(rows))
    }
}

impl<T> Deref for Rows<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match &self.0 {
            Inner::Read(rows) => rows,
            Inner::Slice(cached, range) => &cached.rows[range.clone()],
        }
    }
}

impl<T: Clone> IntoIterator for Rows<T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.into_vec().into_iter()
    }
}

impl<'r, T> IntoIterator for &'r Rows<T> {
    type Item = &'r T;
    type IntoIter = std::slice::Iter<'r, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<T: PartialEq, O: Deref<Target = [T]>> PartialEq<O> for Rows<T> {
    fn eq(&self, other: &O) -> bool {
        **self == **other
    }
}

impl<T: fmt::Debug> fmt::Debug for Rows<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl<T: Serialize> Serialize for Rows<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_seq(self)
    }
}

/// Rows that are cached in memory, with their JSON.
#[derive(Debug)]
pub(crate) struct CachedRows<T> {
    rows: Vec<T>,
    /// Each followed by a comma.
    json: String,
    /// Where the JSON of each row ends, with its comma.
    ends: Vec<usize>,
}

impl<T> Default for CachedRows<T> {
    fn default() -> CachedRows<T> {
        CachedRows { rows: Vec::new(), json: String::new(), ends: Vec::new() }
    }
}

impl<T: Serialize> CachedRows<T> {
    /// Adds a row, and returns how many bytes of memory that takes.
    pub(crate) fn push(&mut self, row: T) -> Result<usize> {
        let json = serde_json::to_string(&row)
            .map_err(|err| Error::storage("the row cannot be written as JSON", err))?;
        self.json.extend([json.as_str(), ","]);
        self.ends.push(self.json.len());
        self.rows.push(row);
        Ok(size_of::<T>() + size_of::<usize>() + json.len() + 1)
    }
}

impl<T> CachedRows<T> {
    /// All of them.
    pub(crate) fn all(&self) -> &[T] {
        &self.rows
    }

    fn json(&self, range: &Range<usize>) -> &str {
        let end = |row: usize| row.checked_sub(1).map_or(0, |last| self.ends[last]);
        let text = &self.json[end(range.start)..end(range.end)];
        text.strip_suffix(',').unwrap_or(text)
    }

    /// Some of them, for a page.
    pub(crate) fn slice(self: &Arc<Self>, range: Range<usize>) -> Rows<T> {
        Rows(Inner::Slice(self.clone(), range))
    }

    /// Gives back memory that is not needed.
    pub(crate) fn shrink(&mut self) {
        self.rows.shrink_to_fit();
        self.json.shrink_to_fit();
        self.ends.shrink_to_fit();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::{Meta, Page};

    #[test]
    fn a_part_is_written_like_the_rows_that_it_has() {
        let mut cached = CachedRows::default();
        for row in [(1, "á\"b"), (2, ""), (3, "c,")] {
            assert!(cached.push(row).unwrap() > 30);
        }
        cached.shrink();
        let cached = Arc::new(cached);
        for (from, to) in [(0, 0), (0, 3), (1, 2), (1, 3), (2, 3), (2, 2), (3, 3)] {
            let (part, read) =
                (cached.slice(from..to), Rows::from(cached.all()[from..to].to_vec()));
            assert_eq!(part, read);
            assert_eq!(format!("{part:?}"), format!("{read:?}"));
            let json = serde_json::to_string(&read).unwrap();
            assert_eq!(serde_json::to_string(&part).unwrap(), json);
            assert_eq!(part.json().map(|rows| format!("[{rows}]")), Some(json));
            assert_eq!(read.json(), None);
            for rows in [&part, &read] {
                let (data, meta) = (rows.clone(), Meta::new("a \"source\""));
                let page = Page { data, total: 3, limit: 2, offset: 1, meta };
                assert_eq!(page.to_json().unwrap(), serde_json::to_vec(&page).unwrap());
            }
            assert_eq!(part.into_vec(), read.into_iter().collect::<Vec<_>>());
        }
    }
}
