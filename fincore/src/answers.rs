//! Wrappers around query results: pages and sources.
use std::{borrow::Cow, collections::BTreeMap, fmt, ops::Deref};

use chrono::{DateTime, Utc};
use serde::{Serialize, Serializer};

use crate::values::{Date, Key, error::Result, truncate};

pub(crate) mod rows;
pub mod table;

pub(crate) use rows::CachedRows;
pub use rows::Rows;
pub(crate) use table::{Cell, Column, ColumnKind, Heading, Table};

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
    /// The day at the end of which all this was known. Its age is then left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub as_of: Option<Date>,
    /// True for the first published values, not those that replaced them.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub first_release: bool,
    /// The days of delivery from which to which filings are complete, for each form that is held. Filings only.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub coverage: BTreeMap<&'static str, Span>,
    /// True if nothing matches a search exactly, so that these are the nearest matches.
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
    /// How the observations were transformed; null if they are as published. Market data only.
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
    /// The word or the company name that was searched for instead.
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
        limit: u32,
        offset: u64,
        meta: Meta,
        rows: impl FnOnce() -> Result<Vec<T>>,
    ) -> Result<Page<T>> {
        let data = if offset < total { rows()? } else { Vec::new() };
        Ok(Page { data: data.into(), total, limit, offset, meta })
    }

    /// A page of a list that is in memory.
    pub(crate) fn cut(mut all: Vec<T>, limit: u32, offset: u64, meta: Meta) -> Page<T> {
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

/// The days from which to which data is held, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Span {
    /// The first day.
    pub from: Date,
    /// The last day.
    pub to: Date,
}

/// How the observations of a series were transformed: the parameters, and the rule in a sentence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct AppliedTransformation {
    /// The length of periods; `null` where there is one row for each observation.
    pub frequency: Option<&'static str>,
    /// How the observations of a period become one.
    pub aggregate: Option<&'static str>,
    /// The units of the rows, such as `percent_change`.
    pub units: &'static str,
    /// The row that is 100, if one was chosen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base: Option<Date>,
    /// The shown rows, if not all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub only: Option<&'static str>,
    /// The side of quotes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub side: Option<&'static str>,
    /// The rule in a sentence.
    pub rule: String,
    /// The series in which the publisher itself gives these figures, where it is held: those here are computed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub published_series: Option<&'static str>,
}

impl AppliedTransformation {
    /// Takes the rule as a sentence; the parameters are added later.
    pub(crate) fn new(units: &'static str, rule: String) -> AppliedTransformation {
        AppliedTransformation {
            frequency: None,
            aggregate: None,
            units,
            base: None,
            only: None,
            side: None,
            rule,
            published_series: None,
        }
    }
}

/// Why a list has no rows. JSON has it as a sentence; programs that speak another language match on the values.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Hint {
    /// No row has the value of a filter.
    UnknownValue {
        /// `filing` or `company`.
        row: &'static str,
        /// The filter: `category`, `type`, `status` or `sector`.
        field: &'static str,
        /// The value that was given.
        given: String,
        /// The values that come nearest.
        nearest: Vec<String>,
        /// Advice if no suggestion applies.
        otherwise: String,
    },
    /// There is no such company.
    UnknownCompany {
        /// The company that was given.
        company: String,
    },
    /// No company has an identifier that a search names.
    UnknownIdentifier {
        /// `ticker`, `ISIN`, `CNPJ` or `CVM code`.
        kind: &'static str,
        /// The identifier that was given, in capital letters.
        given: String,
        /// Tickers that come nearest.
        nearest: Vec<String>,
    },
    /// A search names a well-known company that does not file with CVM.
    NotRegistered {
        /// Its name.
        name: &'static str,
        /// The ticker of its receipts that trade in São Paulo.
        receipts: Option<&'static str>,
    },
    /// The period lies outside the days that are held.
    Held {
        /// The first of them.
        from: String,
        /// The last of them.
        to: String,
    },
    /// Rows have the value of each filter, but none has all of them.
    NoneHasAll {
        /// The filters.
        fields: Vec<&'static str>,
    },
    /// Anything else.
    Other(String),
}

/// The given text, truncated, and masked if it may be a key.
fn shown(given: &str) -> String {
    Key::redact(&truncate(given))
}

impl fmt::Display for Hint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Hint::UnknownValue { row, field, given, nearest, otherwise } => {
                write!(f, "no {row} has the {field} \"{}\"; ", shown(given))?;
                match &nearest[..] {
                    [] => f.write_str(otherwise),
                    nearest => write!(f, "nearest: {}", nearest.join("; ")),
                }
            }
            Hint::UnknownCompany { company } => {
                write!(f, "there is no company \"{company}\"; see /api/v1/companies/search")
            }
            Hint::UnknownIdentifier { kind, given, nearest } => {
                write!(f, "no company has the {kind} \"{}\"", shown(given))?;
                match &nearest[..] {
                    [] if *kind == "ticker" => f.write_str(
                        "; funds and foreign companies are not in CVM's registry of companies",
                    ),
                    [] => Ok(()),
                    nearest => write!(f, "; nearest: {}", nearest.join("; ")),
                }
            }
            Hint::NotRegistered { name, receipts } => {
                write!(f, "{name} does not file with CVM as a company")?;
                match receipts {
                    Some(ticker) => write!(f, "; its receipts trade as {ticker}"),
                    None => Ok(()),
                }
            }
            Hint::Held { from, to } => write!(f, "filings are held from {from} to {to}"),
            Hint::NoneHasAll { fields } => {
                write!(f, "no filing has all of these: {}", fields.join(", "))
            }
            Hint::Other(text) => f.write_str(text),
        }
    }
}

impl Serialize for Hint {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl From<String> for Hint {
    fn from(text: String) -> Hint {
        Hint::Other(text)
    }
}
