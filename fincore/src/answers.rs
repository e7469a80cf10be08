//! What queries give back besides rows: how long the whole list is, and where the data comes from.
use std::{borrow::Cow, ops::Deref};

use serde::Serialize;

use crate::error::Result;

/// The licence under which the central bank and CVM publish their data.
pub(crate) const LICENCE: &str = "ODbL-1.0";

/// Where an answer comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Meta {
    /// Who published the data, under which name: `BCB SGS 432`.
    pub source: Cow<'static, str>,
    /// The licence of the data, by its SPDX name.
    pub licence: &'static str,
    /// What the numbers mean.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<&'static str>,
    /// The source of figures that were computed by this library rather than published.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub computed_from: Option<&'static str>,
}

impl Meta {
    /// Data that is not figures of one unit.
    pub(crate) fn of(source: &'static str) -> Meta {
        Meta { source: source.into(), licence: LICENCE, unit: None, computed_from: None }
    }
}

/// One part of a list, and how long the whole list is.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Page<T> {
    /// The rows of this part.
    pub data: Vec<T>,
    /// The number of rows in the whole list.
    pub total: u64,
    /// The most rows that this part may hold.
    pub limit: u32,
    /// The number of rows before this part.
    pub offset: u64,
    /// Where the rows come from.
    pub meta: Meta,
}

impl<T> Page<T> {
    /// A part of a list of `total` rows. `rows` is only called where the list reaches as far as
    /// `offset`: nothing beyond the end is ever walked.
    pub(crate) fn read(
        total: u64,
        (limit, offset): (u32, u64),
        meta: Meta,
        rows: impl FnOnce() -> Result<Vec<T>>,
    ) -> Result<Page<T>> {
        let data = if offset < total { rows()? } else { Vec::new() };
        Ok(Page { data, total, limit, offset, meta })
    }

    /// The list `all` itself, cut to the part that is wanted.
    pub(crate) fn cut(mut all: Vec<T>, (limit, offset): (u32, u64), meta: Meta) -> Page<T> {
        let total = all.len() as u64;
        all.drain(..usize::try_from(offset).unwrap_or(usize::MAX).min(all.len()));
        all.truncate(limit as usize);
        Page { data: all, total, limit, offset, meta }
    }
}

/// A single answer, and where it comes from. It dereferences to the answer.
///
/// ```
/// # let dir = tempfile::tempdir().unwrap();
/// # let catalogue = fincore::Catalogue::open(dir.path().join("catalogue.db"))?;
/// # fincore::bundle::fill(&catalogue)?;
/// let snapshot = catalogue.snapshot("2026-10-05".parse()?)?;
/// let selic = fincore::market::selic_current(&snapshot)?;
/// assert_eq!(selic.value.to_string(), "13.75");
/// assert_eq!(selic.meta.source, "BCB SGS 432");
/// # Ok::<(), fincore::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Sourced<T> {
    /// The answer.
    #[serde(flatten)]
    pub answer: T,
    /// Where it comes from.
    pub meta: Meta,
}

impl<T> Sourced<T> {
    pub(crate) fn new(answer: T, meta: Meta) -> Sourced<T> {
        Sourced { answer, meta }
    }
}

impl<T> Deref for Sourced<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.answer
    }
}
