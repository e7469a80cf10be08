//! The queries of companies.
use serde::{Deserialize, Serialize};

use super::company::Company;
use crate::{
    error::{Result, Wanted},
    types::{self, Limit, Offset, Words, choices, fold},
};

/// A query for companies; by default the first twenty by code.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct List {
    /// Only companies with this status; case and accents are ignored.
    pub status: Option<String>,
    /// Only companies in this sector; case and accents are ignored.
    pub sector: Option<String>,
    /// Only companies with a ticker, or only those without.
    pub listed: Option<Listed>,
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
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Search {
    /// All words must match; the last one matches as a prefix.
    pub q: Words,
    /// Only companies with this status; case and accents are ignored.
    pub status: Option<String>,
    /// Only companies in this sector; case and accents are ignored.
    pub sector: Option<String>,
    /// Only companies with a ticker, or only those without.
    pub listed: Option<Listed>,
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
        Search { q, status: None, sector: None, listed: None, limit, offset }
    }
}

/// Whether a company has a ticker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listed {
    /// It has one.
    Yes,
    /// It has none.
    No,
}

choices!(Listed, Wanted::TrueOrFalse, "true" => Listed::Yes, "false" => Listed::No);

/// What companies must be: status and sector are without case and accents; an empty filter admits all.
pub(super) struct Filter {
    pub(super) status: Option<String>,
    pub(super) sector: Option<String>,
    pub(super) is_listed: Option<bool>,
}

impl Filter {
    pub(super) fn new(
        status: Option<&str>,
        sector: Option<&str>,
        listed: Option<Listed>,
    ) -> Filter {
        let is_listed = listed.map(|listed| listed == Listed::Yes);
        Filter { status: status.map(fold), sector: sector.map(fold), is_listed }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.status.is_none() && self.sector.is_none() && self.is_listed.is_none()
    }

    pub(super) fn admits(&self, company: &Company) -> bool {
        self.status
            .as_ref()
            .is_none_or(|status| company.status.as_deref().map(fold).as_ref() == Some(status))
            && self.sector.as_ref().is_none_or(|sector| *sector == fold(&company.sector))
            && self.is_listed.is_none_or(|listed| listed != company.tickers.is_empty())
    }
}
