//! What can be asked about companies.
use serde::Deserialize;

use super::Company;
use crate::{
    error::Result,
    types::{self, Limit, Offset, Words, fold},
};

/// A query for companies; by default the first twenty by code.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct List {
    /// Only companies with this status; case and accents are ignored.
    pub status: Option<String>,
    /// Only companies in this sector; case and accents are ignored.
    pub sector: Option<String>,
    /// The most companies to return.
    #[serde(default)]
    pub limit: Limit<1000>,
    /// The number of companies to skip.
    #[serde(default)]
    pub offset: Offset,
}

/// A search for companies; by default the best twenty that match.
///
/// ```
/// use fincore::companies::Search;
///
/// let banks = Search { sector: Some("bancos".into()), ..Search::new("itau")? };
/// # Ok::<(), fincore::Error>(())
/// ```
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Search {
    /// All words must match; the last one matches as a prefix.
    pub q: Words,
    /// Only companies with this status; case and accents are ignored.
    pub status: Option<String>,
    /// Only companies in this sector; case and accents are ignored.
    pub sector: Option<String>,
    /// The most companies to return.
    #[serde(default)]
    pub limit: Limit<1000>,
    /// The number of companies to skip.
    #[serde(default)]
    pub offset: Offset,
}

impl Search {
    /// A search for the words in `text`, among all companies.
    ///
    /// Fails if `text` has no words, or too many.
    pub fn new(text: &str) -> Result<Search> {
        Ok(types::Search::new(text)?.into())
    }
}

impl From<types::Search> for Search {
    fn from(types::Search { q, limit, offset }: types::Search) -> Search {
        Search { q, status: None, sector: None, limit, offset }
    }
}

/// The status and the sector that companies must have, without case and accents; none admits all.
pub(super) struct Narrow {
    pub(super) status: Option<String>,
    pub(super) sector: Option<String>,
}

impl Narrow {
    pub(super) fn new(status: Option<&str>, sector: Option<&str>) -> Narrow {
        Narrow { status: status.map(fold), sector: sector.map(fold) }
    }

    pub(super) fn is_open(&self) -> bool {
        self.status.is_none() && self.sector.is_none()
    }

    pub(super) fn admits(&self, company: &Company) -> bool {
        self.status.as_ref().is_none_or(|status| *status == fold(&company.status))
            && self.sector.as_ref().is_none_or(|sector| *sector == fold(&company.sector))
    }
}
