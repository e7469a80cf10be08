//! Wrappers around query results: pages and sources.
use std::{borrow::Cow, collections::BTreeMap, ops::Deref};

use chrono::{DateTime, Utc};
use serde::Serialize;

use crate::{error::Result, types::Date};

mod hint;
mod rows;
mod span;
mod transformation;
pub use hint::Hint;
pub(crate) use rows::CachedRows;
pub use rows::Rows;
pub use span::Span;
pub use transformation::AppliedTransformation;

/// The licence of the data that the central bank and CVM publish.
pub(crate) const LICENCE: &str = "ODbL-1.0";

/// The source of a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Meta {
    /// Publisher and dataset: `BCB SGS 432`.
    pub source: Cow<'static, str>,
    /// The licence of the data, as an SPDX identifier.
    pub licence: &'static str,
    /// The unit of the figures.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<&'static str>,
    /// The dataset that figures were computed from, if this library computed any of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub computed_from: Option<Cow<'static, str>>,
    /// How many of the rows were computed; each of them says so in its `origin`.
    #[serde(skip_serializing_if = "is_zero")]
    pub computed: u64,
    /// How many of the rows carry the figure of the day before; each of them says so in its `origin`.
    #[serde(skip_serializing_if = "is_zero")]
    pub carried: u64,
    /// When rows of the dataset last changed here, if that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<DateTime<Utc>>,
    /// Whether the source should have published newer data by the snapshot's date. It is about the whole dataset,
    /// whichever part of it is queried.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stale: Option<bool>,
    /// The day at the end of which all this was known. Then nothing is told of its age.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub as_of: Option<Date>,
    /// Whether these are the first values that were published, not those that replaced them.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub first_release: bool,
    /// The days of delivery from which to which filings are complete, for each form that is held. Filings only.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub coverage: BTreeMap<&'static str, Span>,
    /// Whether nothing matches a search exactly, so that these are the nearest matches.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub fuzzy: bool,
    /// Words of a search that not all of the nearest matches have, in small letters and without accents.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dropped: Vec<String>,
    /// Words of a search that the nearest matches have in another spelling.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub corrected: Vec<CorrectedWords>,
    /// Words of a search that also found rows by words that are only linked to them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub linked: Vec<LinkedWords>,
    /// What was done to the observations, where the rows are not they themselves. Market data only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transformation: Option<Box<AppliedTransformation>>,
    /// Why there are no rows: a filter with a value that no row has, or days that are not held.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hints: Vec<Hint>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Meta {
    /// Metadata with a source only.
    pub(crate) fn new(source: impl Into<Cow<'static, str>>) -> Meta {
        Meta {
            source: source.into(),
            licence: LICENCE,
            unit: None,
            computed_from: None,
            computed: 0,
            carried: 0,
            updated_at: None,
            stale: None,
            as_of: None,
            first_release: false,
            coverage: BTreeMap::new(),
            fuzzy: false,
            dropped: Vec::new(),
            corrected: Vec::new(),
            linked: Vec::new(),
            transformation: None,
            hints: Vec::new(),
        }
    }
}

/// Words of a search, and others that were looked for because the market links them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct LinkedWords {
    /// The words as they were given, in small letters and without accents.
    pub from: String,
    /// The linked expressions.
    pub to: Vec<String>,
}

/// Words of a search that were taken for others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct CorrectedWords {
    /// The words as they were given, in small letters and without accents.
    pub from: String,
    /// What was searched for instead: a word, or the name of a company.
    pub to: String,
}

/// One page of a list.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Page<T> {
    /// The rows of this page.
    pub data: Rows<T>,
    /// The number of rows in the whole list.
    pub total: u64,
    /// The most rows that a page can hold.
    pub limit: u32,
    /// The number of rows before this page.
    pub offset: u64,
    /// The source of the rows.
    pub meta: Meta,
}

impl<T: Serialize> Page<T> {
    /// The page as JSON: the same as `serde_json` writes, but faster if the JSON of the rows is in memory.
    pub fn to_json(&self) -> serde_json::Result<Vec<u8>> {
        /// The fields after the rows.
        #[derive(Serialize)]
        struct Rest<'p> {
            total: u64,
            limit: u32,
            offset: u64,
            meta: &'p Meta,
        }
        let Page { data, total, limit, offset, meta } = self;
        let Some(rows) = data.json() else { return serde_json::to_vec(self) };
        let mut json = Vec::with_capacity(rows.len() + 512);
        for part in ["{\"data\":[", rows, "]"] {
            json.extend_from_slice(part.as_bytes());
        }
        let rest = json.len();
        let (total, limit, offset) = (*total, *limit, *offset);
        serde_json::to_writer(&mut json, &Rest { total, limit, offset, meta })?;
        // Its brace becomes a comma.
        json[rest] = b',';
        Ok(json)
    }
}

impl<T> Page<T> {
    /// A page of a list with `total` rows. `rows` is called only if `offset` is within the list, so that
    /// nothing beyond the end is ever read.
    pub(crate) fn read(
        total: u64,
        (limit, offset): (u32, u64),
        meta: Meta,
        rows: impl FnOnce() -> Result<Vec<T>>,
    ) -> Result<Page<T>> {
        let data = if offset < total { rows()? } else { Vec::new() };
        Ok(Page { data: data.into(), total, limit, offset, meta })
    }

    /// A page of a list that is in memory.
    pub(crate) fn cut(mut all: Vec<T>, (limit, offset): (u32, u64), meta: Meta) -> Page<T> {
        let total = all.len() as u64;
        all.drain(..usize::try_from(offset).unwrap_or(usize::MAX).min(all.len()));
        all.truncate(limit as usize);
        Page { data: all.into(), total, limit, offset, meta }
    }
}

/// A single result with its source. It dereferences to the result.
///
/// ```
/// # let dir = tempfile::tempdir().unwrap();
/// # let catalogue = fincore::bundle::filled_copy(dir.path())?;
/// let snapshot = catalogue.snapshot("2026-10-05".parse()?)?;
/// let selic = fincore::market::selic_current(&snapshot)?;
/// assert_eq!(selic.value.to_string(), "13.75");
/// assert_eq!(selic.meta.source, "BCB SGS 432");
/// # Ok::<(), fincore::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Sourced<T> {
    /// The result.
    #[serde(flatten)]
    pub answer: T,
    /// Its source.
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
